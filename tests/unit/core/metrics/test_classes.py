"""Class sizes, rows and majority labels."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics import c_avg, classification, discernibility, row_ratio
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput

Build = Callable[..., tuple[FrequencyTable, Recoding]]


def test_discernibility_charges_the_whole_table_for_a_lost_record(build: Build) -> None:
    assert discernibility(*build({"job": list("aabcd")}, [0, 0, 0, 1, -1])) == 9 + 1 + 5


def test_average_class_size_over_k(build: Build) -> None:
    release = build({"job": list("aabcdd")}, [0, 0, 0, 1, 1, -1])
    assert c_avg(*release, k=2) == pytest.approx(5 / 2 / 2)
    assert c_avg(*release, k=1) == 2.5
    assert c_avg(*release) == pytest.approx(5 / 2 / 2)  # the smaller class has 2 records


def test_average_class_size_needs_classes_and_a_sensible_k(build: Build) -> None:
    with pytest.raises(BadInput, match="publishes no record"):
        c_avg(*build({"job": list("ab")}, [-1, -1]), k=2)
    with pytest.raises(BadInput, match="'k' parameter of c_avg"):
        c_avg(*build({"job": list("ab")}, [0, 0]), k=0)


def test_classification_counts_minorities_and_lost_records(build: Build) -> None:
    release = build({"job": list("aaabbc")}, [0, 0, 0, 1, 1, -1], target=list("yynyny"))
    assert classification(*release) == pytest.approx((1 + 1 + 1) / 6)


def test_labels_of_one_class_in_two_groups_are_counted_together(build: Build) -> None:
    """Two groups that publish {a|b}, one all y and one all n: together they are half and half."""
    release = build({"job": list("abab")}, [0, 0, 1, 1], target=list("yynn"))
    assert classification(*release) == 0.5


def test_classification_needs_a_target(build: Build) -> None:
    with pytest.raises(BadInput, match="needs a target"):
        classification(*build({"job": list("ab")}, [0, 0]))


def test_row_ratio_counts_distinct_rows(build: Build) -> None:
    assert row_ratio(*build({"job": list("aabcd")}, [0, 0, 0, 1, -1])) == 2 / 4
