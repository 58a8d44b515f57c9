"""Misspelt keywords are named, with the one that was meant."""

from __future__ import annotations

import inspect

import pytest

from hedgerow._internal.keywords import suggesting, unexpected_keyword


@suggesting
def add(one: int, *, other: int = 0) -> int:
    """Add."""
    return one + other


def test_right_keywords_pass() -> None:
    assert add(1, other=2) == 3
    assert str(inspect.signature(add)) == "(one: 'int', *, other: 'int' = 0) -> 'int'"


@pytest.mark.parametrize(
    ("wrong", "ending"),
    [("othr", "'othr'. Did you mean 'other'?"), ("OTHER", "'OTHER'. Did you mean 'other'?"), ("zzz", "'zzz'")],
)
def test_a_wrong_keyword(wrong: str, ending: str) -> None:
    with pytest.raises(TypeError) as caught:
        add(1, **{wrong: 2})

    assert str(caught.value) == f"add() got an unexpected keyword argument {ending}"


def test_other_errors_are_pythons() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        add()  # type: ignore[call-arg]

    assert str(unexpected_keyword("f()", "x", [])) == "f() got an unexpected keyword argument 'x'"
