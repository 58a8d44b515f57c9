"""Lists and assignments as they are typed."""

from __future__ import annotations

import pytest

from hedgerow.cli._lists import assignments, read_level, read_levels, read_weights, split_names
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


@pytest.mark.parametrize(
    ("wrong", "message"), [(["cut"], "no name or no value"), (["a=1", "a=2"], "given twice by --set")]
)
def test_assignments_that_are_none(wrong: list[str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        assignments(wrong, "--set")


def test_weights() -> None:
    assert read_weights(["zip=2, age = 0.5", '"income, yearly=1e2"']) == {"zip": 2, "age": 0.5, "income, yearly": 100}
    assert read_weights(None) is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("zip", "'zip' has no name or no value. Type --weights name=value"),
        ("zip=much", "The weight of 'zip' is not a number. Type --weights zip=2"),
        ("zip=1,zip=2", "'zip' is given twice by --weights"),
    ],
)
def test_weights_that_are_none(wrong: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_weights([wrong])


def test_levels() -> None:
    assert read_levels(["zip=2:3", "age=1", '"income, yearly"=:2']) == {
        "zip": "2:3", "age": "1", '"income, yearly"': ":2",
    }  # fmt: skip
    assert read_levels(None) is None
    assert [read_level("zip", typed) for typed in ("2:3", " 2 : 3 ", "2:", ":3", "2", 2)] == [
        (2, 3), (2, 3), (2, None), (None, 3), (2, 2), (2, 2),
    ]  # fmt: skip


@pytest.mark.parametrize("wrong", ["", ":", "a", "1:2:3", "-1", "1.5", "2-3"])
def test_levels_that_are_none(wrong: str) -> None:
    with pytest.raises(BadInput, match=r"The levels of 'zip' are not readable.*--level zip=2:3"):
        read_level("zip", wrong)
