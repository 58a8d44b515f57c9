"""Coding: every row by itself, whatever the others are; only public things are refused."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.errors import BadInput
from hedgerow.privacy import Categories, Domain, Numbers
from hedgerow.privacy.coded import Coded, code

DOMAIN = Domain({"age": [0, 18, 65, 120], "town": ["Ulm", "1"]}, target="ill", labels=["no", "yes"])
ROWS: list[tuple[Any, Any, Any]] = [(17, "Ulm", "no"), (18, "1", "yes"), (200, "Bonn", "no"), (-5, "Ulm", "yes")]
CODES = [[0, 0], [1, 1], [2, 2], [0, 0]]


def table(rows: list[tuple[Any, Any, Any]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["age", "town", "ill"])


def sorted_codes(rows: Coded) -> list[list[int]]:
    return sorted([*row, label] for row, label in zip(rows.codes.tolist(), rows.label.tolist(), strict=True))


def test_numbers_beyond_the_bins_and_unknown_values_have_a_cell() -> None:
    rows = code(table(ROWS), DOMAIN)
    assert rows.codes.tolist() == CODES
    assert rows.label.tolist() == [0, 1, 0, 1]


STRANGE = [
    (None, "Ulm", "no"),
    (float("nan"), "Ulm", "no"),
    (17.5, "Ulm", "no"),
    ("old", "Ulm", "no"),
    (17, None, "no"),
    (17, 1, "no"),
    (17, 1.5, "no"),
    (17, "Ulm", None),
    (17, "Ulm", "perhaps"),
    (17, b"\xff", "no"),
    (True, "Ulm", "no"),
    (float("inf"), "Ulm", "no"),
    (10**30, "Ulm", "no"),
    (np.float32(0.7), Decimal("1.00"), "no"),
    (Decimal("17.123456789"), Decimal("1.50"), "no"),
    ([17], ["Ulm"], "no"),
    ({"a": 1}, {"b": 2}, "no"),
    (date(2020, 1, 1), datetime(2020, 1, 1, 12), "no"),
    (2**60 + 1, 2**60 + 1, "no"),
]


@pytest.mark.parametrize("strange", STRANGE)
def test_one_row_never_changes_how_the_others_are_coded(strange: tuple[Any, Any, Any]) -> None:
    """Otherwise a person could change all counts, and the sensitivity would be wrong."""
    alone = sorted_codes(code(table(ROWS), DOMAIN))
    both = sorted_codes(code(table([*ROWS, strange]), DOMAIN))
    for row in alone:
        both.remove(row)
    assert len(both) <= 1


def test_how_a_library_read_a_column_does_not_show() -> None:
    """A row with a fraction, more digits, or a time of day makes floats, decimals or moments of all others."""
    kinds = Domain({"a": ["1", "1.5", "2020-01-01"], "b": [0, 0.7, 1]}, target="t", labels=["x", "y"])
    day, noon, short = date(2020, 1, 1), datetime(2020, 1, 1, 12), np.float32(0.7)

    def first(a: list[Any], b: list[Any]) -> list[int]:
        codes: list[int] = code(pd.DataFrame({"a": a, "b": b, "t": "x"}), kinds).codes[0].tolist()
        return codes

    assert first([1], [0.5]) == first([1, 0.5], [0.5, 0.5]) == [0, 0]
    assert first([Decimal("1.5")], [short]) == first([Decimal("1.5"), Decimal("1.25")], [short, "z"])
    assert first([day], [0.5]) == first([day, noon], [0.5, 0.5]) == [2, 0]


def test_an_empty_table_is_coded() -> None:
    assert code(table([]), DOMAIN).codes.shape == (0, 2)


cells = st.one_of(
    st.none(), st.integers(-(10**25), 10**25), st.floats(), st.text(max_size=3), st.sampled_from(["Ulm", "1"])
)


@settings(deadline=None)
@given(st.lists(st.tuples(cells, cells, st.sampled_from(["no", "yes", "else"])), max_size=5), st.tuples(cells, cells))
def test_rows_are_coded_as_if_each_were_alone(rows: list[tuple[Any, Any, Any]], other: tuple[Any, Any]) -> None:
    together = sorted_codes(code(table([*rows, (*other, "no")]), DOMAIN))
    alone = [codes for row in [*rows, (*other, "no")] for codes in sorted_codes(code(table([row]), DOMAIN))]
    assert together == sorted(alone)


def test_every_kind_of_table_is_coded_alike(tmp_path: Path) -> None:
    frame = table(ROWS)
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    wanted = sorted_codes(code(frame, DOMAIN))
    for other in (
        pl.from_pandas(frame),
        pa.Table.from_pandas(frame),
        frame.astype({"town": "category"}),
        frame.astype({"age": "float64"}),
        tmp_path / "t.csv",
        str(tmp_path / "t.parquet"),
    ):
        assert sorted_codes(code(other, DOMAIN)) == wanted


def test_a_csv_with_a_strange_row_is_read_as_before(tmp_path: Path) -> None:
    for name, line in (("type", b"old,Ulm,no"), ("bytes", b"17,\xff,no"), ("short", b"17,Ulm"), ("long", b"1,2,3,4")):
        path = tmp_path / f"{name}.csv"
        path.write_bytes(b"age,town,ill\n17,1,no\n018,01,yes\n" + line + b"\n")
        rows = sorted_codes(code(path, DOMAIN))
        for row in ([0, 1, 0], [1, 2, 1]):  # 01 is not 1, whether or not all towns look like numbers
            rows.remove(row)
        assert len(rows) <= 1


def test_of_a_person_with_many_rows_some_are_drawn() -> None:
    frame = table([(17, "Ulm", "no")] * 50 + [(70, "Ulm", "no")] * 50 + [(20, "1", "yes")] * 2 + [(20, "1", "no")])
    frame["person"] = ["a"] * 100 + ["b"] * 2 + [None]
    drawn = {tuple(code(frame, DOMAIN, "person", 5).codes[:, 0].tolist()) for _ in range(20)}
    assert all(len(rows) == 7 for rows in drawn)  # five of the first, two of the second; a row of nobody is not counted
    assert len(drawn) > 1


def test_absent_columns_are_refused() -> None:
    with pytest.raises(BadInput, match=r"no column .*'town'.*'ill'"):
        code(table(ROWS)[["age"]], DOMAIN)


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"age": []},
        {"age": None},
        {"age": [3]},
        {"age": [3, 2]},
        {"age": [1, "x"]},
        {"age": ["a", "a"]},
        {"ill": ["a"]},
    ],
)
def test_domains_that_say_nothing_are_refused(columns: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        Domain(columns, target="ill", labels=["no", "yes"])


@pytest.mark.parametrize("labels", [["no"], ["no", "no"], "no", [0, 1], []])
def test_labels_must_be_different_texts(labels: Any) -> None:
    with pytest.raises(BadInput, match="labels"):
        Domain({"age": [0, 1]}, target="ill", labels=labels)


def test_what_is_not_declared_is_refused_with_the_way_out() -> None:
    with pytest.raises(BadInput, match="public source"):
        Domain({"age": "automatic"}, target="ill", labels=["no", "yes"])


def test_a_hierarchy_s_values_are_declared(tmp_path: Path) -> None:
    path = tmp_path / "town.csv"
    path.write_text("Ulm;south;*\nKiel;north;*\n")
    assert set(Categories(path).values) == {"Ulm", "Kiel"}
    assert Domain({"town": path}, target="ill", labels=["no", "yes"]).sizes == (3,)


def test_bins_with_whole_edges_are_whole() -> None:
    assert Numbers([0, 1.0, 5]).whole
    assert not Numbers([0, 0.5]).whole
    assert np.array_equal(Numbers([0, 1, 5]).codes(pa.chunked_array([pa.array([0.5, 1.0, 9.0])])), [0, 1, 1])
