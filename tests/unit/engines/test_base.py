"""What both engines share."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.core.recoding import Pieces, PublishedColumn, Recoding
from hedgerow.engines import MemorySource, open_source, seed_text
from hedgerow.engines._base import encode, ranking_columns
from hedgerow.errors import BadInput
from hedgerow.io.domains import CodeSets
from hedgerow.schema import Schema


def test_seeds() -> None:
    assert seed_text(7) == "7"
    assert seed_text(None) != seed_text(None)


def test_opening() -> None:
    assert isinstance(open_source(pa.table({"a": [1]})), MemorySource)
    with pytest.raises(BadInput, match="A table must be"):
        open_source(3)


def test_a_quasi_identifier_needs_a_value() -> None:
    schema = Schema(quasi=["a"], sensitive=["s"])
    roles = schema.resolve(["a", "s"])
    with pytest.raises(BadInput, match="'a' has no value at all"):
        encode(schema, roles, "a", pa.chunked_array([pa.nulls(2)]))
    assert encode(schema, roles, "s", pa.chunked_array([pa.nulls(2)])).domain.size == 1


def test_rows_of_a_cell_are_ranked_by_all_in_which_they_differ() -> None:
    roles = Schema(quasi=["q"], target="t", sensitive=["s"], insensitive=["i"], pseudonymize=["p"]).resolve("qtsip")
    assert ranking_columns(roles, frozenset()) == ["i", "p"]
    assert ranking_columns(roles, frozenset({"q", "s"})) == ["i", "p", "s"]


def test_who_goes_where_does_not_depend_on_the_order_of_rows() -> None:
    """Rows that differ only in a pseudonym, or in how a value is spelled: the seed decides, not their order."""
    schema = Schema(quasi=["q"], sensitive=["s"], pseudonymize=["who"])
    table = pa.table({"q": ["x"] * 8, "s": ["1.5", "1.50"] * 4, "who": list("AAAABBBB")})

    def linked(rows: pa.Table) -> list[str]:
        """How often each person, under any name, stands in each group with each spelling."""
        source = MemorySource(rows)
        counted = source.count(schema, schema.resolve(source.columns))
        counts = counted.counts
        pieces = Pieces(np.array([0, 0], np.int32), np.array([0, 1], np.int32), np.array([4, 4]))
        column = PublishedColumn(
            counts.domains["q"], ("0", "1"), ("label", "label"), CodeSets.of(np.array([0, 1, 2]), np.array([0, 0]))
        )
        recoding = Recoding("by hand", ("q",), (column,), np.array([[0], [1]]), pieces.size, pieces)
        published = counted.apply(recoding, "3").table.to_pylist()
        people = sorted({row["who"] for row in published})
        return sorted(str(sorted((row["q"], row["s"]) for row in published if row["who"] == one)) for one in people)

    assert linked(table) == linked(table.take([7, 2, 5, 0, 3, 6, 1, 4])) == linked(table.take(list(range(7, -1, -1))))
