"""Requirements in a manifest come back as they were, but for what names values."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hedgerow import AlphaK, BadInput, KAnonymity, LDiversity, PSensitive, TCloseness
from hedgerow.requirements import Requirement, restored, stored, withheld

AWKWARD = "hours,per:week@home"
REQUIREMENTS: list[Requirement] = [
    KAnonymity(10),
    KAnonymity(4, shield=[AWKWARD, "sex"]),
    LDiversity(3, AWKWARD),
    LDiversity(2.5, "disease", kind="entropy", shield=["sex"]),
    LDiversity(3, "disease", kind="recursive", c=2),
    TCloseness(0.2, AWKWARD),
    TCloseness(0.2, "wage", distance="ordered", shield=["sex"]),
    TCloseness(0.2, "disease", distance="hierarchical"),
    PSensitive(2, 5, "disease"),
    AlphaK(0.5, 3, "disease"),
]


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_they_come_back(requirement: Requirement) -> None:
    told = json.loads(json.dumps(stored(requirement)))
    assert restored(told) == requirement
    assert withheld(told) == ()


@pytest.mark.parametrize(
    ("requirement", "kept"),
    [
        (AlphaK(0.5, 3, "disease", value="Zebulon"), {"value": None}),
        (TCloseness(0.2, "wage", distance="ordered", order=["Zebulon", "b"]), {"order": None}),
        (TCloseness(0.2, "wage", distance="hierarchical", tree={"any": ["Zebulon"]}), {"tree": None}),
    ],
    ids=["value", "order", "tree"],
)
def test_what_names_values_is_withheld(requirement: Any, kept: dict[str, None]) -> None:
    told = stored(requirement)
    assert "Zebulon" not in json.dumps(told)
    assert withheld(told) == tuple(kept)
    assert restored(told) == replace(requirement, **kept)


def test_an_unknown_kind() -> None:
    with pytest.raises(BadInput, match="There is no requirement 'z'"):
        restored({"requirement": "z", "z": 3})


def test_every_kind_is_tried() -> None:
    assert {type(one) for one in REQUIREMENTS} == set(Requirement.kinds.values())
