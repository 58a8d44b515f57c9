"""Choices: a method at one k and one suppression limit, with its results; and the measures that compare them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple

from hedgerow._internal.rounding import significant
from hedgerow.errors import BadInput, plural
from hedgerow.evaluation.scores import BETTER_WHEN_LOWER, SCORE_TITLES, SCORES, SHARES
from hedgerow.evaluation.tables import AnyTask

__all__ = [
    "Cells",
    "Choice",
    "HIGHEST_RISK",
    "KEPT",
    "Measure",
    "STATUSES",
    "SUREST_GUESS",
    "Status",
    "find_measure",
    "kept_measures",
    "limit_text",
    "risk_measures",
    "score_figures",
    "score_measures",
    "with_results",
]


# --------------------------------------------------------------------------------------------------
# The measures of choices: of risk and of utility, each with its direction and its meaning.


Side = Literal["risk", "utility"]


@dataclass(frozen=True)
class Measure:
    """A figure by which choices are compared.

    Attributes
    ----------
    name : str
        The name in :meth:`Comparison.frontier` and of a column.
    title : str
        For axes and headings.
    meaning : str
        One line for a person.
    side : {"risk", "utility"}
    lower_is_better : bool
    share : bool
        Whether it is a share, shown in percent.
    """

    name: str
    title: str
    meaning: str
    side: Side
    lower_is_better: bool = False
    share: bool = True

    def told(self, value: float | None) -> str:
        """The text of a figure.

        >>> HIGHEST_RISK.told(0.0909), HIGHEST_RISK.told(None)
        ('9.09%', '–')
        """
        if value is None:
            return "–"
        return f"{100 * value:.3g}%" if self.share else f"{value:.3g}"

    def worth(self, value: float) -> float:
        """The figure with a sign so that more is better."""
        return -value if self.lower_is_better else value


def _risk(name: str, title: str, meaning: str) -> Measure:
    return Measure(name, title, meaning, "risk", lower_is_better=True)


HIGHEST_RISK: Final = _risk(
    "highest_risk",
    "Highest risk of a person",
    "The chance to recognize a person of the smallest class who is known to be in the table: 1 over the class size.",
)
_AVERAGE: Final = _risk(
    "average_risk",
    "Average risk",
    "The same chance, averaged over all records. It is also the marketer risk: the share of records matched correctly.",
)
SUREST_GUESS: Final = _risk(
    "surest_guess",
    "Surest guess by proportions",
    "The highest certainty that the published proportions give about a value that the table itself hides.",
)
KEPT: Final = "ncp_published_kept"
"""The measure of utility without a target: a reader has nothing but what is written."""

_OF_LOSSES: Final = (
    (
        KEPT,
        "Detail kept as written (1 − ncp_published)",
        "1 less the mean width of what is written in the cells: 1 is untouched, and * is 0.",
    ),
    ("ncp_kept", "Detail kept (1 − ncp)", "1 less the mean width of what each class holds, whatever is written."),
    ("loss_kept", "Detail kept by hierarchies (1 − loss)", "1 less the mean share of leaves below a cell, as in ARX."),
    ("prec", "Precision", "How low in their hierarchies the cells stay: 1 is untouched."),
    ("cells_kept", "Cells kept (1 − suppression)", "The share of cells that are neither suppressed nor lost."),
)


def risk_measures(target: str | None, sensitive: Sequence[str], *, proportions: bool) -> list[Measure]:
    """The measures of risk for a table."""
    measures = [HIGHEST_RISK, _AVERAGE]
    if target is not None:
        measures.append(
            _risk(
                "label_disclosure",
                f"Known {target}",
                f"The share of records in classes with a single value of {target}: finding the class reveals it.",
            )
        )
    if sensitive:
        measures.append(
            _risk(
                "sensitive_disclosure",
                "Known sensitive value",
                f"The share of records in classes with a single value of {', '.join(sensitive)}; the worst of these "
                "columns.",
            )
        )
    return [*measures, SUREST_GUESS] if proportions else measures


_OF_ANALYSES: Final = {
    "adjusted_rand": "How far clusters learnt from what is published divide other people as clusters of the original "
    "rows do: 1 is alike, 0 is chance.",
    "rules_f1": "The harmonic mean of the shares of true rules that are found and of found rules that are true.",
    "rules_kept": "The share of the original rows' association rules that what is published shows, too.",
    "rules_invented": "The share of the association rules in what is published that the original rows do not show.",
    "itemsets_kept": "The share of the original rows' frequent itemsets that what is published shows, too.",
    "itemsets_invented": "The share of the frequent itemsets in what is published that are rarer in the original rows.",
    "median_error": "The relative error of random COUNT queries: half of them are closer.",
    "mean_error": "The relative error of random COUNT queries, on average.",
    "overlap": "How far the 95 % confidence intervals of the planned analyses agree with those of the original rows: "
    "100 % is alike, 0 % is apart.",
    "estimate_error": "The relative error of the estimates of the planned analyses: the median of each analysis, "
    "averaged.",
}


def score_measures(task: AnyTask, target: str | None, learners: Sequence[str]) -> list[Measure]:
    """The scores of a task as measures: of all learners or analyses on average, and of each."""
    everybody = learners[0] if len(learners) == 1 else f"mean of {', '.join(learners)}"
    measures = []
    for name in SCORES[task]:
        title, share = SCORE_TITLES[name], name in SHARES
        predicted = f"{title} of {everybody}, trained on what is published, when predicting {target} of other people."
        meaning = _OF_ANALYSES.get(name, predicted)
        named = [(name, everybody, meaning)]
        if len(learners) > 1:
            named += [(f"{name}:{learner}", learner, f"{title} of {learner} alone.") for learner in learners]
        measures += [
            Measure(key, f"{title} ({of})", meaning, "utility", name in BETTER_WHEN_LOWER, share)
            for key, of, meaning in named
        ]
    return measures


def kept_measures() -> list[Measure]:
    """The detail kept of the quasi-identifiers, whether or not there is a target."""
    return [Measure(name, title, meaning, "utility") for name, title, meaning in _OF_LOSSES]


def find_measure(known: Iterable[Measure], name: str, side: Side) -> Measure:
    """Look a measure up by its name.

    >>> find_measure(kept_measures(), "prek", "utility")
    Traceback (most recent call last):
    hedgerow.errors.BadInput: There is no measure of utility 'prek'. Did you mean 'prec'?
    """
    measures = {measure.name: measure for measure in known if measure.side == side}
    if name not in measures:
        raise BadInput.unknown(f"measure of {side}", str(name), measures)
    return measures[name]


# --------------------------------------------------------------------------------------------------
# Choices, from the plan to the result.


Status = Literal["done", "in part", "not begun", "infeasible", "disclosing", "failed", "weak"]
Result = Mapping[str, Any]

STATUSES: Final[Mapping[Status, str]] = {
    "done": "Released, and tried on all training parts.",
    "in part": "Released, but not all training parts were tried.",
    "not begun": "Not released: the time limit was reached, or the run was stopped.",
    "infeasible": "The requirement cannot be met.",
    "disclosing": "A column in clear would reveal too much.",
    "failed": "The method cannot release this table.",
    "weak": "With these parameters, the method does not keep its guarantee.",
}
"""The statuses of a choice, and their meaning."""


class Cells(NamedTuple):
    """How the cells of the quasi-identifiers are written: the shares that are as they were, generalized, and ``*``.

    >>> print(Cells(0.125, 0.0, 0.875))
    12.5% are as they were, 0% generalized, 87.5% suppressed (*)
    """

    untouched: float
    generalized: float
    suppressed: float

    def __str__(self) -> str:
        texts = (f"{100 * share:.3g}%" for share in self)
        words = ("are as they were", "generalized", "suppressed (*)")
        return ", ".join(f"{text} {word}" for text, word in zip(texts, words, strict=True))


@dataclass(frozen=True)
class Choice:
    """One method at one k and one suppression limit.

    Attributes
    ----------
    method : str
        The name of the method.
    k : int, optional
        The k that was asked for.
    suppression_limit : float or int, optional
        How many rows may be lost.
    status : str
        ``"done"``, ``"in part"``, ``"not begun"``, ``"infeasible"``, ``"disclosing"``,
        ``"failed"`` or ``"weak"``.
    reason : str
        Why there is no release, or no score.
    k_reached : int, optional
        The size of the smallest class, in records or people.
    figures : mapping of str to float
        The known figures by the names of the measures. They are rounded, since they come from original rows.
    errors : mapping of str to float
        The standard errors of scores, which need at least two parts.
    parts : int
        The number of parts behind the scores.
    rows_lost : float, optional
        The share of lost rows, in whole percents.
    classes : int, optional
        The approximate number of classes.
    seconds : float
        The time for the release and the parts.
    warnings : tuple of str
        Why the release is worth nothing, though its requirements hold.
    cells : Cells, optional
        How the cells of the release are written.
    alike : tuple of int
        Other k for which the method makes the very same table, at the same suppression limit.
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
    cells: Cells | None = None
    alike: tuple[int, ...] = ()

    @property
    def label(self) -> str:
        """The name of the choice in a sentence.

        >>> import hedgerow as hr
        >>> hr.comparison.Choice("mondrian", 10).label, hr.comparison.Choice("kactus", 5, 0.02).label
        ('mondrian with k = 10', 'kactus with k = 5, up to 2% lost')
        """
        k = "" if self.k is None else f" with k = {self.k:,}"
        return f"{self.method}{k}{self._lost}"

    @property
    def treatment_label(self) -> str:
        """The method and its suppression limit: its name in an evaluation, which keeps k apart."""
        return f"{self.method}{self._lost}"

    @property
    def _lost(self) -> str:
        return f", up to {limit_text(self.suppression_limit)} lost" if self.suppression_limit else ""

    def value(self, measure: Measure) -> float | None:
        """The figure of a measure, if it is known."""
        return self.figures.get(measure.name)

    def told(self, measure: Measure) -> str:
        """The text of a figure, with its standard error."""
        error = self.errors.get(measure.name)
        return measure.told(self.value(measure)) + (f" ± {measure.told(error)}" if error else "")


def limit_text(limit: float | None) -> str:
    """The text of a suppression limit.

    >>> limit_text(None), limit_text(0.02), limit_text(200)
    ('0', '2%', '200 rows')
    """
    if not limit:
        return "0"
    return f"{100 * limit:g}%" if isinstance(limit, float) else plural(limit, "rows")


def with_results(
    choice: Choice,
    release: Result | None,
    parts: Sequence[Result],
    *,
    wanted: int,
    learners: int,
    measures: Sequence[Measure],
    digits: int,
) -> Choice:
    """The same choice with the results that are known by now.

    Parameters
    ----------
    choice : Choice
    release : mapping, optional
        The result of its release of the whole table, if that is finished.
    parts : sequence of mappings
        The results of its finished cells: every learner on every training part.
    wanted : int
        The number of cells when all are finished.
    learners : int
        The number of cells of each part.
    measures : sequence of Measure
    digits : int
        The significant digits of scores.
    """
    choice = replace(choice, seconds=round(_seconds(release, parts), 2))
    if release is None:
        return replace(choice, status="not begun")
    if "k_reached" not in release:
        return replace(choice, status=release["status"], reason=release["reason"])
    why = next((result["reason"] for result in parts if result["status"] != "done"), "")
    failure = f"There is no score, because of a training part. {why}" if why else ""
    scores = ScoreFigures({}, {}, 0) if failure else score_figures(parts, learners, digits)
    names = [measure.name for measure in measures]
    status: Status = "done" if len(parts) == wanted else "in part"
    return replace(
        choice,
        status="weak" if release["status"] == "weak" else status,
        reason=release.get("reason", "") or failure,
        k_reached=release["k_reached"],
        figures=_of(names, release) | _of(names, scores.means),
        errors=_of(names, scores.errors),
        parts=scores.parts,
        rows_lost=release["rows_lost"],
        classes=release["classes"],
        warnings=tuple(release["warnings"]),
        # Results of older versions have none.
        cells=Cells(*release["cells"]) if release.get("cells") else None,
    )


def _of(names: Sequence[str], figures: Mapping[str, Any]) -> dict[str, float]:
    """The known figures of measures."""
    return {name: figures[name] for name in names if figures.get(name) is not None}


def _seconds(release: Result | None, parts: Sequence[Result]) -> float:
    """The time of a choice: of its release, and of its training parts."""
    # Every learner of a part repeats the seconds of anonymizing it.
    by_part = {(result["repetition"], result["fold"]): result.get("anonymizing_seconds", 0.0) for result in parts}
    seconds: float = sum(result.get("learning_seconds", 0.0) for result in parts) + sum(by_part.values())
    return seconds + float((release or {}).get("anonymizing_seconds", 0.0))


class ScoreFigures(NamedTuple):
    """The mean of each score over the parts, its standard error, and the number of parts."""

    means: dict[str, float]
    errors: dict[str, float]
    parts: int


def score_figures(results: Sequence[Result], learners: int, digits: int) -> ScoreFigures:
    """Average the scores over the parts.

    A part counts only when all its learners are finished; otherwise choices would not be comparable. Names are those of
    the measures: ``accuracy`` is the mean of all learners, ``accuracy:c45`` the mean of that learner.
    """
    by_part: dict[tuple[int, int], list[Result]] = {}
    for result in results:
        by_part.setdefault((result["repetition"], result["fold"]), []).append(result)
    complete = [part for part in by_part.values() if len(part) == learners]
    scores: dict[str, list[float]] = {}
    for part in complete:
        for name, values in _scores(part).items():
            scores.setdefault(name, []).append(statistics.fmean(values))
    known = {name: values for name, values in scores.items() if len(values) == len(complete)}
    errors = {
        name: significant(statistics.stdev(values) / len(values) ** 0.5, digits)
        for name, values in known.items()
        if len(values) > 1
    }
    means = {name: significant(statistics.fmean(values), digits) for name, values in known.items()}
    return ScoreFigures(means, errors, len(complete))


_SCORES: Final = tuple(name for names in SCORES.values() for name in names)


def _scores(results: Sequence[Result]) -> dict[str, list[float]]:
    """The scores of one part, of all learners together and of each."""
    scores: dict[str, list[float]] = {}
    for result in results:
        for name in _SCORES:
            if result.get(name) is not None:
                scores.setdefault(name, []).append(result[name])
                scores.setdefault(f"{name}:{result['learner']}", []).append(result[name])
    return {name: values for name, values in scores.items() if ":" in name or len(values) == len(results)}
