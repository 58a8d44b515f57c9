"""How published cells are written and read back."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.core.cells import SUPPRESSED, Interval, ValueSet, format_set, format_value, parse
from hedgerow.io.values import format_interval

awkward = st.text(alphabet=st.sampled_from("ab|\\{}*[],)1N \n\"'é<≥"), max_size=8)
texts = st.one_of(
    st.text(max_size=12),
    awkward,
    st.sampled_from(["", "*", "[1,2)", "[1,2]", "{a|b}", "{}", "\\N", "{\\N}", "a|b", "a\\", "Zürich\n", "<18", "≥9"]),
)


@given(texts)
def test_a_value_reads_back_as_itself(text: str) -> None:
    """As plain text, or, where it looks like something else, as the set of it alone."""
    assert parse(format_value(text)) in (text, ValueSet(frozenset([text])))


@given(texts)
def test_a_value_is_only_wrapped_where_it_would_be_misread(text: str) -> None:
    assert (format_value(text) == text) == isinstance(parse(text), str)


@given(st.sets(texts, min_size=1, max_size=5), st.booleans())
def test_a_set_reads_back(members: set[str], with_missing: bool) -> None:
    expected = frozenset([*members, None]) if with_missing else frozenset(members)
    assert parse(format_set(sorted(members), with_missing)) == ValueSet(expected)
    assert parse(str(ValueSet(expected))) == ValueSet(expected)


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)
def test_an_interval_reads_back(low: float, high: float, closed: bool) -> None:
    assert parse(format_interval(low, high, closed=closed)) == Interval(low, high, closed)
    assert parse(str(Interval(low, high, closed))) == Interval(low, high, closed)


@pytest.mark.parametrize(
    "cell", ["{a|b\\}", "{\\x}", "{\\Na}", "{a\\N}", "{\\N\\|}", "{a", "[1,2", "[a,b)", "[1;2)", "[٣,٤)"]
)
def test_what_does_not_follow_the_form_is_plain_text(cell: str) -> None:
    assert parse(cell) == cell


def test_plain_cells() -> None:
    assert parse("*") is SUPPRESSED
    assert str(SUPPRESSED) == "*"
    assert parse("") == ""
    assert parse(3) == 3.0
    assert parse(np.int64(3)) == 3.0
    assert parse(2.5) == 2.5
    assert parse(True) == "True"


@pytest.mark.parametrize("cell", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT])
def test_missing_cells(cell: object) -> None:
    assert parse(cell) is None


def test_members_are_in_the_order_of_their_column() -> None:
    assert str(ValueSet(frozenset({"10", "9", "-1"}))) == "{-1|9|10}"
    assert str(ValueSet(frozenset({"10", "9", "x"}))) == "{10|9|x}"
    assert str(ValueSet(frozenset({"nan", "1", None}))) == "{1|nan|\\N}"


def test_what_an_interval_holds() -> None:
    open_ended, closed = Interval(1, 3), Interval(1, 3, closed=True)
    assert 1 in open_ended
    assert 2.5 in open_ended
    assert np.int64(2) in open_ended
    assert 3 not in open_ended
    assert 3 in closed
    assert "2" not in open_ended
    assert float("nan") not in closed


def test_what_a_set_holds() -> None:
    members = ValueSet(frozenset({"a", None}))
    assert "a" in members
    assert None in members
    assert "b" not in members


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<18", Interval(-math.inf, 18)),
        ("≥90", Interval(90, math.inf)),
        ("<-0.5", Interval(-math.inf, -0.5)),
        ("≥1e+20", Interval(1e20, math.inf)),
        ("<", "<"),
        ("<=50K", "<=50K"),
        ("<50K", "<50K"),
        (">=90", ">=90"),
        ("≥ 90", "≥ 90"),
        ("<18 ", "<18 "),
    ],
)
def test_open_intervals(text: str, said: object) -> None:
    assert parse(text) == said
    if isinstance(said, Interval):
        assert not said.bounded
        assert parse(str(said)) == said
        assert format_value(text) == f"{{{text}}}"
    else:
        assert format_value(text) == text


def test_what_open_intervals_hold() -> None:
    assert [number in Interval(-math.inf, 18) for number in (-1e300, 17.9, 18)] == [True, True, False]
    assert [number in Interval(90, math.inf) for number in (89.9, 90, 1e300)] == [False, True, True]
