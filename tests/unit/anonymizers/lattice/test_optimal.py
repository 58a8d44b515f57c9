"""The optimal generalization of small tables."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from hedgerow import KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.lattice import optimal as module
from hedgerow.anonymizers.lattice.optimal import OptimalLattice
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput, Infeasible
from hedgerow.release import pipeline

TOWNS = {"*": {"north": ["A", "B"], "south": ["C", "D"]}}
PEOPLE = pa.table(
    {
        "town": ["A", "A", "B", "B", "C", "C", "D", "D"],
        "sex": ["f", "m", "f", "m", "f", "m", "f", "m"],
        "ill": ["flu", "cold", "flu", "cold", "flu", "cold", "cold", "flu"],
    }
)


def fitted(*requirements: Any, people: pa.Table = PEOPLE, **parameters: Any) -> Recoding:
    schema = Schema(quasi=["town", "sex"], sensitive=["ill"], hierarchies={"town": TOWNS})
    counts = pipeline.prepare(people, schema, [KAnonymity(1)], random_state=0).counts
    return OptimalLattice(**parameters).fit_counts(counts, requirements)


def test_the_metric_decides() -> None:
    """Two together: towns become regions (loss 1/2 of 1/4 leaves), or sex is hidden. Prec is 3/4 and 1/2."""
    assert fitted(KAnonymity(2)).levels == {"town": 1, "sex": 0}
    by_loss = fitted(KAnonymity(2)).facts
    assert (by_loss["metric"], by_loss["value"]) == ("loss", (2 / 4 + 1 / 2) / 2)
    by_prec = fitted(KAnonymity(2), metric="prec").facts
    assert by_prec["value"] == pytest.approx(1 - (1 / 2) / 2)


def test_ties_go_to_the_lowest_sum_of_levels_and_then_to_the_first() -> None:
    """Hiding sex or making regions halves the number of rows; the state first in order is taken."""
    assert fitted(KAnonymity(2), metric="row_ratio").levels == {"town": 0, "sex": 1}


def test_diversity() -> None:
    """Regions have both illnesses in the south only; with sex hidden every town has both."""
    assert fitted(LDiversity(2, "ill")).levels == {"town": 0, "sex": 1}


def test_lost_records_make_less_general_states_possible() -> None:
    people = pa.concat_tables([PEOPLE, PEOPLE.slice(0, 2)])
    recoding = fitted(KAnonymity(2), people=people, suppression_limit=0.6)
    assert (recoding.levels, recoding.lost) == ({"town": 1, "sex": 0}, 0)
    recoding = fitted(KAnonymity(2), people=pa.concat_tables([PEOPLE] * 3).slice(0, 22), suppression_limit=0.1)
    assert (recoding.levels, recoding.lost) == ({"town": 0, "sex": 0}, 0)
    recoding = fitted(KAnonymity(3), people=pa.concat_tables([PEOPLE] * 3).slice(0, 23), suppression_limit=0.1)
    assert (recoding.levels, recoding.lost) == ({"town": 0, "sex": 0}, 2)


def test_divergence_can_fall_again() -> None:
    """A group that is written as suppressed covers everything, so that the root above it says more of its sizes.

    In nats: 5 log 5/2 + 20 log 20/4 is less than 25 log 25/4.
    """
    ages = {"all": {"young": ["20", "25"], "*": ["31", "40"]}}
    people = pa.table({"age": [20] * 2 + [25] * 3 + [31] * 3 + [40] * 17})
    schema = Schema(quasi=["age"], hierarchies={"age": ages})
    prepared = pipeline.prepare(people, schema, [KAnonymity(5)], random_state=0)
    assert OptimalLattice(metric="kl").fit_counts(prepared.counts, prepared.requirements).levels == {"age": 2}
    assert OptimalLattice(metric="discernibility").fit_counts(prepared.counts, prepared.requirements).levels == {
        "age": 1
    }


def test_facts_and_levels() -> None:
    facts = fitted(KAnonymity(2)).facts
    assert (facts["proved"], facts["nodes"]) == (True, 6)
    assert facts["evaluated"] + facts["tagged"] == 6


def test_a_time_limit_is_kept_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any time the answer is Datafly's, which hides town (four values) before sex (two)."""
    recoding = fitted(KAnonymity(4), time_limit=0)
    assert not recoding.facts["proved"]
    assert recoding.levels == {"town": 2, "sex": 0}
    assert "there may be a better one" in recoding.warnings[0]
    assert fitted(KAnonymity(4), time_limit=60).facts["proved"]
    assert fitted(KAnonymity(4), time_limit=60).warnings == ()
    # A lattice that may not be listed is searched from the top down.
    monkeypatch.setattr(module, "MOST_STATES", 5)
    assert not fitted(KAnonymity(4), time_limit=0).facts["proved"]
    searched = fitted(KAnonymity(2), time_limit=60)
    assert (searched.levels, searched.facts["proved"]) == ({"town": 1, "sex": 0}, True)


def test_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_STATES", 5)
    with pytest.raises(BadInput, match=r"2 quasi-identifiers have 6 combinations .* more than the 5 .* time_limit"):
        fitted(KAnonymity(2))


def test_infeasible() -> None:
    with pytest.raises(Infeasible, match="9-anonymity"):
        fitted(KAnonymity(9))
    with pytest.raises(Infeasible, match="9-anonymity"):
        fitted(KAnonymity(9), time_limit=10)


def test_wrong_metric() -> None:
    with pytest.raises(BadInput, match="'metric' parameter of OptimalLattice must be 'prec', "):
        fitted(KAnonymity(2), metric="lose")
    with pytest.raises(BadInput, match="needs a target"):
        fitted(KAnonymity(2), metric="classification")
