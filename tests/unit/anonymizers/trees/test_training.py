"""Frequency tables as an inducer is given them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hedgerow import BadInput, Schema
from hedgerow.anonymizers.trees.training import checked_target, labelled_tuples, training_table
from hedgerow.core.counts import FrequencyTable
from hedgerow.engines import open_source


def counts_of(table: pa.Table, target: str | None = "ill") -> FrequencyTable:
    schema = Schema(quasi=["age", "sex"], target=target, others="drop")
    source = open_source(table)
    return source.count(schema, schema.resolve(source.columns)).counts


PEOPLE = pa.table({"age": [20, 20, None, 20], "sex": ["F", "F", None, "F"], "ill": ["n", "y", "y", "n"]})


def test_a_row_for_each_combination_of_values_and_label() -> None:
    table = training_table(counts_of(PEOPLE), 3, "KActus")
    age, sex = table.columns
    assert table.classes == ("n", "y")
    assert sorted(zip(age.codes, sex.codes, table.labels, table.weights, strict=True)) == [
        (-1, 1, 1, 1),
        (0, 0, 0, 2),
        (0, 0, 1, 1),
    ]
    assert sex.attribute.labels == ("F", "\\N")  # a missing category is one like any other
    assert table.min_objects == 3
    assert sorted(table.to_arrow()["age"].to_pylist(), key=str) == [20.0, 20.0, None]


def test_tuples_are_weighed_by_label() -> None:
    rows = labelled_tuples(counts_of(PEOPLE), "ill")
    assert rows.weight.sum() == 4
    assert len(rows.tuple) == len(rows.label) == 3


@pytest.mark.parametrize(
    ("ill", "target", "message"),
    [
        (["n", "y", "y", "n"], None, "needs a target"),
        (["n", None, "y", "n"], "ill", "no class in 1 of 4 records"),
        (["a", "b", "c", "d"], "ill", "a different class in each of the 4 records"),
    ],
)
def test_a_target_that_nothing_is_learnt_from_is_refused(
    ill: list[str | None], target: str | None, message: str
) -> None:
    counts = counts_of(PEOPLE.set_column(2, "ill", [ill]), target)
    with pytest.raises(BadInput, match=message):
        checked_target(counts, "KActus")
