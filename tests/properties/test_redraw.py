"""Redrawing on random tables: exact counts with proportions, and without them nothing that a cell does not say.

Rows that are drawn to be saved are a function of the files, and as many equal original ones as a reader counts.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from typing import Any, Literal
from unittest import mock

import numpy as np
import pyarrow as pa
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow import parse
from hedgerow.core.cells import SUPPRESSED, Interval, ValueSet
from hedgerow.learning.redraw import redraw

TREE = {"any": {"vowel": ["a", "e"], "consonant": {"early": ["b", "c"], "late": ["x", "y", "z"]}}}
BELOW = {
    "vowel": set("ae"),
    "early": set("bc"),
    "late": set("xyz"),
    "consonant": set("bcxyz"),
    "any": set("abcexyz"),
}
QUASI = ["number", "letter"]
some = examples(60)

rows = st.lists(
    st.tuples(st.none() | st.integers(-30, 30), st.none() | st.sampled_from("abcexyz")), min_size=4, max_size=40
).filter(lambda cells: all(any(one is not None for one in column) for column in zip(*cells, strict=True)))
publish = st.sampled_from(["set", "interval", "label"])


def released(
    cells: list[Any], decimals: int, k: int, publish: str, proportions: bool, support: int | None = None
) -> tuple[pa.Table, hr.Release]:
    numbers = [None if number is None else number / 10**decimals for number, _ in cells]
    table = pa.table(
        {
            "number": pa.array(numbers, pa.float64()),
            "letter": pa.array([letter for _, letter in cells], pa.string()),
            "row": list(range(len(cells))),
        }
    )
    schema = hr.Schema(quasi=QUASI, insensitive=["row"], accept=["row"], hierarchies={"letter": TREE})
    release = hr.anonymize(
        table,
        schema,
        method="mondrian",
        k=k,
        publish=publish,
        random_state=0,
        publish_proportions=proportions,
        min_support=support,
    )
    return table, release


@some
@given(rows, st.integers(0, 2), st.integers(1, 4), publish, st.integers(1, 3), st.integers(0, 99))
def test_every_class_keeps_its_counts_in_every_repeat(
    cells: list[Any], decimals: int, k: int, publish: str, repeats: int, seed: int
) -> None:
    """Exact proportions: every class has its own values."""
    table, release = released(cells, decimals, k, publish, proportions=True, support=1)
    published = release.table.to_pylist()
    drawn = redraw(release, repeats, seed).to_pylist()
    original = table.to_pylist()
    for block in range(repeats):
        of_block = drawn[block * len(published) : (block + 1) * len(published)]
        assert [row["row"] for row in of_block] == [row["row"] for row in published]
        for name in QUASI:
            classes = [tuple(row[one] for one in QUASI) for row in published]
            held = Counter(zip(classes, (original[row["row"]][name] for row in published), strict=True))
            assert Counter(zip(classes, (row[name] for row in of_block), strict=True)) == held


@some
@given(rows, st.integers(0, 2), st.integers(2, 4), publish, st.integers(0, 99))
def test_pooled_values_are_those_that_a_cell_may_stand_for(
    cells: list[Any], decimals: int, k: int, publish: str, seed: int
) -> None:
    table, release = released(cells, decimals, k, publish, proportions=True)
    drawn = redraw(release, 2, seed)
    known = [number for number in table["number"].to_pylist() if number is not None]
    # Ends of ranges are rounded outwards.
    around = [min(known) - 2 * abs(min(known)) - 99, max(known) + 2 * abs(max(known)) + 99]
    for row, said in zip(drawn.to_pylist(), release.table.to_pylist() * 2, strict=True):
        assert covers(said["number"], row["number"], around) or missing_is_possible(said["number"], row["number"])
        assert covers(said["letter"], row["letter"], list("abcexyz")) or missing_is_possible(
            said["letter"], row["letter"]
        )


@some
@given(rows, st.integers(0, 2), st.integers(1, 4), publish, st.sampled_from([None, 1]), st.integers(0, 99))
def test_drawn_rows_are_a_function_of_the_files(
    cells: list[Any], decimals: int, k: int, publish: str, support: int | None, seed: int
) -> None:
    """Whoever has only the release, its proportions and the hierarchy draws the same rows from the same numbers."""
    _, release = released(cells, decimals, k, publish, proportions=True, support=support)
    real = np.random.default_rng
    with tempfile.TemporaryDirectory() as folder:
        loaded = hr.Release.load(release.save(f"{folder}/out.parquet"), {"letter": TREE})
        with mock.patch.object(np.random, "default_rng", side_effect=lambda: real(seed)):
            # Their order is drawn by the operating system.
            rows = (loaded.redraw(2).table.to_arrow_table(), release.redraw(2).table)
            assert sorted(map(repr, rows[0].to_pylist())) == sorted(map(repr, rows[1].to_pylist()))


@some
@given(rows, rows, st.integers(0, 2), st.integers(1, 4), publish, st.sampled_from([None, 1]))
def test_equal_rows_are_as_many_as_a_reader_counts(
    cells: list[Any], others: list[Any], decimals: int, k: int, publish: str, support: int | None
) -> None:
    table, release = released(cells, decimals, k, publish, proportions=True, support=support)
    holdout, _ = released(others, decimals, 1, publish, proportions=False)
    drawn = release.redraw(2)
    found = drawn.equal_rows(holdout)
    rows = [[(row["number"], row["letter"]) for row in some.to_pylist()] for some in (drawn.table, table, holdout)]
    assert found.drawn == sum(row in rows[1] for row in rows[0]) / len(rows[0])
    assert found.table == sum(row in rows[0] for row in rows[1]) / len(rows[1])
    assert found.holdout == sum(row in rows[0] for row in rows[2]) / len(rows[2])


def missing_is_possible(cell: Any, value: Any) -> bool:
    """A label of the hierarchy may stand for a missing value too: it is below the root."""
    return value is None and cell in ("any", "*")


@some
@given(rows, st.integers(0, 2), publish, st.data())
def test_part_of_a_class_gets_part_of_its_values(
    cells: list[Any], decimals: int, publish: str, data: st.DataObject
) -> None:
    table, release = released(cells, decimals, 2, publish, proportions=True, support=1)
    kept = data.draw(st.lists(st.integers(0, len(cells) - 1), unique=True, min_size=1))
    part = release.table.take(kept)
    drawn = redraw(part, random_state=0, proportions=release.proportions)
    class_of_row = {row["row"]: (row["number"], row["letter"]) for row in release.table.to_pylist()}
    for name in QUASI:
        held = Counter((class_of_row[row["row"]], row[name]) for row in table.to_pylist())
        assert Counter((class_of_row[row["row"]], row[name]) for row in drawn.to_pylist()) <= held


@some
@given(rows, st.integers(0, 2), st.integers(1, 4), publish, st.sampled_from(["uniform", "frequency"]))
def test_without_proportions_every_value_is_one_that_its_cell_may_stand_for(
    cells: list[Any], decimals: int, k: int, publish: str, shares: Literal["uniform", "frequency"]
) -> None:
    table, release = released(cells, decimals, k, publish, proportions=False)
    drawn = redraw(release, 2, 0, shares=shares)
    published = release.table.to_pylist() * 2
    known = [number for number in table["number"].to_pylist() if number is not None]
    for row, said in zip(drawn.to_pylist(), published, strict=True):
        assert covers(said["number"], row["number"], known)
        assert covers(said["letter"], row["letter"], list("abcexyz"))


def covers(cell: Any, value: Any, column: list[Any]) -> bool:
    """Whether a published cell may stand for a value, by what is written in it."""
    read = parse(cell)
    if read is None or value is None:
        said_missing = read is None or read is SUPPRESSED or (isinstance(read, ValueSet) and None in read)
        return value is None and said_missing
    if read is SUPPRESSED:
        return bool(min(column) <= value <= max(column))
    if isinstance(read, Interval):
        return value in read
    members = read.members if isinstance(read, ValueSet) else BELOW.get(str(read), {str(read)})
    if isinstance(value, str):
        return value in members
    return any(member is not None and float(member) == value for member in members)
