"""Errors: one root, one sentence, an exit status."""

from __future__ import annotations

import pytest

from hedgerow.errors import BadInput, HedgerowError, Infeasible, MissingExtra, NotAnonymous, listing


@pytest.mark.parametrize(
    ("error", "status"),
    [(BadInput, 2), (MissingExtra, 2), (Infeasible, 3), (NotAnonymous, 3), (HedgerowError, 1)],
)
def test_exit_status(error: type[HedgerowError], status: int) -> None:
    assert error.exit_status == status
    assert issubclass(error, HedgerowError)


def test_builtin_families() -> None:
    assert issubclass(BadInput, ValueError)
    assert issubclass(MissingExtra, ImportError)


def test_sentences() -> None:
    assert str(BadInput.parameter("k", "Mondrian", "an int >= 1", 0)) == (
        "The 'k' parameter of Mondrian must be an int >= 1. Got 0 instead."
    )
    assert str(BadInput.unknown("column", "agee", ["age", "sex"])) == "There is no column 'agee'. Did you mean 'age'?"
    assert str(BadInput.unknown("column", "q", ["age"], "Look.")) == "There is no column 'q'. Known: 'age'. Look."
    assert "pip install 'hedgerow[spark]'" in str(MissingExtra.for_extra("pyspark", "spark"))


def test_listing_is_short() -> None:
    assert listing(["a", "b"]) == "'a', 'b'"
    assert listing([str(n) for n in range(12)], most=2) == "'0', '1' and 10 more"
