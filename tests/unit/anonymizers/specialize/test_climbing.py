"""The climb from the leaves on tables that can be solved by hand."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from hedgerow import Infeasible, KAnonymity, LDiversity
from hedgerow.anonymizers.specialize.bug import Climb, Generalization
from hedgerow.core.counts import FrequencyTable

Counted = Callable[..., FrequencyTable]

TOWNS = {"*": {"Germany": ["Bonn", "Köln", "Ulm"], "France": ["Lyon", "Nice"]}}


def labels(counts: FrequencyTable, climb: Climb) -> list[str | None]:
    return [counts.hierarchies[counts.quasi[step.column]].labels[step.node] for step in climb.steps]


def test_a_node_waits_for_its_children(counted: Counted) -> None:
    """Both countries before the root; Ulm, where nobody lives, is not waited for."""
    people = {"town": ["Bonn", "Köln", "Lyon", "Nice"], "class": list("xxyy")}
    counts = counted(people, {"town": TOWNS})
    climb = Climb(counts, [KAnonymity(2)], "class")
    climb.run()
    assert sorted(map(str, labels(counts, climb))) == ["France", "Germany"]
    assert all(step.info_loss == 0.0 for step in climb.steps)
    higher = Climb(counts, [KAnonymity(3)], "class")
    higher.run()
    assert labels(counts, higher)[-1] == "*"
    assert higher.steps[-1].info_loss == pytest.approx(1.0)
    assert higher.nodes[0].tolist() == [0, 0, 0, 0]


def test_gain_is_the_rise_of_the_smallest_class(counted: Counted) -> None:
    """One record in Bonn; with Köln it is three. France holds enough."""
    people = {"town": ["Bonn", "Köln", "Köln", "Lyon", "Lyon", "Nice", "Nice"], "class": list("xxxyyyy")}
    counts = counted(people, {"town": TOWNS})
    climb = Climb(counts, [KAnonymity(2)], "class")
    assert sorted((one.anonymity_gain, one.score) for one in climb.candidates()) == [(0.0, math.inf), (1.0, 0.0)]
    climb.run()
    assert labels(counts, climb) == ["Germany"]


def test_only_columns_of_a_violated_shield_are_generalized(counted: Counted) -> None:
    people = {"a": list("wxyz"), "b": list("ppqq"), "class": list("mmnn")}
    climb = Climb(counted(people), [KAnonymity(2, shield=["a"]), KAnonymity(2, shield=["b"])], "class")
    climb.run()
    assert [step.column for step in climb.steps] == [0]


def test_the_gain_is_a_mean_over_violated_requirements(counted: Counted) -> None:
    """With a in both shields its rise counts in each: from 1 to 4 and from 1 to 2."""
    people = {"a": list("wxyz"), "b": list("ppqq"), "class": list("mmnn")}
    both = [KAnonymity(2, shield=["a"]), KAnonymity(2)]
    found = {one.column: one for one in Climb(counted(people), both, "class").candidates()}
    assert found[0].anonymity_gain == ((4 - 1) + (2 - 1)) / 2
    assert found[1].anonymity_gain == 0.0


def test_nothing_to_do(counted: Counted) -> None:
    climb = Climb(counted({"a": list("xxyy"), "class": list("mmnn")}), [KAnonymity(2)], "class")
    climb.run()
    assert climb.steps == []


def test_sensitive_values_are_counted_in_classes(counted: Counted) -> None:
    """Classes are large enough; in one of them all have the same illness."""
    people = {"a": list("xxyy"), "ill": list("uuuv"), "class": list("mmnn")}
    counts = counted(people, sensitive=["ill"])
    climb = Climb(counts, [LDiversity(2, "ill")], "class")
    climb.run()
    assert labels(counts, climb) == ["*"]


def test_what_even_the_roots_do_not_meet_is_infeasible(counted: Counted) -> None:
    counts = counted({"a": list("xxyy"), "class": list("mmnn")})
    with pytest.raises(Infeasible, match="cannot meet 5-anonymity together"):
        Climb(counts, [KAnonymity(5)], "class").run()


def test_rank_prefers_gains_then_small_losses_then_the_order() -> None:
    gains = Generalization(3, 9, 0.5, 2.0)
    useless, worse = Generalization(1, 1, 0.1, 0.0), Generalization(0, 0, 0.2, 0.0)
    later = Generalization(1, 2, 0.1, 0.0)
    assert sorted([later, worse, useless, gains], key=lambda one: one.rank) == [gains, useless, later, worse]
    assert (gains.score, useless.score) == (0.25, math.inf)
