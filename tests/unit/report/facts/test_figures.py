"""How figures are written."""

from __future__ import annotations

from hedgerow.report.facts.figures import count, number, share


def test_what_is_not_computed_is_said() -> None:
    found = count("k over all columns", None, "How few.")
    assert (found.value, found.text, found.judgement) == (None, "not computed", "unknown")


def test_what_has_no_bound_is_none() -> None:
    assert number("recursive c", None, "How far.").text == "none"


def test_three_digits_are_told() -> None:
    assert (share("risk", 1 / 3, "x").value, share("risk", 1 / 3, "x").text) == (0.333, "33.3 %")
    assert number("mean", 12.3456, "x").value == 12.3
