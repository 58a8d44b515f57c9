"""The page of a comparison: the recommendation, the frontier for all measures, and every figure.

Nothing comes from outside: Vega is bundled in the page. Without JavaScript the page shows the frontier in its
first view.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hedgerow.comparison._charts import NUMBERS, SHARES, datasets, frontier_chart, highest, ticks
from hedgerow.comparison._recommendation import Baseline, pareto
from hedgerow.comparison.choices import KEPT, STATUSES, SUREST_GUESS, Choice, Measure, limit_text
from hedgerow.comparison.results import Comparison
from hedgerow.io.atomic import appearing
from hedgerow.report.page import Page, check_page, environment
from hedgerow.report.svg import COLOURS, Drawing, configuration, draw

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["drawn", "notebook", "options_for", "render", "same_releases", "write"]

_TITLE: Final = "Which method, and which k?"
_SNIPPET: Final = "window.vegaEmbed = vegaEmbed;"
_HEADING: Final = "What each choice risks, and what it keeps"
_JUDGEMENTS: Final = {"done": "good", "in part": "note", "not begun": "unknown"}
_STOPS: Final = {
    "time": "The time limit was reached before all cells were finished.",
    "interrupted": "The run was interrupted before all cells were finished.",
}


def write(comparison: Comparison, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write the page, whole or not at all."""
    place = check_page(path, overwrite=overwrite)
    html = render(comparison)
    with appearing(place) as staged:
        staged.write_text(html, encoding="utf-8")
    return place


def render(comparison: Comparison) -> str:
    """The page as HTML."""
    from markupsafe import escape

    advice = comparison.recommendation
    return (
        _environment()
        .get_template("comparison.html")
        .render(
            page=Page(_TITLE),
            comparison=comparison,
            measured=comparison.measured,
            advice=advice,
            verdict=_verdict(comparison),
            figures=_figures(comparison),
            # As it is typed: a command takes no space before the sign.
            options=None if advice.choice is None else escape(options_for(comparison, advice.choice)),
            drawing=drawn(comparison),
            says=_says(comparison, comparison.risk, comparison.utility),
            columns=_columns(comparison),
            rows=list(_rows(comparison)),
            missing=[
                choice for choice in comparison.choices if choice.status != "done" or choice.reason or choice.warnings
            ],
            statuses=STATUSES,
            alike=same_releases(comparison),
            stop=_STOPS.get(comparison.measured.stopped, ""),
            # Only numbers, names of methods and of columns; Jinja's filter keeps them from ending the script.
            data=_data(comparison),
            bundle=_bundle(),
        )
    )


@cache
def _bundle() -> Markup:
    """Vega and all that it needs, with every end of a script escaped."""
    import vl_convert
    from markupsafe import Markup

    return Markup(vl_convert.javascript_bundle(_SNIPPET).replace("</script", "<\\/script"))


@cache
def _environment() -> Environment:
    """The templates of reports and of comparisons."""
    from jinja2 import ChoiceLoader, PackageLoader

    shared = environment()
    before = shared.finalize

    def finalize(value: Any) -> Any:
        spaced = _spaced(value) if type(value) is str else value
        return spaced if before is None else before(spaced)

    loaders = [loader for loader in (PackageLoader("hedgerow.comparison"), shared.loader) if loader is not None]
    return shared.overlay(loader=ChoiceLoader(loaders), finalize=finalize)


def _spaced(text: str) -> str:
    """A text with the shares of pages, whose numbers and signs stay on one line.

    >>> _spaced("81% with k = 5").split(" ")
    ['81\\xa0%', 'with', 'k\\xa0=\\xa05']
    """
    return re.sub(r"(?<=\d)%", "\N{NO-BREAK SPACE}%", text).replace("k = ", "k\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")


def notebook(comparison: Comparison) -> str:
    """HTML for a notebook: the text that a terminal shows, and the frontier below it."""
    from markupsafe import escape

    # A notebook may show many comparisons, and the ids of their charts must differ.
    own = f"hedgerow-{secrets.token_hex(4)}"
    drawings = [drawn(comparison, name=f"{own}-frontier")]
    template = environment().get_template("notebook.html")
    return template.render(text=escape(repr(comparison)), drawings=drawings, own=own, scope=f"#{own}")


def drawn(comparison: Comparison, *, name: str = "frontier") -> Drawing:
    """The frontier in its first view, as an SVG."""
    risk, utility = comparison.risk, comparison.utility
    return draw(
        frontier_chart(comparison, risk, utility, COLOURS),
        name=name,
        heading=_HEADING,
        says=_says(comparison, risk, utility),
        columns=(),
        rows=(),
    )


def options_for(comparison: Comparison, choice: Choice) -> str:
    """The options of ``hedgerow anonymize`` that publish a choice."""
    words = [f"--method {choice.method}"]
    words += [] if choice.k is None else [f"-k {choice.k}"]
    if choice.suppression_limit:
        words.append(
            f"--suppression-limit {limit_text(choice.suppression_limit).removesuffix(' rows').replace(',', '')}"
        )
    return " ".join([*words, *(["--publish-proportions"] if comparison.measured.proportions else [])])


def same_releases(comparison: Comparison) -> list[str]:
    """Sentences about choices whose k give the very same release."""
    groups = dict.fromkeys(
        (choice.method, choice.suppression_limit, tuple(sorted((choice.k, *choice.alike))))
        for choice in comparison.choices
        if choice.alike and choice.k is not None
    )
    return [
        f"{replace(Choice(method, None), suppression_limit=limit).label} gives the very same table with k = "
        f"{', '.join(f'{k:,}' for k in known)}: take the largest, for it promises most."
        for method, limit, known in groups
    ]


def _verdict(comparison: Comparison) -> dict[str, str]:
    advice = comparison.recommendation
    if advice.choice is None:
        return {"judgement": "bad", "answer": "No choice can be recommended", "why": advice.reason}
    finished = all(choice.status not in ("in part", "not begun") for choice in comparison.choices)
    judgement = "good" if finished and not advice.void else "note"
    return {"judgement": judgement, "answer": f"Take {advice.choice.label}", "why": advice.reason}


def _figures(comparison: Comparison) -> list[dict[str, str]]:
    """The figures of the recommended choice."""
    choice = comparison.recommendation.choice
    if choice is None:
        return []
    first = {
        "label": "Smallest class",
        "text": f"{choice.k_reached:,}",
        "meaning": f"At least this many {comparison.measured.counted} share all quasi-identifiers.",
    }
    names = dict.fromkeys((comparison.risk.name, SUREST_GUESS.name, comparison.utility.name, KEPT))
    measures = [measure for name in names for measure in comparison.measures if measure.name == name]
    rest = [{"label": m.title, "text": m.told(choice.value(m)), "meaning": m.meaning} for m in measures]
    return [first, *rest, *_cell_figures(choice)]


def _cell_figures(choice: Choice) -> list[dict[str, str]]:
    """How the cells of the recommended choice are written."""
    if choice.cells is None:
        return []
    return [
        {"label": label, "text": f"{100 * share:.3g}%", "meaning": meaning}
        for (label, meaning), share in zip(_CELLS.items(), choice.cells, strict=True)
    ]


_CELLS: Final = {
    "Untouched cells": "Cells of quasi-identifiers that are written as they were.",
    "Generalized cells": "Cells that show a range, a set or a label.",
    "Suppressed cells": "Cells that show only *.",
}


def _columns(comparison: Comparison) -> list[Any]:
    number = "number"
    measures = [(measure.title, number) for measure in _shown(comparison)]
    limits = [("May lose", number)] if _limited(comparison) else []
    first = ["Method", ("k", number), *limits, "Status", ("Smallest class", number)]
    cells = [(label, number) for label in _CELLS]
    return [*first, *measures, *cells, ("Rows lost", number), ("Seconds", number)]


def _limited(comparison: Comparison) -> bool:
    return any(choice.suppression_limit for choice in comparison.choices)


def _shown(comparison: Comparison) -> list[Measure]:
    """The measures that the table shows: all risks, the scores of all learners together, and detail."""
    return [
        measure
        for measure in comparison.measures
        if ":" not in measure.name and any(choice.value(measure) is not None for choice in comparison.choices)
    ]


def _rows(comparison: Comparison) -> Iterator[dict[str, Any]]:
    front, chosen = comparison.frontier(), comparison.recommendation.choice
    limits = _limited(comparison)
    for choice in comparison.choices:
        cells = [choice.told(measure) for measure in _shown(comparison)]
        yield {
            "method": choice.method,
            "named": [
                "–" if choice.k is None else f"{choice.k:,}",
                *([limit_text(choice.suppression_limit)] if limits else []),
            ],
            "front": choice in front,
            "chosen": choice is chosen,
            "judgement": "note" if choice.warnings else _JUDGEMENTS.get(choice.status, "bad"),
            "status": choice.status,
            "cells": [
                "–" if choice.k_reached is None else f"{choice.k_reached:,}",
                *cells,
                *(["–"] * 3 if choice.cells is None else [f"{100 * share:.3g}%" for share in choice.cells]),
                "–" if choice.rows_lost is None else f"{choice.rows_lost:.0%}",
                f"{choice.seconds:,.1f}",
            ],
        }


def _says(comparison: Comparison, risk: Measure, utility: Measure) -> str:
    front = pareto(comparison.choices, risk, utility)
    if not front:
        return "No finished choice has both figures."
    names = "; ".join(
        f"{choice.label} ({risk.told(choice.value(risk))}, {utility.told(choice.value(utility))})" for choice in front
    )
    baseline = comparison.baselines.get(utility.name, Baseline())
    lines = [
        f"{name} {utility.told(value)}"
        for name, value in (("unanonymized rows", baseline.unanonymized), (baseline.lowest_named, baseline.majority))
        if value is not None
    ]
    beside = f" Dotted lines: {', '.join(lines)}." if lines else ""
    return f"On the frontier (risk, utility): {names}.{beside}"


def _data(comparison: Comparison) -> dict[str, Any]:
    """The data of the page's script: a chart, and its data for every pair of measures."""
    spec = frontier_chart(comparison, *_fullest(comparison), COLOURS).to_dict()
    del spec["datasets"]
    pairs = [
        (risk, utility) for risk in comparison.measures_of("risk") for utility in comparison.measures_of("utility")
    ]
    return {
        "spec": {**spec, "config": configuration()},
        "colours": {sign: name for name, sign in COLOURS.items()},
        "measures": {
            measure.name: {
                "title": measure.title,
                "labels": SHARES if measure.share else NUMBERS,
                "lower": measure.lower_is_better,
            }
            for measure in comparison.measures
        },
        "views": {f"{risk.name}|{utility.name}": _view(comparison, risk, utility) for risk, utility in pairs},
    }


def _fullest(comparison: Comparison) -> tuple[Measure, Measure]:
    """Measures whose chart has all layers: the threshold, and the baselines if there are any."""
    scored = [measure for measure in comparison.measures_of("utility") if measure.name in comparison.baselines]
    return comparison.risk, next(iter(scored), comparison.utility)


def _view(comparison: Comparison, risk: Measure, utility: Measure) -> dict[str, Any]:
    data = datasets(comparison, risk, utility)
    most = highest(data)
    texts = ("risk_text", "utility_text", "lost", "choice")
    data["points"] = [point | {name: _spaced(point[name]) for name in texts} for point in data["points"]]
    says = _spaced(_says(comparison, risk, utility))
    return {"says": says, "datasets": data, "most": most, "ticks": ticks(most)}
