"""Presets: what they set, that given parameters win, and that unknown ones are refused."""

from __future__ import annotations

import inspect
import pickle
from typing import Any, ClassVar

import pyarrow as pa
import pytest
from sklearn.base import clone

import hedgerow as hr
from hedgerow import BadInput, KActus, Mondrian
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import Declared, Presets, flag, preset_in_words
from hedgerow.anonymizers.registry import METHODS
from hedgerow.errors import InternalError
from hedgerow.evaluation.cells import Treatment

PEOPLE = pa.table({"age": [20, 30, 40, 50, 60, 70], "town": list("aabbbb"), "ill": ["no", "no", *["yes"] * 4]})
SCHEMA = hr.Schema(quasi=["age", "town"], target="ill")


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_preset_sets_what_its_class_declares(method: type[Anonymizer]) -> None:
    for name, values in method.presets.items():
        made = method(preset=name)
        assert made.get_params(deep=False) == method(**values).get_params(deep=False)
        made._own_parameters()  # which refuses wrong values
        shown = preset_in_words(method)
        assert all(f"{parameter}=" in shown for parameter in values)
        assert shown.split(",")[0] in str(method.__doc__)


def test_our_own_method_has_no_preset_and_all_others_have_the_paper() -> None:
    assert {name: list(method.presets) for name, method in METHODS.items()} == {
        name: [] if name == "hedge" else ["paper"] for name in METHODS
    }


def test_given_parameters_win_even_if_they_are_the_defaults() -> None:
    made = KActus(preset="paper", numbers="median", suppression_limit=0.5)
    assert (made.numbers, made.suppression_limit, made.remainder) == ("median", 0.5, "lose")
    release = hr.anonymize(PEOPLE, SCHEMA, method="mondrian", preset="paper", k=2, order="auto")
    assert {name: release.facts["parameters"][name] for name in ("cut", "publish", "order")} == {
        "cut": "widest",
        "publish": "set",
        "order": "auto",
    }


def test_without_a_preset_nothing_is_set() -> None:
    assert repr(KActus(preset=None)) == repr(KActus()) == "KActus()"


@pytest.mark.parametrize("preset", ["papre", "", 3, True])
def test_unknown_presets_are_refused(preset: Any) -> None:
    told = f"The 'preset' parameter of KActus must be 'paper' or None. Got {preset!r} instead."
    for made in (
        lambda: KActus(preset=preset),
        lambda: hr.anonymize(PEOPLE, SCHEMA, method="kactus", preset=preset, k=2),
    ):
        with pytest.raises(BadInput) as refused:
            made()
        assert str(refused.value) == told
    with pytest.raises(BadInput, match="The 'preset' parameter of Hedge must be None"):
        hr.anonymize(PEOPLE, SCHEMA, method="hedge", preset="paper", k=2)


def test_a_preset_beside_an_estimator_is_refused() -> None:
    with pytest.raises(BadInput, match="Parameters are given beside Mondrian"):
        hr.anonymize(PEOPLE, SCHEMA, method=Mondrian(), preset="paper", k=2)


def test_only_what_a_preset_sets_is_kept() -> None:
    """So clones, pickles and stored results know the parameters themselves, and a preset cannot change under them."""
    made = KActus(preset="paper", k=3)
    assert "preset" not in made.get_params()
    assert "preset" not in inspect.signature(KActus).parameters
    assert repr(clone(made)) == repr(pickle.loads(pickle.dumps(made))) == repr(made)
    assert Treatment("kactus", made, 5).spelled()["parameters"] == dict(KActus.presets["paper"])


def test_a_preset_with_a_wrong_value_is_a_bug() -> None:
    for wrong in ({"sure": 3}, {"srue": True}):
        with pytest.raises(InternalError, match="the preset 'paper' of Wrong"):

            class Wrong(Declared):
                presets: ClassVar[Presets] = {"paper": wrong}
                sure: bool = flag("Whether it is sure.")
