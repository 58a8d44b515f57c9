"""The contract that every anonymization method keeps, as checks for Hedgerow's methods and your own.

Only tests and your own code import it: nothing in the package does. It needs only core dependencies, and makes its
own tables. It never calls the verifier: it counts classes in the published rows with :class:`collections.Counter`, so
that a counting error in the verifier cannot hide an error in a method. A check that fails raises ``AssertionError``.
Start with :func:`check_anonymizer`, which runs all checks.
"""

from __future__ import annotations

from collections.abc import Callable

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.checks._checks import ESTIMATOR_CHECKS, TABLE_CHECKS
from hedgerow.anonymizers.checks._examples import AsFrame, as_it_is

__all__ = ["CHECKS", "ESTIMATOR_CHECKS", "TABLE_CHECKS", "check_anonymizer"]

CHECKS: tuple[Callable[..., None], ...] = (*ESTIMATOR_CHECKS, *TABLE_CHECKS)


def check_anonymizer(estimator: Anonymizer, as_frame: AsFrame | None = None) -> None:
    """Run every check on a method.

    Parameters
    ----------
    estimator : Anonymizer
        The method, with those parameters of its own that you want to check, and with a ``suppression_limit`` if they
        require one. The checks set the parameters that all methods share: ``k``, ``require``, ``schema`` and
        ``random_state``.
    as_frame : callable, optional
        Converts a pyarrow table to the kind of dataframe to check with, such as ``polars.from_arrow``.

    Raises
    ------
    AssertionError
        If a check fails. The message names the check and says what is wrong.

    Examples
    --------
    >>> from hedgerow import Mondrian
    >>> check_anonymizer(Mondrian(cut="widest"))
    """
    for estimator_check in ESTIMATOR_CHECKS:
        estimator_check(estimator)
    for table_check in TABLE_CHECKS:
        table_check(estimator, as_frame or as_it_is)
