"""Evaluation: what a table is still good for after it was anonymized, and whether methods differ in this.

The command, comparisons and reproductions may import it. It imports methods, releases and learning.
Start with :mod:`~hedgerow.evaluation.api` for ``hr.evaluate``, then :mod:`~hedgerow.evaluation.cells`; and with
:mod:`~hedgerow.evaluation.estimates.api` for ``hr.analyses``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hedgerow.evaluation.analyses import ANALYSES, Agglomerative, Analysis, Apriori, Counts, Estimates, KMeans
    from hedgerow.evaluation.charts import critical_difference_diagram
    from hedgerow.evaluation.estimates.results import AnalysisResult, Estimate
    from hedgerow.evaluation.learners import LEARNERS, learner
    from hedgerow.evaluation.results import Contrast, Evaluation, Tests
    from hedgerow.evaluation.statistics import BonferroniDunn, Friedman, FTest, bonferroni_dunn, five_by_two, friedman

__all__ = [
    "ANALYSES",
    "LEARNERS",
    "Agglomerative",
    "Analysis",
    "AnalysisResult",
    "Apriori",
    "BonferroniDunn",
    "Contrast",
    "Counts",
    "Estimate",
    "Estimates",
    "Evaluation",
    "FTest",
    "Friedman",
    "KMeans",
    "Tests",
    "bonferroni_dunn",
    "critical_difference_diagram",
    "five_by_two",
    "friedman",
    "learner",
]

# Names are imported on first use: the statistics need SciPy, which few commands use.
_MODULES = {
    "analyses": ("ANALYSES", "Agglomerative", "Analysis", "Apriori", "Counts", "Estimates", "KMeans"),
    "charts": ("critical_difference_diagram",),
    "estimates.results": ("AnalysisResult", "Estimate"),
    "learners": ("LEARNERS", "learner"),
    "results": ("Contrast", "Evaluation", "Tests"),
    "statistics": ("BonferroniDunn", "FTest", "Friedman", "bonferroni_dunn", "five_by_two", "friedman"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(importlib.import_module(f"hedgerow.evaluation.{module}"), name)
    raise AttributeError(f"module 'hedgerow.evaluation' has no attribute {name!r}")
