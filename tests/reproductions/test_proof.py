"""The experiments on releases with a proof: their cells, their verdicts, their page."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from reproductions.base import Page
from reproductions.judging import judged
from reproductions.proof import REPRODUCTION
from reproductions.proof.measuring import BUDGETS, HOLD_OUT, LEARNERS, SEEDS, TEST, learnt
from reproductions.proof.page import GOALS, claims_of
from reproductions.tables import has
from required_parts import do_without

from hedgerow.evaluation.results import MAJORITY


def results(above: float, seeds: tuple[int, ...] = SEEDS) -> list[dict[str, Any]]:
    """So many points above what is to be reached at least."""
    raw = [
        {"part": part, "seed": seed, "tested": 15_060, "accuracy": dict.fromkeys((MAJORITY, *LEARNERS), 75.0)}
        for part, seed in product((TEST, HOLD_OUT), seeds)
    ]
    own = [
        {
            **{"part": part, "seed": seed, "budget": budget, "tested": 15_060, "boxes": 90, "seconds": 3.0},
            "accuracy": dict.fromkeys(LEARNERS, GOALS[budget][0] + above),
        }
        for part, seed, budget in product((TEST, HOLD_OUT), seeds, BUDGETS)
    ]
    return [*raw, *own]


@pytest.mark.parametrize(("above", "verdict"), [(2.0, "holds"), (-2.0, "does not hold"), (0.0, "open")])
def test_verdicts_follow_from_accuracies(above: float, verdict: str) -> None:
    assert {claim.verdict for claim in judged(claims_of(results(above)))[: len(BUDGETS)]} == {verdict}


def test_no_verdict_without_all_runs() -> None:
    assert {claim.verdict for claim in judged(claims_of(results(2.0, seeds=(0, 1))))} == {"undecided"}


@pytest.mark.parametrize("known", [[], results(1.0)])
def test_a_page_is_written_from_whatever_is_there(known: list[dict[str, Any]], tmp_path: Path) -> None:
    page = Page("Proof")
    REPRODUCTION.write(page, known)
    page.write(tmp_path / "proof.md")
    text = (tmp_path / "proof.md").read_text()
    assert ("| ε = 1 | 12.4 | 84.50 (84.50 to 84.50) |" in text) == bool(known)


def test_a_cell_is_measured() -> None:
    if not has("adult"):
        do_without("data", "needs Adult (set HEDGEROW_DATA to a folder with adult/)")
    cell = learnt(part=HOLD_OUT, budget="ε = 3", seed=0)
    assert cell["accuracy"]["boosting"] > 83
    assert cell["boxes"] > 20
