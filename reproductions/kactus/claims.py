"""What the paper's text claims, and what becomes of it: verdicts follow from results by rules alone."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from hedgerow.errors import plural
from hedgerow.evaluation.statistics import Friedman, bonferroni_dunn
from reproductions.base import Claim, Result, Verdict
from reproductions.judging import together
from reproductions.kactus.comparing import Case, Effect, Found, Tally, beside, effect, only, signed, tally
from reproductions.kactus.experiments import LEARNERS
from reproductions.kactus.growth import fitted_line, seconds_by_rows
from reproductions.kactus.measuring import AS_PRINTED
from reproductions.kactus.readings import (
    AS_IT_IS,
    CALLED,
    MAIN,
    PRINTED,
    READINGS,
    Printed,
    gap,
    of_adult,
    other,
    over_inducers,
    over_methods,
    own,
    raw_beside,
)
from reproductions.kactus.sets import ALL_INPUTS

__all__ = ["RULES", "claims_of"]

RULES: Final = (
    "Differences are means over cases, in points, ± 1.96 standard errors over folds, from four folds on. The folds "
    "share rows, so that the interval is somewhat too narrow. Until the last part is run, J48 and naive Bayes have 18 "
    "cases on Adult, PART and logistic regression three.",
    "A gap **holds** if kACTUS is better by the interval, and by half to twice of what the paper prints. It holds in "
    "part if it is better by less or by more. It does not hold if the interval reaches 0.",
    "Significant cases **hold** if their share is at least nine tenths of the printed one, with no more losses than "
    "printed. They hold in part if kACTUS wins more often than it loses. Half of the printed cases must be done.",
    "Before all five repetitions are done a claim is undecided, unless four folds or more agree and the mean is more "
    "than four standard errors from 0. Tests of significance always need all five.",
)

_NOTHING: Final = "not run yet"
_SECONDS: Final = 483
_LARGEST: Final = 1_356_660
_STRAIGHT: Final = 0.98
_NEARLY_STRAIGHT: Final = 0.9


def claims_of(results: Sequence[Result]) -> list[Claim]:
    """All claims of the text that can be compared, in the order of the paper."""
    found = Found.of(results)
    return [
        _test_set_as_it_is(found),
        _falls_with_k(found),
        _no_significant_effect(found),
        _like_the_inner_inducer(found),
        _japanese_credit(found),
        *(claim for one in PRINTED for claim in (_gap(found, one), _significant(found, one))),
        _smaller_sets(found),
        _ranks(found),
        _taxonomies_help(found),
        *_time(results),
    ]


def _if(verdict: Verdict, wanted: Verdict, says: str) -> str:
    """A further sentence, where the verdict asks for it."""
    return f" {says}" if verdict == wanted else ""


def _shown(one: Effect | None) -> str:
    return _NOTHING if one is None else str(one)


def _test_set_as_it_is(found: Found) -> Claim:
    """The same release, with raw and with recoded test rows."""
    lost = effect(of_adult(found, AS_IT_IS), of_adult(found))
    medians = effect(of_adult(found, AS_IT_IS, "kactus"), of_adult(found, MAIN, "kactus"))
    verdict: Verdict = "undecided"
    if lost is not None and lost.decided:
        verdict = "holds" if lost.sign >= 0 else "holds in part" if lost.mean > -1 else "does not hold"
    return Claim(
        "A classifier that learnt from kACTUS's rows can use the test set as it is (5.2).",
        f"Raw test rows instead of recoded ones, on Adult: {_shown(lost)}; with medians {_shown(medians)}.",
        verdict,
        "A threshold between means parts raw numbers wrongly, above all where most of them are 0."
        + _if(verdict, "holds in part", "It costs less than a point."),
    )


def _falls_with_k(found: Found) -> Claim:
    every = own(found)
    ks = {(case.dataset, case.quasi): set[int]() for case in every}
    for case in every:
        ks[case.dataset, case.quasi].add(case.k or 0)
    ends = {name: (min(of), max(of)) for name, of in ks.items() if len(of) > 1}
    largest = only(every, lambda case: case.k == ends.get((case.dataset, case.quasi), (None, None))[1])
    smallest = beside(largest, every, lambda case: replace(case, k=ends[case.dataset, case.quasi][0]))
    fall = effect(largest, smallest)
    falls = sum(_mean(largest[case]) < _mean(smallest[case]) for case in smallest)
    verdict = _sided(fall, -1)
    if verdict == "holds" and 4 * falls < 3 * len(smallest):
        verdict = "holds in part"
    lower = f"; lower in {falls} of {plural(len(smallest), 'cases')}" if smallest else ""
    return Claim(
        "Accuracy falls as k grows (5.4).",
        f"The largest k beside the smallest: {_shown(fall)}{lower}.",
        verdict,
        "The k are ours: those of the paper are lost."
        + _if(verdict, "holds in part", "It falls on average, but in fewer than three of four cases."),
    )


def _no_significant_effect(found: Found) -> Claim:
    every = only(own(found), _of_table_2)
    counts = tally(every, raw_beside(found, every))
    verdict: Verdict = "undecided"
    if counts.cases:
        share = counts.worse / counts.cases
        verdict = "holds" if share <= 0.05 else "holds in part" if share < 0.5 else "does not hold"
    return Claim(
        "kACTUS has no significant effect on accuracy (5.9).",
        f"Significantly lower than on raw rows in {counts.worse} of {plural(counts.cases, 'cases')} with five "
        f"repetitions, higher in {counts.better}. On average: {_shown(effect(every, raw_beside(found, every)))}."
        if every
        else _NOTHING,
        verdict,
        "Holds if at most a twentieth is lower, in part if less than half. Table 2 of the paper had marks of "
        "significance, which are lost.",
    )


def _changed(found: Found, learner: str, dataset: str | None = None) -> Effect | None:
    """What an inducer gains by kACTUS on all sets of table 2, or on one of them."""
    every = only(
        own(found),
        lambda case: _of_table_2(case) and case.learner == learner and dataset in (None, case.dataset),
    )
    return effect(every, raw_beside(found, every))


def _of_table_2(case: Case) -> bool:
    return case.quasi in ("all", ALL_INPUTS)


def _like_the_inner_inducer(found: Found) -> Claim:
    changes = {learner: _changed(found, learner) for learner in LEARNERS}
    verdict: Verdict = "undecided"
    means = {learner: one.mean for learner, one in changes.items() if one is not None and one.decided}
    if len(means) == len(LEARNERS):
        below = sum(means[one] < means["j48"] for one in LEARNERS if one != "j48")
        verdict = "holds" if below == len(LEARNERS) - 1 else "holds in part" if below else "does not hold"
    return Claim(
        "The more an inducer is like C4.5, which kACTUS wraps, the less accuracy it loses (5.4).",
        "Change against raw rows: " + "; ".join(f"{one} {_shown(changes[one])}" for one in LEARNERS) + ".",
        verdict,
        "Holds if J48 loses least of the four, in part if some lose more.",
    )


def _japanese_credit(found: Found) -> Claim:
    logistic, trees = _changed(found, "weka-logistic", "crx"), _changed(found, "j48", "crx")
    verdict = _sided(logistic, 1)
    if verdict == "holds" and (trees is None or trees.sign > 0):
        verdict = "holds in part"
    return Claim(
        "On Japanese credit logistic regression improves, C4.5 does not (5.4).",
        f"Change against raw rows over six k: logistic {_shown(logistic)}; J48 {_shown(trees)}.",
        verdict,
        _if(verdict, "holds in part", "Both improve.").strip(),
    )


def _called(one: Printed) -> str:
    return f"{CALLED[one.method]}{' without taxonomies' if one.hierarchies == 'flat' else ''}"


def _gap(found: Found, one: Printed) -> Claim:
    ours = gap(found, one.method, MAIN, one.hierarchies)
    verdict = _sided(ours, -1)
    if verdict == "holds" and ours is not None and not one.gap * 2 <= ours.mean <= one.gap / 2:
        verdict = "holds in part"
    why = []
    if ours is not None:
        why.append(f"Ours is {signed(ours.mean - one.gap)} points from the paper's.")
    readings = {
        reading.name: gap(found, one.method, reading, one.hierarchies) for reading in READINGS if reading != MAIN
    }
    told = [f"{name} {signed(theirs.mean)}" for name, theirs in readings.items() if theirs is not None]
    why += [f"Other readings: {', '.join(told)}."] if told else []
    if one.hierarchies == "flat":
        numbers = gap(found, one.method, MAIN, "flat categories")
        why.append("One level for every column, as the text has it, hides all numbers but for single values.")
        why += [] if numbers is None else [f"With intervals of numbers: {signed(numbers.mean)}."]
    return Claim(
        f"{_called(one)} is {-one.gap:g} points below kACTUS on average ({one.gap_in}).",
        _shown(ours),
        verdict,
        " ".join(why),
    )


def _significant(found: Found, one: Printed) -> Claim:
    own_ones, others = of_adult(found), other(found, one.method, MAIN, one.hierarchies)
    counts = tally(own_ones, others)
    says = f"significantly better in {one.better} of {one.cases} cases, worse in {one.worse}"
    if one.better is None:
        says = f"significantly worse in {one.worse} of {one.cases} cases" if one.worse else "never significantly worse"
    done = gap(found, one.method, MAIN, one.hierarchies)
    repetitions = 0 if done is None else len(done.by_fold) // 2
    enough = 2 * counts.cases >= one.cases
    return Claim(
        f"Beside {_called(one)}, kACTUS is {says} ({one.section}).",
        f"Better in {counts.better}, worse in {counts.worse} of {plural(counts.cases, 'cases')} with five repetitions."
        if counts.cases
        else f"{plural(repetitions, 'repetitions')} of five done."
        if repetitions
        else _NOTHING,
        _of_tally(counts, one) if enough else "undecided",
        "" if enough or not counts.cases else f"Fewer than half of the {one.cases} cases are done.",
    )


def _of_tally(counts: Tally, printed: Printed) -> Verdict:
    wins = printed.better is None or counts.better / counts.cases >= 0.9 * printed.better / printed.cases
    if wins and counts.worse <= printed.worse:
        return "holds"
    return "holds in part" if counts.better > counts.worse else "does not hold"


def _smaller_sets(found: Found) -> Claim:
    steps = [_narrowed(found, "11/14", ALL_INPUTS), _narrowed(found, "8/14", "11/14")]
    return Claim(
        "Fewer quasi-identifiers give higher accuracy (5.5).",
        f"11 instead of 14: {_shown(steps[0])}; 8 instead of 11: {_shown(steps[1])}.",
        _all_above(steps),
        "Holds in part if one of the two steps rises.",
    )


def _narrowed(found: Found, smaller: str, larger: str) -> Effect | None:
    every = of_adult(found)
    upper = only(every, lambda case: case.quasi == smaller)
    return effect(upper, beside(upper, every, lambda case: replace(case, quasi=larger)))


def _ranks(found: Found) -> Claim:
    beaten: set[str] = set()
    told = []
    for what, test in (("C4.5", over_methods(found)), ("all inducers", over_inducers(found))):
        if test is None:
            continue
        beaten |= _beaten(test)
        ranks = ", ".join(f"{name} {rank:.2f}" for name, rank in test.ranks.items())
        told.append(f"{what}, {plural(test.cases, 'cases')}: p = {test.p:.2g}, ranks {ranks}")
    wanted = {CALLED[one.method] for one in PRINTED}
    verdict: Verdict = "undecided"
    if len(told) == 2:
        verdict = "holds" if beaten == wanted else "holds in part" if beaten else "does not hold"
    return Claim(
        "The adjusted Friedman test rejects that all are alike, and by Bonferroni-Dunn kACTUS is better than TDS, TDR, "
        "kADET and Mondrian (5.5, 5.6).",
        "; ".join(told) + f". Better than: {', '.join(sorted(beaten)) or 'none'}." if told else _NOTHING,
        verdict,
        "Cases are k, quasi-identifiers and inducers on one set of rows: they depend on each other, here as in "
        "the paper.",
    )


def _beaten(test: Friedman) -> set[str]:
    if test.p > 0.05:
        return set()
    return set(bonferroni_dunn(test, CALLED[AS_PRINTED]).better_than)


def _taxonomies_help(found: Found) -> Claim:
    methods = [one.method for one in PRINTED if one.hierarchies == "flat"]
    steps = [effect(other(found, one), other(found, one, MAIN, "flat")) for one in methods]
    told = (f"{CALLED[method]} {_shown(one)}" for method, one in zip(methods, steps, strict=True))
    return Claim(
        "Taxonomies make TDS, TDR and kADET more accurate (5.7).",
        f"With taxonomies instead of one level: {'; '.join(told)}.",
        _all_above(steps),
        "Holds in part if only some of them do.",
    )


def _all_above(steps: Sequence[Effect | None]) -> Verdict:
    """Whether several differences are above 0."""
    return together([_sided(one, 1) for one in steps])


def _sided(one: Effect | None, side: int) -> Verdict:
    """Whether a difference is on one side of 0."""
    if one is None or not one.decided:
        return "undecided"
    return "holds" if one.sign == side else "does not hold"


def _mean(folds: Mapping[tuple[int, int], float]) -> float:
    return statistics.fmean(folds.values())


def _time(results: Sequence[Result]) -> list[Claim]:
    told, lines, longest = [], [], []
    for classes in ("drawn", "kept"):
        seconds = seconds_by_rows(results, classes)
        line = fitted_line(seconds)
        if line is not None:
            lines.append(line.r2)
            told.append(f"class {classes}: {line.per_million:.2f} s per million rows, R² = {line.r2:.3f}")
        if _LARGEST in seconds:
            longest.append(sum(seconds[_LARGEST]))
    linear: Verdict = "undecided"
    if lines:
        linear = (
            "holds"
            if min(lines) >= _STRAIGHT
            else "holds in part"
            if min(lines) >= _NEARLY_STRAIGHT
            else "does not hold"
        )
    return [
        Claim("Time is almost linear in the number of rows (5.8).", "; ".join(told) or _NOTHING, linear),
        Claim(
            f"{_LARGEST:,} rows take {_SECONDS} s (5.8).",
            f"{max(longest):.1f} s from the table to the verified release." if longest else _NOTHING,
            ("holds" if max(longest) <= _SECONDS else "does not hold") if longest else "undecided",
            "Other hardware: theirs was a Pentium 4 with 2.8 GHz, and rows came from a database. Ours runs beside "
            "other cells. Holds if it takes no longer.",
        ),
    ]
