"""The search from the top: specialize what tells most of the label for the anonymity it costs, while all holds.

Score = InfoGain / (AnonyLoss + 1). InfoGain is the entropy of the label among the records of the specialized value,
less its mean over the branches. AnonyLoss is the mean over the requirements whose shield holds the column, of how far
the smallest class falls (``"shield"``), or of the records of the value less those of its smallest branch (``"node"``).
A specialization is a candidate if its gain is positive and all requirements hold after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hedgerow.anonymizers.specialize import _kernels
from hedgerow.anonymizers.specialize.attributes import Attribute
from hedgerow.anonymizers.specialize.shield_classes import ShieldClasses, by_shield
from hedgerow.arrays import Floats, Longs
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import Requirement

__all__ = ["Loss", "Search", "Step"]

Loss = Literal["shield", "node"]


@dataclass(frozen=True)
class Step:
    """One specialization: the column's position, what it specializes there, and why it was the best."""

    column: int
    label: str | None
    gain: float
    loss: float
    score: float


class Search:
    """A search for the cut that tells most of the label.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement
    attributes : sequence of Attribute
        The quasi-identifiers, all fully generalized.
    loss : {"shield", "node"}
        What the loss of anonymity is.

    Attributes
    ----------
    steps : list of Step
        What has been done. It names values, so it is no one's business but the tests'.
    """

    def __init__(
        self,
        counts: FrequencyTable,
        requirements: Sequence[Requirement],
        attributes: Sequence[Attribute],
        loss: Loss,
    ) -> None:
        self.attributes = tuple(attributes)
        self.steps: list[Step] = []
        self._loss = loss
        codes_at = np.cumsum([0, *(len(one.part) for one in attributes)], dtype=np.int64)
        self._parts_at = np.cumsum([0, *(len(one.allowed) for one in attributes)], dtype=np.int64)
        self._column = np.repeat(np.arange(len(attributes)), np.diff(self._parts_at))
        most = max(int(np.diff(codes_at).max()), *(len(one.hierarchy.parent) for one in attributes))
        candidates = _kernels.Candidates(
            codes_at=codes_at,
            parts_at=self._parts_at,
            branch=np.zeros(codes_at[-1], dtype=np.int32),
            discloses=np.array([one.discloses for one in attributes]),
            allowed=np.zeros(self._parts_at[-1], dtype=bool),
            refused=np.full(self._parts_at[-1], -1, dtype=np.int32),
            total=np.zeros(most + 1, dtype=np.int64),
            place=np.zeros(most + 1, dtype=np.int64),
            touched=np.zeros(most + 1, dtype=np.int32),
        )
        self._gain, self._drop = np.zeros(self._parts_at[-1]), np.zeros(self._parts_at[-1], dtype=np.int64)
        self._candidates = candidates
        for at, one in enumerate(attributes):
            codes, parts = slice(*codes_at[at : at + 2]), slice(*self._parts_at[at : at + 2])
            one.adopt(candidates.branch[codes], candidates.allowed[parts], self._gain[parts], self._drop[parts])
        self.shields = tuple(
            ShieldClasses(counts, shield, those, number, candidates)
            for number, (shield, those) in enumerate(by_shield(counts, requirements).items())
        )
        held = [[at in one.shield for at in range(len(attributes))] for one in self.shields]
        self._held = np.array(held, dtype=bool).reshape(len(self.shields), len(attributes))
        weights = np.array([one.weight for one in self.shields])
        self._weight = weights @ self._held

    def run(self) -> None:
        """Specialize until there is no candidate."""
        while self.step() is not None:
            pass

    def step(self) -> Step | None:
        """Apply the candidate with the highest score, the first of equal ones."""
        found = self._found()
        if not len(found):
            return None
        gains, losses = self._gain[found], self._losses(found)
        scores = gains / (losses + 1)
        best = int(np.argmax(scores))
        column = int(self._column[found[best]])
        candidate = int(found[best] - self._parts_at[column])
        attribute = self.attributes[column]
        step = Step(column, attribute.label(candidate), float(gains[best]), float(losses[best]), float(scores[best]))
        split = attribute.specialize(candidate)
        for shield in self.shields:
            shield.divide(column, split)
        self.steps.append(step)
        return step

    def _found(self) -> Longs:
        return np.flatnonzero(self._candidates.allowed & (self._gain > 0))

    def _losses(self, found: Longs) -> Floats:
        column = self._column[found]
        if self._loss == "node":
            return np.where(self._weight[column] > 0, self._drop[found], 0).astype(np.float64)
        total = np.zeros(len(found))
        for held, shield in zip(self._held, self.shields, strict=True):
            falls = np.maximum(shield.smallest_class - shield.smallest_after[found], 0)
            total += shield.weight * held[column] * falls
        mean: Floats = total / np.maximum(self._weight[column], 1)
        return mean
