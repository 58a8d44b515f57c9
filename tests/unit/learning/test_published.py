"""Published tables as trees read them: hierarchies, proportions, and the columns that pipelines add."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import BadInput
from hedgerow.hierarchies import masking
from hedgerow.io.frames import open_frame
from hedgerow.learning._published import proportions_of, published_columns, unseen_columns

TOWNS = {"*": {"Germany": ["Bonn", "Trier"], "France": ["Lyon", "Nice"]}}
PEOPLE = pa.table(
    {
        "town": ["Bonn", "Bonn", "Bonn", "Lyon", "Nice", "Nice"],
        "zip": ["53111", "53112", "53113", "69001", "69002", "69003"],
        "rich": ["no", "no", "yes", "yes", "no", "yes"],
    }
)


def labels(X: Any, table: pa.Table | None = None, **more: Any) -> dict[str, tuple[str, ...]]:
    opened = open_frame(X if table is None else table)
    return {one.attribute.name: one.attribute.labels for one in published_columns(X, opened, missing=("",), **more)}


@pytest.fixture
def release() -> hr.Release:
    schema = hr.Schema(quasi=["town", "zip"], target="rich", hierarchies={"town": TOWNS, "zip": masking()})
    return hr.anonymize(PEOPLE, schema, method="datafly", k=3, publish_proportions=True, min_support=1)


def test_a_column_that_is_only_named_like_shares_is_learnt_from() -> None:
    table = pa.table({"sex": ["F", "M"], "sex=F": [0.4, 0.7]})
    columns = published_columns(table, open_frame(table), missing=("",))
    assert [column.attribute.name for column in columns] == ["sex", "sex=F"]


def test_columns_of_shares_are_left_out() -> None:
    table = pa.table({"sex": ["F", "{F|M}"], "sex=F": [1.0, 0.5], "sex=M": [0.0, 0.5]})
    assert labels(table) == {"sex": ("F", "M")}


def test_a_release_brings_its_taxonomies_but_not_what_is_made_of_its_values(release: hr.Release) -> None:
    published = release.table.drop_columns("rich")
    assert set(published["town"].to_pylist()) == {"Germany", "France"}
    assert labels(release, published) == {"town": ("Bonn", "Lyon", "Nice", "Trier"), "zip": ("5311*", "6900*")}


def test_proportions_come_from_the_release_or_are_given(release: hr.Release) -> None:
    assert proportions_of(release, None, "It") is release.proportions
    assert proportions_of(PEOPLE, release.proportions, "It") is release.proportions
    assert proportions_of(PEOPLE, None, "It") is None
    with pytest.raises(BadInput, match="'proportions' parameter of It"):
        proportions_of(PEOPLE, {"age": 1}, "It")


def test_proportions_name_the_values_of_a_class(release: hr.Release) -> None:
    read = labels(release, release.table.drop_columns("rich"), proportions=release.proportions)
    assert read == {"town": ("Bonn", "Lyon", "Nice", "Trier"), "zip": tuple(PEOPLE["zip"].to_pylist())}


def test_masks_are_read_with_the_values_that_are_known() -> None:
    table = pa.table({"zip": ["5311*", "53111", "{53112|69001}"]})
    column = published_columns(table, open_frame(table), missing=("",), hierarchies={"zip": masking()})[0]
    assert column.attribute.labels == ("53111", "53112", "69001")
    start, end = column.cells.starts[column.index[0]], column.cells.starts[column.index[0] + 1]
    assert column.cells.codes[start:end].tolist() == [0, 1]
    nothing_known = pa.table({"zip": ["5311*", "6900*"]})
    assert labels(nothing_known, hierarchies={"zip": masking()}) == {"zip": ("5311*", "6900*")}


def test_unseen_rows_without_the_quasi_identifiers_have_no_class(release: hr.Release) -> None:
    published = release.table.drop_columns("rich")
    columns = published_columns(release, open_frame(published), missing=("",), proportions=release.proportions)
    town = [one.attribute for one in columns if one.attribute.name == "town"]
    alone = unseen_columns(town, open_frame(published.select(["town"])), ("",), release.proportions)[0]
    assert alone.by_class is alone.index
    together = unseen_columns(town, open_frame(published), ("",), release.proportions)[0]
    assert together.by_class is not together.index
