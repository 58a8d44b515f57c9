"""Which split a node takes."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.anonymizers.trees._growth import grown, whole_table
from hedgerow.anonymizers.trees._kernels import Rules
from hedgerow.anonymizers.trees.training import Attribute, CodedColumn

LABELS = np.array([0, 0, 0, 0, 1, 1, 1, 1])
NAMES = CodedColumn(Attribute("name", tuple("abcdefgh")), np.arange(8, dtype=np.int32))
SEX = CodedColumn(Attribute("sex", ("F", "M")), np.array([0, 0, 0, 1, 1, 1, 1, 1], dtype=np.int32))
SAME = CodedColumn(Attribute("same", ("x",)), np.zeros(8, dtype=np.int32))


@pytest.mark.parametrize(("by_ratio", "expected"), [(False, 0), (True, 1)])
def test_many_values_gain_most_but_have_a_low_ratio(by_ratio: bool, expected: int) -> None:
    rules = Rules(by_ratio, True, False, 1.0, 1, np.array([False, True]))
    assert grown(whole_table([NAMES, SEX], LABELS, 2, None), None, rules).column[0] == expected


def test_the_first_of_equal_columns_is_taken() -> None:
    rules = Rules(False, True, False, 1.0, 1, np.ones(3, dtype=np.bool_))
    assert grown(whole_table([SAME, SEX, SEX], LABELS, 2, None), None, rules).column[0] == 1


def test_a_column_with_one_value_is_not_asked() -> None:
    rules = Rules(True, True, False, 1.0, 1, np.ones(1, dtype=np.bool_))
    assert len(grown(whole_table([SAME], LABELS, 2, None), None, rules)) == 1
