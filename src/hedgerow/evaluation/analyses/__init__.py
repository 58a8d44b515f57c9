"""Analyses by name: what people do with a table besides predicting a column of it.

Each analysis compares what a reader finds in a release with what the original rows show. ``hr.evaluate`` runs them in
the place of learners. Importing this imports neither scikit-learn nor SciPy.
Start with :class:`~hedgerow.evaluation.analyses.base.Analysis`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from hedgerow.errors import BadInput
from hedgerow.evaluation.analyses.association import Apriori
from hedgerow.evaluation.analyses.base import Analysis, Material
from hedgerow.evaluation.analyses.clustering import Agglomerative, KMeans
from hedgerow.evaluation.analyses.estimates import Estimates
from hedgerow.evaluation.analyses.queries import Counts
from hedgerow.evaluation.estimates.notation import parse_all
from hedgerow.evaluation.tables import AnalysisTask

__all__ = [
    "ANALYSES",
    "Agglomerative",
    "Analysis",
    "Apriori",
    "Counts",
    "Estimates",
    "KMeans",
    "Material",
    "analysis_task",
    "named_analyses",
    "with_planned",
]

ANALYSES: Final[Mapping[str, type[Analysis]]] = MappingProxyType(
    {kind.name: kind for kind in (KMeans, Agglomerative, Apriori, Counts, Estimates)}
)
"""The analyses by name."""

_DEFAULTS: Final[Mapping[AnalysisTask, str]] = MappingProxyType(
    {"clustering": KMeans.name, "association": Apriori.name, "queries": Counts.name, "estimates": Estimates.name}
)
_PREDICTION: Final = "classification"


def analysis_task(task: object, owner: str = "evaluate") -> AnalysisTask | None:
    """The task of a parameter; ``None`` for the prediction of a target, which learners do.

    >>> analysis_task("queries"), analysis_task("classification")
    ('queries', None)
    """
    if task == _PREDICTION:
        return None
    for known in _DEFAULTS:
        if task == known:
            return known
    must = " or ".join(map(repr, (_PREDICTION, *_DEFAULTS)))
    raise BadInput.parameter("task", owner, must, task)


def named_analyses(given: Any, task: AnalysisTask, owner: str = "evaluate") -> list[Analysis]:
    """The analyses of a parameter ``learners``, by default the first of the task."""
    if given is None:
        given = _DEFAULTS[task]
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    analyses = [_analysis(one, task, owner) for one in given]
    if not analyses:
        raise BadInput(f"No analysis is given. Name at least one, such as {_DEFAULTS[task]!r}.")
    if len({one.name for one in analyses}) < len(analyses):
        raise BadInput("Two analyses have the same name. Leave one out.")
    return analyses


def with_planned(
    task: str, learners: Any, planned: Iterable[str] | str | None, owner: str = "evaluate"
) -> tuple[str, Any]:
    """The task and the learners, or what named analyses put in their place.

    >>> with_planned("classification", "c45", None), with_planned("classification", None, "mean  days")
    (('classification', 'c45'), ('estimates', Estimates(planned=('mean days',), draws=5)))
    """
    if planned is None:
        return task, learners
    if task not in (_PREDICTION, Estimates.task):
        raise BadInput(f"Analyses are named, and the task is {task!r}. Leave one of them out.")
    if learners is not None:
        raise BadInput("Both analyses and learners are named. Leave one of them out.")
    return Estimates.task, Estimates(planned=tuple(analysis.text for analysis in parse_all(planned, owner)))


def _analysis(given: Any, task: AnalysisTask, owner: str) -> Analysis:
    known = [name for name, kind in ANALYSES.items() if kind.task == task]
    if isinstance(given, str):
        if given not in known:
            raise BadInput.unknown("analysis", given, known, f"The task is {task!r}.")
        return ANALYSES[given]()
    if not isinstance(given, Analysis):
        must = f"an analysis or the name of one ({', '.join(map(repr, known))}) for task={task!r}"
        raise BadInput.parameter("learners", owner, must, type(given).__name__)
    if given.task != task:
        raise BadInput(
            f"The analysis {given.name!r} is one of {given.task}, and the task is {task!r}. Name one of "
            f"{', '.join(map(repr, known))}."
        )
    return given
