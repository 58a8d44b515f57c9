"""Which choices no other one beats, and which of them to take.

L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, "Classification and Regression Trees", 1984, section 3.4.3: of
what differs from the best by less than one standard error, take the simplest. Here that is what risks least.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hedgerow.comparison.choices import HIGHEST_RISK, Choice, Measure
from hedgerow.errors import plural

__all__ = ["Baseline", "Recommendation", "deciding", "pareto", "recommend", "size_for"]

_SLACK: Final = 1e-9


@dataclass(frozen=True)
class Baseline:
    """What a score is without anonymizing, and for who knows only how often each class occurs."""

    unanonymized: float | None = None
    majority: float | None = None


@dataclass(frozen=True)
class Recommendation:
    """Which choice to take, and why.

    Attributes
    ----------
    choice : Choice, optional
        ``None`` if no choice is within the threshold.
    reason : str
        Two or three sentences.
    threshold : float
        The highest risk that may be.
    size : int
        How many records a class then needs.
    void : bool
        Whether nothing is left to learn within the threshold, so that the choice is the best of bad ones.
    """

    choice: Choice | None
    reason: str
    threshold: float
    size: int
    void: bool = False

    def __str__(self) -> str:
        return self.reason


def size_for(threshold: float) -> int:
    """How many records a class needs for a risk.

    Thresholds are known by two digits: 0.33 stands for 1/3, and 0.09 for 1/11.

    >>> [size_for(one) for one in (0.33, 0.2, 0.09, 0.05, 0.3, 1.0)]
    [3, 5, 11, 20, 4, 1]
    """
    nearest = max(round(1 / threshold), 1)
    if math.isclose(round(1 / nearest, 2), threshold, abs_tol=_SLACK):
        return nearest
    return max(math.ceil(1 / threshold - _SLACK), 1)


def pareto(choices: Sequence[Choice], risk: Measure, utility: Measure) -> tuple[Choice, ...]:
    """The choices that no other one beats in risk or utility without being worse in the other, by their risk."""
    known = [
        (risk.worth(at_risk), utility.worth(kept), one)
        for one in choices
        if one.status != "weak"
        and (at_risk := one.value(risk)) is not None
        and (kept := one.value(utility)) is not None
    ]
    best = [
        (safe, kept, one)
        for safe, kept, one in known
        if not any(s >= safe and k >= kept and (s > safe or k > kept) for s, k, _ in known)
    ]
    return tuple(one for _, _, one in sorted(best, key=lambda item: (-item[0], item[1])))


def recommend(
    choices: Sequence[Choice],
    utilities: Sequence[Measure],
    *,
    threshold: float,
    baselines: Mapping[str, Baseline] | None = None,
    counted: str = "records",
) -> Recommendation:
    """Recommend the choice of highest utility within a risk; of what is as good but for chance, what risks least.

    Parameters
    ----------
    choices : sequence of Choice
        In the order in which they are preferred where nothing else tells them apart.
    utilities : sequence of Measure
        The first that is known of some choice decides.
    threshold : float
        The highest risk of a person that may be.
    baselines : mapping of str to Baseline, optional
        For scores.
    counted : str
        What classes consist of.
    """
    size = size_for(threshold)
    # What keeps nothing, or promises nothing, is no choice, whatever its figures are.
    released = [one for one in choices if one.k_reached is not None and one.status != "weak" and not one.warnings]
    allowed = [one for one in released if (one.k_reached or 0) >= size]
    limit = f"{HIGHEST_RISK.told(threshold)} (classes of {size:,} {counted} or more)"
    open_ones = sum(one.status in ("in part", "not begun") for one in choices)
    rest = [] if not open_ones else [_unfinished(open_ones)]
    if not allowed:
        return Recommendation(None, " ".join([*_nothing(released, limit), *rest]), threshold, size)
    known_baselines = baselines or {}
    measure, passed = deciding(utilities, allowed, known_baselines)
    if measure is None:
        chosen = min(allowed, key=_risks)
        first = f"Of the {plural(len(allowed), 'choices')} within {limit}, {chosen.label} has the lowest risk."
        return Recommendation(chosen, " ".join([first, "What they keep is not known.", *rest]), threshold, size)
    known = [(measure.worth(value), one) for one in allowed if (value := one.value(measure)) is not None]
    most = max(worth for worth, _ in known)
    alike = [one for worth, one in known if worth == most]
    best = min(alike, key=_risks)
    error = best.errors.get(measure.name, 0.0)
    near = [one for worth, one in known if worth >= most - error - _SLACK]
    chosen = min(near, key=_risks)
    void = _void(best, measure, known_baselines.get(measure.name))
    told = [
        f"{len(allowed):,} of {plural(len(choices), 'choices')} {'keeps' if len(allowed) == 1 else 'keep'} the highest "
        f"risk within {limit}.",
        *_worthless(choices, size),
        *passed,
        *_compared(chosen, best, measure, error, known_baselines.get(measure.name)),
        *void,
        *rest,
    ]
    return Recommendation(chosen, " ".join(told), threshold, size, bool(void))


def deciding(
    utilities: Sequence[Measure], choices: Sequence[Choice], baselines: Mapping[str, Baseline]
) -> tuple[Measure | None, list[str]]:
    """The first measure that tells something and that most of the choices have; and which were passed over, and why.

    A score tells nothing where unanonymized rows teach no more than how often each class occurs.
    """
    passed = [one for one in utilities if _idle(one, baselines.get(one.name, Baseline()))]
    telling = [one for one in utilities if one not in passed]
    known = [sum(choice.value(one) is not None for choice in choices) for one in telling]
    found = next((one for one, number in zip(telling, known, strict=True) if 2 * number > len(choices)), None)
    if not passed or found is None or utilities.index(passed[0]) > utilities.index(found):
        return found, []
    names = ", ".join(_inside(one) for one in passed if utilities.index(one) < utilities.index(found))
    return found, [f"Unanonymized rows teach no more than the majority ({names}), so {_inside(found)} decides."]


def _idle(measure: Measure, baseline: Baseline) -> bool:
    raw, majority = baseline.unanonymized, baseline.majority
    return raw is not None and majority is not None and measure.worth(raw) <= measure.worth(majority)


def _inside(measure: Measure) -> str:
    """Its title inside a sentence."""
    title = measure.title
    return title[0].lower() + title[1:] if title[1:2].islower() else title


def _risks(one: Choice) -> tuple[float, float, float]:
    """What risks least comes first; then what may lose fewest rows. What is alike stays in the order given."""
    limit = one.suppression_limit or 0
    return (
        one.figures.get(HIGHEST_RISK.name, 1.0),
        one.figures.get("average_risk", 1.0),
        float(limit),
    )


def _compared(chosen: Choice, best: Choice, measure: Measure, error: float, baseline: Baseline | None) -> list[str]:
    beside = ""
    if baseline is not None and baseline.unanonymized is not None:
        beside = f", against {measure.told(baseline.unanonymized)} from unanonymized rows"
        if baseline.majority is not None:
            beside += f" and {measure.told(baseline.majority)} by majority"
    name = _inside(measure)
    if chosen is best:
        return [f"Of these, {chosen.label} keeps most: {name} {measure.told(chosen.value(measure))}{beside}."]
    first = f"The best of these is {best.label}: {name} {measure.told(best.value(measure))}{beside}."
    if chosen.value(measure) == best.value(measure):
        return [first, f"As much is kept by {chosen.label}, {_preferred(chosen, best)}."]
    near = f"Within one standard error of it ({measure.told(error)})"
    return [first, f"{near} is {chosen.label} ({measure.told(chosen.value(measure))}), {_preferred(chosen, best)}."]


def _preferred(chosen: Choice, best: Choice) -> str:
    """Why it is preferred to what is as good but for chance."""
    mine, theirs = _risks(chosen), _risks(best)
    if mine[0] < theirs[0]:
        return f"which risks less: {HIGHEST_RISK.told(chosen.value(HIGHEST_RISK))} at most"
    if mine[1] < theirs[1]:
        return "which risks less on average"
    return "which may lose fewer rows" if mine[2] < theirs[2] else "which was named first"


def _worthless(choices: Sequence[Choice], size: int) -> list[str]:
    number = sum(bool(one.warnings) and (one.k_reached or 0) >= size for one in choices)
    return [] if not number else [f"{number:,} more {'does' if number == 1 else 'do'} so by keeping next to nothing."]


def _void(best: Choice, measure: Measure, baseline: Baseline | None) -> list[str]:
    """Say so if nothing is left to learn."""
    kept = best.value(measure)
    if kept is None or baseline is None or baseline.majority is None:
        return []
    if measure.worth(kept) > measure.worth(baseline.majority):
        return []
    return ["None of these teaches more than the majority: look at the frontier for what another threshold would keep."]


def _nothing(released: Sequence[Choice], limit: str) -> list[str]:
    if not released:
        return ["There is no release that keeps its guarantee and something of the table, so none is recommended."]
    safest = min(released, key=_risks)
    return [
        f"No choice keeps the highest risk within {limit}.",
        f"The lowest is {HIGHEST_RISK.told(safest.value(HIGHEST_RISK))}, by {safest.label}.",
        "Ask for a larger k, or name another threshold.",
    ]


def _unfinished(number: int) -> str:
    """A word of warning."""
    return f"{plural(number, 'choices')} {'is' if number == 1 else 'are'} not finished: that may change it."
