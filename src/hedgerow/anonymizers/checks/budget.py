"""Checks of the suppression budget: how many records may be lost, and what has to hold for the others."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pyarrow as pa

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.checks.examples import (
    QUASI,
    ROWS,
    AsFrame,
    K,
    as_it_is,
    example_table,
    released,
    rows_of,
    tuples_of,
    with_cells,
)
from hedgerow.anonymizers.checks.expectations import expect, refused
from hedgerow.errors import BadInput, Infeasible
from hedgerow.release import Release

__all__ = ["CHECKS"]

# So many records lie far from all others.
OUTLIERS = 3


def _with_outliers() -> pa.Table:
    """The example with a few people whose values nobody shares."""
    table = example_table()
    ages, zips = table["age"].to_pylist(), table["zip"].to_pylist()
    return with_cells(
        with_cells(table, "age", [90 + row if row < OUTLIERS else age for row, age in enumerate(ages)]),
        "zip",
        [f"{7 + row}9" if row < OUTLIERS else code for row, code in enumerate(zips)],
    )


def check_nothing_lost_without_budget(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """With a limit of 0 no record is lost; a method that would lose some refuses."""
    release = _released(estimator, as_frame, 0)
    lost = 0 if release is None else release.recoding.lost
    expect(lost == 0, f"{lost} records were lost with a suppression_limit of 0.")


def check_budget_is_a_limit(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Never more records are lost than allowed, as a number or as a share; k holds for what remains."""
    for limit, allowed in ((OUTLIERS, OUTLIERS), (0.125, ROWS // 8), (1.0, ROWS - 1)):
        release = _released(estimator, as_frame, limit)
        if release is None:
            expect(limit < 1.0 or isinstance(limit, int), "nothing must be refused where all records may be lost.")
            continue
        lost, rows = release.recoding.lost, rows_of(release.table)
        expect(lost <= allowed, f"{lost} records were lost where {allowed} may be.")
        expect(len(rows) == ROWS - lost, f"{len(rows)} rows came out of {ROWS}, and {lost} are said to be lost.")
        expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold for the records that are not lost.")


def check_requirements_with_budget(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Other requirements hold for what remains, too."""
    _, rows = released(
        estimator, _with_outliers(), as_frame, k=3, require=["l=3@disease"], suppression_limit=1.0, random_state=3
    )
    held = tuples_of(list({tuple(row[name] for name in (*QUASI, "disease")): row for row in rows}.values()), QUASI)
    expect(min(held.values()) >= 3, f"a class has {min(held.values())} sensitive values where l = 3.")


def check_budget_lowers_the_loss(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Lost records count fully, and still the loss is not above that without a budget.

    A method that chooses by itself what is lost may make something else best.
    """
    without, within = (_released(estimator, as_frame, limit) for limit in (0, OUTLIERS))
    if estimator.drops == "itself" or without is None or within is None:
        return
    before, after = (one.losses["ncp_published"] for one in (without, within))
    expect(after <= before + 1e-9, f"the loss rose from {before:.4f} to {after:.4f} with a budget.")


def check_wrong_limits(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """What is no share and no number of records is bad input."""
    table = example_table()
    for limit in (-1, -0.1, 1.5, True, "many", float("nan")):
        with refused(BadInput, table, "a suppression_limit that is none"):
            released(estimator, table, as_frame, k=K, suppression_limit=limit)


def _released(estimator: Anonymizer, as_frame: AsFrame, limit: float) -> Release | None:
    """A release of the table with outliers; nothing where the method would have to lose more than it may."""
    with suppress(Infeasible):
        return released(estimator, _with_outliers(), as_frame, k=K, suppression_limit=limit, random_state=3)[0]
    return None


CHECKS: tuple[Callable[..., None], ...] = (
    check_nothing_lost_without_budget,
    check_budget_is_a_limit,
    check_requirements_with_budget,
    check_budget_lowers_the_loss,
    check_wrong_limits,
)
