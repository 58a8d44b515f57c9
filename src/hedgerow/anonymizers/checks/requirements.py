"""Checks of what is demanded, and of how what cannot be met is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.checks.examples import (
    QUASI,
    ROWS,
    SCHEMA,
    AsFrame,
    K,
    as_it_is,
    example_table,
    released,
    tuples_of,
    with_cells,
)
from hedgerow.anonymizers.checks.expectations import expect, refused
from hedgerow.errors import BadInput, Infeasible
from hedgerow.privacy import KAnonymity, LDiversity

__all__ = ["CHECKS"]


def check_shields(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Several requirements hold together, each on its own shield."""
    require = (KAnonymity(4, shield=["age", "sex"]), KAnonymity(9, shield=["sex", "zip"]))
    _, rows = released(estimator, example_table(), as_frame, require=require)
    for one in require:
        smallest = min(tuples_of(rows, one.shield or ()).values())
        expect(smallest >= one.k, f"a class of {', '.join(one.shield or ())} has {smallest} rows where k = {one.k}.")


def check_l_diversity(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Every class has as many different sensitive values as l-diversity asks for."""
    _, rows = released(estimator, example_table(), as_frame, k=3, require=[LDiversity(3, "disease")])
    held = tuples_of(list({tuple(row[name] for name in (*QUASI, "disease")): row for row in rows}.values()), QUASI)
    expect(min(held.values()) >= 3, f"a class has {min(held.values())} sensitive values where l = 3.")


def check_infeasible(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """What no release can meet raises ``Infeasible``, and nothing is returned."""
    table = example_table()
    with refused(Infeasible, table, "a requirement that even one class of all rows fails"):
        released(estimator, table, as_frame, k=K, require=[LDiversity(5, "disease")])


def check_k_above_rows(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A k that is larger than the table is bad input."""
    table = example_table()
    with refused(BadInput, table, "k above the number of rows"):
        released(estimator, table, as_frame, k=ROWS + 1)


def check_errors_hide_cells(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Errors name columns and counts, never a cell."""
    table = example_table()
    ages = ["secret age" if row == 5 else str(age) for row, age in enumerate(table["age"].to_pylist())]
    mixed = with_cells(table, "age", ages)
    with refused(BadInput, mixed, "text among numbers"):
        released(estimator, mixed, as_frame, replace(SCHEMA, kinds={"age": "number"}), k=K)
    zips = ["secret zip" if row == 5 else zip_code for row, zip_code in enumerate(table["zip"].to_pylist())]
    uncovered = with_cells(table, "zip", zips)
    known = sorted(set(table["zip"].to_pylist()))
    schema = replace(SCHEMA, hierarchies={"zip": {"*": known}})
    with refused(BadInput, uncovered, "a value that its hierarchy does not cover"):
        released(estimator, uncovered, as_frame, schema, k=K)


CHECKS: tuple[Callable[..., None], ...] = (
    check_shields,
    check_l_diversity,
    check_infeasible,
    check_k_above_rows,
    check_errors_hide_cells,
)
