"""What the counts say of a column."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from hedgerow.advice._profiles import Profile, profiles_of
from hedgerow.engines import Look, Tally
from hedgerow.engines._look import look_at_rows


def test_figures(profile: Callable[..., Profile]) -> None:
    column = profile("age", [30, 30, 31, None, "", 45])
    assert (column.rows, column.missing, column.known, column.distinct, column.size) == (6, 2, 4, 3, 4)
    assert (column.kind, column.distinction, column.fewest, column.most_frequent) == ("number", 0.75, 1, 2 / 6)
    assert column.codes.tolist() == [0, 0, 1, 3, 3, 2]


def test_a_column_without_a_value(profile: Callable[..., Profile]) -> None:
    column = profile("age", [None, ""])
    assert (column.known, column.distinct, column.size) == (0, 0, 1)
    assert column.fewest == 2


def test_columns_that_cannot_be_read_say_why() -> None:
    table = pa.table({"n": [[1]], "b": [b"x"], "f": [float("nan")], "t": ["a\0b"]})
    found = profiles_of(look_at_rows(table, 9), missing=(), untyped=False, decimal=".")
    assert "nested" in found["n"].unusable
    assert "binary" in found["b"].unusable
    assert "NaN" in found["f"].unusable
    assert "NUL" in found["t"].unusable
    assert all(one.unusable.endswith(".") for one in found.values())


def test_long_texts_are_not_held_as_labels(monkeypatch: pytest.MonkeyPatch, profile: Callable[..., Profile]) -> None:
    monkeypatch.setattr("hedgerow.advice._profiles._MOST_CHARACTERS", 100)
    column = profile("note", [f"{'word ' * 20}{n}" for n in range(10)] + [None])
    assert (column.domain, column.distinct, column.missing) == (None, 10, 1)
    assert len(column.texts) == 10
    assert len(set(column.codes.tolist())) == 11


def test_a_tally_of_the_sample_stands_for_the_column() -> None:
    sample = pa.table({"id": ["a", "b", None, "c"]})
    tally = Tally(sample.column("id"), look_at_rows(sample, 9).tallies["id"].records, 750)  # type: ignore[union-attr]
    look = Look(1000, {"id": tally}, sample)
    column = profiles_of(look, missing=(), untyped=True, decimal=".")["id"]
    assert (column.rows, column.missing, column.distinct, column.distinction) == (1000, 250, 750, 1)


def test_decimal_commas() -> None:
    look = look_at_rows(pa.table({"x": ["1,5", "2,25"]}), 9)
    assert profiles_of(look, missing=(), untyped=True, decimal=",")["x"].kind == "number"
    assert profiles_of(look, missing=(), untyped=True, decimal=".")["x"].kind == "text"
