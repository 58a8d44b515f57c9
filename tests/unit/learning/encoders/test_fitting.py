"""Fitting a column: its kind, its values and its hierarchy."""

from __future__ import annotations

import datetime as dt
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

from hedgerow import BadInput, Schema, anonymize
from hedgerow.core.cells import Vocabulary, read_vocabulary
from hedgerow.hierarchies import dates, groups, intervals, masking, resolve
from hedgerow.io.domains import Domain
from hedgerow.learning.encoders._column import Column, fit_column


def cells_of(values: Any) -> Vocabulary:
    return read_vocabulary(nw.from_native(pa.chunked_array([pa.array(values)]), series_only=True).alias("c"))


def features(column: Column) -> list[str]:
    return [column.nodes.labels[node] for node in column.nodes.order.tolist()]


def test_categories_without_hierarchy_are_flat_over_all_that_is_seen() -> None:
    assert features(fit_column("c", cells_of(["b", "{a|c}", "*", None]))) == ["a", "b", "c", "\\N", "*"]


def test_few_published_intervals_are_the_finest_ones() -> None:
    column = fit_column("c", cells_of(["[10,20)", "[20,30)", "[30,40)", "[40,50]"]))
    assert column.kind == "number"
    assert features(column) == ["[10,20)", "[20,30)", "[30,40)", "[40,50]", "[10,30)", "[30,50]", "*"]


def test_numbers_outside_the_published_intervals_get_their_own() -> None:
    column = fit_column("c", cells_of(["[10,20)", "[20,30)", "5", "40"]))
    assert features(column)[:4] == ["[5,10)", "[10,20)", "[20,30)", "[30,40]"]


def test_numbers_without_hierarchy_have_quantiles() -> None:
    column = fit_column("c", cells_of(list(range(32))))
    assert len([label for label in features(column) if label != "*"]) == 16 + 8 + 4 + 2
    assert column.clamped
    assert column.place(["99"], np.array([99.0]), "error")[0] == column.nodes.labels.index("[30,31]")


def test_given_intervals_do_not_take_numbers_from_outside() -> None:
    column = fit_column("c", cells_of([12, 25]), intervals([10, 20, 30]))
    nodes, known = column.place(["99"], np.array([99.0]), "ancestor")
    assert (column.nodes.labels[nodes[0]], known[0]) == ("*", False)


def test_published_intervals_of_a_given_hierarchy_are_nodes() -> None:
    column = fit_column("c", cells_of(["[10,20)", "[20,40)"]), intervals(width=10, levels=[20]))
    assert column.places["[10,20)"] != column.places["[20,40)"]


def test_encoded_intervals_stay_as_they_are_and_their_numbers_are_forgotten() -> None:
    original = Domain("c", "number", np.array(["11", "15", "25", "39"]), np.array([11.0, 15, 25, 39]))
    encoded = resolve(intervals(quantiles=2), original, "c")
    column = fit_column("c", cells_of(["[11,25)", "*"]), encoded)
    assert features(column) == ["[11,25)", "[25,39]", "*"]
    assert column.hierarchy is None
    assert not {"11", "15", "25", "39"} & set(column.places)


def test_groups_of_numbers_are_features_and_numbers_are_not() -> None:
    column = fit_column("c", cells_of(["1", "3", "high"]), groups({"low": [1, 2], "high": [3, 4]}))
    assert column.kind == "number"
    assert features(column) == ["low", "high", "*"]
    nodes, _ = column.place(["2.0"], np.array([2.0]), "error")
    assert column.nodes.labels[nodes[0]] == "low"


def test_single_numbers_are_nodes_on_request() -> None:
    cells = cells_of(["1", "3", "high"])
    column = fit_column("c", cells, groups({"low": [1, 2], "high": [3, 4]}), singles=True)
    assert features(column) == ["1", "2", "3", "4", "low", "high", "*"]
    cells = cells_of(["12", "{14|25}", "[30,40]", None])
    column = fit_column("c", cells, intervals([10, 20, 30, 40]), singles=True)
    # The end of an interval is no number of the column.
    assert features(column) == ["12", "14", "25", "[30,40]", "\\N", "[10,20)", "[20,30)", "*"]
    assert column.nodes.total[column.places["[10,20)"]] == 2
    assert column.known_node.tolist() == [column.nodes.labels.index(label) for label in ("12", "14", "25")]


def test_single_numbers_without_hierarchy_are_below_quantiles() -> None:
    column = fit_column("c", cells_of(list(range(32))), singles=True)
    assert features(column)[:32] == [str(number) for number in range(32)]
    assert len(features(column)) == 32 + 16 + 8 + 4 + 2 + 1


def test_single_numbers_of_a_tree_are_found_in_any_spelling() -> None:
    tree = {"low": ["1.0", "2.0"], "high": ["3.0"]}
    column = fit_column("c", cells_of([1]), tree, singles=True)
    nodes, known = column.place(["2"], np.array([2.0]), "error")
    assert (column.nodes.labels[nodes[0]], known[0]) == ("2.0", True)


def test_single_numbers_of_encoded_intervals_are_those_of_the_table() -> None:
    original = Domain("c", "number", np.array(["11", "15", "25", "39"]), np.array([11.0, 15, 25, 39]))
    encoded = resolve(intervals(quantiles=2), original, "c")
    column = fit_column("c", cells_of(["[11,25)", "{15|16}", "30", "99"]), encoded, singles=True)
    assert features(column) == ["15", "16", "30", "[11,25)", "[25,39]", "*"]


def test_single_dates_are_nodes_on_request() -> None:
    cells = cells_of(["2020-02-03", "2020-02-05", "2020-Q4", "2021"])
    column = fit_column("c", cells, dates(["quarter", "year"]), singles=True)
    # No day stands in for a label.
    assert features(column) == ["2020-02-03", "2020-02-05", "2020-Q4", "2021-Q1", "2020-Q1", "2020", "2021", "*"]
    assert column.nodes.total[column.places["2020"]] == 2
    assert column.nodes.total[column.places["2021"]] == 0


def test_masked_values_are_nodes_and_no_values() -> None:
    column = fit_column("c", cells_of(["011", "01*", "02*"]), masking())
    assert features(column) == ["011", "02*", "01*", "0**", "*"]
    assert column.nodes.total[column.places["01*"]] == 1
    assert column.nodes.labels[column.place(["029"], np.array([np.nan]), "ancestor")[0][0]] == "02*"


def test_dates_have_the_calendar_and_its_labels_are_nodes() -> None:
    column = fit_column("c", cells_of([dt.date(2020, 2, 3), dt.date(2021, 5, 6)]))
    assert features(column)[:2] == ["2020-02", "2021-05"]
    published = fit_column("c", cells_of(["2020-Q1", "2021"]), dates(["quarter", "year"]))
    assert {"2020-Q1", "2021"} <= set(published.places)
    assert published.nodes.total[published.places["2021"]] == 0


def test_zip_codes_stay_text_and_categories_stay_categories() -> None:
    assert fit_column("c", cells_of(["02138", "10001"])).kind == "text"
    numbers_as_categories = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["1", "2"]))
    assert fit_column("c", cells_of(numbers_as_categories)).kind == "text"


def test_values_that_a_taxonomy_lacks() -> None:
    cells = cells_of(["a", "zebra", "b", "yak"])
    column = fit_column("c", cells, {"all": ["a", "b"]})
    assert features(column) == ["a", "b", "all"]
    with pytest.raises(BadInput, match="does not cover 2 of its 4"):
        fit_column("c", cells, {"all": ["a", "b"]}, unknown="error")
    assert features(fit_column("c", cells_of(["zebra"]), {"all": ["a", "b"]})) == ["a", "b", "all"]


def test_proportions_say_the_kind_and_the_values() -> None:
    table = pa.table({"c": [20, 21, 30, 31]})
    release = anonymize(table, Schema(quasi=["c"]), k=4, publish_proportions=True, min_support=1)
    assert release.proportions is not None
    column = fit_column("c", cells_of(["*"]), spread=release.proportions.column("c").spread())
    assert column.kind == "number"
    assert column.known.tolist() == [20, 21, 30, 31]


def test_with_proportions_numbers_have_the_quantiles_of_the_original() -> None:
    table = pa.table({"c": list(range(32))})
    release = anonymize(table, Schema(quasi=["c"]), method="datafly", k=16, publish_proportions=True, min_support=1)
    assert release.proportions is not None
    cells = cells_of(release.table["c"].combine_chunks())
    column = fit_column("c", cells, spread=release.proportions.column("c").spread())
    inner = [label for label in release.hierarchies["c"].labels if label is not None and not label.isdecimal()]
    assert sorted(features(column)) == sorted(inner)
    # Means are no numbers of the column.
    means = fit_column("c", cells_of([15.5]), spread=release.proportions.column("c").spread())
    assert 15.5 not in means.known


def test_parts_are_the_finest_intervals() -> None:
    column = fit_column("c", cells_of(["{20|31}"]), parts=["[20,30)", "[30,40]", "\\N"])
    assert features(column) == ["[20,30)", "[30,40]", "\\N", "*"]
    assert features(fit_column("c", cells_of(["*"]), parts=["x", "y"])) == ["x", "y", "*"]


def test_rows_that_hold_a_value_alone_are_counted() -> None:
    column = fit_column("c", cells_of(["a", "a", "{a|b}", "b", "*"]))
    assert column.alone[column.places["a"]] == 2
    assert column.alone[0] == 0
    assert fit_column("c", cells_of(["7", "7", "8", "{7|9}"])).known_alone.tolist() == [2, 1, 0]
