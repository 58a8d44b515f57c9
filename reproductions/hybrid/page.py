"""The page on hybrid kACTUS."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any, Final

from reproductions.base import Page, Result
from reproductions.estimates import signed
from reproductions.hybrid.claims import FIRST_SEED, better, claims_of, cut
from reproductions.hybrid.found import ALL, CELLS, PRINTED, PRINTED_ORIGINAL, STATED, Found, Kind
from reproductions.hybrid.measuring import APART, GUARANTEED, KS, LEARNERS, PUBLISHED, QUASI, TARGETS, WHOLE
from reproductions.judging import judged

__all__ = ["write"]

_NAMES: Final = {"j48": "C4.5", "weka-naive-bayes": "naive Bayes"}
_KINDS: Final = tuple((method, reading) for method in (PUBLISHED, GUARANTEED) for reading in (WHOLE, APART))
_WIDTH, _HEIGHT = 240, 180


def write(page: Page, results: Sequence[Result]) -> None:
    """Say what was found, from whatever cells are finished."""
    found = Found.of(results)
    page.text(
        "The paper anonymizes three tables and compares the accuracy of Weka's C4.5 and naive Bayes with that on the "
        "original tables. It does not say how it splits rows. We read it in two ways. **Whole table**: the table is "
        "anonymized, and the result cross-validated; most likely the paper's way, and one that lets test rows and "
        "their classes decide how they are altered. **Training parts**: each training part is anonymized, and tested "
        "on the other rows as they are, which is what a user of a release can do."
    )
    page.section("Claims")
    page.claims(judged(claims_of(found)))
    _originals(page, found)
    _table_3(page, found)
    _readings(page, found)
    _settings(page, results)


def _originals(page: Page, found: Found) -> None:
    page.section("Original tables", "Accuracy in percent, cut after two digits as the paper's.")
    rows = []
    for (table, learner), printed in PRINTED_ORIGINAL.items():
        own = found.original.get((table, learner), {})
        first = f"{cut(own[FIRST_SEED]):.2f}" if FIRST_SEED in own else None
        rows.append((table, _NAMES[learner], f"{printed:.2f}", first, _shown(own)))
    page.table(("table", "learner", "printed", f"seed {FIRST_SEED}", "all seeds"), rows)


def _table_3(page: Page, found: Found) -> None:
    for quasi, title in ((STATED, "as stated"), (ALL, "all columns")):
        page.section(
            f"Table 3, quasi-identifiers {title}",
            "Mean accuracy in percent over seeds (lowest to highest), and by how much it differs from the original in "
            "the same folds.",
        )
        kinds = [Kind(quasi, *one) for one in _KINDS]
        header = ("table", "learner", "k", "printed", *(f"{one.method}, {one.reading}" for one in kinds))
        rows = [
            (
                *(table, _NAMES[learner], k, f"{PRINTED[table, learner][KS.index(k)]:.2f}"),
                *(_cell(found, kind, table, learner, k) for kind in kinds),
            )
            for table, learner, k in CELLS
        ]
        page.table(header, rows)
        if found.anonymized:
            page.chart(
                f"table-3-{'stated' if quasi is STATED else 'all'}",
                _chart(found, kinds),
                f"Accuracy by k, table and learner: printed, and ours in four readings; quasi-identifiers {title}",
            )


def _cell(found: Found, kind: Kind, table: str, learner: str, k: int) -> str | None:
    gap = found.gap(kind, table, learner, k)
    shown = _shown(found.scores(kind, table, learner, k))
    return shown if shown is None or gap is None else f"{shown} {signed(gap.mean, 1)}"


def _readings(page: Page, found: Found) -> None:
    page.section(
        "Other readings of the quasi-identifiers",
        "The paper names age, sex and blood pressure of heart-statlog in its text, and suppresses age, sex and thal in "
        "its table 2; of sonar it takes any attribute. Here are both learners and six k together: how many of 12 "
        "cells are better than the original, worse, exactly equal, or unclear.",
    )
    rows = []
    for table in TARGETS:
        for quasi in QUASI[table]:
            counted = []
            for method, reading in _KINDS:
                kind = Kind({**STATED, table: quasi}, method, reading)
                tally = better(found, kind, [cell for cell in CELLS if cell[0] == table])
                known = tally.cases - tally.missing
                told = f"{tally.for_it} / {tally.against} / {tally.equal} / {tally.unclear}"
                counted.append(told if known else None)
            rows.append((table, quasi, *counted))
    page.table(("table", "quasi-identifiers", *(f"{method}, {reading}" for method, reading in _KINDS)), rows)


def _settings(page: Page, results: Sequence[Result]) -> None:
    seeds = sorted({one["seed"] for one in results})
    page.section(
        "Settings",
        "Weka's J48 (confidence 0.25, two records) and NaiveBayes with their defaults; ten stratified folds by Weka, "
        f"seeds {', '.join(map(str, seeds)) if seeds else '–'} (of the folds and of the method). **As published**: "
        "`HybridKActus(as_published=True, min_objects=2)`, whose release is marked as weak; the tree is C4.5 with "
        "Weka's two records in a branch, for with k no leaf would ever be too small. **With the guarantee**: "
        "`HybridKActus()`. The threshold of crossover is 0.5 in both; the paper does not state it. Rows are brought "
        "back into their original order before they are cross-validated, so that an unaltered table has the original "
        "accuracy. Intervals tell of folds, not of other tables.",
    )


def _shown(own: Mapping[int, float]) -> str | None:
    if not own:
        return None
    values = list(own.values())
    return f"{statistics.fmean(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def _chart(found: Found, kinds: Sequence[Kind]) -> Any:
    import altair as alt

    names = [f"{kind.method}, {kind.reading}" for kind in kinds]
    order = ["printed", *names, "original"]
    color = alt.Color("series:N", title=None, sort=order, scale=alt.Scale(domain=order))
    height = alt.Y("score:Q", title="Accuracy in percent", scale=alt.Scale(zero=False))

    def panel(table: str, learner: str) -> Any:
        lines = [
            {"k": k, "series": "printed", "score": score} for k, score in zip(KS, PRINTED[table, learner], strict=True)
        ]
        for kind, name in zip(kinds, names, strict=True):
            own = {k: found.scores(kind, table, learner, k) for k in KS}
            lines += [{"k": k, "series": name, "score": _mean(scores)} for k, scores in own.items() if scores]
        first = found.original.get((table, learner), {})
        rules = [{"series": "original", "score": _mean(first)}] if first else []
        drawn = alt.Chart(alt.InlineData(lines)).mark_line(point=True)
        ruled = alt.Chart(alt.InlineData(rules)).mark_rule(strokeDash=[4, 3])
        both = ruled.encode(y=height, color=color) + drawn.encode(x=alt.X("k:Q", title="k"), y=height, color=color)
        return both.properties(title=f"{table}, {_NAMES[learner]}", width=_WIDTH, height=_HEIGHT)

    panels = [panel(table, learner) for table in TARGETS for learner in LEARNERS]
    return alt.concat(*panels, columns=2).resolve_scale(color="shared")


def _mean(own: Mapping[int, float]) -> float:
    return statistics.fmean(own.values())
