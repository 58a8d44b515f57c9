"""A choice: one method at one k and one suppression limit, with what is known of it."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from hedgerow._internal.rounding import significant
from hedgerow.errors import BadInput, plural
from hedgerow.evaluation.scores import BETTER_WHEN_LOWER, SCORE_TITLES, SCORES
from hedgerow.evaluation.tables import Task

__all__ = [
    "Choice",
    "HIGHEST_RISK",
    "KEPT",
    "Measure",
    "STATUSES",
    "Status",
    "choice_of",
    "find_measure",
    "kept_measures",
    "limit_told",
    "risk_measures",
    "score_figures",
    "score_measures",
]


# --------------------------------------------------------------------------------------------------
# What choices are compared by: measures of risk and of utility, each with its direction and what it means.


Side = Literal["risk", "utility"]


@dataclass(frozen=True)
class Measure:
    """A figure that choices are compared by.

    Attributes
    ----------
    name : str
        As :meth:`Comparison.frontier` takes it, and as columns are called.
    title : str
        For axes and headings.
    meaning : str
        One line for a person.
    side : {"risk", "utility"}
    lower_is_better : bool
    share : bool
        Whether it is a share, which is shown in percent.
    """

    name: str
    title: str
    meaning: str
    side: Side
    lower_is_better: bool = False
    share: bool = True

    def told(self, value: float | None) -> str:
        """A figure as it is shown.

        >>> HIGHEST_RISK.told(0.0909), HIGHEST_RISK.told(None)
        ('9.09%', '–')
        """
        if value is None:
            return "–"
        return f"{100 * value:.3g}%" if self.share else f"{value:.3g}"

    def worth(self, value: float) -> float:
        """The figure, so that more is better."""
        return -value if self.lower_is_better else value


def _risk(name: str, title: str, meaning: str) -> Measure:
    return Measure(name, title, meaning, "risk", lower_is_better=True)


HIGHEST_RISK: Final = _risk(
    "highest_risk",
    "Highest risk of a person",
    "The chance to find a person again who is known to be in the table, in the smallest class: 1 over its size.",
)
_AVERAGE: Final = _risk(
    "average_risk",
    "Average risk",
    "The same chance, averaged over all records. It is also the marketer's: the share of records matched rightly.",
)
_GUESS: Final = _risk(
    "surest_guess",
    "Surest guess by proportions",
    "The largest share that the published proportions tell of one value, where the table itself hides it.",
)
KEPT: Final = "ncp_kept"
"""The measure of utility where nothing is learnt."""

_OF_LOSSES: Final = (
    (KEPT, "Detail kept (1 − ncp)", "1 less the mean width of what each class holds: 1 is untouched."),
    (
        "ncp_published_kept",
        "Detail kept as written (1 − ncp_published)",
        "1 less the mean width of what is written in the cells.",
    ),
    ("loss_kept", "Detail kept by hierarchies (1 − loss)", "1 less the mean share of leaves below a cell, as in ARX."),
    ("prec", "Precision", "How low in their hierarchies the cells stay: 1 is untouched."),
    ("cells_kept", "Cells kept (1 − suppression)", "The share of cells that are neither suppressed nor lost."),
)


def risk_measures(target: str | None, sensitive: Sequence[str], *, proportions: bool) -> list[Measure]:
    """The measures of risk that a table has."""
    found = [HIGHEST_RISK, _AVERAGE]
    if target is not None:
        found.append(
            _risk(
                "label_disclosure",
                f"Known {target}",
                f"The share of records in classes whose {target} is all the same: who finds the class knows it.",
            )
        )
    if sensitive:
        found.append(
            _risk(
                "sensitive_disclosure",
                "Known sensitive value",
                f"The share of records in classes with a single value of {', '.join(sensitive)}; the worst of these "
                "columns.",
            )
        )
    return [*found, _GUESS] if proportions else found


def score_measures(task: Task, target: str, learners: Sequence[str]) -> list[Measure]:
    """How well the target can be learnt: by all learners on average, and by each."""
    found = []
    for name in SCORES[task]:
        lower, title = name in BETTER_WHEN_LOWER, SCORE_TITLES[name]
        share = name in ("accuracy", "auc", "f1")
        of = learners[0] if len(learners) == 1 else f"mean of {', '.join(learners)}"
        meaning = f"{title} of {of}, trained on what is published and asked about the {target} of other people."
        found.append(Measure(name, f"{title} ({of})", meaning, "utility", lower, share))
        for one in learners if len(learners) > 1 else ():
            told = f"{title} of {one} alone."
            found.append(Measure(f"{name}:{one}", f"{title} ({one})", told, "utility", lower, share))
    return found


def kept_measures() -> list[Measure]:
    """What is kept of the quasi-identifiers, whatever is learnt from them."""
    return [Measure(name, title, meaning, "utility") for name, title, meaning in _OF_LOSSES]


def find_measure(known: Iterable[Measure], name: str, side: Side) -> Measure:
    """Look a measure up by its name.

    >>> find_measure(kept_measures(), "prek", "utility")
    Traceback (most recent call last):
    hedgerow.errors.BadInput: There is no measure of utility 'prek'. Did you mean 'prec'?
    """
    named = {one.name: one for one in known if one.side == side}
    if name not in named:
        raise BadInput.unknown(f"measure of {side}", str(name), named)
    return named[name]


Status = Literal["done", "in part", "not begun", "infeasible", "disclosing", "weak"]
Result = Mapping[str, Any]

STATUSES: Final[Mapping[Status, str]] = {
    "done": "Released, and all that is to be tried was tried.",
    "in part": "Released, but not all training parts were tried.",
    "not begun": "Not released: the time was over, or the run was stopped.",
    "infeasible": "The requirement cannot be met.",
    "disclosing": "A column in clear would tell too much.",
    "weak": "The method, as it was asked for, does not keep its guarantee.",
}
"""How far a choice is, and what that means."""


@dataclass(frozen=True)
class Choice:
    """One method at one k and one suppression limit.

    Attributes
    ----------
    method : str
        What the method is called.
    k : int, optional
        The k that was asked for.
    suppression_limit : float or int, optional
        How many rows might be lost.
    status : str
        ``"done"``, ``"in part"``, ``"not begun"``, ``"infeasible"``, ``"disclosing"`` or ``"weak"``.
    reason : str
        Why there is no release, or no score.
    k_reached : int, optional
        The records (or people) of the smallest class.
    figures : mapping of str to float
        What is known, by the names of the measures: rounded, since it was computed from original rows.
    errors : mapping of str to float
        The standard errors of scores, where they were measured on two parts or more.
    parts : int
        On how many parts scores were measured.
    rows_lost : float, optional
        The share of lost rows, in whole percents.
    classes : int, optional
        How many classes there are, about.
    seconds : float
        How long it took, release and parts.
    warnings : tuple of str
        What makes it worth nothing, though it holds.
    """

    method: str
    k: int | None
    suppression_limit: float | None = None
    status: Status = "done"
    reason: str = ""
    k_reached: int | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    errors: Mapping[str, float] = field(default_factory=dict)
    parts: int = 0
    rows_lost: float | None = None
    classes: int | None = None
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What it is called in a sentence.

        >>> Choice("mondrian", 10).label, Choice("kactus", 5, 0.02).label
        ('mondrian with k = 10', 'kactus with k = 5, up to 2% lost')
        """
        k = "" if self.k is None else f" with k = {self.k:,}"
        return f"{self.method}{k}{self._lost}"

    @property
    def treatment_label(self) -> str:
        """The method with what may be lost: what an evaluation calls it, which tells methods and k apart."""
        return f"{self.method}{self._lost}"

    @property
    def _lost(self) -> str:
        return f", up to {limit_told(self.suppression_limit)} lost" if self.suppression_limit else ""

    def value(self, measure: Measure) -> float | None:
        """The figure of a measure, if it is known."""
        return self.figures.get(measure.name)

    def told(self, measure: Measure) -> str:
        """The figure of a measure as it is shown, with its standard error."""
        error = self.errors.get(measure.name)
        return measure.told(self.value(measure)) + (f" ± {measure.told(error)}" if error else "")


def limit_told(limit: float | None) -> str:
    """How a suppression limit is written.

    >>> limit_told(None), limit_told(0.02), limit_told(200)
    ('0', '2%', '200 rows')
    """
    if not limit:
        return "0"
    return f"{100 * limit:g}%" if isinstance(limit, float) else plural(limit, "rows")


def choice_of(
    named: Choice,
    release: Result | None,
    parts: Sequence[Result],
    *,
    wanted: int,
    learners: int,
    measures: Sequence[Measure],
    digits: int,
) -> Choice:
    """What is known of a choice.

    Parameters
    ----------
    named : Choice
        Its method, k and limit.
    release : mapping, optional
        The result of its release of the whole table, if that is finished.
    parts : sequence of mappings
        The results of its finished cells: every learner on every training part.
    wanted : int
        How many cells there are when all are finished.
    learners : int
        How many of them each part has.
    measures : sequence of Measure
    digits : int
        How many significant digits of scores are told.
    """
    seconds = sum(one.get("learning_seconds", 0.0) for one in parts)
    # What anonymizing a part took stands in the result of each learner.
    by_part = {(one["repetition"], one["fold"]): one.get("anonymizing_seconds", 0.0) for one in parts}
    spent = seconds + sum(by_part.values()) + (release or {}).get("anonymizing_seconds", 0.0)
    if release is None:
        return _with(named, status="not begun", seconds=spent)
    if "k_reached" not in release:
        return _with(named, status=release["status"], reason=release["reason"], seconds=spent)
    figures = {one.name: release[one.name] for one in measures if release.get(one.name) is not None}
    means, errors, tried = score_figures(parts, learners, digits)
    why = next((one["reason"] for one in parts if one["status"] != "done"), "")
    failed = f"There is no score, because of a training part. {why}" if why else ""
    if failed:
        means, errors, tried = {}, {}, 0
    known = {one.name for one in measures}
    whole: Status = "weak" if release["status"] == "weak" else "done"
    return _with(
        named,
        status=whole if len(parts) == wanted or whole == "weak" else "in part",
        reason=release.get("reason", "") or failed,
        k_reached=release["k_reached"],
        figures={**figures, **{name: mean for name, mean in means.items() if name in known}},
        errors={name: error for name, error in errors.items() if name in known},
        parts=tried,
        rows_lost=release["rows_lost"],
        classes=release["classes"],
        seconds=spent,
        warnings=tuple(release["warnings"]),
    )


def _with(named: Choice, **known: Any) -> Choice:
    known["seconds"] = round(known["seconds"], 2)
    return Choice(named.method, named.k, named.suppression_limit, **known)


def score_figures(
    parts: Sequence[Result], learners: int, digits: int
) -> tuple[dict[str, float], dict[str, float], int]:
    """The mean of each score over the parts, its standard error, and how many parts there are.

    A part counts when all learners were tried on it; those that were not would make choices unlike. Names are those of
    the measures: ``accuracy`` is the mean of all learners, ``accuracy:c45`` that of one.
    """
    by_part: dict[tuple[int, int], list[Result]] = {}
    for one in parts:
        by_part.setdefault((one["repetition"], one["fold"]), []).append(one)
    whole = [found for found in by_part.values() if len(found) == learners]
    scores: dict[str, list[float]] = {}
    for found in whole:
        for name, values in _scores(found).items():
            scores.setdefault(name, []).append(statistics.fmean(values))
    known = {name: values for name, values in scores.items() if len(values) == len(whole)}
    errors = {
        name: significant(statistics.stdev(values) / len(values) ** 0.5, digits)
        for name, values in known.items()
        if len(values) > 1
    }
    return {name: significant(statistics.fmean(values), digits) for name, values in known.items()}, errors, len(whole)


_SCORES: Final = tuple(name for names in SCORES.values() for name in names)


def _scores(results: Sequence[Result]) -> dict[str, list[float]]:
    """The scores of one part, of all learners together and of each."""
    found: dict[str, list[float]] = {}
    for one in results:
        for name in _SCORES:
            if one.get(name) is not None:
                found.setdefault(name, []).append(one[name])
                found.setdefault(f"{name}:{one['learner']}", []).append(one[name])
    return {name: values for name, values in found.items() if ":" in name or len(values) == len(results)}
