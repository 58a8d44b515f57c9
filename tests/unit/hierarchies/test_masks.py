"""Masking."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy, masking
from hedgerow.io.domains import Domain


def text(*labels: str, missing: bool = False) -> Domain:
    return Domain("zip", "text", np.array(sorted(labels), dtype=np.str_), has_missing=missing)


def number(*numbers: float) -> Domain:
    return Domain("zip", "number", np.array([f"{n:g}" for n in numbers]), np.array(numbers))


def rows(encoded: EncodedHierarchy) -> list[list[str | None]]:
    return [[encoded.labels[node] for node in row] for row in encoded.at_level]


def test_from_the_right() -> None:
    assert rows(masking().encode(text("130", "135", "148", missing=True))) == [
        ["130", "135", "148", None],
        ["13*", "13*", "14*", None],
        ["1**", "1**", "1**", None],
        ["*", "*", "*", "*"],
    ]


def test_from_the_left_groups_by_the_end() -> None:
    encoded = masking("left", character="#").encode(text("a1", "a2", "b1"))
    assert rows(encoded)[1:] == [["#1", "#2", "#1"], ["*", "*", "*"]]
    assert encoded.labels == ("*", "#1", "a1", "b1", "#2", "a2")
    assert encoded.order.tolist() == [0, 2, 1]
    assert encoded.description == "masking of 1 characters from the left by '#'"


def test_chosen_levels() -> None:
    domain = text("13053", "13068")
    assert rows(masking(levels=[2, 4]).encode(domain))[1:] == [["130**"] * 2, ["1****"] * 2, ["*"] * 2]
    assert rows(masking(levels=2).encode(domain))[1:] == [["1305*", "1306*"], ["130**"] * 2, ["*"] * 2]
    assert masking(levels=[1, 5, 9]).encode(domain).height == 2


def test_short_text_is_filled_with_blanks_on_the_masked_side() -> None:
    assert rows(masking(levels=2).encode(text("A01", "A01.5")))[1:3] == [
        ["A01 *", "A01.*"],
        ["A01**", "A01**"],
    ]
    assert rows(masking("left", levels=1).encode(text("5", "15")))[1] == ["*5", "*5"]


def test_numbers_get_their_zeros_back() -> None:
    encoded = masking(levels=1).encode(number(1305, 13053))
    assert rows(encoded)[:2] == [["1305", "13053"], ["0130*", "1305*"]]
    assert rows(masking(levels=1, length=6).encode(number(1305)))[1] == ["00130*"]


def test_one_character_goes_to_the_root() -> None:
    encoded = masking().encode(text("a", "b"))
    assert encoded.height == 1
    assert encoded.description == "masking of all characters from the right"


@pytest.mark.parametrize(
    ("domain", "parameters", "message"),
    [
        (text(), {}, "'zip' has no characters to mask"),
        (text(""), {}, "'zip' has no characters to mask"),
        (text(missing=True), {}, "'zip' has no characters to mask"),
        (text("123", "1234"), {"length": 3}, "has 1 value longer than the length 3 .* at least 4"),
        (number(-1.0, 2.5, 3.0), {}, "has 2 numbers with a sign or a fraction"),
    ],
)
def test_columns_that_cannot_be_masked(domain: Domain, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        masking(**parameters).encode(domain)


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"side": "up"}, "side"),
        ({"character": ""}, "character"),
        ({"character": "**"}, "character"),
        ({"length": 0}, "length"),
        ({"length": True}, "length"),
        ({"levels": 0}, "levels"),
        ({"levels": []}, "levels"),
        ({"levels": [2, 1]}, "levels"),
        ({"levels": [1, 1]}, "levels"),
        ({"levels": [1.5]}, "levels"),
        ({"levels": "12"}, "levels"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], name: str) -> None:
    with pytest.raises(BadInput, match=f"The '{name}' parameter of masking must be"):
        masking(**parameters)


@pytest.mark.parametrize("levels", [9, [6], [7, 9]])
def test_more_characters_than_the_values_have(levels: Any) -> None:
    """Masking of nothing but more than there is would hide every value; 9 alone means all from 1 on."""
    if levels == 9:
        assert masking(levels=levels).encode(text("13053", "13068")).height == 5
        return
    with pytest.raises(BadInput, match=r"masks at least . characters, and its longest value has 5"):
        masking(levels=levels).encode(text("13053", "13068"))
