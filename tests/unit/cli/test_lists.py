"""Lists and assignments as they are typed."""

from __future__ import annotations

import pytest

from hedgerow.cli.lists import assignments, split_names
from hedgerow.errors import BadInput


def test_names_are_split_as_in_a_csv() -> None:
    assert split_names(['a, "b,c"', "d"], "--quasi") == ["a", "b,c", "d"]
    assert split_names("a,b", "--quasi") == ["a", "b"]
    assert split_names([], "--quasi") is None


@pytest.mark.parametrize(("wrong", "message"), [("a,,b", "is empty"), ('"a', "do not match")])
def test_names_that_cannot_be_split(wrong: str, message: str) -> None:
    with pytest.raises(BadInput, match=f"--quasi .*{message}"):
        split_names([wrong], "--quasi")


def test_assignments() -> None:
    assert assignments(["cut = widest", "note=a=b"], "--set") == {"cut": "widest", "note": "a=b"}
    assert assignments(None, "--set") is None


@pytest.mark.parametrize(("wrong", "message"), [(["cut"], "not understood"), (["a=1", "a=2"], "given twice by --set")])
def test_assignments_that_are_none(wrong: list[str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        assignments(wrong, "--set")
