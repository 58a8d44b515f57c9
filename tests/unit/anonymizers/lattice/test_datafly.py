"""Datafly's climb."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from hedgerow import KAnonymity, Schema
from hedgerow.anonymizers.lattice.datafly import Datafly
from hedgerow.core.recoding import Recoding
from hedgerow.errors import Infeasible
from hedgerow.release import pipeline

TOWNS = {"*": {"north": ["A", "B", "C"], "south": ["D", "E", "F"]}}
PEOPLE = pa.table({"town": list("ABCDEF") * 2, "size": ["s", "m", "l"] * 4})


def fitted(*requirements: Any, people: pa.Table = PEOPLE, weights: Any = None, **parameters: Any) -> Recoding:
    schema = Schema(quasi=["town", "size"], hierarchies={"town": TOWNS}, weights=weights or {})
    counts = pipeline.prepare(people, schema, [KAnonymity(1)], random_state=0).counts
    return Datafly(**parameters).fit_counts(counts, requirements)


def test_the_column_with_most_values_is_generalized() -> None:
    """Six towns against three sizes, then two regions against three sizes, then the regions."""
    steps = [(2, (0, 0)), (3, (1, 1)), (7, (2, 1))]
    for at, (k, levels) in enumerate(steps):
        recoding = fitted(KAnonymity(k))
        assert recoding.levels == {"town": levels[0], "size": levels[1]}
        assert recoding.facts["evaluated"] == [1, 3, 4][at]


@pytest.mark.parametrize(
    ("weights", "k", "levels"),
    [
        # Six towns over 1.9 are more than three sizes, two regions are fewer.
        ({"town": 1.9}, 3, (1, 0)),
        ({"town": 1.9}, 6, (1, 1)),
        ({"town": 2.1}, 3, (0, 1)),
        ({"town": 2.1}, 6, (1, 1)),
        ({"town": 5, "size": 0}, 3, (0, 1)),
        ({"town": 0}, 6, (2, 0)),
    ],
)
def test_values_are_counted_over_the_weight(weights: dict[str, float], k: int, levels: tuple[int, int]) -> None:
    people = pa.table({"town": list("ABCDEF") * 3, "size": [size for size in "sml" for _ in range(6)]})
    recoding = fitted(KAnonymity(k), people=people, weights=weights)
    assert recoding.levels == {"town": levels[0], "size": levels[1]}


def test_the_few_that_remain_are_lost() -> None:
    people = pa.concat_tables([PEOPLE, pa.table({"town": ["A"], "size": ["m"]})])
    recoding = fitted(KAnonymity(2), people=people, suppression_limit=0.1)
    assert (recoding.levels, recoding.lost) == ({"town": 0, "size": 0}, 1)
    assert fitted(KAnonymity(2), people=people).levels == {"town": 1, "size": 0}


def test_columns_that_no_requirement_speaks_of_are_left() -> None:
    recoding = fitted(KAnonymity(6, shield=["size"]))
    assert recoding.levels == {"town": 0, "size": 1}


def test_infeasible() -> None:
    with pytest.raises(Infeasible, match="13-anonymity"):
        fitted(KAnonymity(13))
