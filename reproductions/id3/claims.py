"""What the paper on ID3 says, and what the cells say of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from hedgerow.errors import plural
from reproductions.estimates import Estimate
from reproductions.id3.experiments import BY_K, BY_QUASI, CONDITIONS, OWN_WAY
from reproductions.id3.found import Found
from reproductions.judging import (
    Draft,
    above,
    again,
    below,
    checked,
    figures,
    missing,
    reached,
)

__all__ = ["CHANGES", "CONTRADICTORY", "ORIGINAL", "ROOTS", "claims_of"]

ORIGINAL: Final = 80.96
CHANGES: Final = {4: -0.09, 64: -1.68}
"""Accuracies that section V prints, in percent and in points."""

ROOTS: Final = {
    6: "relationship",
    7: "relationship",
    8: "relationship",
    9: "sex",
    10: "sex",
    11: "native-country",
    12: "native-country",
}
"""Table IV."""

CONTRADICTORY: Final = frozenset({11, 12})
"""Rows of table IV in which the root is said to be no quasi-identifier, and is one."""

_MOST_LOST: Final = 2.0
_STEP: Final = -0.14
_SPREAD_BY_K, _SPREAD_BY_QUASI = 0.56, 2.16

# The range of three normal values is 1.69 deviations on average, which gives the standard error of a mean of three.
_ERROR_OF_A_MEAN: Final = 1 / (1.69 * math.sqrt(3))
_ERROR_OF_A_STEP: Final = _ERROR_OF_A_MEAN * math.sqrt(2)

_RUNS: Final = "runs: what ID3 draws, on one split of Adult"


def claims_of(found: Found) -> list[Draft]:
    """All claims, those with figures first."""
    return [
        _original(found),
        *_at_k(found),
        _at_most(found),
        _falls_with_k(found),
        _spread(found, BY_K, _SPREAD_BY_K, "k"),
        _falls_with_quasi(found),
        _step(found),
        _spread(found, BY_QUASI, _SPREAD_BY_QUASI, "the number of quasi-identifiers"),
        _roots(found),
        _small_sets(found),
        _against(found, "random, random", "drawing values before the entropy is computed", "IV-A"),
        _against(found, "own", "taking sets for values of their own", "IV-A"),
        _better_conversions(found),
    ]


def _units(one: Estimate | None) -> str:
    return _RUNS if one is None else f"{one.number} {_RUNS}"


def _original(found: Found) -> Draft:
    says = f"ID3 from the original rows is right about {ORIGINAL} % of the test rows."
    one = found.originals.get("ignore")
    if one is None:
        return Draft(says, "", (missing(),))
    readings = {**one["readings"], "as Hedgerow answers": one["accuracy"]}
    low, high = min(readings.values()), max(readings.values())
    nearest = min(abs(value - ORIGINAL) for value in readings.values())
    return Draft(
        says,
        f"{one['accuracy']:.2f} % as Hedgerow answers, {one['untied']:.2f} % where a tie goes to the class of the "
        f"first record; {low:.2f} to {high:.2f} % by all readings.",
        (figures([low <= ORIGINAL <= high]),),
        "Nothing is left to chance: the figure must be within the readings. "
        "The paper does not say how a leaf with as many records of both classes answers, nor what happens to a value "
        "without a branch. Hedgerow takes the first class for the one and asks the node for the other. The reading "
        f"nearest to the paper differs by {nearest:.2f} points. Below, ties go to the first record, which is "
        "a coin where rows were shuffled.",
    )


def _at_k(found: Found) -> Iterator[Draft]:
    for k, printed in CHANGES.items():
        change = found.change(k, 6)
        error = _ERROR_OF_A_MEAN * _SPREAD_BY_K
        why = ""
        if change is not None:
            why = (
                f"{_points(change.mean - printed)} apart. The interval includes the standard error of the paper's own "
                f"three runs, {error:.2f}."
            )
        if k == max(CHANGES):
            why += (
                " The paper leaves open how wide a column of categories is, and whether Mondrian tries the next column "
                "where the widest cannot be cut."
            )
        yield Draft(
            f"At k = {k} with six quasi-identifiers the accuracy changes by {_points(printed)}.",
            "" if change is None else f"As Hedgerow answers {_change(found.change(k, 6, 'accuracy'))}",
            (again(printed, None if change is None else change.with_error(error), _units(change)),),
            why,
        )


def _at_most(found: Found) -> Draft:
    changes = {k: found.change(k, quasi) for k, quasi in BY_K}
    more = found.change(64, 12)
    why = "" if more is None else f"With twelve quasi-identifiers instead of six, {-more.mean:.2f} points are lost."
    parts = (above(one, _units(one), -_MOST_LOST).named(f"k = {k}") for k, one in changes.items())
    return Draft(f"No k from 4 to 64 costs more than {_MOST_LOST:.0f} points.", "", tuple(parts), why)


def _falls_with_k(found: Found) -> Draft:
    rise = found.rise([(condition, math.log2(condition[0])) for condition in BY_K])
    return Draft(
        "The accuracy falls as k grows.",
        _series([found.estimate(k, quasi) for k, quasi in BY_K]),
        (below(rise, _units(rise)).named("Points for each doubling of k"),),
    )


def _falls_with_quasi(found: Found) -> Draft:
    rise = found.rise([(condition, float(condition[1])) for condition in BY_QUASI])
    return Draft(
        "The accuracy falls as there are more quasi-identifiers, at k = 64.",
        _series([found.estimate(k, quasi) for k, quasi in BY_QUASI]),
        (below(rise, _units(rise)).named("Points for each further one"),),
        "With twelve of them nothing is left in clear. The figure of the paper is lost; only the step from seven to "
        "eight is printed.",
    )


def _step(found: Found) -> Draft:
    step = found.step(64, 7, 8)
    error = _ERROR_OF_A_STEP * _SPREAD_BY_QUASI
    why = ""
    if step is not None:
        why = (
            f"{_points(step.mean - _STEP)} apart. The interval includes the standard error of two means of the paper's "
            f"three runs, {error:.2f}: they differ by up to {_SPREAD_BY_QUASI} points."
        )
    return Draft(
        f"From seven to eight quasi-identifiers the accuracy changes by {_points(_STEP)}.",
        "",
        (again(_STEP, None if step is None else step.with_error(error), _units(step)),),
        why,
    )


def _spread(found: Found, conditions: Sequence[tuple[int, int]], printed: float, varied: str) -> Draft:
    spreads = [found.spread(k, quasi) for k, quasi in conditions]
    known = [one for one in spreads if one is not None]
    greatest = max(known, default=None)
    whole = greatest is not None and len(known) == len(spreads)
    return Draft(
        f"Three runs differ by at most {printed} points, whatever {varied}.",
        "" if greatest is None else f"The first three runs differ by at most {greatest:.2f} points.",
        (
            figures([greatest <= printed or reached(printed, greatest)])
            if greatest is not None and whole
            else missing(),
        ),
        ""
        if greatest is None
        else f"{greatest / printed:.1f} times as much; the greatest of several ranges has no repetitions, so that it "
        "is compared as a printed size is: no more than twice of it.",
    )


def _roots(found: Found) -> Draft:
    judged = {quasi: found.root(64, quasi) for quasi in ROOTS if quasi not in CONTRADICTORY}
    same = [root == ROOTS[quasi] for quasi, root in judged.items() if root is not None]
    named = ", ".join(f"{quasi}: {root}" for quasi, root in judged.items() if root is not None)
    why = (
        "Rows 11 and 12 are left out: there native-country is called no quasi-identifier, and it is one from the start."
    )
    clear, hidden = found.release(64, 8), found.release(64, 9)
    if clear is not None and hidden is not None and not all(same):
        before, after = (one["gains"]["relationship"] for one in (clear, hidden))
        why += (
            f" As a set, relationship still tells more ({after:.3f} bits, {before:.3f} in clear) than sex does in "
            f"clear ({hidden['gains']['sex']:.3f}): the paper's partition must have been coarser, or its "
            "entropy another."
        )
    return Draft(
        "Table IV: the root is relationship while that is in clear (6 to 8 quasi-identifiers), then sex (9 and 10).",
        f"{sum(same)} of {len(same)} roots are the same ({named})." if same else "",
        (figures(same) if len(same) == len(judged) else missing(),),
        why,
    )


def _small_sets(found: Found) -> Draft:
    releases = [found.release(k, quasi) for k, quasi in BY_K]
    shares = [float(one["few"]) for one in releases if one is not None and one["few"] is not None]
    text = ", ".join(f"{100 * share:.0f}" for share in shares) + " % of the generalized cells, from k = 4 on."
    return Draft(
        "Values are usually generalized with one or two others only.",
        text if shares else "",
        (checked([share > 0.5 for share in shares]) if len(shares) == len(BY_K) else missing(),),
        "More than half at every k; nothing is left to chance. Of cells of categories that hold more than one value.",
    )


def _against(found: Found, way: str, told: str, section: str) -> Draft:
    gap = found.lead(OWN_WAY, way, CONDITIONS)
    return Draft(
        f"Counting each value of a set equally is better than {told} ({section}).",
        "" if gap is None else f"On average over {len(CONDITIONS)} settings",
        (above(gap, _units(gap)),),
        "The paper argues for it and does not test it. The interval tells of what is drawn, not of other tables.",
    )


def _better_conversions(found: Found) -> Draft:
    others = ("shared, frequent", "shared, distribution", "fractional")
    leads = {way: found.lead(way, OWN_WAY, CONDITIONS) for way in others}
    return Draft(
        "Any better way to convert sets than at random will only improve the tree (IV-B).",
        "Beside drawing at random" if any(leads.values()) else "",
        tuple(above(one, _units(one)).named(way) for way, one in leads.items()),
        "The original distribution is replicated from proportions that the release publishes; sending a record down "
        "every branch by its share is beyond the paper.",
    )


def _change(one: Estimate | None) -> str:
    if one is None:
        return "nothing yet"
    runs = plural(one.number, "runs")
    return f"{_points(one.mean)}" + (f" ({runs})" if one.half is None else f" ± {one.half:.2f} ({runs})")


def _points(value: float) -> str:
    return f"{value:+.2f} points".replace("-", "−")


def _series(series: Sequence[Estimate | None]) -> str:
    return " → ".join("–" if one is None else f"{one.mean:.2f}" for one in series) + " %"
