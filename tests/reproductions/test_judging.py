"""From figures to verdicts: the one rule for all pages, by cases that are worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest
from reproductions.base import Verdict
from reproductions.estimates import HALVES, Estimate
from reproductions.judging import (
    ALPHA,
    RULES,
    Draft,
    Finding,
    Tally,
    above,
    again,
    below,
    checked,
    figures,
    growth,
    holm,
    judged,
    mostly,
    signs,
    together,
    within,
)

MIRRORED: dict[Verdict, Verdict] = {"holds": "does not hold", "does not hold": "holds"}


def alone(finding: Finding) -> Verdict:
    """The verdict of a page with a single test."""
    (claim,) = judged([Draft("It is so.", "", (finding,))])
    return claim.verdict


def mirror(verdict: Verdict) -> Verdict:
    return MIRRORED.get(verdict, verdict)


def test_an_interval_that_is_worked_out() -> None:
    """The mean is 2, the deviation 1: t = 2 √3 with two degrees of freedom, p = 0.0742."""
    finding = above(Estimate.of([1.0, 2.0, 3.0]), "3 seeds")
    assert finding.p == pytest.approx(0.0742, abs=1e-4)
    assert finding.told == "+2.00, interval -0.48 to +4.48 (3 seeds)"
    # (4.303 + 1.061) / √3
    assert finding.detectable is not None
    assert finding.detectable(0.05) == "detectable: 3.10"
    assert alone(finding) == "open"


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([2.0, 2.1, 1.9], "holds"),
        ([-2.0, -2.1, -1.9], "does not hold"),
        ([2.0, -2.1, 0.3], "open"),
        ([0.0, 0.0, 0.0], "open"),
        ([2.0, 2.0, 2.0], "holds"),
        ([2.0, 2.1], "undecided"),
        ([], "undecided"),
    ],
)
def test_being_above(values: list[float], verdict: Verdict) -> None:
    assert alone(above(Estimate.of(values), "runs")) == verdict


@pytest.mark.parametrize("values", [[2.0, 2.1, 1.9], [1.0, 2.0, 3.0], [0.1, -0.2, 0.3], [5.0, 5.0, 5.0], [0.0] * 3])
@pytest.mark.parametrize("threshold", [0.0, 1.5, 2.2])
def test_mirrored_data_give_the_mirrored_verdict(values: list[float], threshold: float) -> None:
    one, other = Estimate.of(values), Estimate.of([-value for value in values])
    given, turned = above(one, "runs", threshold), above(other, "runs", -threshold)
    assert given.p == pytest.approx(turned.p)
    assert alone(turned) == mirror(alone(given))
    assert alone(below(one, "runs", threshold)) == mirror(alone(given))
    assert alone(within(one, threshold - 1, threshold + 1, "runs")) == alone(
        within(other, -threshold - 1, -threshold + 1, "runs")
    )


def test_a_margin() -> None:
    around = Estimate(0.0, 0.1, 1000)  # the interval is ± 0.196
    assert alone(within(around, -0.2, 0.2, "people")) == "holds"
    assert alone(within(around, -0.19, 0.19, "people")) == "open"
    assert alone(within(around, 0.197, 0.5, "people")) == "does not hold"
    assert alone(within(around, 0.19, 0.5, "people")) == "open"
    assert alone(within(Estimate(1.0, 0.0, 3), -1.0, 1.0, "people")) == "holds"
    assert alone(within(None, -1.0, 1.0, "people")) == "undecided"


def test_refutation_by_a_margin_needs_what_confirmation_needs() -> None:
    """As far inside the one end as outside of it, with the other end far away: the same p."""
    inside, outside = Estimate(0.2, 0.1, 50), Estimate(-0.2, 0.1, 50)
    assert within(inside, 0.0, 99.0, "runs").p == pytest.approx(within(outside, 0.0, 99.0, "runs").p)


@pytest.mark.parametrize(
    ("mean", "verdict"), [(-3.0, "holds"), (-1.1, "open"), (-8.0, "does not hold"), (3.0, "does not hold")]
)
def test_a_printed_difference(mean: float, verdict: Verdict) -> None:
    """From half to twice of −2: from −4 to −1."""
    assert alone(again(-2.0, Estimate(mean, 0.1, 30), "runs")) == verdict


def test_a_sign_test_that_is_worked_out() -> None:
    # 2 (1 + 10) / 2 ** 10, 2 / 2 ** 6, and a tie of three to three.
    assert mostly(9, 1, "10 sets").p == pytest.approx(22 / 1024)
    assert signs([1, 2, 3, 4, 5, 6, 0, 0], "sets").p == pytest.approx(2 / 64)
    assert signs([1, 1, 1, -1, -1, -1], "sets").p == 1.0
    assert alone(mostly(9, 1, "10 sets")) == "holds"
    assert alone(mostly(1, 9, "10 sets")) == "does not hold"
    assert alone(mostly(8, 2, "10 sets")) == "open"  # 2 · 56 / 1024 = 0.109
    assert alone(signs([1, 1], "2 sets")) == "undecided"
    assert alone(signs([0, 0, 0, 0, 1], "5 sets")) == "open"


def test_what_a_sign_test_could_have_found() -> None:
    # Of nine units eight decide; with a tendency of 91 % (but not of 90 %) eight or nine are for it four times in five.
    assert 9 * 0.91**8 * 0.09 + 0.91**9 > 0.8 > 9 * 0.9**8 * 0.1 + 0.9**9

    def could(for_it: int, against: int, level: float) -> str:
        told = mostly(for_it, against, "sets").detectable
        return told(level) if told is not None else ""

    assert could(5, 4, 0.05) == "detectable: a tendency of 91 % of the units"
    assert could(3, 2, 0.05) == "5 units are too few to decide among so many comparisons"
    # Nine of nine are 2 / 512, which is enough for ten comparisons and not for twenty.
    assert could(5, 4, 0.05 / 10) == "detectable: a tendency of 98 % of the units"
    assert could(5, 4, 0.05 / 20) == "9 units are too few to decide among so many comparisons"


def test_one_against_sixteen_is_refuted() -> None:
    """What once was undecided: one for, 16 against, the others unclear."""
    assert alone(mostly(1, 16, "17 units")) == "does not hold"
    assert alone(mostly(1, 51, "52 units")) == "does not hold"


@pytest.mark.parametrize(("for_it", "against"), [(9, 1), (7, 3), (20, 4), (3, 0)])
@pytest.mark.parametrize("share", [0.5, 0.75])
def test_sign_tests_are_symmetric(for_it: int, against: int, share: float) -> None:
    given, turned = mostly(for_it, against, "units", share), mostly(against, for_it, "units", 1 - share)
    assert given.p == pytest.approx(turned.p)
    assert alone(turned) == mirror(alone(given))


def test_growth() -> None:
    sizes = [10.0, 100.0, 1000.0, 10_000.0]
    assert alone(growth(sizes, [0.3 * one for one in sizes], "4 sizes")) == "holds"
    assert alone(growth(sizes, [one**1.35 for one in sizes], "4 sizes")) == "does not hold"
    assert alone(growth(sizes, [one**0.65 for one in sizes], "4 sizes")) == "does not hold"
    assert alone(growth(sizes, [1.0, 9.0, 300.0, 900.0], "4 sizes")) == "open"
    assert alone(growth(sizes[:2], [1.0, 2.0], "2 sizes")) == "undecided"
    # n log n from 45,222 to 1,356,660 rows.
    large = [45_222.0 * factor for factor in (1, 5, 10, 20, 30)]
    assert alone(growth(large, [one * math.log(one) for one in large], "5 sizes")) == "holds"


def test_what_is_left_to_no_chance() -> None:
    assert [alone(checked(held)) for held in ([True], [True, False], [])] == ["holds", "does not hold", "undecided"]
    for same, verdict in ((10, "holds"), (9, "holds"), (8, "holds in part"), (1, "does not hold")):
        held = [True] * same + [False] * (10 - same)
        assert alone(figures(held)) == verdict
        assert alone(figures([not one for one in held])) == mirror(verdict)
    assert alone(figures([True] * 3 + [False])) == "holds in part"


@pytest.mark.parametrize(
    ("ps", "corrected"),
    [
        ([], []),
        ([0.04], [0.04]),
        ([0.01, 0.02, 0.03], [0.03, 0.04, 0.04]),
        ([0.03, 0.01, 0.02], [0.04, 0.03, 0.04]),
        ([0.6, 0.9], [1.0, 1.0]),
        ([0.001, 0.013, 0.04, 0.05], [0.004, 0.039, 0.08, 0.08]),
    ],
)
def test_holm(ps: Sequence[float], corrected: Sequence[float]) -> None:
    """Times 4, 3, 2, 1 by rank, and never less than the one before."""
    assert holm(ps) == pytest.approx(corrected)


def test_tests_of_a_page_are_corrected_together() -> None:
    def page(number: int) -> list[Verdict]:
        return [one.verdict for one in judged([Draft(str(at), "", (mostly(6, 0, "sets"),)) for at in range(number)])]

    assert page(1) == ["holds"]  # 2 / 64
    assert page(2) == ["open", "open"]  # 4 / 64
    # The parts of a claim are comparisons, too; what needs no test is not.
    both = judged(
        [Draft("both", "", (mostly(6, 0, "sets"), mostly(0, 6, "sets"))), Draft("exact", "", (checked([True]),))]
    )
    assert [one.verdict for one in both] == ["open", "holds"]
    assert "p = 0.062" in both[0].found


def test_what_waits_for_its_cells_is_counted() -> None:
    waits = Draft("later", "", (above(None, "runs"),))
    found = Draft("now", "", (mostly(6, 0, "sets"),))
    assert [one.verdict for one in judged([found, waits])] == ["open", "undecided"]  # as if it had p = 1
    assert "among so many" in judged([found, waits])[0].found


def test_an_open_claim_tells_what_could_have_been_found() -> None:
    (claim,) = judged(
        [Draft("It is so.", "Three of them.", (above(Estimate(0.1, 1.0, 30), "30 draws").named("Adult"),))]
    )
    assert claim.verdict == "open"
    assert claim.found == (
        "Three of them. Adult: +0.10, interval -1.95 to +2.15 (30 draws), p = 0.921; detectable: 2.90."
    )


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ([], "undecided"),
        (["holds", "holds"], "holds"),
        (["does not hold", "does not hold"], "does not hold"),
        (["holds", "does not hold"], "holds in part"),
        (["holds", "does not hold", "open"], "holds in part"),
        (["holds", "open"], "open"),
        (["does not hold", "open"], "open"),
        (["open", "open"], "open"),
        (["holds", "undecided"], "undecided"),
    ],
)
def test_parts_of_a_claim(verdicts: list[Verdict], whole: Verdict) -> None:
    assert together(verdicts) == whole
    assert together([mirror(one) for one in verdicts]) == mirror(whole)


@pytest.mark.parametrize("make", [lambda: checked([]), lambda: mostly(0, 0, "sets"), lambda: above(None, "runs")])
def test_nothing_is_undecided(make: Callable[[], Finding]) -> None:
    (claim,) = judged([Draft("It is so.", "", (make(),))])
    assert (claim.verdict, claim.found) == ("undecided", "nothing yet")


def test_shared_rows_widen_the_interval() -> None:
    values = [1.0, 1.2, 0.8, 1.1, 0.9, 1.0, 1.3, 0.7, 1.2, 0.8]
    apart, shared = Estimate.of(values), Estimate.of(values, HALVES)
    assert apart is not None
    assert apart.error is not None
    assert shared is not None
    assert shared.error == pytest.approx(apart.error * math.sqrt(11))


def test_rules_name_every_verdict() -> None:
    text = " ".join(RULES)
    assert all(f"**{one}**" in text for one in ("holds", "does not hold", "open", "hold in part", "undecided"))
    assert f"α = {ALPHA}" in text


def test_cases_of_which_nothing_is_known_are_counted_as_missing() -> None:
    known = Estimate.of([1.0, 1.1, 0.9])
    assert Tally.above([known, None]) == Tally.within(2.0, [known, None]) == Tally(for_it=1, missing=1)
