"""Requirements refuse wrong parameters with one sentence, and declare what searches rely on."""

from __future__ import annotations

import subprocess
import sys
from functools import partial as typed_partial
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import BadInput
from hedgerow.requirements import AlphaK, KAnonymity, LDiversity, PSensitive, Requirement, TCloseness

# Wrong types are the point here, so mypy must not look into the calls.
partial: Any = typed_partial
DEEP: dict[str, Any] = {"flu": ["asthma"]}
for _ in range(5_000):
    DEEP = {"any": DEEP}
DISEASES = {"any": {"lung": ["asthma", "flu"], "stomach": ["ulcer"]}}


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (partial(TCloseness, 0.2, "ill", distance="hierarchical", tree=DEEP), "has more than 200 levels"),
        (partial(KAnonymity, 0), "The 'k' parameter of KAnonymity must be an int >= 1. Got 0 instead."),
        (partial(KAnonymity, True), "'k' parameter of KAnonymity must be an int >= 1. Got True"),
        (partial(KAnonymity, 2.0), "'k' parameter of KAnonymity must be an int >= 1. Got 2.0"),
        (
            partial(KAnonymity, 2, shield="sex"),
            "'shield' parameter of KAnonymity must be a list of column names",
        ),
        (partial(KAnonymity, 2, shield=[]), "'shield' parameter of KAnonymity must be a list of different"),
        (partial(KAnonymity, 2, shield=["sex", "sex"]), "a list of different column names"),
        (partial(KAnonymity, 2, shield=[3]), "a list of different column names"),
        (partial(LDiversity, 0, "ill"), "'l' parameter of LDiversity must be an int >= 1. Got 0"),
        (partial(LDiversity, 2.5, "ill"), "'l' parameter of LDiversity must be an int >= 1. Got 2.5"),
        (
            partial(LDiversity, 0.5, "ill", kind="entropy"),
            "'l' parameter of LDiversity must be a number >= 1",
        ),
        (partial(LDiversity, 2, ""), "'column' parameter of LDiversity must be a column name"),
        (partial(LDiversity, 2, "ill", kind="other"), "'distinct', 'entropy' or 'recursive'. Got 'other'"),
        (partial(LDiversity, 2, "ill", kind="recursive"), "'c' parameter of LDiversity must be a number > 0"),
        (
            partial(LDiversity, 2, "ill", kind="recursive", c=0),
            "'c' parameter of LDiversity must be a number > 0",
        ),
        (partial(LDiversity, 2, "ill", c=2), "'c' parameter of LDiversity must be None"),
        (
            partial(TCloseness, 1.1, "ill"),
            "'t' parameter of TCloseness must be a number from 0 to 1. Got 1.1",
        ),
        (
            partial(TCloseness, float("nan"), "ill"),
            "'t' parameter of TCloseness must be a number from 0 to 1",
        ),
        (partial(TCloseness, "0.2", "ill"), "'t' parameter of TCloseness must be a number from 0 to 1"),
        (partial(TCloseness, 0.2, "ill", "far"), "'equal', 'ordered' or 'hierarchical'. Got 'far'"),
        (partial(TCloseness, 0.2, "ill", tree=DISEASES), "A tree is given to TCloseness"),
        (
            partial(TCloseness, 0.2, "ill", "hierarchical", tree=["flu"]),
            "must be a nested mapping. Got 'list'",
        ),
        (partial(TCloseness, 0.2, "ill", "hierarchical", tree={}), "must be a nested mapping"),
        (
            partial(TCloseness, 0.2, "ill", "hierarchical", tree={"a": "x"}),
            "lists of values. Got 'str'",
        ),
        (
            partial(TCloseness, 0.2, "ill", "hierarchical", tree={"a": ["x"], "b": ["x"]}),
            "names a value twice",
        ),
        (partial(TCloseness, 0.2, "ill", order=["a"]), "An order is given to TCloseness"),
        (partial(TCloseness, 0.2, "ill", "ordered", order="abc"), "must be a list of values. Got 'str'"),
        (partial(TCloseness, 0.2, "ill", "ordered", order=["a", "a"]), "names a value twice"),
        (partial(PSensitive, 0, 5, "ill"), "'p' parameter of PSensitive must be an int >= 1"),
        (partial(PSensitive, 2, 0, "ill"), "'k' parameter of PSensitive must be an int >= 1"),
        (
            partial(PSensitive, 6, 5, "ill"),
            "'p' parameter of PSensitive must be at most k, which is 5. Got 6",
        ),
        (partial(AlphaK, 0, 3, "ill"), "'alpha' parameter of AlphaK must be a number > 0 and <= 1. Got 0"),
        (partial(AlphaK, 1.5, 3, "ill"), "'alpha' parameter of AlphaK must be a number > 0 and <= 1"),
        (partial(AlphaK, 0.5, 3, "ill", value=["flu"]), "'value' parameter of AlphaK must be text, a number"),
    ],
)
def test_a_wrong_parameter_is_named(build: Any, sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        build()
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("requirement", "name", "text", "least"),
    [
        (KAnonymity(4), "k-anonymity", "4-anonymity", 4),
        (KAnonymity(4, shield=["education", "sex"]), "k-anonymity", "4-anonymity of education, sex", 4),
        (LDiversity(3, "ill"), "l-diversity", "3-diversity of ill", 3),
        (LDiversity(2.5, "ill", "entropy"), "l-diversity", "entropy 2.5-diversity of ill", 3),
        (LDiversity(3, "ill", "recursive", c=2), "l-diversity", "recursive (2, 3)-diversity of ill", 3),
        (LDiversity(3, "ill", shield=["sex"]), "l-diversity", "3-diversity of ill within sex", 3),
        (TCloseness(0.2, "ill"), "t-closeness", "0.2-closeness of ill", 1),
        (TCloseness(0.2, "ill", "ordered"), "t-closeness", "0.2-closeness (ordered) of ill", 1),
        (PSensitive(2, 5, "ill"), "p-sensitive", "2-sensitive 5-anonymity of ill", 5),
        (AlphaK(0.5, 1, "ill"), "alpha-k", "(0.5, 1)-anonymity of ill", 2),
        (AlphaK(0.5, 3, "ill", value="flu"), "alpha-k", "(0.5, 3)-anonymity of one value of ill", 3),
    ],
)
def test_what_a_requirement_declares(requirement: Requirement, name: str, text: str, least: int) -> None:
    assert requirement.name == name
    assert str(requirement) == text
    assert requirement.minimal_size == least
    assert requirement.monotone


@pytest.mark.parametrize(
    ("c", "least"),
    [(0.5, 2 + 3), (1, 2 + 2), (1.1, 2 + 1), (0.25, 2 + 5), (3, 2 + 1), (0.1, 2 + 11)],
)
def test_the_smallest_recursive_class_outweighs_one_record(c: float, least: int) -> None:
    """l = 3: two records on top, and so many below that 1 < c times their number."""
    assert LDiversity(3, "ill", "recursive", c=c).minimal_size == least


@pytest.mark.parametrize(("alpha", "least"), [(1, 1), (0.5, 2), (0.4, 3), (1 / 3, 3), (0.1, 10), (0.07, 15)])
def test_the_smallest_class_whose_shares_are_small_enough(alpha: float, least: int) -> None:
    assert AlphaK(alpha, 1, "ill").minimal_size == least
    assert AlphaK(alpha, 1, "ill", value="flu").minimal_size == 1


def test_integers_of_numpy_are_taken_as_they_are_meant() -> None:
    assert KAnonymity(np.int64(3)) == KAnonymity(3)  # type: ignore[arg-type]  # what a sweep over an array passes
    assert type(KAnonymity(np.int64(3)).k) is int  # type: ignore[arg-type]  # as above
    assert AlphaK(0.5, 2, "n", value=39.0).value == "39"


def test_requirements_are_values() -> None:
    assert KAnonymity(3, shield=["sex"]) == KAnonymity(3, shield=("sex",))
    assert KAnonymity(3) != KAnonymity(3, shield=["sex"])
    assert len({TCloseness(0.2, "ill", "hierarchical", tree=DISEASES), TCloseness(0.2, "ill", "hierarchical")}) == 2


def test_the_import_leaves_numba_alone() -> None:
    code = "import sys, hedgerow.requirements; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
