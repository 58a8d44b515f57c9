"""The search by height."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from hedgerow import AlphaK, KAnonymity, Schema
from hedgerow.anonymizers.lattice import allmin as module
from hedgerow.anonymizers.lattice.allmin import AllMin
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput, Infeasible
from hedgerow.release import pipeline

TOWNS = {"*": {"north": ["A", "B"], "south": ["C", "D"]}}
PEOPLE = pa.table(
    {
        "town": ["A", "B", "C", "D"] * 2,
        "sex": ["f"] * 4 + ["m"] * 4,
        "ill": ["flu", "cold", "flu", "flu", "cold", "flu", "flu", "cold"],
    }
)
# Heights 0 to 3 have 1, 2, 2 and 1 states.


def fitted(*requirements: Any, people: pa.Table = PEOPLE, **parameters: Any) -> Recoding:
    schema = Schema(quasi=["town", "sex"], sensitive=["ill"], hierarchies={"town": TOWNS})
    counts = pipeline.prepare(people, schema, [KAnonymity(1)], random_state=0).counts
    return AllMin(**parameters).fit_counts(counts, requirements)


@pytest.mark.parametrize(
    ("k", "search", "heights", "states"),
    [
        (1, "binary", [1, 0], 3),
        (2, "binary", [1, 0], 3),
        (4, "binary", [1, 2], 4),
        (8, "binary", [1, 2, 3], 5),
        (1, "linear", [], 0),
        (2, "linear", [1], 2),
        (4, "linear", [1, 2], 4),
        (8, "linear", [1, 2, 3], 5),
    ],
)
def test_heights(k: int, search: str, heights: list[int], states: int) -> None:
    facts = fitted(KAnonymity(k), search=search).facts
    assert (facts["heights"], facts["states"]) == (heights, states)


def test_precision_decides_between_minimal_solutions() -> None:
    recoding = fitted(KAnonymity(2))
    assert recoding.facts["minimal"] == [{"town": 0, "sex": 1}, {"town": 1, "sex": 0}]
    assert recoding.levels == {"town": 1, "sex": 0}


def test_some_records_may_be_lost() -> None:
    people = pa.concat_tables([PEOPLE, PEOPLE.slice(0, 7)])
    recoding = fitted(KAnonymity(2), people=people, suppression_limit=0.07)
    assert (recoding.levels, recoding.lost) == ({"town": 0, "sex": 0}, 1)
    assert fitted(KAnonymity(2), people=people, suppression_limit=0.06).lost == 0


def test_heights_are_searched_upwards_where_nothing_follows_from_lower_ones() -> None:
    """Without losses (alpha, k) is monotone and the middle comes first."""
    requirement = AlphaK(0.8, 4, "ill")
    assert fitted(requirement).facts["heights"] == [1, 2]
    assert fitted(requirement, suppression_limit=0.2).facts["heights"] == [0, 1, 2]


def test_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_STATES", 5)
    with pytest.raises(BadInput, match=r"2 quasi-identifiers have 6 combinations .* more than the 5"):
        fitted(KAnonymity(2))


@pytest.mark.parametrize("search", ["binary", "linear"])
def test_infeasible(search: str) -> None:
    with pytest.raises(Infeasible, match="9-anonymity"):
        fitted(KAnonymity(9), search=search)
