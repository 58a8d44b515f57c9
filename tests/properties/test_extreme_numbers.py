"""Every method on numbers at the ends of what floats can hold: nothing overflows, hangs, or is published wrongly."""

from __future__ import annotations

import math
import sys
import zlib
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.anonymizers.registry import METHODS
from hedgerow.core.cells import Interval, Suppressed, ValueSet, parse

TINY = 5e-324
LARGEST = sys.float_info.max
COLUMNS: dict[str, list[float | int | None]] = {
    "nothing and the smallest": [0.0, TINY],
    "the smallest and nothing": [TINY, 0.0, -TINY],
    "opposite and large": [1e308, -1e308],
    "large": [1e308, 1.7e308, -1.7e308],
    "the largest": [LARGEST, -LARGEST, 0.0, None],
    "next to each other": [1.0, 1.0 + 2**-52, 1.0 + 2**-51],
    "near the largest": [LARGEST, math.nextafter(LARGEST, 0), 1e308],
    "very small and very large": [1e300, TINY, 3 * TINY, 1e-310, 0.0],
    "very small": [1e-20, 3e-20, 7e-19, None],
    "beyond whole floats": [2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2],
    "as large as whole floats": [2.0**53, 2.0**53 + 2, 0.1],
    "constant": [1e308],
    "constant and small": [TINY, None],
}


def variants() -> Iterator[Any]:
    """Each method with one parameter changed at a time; what goes together goes together."""
    for name, method in METHODS.items():
        for own, parameter in method.parameters().items():
            for value in parameter.options if own == "metric" else parameter.trials:
                yield pytest.param(name, {own: value}, id=f"{name}-{own}={value}")
    yield pytest.param("greedy", {"metric": "ncp", "publish": "interval"}, id="greedy-ncp-intervals")
    yield pytest.param(
        "greedy", {"metric": "ncp", "publish": "interval", "improve": True}, id="greedy-ncp-intervals-improve"
    )
    yield pytest.param("mondrian", {"publish": "interval", "improve": True}, id="mondrian-interval-improve")
    yield pytest.param("kactus", {"expand": True, "numbers": "median"}, id="kactus-expand-median")


def table(*columns: list[float | int | None], rows: int = 9) -> pa.Table:
    """So many rows that run through each column's values once, and what else a table has."""
    made = {f"q{at}": [values[row * len(values) // rows] for row in range(rows)] for at, values in enumerate(columns)}
    labels = ["x" if row % 3 else "y" for row in range(rows)]
    return pa.table(
        {**made, "color": ["red" if row % 2 else "blue" for row in range(rows)], "class": labels, "row": range(rows)}
    )


def covers(cell: object, number: float, *, statistic: bool, column: list[Any]) -> bool:
    """Whether a published cell may stand for a number."""
    if cell is None:
        return False
    read = parse(cell) if isinstance(cell, str) else cell
    if isinstance(read, Suppressed):
        return True
    if isinstance(read, ValueSet):
        return Decimal(str(number)) in {Decimal(member) for member in read.members if member is not None}
    if isinstance(read, Interval):
        return number in read
    if statistic and not isinstance(read, str):
        known = [one for one in column if one is not None]
        return bool(min(known) <= read <= max(known))
    return Decimal(str(read)) == Decimal(str(number))


TABLES = [
    ("nothing and the smallest",),
    ("the smallest and nothing", "opposite and large"),
    ("large", "very small and very large"),
    ("the largest", "next to each other"),
    ("near the largest", "very small"),
    ("beyond whole floats", "as large as whole floats"),
    ("constant", "constant and small", "next to each other"),
]


@pytest.mark.parametrize("which", TABLES, ids=" and ".join)
@pytest.mark.parametrize("name", METHODS)
def test_numbers_at_the_ends_of_floats(name: str, which: tuple[str, ...]) -> None:
    check_columns(name, {}, which)


@pytest.mark.parametrize(("name", "parameters"), list(variants()))
def test_numbers_at_the_ends_of_floats_with_other_parameters(name: str, parameters: dict[str, Any]) -> None:
    """Two of the tables, others for each."""
    first = zlib.crc32(repr((name, parameters)).encode()) % len(TABLES)
    for which in (TABLES[first], TABLES[(first + 3) % len(TABLES)]):
        check_columns(name, parameters, which)


def check_columns(name: str, parameters: dict[str, Any], which: tuple[str, ...]) -> None:
    rows = table(*(COLUMNS[one] for one in which))
    numeric = [column for column in rows.column_names if column.startswith("q")]
    release_checked(rows, [*numeric, "color"], numeric, name, parameters, k=3)


@pytest.mark.parametrize("which", ["nothing and the smallest", "opposite and large", "the largest"])
@pytest.mark.parametrize("name", METHODS)
def test_all_rows_in_one_class(name: str, which: str) -> None:
    """Here every value has to be merged with every other."""
    release_checked(table(COLUMNS[which], rows=4), ["q0"], ["q0"], name, {}, k=4)


@pytest.mark.parametrize(("name", "parameters"), list(variants()))
def test_all_rows_in_one_class_with_other_parameters(name: str, parameters: dict[str, Any]) -> None:
    release_checked(table(COLUMNS["the largest"], rows=4), ["q0"], ["q0"], name, parameters, k=4)


def release_checked(
    rows: pa.Table, quasi: list[str], numeric: list[str], name: str, parameters: dict[str, Any], k: int
) -> None:
    schema = hr.Schema(quasi=quasi, target="class", others="drop", insensitive=["row"], accept=["row"])
    release = hr.anonymize(rows, schema, method=name, k=k, random_state=0, **parameters)

    assert release.audit.k >= k
    assert all(math.isfinite(loss) for loss in release.audit.losses.values() if loss is not None)
    assert all(0 <= release.audit.losses[metric] <= 1 for metric in ("ncp", "ncp_published"))
    original = rows.to_pylist()
    statistic = name in ("kactus", "hybrid-kactus")
    for row in release.table.to_pylist():
        for column in numeric:
            number = original[row["row"]][column]
            if number is None or (statistic and row[column] is None):
                continue
            held = rows[column].to_pylist()
            assert covers(row[column], number, statistic=statistic, column=held), (column, row[column], number)
    if release.recoding.router is not None:
        assert len(release.recoding.transform(rows)) == len(rows)


def test_a_method_that_alters_numbers_keeps_them_finite() -> None:
    rows = table(COLUMNS["large"], COLUMNS["the largest"])
    schema = hr.Schema(quasi=["q0", "q1", "color"], target="class", insensitive=["row"], accept=["row"])
    release = hr.anonymize(
        rows, schema, method="hybrid-kactus", k=4, random_state=0, as_published=True, min_objects=2, crossover=0.0
    )
    altered = [cell for name in ("q0", "q1") for cell in release.table[name].to_pylist() if cell is not None]
    assert np.isfinite(np.array(altered, dtype=np.float64)).all()


@pytest.mark.parametrize("method", ["mondrian", "k-member", "oka", "greedy"])
@pytest.mark.parametrize("exponent", [-1060, -600, 600, 1000])
def test_what_is_lost_does_not_depend_on_the_unit(method: str, exponent: int) -> None:
    """A power of two is exact: the same groups, whatever the numbers are measured in."""
    ages = [20.0, 21.0, 23.0, 40.0, 41.0, 60.0, 61.0, 88.0, 88.0, 90.0]
    schema = hr.Schema(quasi=["age"], insensitive=["row"], accept=["row"])
    plain, other = (
        hr.anonymize(
            pa.table({"age": [math.ldexp(age, power) for age in ages], "row": range(10)}),
            schema,
            method=method,
            k=2,
            random_state=0,
        )
        for power in (0, exponent)
    )
    assert plain.audit.losses["ncp"] == other.audit.losses["ncp"]
