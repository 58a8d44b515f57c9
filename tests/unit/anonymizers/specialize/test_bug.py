"""Bottom-up generalization as a method."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from hedgerow import BadInput, KAnonymity, Schema
from hedgerow.anonymizers.specialize.bug import BUG
from hedgerow.core.counts import FrequencyTable
from hedgerow.release.pipeline import prepare

Counted = Callable[..., FrequencyTable]


def test_the_column_that_tells_nothing_is_generalized(counted: Counted) -> None:
    people = {"town": list("ABAB"), "sex": list("ffmm"), "class": list("xxyy")}
    recoding = BUG().fit_counts(counted(people), [KAnonymity(2)])
    assert [column.texts for column in recoding.columns] == [("*",), ("f", "m")]
    assert recoding.facts == {"generalizations": {"town": 1, "sex": 0}}
    new = recoding.transform(pa.table({"town": ["Z"], "sex": ["f"]}))
    assert new.to_pylist() == [{"town": "*", "sex": "f"}]


def test_what_holds_already_is_published_as_it_is(counted: Counted) -> None:
    recoding = BUG().fit_counts(counted({"age": [1, 1, 2, 2], "class": list("xyxy")}), [KAnonymity(2)])
    assert recoding.columns[0].unchanged


def test_numbers_climb_their_automatic_intervals(counted: Counted) -> None:
    counts = counted({"age": [1, 2, 3, 4, 5, 6, 7, 8], "class": list("xxxxyyyy")})
    recoding = BUG().fit_counts(counts, [KAnonymity(4)])
    assert recoding.columns[0].texts == ("[1,5)", "[5,8]")
    assert recoding.columns[0].nodes is not None


def test_a_missing_value_climbs_to_the_root(counted: Counted) -> None:
    towns = {"*": {"Germany": ["Bonn", "Köln"]}}
    people = {"town": ["Bonn", "Köln", None], "class": list("xxy")}
    assert BUG().fit_counts(counted(people, {"town": towns}), [KAnonymity(2)]).columns[0].texts == ("*",)
    assert set(BUG().fit_counts(counted(people, {"town": towns}), [KAnonymity(1)]).columns[0].texts) == {
        "Bonn",
        "Köln",
        None,
    }


def test_needs_a_target() -> None:
    requirements = [KAnonymity(1)]
    counts = prepare(pa.table({"a": ["x"]}), Schema(quasi=["a"]), requirements, random_state=0).counts
    with pytest.raises(BadInput, match=r"BUG .* needs a target"):
        BUG().fit_counts(counts, requirements)
