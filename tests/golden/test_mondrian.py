"""The worked examples of set-based Mondrian (J. Shao, J. Beckford: Learning Decision Trees from Anonymized Data)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KAnonymity, Mondrian, Release, Schema, parse
from hedgerow.core.cells import ValueSet
from hedgerow.core.recoding import Pieces, publish_groups, shown_as
from hedgerow.io.values import number_text
from hedgerow.release import pipeline
from hedgerow.verifier import verify

HERE = Path(__file__).parent


def golden(name: str) -> Any:
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


TABLES = golden("mondrian_tables_1_2")
RACE = golden("mondrian_race_frequency")


def table_1() -> pa.Table:
    """Table I, with the numbers of its rows in a column of their own."""
    columns = {name: [row[at] for row in TABLES["rows"]] for at, name in enumerate(TABLES["columns"])}
    return pa.table({"row": list(range(1, len(TABLES["rows"]) + 1)), **columns})


def members(cell: object) -> set[str | None]:
    value = parse(cell)
    return set(value.members) if isinstance(value, ValueSet) else {str(value)}


def test_table_1_is_not_3_anonymous() -> None:
    """Section III.A, table I: every row is alone."""
    (finding,) = verify(table_1(), [KAnonymity(TABLES["k"])], TABLES["quasi"]).findings
    assert finding.holds is TABLES["input_satisfies"]
    assert (finding.reached, finding.rows_violating) == (1, 6)


def test_table_2_generalizes_the_given_groups_to_sets() -> None:
    """Section III.A, table II: the sets of two given groups, and that they are 3-anonymous."""
    requirement = KAnonymity(TABLES["k"])
    schema = Schema(quasi=TABLES["quasi"], sensitive=TABLES["sensitive"], insensitive=["row"], accept=["row"])
    prepared = pipeline.prepare(table_1(), schema, [requirement], random_state=None)
    counts = prepared.counts
    labels = [counts.domains[name].labels for name in counts.quasi]
    row_of_cell = [
        next(
            number
            for number, row in enumerate(TABLES["rows"], start=1)
            if [str(value) for value in row[: len(labels)]]
            == [str(known[code]) for known, code in zip(labels, counts.tuples[of_tuple], strict=True)]
        )
        for of_tuple in counts.cell_tuple
    ]
    group = np.array([next(at for at, rows in enumerate(TABLES["groups"]) if row in rows) for row in row_of_cell])
    columns, values = publish_groups(
        counts, Pieces.whole(group, counts.cell_sizes), len(TABLES["groups"]), shown_as(counts, "set")
    )
    for of_group, expected in zip(values, TABLES["group_sets"], strict=True):
        published = {
            name: members(column.texts[value])
            for name, column, value in zip(counts.quasi, columns, of_group, strict=True)
        }
        assert published == {name: {str(value) for value in held} for name, held in expected.items()}
    table_2 = pa.table(
        {name: [columns[at].texts[values[of_cell, at]] for of_cell in group] for at, name in enumerate(counts.quasi)}
    )
    assert verify(table_2, [requirement], TABLES["quasi"]).holds is TABLES["output_satisfies"]


@pytest.mark.parametrize("column", TABLES["quasi"])
def test_first_strict_cut_of_each_column(column: str) -> None:
    """Algorithm 1 on table I, worked out by hand: the median cut of each attribute by itself."""
    schema = Schema(quasi=[column], sensitive=TABLES["sensitive"], insensitive=["row"], accept=["row"], others="drop")
    release = Mondrian(preset="paper", k=TABLES["k"]).anonymize(table_1(), schema)
    groups: dict[str, set[int]] = {}
    for row in release.table.to_pylist():
        groups.setdefault(row[column], set()).add(row["row"])
    first_cut = TABLES["strict_first_cut"][column]
    assert sorted(map(sorted, groups.values())) == sorted(first_cut)
    values = dict(zip(table_1()["row"].to_pylist(), table_1()[column].to_pylist(), strict=True))
    for text, rows in groups.items():
        own = {values[row] for row in rows}
        assert members(text) == {number_text(value) if isinstance(value, int) else value for value in own}


def anonymized_races(k: int, **parameters: Any) -> Release:
    races = pa.table({RACE["column"]: [value for value, count in RACE["frequencies"] for _ in range(count)]})
    return Mondrian(preset="paper", k=k, **parameters).anonymize(races, Schema(quasi=[RACE["column"]]), random_state=1)


def test_frequency_set_of_race() -> None:
    """Section III.B: the frequency set, its total and its median."""
    counts = [count for _, count in RACE["frequencies"]]
    assert sum(counts) == RACE["total"]
    assert np.searchsorted(np.cumsum(counts), RACE["total"] / 2) == len(counts) - 1
    assert RACE["frequencies"][-1][0] == RACE["median_value"]


def test_strict_cut_puts_the_median_right_where_left_is_not_allowed() -> None:
    """Section III.B, strict: with all of White left nothing is right; White right gives 4,229 and 25,933."""
    assert RACE["strict_le_split"][1] == 0
    release = anonymized_races(k=3000)
    assert sorted(release.recoding.sizes.tolist()) == RACE["strict_lt_split"]
    white = [row for row in release.table[RACE["column"]].to_pylist() if row == RACE["median_value"]]
    assert len(white) == RACE["strict_lt_split"][1]


def test_strict_cut_is_refused_where_neither_side_is_large_enough() -> None:
    """Section III.B, strict: with more than 4,229 required on each side the column cannot be cut."""
    release = anonymized_races(k=RACE["before_median_value"] + 1)
    assert release.recoding.sizes.tolist() == [RACE["total"]]


def test_relaxed_cut_splits_white() -> None:
    """Section III.B, relaxed: two halves of 15,081; White gives 10,852 to the left and 15,081 to the right."""
    release = anonymized_races(k=RACE["relaxed_halves"][0], relaxed=True)
    assert release.recoding.sizes.tolist() == RACE["relaxed_halves"]
    pieces = release.recoding.pieces
    assert pieces is not None
    white = len(RACE["frequencies"]) - 1
    assert pieces.size[pieces.cell == white].tolist() == RACE["relaxed_split_of_white"]
    published = release.table[RACE["column"]].to_pylist()
    assert published.count(RACE["median_value"]) == RACE["relaxed_halves"][1]
