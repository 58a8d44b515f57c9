"""A release with a proof: what learners know from rows drawn from it, by its bound on membership."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final

from hedgerow.evaluation.jobs import Job, Measurement
from reproductions.base import Page, Reproduction, Result
from reproductions.proof.measuring import BUDGETS, HIERARCHIES, HOLD_OUT, SEEDS, TEST, learnt, learnt_from_raw
from reproductions.proof.page import write
from reproductions.tables import digest_of_adult, has

__all__ = ["REPRODUCTION"]


class _Proof(Reproduction):
    name = "proof"
    data = ("adult",)
    title = "A release with a proof: accuracy by the bound on membership"
    paper = (
        "Our own method. What it was to reach was written down before it was measured, and stands beside the results."
    )

    def jobs(self, *, quick: bool) -> list[Job]:
        """Raw rows and all budgets; the quick part is a third of the hold-out's."""
        if not has("adult"):
            return []
        data = digest_of_adult("train", "test", hierarchies=tuple(sorted(HIERARCHIES)))
        parts = (HOLD_OUT,) if quick else (TEST, HOLD_OUT)
        seeds = SEEDS[:1] if quick else SEEDS
        jobs: list[Job] = [
            Measurement("proof: raw", learnt_from_raw, {"part": part, "seed": seed}, data, repetition=seed)
            for part, seed in product(parts, seeds)
        ]
        jobs += [
            Measurement("proof: learnt", learnt, {"part": part, "budget": budget, "seed": seed}, data, repetition=seed)
            for part, seed, budget in product(parts, seeds, BUDGETS)
        ]
        return jobs

    def write(self, page: Page, results: Sequence[Result]) -> None:
        """Claims first, then the tables."""
        write(page, results)


REPRODUCTION: Final = _Proof()
