"""The page on HeuristicMin: the claims, the figures of the paper beside ours, and Adult."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from reproductions.base import Page, Result
from reproductions.heuristicmin.cases import CASES, PRINTED, Printed
from reproductions.heuristicmin.claims import agreeing, claims_of, generalizations_of
from reproductions.heuristicmin.experiments import ALL_ROWS, COLUMNS, ROWS, SAMPLES, SETTINGS
from reproductions.heuristicmin.found import Found
from reproductions.heuristicmin.measuring import METHODS, QUASI, SECONDS, SHIELDS
from reproductions.judging import judged

__all__ = ["write_page"]

_MEASURES: Final[dict[str, tuple[str, Callable[[float], str]]]] = {
    "prec": ("Precision", lambda value: f"{value:.3f}"),
    "rows_after": ("Distinct rows that are left", lambda value: f"{value:,.0f}"),
    "cells_generalized": ("Generalized cells (share)", lambda value: f"{value:.2f}"),
    "records_generalized": ("Generalized records (share)", lambda value: f"{value:.2f}"),
    "states": ("Tables looked at", lambda value: f"{value:,.0f}"),
    "seconds": ("Seconds, the fit alone", lambda value: f"{value:.3f}" if value < 10 else f"{value:.0f}"),
    "accuracy": ("Accuracy of naive Bayes in ten folds (%)", lambda value: f"{value:.2f}"),
}
_VARIANTS: Final = {
    "HeuristicMin, all cuts": ("rows_after", "states", "seconds"),
    "AllMin, halving": ("states", "seconds"),
}
"""Of these only what is other than of the method itself."""

_WIDTH, _HEIGHT = 320, 220


def write_page(page: Page, results: Sequence[Result]) -> None:
    """Write it from whatever is finished."""
    found = Found(results)
    page.claims(judged(claims_of(found)))
    _summary(page, found)
    _cases(page, found)
    _errata(page)
    _by_rows(page, found)
    _by_columns(page, found)
    _settings(page)


def _summary(page: Page, found: Found) -> None:
    page.section(
        "Figure 10", "The table of section 4.3, 7 distinct rows of 40 records, 4-anonymous on all three columns."
    )
    methods = ("MinGen", "AllMin", "AllMin, halving", "HeuristicMin")
    lines: dict[str, tuple[Callable[[str, Result], object], Callable[[Printed], object]]] = {
        "precision": (lambda _, one: f"{one['prec']:.2f}", lambda one: one.prec),
        "rows": (lambda _, one: one["rows_after"], lambda one: one.rows),
        "generalizations, as printed": (generalizations_of, lambda one: one.generalizations),
        "generalizations of cells of records": (lambda _, one: one["steps"], lambda _: None),
        "tables looked at": (lambda _, one: one["states"], lambda one: one.states),
    }
    header = ("", *(f"{method}, {who}" for method in methods for who in ("paper", "ours")))
    rows = []
    for line, (ours, theirs) in lines.items():
        cells: list[object] = [line]
        for method in methods:
            printed, one = PRINTED["1"].get(method), found.case("1", method)
            cells += [None if printed is None else theirs(printed), None if one is None else ours(method, one)]
        rows.append(cells)
    page.table(header, rows)


def _cases(page: Page, found: Found) -> None:
    page.section(
        "The worked cases",
        "Accuracy is that of naive Bayes with ten folds of the resulting table, as in the paper; the folds are dealt "
        "in ten ways, and the lowest and highest accuracy are told.",
    )
    rows = []
    for case in PRINTED:
        for method in METHODS:
            printed, one = PRINTED[case].get(method), found.case(case, method)
            if printed is None and one is None:
                continue
            before = f" of {len(CASES[case].rows)}" if case in CASES else " of 10"
            same = None
            if printed is not None and one is not None:
                same = "yes" if agreeing(method, printed, one).get("table", False) else "no"
            rows.append(
                (
                    case,
                    method,
                    None if printed is None else f"{printed.rows}{before}",
                    None if one is None else f"{one['rows_after']}{before}",
                    same,
                    None if printed is None else printed.prec,
                    None if one is None else f"{one['prec']:.3f}",
                    None if printed is None else printed.accuracy,
                    None if one is None else f"{min(one['accuracies']):.1f} to {max(one['accuracies']):.1f}",
                    None if one is None else one["states"],
                )
            )
    header = (
        "case",
        "method",
        "rows, paper",
        "rows, ours",
        "same table",
        "precision, paper",
        "precision, ours",
        "accuracy, paper (%)",
        "accuracy, ours (%)",
        "tables looked at",
    )
    page.table(header, rows)


def _errata(page: Page) -> None:
    page.section("Where the paper contradicts itself")
    page.table(
        ("where", "what is printed", "what we take"),
        [
            ("figures 6 and 11", "The same table, with 12th and with 8th.", "12th; only the label differs."),
            ("section 4.3", "Leaves have m < 4, for example (1, 4).", "m ≤ 4: states with as many rows end, too."),
            (
                "section 5.1.1",
                "A space of 240.",
                "Six steps times 40 records; each record has 24 generalizations, and all of them 24 to the 40th.",
            ),
            (
                "section 5.1.2",
                "A binary search that visits the levels 3, 2, 1.",
                "A descent one by one (AllMin); halving visits 3, 1, 0 (AllMin, halving).",
            ),
            ("figure 10", "14 generalizations are twice 7.", "14 cells of records, 7 distinct rows."),
            ("figure 16", "Five rows are the most.", "Six are; the search finds them."),
            ("figure 16", "80 % of 34 records.", "No such share; 29 of 34."),
            (
                "figure 14",
                "University is specialized last.",
                "Only if anonymity is lost by node, as the text words it.",
            ),
            ("figure 19(a)", "TDS stops at intervals of age.", "Nothing stops it there; it goes down to the ages."),
            ("section 5.2.3", "TDS specializes application.", "Sex, as the figure shows."),
            ("figures 20, 21", "Images that are lost.", "Case 4 is not tried."),
        ],
    )


def _by_rows(page: Page, found: Found) -> None:
    page.section(
        "As rows are added",
        "Adult, which the paper does not try. Means over all draws; a dash where nothing is finished, MinGen was not "
        "tried or refused the table. In the first column: quasi-identifiers, requirements, method.",
    )
    for measure, (title, shown) in _MEASURES.items():
        rows = []
        for quasi, requirements in SETTINGS:
            for method in _shown_by(measure):
                means = [found.mean(method, number, quasi, requirements, measure) for number in ROWS]
                if any(one is not None for one in means):
                    cells = [None if one is None else shown(one) for one in means]
                    rows.append((f"{quasi}, {requirements}, {method}", *cells))
        if rows:
            page.text(f"**{title}**")
            page.table(("", *(f"{number:,} rows" for number in ROWS)), rows)
    quasi, requirements = SETTINGS[0]
    for measure in ("prec", "seconds"):
        points = [
            {"x": number, "value": one[measure], "line": method}
            for method in _shown_by(measure)
            for number in ROWS
            for one in found.draws(method, number, quasi, requirements)
            if one.get(measure) is not None
        ]
        if points:
            title = _MEASURES[measure][0]
            says = f"{title}, for each method, against the number of rows"
            page.chart(f"{measure}-by-rows", _lines(points, "rows", title, measure, log_x=True), says)


def _by_columns(page: Page, found: Found) -> None:
    page.section(
        "As quasi-identifiers are added",
        f"All {ALL_ROWS:,} rows, 10-anonymous on all quasi-identifiers together. The search of HeuristicMin ends after "
        "20,000 states at the latest.",
    )
    for measure, (title, shown) in _MEASURES.items():
        rows = []
        for method in _shown_by(measure):
            means = [found.mean(method, ALL_ROWS, quasi, "one", measure) for quasi in COLUMNS]
            if any(one is not None for one in means):
                rows.append((method, *(None if one is None else shown(one) for one in means)))
        if rows:
            page.text(f"**{title}**")
            page.table(("", *(f"{quasi} columns" for quasi in COLUMNS)), rows)
    for measure, name in (("states", "states"), ("rows_after", "left")):
        points = [
            {"x": quasi, "value": one[measure], "line": method}
            for method in _shown_by(measure)
            for quasi in COLUMNS
            for one in found.draws(method, ALL_ROWS, quasi, "one")
            if one.get(measure)
        ]
        if points:
            title = _MEASURES[measure][0]
            says = f"{title}, for each method, against the number of quasi-identifiers"
            page.chart(f"{name}-by-columns", _lines(points, "quasi-identifiers", title, measure, log_x=False), says)


def _shown_by(measure: str) -> list[str]:
    """The methods of which a measure is told."""
    return [method for method in METHODS if measure in _VARIANTS.get(method, _MEASURES)]


def _settings(page: Page) -> None:
    page.section(
        "How it was run",
        "The worked tables, their taxonomies and requirements are the paper's; lost figures were rebuilt from the "
        "text. TDS measures the loss of anonymity by node, as this paper words it. Tables looked at: the states that "
        "HeuristicMin generates, the input not counted; the states of all heights that AllMin visits; the "
        "specializations of TDS and the generalizations of BUG, which look back at none. MinGen's integer program has "
        "no such number.",
        f"Adult: training rows without missing values, drawn without replacement; draw r has the seed (r, rows), for r "
        f"from 0 to {SAMPLES - 1} (MinGen: 0 to 2 up to 1,000 rows, else 0; all rows: one draw). Quasi-identifiers in "
        f"this order: {', '.join(QUASI)}, with the hierarchies that ARX gives out, and intervals of 10, 20 and 40 "
        f"hours. MinGen stops after {SECONDS:.0f} seconds; what it has by then depends on the machine. Times are of "
        "the fit alone, after everything was compiled, beside other work on the machine.",
    )
    told = {
        name: "; ".join(
            f"⟨{', '.join(shield) if shield else 'all quasi-identifiers'}; {k}⟩" for shield, k in requirements
        )
        for name, requirements in SHIELDS.items()
    }
    page.table(("requirements", "shield and k"), list(told.items()))


def _lines(points: list[dict[str, Any]], x_title: str, title: str, measure: str, *, log_x: bool) -> Any:
    """Means as lines."""
    import altair as alt

    order = list(dict.fromkeys(point["line"] for point in points))
    values = sorted({point["x"] for point in points})
    scale = alt.Scale(type="log") if log_x else alt.Scale(zero=False)
    x = alt.X("x:Q", title=x_title, scale=scale, axis=alt.Axis(values=values))
    log_y = measure in ("seconds", "states", "rows_after")
    y = alt.Y("mean(value):Q", title=title, scale=alt.Scale(type="log") if log_y else alt.Scale(zero=True))
    base = alt.Chart(alt.InlineData(points))
    line = base.mark_line(point=True).encode(x=x, y=y, color=alt.Color("line:N", title=None, sort=order))
    return line.properties(width=_WIDTH, height=_HEIGHT)
