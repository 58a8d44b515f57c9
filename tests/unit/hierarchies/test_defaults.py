"""Flat and automatic hierarchies."""

from __future__ import annotations

import numpy as np

from hedgerow.hierarchies import automatic, flat
from hedgerow.io.domains import Domain


def test_flat() -> None:
    encoded = flat().encode(Domain("sex", "text", np.array(["F", "M"]), has_missing=True))
    assert encoded.labels == ("*", "F", "M", None)
    assert encoded.at_level.tolist() == [[1, 2, 3], [0, 0, 0]]
    assert encoded.leaf_count[encoded.root] == 3
    assert (encoded.description, encoded.automatic) == ("flat", False)


def test_automatic_for_numbers() -> None:
    ages = np.arange(17.0, 91.0)
    encoded = automatic().encode(Domain("age", "number", np.array([f"{age:g}" for age in ages]), ages))
    assert encoded.automatic
    assert encoded.description == "automatic: quantile intervals (16, then 8, then 4, then 2)"
    assert [encoded.labels[node] for node in encoded.at_level[4][[0, 36, 37, 73]]] == [
        "[17,54)", "[17,54)", "[54,90]", "[54,90]",
    ]  # fmt: skip
    assert encoded.low is not None


def test_automatic_for_dates_and_text() -> None:
    born = Domain("birth", "date", np.array(["1970-01-02"]), np.array([1.0]))
    assert automatic().encode(born).description == "automatic: dates by month, quarter, year, decade"
    numeric_text = Domain("zip", "text", np.array(["01", "02"]))
    assert automatic().encode(numeric_text).description == "automatic: flat"


def test_automatic_for_nothing_but_missing() -> None:
    nothing = Domain("age", "number", np.array([], dtype=np.str_), np.array([]), has_missing=True)
    assert automatic().encode(nothing).labels == ("*", None)
