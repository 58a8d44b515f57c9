"""Evaluation: whether what was measured differs by more than chance, and how to show it."""

from hedgerow.evaluation.diagrams import critical_difference_diagram
from hedgerow.evaluation.statistics import BonferroniDunn, Friedman, FTest, bonferroni_dunn, five_by_two, friedman

__all__ = [
    "BonferroniDunn",
    "FTest",
    "Friedman",
    "bonferroni_dunn",
    "critical_difference_diagram",
    "five_by_two",
    "friedman",
]
