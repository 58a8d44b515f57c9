"""Numbers by their mean and width."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

from hedgerow import Schema, anonymize
from hedgerow.core.cells import Vocabulary, read_vocabulary
from hedgerow.hierarchies import groups, intervals
from hedgerow.learning.encoders._column import fit_column
from hedgerow.learning.encoders._means import Means, fit_means, means_of_cells, means_of_classes


def cells_of(values: Any) -> Vocabulary:
    return read_vocabulary(nw.from_native(pa.chunked_array([pa.array(values)]), series_only=True).alias("c"))


@pytest.mark.parametrize(
    ("cell", "mean", "width"),
    [("7", 7, 0), ("[20,30)", 25, 10), ("{1|2|6}", 3, 5), ("{4|\\N}", 4, 0), ("[0,20)", 10, 20)],
)
def test_cells(cell: str, mean: float, width: float) -> None:
    column = fit_column("c", cells_of(["1", "[0,10)"]), intervals([0, 10, 20, 30], levels=[[0, 20, 30]]))
    assert means_of_cells(column, cells_of([cell])).tolist() == [[mean, width]]


def test_a_label_has_the_numbers_below_it() -> None:
    column = fit_column("c", cells_of(["1"]), groups({"low": [1, 2, 6], "high": [8, 9]}))
    assert means_of_cells(column, cells_of(["low"])).tolist() == [[3, 5]]


def test_what_says_nothing_has_the_mean_and_width_of_the_column() -> None:
    cells = cells_of(["10", "10", "[20,30)", "*", None])
    column = fit_column("c", cells)
    means = fit_means(column, cells)
    assert means == Means(15, 20)
    assert means.filled(means_of_cells(column, cells))[cells.index[3:]].tolist() == [[15, 20], [15, 20]]


def test_dates_count_in_days() -> None:
    cells = cells_of(["1970-01-02", "{1970-01-01|1970-01-05}"])
    assert means_of_cells(fit_column("c", cells), cells)[cells.index].tolist() == [[1, 0], [2, 4]]


def test_classes_have_their_own_mean() -> None:
    table = pa.table({"c": pa.array([1, 1, 7, 20, 30, None], pa.int64()), "g": ["a"] * 3 + ["b"] * 3})
    release = anonymize(table, Schema(quasi=["g", "c"]), k=3, publish_proportions=True, min_support=1)
    assert release.proportions is not None
    found = means_of_classes(release.proportions.column("c").spread(), np.arange(2))
    assert sorted(found.tolist()) == [pytest.approx([3, 6]), pytest.approx([25, 10])]
