"""Errors: one root, one sentence, an exit status."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import NoReturn

import numpy as np
import pytest

from hedgerow.errors import (
    BadInput,
    HedgerowError,
    Infeasible,
    InternalError,
    MissingExtra,
    NotAnonymous,
    is_int,
    listing,
    required,
    translated,
)

EMPTY: dict[str, int] = {}


@pytest.mark.parametrize(
    ("error", "status"),
    [(BadInput, 2), (MissingExtra, 2), (Infeasible, 3), (NotAnonymous, 3), (InternalError, 1), (HedgerowError, 1)],
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


def test_a_bug_is_called_one_and_can_be_pickled() -> None:
    told = "This is a bug in Hedgerow: a tree has no root. Nothing was written. Please report it."
    assert str(InternalError("a tree has no root")) == told
    assert str(pickle.loads(pickle.dumps(InternalError("a tree has no root")))) == told


def test_what_is_required_must_be_there() -> None:
    assert required(0, "a number") == 0
    with pytest.raises(InternalError, match="a number is not there"):
        required(None, "a number")


def _fails(_error: BaseException) -> NoReturn:
    raise BadInput("Making the error failed.")


def _fails_again(_error: BaseException) -> NoReturn:
    with translated(ValueError, into=BadInput("Making it failed, and that was told.")):
        int("secret")
    raise AssertionError


@pytest.mark.parametrize(
    "into",
    [BadInput("One sentence."), lambda error: BadInput(type(error).__name__), _fails, _fails_again],
    ids=["an error", "a maker", "a maker that fails", "a maker that fails inside"],
)
def test_nothing_of_a_foreign_error_is_kept(into: BaseException | Callable[[BaseException], BaseException]) -> None:
    with pytest.raises(BadInput) as caught, translated(KeyError, ZeroDivisionError, into=into):
        EMPTY["secret"]
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert "secret" not in str(caught.value)


def test_other_errors_pass_and_no_error_is_none() -> None:
    with pytest.raises(ZeroDivisionError), translated(KeyError, into=BadInput("x")):
        1 / 0  # noqa: B018
    with translated(KeyError, into=BadInput("x")):
        pass


def test_an_error_of_ours_is_not_taken_for_a_foreign_one() -> None:
    with (
        pytest.raises(BadInput, match="inner"),
        translated(ValueError, into=BadInput("outer")),
        translated(UnicodeDecodeError, into=BadInput("inner")),
    ):
        b"\xff".decode()


def test_an_error_of_ours_stays_clean_on_its_way_up() -> None:
    with (
        pytest.raises(BadInput, match="inner") as caught,
        translated(OSError, into=BadInput("outer")),
        translated(KeyError, into=BadInput("inner")),
    ):
        EMPTY["secret"]
    assert caught.value.__context__ is None


@pytest.mark.parametrize(("value", "is_one"), [(1, True), (np.int64(2), True), (0, False), (True, False), (1.0, False)])
def test_a_whole_number_is_no_truth_value_and_no_float(value: object, is_one: bool) -> None:
    assert is_int(value, 1) == is_one
