"""What all learners share: checks of parameters, and what scikit-learn is told."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.utils import get_tags

from hedgerow.errors import BadInput
from hedgerow.learning import C45Classifier, OneClassEncoder
from hedgerow.learning._inputs import TableEstimator, generator_of, refuse_unknown_columns

SKY = pa.table({"sky": ["grey", "blue"]})


@pytest.mark.parametrize("kind", [C45Classifier, OneClassEncoder])
def test_scikit_learn_is_told_that_missing_values_and_categories_are_welcome(kind: type[TableEstimator]) -> None:
    tags = get_tags(kind()).input_tags
    assert tags.allow_nan
    assert tags.categorical


def test_a_wrong_parameter_is_named_with_its_owner() -> None:
    with pytest.raises(BadInput, match=r"The 'fractional' parameter of C45Classifier must be True or False. Got 2"):
        C45Classifier(fractional=2).fit(SKY, ["a", "b"])  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=r"The 'unknown' parameter of OneClassEncoder must be 'ancestor' or 'error'."):
        OneClassEncoder(unknown="no").fit(SKY)  # type: ignore[arg-type]


def test_parameters_are_fields_that_are_given_by_name() -> None:
    assert C45Classifier(min_objects=5).get_params()["min_objects"] == 5
    with pytest.raises(TypeError):
        C45Classifier(0.1)


def test_a_seed_is_a_number_a_generator_or_none() -> None:
    mine = np.random.default_rng(1)
    assert generator_of(mine, "redraw") is mine
    assert generator_of(1, "redraw").random() == np.random.default_rng(1).random()
    with pytest.raises(BadInput, match="'random_state' parameter of redraw"):
        generator_of(-1, "redraw")


def test_a_column_that_is_not_there_is_named_with_the_nearest() -> None:
    refuse_unknown_columns(["sky"], SKY.column_names)
    with pytest.raises(BadInput, match=r"There is no column 'sly'. Did you mean 'sky'. It is named as public."):
        refuse_unknown_columns(["sly"], SKY.column_names, "It is named as public.")
