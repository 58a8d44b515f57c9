"""Top-down refinement as a method."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from hedgerow import BadInput, KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.specialize.tdr import TDR
from hedgerow.anonymizers.specialize.tds import TDS
from hedgerow.core.counts import FrequencyTable
from hedgerow.release.pipeline import prepare

Counted = Callable[..., FrequencyTable]


def test_rare_values_do_not_stop_frequent_ones(counted: Counted) -> None:
    """TDS would have to publish all values at once, of which one is held by one record."""
    people = {"town": list("AAABBBC"), "class": list("xxxyyyz")}
    counts = counted(people)
    assert TDS().fit_counts(counts, [KAnonymity(3)]).columns[0].texts == ("*",)
    # Of A and B, which gain alike, the first is disclosed; then B, with C left alone, is not.
    assert set(TDR().fit_counts(counts, [KAnonymity(3)]).columns[0].texts) == {"*", "A"}


def test_the_rest_has_to_hold_too(counted: Counted) -> None:
    """Disclosing A would leave one record behind ``*``."""
    people = {"town": list("AAAAB"), "class": list("xxxxy")}
    assert TDR().fit_counts(counted(people), [KAnonymity(2)]).columns[0].texts == ("*",)
    assert TDR().fit_counts(counted(people), [KAnonymity(1)]).facts["specializations"] == {"town": 1}


def test_diversity_of_what_is_disclosed_and_of_the_rest(counted: Counted) -> None:
    """A has one illness; B has two, but without it the rest has one."""
    people = {"town": list("AABBCC"), "ill": list("uuuvuu"), "class": list("xxyyzz")}
    counts = counted(people, sensitive=["ill"])
    assert TDR().fit_counts(counts, [LDiversity(2, "ill")]).columns[0].texts == ("*",)
    other = counted({**people, "ill": list("uuuvuv")}, sensitive=["ill"])
    assert set(TDR().fit_counts(other, [LDiversity(2, "ill")]).columns[0].texts) in ({"*", "B"}, {"*", "C"})


def test_only_the_value_with_the_highest_gain_is_tried_and_its_refusal_closes_the_column(counted: Counted) -> None:
    """C tells most (0.45 bits; A 0.28) but has two records, so the authors' program leaves the column hidden."""
    people = {"town": list("AAAABBBBCC"), "class": list("yyyyyyyxxx")}
    counts = counted(people)
    assert TDR(disclose="highest").fit_counts(counts, [KAnonymity(3)]).columns[0].texts == ("*",)
    assert set(TDR().fit_counts(counts, [KAnonymity(3)]).columns[0].texts) == {"*", "A"}
    for disclose in ("any", "highest"):
        recoding = TDR(disclose=disclose).fit_counts(counts, [KAnonymity(2)])
        assert "C" in recoding.columns[0].texts, "of enough records, it is disclosed first by both"


def test_the_highest_gain_is_that_of_what_is_still_hidden(counted: Counted) -> None:
    """After A is disclosed, B tells all about C and D, which one record less than k holds together."""
    people = {"town": list("AAAABBBCCDD"), "class": list("xxxxyyyzzzz")}
    steps = TDR(disclose="highest").fit_counts(counted(people), [KAnonymity(3)]).facts["specializations"]
    assert steps == TDR().fit_counts(counted(people), [KAnonymity(3)]).facts["specializations"] == {"town": 2}


def test_a_refusal_closes_its_column_for_good_and_no_other(counted: Counted) -> None:
    people = {
        "town": list("AAAABBBBCC"),
        "sex": list("fmfmfmfmfm"),
        "class": list("yyyyyyyxxx"),
    }
    towns = {"any": {"north": ["A"], "south": ["B", "C"]}}
    with_taxonomy = counted(people, {"town": towns})
    assert TDR(disclose="highest").fit_counts(with_taxonomy, [KAnonymity(3)]).facts["specializations"]["town"] == 1
    closed = TDR(disclose="highest").fit_counts(counted(people), [KAnonymity(3)])
    assert closed.facts["specializations"] == {"town": 0, "sex": 1}


def test_a_missing_value_is_hidden_and_disclosed_like_others(counted: Counted) -> None:
    people = {"town": ["A", "B", None, None], "class": list("xxyy")}
    recoding = TDR().fit_counts(counted(people), [KAnonymity(2)])
    assert set(recoding.columns[0].texts) == {"*", None}
    assert recoding.transform(pa.table({"town": ["A", None]}))["town"].to_pylist() == ["*", None]


def test_taxonomies_are_gone_down_as_in_tds(counted: Counted) -> None:
    towns = {"*": {"Germany": ["Bonn", "Köln"], "France": ["Lyon"]}}
    people = {"town": ["Bonn", "Köln", "Lyon", "Lyon"], "class": list("xxyy")}
    counts = counted(people, {"town": towns})
    assert set(TDR().fit_counts(counts, [KAnonymity(2)]).columns[0].texts) == {"Germany", "France"}


def test_needs_a_target() -> None:
    requirements = [KAnonymity(1)]
    counts = prepare(pa.table({"a": ["x"]}), Schema(quasi=["a"]), requirements, random_state=0).counts
    with pytest.raises(BadInput, match=r"TDR .* needs a target"):
        TDR().fit_counts(counts, requirements)
