"""Presets of encoders and trees."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from sklearn.base import clone

from hedgerow import BadInput
from hedgerow.learning import (
    C45Classifier,
    FillChildEncoder,
    FillParentEncoder,
    GeneralizedID3Classifier,
    KADETClassifier,
    OneClassEncoder,
    ProportionalEncoder,
)

ENCODERS = (FillChildEncoder, FillParentEncoder, OneClassEncoder, ProportionalEncoder)
TREES = (C45Classifier, GeneralizedID3Classifier, KADETClassifier)


@pytest.mark.parametrize("kind", [*ENCODERS, *TREES])
def test_a_preset_sets_what_its_class_declares(kind: Any) -> None:
    values = kind.presets["paper"]
    made = kind(preset="paper")
    assert made.get_params() == {**kind().get_params(), **values}
    assert repr(clone(made)) == repr(made)
    assert "preset" not in made.get_params()
    assert "preset" not in inspect.signature(kind).parameters
    assert 'preset : {"paper"}' in kind.__doc__
    assert "{preset}" not in kind.__doc__
    for name, value in values.items():
        assert f'{name}="{value}"' in " ".join(kind.__doc__.split())
        default = getattr(kind(), name)
        assert default != value
        assert getattr(kind(preset="paper", **{name: default}), name) == default, "what is given wins"
    with pytest.raises(
        BadInput, match=f"The 'preset' parameter of {kind.__name__} must be 'paper' or None. Got 'papre'"
    ):
        kind(preset="papre")


def test_encoders_then_have_a_feature_for_each_number_and_id3_leaves_numbers_out() -> None:
    assert all(kind(preset="paper").numbers == "nodes" for kind in ENCODERS)
    assert GeneralizedID3Classifier(preset="paper").numbers == "ignore"
