"""The contract of every method, as checks that run on the methods here and on a user's own.

Nothing here asks the verifier: classes are counted with :class:`collections.Counter` on the published rows, so that
a bug in the counting of one does not excuse the other. A check that fails raises ``AssertionError`` with one
sentence. Only core dependencies are needed; the tables are made here.
"""

from __future__ import annotations

from collections.abc import Callable

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.checks.estimator_face import (
    check_clone,
    check_init_only_assigns,
    check_keyword_only_parameters,
    check_parameters_round_trip,
    check_pickle,
    check_repr,
)
from hedgerow.anonymizers.checks.examples import AsFrame, as_it_is
from hedgerow.anonymizers.checks.learning import (
    check_fit_resample,
    check_fit_resample_without_schema,
    check_proportions,
    check_unseen_rows,
)
from hedgerow.anonymizers.checks.published_rows import (
    check_columns_in_order,
    check_input_not_modified,
    check_k,
    check_no_row_invented_or_lost,
    check_other_columns_untouched,
    check_published_values_cover,
    check_rows_shuffled,
    check_same_frame_type,
    check_seed,
)
from hedgerow.anonymizers.checks.requirements import (
    check_errors_hide_cells,
    check_infeasible,
    check_k_above_rows,
    check_l_diversity,
    check_shields,
)
from hedgerow.anonymizers.checks.unusual_tables import (
    check_all_rows_equal,
    check_constant_column,
    check_k_equals_rows,
    check_missing_marker,
    check_missing_values,
    check_one_row,
    check_unique_column,
)

__all__ = ["CHECKS", "ESTIMATOR_CHECKS", "TABLE_CHECKS", "check_anonymizer"]

ESTIMATOR_CHECKS: tuple[Callable[[Anonymizer], None], ...] = (
    check_keyword_only_parameters,
    check_init_only_assigns,
    check_parameters_round_trip,
    check_clone,
    check_pickle,
    check_repr,
)

# Those that may also be given the kind of dataframe to run on.
TABLE_CHECKS: tuple[Callable[..., None], ...] = (
    check_k,
    check_no_row_invented_or_lost,
    check_other_columns_untouched,
    check_published_values_cover,
    check_columns_in_order,
    check_same_frame_type,
    check_rows_shuffled,
    check_seed,
    check_input_not_modified,
    check_missing_values,
    check_missing_marker,
    check_one_row,
    check_all_rows_equal,
    check_k_equals_rows,
    check_constant_column,
    check_unique_column,
    check_shields,
    check_l_diversity,
    check_infeasible,
    check_k_above_rows,
    check_errors_hide_cells,
    check_unseen_rows,
    check_fit_resample,
    check_fit_resample_without_schema,
    check_proportions,
)

CHECKS: tuple[Callable[..., None], ...] = (*ESTIMATOR_CHECKS, *TABLE_CHECKS)


def check_anonymizer(estimator: Anonymizer, as_frame: AsFrame | None = None) -> None:
    """Run every check on a method.

    Parameters
    ----------
    estimator : Anonymizer
        With the method's own parameters as they are to be checked; what the base adds (``k``, ``require``,
        ``schema``, ``random_state``) is set by the checks.
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
