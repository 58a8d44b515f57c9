"""All solutions, subset by subset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from hedgerow import KAnonymity, Schema
from hedgerow.anonymizers.lattice import incognito as module
from hedgerow.anonymizers.lattice.incognito import Incognito
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput, Infeasible
from hedgerow.release import pipeline

TOWNS = {"*": {"north": ["A", "B"], "south": ["C", "D"]}}
PEOPLE = pa.table({"town": ["A", "B", "C", "D"] * 2, "sex": ["f"] * 4 + ["m"] * 4})


def fitted(*requirements: Any, people: pa.Table = PEOPLE, **parameters: Any) -> Recoding:
    schema = Schema(quasi=["town", "sex"], hierarchies={"town": TOWNS})
    counts = pipeline.prepare(people, schema, [KAnonymity(1)], random_state=0).counts
    return Incognito(**parameters).fit_counts(counts, requirements)


def test_all_solutions() -> None:
    """Two together: every state but the table as it is; the minimal ones are regions, or sex hidden."""
    facts = fitted(KAnonymity(2)).facts
    assert facts["solutions"] == 5
    assert facts["minimal"] == [{"town": 0, "sex": 1}, {"town": 1, "sex": 0}]
    assert (facts["nodes"], facts["value"]) == (6, 0.5)


def test_states_are_not_judged_if_a_part_is_refused() -> None:
    """Towns have two records, so for k = 3 regions are the first accepted and sex is accepted at once.

    Judged are town as it is and as region, sex as it is; then only (region, sex), refused with two records, and
    its two neighbours above, both accepted.
    """
    facts = fitted(KAnonymity(3)).facts
    assert facts["minimal"] == [{"town": 1, "sex": 1}, {"town": 2, "sex": 0}]
    assert facts["evaluated"] == 2 + 1 + 3


def test_the_metric_decides() -> None:
    assert fitted(KAnonymity(2)).levels == {"town": 1, "sex": 0}
    assert fitted(KAnonymity(2), metric="row_ratio").levels == {"town": 0, "sex": 1}


def test_divergence_can_fall_again() -> None:
    """A group that is written as suppressed covers everything, so that the root above it says more of its sizes.

    In nats: 5 log 5/2 + 20 log 20/4 is less than 25 log 25/4.
    """
    ages = {"all": {"young": ["20", "25"], "*": ["31", "40"]}}
    people = pa.table({"age": [20] * 2 + [25] * 3 + [31] * 3 + [40] * 17})
    schema = Schema(quasi=["age"], hierarchies={"age": ages})
    prepared = pipeline.prepare(people, schema, [KAnonymity(5)], random_state=0)
    assert Incognito(metric="kl").fit_counts(prepared.counts, prepared.requirements).levels == {"age": 2}
    assert Incognito(metric="discernibility").fit_counts(prepared.counts, prepared.requirements).levels == {"age": 1}


def test_infeasible() -> None:
    with pytest.raises(Infeasible, match="9-anonymity"):
        fitted(KAnonymity(9))


def test_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four levels of towns (left out is one) by three of sex."""
    monkeypatch.setattr(module, "MOST_PARTIAL_STATES", 11)
    with pytest.raises(BadInput, match=r"12 combinations .* more than the 11"):
        fitted(KAnonymity(2))


@dataclass(frozen=True)
class Capricious(KAnonymity):
    """A requirement that does not promise to be kept."""

    monotone: ClassVar[bool] = False


def test_requirements_must_be_monotone() -> None:
    with pytest.raises(BadInput, match="2-anonymity is not"):
        fitted(Capricious(2))
