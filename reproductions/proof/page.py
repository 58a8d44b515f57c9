"""The page on releases with a proof: what was to be reached, each with a verdict that is computed, and the tables."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Final

from hedgerow.errors import plural
from hedgerow.evaluation.results import MAJORITY
from reproductions.base import Page, Result
from reproductions.estimates import Estimate
from reproductions.judging import Draft, above, judged, missing
from reproductions.proof.measuring import BUDGETS, HOLD_OUT, LEARNERS, SEEDS, TEST

__all__ = ["GOALS", "claims_of", "write"]

GOALS: Final[Mapping[str, tuple[float, float]]] = {
    "ε = 1": (83.5, 84.5),
    "ε = 2": (84.2, 85.0),
    "ε = 3": (84.5, 85.3),
    "advantage 0.05": (82.7, 83.5),
}
"""The accuracy of boosting on Adult's test file, in percent: at least, and hoped for."""


def write(page: Page, results: Sequence[Result]) -> None:
    """Say what was measured, from whatever cells are finished."""
    page.text(
        "The train file of Adult is released by `hr.private_release`, with all 14 columns declared. Learners have "
        "three rows for each that was counted, drawn from the release, and are asked about raw rows. The **bound** is "
        "the most by which any attacker tells members from others better than chance, in points; [the proof]"
        "(../concepts/proof.md) holds whatever the attacker knows. Noise has no seed: runs of the same seed differ."
    )
    page.section("What was to be reached")
    page.claims(judged(claims_of(results)), "the aim was")
    for part, title, says in (
        (TEST, "Test file", "15,060 people. The variant was chosen before."),
        (
            HOLD_OUT,
            "Hold-out",
            "A fifth of the train file, drawn by each seed; the release is of the other 24,129 people.",
        ),
    ):
        page.section(
            title, f"{says} Mean accuracy in percent, with the lowest and highest of {plural(len(SEEDS), 'runs')}."
        )
        page.table(("release", "bound (points)", *LEARNERS, "boxes", "seconds"), list(_rows(results, part)))
    page.section(
        "What is not here",
        "Other systems (MST, AIM, DiffGen, SafePub) at the same bound, other tables than Adult, and a membership "
        "attack on the whole release. The domain was declared by hand in round steps; another one changes the figures.",
    )


def claims_of(results: Sequence[Result]) -> list[Draft]:
    """What was to be reached with each budget, at least and hoped for."""
    return [
        _reached(results, budget, wanted, how)
        for how, place in (("at least", 0), ("hoped for", 1))
        for budget, wanted in ((budget, goals[place]) for budget, goals in GOALS.items())
    ]


def _reached(results: Sequence[Result], budget: str, wanted: float, how: str) -> Draft:
    """The runs share the people of the test file: the error has that of the people, and that of the mean of runs."""
    own = [one for one in results if one.get("budget") == budget and one["part"] == TEST]
    scores = [one["accuracy"][LEARNERS[0]] for one in own]
    says = f"Adult, {budget}: {how} {wanted:.1f} %"
    if len(scores) < len(SEEDS):
        return Draft(says, "", (missing(),))
    mean, people = statistics.fmean(scores), own[0]["tested"]
    of_people = math.sqrt(mean * (100 - mean) / people)
    of_runs = statistics.stdev(scores) / math.sqrt(len(scores))
    lead = Estimate(round(mean - wanted, 6), math.hypot(of_people, of_runs), people)
    return Draft(
        says,
        f"{mean:.2f} % ({min(scores):.2f} to {max(scores):.2f}, {plural(len(scores), 'runs')}). Points above",
        (above(lead, f"{people:,} people"),),
    )


def _rows(results: Sequence[Result], part: str) -> list[tuple[object, ...]]:
    raw = [one for one in results if "budget" not in one and one["part"] == part]
    rows: list[tuple[object, ...]] = []
    for name, learner in (("majority", MAJORITY), ("raw rows", None)):
        if raw:
            shown = [_spread([one["accuracy"][learner or each] for one in raw]) for each in LEARNERS]
            rows.append((name, None, *shown, None, None))
    for budget, cost in BUDGETS.items():
        own = [one for one in results if one.get("budget") == budget and one["part"] == part]
        if own:
            shown = [_spread([one["accuracy"][each] for one in own]) for each in LEARNERS]
            boxes = f"{min(one['boxes'] for one in own)} to {max(one['boxes'] for one in own)}"
            seconds = f"{min(one['seconds'] for one in own):.1f}"
            rows.append((budget, f"{math.ceil(1000 * cost.advantage) / 10:.1f}", *shown, boxes, seconds))
    return rows


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.fmean(values):.2f} ({min(values):.2f} to {max(values):.2f})"
