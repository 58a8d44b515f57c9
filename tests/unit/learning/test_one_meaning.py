"""All that read published cells read the same in them: trees, encoders, redraw, export, matching with a population."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.io.frames import open_frame
from hedgerow.learning import ProportionalEncoder, export, redraw
from hedgerow.learning._published import published_columns

TOWNS = {"*": {"Germany": ["Bonn", "Trier"], "France": ["Lyon", "Nice"]}}


def by_tree(cells: list[str], hierarchy: Any = None) -> dict[str, float]:
    """The values that the first cell may stand for, with their shares, as trees read it."""
    table = pa.table({"it": cells})
    given = {} if hierarchy is None else {"it": hierarchy}
    column = published_columns(table, open_frame(table), missing=("",), hierarchies=given)[0]
    start, end = column.cells.starts[column.index[0]], column.cells.starts[column.index[0] + 1]
    shares = np.diff(column.cells.upto[start:end], prepend=0.0)
    codes = column.cells.codes[start:end].tolist()
    return {column.attribute.labels[code]: float(share) for code, share in zip(codes, shares, strict=True)}


def by_encoder(cells: list[str], hierarchy: Any = None) -> dict[str, float]:
    table = pa.table({"it": cells})
    encoder = ProportionalEncoder(hierarchies={} if hierarchy is None else {"it": hierarchy}, shares="uniform")
    row = encoder.fit_transform(table)[0]
    names = [name.removeprefix("it=") for name in encoder.get_feature_names_out()]
    return {name: float(share) for name, share in zip(names, row, strict=True) if share}


def by_redraw(cells: list[str], hierarchy: Any = None) -> dict[str, float]:
    table = pa.table({"it": cells})
    given = {} if hierarchy is None else {"it": hierarchy}
    drawn = redraw(table, 600, 0, quasi=["it"], hierarchies=given, shares="uniform")["it"].to_pylist()[:: len(cells)]
    return {str(value): drawn.count(value) / len(drawn) for value in set(drawn)}


def test_a_set_under_a_taxonomy_is_the_union_of_the_values_below_its_members() -> None:
    cells, third = ["{Germany|Lyon}", "Bonn", "Nice"], pytest.approx(1 / 3)
    expected = {"Bonn": third, "Trier": third, "Lyon": third}
    assert by_tree(cells, TOWNS) == expected
    assert {name: share for name, share in by_encoder(cells, TOWNS).items() if name in expected} == expected
    assert by_redraw(cells, TOWNS) == {name: pytest.approx(1 / 3, abs=0.1) for name in expected}


def test_a_set_of_all_the_values_of_a_node_is_that_node() -> None:
    assert by_encoder(["{Germany|France}", "Bonn"], TOWNS) == by_encoder(["*", "Bonn"], TOWNS)


def test_digits_with_an_underscore_are_no_number(tmp_path: Path) -> None:
    cells = ["{1_000|b}", "1_000", "b"]
    assert by_tree(cells) == {"1_000": 0.5, "b": 0.5}
    assert by_encoder(cells) == {"1_000": 0.5, "b": 0.5, "*": 1.0}
    assert set(by_redraw(cells)) == {"1_000", "b"}
    for text in ("1_000", "nan"):
        table = pa.table({"it": [f"{{{text}|7}}", "7"]})
        path = export(table, tmp_path / "it.csv", intervals="columns")
        assert path.read_text().splitlines()[0] == "it"
        people = pa.table({"it": ["1000"] * 3 + [text] * 2})
        assert hr.audit(pa.table({"it": [text] * 2}), quasi=["it"], population=people).risks.journalist.highest == 0.5


def test_iso_dates_are_dates() -> None:
    cells = ["{2024-03-01|2024-03-05}", "2024-03-01", "2024-03-09"]
    table = pa.table({"it": cells})
    attribute = published_columns(table, open_frame(table), missing=("",))[0].attribute
    assert attribute.numeric
    assert attribute.kind == "date"
    assert by_tree(cells) == {"2024-03-01": 0.5, "2024-03-05": 0.5}
    assert by_encoder(cells)["2024-03"] == 1
    assert redraw(table, 1, 0, quasi=["it"])["it"].type == pa.date32()


def test_dates_that_are_categories_stay_categories() -> None:
    table = pa.table({"it": pa.array(["2024-03-01", "{2024-03-01|2024-03-05}"]).dictionary_encode()})
    assert not published_columns(table, open_frame(table), missing=("",))[0].attribute.numeric
