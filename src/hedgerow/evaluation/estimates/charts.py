"""The chart of analyses, which needs Altair, slow to import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import altair as alt

from hedgerow.evaluation.estimates.results import SHOWN, estimate_name

if TYPE_CHECKING:
    from hedgerow.evaluation.estimates.results import Analyses, AnalysisResult

__all__ = ["interval_chart"]

_WIDTH: Final = 300
_STEP: Final = 14
# From the palette of Okabe and Ito, which is readable for colour-blind people.
_COLOURS: Final = {"original": "#595959", "published": "#0072b2", "redrawn": "#d55e00"}
_SHAPES: Final = {"original": "circle", "published": "square", "redrawn": "diamond"}


def interval_chart(analyses: Analyses) -> Any:
    """A panel for each analysis: each estimate with its interval, on the original rows and on the release."""
    by_analysis: dict[str, list[AnalysisResult]] = {}
    for result in analyses.results:
        by_analysis.setdefault(result.analysis, []).append(result)
    panels = [_panel(text, results) for text, results in by_analysis.items()]
    return alt.vconcat(*panels).resolve_scale(x="independent", color="shared", shape="shared")


def _panel(text: str, results: list[AnalysisResult]) -> Any:
    rows = [row for at, result in enumerate(results) for row in _rows(result, with_original=at == 0)]
    which = [name for name in _COLOURS if any(row["table"] == name for row in rows)]
    data = alt.Chart(alt.InlineData(values=rows))
    color = alt.Color("table:N", title=None, scale=alt.Scale(domain=which, range=[_COLOURS[name] for name in which]))
    shape = alt.Shape("table:N", title=None, scale=alt.Scale(domain=which, range=[_SHAPES[name] for name in which]))
    names = list(dict.fromkeys(row["estimate"] for row in rows))
    place = alt.Y("estimate:N", title=None, sort=names)
    apart = alt.YOffset("table:N", sort=which)
    title = SHOWN[results[0].kind]
    value = alt.X("value:Q", title=title, scale=alt.Scale(zero=False))
    shown = ["table:N", "estimate:N", *(alt.Tooltip(f"{name}:Q", format=".4g") for name in ("value", "low", "high"))]
    lines = data.mark_rule().encode(x=alt.X("low:Q", title=title), x2="high:Q", y=place, yOffset=apart, color=color)
    points = data.mark_point(filled=True, size=40).encode(
        x=value, y=place, yOffset=apart, color=color, shape=shape, tooltip=shown
    )
    height = alt.Step(_STEP, **{"for": "offset"})
    return (lines + points).properties(title=text, width=_WIDTH, height=height)


def _rows(result: AnalysisResult, *, with_original: bool) -> list[dict[str, Any]]:
    rows = []
    for estimate in result.estimates:
        sides = [(result.reading, estimate.release, estimate.release_bounds)]
        if with_original:
            sides.append(("original", estimate.original, estimate.original_bounds))  # type: ignore[arg-type]
        for table, value, bounds in sides:
            if value is not None:
                low, high = bounds or (value, value)
                name = estimate_name(result, estimate)
                rows.append({"table": table, "estimate": name, "value": value, "low": low, "high": high})
    return rows
