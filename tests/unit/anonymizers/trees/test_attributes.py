"""Tables as codes of a tree's attributes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import BadInput
from hedgerow.anonymizers.trees.training import Attribute, encode_like, encode_training, with_missing
from hedgerow.io.domains import Domain
from hedgerow.io.frames import open_frame

PEOPLE = pa.table({"age": [40, None, 20], "sex": ["M", "F", "?"]})


def test_numbers_have_an_order_and_missing_values_the_code_minus_one() -> None:
    age, sex = encode_training(open_frame(PEOPLE), ("?",))
    assert (age.attribute.labels, age.codes.tolist()) == (("20", "40"), [1, -1, 0])
    assert (sex.attribute.labels, sex.codes.tolist()) == (("F", "M"), [1, 0, -1])
    assert age.attribute.numeric
    assert not sex.attribute.numeric


def test_another_table_has_the_codes_of_the_training_table() -> None:
    attributes = [column.attribute for column in encode_training(open_frame(PEOPLE), ("?",))]
    other = pa.table({"sex": ["F", "X", None], "age": [30, 50, None]})
    assert encode_like(attributes, open_frame(other), ("?",)).tolist() == [[1, 2, -1], [0, -1, -1]]


def test_tables_that_do_not_fit_are_refused() -> None:
    attributes = [column.attribute for column in encode_training(open_frame(PEOPLE), ("?",))]
    with pytest.raises(BadInput, match="lacks columns that the tree was trained with: 'sex'"):
        encode_like(attributes, open_frame(PEOPLE.drop(["sex"])), ())
    with pytest.raises(BadInput, match="'age' held numbers when the tree was trained"):
        encode_like(attributes, open_frame(PEOPLE.set_column(0, "age", [["a", "b", "c"]])), ())


def test_a_number_for_each_label() -> None:
    with pytest.raises(BadInput, match="one number for each label"):
        Attribute("age", ("20", "40"), np.array([20.0]))


def test_without_missing_values_codes_stay_as_they_are() -> None:
    codes = np.array([0, 1], dtype=np.int32)
    labels = np.array(["F"])
    assert with_missing(Domain("sex", "text", labels), codes) is codes
    assert with_missing(Domain("sex", "text", labels, has_missing=True), codes).tolist() == [0, -1]
