"""The frequency table, against brute force."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.core.counts import FrequencyTable, encode_column
from hedgerow.schema import Roles, Schema

SCHEMA = Schema(quasi=["sex", "age"], target="income", sensitive=["disease"])
COLUMNS = ["age", "sex", "income", "disease"]
people = st.lists(
    st.tuples(
        st.sampled_from([None, 1, 2, 10]), st.sampled_from(["f", "m"]), st.sampled_from("lh"), st.sampled_from("xyz")
    ),
    min_size=1,
    max_size=40,
)
Person = tuple[int | None, str, str, str]


def counted(rows: list[Person], weights: list[int] | None = None) -> tuple[Roles, FrequencyTable, list[int]]:
    roles = SCHEMA.resolve(COLUMNS)
    arrow = {name: pa.array([row[at] for row in rows]) for at, name in enumerate(COLUMNS)}
    encoded = {name: encode_column(name, arrow[name]) for name in roles.counted}
    table, cell = FrequencyTable.from_columns(roles, encoded, None if weights is None else np.array(weights), len(rows))
    return roles, table, cell.tolist()


def read(table: FrequencyTable) -> Counter[tuple[str | None, ...]]:
    """The table's cells as the values they stand for."""
    names = {name: [*domain.labels.tolist(), None] for name, domain in table.domains.items()}
    cells: Counter[tuple[str | None, ...]] = Counter()
    for cell, size in enumerate(table.cell_sizes.tolist()):
        codes = [*table.tuples[table.cell_tuple[cell]], *table.cell_values[cell]]
        cells[tuple(names[name][code] for name, code in zip(table.roles.counted, codes, strict=True))] += size
    return cells


def expected(rows: list[Person]) -> Counter[tuple[str | None, ...]]:
    return Counter((sex, None if age is None else str(age), income, ill) for age, sex, income, ill in rows)


@given(people)
def test_cells_are_the_records(rows: list[Person]) -> None:
    _, table, cell = counted(rows)
    assert read(table) == expected(rows)
    assert table.rows == len(rows)
    assert Counter(cell) == Counter(dict(enumerate(table.cell_sizes.tolist())))
    assert table.tuple_sizes.tolist() == np.bincount(table.cell_tuple, table.cell_sizes).astype(int).tolist()


@given(people)
def test_tuples_and_cells_are_sorted_and_distinct(rows: list[Person]) -> None:
    _, table, _ = counted(rows)
    tuples = list(map(tuple, table.tuples.tolist()))
    assert tuples == sorted(set(tuples))
    cells = [(of, *values) for of, values in zip(table.cell_tuple.tolist(), table.cell_values.tolist(), strict=True)]
    assert cells == sorted(set(cells))


@given(people)
def test_weights_are_rows_said_once(rows: list[Person]) -> None:
    _, plain, _ = counted(rows)
    times = Counter(rows)
    _, weighted, _ = counted(list(times), list(times.values()))
    assert np.array_equal(plain.cell_sizes, weighted.cell_sizes)
    assert np.array_equal(plain.tuples, weighted.tuples)
    assert np.array_equal(plain.cell_values, weighted.cell_values)


@given(people)
def test_histograms(rows: list[Person]) -> None:
    _, table, _ = counted(rows)
    for at, name in enumerate(COLUMNS):
        names = [*table.domains[name].labels.tolist(), None]
        histogram = dict(zip(names, table.histogram(name).tolist(), strict=False))
        assert histogram == Counter(None if row[at] is None else str(row[at]) for row in rows)


def test_columns_of_a_cell() -> None:
    _, table, _ = counted([(1, "f", "l", "x"), (1, "f", "h", "x")])
    assert table.quasi == ("sex", "age")
    assert table.cell_columns == ("income", "disease")
    assert table.values_of("income").tolist() == [0, 1]
    assert table.values_of("disease").tolist() == [0, 0]
