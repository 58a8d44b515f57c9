"""What the paper's text claims, and what becomes of it: verdicts follow from results by rules alone."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from hedgerow.errors import plural
from hedgerow.evaluation.statistics import Friedman, bonferroni_dunn
from reproductions.base import Result
from reproductions.estimates import HALVES, Estimate, slope
from reproductions.judging import (
    ALPHA,
    Draft,
    Finding,
    above,
    again,
    checked,
    figures,
    growth,
    missing,
    mostly,
    reached,
    within,
)
from reproductions.kactus.comparing import FOLDS, Accuracies, Case, Effect, Found, beside, effect, only, signed, tally
from reproductions.kactus.costs import CRITERIA, KINDS, LEAST
from reproductions.kactus.experiments import LEARNERS, LOGISTIC_FROM, TREE
from reproductions.kactus.growth import seconds_by_rows
from reproductions.kactus.measuring import AS_PRINTED, MIN_OBJECTS
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
from reproductions.kactus.sets import ADULT_K, ADULT_NAME, ALL_INPUTS, QUASI, SETS

__all__ = ["by_min_objects", "claims_of"]

_SECONDS: Final = 483
_LARGEST: Final = 1_356_660
_POINT: Final = 1.0
"""In points of accuracy; what is closer makes no difference."""
_FEW: Final = 0.01
"""Of the records; fewer are few."""
_RUNS_TIMED: Final = 15
"""Five sizes, three times each."""
_TWICE: Final = math.log(2)
_SIZES: Final = (ALL_INPUTS, *QUASI)
_ALL_SETS: Final = (*((one.name, "all", one.ks) for one in SETS), (ADULT_NAME, ALL_INPUTS, ADULT_K))
_HALVES: Final = "10 halves of Adult"
_RIVALS: Final = ("tds", "tdr", TREE, "mondrian")


def claims_of(results: Sequence[Result]) -> list[Draft]:
    """All claims of the text that can be compared, in the order of the paper."""
    found = Found.of(results)
    return [
        *_few_lost(results),
        _gain_ratio(results, "k"),
        _gain_ratio(results, "2"),
        _numbers_cost_nothing(results),
        _min_objects(found),
        _test_set_as_it_is(found),
        _falls_with_k(found),
        *_no_significant_effect(found),
        *_like_the_inner_inducer(found),
        _japanese_credit(found),
        *(draft for one in PRINTED for draft in (*_gap(found, one), _significant(found, one))),
        _smaller_sets(found),
        *_small_k(found),
        _ranks(found),
        _taxonomies_help(found),
        _deviation(found),
        *_time(results),
    ]


# What effects say


def _shown(one: Effect | None) -> str:
    return "not run yet" if one is None else str(one)


def _estimate(one: Effect | None, cases: int) -> Estimate | None:
    """The estimate of an effect, once all repetitions of all its cases are done."""
    return one.estimate if one is not None and one.whole and one.cases >= cases else None


def _cases_of(method: str, sizes: int = len(_SIZES), ks: Sequence[int] = ADULT_K) -> int:
    """How many cases a method has on Adult, with so many sets of quasi-identifiers."""
    learners = 1 if method == TREE else len(LEARNERS)
    left_out = sum(k < LOGISTIC_FROM for k in ks) if method == "mondrian" else 0
    return sizes * (len(ks) * learners - left_out)


def _means_of(found: Found, accuracies: Accuracies, name: str, quasi: str) -> dict[str, dict[int, float]]:
    """The change against raw rows on one set, by inducer and k; nothing before all repetitions are done."""
    ks = next(ks for dataset, _, ks in _ALL_SETS if dataset == name)
    some = only(accuracies, lambda case: (case.dataset, case.quasi) == (name, quasi))
    raw = raw_beside(found, some)
    means: dict[str, dict[int, float]] = {learner: {} for learner in LEARNERS}
    for case, folds in some.items():
        if len(folds) == len(FOLDS) == len(raw.get(case, {})) and case.learner in means and case.k is not None:
            means[case.learner][case.k] = _mean(folds) - _mean(raw[case])
    return means if all(set(each) == set(ks) for each in means.values()) else {}


def _changes(found: Found, leave_out: Sequence[str] = ()) -> dict[str, dict[str, dict[int, float]]] | None:
    """Those of all sets but some; none before all are done."""
    every = own(found)
    names = [(name, quasi) for name, quasi, _ in _ALL_SETS if name not in leave_out]
    changes = {name: _means_of(found, every, name, quasi) for name, quasi in names}
    return changes if all(changes.values()) else None


def _over_all(means: Mapping[str, Mapping[int, float]]) -> float:
    return statistics.fmean(value for each in means.values() for value in each.values())


# Records, trees and seconds


def _few_lost(results: Sequence[Result]) -> list[Draft]:
    cells = [one for one in results if "lost" in one and (one["criterion"], one["least"]) == (CRITERIA[0], "k")]
    whole = len(cells) == sum(len(ks) for _, _, ks in _ALL_SETS)
    shares = {name: [one["lost"] / one["rows"] for one in cells if one["dataset"] == name] for name, _, _ in _ALL_SETS}
    below = [_FEW - statistics.fmean(each) for each in shares.values() if each]
    most = max((one["lost"] for one in cells), default=0)
    share = max((one["lost"] / one["rows"] for one in cells), default=0.0)
    told = f"At most {most} records, and at most {100 * share:.1f} % of a set" if cells else ""
    return [
        Draft(
            "Fewer than k records are lost (corollary 3).",
            told,
            (checked([one["lost"] < one["k"] for one in cells]) if whole else missing(),),
        ),
        Draft(
            "Very few records are lost (4.3).",
            told,
            (above(Estimate.of(below), f"{len(below)} sets", digits=4) if whole else missing(),),
            f"Few are fewer than {100 * _FEW:.0f} % of a set, on average over its k; what is shown is by how much the "
            "share is below that.",
        ),
    ]


def _gain_ratio(results: Sequence[Result], least: str) -> Draft:
    cells = {
        (one["dataset"], one["k"], one["criterion"]): one["lost"] / one["rows"]
        for one in results
        if "lost" in one and one["least"] == least
    }
    by_ratio, by_gain = CRITERIA
    whole = len(cells) == len(CRITERIA) * sum(len(ks) for _, _, ks in _ALL_SETS)
    spared = [
        statistics.fmean(cells[name, k, by_gain] - cells[name, k, by_ratio] for k in ks)
        for name, _, ks in _ALL_SETS
        if whole
    ]
    return Draft(
        f"By gain ratio instead of gain fewer records are lost (5.9); MinObj is {least}.",
        "Share of the records that is spared" if cells else "",
        (above(Estimate.of(spared), f"{len(spared)} sets", digits=4) if whole else missing(),),
        "" if least == LEAST[0] else "Weka's two records in a branch: MinObj need not be k for the second phase.",
    )


def _numbers_cost_nothing(results: Sequence[Result]) -> Draft:
    seconds = {(one["kind"], one["repetition"]): one["seconds"] for one in results if "kind" in one}
    known = [repetition for kind, repetition in seconds if kind == KINDS[0] and (KINDS[1], repetition) in seconds]
    ratios = [math.log(seconds[KINDS[0], one] / seconds[KINDS[1], one]) for one in sorted(known)]
    times = Estimate.of(ratios) if len(ratios) == len(FOLDS) // 2 else None
    return Draft(
        "Numeric columns have no significant effect on the computational cost (4.5).",
        f"{math.exp(statistics.fmean(ratios)):.2f} times as many seconds as with ten categories instead of each. "
        "Logarithm of the ratio"
        if ratios
        else "",
        (within(times, -_TWICE, _TWICE, f"{len(ratios)} timed orders of Adult's rows"),),
        "No effect: from half to twice the seconds.",
    )


def by_min_objects(found: Found, method: str, beside_it: str) -> dict[str, float]:
    """By how many points one rule for MinObj is above another, for each set on which both are done everywhere."""
    ours, theirs = (found.of_method(one, MAIN.own) for one in (method, beside_it))
    gaps = {}
    for name, quasi, _ in _ALL_SETS:
        one, two = _means_of(found, ours, name, quasi), _means_of(found, theirs, name, quasi)
        if one and two:
            gaps[name] = _over_all(one) - _over_all(two)
    return gaps


def _min_objects(found: Found) -> Draft:
    gaps = list(by_min_objects(found, AS_PRINTED, MIN_OBJECTS).values())
    change = Estimate.of(gaps) if len(gaps) == len(_ALL_SETS) else None
    return Draft(
        "MinObj = k costs no accuracy (4.2.1).",
        "A node needs k records to be split, instead of two records in two branches" if gaps else "",
        (within(change, -_POINT, _POINT, f"{len(gaps)} sets"),),
        f"No cost: less than {_POINT:.0f} point. That the tree becomes smaller follows from the rule.",
    )


# Accuracy


def _test_set_as_it_is(found: Found) -> Draft:
    """The same release, with raw and with recoded test rows."""
    lost = effect(of_adult(found, AS_IT_IS), of_adult(found))
    medians = effect(of_adult(found, AS_IT_IS, "kactus"), of_adult(found, MAIN, "kactus"))
    return Draft(
        "A classifier that learnt from kACTUS's rows can use the test set as it is (5.2).",
        f"Raw test rows instead of recoded ones, on Adult: {_shown(lost)}; with medians {_shown(medians)}. With means",
        (above(_estimate(lost, _cases_of(AS_PRINTED)), _HALVES, -_POINT),),
        f"It can if that costs less than {_POINT:.0f} point. A threshold between means parts raw numbers wrongly, "
        "above all where most of them are 0.",
    )


def _falls_with_k(found: Found) -> Draft:
    changes = _changes(found)
    falls = []
    for each in (changes or {}).values():
        ks = sorted(next(iter(each.values())))
        means = [statistics.fmean(of_k[k] for of_k in each.values()) for k in ks]
        rise = slope([math.log2(k) for k in ks], means)
        falls.append(0.0 if rise is None else -rise.mean)
    every = own(found)
    fall = _largest_beside_smallest(every)
    return Draft(
        "Accuracy falls as k grows (5.4).",
        f"The largest k beside the smallest: {_shown(fall)}. Points lost for each doubling of k",
        (above(Estimate.of(falls), f"{len(falls)} sets") if changes else missing(),),
        "The k are ours: those of the paper are lost.",
    )


def _largest_beside_smallest(every: Accuracies) -> Effect | None:
    ends = {(name, quasi): (min(ks), max(ks)) for name, quasi, ks in _ALL_SETS}
    largest = only(every, lambda case: case.k == ends.get((case.dataset, case.quasi), (None, None))[1])
    smallest = beside(largest, every, lambda case: replace(case, k=ends[case.dataset, case.quasi][0]))
    return effect(largest, smallest)


def _no_significant_effect(found: Found) -> list[Draft]:
    every = only(own(found), _of_table_2)
    raw = raw_beside(found, every)
    counts = tally(every, raw)
    changes = _changes(found)
    lower = {
        name: tally(only(every, lambda case, name=name: case.dataset == name), raw)  # type: ignore[misc]
        for name in changes or {}
    }
    spared = sum(one.worse <= ALPHA * one.cases for one in lower.values())
    means = [_over_all(each) for each in (changes or {}).values()]
    told = (
        f"Significantly lower than on raw rows in {counts.worse} of {plural(counts.cases, 'cases')} with five "
        f"repetitions, higher in {counts.better}. On average: {_shown(effect(every, raw))}"
    )
    return [
        Draft(
            "kACTUS has no significant effect on accuracy (5.9): by tests.",
            told if every else "",
            (mostly(spared, len(lower) - spared, f"{len(lower)} sets") if changes else missing(),),
            "A set is for it if no more than a twentieth of its cases are significantly lower, as many as chance "
            "gives. Table 2 of the paper had marks of significance, which are lost.",
        ),
        Draft(
            "kACTUS has no significant effect on accuracy (5.9): by size.",
            "",
            (within(Estimate.of(means), -_POINT, _POINT, f"{len(means)} sets") if changes else missing(),),
            f"No effect: less than {_POINT:.0f} point on average over sets.",
        ),
    ]


def _changed(found: Found, learner: str, dataset: str | None = None) -> Effect | None:
    """What an inducer gains by kACTUS on all sets of table 2, or on one of them."""
    every = only(
        own(found),
        lambda case: _of_table_2(case) and case.learner == learner and dataset in (None, case.dataset),
    )
    return effect(every, raw_beside(found, every))


def _of_table_2(case: Case) -> bool:
    return case.quasi in ("all", ALL_INPUTS)


def _like_the_inner_inducer(found: Found) -> list[Draft]:
    changes = _changes(found, leave_out=("crx",))
    by_inducer = [
        {learner: statistics.fmean(of_k.values()) for learner, of_k in each.items()}
        for each in (changes or {}).values()
    ]
    others = [one for one in LEARNERS if one != "j48"]
    leads = [each["j48"] - statistics.fmean(each[one] for one in others) for each in by_inducer]
    parts = [each["part"] - statistics.fmean((each["weka-naive-bayes"], each["weka-logistic"])) for each in by_inducer]
    told = "Change against raw rows: " + "; ".join(f"{one} {_shown(_changed(found, one))}" for one in LEARNERS)
    why = "Japanese credit is left out, where the paper says that it is not so."
    return [
        Draft(
            "An inducer like C4.5, which kACTUS wraps, loses less accuracy (5.4): J48 less than the others.",
            told,
            (above(Estimate.of(leads), f"{len(leads)} sets") if changes else missing(),),
            why,
        ),
        Draft(
            "An inducer like C4.5 loses less accuracy (5.4): PART less than naive Bayes and logistic regression.",
            "",
            (above(Estimate.of(parts), f"{len(parts)} sets") if changes else missing(),),
            why,
        ),
    ]


def _japanese_credit(found: Found) -> Draft:
    logistic, trees = _changed(found, "weka-logistic", "crx"), _changed(found, "j48", "crx")
    ks = len(next(ks for name, _, ks in _ALL_SETS if name == "crx"))
    units = "10 halves of crx"
    lead = None
    if _estimate(logistic, ks) is not None and _estimate(trees, ks) is not None and logistic and trees:
        lead = Estimate.of([one - two for one, two in zip(logistic.by_fold, trees.by_fold, strict=True)], HALVES)
    return Draft(
        "On Japanese credit logistic regression improves, C4.5 does not (5.4).",
        f"Change against raw rows over six k: logistic {_shown(logistic)}; J48 {_shown(trees)}",
        (
            above(_estimate(logistic, ks), units).named("Logistic regression"),
            above(lead, units).named("Logistic regression less J48"),
        ),
    )


def _called(one: Printed) -> str:
    return f"{CALLED[one.method]}{' without taxonomies' if one.hierarchies == 'flat' else ''}"


def _gap(found: Found, one: Printed) -> list[Draft]:
    """Two readings: that kACTUS is better, and by how much."""
    ours = gap(found, one.method, MAIN, one.hierarchies)
    known = _estimate(ours, _cases_of(one.method if one.hierarchies == "taxonomies" or one.method == TREE else "tds"))
    lead = None if known is None else Estimate(-known.mean, known.error, known.number)
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
    return [
        Draft(
            f"kACTUS is better than {_called(one)} on average ({one.gap_in}).", _shown(ours), (above(lead, _HALVES),)
        ),
        Draft(
            f"{_called(one)} is {-one.gap:g} points below kACTUS on average ({one.gap_in}).",
            _shown(ours),
            (again(one.gap, known, _HALVES),),
            " ".join(why),
        ),
    ]


def _significant(found: Found, one: Printed) -> Draft:
    """Two printed figures: how often it is better, and how often worse."""
    counts = tally(of_adult(found), other(found, one.method, MAIN, one.hierarchies))
    says = f"significantly better in {one.better} of {one.cases} cases, worse in {one.worse}"
    if one.better is None:
        says = f"significantly worse in {one.worse} of {one.cases} cases" if one.worse else "never significantly worse"
    same = []
    if counts.cases >= _cases_of(one.method):
        if one.better is not None:
            same.append(reached(one.better / one.cases, counts.better / counts.cases))
        same.append(counts.worse <= max(one.worse, ALPHA * counts.cases))
    return Draft(
        f"Beside {_called(one)}, kACTUS is {says} ({one.section}).",
        f"Better in {counts.better}, worse in {counts.worse} of {plural(counts.cases, 'cases')} with five repetitions"
        if counts.cases
        else "",
        (figures(same),),
        "The share of wins is from half to twice of the printed one; losses are as few as printed, or as chance gives. "
        "Cases are of one set of rows, so that they are no units of a test.",
    )


def _smaller_sets(found: Found) -> Draft:
    steps = {"11 instead of 14": ("11/14", ALL_INPUTS), "8 instead of 11": ("8/14", "11/14")}
    narrowed = {name: _narrowed(found, *sizes) for name, sizes in steps.items()}
    cases = _cases_of(AS_PRINTED, sizes=1)
    return Draft(
        "Fewer quasi-identifiers give higher accuracy (5.5).",
        "; ".join(f"{name}: {_shown(one)}" for name, one in narrowed.items()),
        tuple(above(_estimate(one, cases), _HALVES).named(name) for name, one in narrowed.items()),
    )


def _narrowed(found: Found, smaller: str, larger: str) -> Effect | None:
    every = of_adult(found)
    upper = only(every, lambda case: case.quasi == smaller)
    return effect(upper, beside(upper, every, lambda case: replace(case, quasi=larger)))


def _small_k(found: Found) -> list[Draft]:
    """Two readings: better than others at the smallest k, and by more than at the largest."""
    small, large = min(ADULT_K), max(ADULT_K)
    leads, rises = {}, {}
    for method in _RIVALS:
        at_small, at_large = (_lead_at(found, method, k) for k in (small, large))
        leads[CALLED[method]] = None if at_small is None else Estimate.of(at_small, HALVES)
        if at_small is not None and at_large is not None:
            rises[CALLED[method]] = Estimate.of(
                [one - two for one, two in zip(at_small, at_large, strict=True)], HALVES
            )
        else:
            rises[CALLED[method]] = None
    return [
        Draft(
            f"kACTUS is preferred for small k (5.5): at k = {small} it is better than the others.",
            "",
            tuple(above(one, _HALVES).named(name) for name, one in leads.items()),
        ),
        Draft(
            f"kACTUS is preferred for small k (5.5): its lead at k = {small} is larger than at k = {large}.",
            "",
            tuple(above(one, _HALVES).named(name) for name, one in rises.items()),
        ),
    ]


def _lead_at(found: Found, method: str, k: int) -> tuple[float, ...] | None:
    """By how much kACTUS is above another method at one k, in every half."""
    lead = effect(only(of_adult(found), lambda case: case.k == k), other(found, method))
    return lead.by_fold if lead is not None and _estimate(lead, _cases_of(method, ks=(k,))) is not None else None


def _ranks(found: Found) -> Draft:
    sides: dict[str, bool | None] = {CALLED[one]: None for one in _RIVALS}
    told = []
    for what, test in (("C4.5", over_methods(found)), ("all inducers", over_inducers(found))):
        if test is None:
            continue
        sides |= _beaten(test)
        ranks = ", ".join(f"{name} {rank:.2f}" for name, rank in test.ranks.items())
        told.append(f"{what}, {plural(test.cases, 'cases')}: p = {test.p:.2g}, ranks {ranks}")
    better, worse = (", ".join(name for name, side in sides.items() if side is wanted) for wanted in (True, False))
    parts = [Finding("open" if side is None else "holds" if side else "does not hold") for side in sides.values()]
    return Draft(
        "The adjusted Friedman test rejects that all are alike, and by Bonferroni-Dunn kACTUS is better than TDS, TDR, "
        "kADET and Mondrian (5.5, 5.6).",
        "; ".join(told) + f". Better than: {better or 'none'}; worse than: {worse or 'none'}" if told else "",
        tuple(parts) if len(told) == 2 else (missing(),),
        "The paper's own test, which corrects for the number of methods. Its cases are k, quasi-identifiers and "
        "inducers on one set of rows: they depend on each other, here as in the paper.",
    )


def _beaten(test: Friedman) -> dict[str, bool]:
    """Which methods kACTUS is significantly better than, and worse."""
    if test.p > ALPHA:
        return {}
    dunn = bonferroni_dunn(test, CALLED[AS_PRINTED])
    return dict.fromkeys(dunn.better_than, True) | dict.fromkeys(dunn.worse_than, False)


def _taxonomies_help(found: Found) -> Draft:
    methods = [one.method for one in PRINTED if one.hierarchies == "flat"]
    steps = {one: effect(other(found, one), other(found, one, MAIN, "flat")) for one in methods}
    told = (f"{CALLED[method]} {_shown(one)}" for method, one in steps.items())
    return Draft(
        "Taxonomies make TDS, TDR and kADET more accurate (5.7).",
        f"With taxonomies instead of one level: {'; '.join(told)}",
        tuple(above(_estimate(one, _cases_of(name)), _HALVES).named(CALLED[name]) for name, one in steps.items()),
    )


def _deviation(found: Found) -> Draft:
    """The ratio of what two halves differ by, on average over cases, in every repetition."""
    parts = []
    for method in _RIVALS:
        theirs = other(found, method)
        shared = [
            case for case, folds in of_adult(found).items() if len(folds) == len(theirs.get(case, {})) == len(FOLDS)
        ]
        ratios = _ratios(of_adult(found), theirs, shared) if len(shared) >= _cases_of(method) else []
        parts.append(within(Estimate.of(ratios), -_TWICE, _TWICE, "5 repetitions on Adult").named(CALLED[method]))
    return Draft(
        "The standard deviation of kACTUS is like that of the other methods (5.9).",
        "Logarithm of the ratio of both",
        tuple(parts),
        "Alike: from half to twice. Within a repetition, the deviation is by what the two halves of a case differ.",
    )


def _ratios(own_ones: Accuracies, theirs: Accuracies, cases: Sequence[Case]) -> list[float]:
    ratios = []
    for repetition in range(len(FOLDS) // 2):
        mine, others = (
            statistics.fmean(abs(each[case][repetition, 0] - each[case][repetition, 1]) for case in cases)
            for each in (own_ones, theirs)
        )
        ratios.append(math.log(mine / others))
    return ratios


def _mean(folds: Mapping[tuple[int, int], float]) -> float:
    return statistics.fmean(folds.values())


def _time(results: Sequence[Result]) -> list[Draft]:
    drafts, longest = [], []
    for classes in ("drawn", "kept"):
        seconds = seconds_by_rows(results, classes)
        if _LARGEST in seconds:
            longest.append(sum(seconds[_LARGEST]))
        runs = [one for one in results if one.get("classes") == classes and "tree_seconds" in one]
        rows = [float(one["rows"]) for one in runs]
        whole = [one["tree_seconds"] + one["other_seconds"] for one in runs]
        overhead = [one["other_seconds"] for one in runs]
        for what, taken in (("Time", whole), ("Time without that of the tree (corollary 2)", overhead)):
            finding = growth(rows, taken, f"{len(runs)} runs") if len(runs) == _RUNS_TIMED else missing()
            drafts.append(
                Draft(
                    f"{what} is almost linear in the number of rows (5.8); the class of a variation is {classes}.",
                    f"Slope of the logarithms over {len(runs)} of {_RUNS_TIMED} runs" if runs else "",
                    (finding,),
                )
            )
    return [
        *drafts,
        Draft(
            f"{_LARGEST:,} rows take {_SECONDS} s (5.8).",
            f"{max(longest):.1f} s from the table to the verified release." if longest else "",
            (checked([one <= _SECONDS for one in longest]),),
            "Other hardware: theirs was a Pentium 4 with 2.8 GHz, and rows came from a database. Ours runs beside "
            "other cells. Holds if it takes no longer.",
        ),
    ]
