"""What choices are compared by: measures of risk and of utility, each with its direction and what it means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hedgerow.errors import BadInput
from hedgerow.evaluation.scores import BETTER_WHEN_LOWER, SCORE_TITLES, SCORES
from hedgerow.evaluation.tables import Task

__all__ = ["HIGHEST_RISK", "KEPT", "Measure", "find_measure", "kept_measures", "risk_measures", "score_measures"]

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
