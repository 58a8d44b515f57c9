"""HeuristicMin: what it publishes, what it says of it, and where it stops."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from hedgerow import KAnonymity, LDiversity, Schema, TCloseness
from hedgerow.anonymizers.lattice.heuristicmin import HeuristicMin
from hedgerow.release import pipeline
from hedgerow.release.pipeline import Prepared

TREE = {"*": {"ab": ["a", "b"], "cd": ["c", "d"]}}


def prepared(values: str, *requirements: Any, hierarchy: Any = TREE) -> Prepared:
    table = pa.table({"letter": list(values), "ill": ["flu", "cold"] * (len(values) // 2)})
    schema = Schema(quasi=["letter"], sensitive=["ill"], hierarchies={"letter": hierarchy})
    return pipeline.prepare(table, schema, requirements, random_state=0)


def letters(made: Prepared, **parameters: Any) -> tuple[list[str], Any]:
    recoding = HeuristicMin(**parameters).fit_counts(made.counts, made.requirements)
    return sorted(pipeline.finish(made, recoding, {}).table["letter"].to_pylist()), recoding


def test_only_what_violates_is_generalized() -> None:
    published, recoding = letters(prepared("abccdd", KAnonymity(2)))
    assert published == ["ab", "ab", "c", "c", "d", "d"]
    assert recoding.facts == {"states_generated": 1, "states_expanded": 1, "optimal": "among its states"}
    assert recoding.levels is None
    assert recoding.warnings == ()


def test_a_row_that_violates_may_be_lost() -> None:
    made = prepared("aaabccdd", KAnonymity(2))
    assert letters(made)[0] == ["ab"] * 4 + ["c", "c", "d", "d"]
    published, recoding = letters(made, suppression_limit=1, complete=True)
    assert published == ["a"] * 3 + ["c", "c", "d", "d"]
    assert (recoding.lost, recoding.levels) == (1, {"letter": 0})
    # A class may be lost instead of generalized, so that nothing is proved over all cuts.
    assert recoding.facts["optimal"] == "among its states"


def test_more_rows_may_be_kept_by_generalizing_on() -> None:
    """As it is only the d are kept, and three records are lost; with a and b at their parent two rows are."""
    made = prepared("abbddd", KAnonymity(3))
    published, recoding = letters(made, suppression_limit=3)
    assert (published, recoding.lost) == (["ab"] * 3 + ["d"] * 3, 0)


def test_closeness_is_judged_by_what_is_left() -> None:
    """Only the b is far from all. Where it is the only one with the flu, nothing is lost."""
    table = pa.table({"letter": list("aabccdd"), "ill": ["cold", "flu", "flu", "cold", "flu", "cold", "flu"]})
    schema = Schema(quasi=["letter"], sensitive=["ill"], hierarchies={"letter": TREE})
    made = pipeline.prepare(table, schema, [TCloseness(0.1, "ill")], random_state=0)
    published, recoding = letters(made, suppression_limit=1)
    assert (published, recoding.lost) == (list("aaccdd"), 1)
    vanishing = pa.table({"letter": list("aaaaaaab"), "ill": ["cold"] * 7 + ["flu"]})
    made = pipeline.prepare(vanishing, schema, [TCloseness(0.2, "ill")], random_state=0)
    published, recoding = letters(made, suppression_limit=1)
    assert (published, recoding.lost) == (["ab"] * 8, 0)


def test_levels_are_told_where_the_cut_is_one() -> None:
    published, recoding = letters(prepared("abcd", KAnonymity(2)))
    assert published == ["ab", "ab", "cd", "cd"]
    assert recoding.levels == {"letter": 1}


def test_a_satisfying_table_stays() -> None:
    published, recoding = letters(prepared("aabb", KAnonymity(2)))
    assert published == ["a", "a", "b", "b"]
    assert recoding.levels == {"letter": 0}
    assert recoding.facts["optimal"] == "proved over all cuts"


def test_diversity() -> None:
    published, _ = letters(prepared("acaccc", LDiversity(2, "ill")))
    assert published == ["*"] * 6


def test_complete_finds_the_cut_between_two_states() -> None:
    """a with b, and 3 with 4, is enough; by attribute, c goes up with a and b, or 1 with 3 and 4."""
    pairs = ["a1", "b1", "c3", "c4", "c1", "c1", "d1", "d1", "d2", "d2"]
    table = pa.table({"letter": [pair[0] for pair in pairs], "digit": [pair[1] for pair in pairs]})
    digits = {"*": {"low": ["1", "2"], "high": ["3", "4"]}}
    schema = Schema(quasi=["letter", "digit"], hierarchies={"letter": TREE, "digit": digits})
    made = pipeline.prepare(table, schema, [KAnonymity(2)], random_state=0)
    as_printed = HeuristicMin().fit_counts(made.counts, made.requirements)
    assert len(as_printed.groups) == 4
    assert as_printed.facts["optimal"] == "among its states"
    complete = HeuristicMin(complete=True).fit_counts(made.counts, made.requirements)
    rows = {tuple(row.values()) for row in pipeline.finish(made, complete, {}).table.to_pylist()}
    assert rows == {("ab", "1"), ("c", "high"), ("c", "1"), ("d", "1"), ("d", "2")}
    assert complete.facts["optimal"] == "proved over all cuts"


@pytest.mark.parametrize("limit", [{"max_states": 1}, {"time_limit": 0}])
def test_a_stopped_search_is_valid_and_says_so(limit: dict[str, Any]) -> None:
    made = prepared("abcdaabbccdd", KAnonymity(4))
    published, recoding = letters(made, **limit)
    assert published == ["ab"] * 6 + ["cd"] * 6
    made = prepared("abcdab", KAnonymity(3))
    published, recoding = letters(made, **limit)
    assert published == ["*"] * 6
    assert recoding.facts["optimal"].startswith("unproved: the ")
    assert ("number of states" in recoding.facts["optimal"]) is ("max_states" in limit)
    (warning,) = recoding.warnings
    assert ("time_limit" in warning) is ("time_limit" in limit)


def test_complete_is_not_proved_if_it_was_stopped() -> None:
    made = prepared("abcdab", KAnonymity(3))
    assert (
        HeuristicMin(complete=True, max_states=1).search(made.counts, made.requirements).optimal.startswith("unproved")
    )
    assert HeuristicMin(complete=True).search(made.counts, made.requirements).optimal == "proved over all cuts"


def test_unseen_values_go_to_the_published_node() -> None:
    _, recoding = letters(prepared("abccdd", KAnonymity(2)))
    assert recoding.transform(pa.table({"letter": ["a", "d", "z"]}))["letter"].to_pylist() == ["ab", "d", "*"]


def test_automatic_hierarchies() -> None:
    table = pa.table({"age": [20, 21, 30, 31, 40, 41, 50, 51]})
    made = pipeline.prepare(table, Schema(quasi=["age"]), [KAnonymity(2)], random_state=0)
    recoding = HeuristicMin().fit_counts(made.counts, made.requirements)
    assert pipeline.finish(made, recoding, {}).audit.k == 2
