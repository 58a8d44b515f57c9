"""Cells of published tables as the texts that all ways of storing them share."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import narwhals as nw
import pytest

from hedgerow.core.proportions import published_texts
from hedgerow.io.domains import Kind


@pytest.mark.parametrize(
    ("cells", "kind", "expected"),
    [
        (["39.0", "{20|21}", "", None], "number", ["39", "{20|21}", None, None]),
        ([39.0, None], "number", ["39", None]),
        (["039", "39.0"], "text", ["039", "39.0"]),
        ([datetime(2024, 1, 31)], "date", ["2024-01-31"]),
    ],
)
def test_texts_of_cells(cells: list[Any], kind: Kind, expected: list[str | None]) -> None:
    texts, index = published_texts(nw.new_series("x", cells, backend="polars"), kind)
    assert [texts[at] for at in index] == expected


def test_texts_that_mean_missing() -> None:
    texts, index = published_texts(nw.new_series("x", ["?", ""], backend="pyarrow"), "text", ["?"])
    assert [texts[at] for at in index] == [None, ""]
