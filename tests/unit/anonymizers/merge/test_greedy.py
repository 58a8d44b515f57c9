"""Greedy merging on tables small enough to solve by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa

from hedgerow import KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.merge.greedy import Greedy
from hedgerow.release import pipeline

TOWNS = {"*": {"north": ["A", "B"], "south": ["C", "D"]}}
Rows = Counter[tuple[Any, ...]]


def released(table: dict[str, list[Any]], *requirements: Any, weights: Any = None, **parameters: Any) -> Rows:
    """The published rows, without the illness, and how often each occurs."""
    quasi = [name for name in table if name != "ill"]
    hierarchies = {"town": TOWNS} if "town" in table else {}
    sensitive = ["ill"] if "ill" in table else []
    schema = Schema(quasi=quasi, sensitive=sensitive, hierarchies=hierarchies, weights=weights or {})
    job = pipeline.prepare(pa.table(table), schema, requirements, random_state=0)
    rows = pipeline.finish(job, Greedy(**parameters).fit_counts(job.counts, job.requirements), {}).table.to_pylist()
    return Counter(tuple(row[name] for name in quasi) for row in rows)


def test_neighbours_are_merged_first() -> None:
    assert released({"town": list("ABCD")}, KAnonymity(2)) == {("north",): 2, ("south",): 2}


def test_finished_classes_stay_as_they_are() -> None:
    """D has enough; C alone joins it for a third of the hierarchy rather than another for all of it."""
    assert released({"town": list("AABBDD")}, KAnonymity(2)) == {("A",): 2, ("B",): 2, ("D",): 2}
    assert released({"town": list("AABBCDD")}, KAnonymity(2)) == {("A",): 2, ("B",): 2, ("south",): 3}


def test_the_smallest_class_is_served_first() -> None:
    """B, alone, takes the two of A; what is then left of the north complies, and C with its two must go to D's four."""
    assert released({"town": list("AABCCDDDD")}, KAnonymity(3)) == {("north",): 3, ("south",): 6}


def test_the_increase_counts_and_not_the_loss_of_the_merged_class() -> None:
    """A record in a region loses a third, one without its sex 1; but how many there are counts as well."""
    table = {"town": list("CCCCCCD"), "sex": list("MMMMMFF")}
    # Hiding the town of two costs two thirds; the sex of six, 6.
    assert released(table, KAnonymity(2)) == {("C", "M"): 5, ("south", "F"): 2}
    crowd = {"town": ["C"] * 5 + ["C"] + ["D"] * 20, "sex": ["M"] * 5 + ["F"] + ["F"] * 20}
    # Hiding the sex of six costs 6; the town of 21, a third each, costs 7.
    assert released(crowd, KAnonymity(2)) == {("C", "{F|M}"): 6, ("D", "F"): 20}


def test_ties_go_to_the_first_in_the_order_of_values() -> None:
    """Ages 10 and 30 are equally far from 20, with equal records."""
    table = {"age": [20, 10, 10, 30, 30]}
    assert released(table, KAnonymity(2), metric="ncp", publish="interval") == {("[10,21)",): 3, ("30",): 2}


def test_the_heavier_column_is_kept() -> None:
    table = {"town": list("AABB"), "sex": list("FMFM")}
    assert released(table, KAnonymity(2), weights={"town": 4}) == {("A", "{F|M}"): 2, ("B", "{F|M}"): 2}
    # A region loses a third of what hiding the sex does.
    assert released(table, KAnonymity(2), weights={"sex": 4}) == {("north", "F"): 2, ("north", "M"): 2}


def test_a_number_beside_a_missing_one_loses_what_its_column_weighs() -> None:
    """Age 8 and the missing one lose half a cell each, 1; with the two of age 4 and another letter it would be 1.3."""
    table: dict[str, list[Any]] = {"age": [0, 0, *[4] * 14, 8, None], "letter": list("bbccddeeffgghhiiaa")}
    found = released(table, KAnonymity(2), weights={"age": 0.5, "letter": 1.5}, metric="ncp", publish="interval")
    assert sum(number for row, number in found.items() if row[1] == "a") == 2
    assert len(found) == 9


def test_discernibility_looks_at_sizes_alone() -> None:
    """A joins the smallest class, not its neighbour."""
    table = {"town": list("ABBBBCC")}
    assert released(table, KAnonymity(2)) == {("north",): 5, ("C",): 2}
    assert released(table, KAnonymity(2), metric="discernibility") == {("*",): 3, ("B",): 4}


def test_classes_described_alike_are_one() -> None:
    """Two sexes and two towns meet in (north, F or M) twice: the second time, what was there already is taken in."""
    table = {"town": list("AABB"), "sex": list("FMFM")}
    assert released(table, KAnonymity(3)) == {("north", "{F|M}"): 4}


def test_ranges_and_sets_are_published() -> None:
    table: dict[str, list[Any]] = {"age": [20, 21, 40, 41], "town": list("ABCD")}
    assert released(table, KAnonymity(2), metric="ncp", publish="interval") == {
        ("[20,22)", "{A|B}"): 2,
        ("[40,41]", "{C|D}"): 2,
    }


def test_ranges_and_sets_lose_by_ncp_whatever_the_metric_of_labels() -> None:
    table: dict[str, list[Any]] = {"age": [20, 21, 40, 41], "town": ["A", "A", "B", "B"]}
    for metric in ("nllm", "prec", "distortion"):
        assert released(table, KAnonymity(2), metric=metric, publish="interval") == {
            ("[20,22)", "A"): 2,
            ("[40,41]", "B"): 2,
        }


def test_by_default_a_given_hierarchy_is_shown_and_everything_else_as_ranges_and_sets() -> None:
    table: dict[str, list[Any]] = {"age": [20, 21, 40, 41], "town": list("ABCD"), "sex": list("FMFM")}
    assert released(table, KAnonymity(2)) == {("[20,22)", "north", "{F|M}"): 2, ("[40,41]", "south", "{F|M}"): 2}


def test_all_requirements_decide_when_a_class_is_finished() -> None:
    table = {"town": list("AABBCC"), "ill": ["flu", "flu", "cold", "cold", "flu", "cold"]}
    assert released(table, KAnonymity(2)) == {("A",): 2, ("B",): 2, ("C",): 2}
    assert released(table, KAnonymity(2), LDiversity(2, "ill")) == {("north",): 4, ("C",): 2}


def test_a_missing_value_is_merged_below_the_root_only() -> None:
    assert released({"town": ["A", "B", None, None]}, KAnonymity(2)) == {("north",): 2, (None,): 2}
    assert released({"town": ["A", "B", None]}, KAnonymity(2)) == {("*",): 3}


def test_improvement_moves_what_was_merged_too_early() -> None:
    """Ages 1 to 6 make pairs and 20 joins the last of them; 5 is then better off with 3 and 4."""
    table = {"age": [1, 2, 3, 4, 5, 6, 20]}
    plain = released(table, KAnonymity(2), metric="ncp", publish="interval")
    better = released(table, KAnonymity(2), metric="ncp", publish="interval", improve=True)
    assert plain == {("[1,3)",): 2, ("[3,5)",): 2, ("[5,20]",): 3}
    assert better == {("[1,3)",): 2, ("[3,6)",): 3, ("[6,20]",): 2}
