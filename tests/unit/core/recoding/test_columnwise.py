"""Global recoding: every value becomes a node, and unseen rows are recoded cell by cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KAnonymity, Recoding, Schema, hierarchies
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import recode_by_nodes
from hedgerow.release import pipeline

SCHOOLS = {"Any": {"Junior": ["9th", "10th"], "Senior": ["11th", "12th"]}}
ROWS = {
    "school": ["9th", "10th", "10th", "11th", None],
    "zip": ["011", "012", "021", "022", "022"],
    "age": [10, 20, 30, 40, 50],
}


def counted(**columns: Any) -> FrequencyTable:
    schema = Schema(
        quasi=list(columns),
        hierarchies={
            name: spec
            for name, spec in {
                "school": SCHOOLS,
                "zip": "masking",
                "age": hierarchies.intervals(width=20, levels=[40]),
            }.items()
            if name in columns
        },
    )
    return pipeline.prepare(pa.table(columns), schema, [KAnonymity(1)], random_state=0).counts


def by_levels(counts: FrequencyTable, **levels: int) -> Recoding:
    nodes = [counts.hierarchies[name].at_level[levels[name]] for name in counts.quasi]
    return recode_by_nodes("mine", counts, nodes, levels=levels)


def recoded(recoding: Recoding, **columns: Any) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in recoding.transform(pa.table(columns)).to_pylist()]


def test_rows_that_share_their_nodes_are_a_group() -> None:
    counts = counted(**ROWS)
    recoding = by_levels(counts, school=1, zip=2, age=2)
    assert recoding.sizes.sum() == 5
    assert recoded(recoding, **ROWS) == [
        ("Junior", "0**", "[0,40)"),
        ("Junior", "0**", "[0,40)"),
        ("Junior", "0**", "[0,40)"),
        ("Senior", "0**", "[40,80]"),
        (None, "0**", "[40,80]"),
    ]
    assert sorted(recoding.sizes.tolist()) == [1, 1, 3]


def test_an_unseen_value_goes_to_the_published_node_above_it() -> None:
    recoding = by_levels(counted(**ROWS), school=1, zip=1, age=1)
    new = recoded(
        recoding,
        school=["12th", "kindergarten", None],
        zip=["029", "999", "012"],
        age=[15, 1000, 39],
    )
    assert new == [("Senior", "02*", "[0,20)"), ("*", "*", "*"), (None, "01*", "[20,40)")]


def test_a_value_below_no_published_node_is_suppressed() -> None:
    """12th is in the taxonomy but not in the table: at the level of values nothing is published above it."""
    assert recoded(by_levels(counted(school=ROWS["school"]), school=0), school=["12th", "11th"]) == [("*",), ("11th",)]


def test_untouched_numbers_stay_numbers() -> None:
    assert recoded(by_levels(counted(age=[10, 20]), age=0), age=[20, 10]) == [(20,), (10,)]


def test_a_missing_value_that_was_not_known_is_suppressed() -> None:
    assert recoded(by_levels(counted(zip=["011", "012"]), zip=1), zip=[None, "011"]) == [("*",), ("01*",)]


def test_lost_tuples_are_not_published_and_neither_are_their_nodes() -> None:
    counts = counted(school=["9th", "9th", "12th"])
    nodes = [counts.hierarchies["school"].at_level[1]]
    lost = np.array([counts.domains["school"].labels[code] == "12th" for code in counts.tuples[:, 0]])
    recoding = recode_by_nodes("mine", counts, nodes, lost=lost)
    assert recoding.lost == 1
    assert recoding.columns[0].texts == ("Junior",)
    assert recoded(recoding, school=["9th", "12th"]) == [("Junior",), ("*",)]


@pytest.mark.parametrize("public", [False, True])
def test_saved_recodings(public: bool, tmp_path: Path) -> None:
    recoding = by_levels(counted(**ROWS), school=1, zip=1, age=1)
    loaded = Recoding.load(recoding.save(tmp_path / "recoding.json", public=public))
    assert loaded.levels == {"school": 1, "zip": 1, "age": 1}
    if public:
        assert loaded.router is None
    else:
        new = {"school": ["12th", None], "zip": ["021", "012"], "age": [15, 39]}
        assert recoded(loaded, **new) == recoded(recoding, **new)
