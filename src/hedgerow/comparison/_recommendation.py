"""The frontier of choices, and the recommended choice.

L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, "Classification and Regression Trees", 1984, section 3.4.3: take
the simplest of all that differ from the best by less than one standard error. Here the simplest is the least risky.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hedgerow.comparison.choices import HIGHEST_RISK, KEPT, SUREST_GUESS, Choice, Measure
from hedgerow.errors import plural

__all__ = ["Baseline", "Recommendation", "deciding", "pareto", "recommend", "size_for"]

_SLACK: Final = 1e-9


@dataclass(frozen=True)
class Baseline:
    """The value of a score without anonymizing, and of the least that a release can do.

    Attributes
    ----------
    unanonymized : float, optional
    majority : float, optional
        For a learner that only knows the frequency of each label; for an analysis the score of rows whose
        quasi-identifiers are all suppressed.
    lowest : {"majority", "no-information"}
        Which of the two it is.
    error : float
        The standard error of ``unanonymized``.
    """

    unanonymized: float | None = None
    majority: float | None = None
    lowest: Literal["majority", "no-information"] = "majority"
    error: float = 0.0

    @property
    def lowest_named(self) -> str:
        """The lower baseline in a sentence."""
        return "the majority" if self.lowest == "majority" else "rows without information"


@dataclass(frozen=True)
class Recommendation:
    """The choice to take, and why.

    Attributes
    ----------
    choice : Choice, optional
        ``None`` if no choice is within the threshold.
    reason : str
        Two or three sentences.
    threshold : float
        The highest risk that is allowed.
    size : int
        The least class size for that risk.
    void : bool
        Whether no choice within the threshold lets learners do better than the majority.
    """

    choice: Choice | None
    reason: str
    threshold: float
    size: int
    void: bool = False

    def __str__(self) -> str:
        return self.reason


def size_for(threshold: float) -> int:
    """The least class size for a risk.

    Thresholds are written with two digits: 0.33 stands for 1/3, and 0.09 for 1/11.

    >>> [size_for(risk) for risk in (0.33, 0.2, 0.09, 0.05, 0.3, 1.0)]
    [3, 5, 11, 20, 4, 1]
    """
    nearest = max(round(1 / threshold), 1)
    if math.isclose(round(1 / nearest, 2), threshold, abs_tol=_SLACK):
        return nearest
    return max(math.ceil(1 / threshold - _SLACK), 1)


def pareto(choices: Sequence[Choice], risk: Measure, utility: Measure) -> tuple[Choice, ...]:
    """The choices that no other choice beats in risk or utility without being worse in the other, by their risk."""
    known = [
        (risk.worth(at_risk), utility.worth(kept), choice)
        for choice in choices
        if choice.status != "weak"
        and (at_risk := choice.value(risk)) is not None
        and (kept := choice.value(utility)) is not None
    ]
    best = [
        (safe, kept, choice)
        for safe, kept, choice in known
        if not any(s >= safe and k >= kept and (s > safe or k > kept) for s, k, _ in known)
    ]
    return tuple(choice for _, _, choice in sorted(best, key=lambda item: (-item[0], item[1])))


def recommend(
    choices: Sequence[Choice],
    utilities: Sequence[Measure],
    *,
    threshold: float,
    baselines: Mapping[str, Baseline] | None = None,
    counted: str = "records",
) -> Recommendation:
    """Recommend the choice of highest utility within a risk; of choices about as good, the least risky.

    Parameters
    ----------
    choices : sequence of Choice
        In the order of preference where nothing else distinguishes them.
    utilities : sequence of Measure
        The first measure that is known for most choices decides.
    threshold : float
        The highest risk of a person that is allowed.
    baselines : mapping of str to Baseline, optional
        For scores.
    counted : str
        The unit of class sizes.
    """
    size = size_for(threshold)
    # A release that keeps nothing or promises nothing is no choice, whatever its figures are.
    released = [
        choice for choice in choices if choice.k_reached is not None and choice.status != "weak" and not choice.warnings
    ]
    allowed = [choice for choice in released if (choice.k_reached or 0) >= size]
    limit = f"{HIGHEST_RISK.told(threshold)} (classes of {size:,} {counted} or more)"
    rest = _unfinished(choices)
    if not allowed:
        return Recommendation(None, " ".join([*_nothing(released, limit), *rest]), threshold, size)
    known_baselines = baselines or {}
    measure, passed_over = deciding(utilities, allowed, known_baselines)
    if measure is None:
        safest = min(allowed, key=_risks)
        first = f"Of the {plural(len(allowed), 'choices')} within {limit}, {safest.label} has the lowest risk."
        return Recommendation(safest, " ".join([first, "What they keep is not known.", *rest]), threshold, size)
    best, chosen = _best_and_safest(allowed, measure)
    baseline = known_baselines.get(measure.name)
    void = _void(best, measure, baseline)
    sentences = [
        f"{len(allowed):,} of {plural(len(choices), 'choices')} {'keeps' if len(allowed) == 1 else 'keep'} the highest "
        f"risk within {limit}.",
        *_worthless(choices, size),
        *passed_over,
        *_compared(chosen, best, measure, baseline),
        *_written(chosen),
        *void,
        *rest,
    ]
    return Recommendation(chosen, " ".join(sentences), threshold, size, bool(void))


def _best_and_safest(choices: Sequence[Choice], measure: Measure) -> tuple[Choice, Choice]:
    """The choice of highest utility, and the least risky choice within one standard error of it."""
    known = [(measure.worth(value), choice) for choice in choices if (value := choice.value(measure)) is not None]
    most = max(worth for worth, _ in known)
    best = min((choice for worth, choice in known if worth == most), key=_risks)
    error = best.errors.get(measure.name, 0.0)
    return best, min((choice for worth, choice in known if worth >= most - error - _SLACK), key=_risks)


def deciding(
    utilities: Sequence[Measure], choices: Sequence[Choice], baselines: Mapping[str, Baseline]
) -> tuple[Measure | None, list[str]]:
    """The first measure that distinguishes choices and is known for most of them; and why others were passed over.

    A score distinguishes nothing if learners learn no more than the class frequencies even from unanonymized rows.
    """
    passed = [measure for measure in utilities if _idle(measure, baselines.get(measure.name, Baseline()))]
    useful = [measure for measure in utilities if measure not in passed]
    known = {measure.name: sum(choice.value(measure) is not None for choice in choices) for measure in useful}
    decider = next((measure for measure in useful if 2 * known[measure.name] > len(choices)), None)
    if decider is None:
        return None, []
    before = [_inside(measure) for measure in passed if utilities.index(measure) < utilities.index(decider)]
    if not before:
        return decider, []
    baseline = baselines[passed[0].name]
    passed_over = ", ".join(before)
    clearly = " by more than a standard error" if _ahead(passed[0], baseline) > 0 else ""
    target = "" if decider.name in baselines or baseline.lowest != "majority" else "the target decides nothing here, "
    why = (
        f"Even from unanonymized rows, no learner beats {baseline.lowest_named}{clearly} ({passed_over}), {target}so "
        f"{_inside(decider)} decides."
    )
    return decider, [why]


def _idle(measure: Measure, baseline: Baseline) -> bool:
    """Whether a score tells learners on unanonymized rows from the lower baseline by chance at most."""
    return _ahead(measure, baseline) <= baseline.error


def _ahead(measure: Measure, baseline: Baseline) -> float:
    """How much better learners on unanonymized rows are; infinite if that is not known."""
    raw, majority = baseline.unanonymized, baseline.majority
    return math.inf if raw is None or majority is None else measure.worth(raw) - measure.worth(majority)


def _inside(measure: Measure) -> str:
    """The title of a measure inside a sentence."""
    title = measure.title
    return title[0].lower() + title[1:] if title[1:2].islower() else title


def _risks(choice: Choice) -> tuple[float, float, float, float, float]:
    """The order of choices that are as useful: by the highest risk first.

    Then come the detail as it is written, which a person sees; the average risk; the rows that may be lost; and what k
    promises.
    """
    return (
        choice.figures.get(HIGHEST_RISK.name, 1.0),
        -choice.figures.get(KEPT, 0.0),
        choice.figures.get("average_risk", 1.0),
        float(choice.suppression_limit or 0),
        -float(choice.k or 0),
    )


def _written(choice: Choice) -> list[str]:
    """What a reader finds in the cells of a choice, what its proportions reveal, and which other k give it, too."""
    sentences = []
    if choice.cells is not None:
        sentences.append(f"Of its cells, {choice.cells}.")
    guess = choice.value(SUREST_GUESS)
    if guess is not None:
        sentences.append(
            f"Its proportions let a reader guess a hidden value with a certainty of up to {SUREST_GUESS.told(guess)}."
            if guess
            else "Its proportions show no share of a single hidden value."
        )
    if choice.alike:
        others = " and ".join(f"k = {k:,}" for k in choice.alike)
        sentences.append(f"The very same table results from {others}.")
    return sentences


def _compared(chosen: Choice, best: Choice, measure: Measure, baseline: Baseline | None) -> list[str]:
    beside = ""
    if baseline is not None and baseline.unanonymized is not None:
        beside = f", against {measure.told(baseline.unanonymized)} from unanonymized rows"
        if baseline.majority is not None:
            source = "by majority" if baseline.lowest == "majority" else f"from {baseline.lowest_named}"
            beside += f" and {measure.told(baseline.majority)} {source}"
    name = _inside(measure)
    if chosen is best:
        return [f"Of these, {chosen.label} keeps most: {name} {measure.told(chosen.value(measure))}{beside}."]
    first = f"The best of these is {best.label}: {name} {measure.told(best.value(measure))}{beside}."
    if chosen.value(measure) == best.value(measure):
        return [first, f"As much is kept by {chosen.label}, {_preferred(chosen, best)}."]
    near = f"Within one standard error of it ({measure.told(best.errors.get(measure.name, 0.0))})"
    return [first, f"{near} is {chosen.label} ({measure.told(chosen.value(measure))}), {_preferred(chosen, best)}."]


def _preferred(chosen: Choice, best: Choice) -> str:
    """Why a choice is preferred to the best, from which it differs by chance only."""
    mine, theirs = _risks(chosen), _risks(best)
    if mine[0] < theirs[0]:
        return f"which risks less: {HIGHEST_RISK.told(chosen.value(HIGHEST_RISK))} at most"
    if mine[1] < theirs[1]:
        return f"which risks no more and keeps more detail as written: {-mine[1]:.0%} against {-theirs[1]:.0%}"
    if mine[2] < theirs[2]:
        return "which risks less on average"
    if mine[3] < theirs[3]:
        return "which may lose fewer rows"
    return "which promises a larger k" if mine[4] < theirs[4] else "which was named first"


def _worthless(choices: Sequence[Choice], size: int) -> list[str]:
    number = sum(bool(choice.warnings) and (choice.k_reached or 0) >= size for choice in choices)
    return [] if not number else [f"{number:,} more {'does' if number == 1 else 'do'} so by keeping next to nothing."]


def _void(best: Choice, measure: Measure, baseline: Baseline | None) -> list[str]:
    """A warning if no choice lets learners do better than the majority."""
    kept = best.value(measure)
    if kept is None or baseline is None or baseline.majority is None:
        return []
    if measure.worth(kept) > measure.worth(baseline.majority):
        return []
    return [f"None of these beats {baseline.lowest_named}. The frontier shows what another threshold would keep."]


def _nothing(released: Sequence[Choice], limit: str) -> list[str]:
    if not released:
        return ["No release keeps both its guarantee and something of the table, so none is recommended."]
    safest = min(released, key=_risks)
    return [
        f"No choice keeps the highest risk within {limit}.",
        f"The lowest is {HIGHEST_RISK.told(safest.value(HIGHEST_RISK))}, by {safest.label}.",
        "Ask for a larger k, or name another threshold.",
    ]


def _unfinished(choices: Sequence[Choice]) -> list[str]:
    """A warning about choices that are not finished."""
    number = sum(choice.status in ("in part", "not begun") for choice in choices)
    return [f"{plural(number, 'choices')} {'is' if number == 1 else 'are'} not finished: that may change it."] * (
        number > 0
    )
