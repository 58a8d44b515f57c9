"""The page on Hedge."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from hedgerow.evaluation.cells import UNANONYMIZED
from hedgerow.evaluation.charts import critical_difference_diagram
from hedgerow.evaluation.results import MAJORITY
from hedgerow.evaluation.statistics import bonferroni_dunn
from reproductions.base import Page, Result
from reproductions.hedge.claims import ATTACKERS, claims_of
from reproductions.hedge.experiments import ADULT_KS, ATTACKED, HEDGE, SET_KS, SET_METHODS, SETS
from reproductions.hedge.found import CALLED, Found
from reproductions.hedge.measuring import LEARNERS, MEMBERS, METHODS, REDRAWS
from reproductions.judging import judged
from reproductions.kactus.comparing import FOLDS, tested
from reproductions.kactus.sets import ADULT_NAME

__all__ = ["write_page"]

_LEARNERS: Final = {
    "boosting": "boosting",
    "logistic": "logistic regression",
    "c45": "C4.5",
}
_EVERY_SET: Final = (*SETS, ADULT_NAME)


def write_page(page: Page, results: Sequence[Result]) -> None:
    """Claims first, then how they were reached, then the tables."""
    found = Found.of(results)
    page.text(
        "**Strict** is the default: every published share is of at least k people. **Exact** (`min_support=1`) tells "
        "of every value how many people of a group hold it, be it a single one; it is only here to show what "
        "strictness costs."
    )
    page.section("What was to be reached")
    page.claims(judged(claims_of(found)), "to be reached")
    _how_chosen(page)
    _adult(page, found)
    _releases(page, found)
    _disclosure(page, found)
    _sets(page, found)
    _ranks(page, found)
    _choices(page, found)


def _how_chosen(page: Page) -> None:
    page.section(
        "How it was chosen",
        "All that Hedge chooses (groups, shape, what is told by label), it chooses by itself on the rows that it "
        "anonymizes. Earlier versions of it were scored on the test file too. What has changed since was chosen on "
        "halves of the train file; but that classes of which regions tell are always larger, and not only where the "
        "rehearsal finds no difference, was decided when the disclosure of one seed had been seen.",
    )


def _adult(page: Page, found: Found) -> None:
    page.section(
        "Adult: what learners know of the test file",
        "All 14 inputs are quasi-identifiers, no hierarchies. The train file (30,162 complete rows) is anonymized, "
        f"each published row redrawn {REDRAWS} times, and learners of all these rows are asked about the test file "
        "(15,060 rows) as it is. Seeds 0, 1, 2 are those of the method, of what is drawn, and of the learners. "
        "Percent, mean over seeds (lowest to highest). Boosting and logistic regression are scikit-learn's, C4.5 is "
        "ours.",
    )
    rows: list[Sequence[object]] = []
    for name in LEARNERS:
        for method in METHODS:
            cells = [_spread(found.scores(method, k, name)) for k in ADULT_KS]
            rows.append((_LEARNERS[name], CALLED[method], *cells))
        raw = _spread({seed: one["accuracy"][name] for seed, one in found.raw.items()})
        rows.append((_LEARNERS[name], "raw rows", *[raw] * len(ADULT_KS)))
    nothing = _spread({seed: one["accuracy"][MAJORITY] for seed, one in found.raw.items()})
    rows.append(("the majority", "raw rows", *[nothing] * len(ADULT_KS)))
    page.table(("learner", "method", *(f"k = {k}" for k in ADULT_KS)), rows)


def _spread(scores: Mapping[int, float]) -> str | None:
    values = list(scores.values())
    if not values:
        return None
    mean, low, high = (f"{one:.2f}" for one in (statistics.fmean(values), min(values), max(values)))
    return mean if low == high else f"{mean} ({low} to {high})"


def _releases(page: Page, found: Found) -> None:
    page.section(
        "Adult: the releases",
        "Means over seeds; people singled out are the most of any seed: they are in a tuple of which the release "
        "fixes that fewer than k people have it. Seconds are those of the fastest seed, beside other work on two "
        "cores. “Groups by” is what the rehearsal chose in each seed: the teacher's space with all columns, what the "
        "teacher says alone, the labels, or axes.",
    )
    rows = []
    for method in METHODS:
        for k in ADULT_KS:
            every = list(found.learnt.get((method, k), {}).values())
            if every:
                chosen = Counter(str(one["chosen"]) for one in every if one["chosen"] is not None)
                rows.append(
                    (
                        *(CALLED[method], k),
                        f"{statistics.fmean(one['classes'] for one in every):,.0f}",
                        f"{statistics.fmean(one['ncp_published'] for one in every):.3f}",
                        f"{max(one['singled_out'] for one in every):,}",
                        f"{min(one['seconds'] for one in every):.1f}",
                        ", ".join(f"{name} ({number})" for name, number in chosen.most_common()) or None,
                    )
                )
    page.table(("method", "k", "classes", "ncp_published", "singled out", "seconds", "groups by (seeds)"), rows)


def _disclosure(page: Page, found: Found) -> None:
    page.section(
        "Adult: label disclosure",
        f"`hr.attacks.label_disclosure`: {MEMBERS:,} people of the train file, drawn by the seed, and the 15,060 of "
        "the test file, who are not in the release. What counts is the excess: how much more often labels of members "
        "are guessed than labels of the others, beyond what a learner that sees no release finds them easier to "
        "guess, in points, with its 95 % interval. One attacker has only what is published (alone), the other a "
        "learner of redrawn rows, too (stacked). One line for each seed. All releases are strict.",
    )
    rows = []
    for k in ADULT_KS:
        for method in ATTACKED:
            for seed, one in sorted(found.disclosed.get((method, k), {}).items()):
                told = [one[attacker] for attacker in ATTACKERS]
                cells = [f"{each['excess']:+.2f} ({each['low']:+.2f} to {each['high']:+.2f})" for each in told]
                right = [f"{each['accuracy']:.1f} / {each['control']:.1f}" for each in told]
                rows.append((k, CALLED[method], seed, cells[0], right[0], cells[1], right[1]))
    header = ("k", "method", "seed", "alone: excess", "members / others (%)", "stacked: excess", "members / others (%)")
    page.table(header, rows)
    if rows:
        page.text(
            "The test file is a sample of its own. A learner of the raw train file can be somewhat better or worse "
            "on it by chance alone; the interval says by how much. What is easier to guess by chance is taken off "
            "only since the plain difference of both shares had been seen to end above 1.5 points. By the plain "
            "difference, with Newcombe's interval, the present releases end at up to 1.65 points at k = 100 (above "
            "1.5 in two of three seeds) and 1.50 at k = 1000."
        )


def _sets(page: Page, found: Found) -> None:
    page.section(
        "The shared sets",
        "Five times two halves, the same for all methods; the half that trains is anonymized, strict, with defaults "
        "and without hierarchies. Learners are boosting, C4.5 and naive Bayes, scikit-learn's but for C4.5. Rows are "
        "redrawn once, and test rows are raw. The others' rows are also learnt from as published, with test rows "
        "recoded, which needs their private recoding; greedy has none. Each method has its best learner and "
        "representation by the mean over the folds done: the others choose among twice as many as Hedge (greedy "
        "among as many), which helps them a little. Mean accuracy in percent, the highest in bold; “+” and “−” mark "
        "where Hedge is significantly better or worse by the combined 5×2 cv F-test (α = 0.05), which needs five "
        "repetitions.",
    )
    rows: list[Sequence[object]] = []
    for name in _EVERY_SET:
        nothing, raw = found.known(name)
        for k in SET_KS:
            bests = {method: found.best(name, method, k) for method in SET_METHODS}
            if any(bests.values()):
                highest = max(round(best.mean, 2) for best in bests.values() if best is not None)
                folds = [len(best.folds) for best in bests.values() if best is not None]
                cells = []
                for method, best in bests.items():
                    shown = None if best is None else f"{best.mean:.2f}"
                    shown = f"**{shown}**" if best is not None and round(best.mean, 2) == highest else shown
                    cells.append(None if shown is None else shown + _mark(found, name, method, k))
                rows.append((name, k, min(folds), _percent(nothing), _percent(raw), *cells))
    names = [CALLED[method] for method in SET_METHODS]
    page.table(("set", "k", "folds", "majority", "raw rows", *names), rows)


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{share:.2f}"


def _mark(found: Found, name: str, method: str, k: int) -> str:
    own, best = found.best(name, HEDGE, k), found.best(name, method, k)
    test = None if method == HEDGE or own is None or best is None else tested(own.folds, best.folds)
    if own is None or best is None or test is None or not test.significant():
        return ""
    return " +" if own.mean > best.mean else " −"


def _ranks(page: Page, found: Found) -> None:
    page.section(
        "Ranks",
        "Friedman's test as adjusted by Iman and Davenport, over the cases in which every method has done a "
        "repetition, by the folds that all have. The three k of a set are not independent of each other, so the test "
        "over all of them finds too much; those of a single k do not have that fault, and have fewer cases.",
    )
    rows = []
    for label, ks in (("all", SET_KS), *((str(k), (k,)) for k in SET_KS)):
        test = found.ranked(_EVERY_SET, ks)
        if test is None:
            continue
        dunn = bonferroni_dunn(test, CALLED[HEDGE])
        ranks = [f"{test.ranks[CALLED[method]]:.2f}" for method in SET_METHODS]
        better, worse = (", ".join(one) or "none" for one in (dunn.better_than, dunn.worse_than))
        rows.append((label, test.cases, *ranks, f"{test.statistic:.2f}", f"{test.p:.2g}", better, worse))
        if label == "all":
            drawn = critical_difference_diagram(dunn, test)
            page.chart("ranks", drawn, "Average ranks of the methods, with the critical difference around Hedge")
    if not rows:
        page.text("No two cases are done by every method.")
        return
    names = [CALLED[method] for method in SET_METHODS]
    page.table(("k", "cases", *names, "F", "p", "Hedge better than", "Hedge worse than"), rows)
    page.text("Better and worse are significant ones, by Bonferroni and Dunn (α = 0.05).")


def _choices(page: Page, found: Found) -> None:
    page.section(
        "Which learner and representation was best",
        "Boosting (b), C4.5 (c) or naive Bayes (n); redrawn rows, or published ones with recoded test rows (*).",
    )
    rows: list[Sequence[object]] = []
    for name in _EVERY_SET:
        for k in SET_KS:
            bests = [found.best(name, method, k) for method in SET_METHODS]
            if any(bests):
                raw = found.best(name, UNANONYMIZED, None)
                told = [None if best is None else _short(best.choice.learner, best.choice.train) for best in bests]
                rows.append((name, k, None if raw is None else _short(raw.choice.learner, "raw"), *told))
    names = [CALLED[method] for method in SET_METHODS]
    page.table(("set", "k", "raw rows", *names), rows)
    done = [len(folds) for choices in found.sets.values() for folds in choices.values()]
    if done:
        page.text(f"Folds done: {min(done)} to {max(done)} of {len(FOLDS)} in each case that was begun.")


def _short(learner: str, train: str) -> str:
    return learner[0] + ("*" if train == "published" else "")
