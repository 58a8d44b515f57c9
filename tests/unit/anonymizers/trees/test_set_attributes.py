"""Which values of an attribute a cell may stand for."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.anonymizers.trees.sets import CellReader, SetAttribute, content_of
from hedgerow.errors import BadInput

TOWN = SetAttribute("town", ("Bonn", "Lyon", "Trier"), leaves={"Germany": ("Bonn", "Trier")})
AGE = SetAttribute("age", ("20", "30", "40"), np.array([20.0, 30.0, 40.0]))


def read(attribute: SetAttribute, text: str, number: float | None = None) -> dict[str, float]:
    """The labels that a cell may stand for, and their shares."""
    codes, shares = CellReader(attribute, training=False).read(text, number, content_of(text, attribute.leaves))
    return {attribute.labels[code]: float(share) for code, share in zip(codes, shares, strict=True)}


def test_members_of_a_set_share_equally() -> None:
    assert read(TOWN, "{Bonn|Lyon}") == {"Bonn": 0.5, "Lyon": 0.5}


def test_a_label_stands_for_its_leaves() -> None:
    assert read(TOWN, "Germany") == {"Bonn": 0.5, "Trier": 0.5}


def test_a_member_that_is_not_known_keeps_its_share_for_itself() -> None:
    assert read(TOWN, "{Bonn|Nice}") == {"Bonn": 0.5}
    assert read(TOWN, "Nice") == {}


def test_what_is_suppressed_may_be_anything() -> None:
    assert read(TOWN, "*") == pytest.approx({"Bonn": 1 / 3, "Lyon": 1 / 3, "Trier": 1 / 3})


def test_an_interval_stands_for_the_numbers_in_it() -> None:
    assert read(AGE, "[20,40)") == {"20": 0.5, "30": 0.5}
    assert read(AGE, "[30,40]") == {"30": 0.5, "40": 0.5}


def test_a_number_has_the_code_of_the_next_larger_one() -> None:
    assert read(AGE, "25", 25.0) == {"30": 1.0}


def test_text_in_a_column_of_numbers_is_refused_without_quoting_it() -> None:
    with pytest.raises(BadInput, match="'age' held numbers") as refused:
        read(AGE, "{20|ancient}")
    assert "ancient" not in str(refused.value)


def test_a_value_of_its_own_knows_the_sets_around_it_as_second_choice() -> None:
    own = SetAttribute("town", ("Bonn", "{Bonn|Lyon}"), own=True)
    assert read(own, "Bonn") == {"Bonn": 1.0, "{Bonn|Lyon}": 0.0}
    assert read(own, "Lyon") == {"{Bonn|Lyon}": 0.0}
