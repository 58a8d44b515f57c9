"""What published cells may stand for."""

from __future__ import annotations

import math
from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest

from hedgerow import BadInput
from hedgerow.hierarchies import taxonomy
from hedgerow.learning.redraw import PossibleValues, possible_values

PETS = taxonomy({"animal": {"feline": ["cat", "lion"], "canine": ["dog", "wolf"]}})


def read(cells: list[Any], hierarchy: Any = None, missing: tuple[str, ...] = ("",)) -> PossibleValues:
    return possible_values(nw.new_series("x", pa.array(cells), backend="pyarrow"), hierarchy, missing)


def stands_for(possible: PossibleValues) -> list[list[str | None] | tuple[float, float]]:
    """For each row the values, or the ends of the numbers, that its cell may stand for."""
    labels = [*possible.domain.labels.tolist(), None]
    rows: list[list[str | None] | tuple[float, float]] = []
    for cell in possible.cell_of_row.tolist():
        members = possible.members[possible.starts[cell] : possible.starts[cell + 1]].tolist()
        ends = float(possible.low[cell]), float(possible.high[cell])
        assert bool(members) is all(map(math.isnan, ends))
        rows.append([labels[code] for code in members] if members else ends)
    return rows


def test_values_sets_and_suppressed_cells() -> None:
    possible = read(["a", "{a|c}", "*", None, "", "{b|\\N}", "a", "{*}"])
    assert stands_for(possible) == [["a"], ["a", "c"], list("*abc"), [None], [None], ["b", None], ["a"], ["*"]]
    assert possible.domain.kind == "text"
    assert possible.records.tolist() == [1, 2, 0, 0, 2], "*, a, b, c, missing"


def test_spellings_of_one_number_are_one_value() -> None:
    possible = read(["1.50", "1.5", "{1.5|2}", "2.0"])
    assert possible.domain.labels.tolist() == ["1.5", "2"]
    assert possible.records.tolist() == [2, 1]
    assert possible.decimals == 1


def test_an_interval_stands_for_the_known_numbers_in_it() -> None:
    possible = read(["[20,30)", "[20,30]", "20", "{29|30}", "[31,40]"])
    assert stands_for(possible)[:2] == [["20", "29"], ["20", "29", "30"]]
    assert possible.records.tolist() == [1, 0, 0]


def test_an_interval_without_known_numbers_stands_for_its_grid() -> None:
    assert stands_for(read(["[20,30)", "[30,35]"])) == [(20.0, 29.0), (30.0, 35.0)]
    assert stands_for(read(["[20,20.5)", "[30,35]", "7.25"]))[:2] == [(20.0, 20.49), (30.0, 35.0)]


def test_an_interval_too_narrow_for_its_grid_stands_for_its_lower_end() -> None:
    assert stands_for(read(["[0,1e-17)"])) == [(0.0, 0.0)]


def test_suppressed_beside_intervals_only_stands_for_all_of_them() -> None:
    assert stands_for(read(["*", "[20,30)", "[40,50]", None])) == [(20.0, 50.0), (20.0, 29.0), (40.0, 50.0), [None]]


def test_a_column_that_says_nothing_stays_missing() -> None:
    possible = read(["*", "*"])
    assert stands_for(possible) == [[None], [None]]
    assert stands_for(read(["*", None])) == [[None], [None]]


def test_labels_stand_for_the_leaves_below_them() -> None:
    possible = read(["feline", "{cat|dog}", "*", "animal", "dog", "unicorn"], PETS)
    everything = ["cat", "dog", "lion", "unicorn", "wolf"]
    leaves = ["cat", "dog", "lion", "wolf"]
    assert stands_for(possible) == [["cat", "lion"], ["cat", "dog"], everything, leaves, ["dog"], ["unicorn"]]
    assert possible.records.tolist() == [0, 1, 0, 1, 0]


def test_iso_dates_are_dates() -> None:
    assert read(["{2024-03-01|2024-03-05}", "*"]).domain.kind == "date"
    assert read(["2024-03-01", "2024-13-05"]).domain.kind == "text"
    assert read(["2024-03-01", "2024-03"]).domain.kind == "text"


def test_categories_that_no_row_has_are_not_values() -> None:
    category = pa.DictionaryArray.from_arrays([0, 2, None], ["a", "b", "*"])
    possible = possible_values(nw.new_series("x", category, backend="pyarrow"), None, ())
    assert stands_for(possible) == [["a"], ["a"], [None]]


def test_intervals_beside_text_are_refused_without_quoting_it() -> None:
    with pytest.raises(BadInput, match="The column 'x' publishes intervals beside values that are not numbers") as bad:
        read(["[20,30)", "Soglio"])
    assert "Soglio" not in str(bad.value)
