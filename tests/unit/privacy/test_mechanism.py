"""The mechanism: only noisy values reach what it returns, its steps add up, and its tables are consistent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.privacy.accounting import Accountant, Budget
from hedgerow.privacy.coded import Coded
from hedgerow.privacy.curator import Curator
from hedgerow.privacy.domain import Domain
from hedgerow.privacy.mechanism import Groups, draw, measured
from hedgerow.privacy.questions import Answers, Candidate, Cells, Measured

BUDGET = Budget(Fraction(1, 10))


def domain(labels: int) -> Domain:
    columns = {"a": [0, 1, 2, 3, 4, 5, 6], "b": ["u", "v", "w"], "c": ["x", "y"], "d": [0, 10, 20]}
    return Domain(columns, target="t", labels=[str(label) for label in range(labels)])


def coded(labels: int, rows: int = 3_000) -> Coded:
    """Two columns that depend on each other, and a label that depends on both."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 6, rows)
    b = np.where(rng.random(rows) < 0.8, a // 2, rng.integers(0, 3, rows))
    codes = np.stack([a, b, rng.integers(0, 2, rows), rng.integers(0, 2, rows)], axis=1).astype(np.int32)
    label = ((a + b + (rng.random(rows) < 0.2)) > 4).astype(np.int32) + (labels - 2) * (codes[:, 2] == 1)
    return Coded(codes, np.minimum(label, labels - 1).astype(np.int32), labels, 1)


@dataclass
class Recorder:
    """Passes questions on and keeps the answers."""

    inner: Answers
    answers: list[Any] = field(default_factory=list)

    def measure(self, step: str, questions: Sequence[Cells], budget: Budget) -> list[Measured]:
        self.answers.append(self.inner.measure(step, questions, budget))
        return list(self.answers[-1])

    def choose(self, step: str, candidates: Sequence[Candidate], budget: Budget) -> int:
        self.answers.append(self.inner.choose(step, candidates, budget))
        return int(self.answers[-1])


@dataclass
class Replay:
    """Gives recorded answers. It has no table."""

    answers: list[Any]

    def measure(self, step: str, questions: Sequence[Cells], budget: Budget) -> list[Measured]:
        return list(self.answers.pop(0))

    def choose(self, step: str, candidates: Sequence[Candidate], budget: Budget) -> int:
        return int(self.answers.pop(0))


def run(answers: Answers, labels: int, k: int = 20) -> Groups | None:
    return measured(answers, domain(labels), BUDGET, k, 1, np.random.default_rng(5))


def required(groups: Groups | None) -> Groups:
    assert groups is not None
    return groups


def same(one: Groups, other: Groups) -> bool:
    of_one, of_other = (draw(groups, 1, np.random.default_rng(6)) for groups in (one, other))
    return np.array_equal(one.counted.counts, other.counted.counts) and all(
        np.array_equal(*pair) for pair in zip([*of_one[0], of_one[1]], [*of_other[0], of_other[1]], strict=True)
    )


@pytest.mark.parametrize("labels", [2, 3])
def test_everything_follows_from_noisy_answers_alone(labels: int) -> None:
    """Without the table, the same answers give the same boxes, counts and rows: the rest is post-processing."""
    recorder = Recorder(Curator(coded(labels), Accountant(BUDGET)))
    first = required(run(recorder, labels))
    assert same(first, required(run(Replay(list(recorder.answers)), labels)))


def test_two_runs_differ_although_what_is_public_is_seeded() -> None:
    first, second = (required(run(Curator(coded(2), Accountant(BUDGET)), 2)) for _ in range(2))
    assert not same(first, second)


@pytest.mark.parametrize("labels", [2, 3])
def test_the_steps_cost_the_budget_and_no_more(labels: int) -> None:
    accountant = Accountant(BUDGET)
    run(Curator(coded(labels), accountant), labels)
    steps = [(charge.step, charge.mechanism, charge.times) for charge in accountant.charges]
    assert steps == [
        ("columns", "discrete Gaussian", 4),
        *[("pairs chosen", "exponential", 1)] * 3,
        ("pairs", "discrete Gaussian", 3),
        ("boxes", "discrete Gaussian", 1),
    ]
    assert Fraction(99, 100) * BUDGET.rho < accountant.spent.rho <= BUDGET.rho
    assert accountant.spent.rho == sum(charge.rho for charge in accountant.charges)


@pytest.mark.parametrize("labels", [2, 3])
def test_boxes_have_noisy_counts_of_at_least_k_and_rows_to_match(labels: int) -> None:
    groups = required(run(Curator(coded(labels), Accountant(BUDGET)), labels))
    counts = groups.counted.counts
    assert len(counts) > 2
    assert counts.min() >= 0
    assert counts.sum(axis=1).min() >= 20
    cells, label = draw(groups, 2, np.random.default_rng(0))
    box = groups.counted.boxes.places(np.stack(cells, axis=1))
    drawn = np.bincount(box * labels + label, minlength=counts.size).reshape(counts.shape)
    assert np.array_equal(drawn, 2 * counts)


def test_what_depends_on_each_other_is_kept() -> None:
    """With much budget, rows have the shares of the table: of pairs that depend on each other, and of the label."""
    rows = coded(2, 20_000)
    budget = Budget(Fraction(10))
    groups = required(measured(Curator(rows, Accountant(budget)), domain(2), budget, 20, 1, np.random.default_rng(0)))
    cells, label = draw(groups, 1, np.random.default_rng(0))
    wanted = np.bincount(rows.codes[:, 0] * 6 + rows.codes[:, 1] * 2 + rows.label, minlength=36) / len(rows.label)
    got = np.bincount(cells[0] * 6 + cells[1] * 2 + label, minlength=36) / len(label)
    assert np.abs(wanted - got).sum() < 0.05


def test_a_table_with_fewer_rows_than_k_gives_nothing() -> None:
    assert run(Curator(coded(2, 30), Accountant(BUDGET)), 2, k=1_000) is None


@pytest.mark.parametrize("rows", [0, 1, 7])
def test_tiny_tables_give_boxes_or_nothing(rows: int) -> None:
    for _ in range(20):
        groups = run(Curator(coded(3, rows), Accountant(BUDGET)), 3, k=2)
        if groups is not None:
            assert groups.counted.counts.sum(axis=1).min() >= 2
            assert len(draw(groups, 1, np.random.default_rng(0))[1]) == groups.counted.counts.sum()


def test_one_column_has_no_pairs() -> None:
    rows = Coded(coded(2).codes[:, :1], coded(2).label, 2, 1)
    accountant = Accountant(BUDGET)
    alone = Domain({"a": [0, 1, 2, 3, 4, 5, 6]}, target="t", labels=["0", "1"])
    groups = required(measured(Curator(rows, accountant), alone, BUDGET, 20, 1, np.random.default_rng(0)))
    assert [charge.step for charge in accountant.charges] == ["columns", "boxes"]
    assert len(draw(groups, 1, np.random.default_rng(0))[0]) == 1
