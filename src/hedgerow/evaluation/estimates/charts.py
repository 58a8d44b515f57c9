"""The chart of analyses, which needs Altair, slow to import."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from hedgerow.evaluation.estimates.results import SHOWN, estimate_name

if TYPE_CHECKING:
    from hedgerow.evaluation.estimates.results import Analyses, AnalysisResult

__all__ = ["interval_chart", "shortened"]

_WIDTH: Final = 300
_STEP: Final = 14
# From the palette of Okabe and Ito, which is readable for colour-blind people.
_COLOURS: Final = {"original": "#595959", "published": "#0072b2", "redrawn": "#d55e00"}
_SHAPES: Final = {"original": "circle", "published": "square", "redrawn": "diamond"}


_REACH: Final = 2.0
"""An interval is drawn this many times as far from the values as the usual interval is wide."""


def shortened(rows: Sequence[Mapping[str, Any]], value: str = "value") -> tuple[list[dict[str, Any]], float, float]:
    """Cut intervals off that reach much further than the values and the usual interval, and return the ends of a scale.

    Parameters
    ----------
    rows : sequence of mappings
        With ``low`` and ``high``.
    value : str
        The name of the value in each of them.

    Returns
    -------
    rows : list of dict
        The same, with ends inside the scale. ``"<"`` and ``">"`` in ``cut`` name ends that were cut off.
    low, high : float
        The ends of the scale, with some room.
    """
    values, widths = [row[value] for row in rows], [row["high"] - row["low"] for row in rows]
    reach = max(max(values) - min(values), _REACH * statistics.median(widths))
    low = max(min(values) - reach, min(row["low"] for row in rows))
    high = min(max(values) + reach, max(row["high"] for row in rows))
    cut = [
        {
            **row,
            "low": max(row["low"], low),
            "high": min(row["high"], high),
            "cut": "<" * (row["low"] < low) + ">" * (row["high"] > high),
        }
        for row in rows
    ]
    room = 0.05 * (high - low) or 0.05 * abs(high) or 0.5
    return cut, low - room, high + room


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
    drawn, least, most = shortened(rows) if rows else ([], 0.0, 1.0)
    data = alt.Chart(alt.InlineData(values=drawn))
    color = alt.Color("table:N", title=None, scale=alt.Scale(domain=which, range=[_COLOURS[name] for name in which]))
    shape = alt.Shape("table:N", title=None, scale=alt.Scale(domain=which, range=[_SHAPES[name] for name in which]))
    names = list(dict.fromkeys(row["estimate"] for row in rows))
    place = alt.Y("estimate:N", title=None, sort=names)
    apart = alt.YOffset("table:N", sort=which)
    title = SHOWN[results[0].kind]
    value = alt.X("value:Q", title=title, scale=alt.Scale(domain=[least, most], zero=False, nice=False))
    shown = ["table:N", "estimate:N", *(alt.Tooltip(f"{name}:Q", format=".4g") for name in ("value", "from", "to"))]
    lines = data.mark_rule().encode(x=alt.X("low:Q", title=title), x2="high:Q", y=place, yOffset=apart, color=color)
    points = data.mark_point(filled=True, size=40).encode(
        x=value, y=place, yOffset=apart, color=color, shape=shape, tooltip=shown
    )
    height = alt.Step(_STEP, **{"for": "offset"})
    arrows = [
        data.transform_filter(f"indexof(datum.cut, '{sign}') >= 0")
        .mark_point(shape=turned, filled=True, size=40)
        .encode(x=alt.X(f"{end}:Q", title=title), y=place, yOffset=apart, color=color, tooltip=shown)
        for sign, end, turned in (("<", "low", "triangle-left"), (">", "high", "triangle-right"))
        if any(sign in row["cut"] for row in drawn)
    ]
    return alt.layer(lines, *arrows, points).properties(title=text, width=_WIDTH, height=height)


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
                ends = {"low": low, "high": high, "from": low, "to": high}
                rows.append({"table": table, "estimate": name, "value": value, **ends})
    return rows
