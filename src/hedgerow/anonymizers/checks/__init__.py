"""The contract of every method, as checks that run on the methods here and on a user's own.

Nothing here asks the verifier: classes are counted with :class:`collections.Counter` on the published rows, so that
a bug in the counting of one does not excuse the other. A check that fails raises ``AssertionError`` with one
sentence. Only core dependencies are needed; the tables are made here.
"""

from __future__ import annotations

from collections.abc import Callable

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.checks._demands import BUDGET_CHECKS, PEOPLE_CHECKS, REQUIREMENT_CHECKS, WEIGHT_CHECKS
from hedgerow.anonymizers.checks._estimator import ESTIMATOR_CHECKS, LEARNING_CHECKS
from hedgerow.anonymizers.checks._examples import AsFrame, as_it_is
from hedgerow.anonymizers.checks._rows import PUBLISHED_ROW_CHECKS, UNUSUAL_TABLE_CHECKS

__all__ = ["CHECKS", "ESTIMATOR_CHECKS", "TABLE_CHECKS", "check_anonymizer"]

# Those that may also be given the kind of dataframe to run on.
TABLE_CHECKS = (
    *PUBLISHED_ROW_CHECKS,
    *UNUSUAL_TABLE_CHECKS,
    *REQUIREMENT_CHECKS,
    *PEOPLE_CHECKS,
    *BUDGET_CHECKS,
    *WEIGHT_CHECKS,
    *LEARNING_CHECKS,
)
CHECKS: tuple[Callable[..., None], ...] = (*ESTIMATOR_CHECKS, *TABLE_CHECKS)


def check_anonymizer(estimator: Anonymizer, as_frame: AsFrame | None = None) -> None:
    """Run every check on a method.

    Parameters
    ----------
    estimator : Anonymizer
        With the method's own parameters as they are to be checked, and with a ``suppression_limit`` if they need one;
        what the base adds else (``k``, ``require``, ``schema``, ``random_state``) is set by the checks.
    as_frame : callable, optional
        Makes the dataframe to check with from a pyarrow table, such as ``polars.from_arrow``.

    Raises
    ------
    AssertionError
        With the check's name and what is wrong.

    Examples
    --------
    >>> from hedgerow import Mondrian
    >>> check_anonymizer(Mondrian(cut="widest"))
    """
    for estimator_check in ESTIMATOR_CHECKS:
        estimator_check(estimator)
    for table_check in TABLE_CHECKS:
        table_check(estimator, as_frame or as_it_is)
