"""Every registered method keeps the contract, and so it does with each other value of each parameter.

What the base does for every method (its face as an estimator, the types and the order of what comes out) does not
depend on parameters, and is checked with the defaults. What a schema or a budget adds to any method (people, weights,
what may be lost) is checked with one other parameter of each method; the fuzz meets them in all combinations. A limit
of time that is not reached changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.checks import CHECKS, ESTIMATOR_CHECKS, TABLE_CHECKS, check_anonymizer
from hedgerow.anonymizers.checks import _checks as contract
from hedgerow.anonymizers.registry import METHODS

OF_THE_BASE = (
    *ESTIMATOR_CHECKS,
    contract.check_other_columns_untouched,
    contract.check_columns_in_order,
    contract.check_same_frame_type,
    contract.check_rows_shuffled,
    contract.check_input_not_modified,
    contract.check_fit_resample,
    contract.check_fit_resample_without_schema,
)


ADDED = (*contract.PEOPLE_CHECKS, *contract.BUDGET_CHECKS, *contract.WEIGHT_CHECKS)


def variants() -> Iterator[Any]:
    """Each method with one parameter changed at a time, and each check that this may matter to."""
    checks = [one for one in CHECKS if one not in OF_THE_BASE]
    for name, method in METHODS.items():
        others = [(own, one) for own, given in method.parameters().items() for one in given.trials]
        for at, (own, value) in enumerate(other for other in others if other[0] != "time_limit"):
            changed: dict[str, Any] = {own: value}
            if value == "lose":  # it needs a budget
                changed["suppression_limit"] = 1.0
            for check in checks if at == 0 else [one for one in checks if one not in ADDED]:
                yield pytest.param(method(**changed), check, id=f"{name}-{own}={value}-{check.__name__}")


def as_pandas(table: pa.Table) -> Any:
    """With an index that is not the rows' numbers, as in a fold of a cross-validation."""
    frame = table.to_pandas()
    frame.index = range(len(frame) + 100, 100, -1)
    return frame


def as_relation(table: pa.Table) -> Any:
    return duckdb.connect().from_arrow(table)


FRAMES: dict[str, Callable[[pa.Table], Any]] = {
    "pandas": as_pandas,
    "polars": pl.from_arrow,
    "duckdb": as_relation,
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", METHODS)
def test_contract(name: str, check: Callable[[Anonymizer], None]) -> None:
    check(METHODS[name]())


@pytest.mark.parametrize(("estimator", "check"), list(variants()))
def test_contract_with_other_parameters(estimator: Anonymizer, check: Callable[[Anonymizer], None]) -> None:
    check(estimator)


@pytest.mark.parametrize("check", TABLE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("as_frame", list(FRAMES.values()), ids=list(FRAMES))
@pytest.mark.parametrize("name", ["mondrian", "kactus"])
def test_contract_of_frames(name: str, as_frame: Callable[[pa.Table], Any], check: Callable[..., None]) -> None:
    """Methods never see a frame: one that publishes text and one that publishes numbers stand for all."""
    check(METHODS[name](), as_frame)


def as_categories(table: pa.Table) -> pa.Table:
    """All text dictionary-encoded."""
    for name in table.column_names:
        if pa.types.is_string(table.schema.field(name).type):
            table = table.set_column(table.column_names.index(name), name, table[name].dictionary_encode())
    return table


@pytest.mark.parametrize(
    "as_frame",
    [as_categories, lambda table: as_categories(table).to_pandas(), lambda table: pl.from_arrow(as_categories(table))],
    ids=["pyarrow", "pandas", "polars"],
)
def test_categorical_columns_keep_the_contract(as_frame: Callable[[pa.Table], Any]) -> None:
    check_anonymizer(METHODS["mondrian"](), as_frame)


def test_every_check_is_listed_once() -> None:
    assert len(set(CHECKS)) == len(CHECKS) == len(ESTIMATOR_CHECKS) + len(TABLE_CHECKS)


def test_lazy_frames_keep_the_contract() -> None:
    check_anonymizer(METHODS["mondrian"](), lambda table: pl.DataFrame(pl.from_arrow(table)).lazy())
