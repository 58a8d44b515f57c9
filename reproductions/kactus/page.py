"""The page: claims, how they were reached, which reading the paper can have meant, and the tables by number."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from hedgerow.errors import plural, required
from hedgerow.evaluation.charts import critical_difference_diagram
from hedgerow.evaluation.results import MAJORITY
from hedgerow.evaluation.statistics import bonferroni_dunn
from reproductions.base import Page, Result
from reproductions.estimates import Estimate
from reproductions.judging import judged
from reproductions.kactus import charts
from reproductions.kactus.claims import by_min_objects, claims_of
from reproductions.kactus.comparing import Accuracies, Case, Effect, Found, effect, only, signed, tally, tested
from reproductions.kactus.experiments import LEARNERS, LOGISTIC_FROM, TODAY, TODAY_K, TODAY_METHODS, TODAY_WAYS, TREE
from reproductions.kactus.growth import fitted_line, seconds_by_rows
from reproductions.kactus.measuring import AS_PRINTED, MIN_SPLIT, SEVEN
from reproductions.kactus.readings import (
    CALLED,
    MAIN,
    PRINTED,
    READINGS,
    gap,
    gaps_by_reading,
    nearest,
    of_adult,
    other,
    over_inducers,
    over_methods,
    own,
    raw_beside,
)
from reproductions.kactus.sets import ADULT_K, ADULT_NAME, ALL_INPUTS, QUASI, SETS, SLOW_K

__all__ = ["write_page"]

_SIZES: Final = (ALL_INPUTS, *QUASI)
_OTHERS: Final = ("tds", "tdr", TREE, "mondrian")
_APART: Final = 0.5
_NUMBERS: Final = {AS_PRINTED: "means", "kactus": "medians"}
_TODAY: Final = {"kactus": "kACTUS", "mondrian-loss": "Mondrian"}
_WRITTEN: Final = {"redrawn": "redrawn", "published": "as published", "ProportionalEncoder": "proportional"}


def write_page(page: Page, results: Sequence[Result]) -> None:
    """Write all sections, from whatever is known."""
    found = Found.of(results)
    page.section("Claims")
    page.claims(judged(claims_of(results)))
    _what_was_run(page)
    _which_reading(page, found)
    _which_min_objects(page, found, results)
    _against_k(page, found)
    _beside_others(page, found)
    _without_taxonomies(page, found)
    _learners_of_today(page, found)
    _as_tables_grow(page, results)


def _what_was_run(page: Page) -> None:
    page.section(
        "What was run",
        "The printed tables are images that the text we have lacks. So claims of the text are compared, not cells of "
        "tables. The six values of k are lost with them. Ours are, by the size of a set:",
    )
    page.table(
        ("set", "k"),
        [*((one.name, ", ".join(map(str, one.ks))) for one in SETS), (ADULT_NAME, ", ".join(map(str, ADULT_K)))],
    )
    page.text(
        "- Five times two halves, the same for all methods; only the half that trains is anonymized. The inducers are "
        "those of Weka: J48, PART, NaiveBayes, Logistic, with its defaults.",
        '- kACTUS is `KActus(preset="paper")`: C4.5 splits nodes of at least k records, numbers are means, and what is '
        "left at the root is lost. Medians are `KActus()`, our default, which asks for k records in two branches and "
        "loses no record.",
        "- kADET is its own tree, which takes rows as they are, beside kACTUS with J48. Mondrian cuts the widest "
        "column at its median, as its authors have it.",
        "- Adult has the 45,222 rows that miss no value, and ARX's taxonomies, for the authors' are not known. Numbers "
        "have none: TDS, TDR and kADET cut them where it tells most.",
        f"- PART and logistic regression on Adult first have k = {', '.join(map(str, SLOW_K))} and all inputs as "
        "quasi-identifiers; the other cases come last. Logistic regression on Mondrian's labels below "
        f"k = {LOGISTIC_FROM} is left out: they are thousands of categories.",
        "- Nine of the ten sets are here; the text does not name the tenth.",
    )


def _which_reading(page: Page, found: Found) -> None:
    page.section(
        "Which reading the paper can have meant",
        "The test set is used as it is, says section 5.2. That can be read in four ways:",
        *(f"- **{one.name}**: {one.says}" for one in READINGS),
        f"Claims are judged by “{MAIN.name}”: it treats all methods alike, and its training rows are k-anonymous. Each "
        "column shows by how many points a method is above (+) or below (−) kACTUS on Adult, in the cases that all "
        "readings have.",
    )
    rows: list[Sequence[object]] = [("the paper", "means", None, *(_printed(one) for one in _OTHERS))]
    for numbers, name in _NUMBERS.items():
        gaps = gaps_by_reading(found, numbers)
        for reading in READINGS:
            trees = _mean_of(only(of_adult(found, reading, numbers), _tree_of_all_inputs))
            if trees is not None:
                rows.append((reading.name, name, trees, *(_points(gaps[reading.name][one]) for one in _OTHERS)))
    page.table(
        ("reading", "numbers", "kACTUS with J48, 14/14, mean over k (%)", *(CALLED[one] for one in _OTHERS)), rows
    )
    _told_nearest(page, found)


def _told_nearest(page: Page, found: Found) -> None:
    order = nearest(found)
    if len(order) < 2:
        page.text("Too little is done to tell which reading is nearest to the paper.")
        return
    least = order[0][1]
    near = [f"“{name}” ({distance:.1f} points)" for name, distance in order if distance <= least + _APART]
    far = [f"“{name}” ({distance:.1f})" for name, distance in order if distance > least + _APART]
    told = f"On average over the methods, {', '.join(near)} {'is' if len(near) == 1 else 'are'} nearest to the paper."
    if len(near) > 1:
        told += f" They are within {_APART} points of each other, so that the gaps do not tell them apart."
    if far:
        told += f" Farther away: {', '.join(far)}."
    page.text(told)
    for reading in READINGS:
        gaps = [gaps_by_reading(found, AS_PRINTED)[reading.name][method] for method in ("tds", "tdr")]
        if all(one is not None and one.mean > 0 for one in gaps):
            sure = all(one is not None and one.whole and one.estimate.above == "for" for one in gaps)
            page.text(
                f"In “{reading.name}” kACTUS is below TDS and TDR. "
                + ("The paper's figures cannot have been meant so." if sure else "More repetitions must confirm it.")
            )


def _which_min_objects(page: Page, found: Found, results: Sequence[Result]) -> None:
    page.section(
        "Which MinObj is our default",
        "The paper's MinObj is the records that a node needs to be split. That of J48 is the records that two branches "
        "must have. `KActus()` has k in two branches; beside it, only that is changed to the paper's rule. The mean "
        "over inducers and k, test rows recoded. Detail is NCP, 0 for raw rows. The default is the paper's rule if it "
        "has the higher accuracy, and the interval over sets tells that from chance.",
    )
    gaps = by_min_objects(found, MIN_SPLIT, "kactus")
    details = {method: _details(results, method) for method in ("kactus", MIN_SPLIT)}
    rows = [
        (name, signed(gap), *(f"{statistics.fmean(of[name]):.3f}" for of in details.values()))
        for name, gap in gaps.items()
    ]
    if not rows:
        page.text("No set is done yet.")
        return
    page.table(
        ("set", "accuracy with the paper's rule (points)", "NCP of the default", "NCP of the paper's rule"), rows
    )
    mean = required(Estimate.of(list(gaps.values())), "the sets that are done")
    half = "" if mean.half is None else f" ± {mean.half:.2f}"
    page.text(f"On average over {plural(mean.number, 'sets')}: {signed(mean.mean)}{half} points.")


def _details(results: Sequence[Result], method: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for one in results:
        if (one.get("method"), one.get("quasi")) in ((method, "all"), (method, ALL_INPUTS)) and "ncp_published" in one:
            found[one["dataset"]].append(one["ncp_published"])
    return found


def _printed(method: str, hierarchies: str = "taxonomies") -> str:
    return signed(next(one.gap for one in PRINTED if (one.method, one.hierarchies) == (method, hierarchies)))


def _tree_of_all_inputs(case: Case) -> bool:
    return (case.learner, case.quasi) == ("j48", ALL_INPUTS)


def _mean_of(accuracies: Accuracies) -> str | None:
    """The mean over cases of the means over folds."""
    means = [statistics.fmean(folds.values()) for folds in accuracies.values()]
    return f"{statistics.fmean(means):.2f}" if means else None


def _points(one: Effect | None) -> str | None:
    return None if one is None else signed(one.mean)


def _against_k(page: Page, found: Found) -> None:
    page.section(
        "Accuracy against k (table 2)",
        "kACTUS, all inputs are quasi-identifiers, test rows recoded. Percent; “*” differs significantly from k = 1, "
        "the raw rows, by the combined 5×2 cv F-test (α = 0.05). Without five repetitions nothing is marked.",
    )
    every = own(found)
    for name, ks in (*((one.name, one.ks) for one in SETS), (ADULT_NAME, ADULT_K)):
        quasi = ALL_INPUTS if name == ADULT_NAME else "all"
        raws = {case.learner: folds for case, folds in found.raw.items() if case.dataset == name}
        rows = []
        for learner in LEARNERS:
            cells = [_marked(every, Case(name, quasi, learner, k), raws.get(learner, {})) for k in ks]
            raw = raws.get(learner)
            if raw or any(cells):
                rows.append((learner, None if raw is None else f"{statistics.fmean(raw.values()):.2f}", *cells))
        if rows:
            known = (
                f" Knowing nothing gives {_mean_of({Case(name, quasi, MAJORITY, None): raws[MAJORITY]})}."
                if MAJORITY in raws
                else ""
            )
            page.text(f"**{name}**, {_repetitions(every, name)}.{known}")
            page.table(("inducer", "k = 1", *(f"k = {k}" for k in ks)), rows)
    for numbers, what in _NUMBERS.items():
        _changes(page, found, numbers, what)
    drawn = charts.change_chart(every, raw_beside(found, every))
    if drawn is not None:
        page.chart("against-k", drawn, "Change of accuracy against raw rows by k, a line for each set, by inducer")


def _repetitions(every: Accuracies, name: str) -> str:
    folds = [len(done) for case, done in every.items() if case.dataset == name]
    return f"at least {plural(min(folds), 'folds')} of 10 in every cell" if folds else "not begun"


def _marked(every: Accuracies, case: Case, raw: Mapping[tuple[int, int], float]) -> str | None:
    folds = every.get(case)
    if folds is None:
        return None
    test = tested(folds, raw)
    return f"{statistics.fmean(folds.values()):.2f}{'*' if test is not None and test.significant() else ''}"


def _changes(page: Page, found: Found, numbers: str, what: str) -> None:
    """What every inducer gains or loses, in every reading."""
    rows = []
    for reading in READINGS:
        every = only(own(found, reading, numbers), lambda case: case.quasi in ("all", ALL_INPUTS))
        cells = [_points(_changed_by(found, every, learner)) for learner in LEARNERS]
        if any(cells):
            rows.append((reading.name, *cells))
    if rows:
        page.text(f"The change against raw rows on average over all sets and k, in points, with {what} for numbers:")
        page.table(("reading", *LEARNERS), rows)


def _changed_by(found: Found, every: Accuracies, learner: str) -> Effect | None:
    some = only(every, lambda case: case.learner == learner)
    return effect(some, raw_beside(found, some))


def _beside_others(page: Page, found: Found) -> None:
    page.section(
        "Beside other methods (tables 3 and 5)",
        "Adult, test rows recoded, ARX's taxonomies: the percent of kACTUS on average over k, and by how many points "
        "the others are above (+) or below (−) it. In brackets in how many cases kACTUS is significantly better and "
        "worse, of those with five repetitions.",
    )
    methods = ("tds", "tdr", TREE, "kadet-release", "mondrian", "mondrian-loss")
    rows = []
    for learner in LEARNERS:
        for size in _SIZES:
            ours = _some(of_adult(found), learner, size)
            if ours:
                cells = [_beside(ours, _some(other(found, one), learner, size)) for one in methods]
                rows.append((learner, size, _mean_of(ours), *cells))
    page.table(("inducer", "quasi-identifiers", "kACTUS", *(CALLED[one] for one in methods)), rows)
    page.text(
        "kADET's tree is what its authors publish; “leaves” are the records with what their leaf's path says, from "
        "which J48 learns. “Our cuts” are those that lower the loss most, the default of `Mondrian`."
    )
    for numbers, what in _NUMBERS.items():
        gaps = {one: gap(found, one, numbers=numbers) for one in methods}
        told = [f"{CALLED[one]} {theirs}" for one, theirs in gaps.items() if theirs is not None]
        if told:
            page.text(f"Points above (+) or below (−) kACTUS with {what}: {'; '.join(told)}.")
    drawn = charts.accuracy_chart(
        {CALLED[one]: other(found, one) for one in _OTHERS} | {CALLED[AS_PRINTED]: of_adult(found)}
    )
    if drawn is not None:
        page.chart("adult", drawn, "Accuracy on Adult by k with all inputs as quasi-identifiers, by inducer and method")
    for name, test, of in (
        ("ranks-c45", over_methods(found), "with C4.5"),
        ("ranks", over_inducers(found), "with all inducers"),
    ):
        if test is None:
            page.text(f"Ranks {of}: no two cases are done in all folds by every method.")
            continue
        dunn = bonferroni_dunn(test, CALLED[AS_PRINTED])
        page.text(
            f"Ranks {of}: Iman and Davenport's F = {test.statistic:.2f}, p = {test.p:.2g}, {test.cases} cases. kACTUS "
            f"is significantly better than {', '.join(dunn.better_than) or 'none'}, worse than "
            f"{', '.join(dunn.worse_than) or 'none'} (Bonferroni-Dunn, α = 0.05)."
        )
        page.chart(name, critical_difference_diagram(dunn, test), f"Average ranks {of} with the critical difference")


def _some(accuracies: Accuracies, learner: str, size: str) -> Accuracies:
    return only(accuracies, lambda case: (case.learner, case.quasi) == (learner, size))


def _beside(ours: Accuracies, theirs: Accuracies) -> str | None:
    mean, counts = _points(effect(theirs, ours)), tally(ours, theirs)
    return mean if mean is None or not counts.cases else f"{mean} ({counts.better}+, {counts.worse}− of {counts.cases})"


def _without_taxonomies(page: Page, found: Found) -> None:
    page.section(
        "Without taxonomies (table 4)",
        "Every column has one level, so that a value is shown or not. Numbers may be meant or not: with “flat "
        "categories” they are still cut into intervals. Points above (+) or below (−) kACTUS.",
    )
    rows = []
    for hierarchies in ("taxonomies", "flat", "flat categories"):
        for method in ("tds", "tdr", TREE):
            ours = gap(found, method, MAIN, hierarchies)
            counts = tally(of_adult(found), other(found, method, MAIN, hierarchies))
            paper = None if hierarchies == "flat categories" else _printed(method, hierarchies)
            significant = f"{counts.better}+, {counts.worse}− of {counts.cases}" if counts.cases else None
            rows.append((hierarchies, CALLED[method], paper, ours, significant))
    page.table(("hierarchies", "method", "the paper", "ours", "significant"), rows)


def _learners_of_today(page: Page, found: Found) -> None:
    page.section(
        "Learners of today",
        "Beyond the paper: Adult, all inputs are quasi-identifiers, no hierarchies, Hedgerow's defaults (kACTUS with "
        "medians, Mondrian with our cuts), shares of at least k people. Gradient boosting and logistic regression are "
        "scikit-learn's, C4.5 is ours. Percent of the test rows; in brackets the folds of ten that are done. Whoever "
        "has only the release can test raw rows; recoded ones need the private recoding.",
    )
    rows: list[Sequence[object]] = []
    for learner in TODAY:
        raw = found.raw.get(Case(ADULT_NAME, ALL_INPUTS, learner, None))
        if raw is None:
            continue
        rows.append((learner, "none", "raw", "raw", *[_with_folds(raw)] * len(TODAY_K)))
        for method in TODAY_METHODS:
            for way in TODAY_WAYS:
                train, test = way.names
                known = found.of_method(method, (train, test))
                cells = [_with_folds(known.get(Case(ADULT_NAME, ALL_INPUTS, learner, k))) for k in TODAY_K]
                rows.append((learner, _TODAY[method], _WRITTEN[train], "raw" if test == "raw" else "recoded", *cells))
    if rows:
        page.table(("learner", "method", "trained on", "tested on", *(f"k = {k}" for k in TODAY_K)), rows)


def _with_folds(folds: Mapping[tuple[int, int], float] | None) -> str | None:
    return None if folds is None else f"{statistics.fmean(folds.values()):.2f} ({len(folds)})"


def _as_tables_grow(page: Page, results: Sequence[Result]) -> None:
    page.section(
        "Time as the table grows (table 6)",
        f"Adult with variations of each row: three attributes are kept, the others drawn from their domains. k = 150, "
        f"seven quasi-identifiers ({', '.join(SEVEN)}; the paper does not name its own). The class of a variation is "
        "drawn like the rest, or that of its record: the paper does not say. “All "
        "else” is counting, pruning, publishing and verifying. Seconds are the least of up to three runs "
        "beside other work on two cores.",
    )
    rows: list[Sequence[object]] = [("the paper", "1,356,660", None, None, "483")]
    for classes in ("drawn", "kept"):
        seconds = seconds_by_rows(results, classes)
        rows += [
            (f"class {classes}", f"{one:,}", f"{tree:.2f}", f"{rest:.2f}", f"{tree + rest:.2f}")
            for one, (tree, rest) in seconds.items()
        ]
    page.table(("table", "rows", "C4.5 (s)", "all else (s)", "together (s)"), rows)
    for classes in ("drawn", "kept"):
        line = fitted_line(seconds_by_rows(results, classes))
        if line is not None:
            page.text(
                f"Class {classes}: {line.at_none:.2f} s and {line.per_million:.2f} s per million rows, "
                f"R² = {line.r2:.4f}."
            )
    drawn = charts.time_chart({one: seconds_by_rows(results, one) for one in ("drawn", "kept")})
    if drawn is not None:
        page.chart("time", drawn, "Seconds against rows")
