"""What tree classifiers share."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError

from hedgerow.errors import BadInput
from hedgerow.learning import C45Classifier, GeneralizedID3Classifier, KADETClassifier
from hedgerow.learning._tree_classifier import TreeClassifier

SKY = pa.table({"sky": ["grey"] * 3 + ["blue"] * 4 + ["green"]})
RAIN = ["rain"] * 3 + ["dry"] * 4 + ["frogs"]

TREES: list[TreeClassifier[Any]] = [C45Classifier(), KADETClassifier(k=1), GeneralizedID3Classifier()]


@pytest.mark.parametrize("model", TREES, ids=lambda model: type(model).__name__)
def test_rows_of_weight_zero_are_left_out_with_their_classes(model: TreeClassifier[Any]) -> None:
    model.fit(SKY, RAIN, sample_weight=[1] * 7 + [0])
    assert model.classes_.tolist() == ["dry", "rain"]
    assert model.predict(SKY.slice(0, 4)).tolist() == ["rain"] * 3 + ["dry"]
    assert model.predict_proba(SKY.slice(0, 1)).tolist() == [[0.0, 1.0]]
    assert "green" not in model.export_text()


@pytest.mark.parametrize("model", TREES, ids=lambda model: type(model).__name__)
def test_the_size_of_the_tree_is_noted(model: TreeClassifier[Any]) -> None:
    model.fit(SKY, RAIN)
    assert (model.n_leaves_, model.tree_size_) == (3, 4)


@pytest.mark.parametrize("kind", [C45Classifier, KADETClassifier, GeneralizedID3Classifier])
def test_what_means_missing_is_a_list(kind: type[TreeClassifier[Any]]) -> None:
    with pytest.raises(BadInput, match="'missing'"):
        kind(missing="?").fit(SKY, RAIN)


@pytest.mark.parametrize("kind", [C45Classifier, KADETClassifier, GeneralizedID3Classifier])
def test_a_tree_must_be_grown_first(kind: type[TreeClassifier[Any]]) -> None:
    with pytest.raises(NotFittedError):
        kind().export_text()
    with pytest.raises(NotFittedError):
        kind().predict(SKY)


def test_a_subclass_says_what_its_tree_is_and_says() -> None:
    with pytest.raises(TypeError, match=r"abstract methods '?_answer'?, '?_check_parameters'?, '?_grown"):
        TreeClassifier()
