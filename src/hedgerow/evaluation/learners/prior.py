"""What is known without looking at a row."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.evaluation.learners.base import Fitted, Learner, Training

__all__ = ["Majority"]


@dataclass(frozen=True)
class Majority(Learner):
    """Expects of every row what training rows are on the whole: their classes as often as they occur, or their mean."""

    name = "majority"
    tasks = frozenset({"classes", "numbers"})

    def _fit(self, training: Training) -> Fitted:
        return training.constant()
