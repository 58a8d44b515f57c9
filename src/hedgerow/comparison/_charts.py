"""The frontier as a chart: utility against risk, a sign for each choice.

Altair only gets rounded figures. The chart names its data, so that a page can put
other measures into the same drawing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from hedgerow.comparison._recommendation import Baseline, pareto
from hedgerow.comparison.choices import HIGHEST_RISK, Choice, Measure

if TYPE_CHECKING:
    from hedgerow.comparison.results import Comparison

__all__ = ["NUMBERS", "PLAIN", "SHARES", "datasets", "frontier_chart", "highest", "ticks"]

PLAIN: Final = {
    "ink": "#1c2529",
    "muted": "#545f65",
    "strong-rule": "#8a9490",
    "ground": "#ffffff",
    "limit": "#b23c17",
}
"""The colours of a chart on a light ground."""
_WIDTH, _HEIGHT = 640, 380
# Each has a contrast of at least 3 to the light and the dark ground; shapes distinguish the methods, too.
_PALETTE: Final = ("#2f7fc1", "#c9581a", "#2b8a5b", "#9a5fc4", "#b8860b", "#c0487a", "#5f7f8c", "#7a7a2a")
_SIGNS: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "stroke")
SHARES: Final = "round(datum.value * 1000) / 10 + ' %'"
NUMBERS: Final = "format(datum.value, '~g')"
"""Vega expressions for shares and other numbers on axes."""
_TICKS: Final = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.75, 1.0)
_BESIDE: Final = 9  # pixels between methods of the same risk, whose signs would overlap
_WIDE, _HIGH = 0.16, 0.06  # the size of a label, as a share of the drawing on a phone


def frontier_chart(comparison: Comparison, risk: Measure, utility: Measure, colours: Mapping[str, str] = PLAIN) -> Any:
    """Utility against risk: filled signs are on the frontier, a ring marks the recommended choice.

    Parameters
    ----------
    comparison : Comparison
    risk, utility : Measure
    colours : mapping of str to str
        The colours by their names; a page has its own.
    """
    methods = list(dict.fromkeys(choice.method for choice in comparison.choices if choice.k_reached is not None))
    data = datasets(comparison, risk, utility)
    x = alt.X(
        "risk:Q",
        title=risk.title,
        scale=alt.Scale(type="sqrt", domainMin=0, domainMax=highest(data), nice=False),
        axis=alt.Axis(labelExpr=SHARES, values=ticks(highest(data)), labelOverlap="greedy"),
    )
    y = alt.Y(
        "utility:Q",
        title=utility.title,
        scale=alt.Scale(zero=False, reverse=utility.lower_is_better),
        axis=alt.Axis(labelExpr=SHARES if utility.share else NUMBERS, tickCount=6),
    )
    at = [(name, (place - (len(methods) - 1) / 2) * _BESIDE) for place, name in enumerate(methods)]
    layers = [
        *_baselines(y, colours),
        *_threshold(x, colours),
        _line(x, y, colours),
        *(sign for name, beside in at for sign in _signs(name, beside, methods, x, y, colours)),
    ]
    drawn = [layer for layer in layers if data[layer.data.name]]  # an empty layer would have no scale
    return alt.layer(*(drawn or layers), datasets=data, width=_WIDTH, height=_HEIGHT)


def highest(data: Mapping[str, list[dict[str, Any]]]) -> float:
    """The end of the axis of risk, with room for methods side by side."""
    most = max((row["risk"] for name in ("points", "threshold") for row in data[name]), default=0.0)
    return 1.1 * most or 0.01


def ticks(most: float) -> list[float]:
    """The numbers on the axis of risk: customary thresholds, and round numbers.

    >>> ticks(0.22)
    [0.0, 0.01, 0.02, 0.05, 0.1, 0.2]
    """
    return [tick for tick in _TICKS if tick <= most] if most >= _TICKS[1] else [0.0, most]


def datasets(comparison: Comparison, risk: Measure, utility: Measure) -> dict[str, list[dict[str, Any]]]:
    """The data of the chart, by their names in it."""
    front = pareto(comparison.choices, risk, utility)
    points = [
        _point(choice, risk, utility)
        | {"front": choice in front, "chosen": choice is comparison.recommendation.choice, "near": ""}
        for choice in comparison.choices
        if choice.value(risk) is not None and choice.value(utility) is not None
    ]
    baselines = _baseline_rows(comparison, utility)
    heights = [point[end] for point in points for end in ("low", "high")]
    heights += [row["utility"] for row in baselines]
    height = max(heights, default=0.0) - min(heights, default=0.0)
    _label([point for point in points if point["front"]], height)
    return {
        "points": points,
        "frontier": [{"risk": choice.value(risk), "utility": choice.value(utility)} for choice in front],
        "baselines": baselines,
        "threshold": [{"risk": comparison.threshold}] if risk is HIGHEST_RISK else [],
    }


def _baseline_rows(comparison: Comparison, utility: Measure) -> list[dict[str, Any]]:
    baseline = comparison.baselines.get(utility.name, Baseline())
    named = (("unanonymized", baseline.unanonymized), (baseline.lowest, baseline.majority))
    return [{"name": name, "utility": value} for name, value in named if value is not None]


def _label(front: list[dict[str, Any]], height: float) -> None:
    """Write the k beside the points of the frontier; points whose labels would overlap share a label.

    The rightmost point of a group has the label, since nothing stands beside it. The axis of utility shows ``height``.
    """
    if not front:
        return
    across = math.sqrt(max(point["risk"] for point in front)) or 1.0
    groups: list[list[dict[str, Any]]] = []
    for point in sorted(front, key=lambda point: point["risk"]):
        if groups and _overlap(groups[-1][-1], point, across, height or 1.0):
            groups[-1].append(point)
        else:
            groups.append([point])
    for group in groups:
        group[-1]["near"] = _shared_label(group)


def _shared_label(points: list[dict[str, Any]]) -> str:
    sizes = list(dict.fromkeys(f"{point['k']:,}" for point in points if point["k"] is not None))
    return f"k = {', '.join(sizes)}" if sizes else ""


def _overlap(left: dict[str, Any], right: dict[str, Any], across: float, along: float) -> bool:
    """Whether the labels of two points would overlap, on axes of these lengths."""
    near = math.sqrt(right["risk"]) - math.sqrt(left["risk"]) < _WIDE * across
    return near and abs(right["utility"] - left["utility"]) < _HIGH * along


def _point(choice: Choice, risk: Measure, utility: Measure) -> dict[str, Any]:
    value, error = choice.value(utility) or 0.0, choice.errors.get(utility.name, 0.0)
    return {
        "choice": choice.label,
        "method": choice.method,
        "k": choice.k,
        "risk": choice.value(risk),
        "utility": value,
        "low": value - error,
        "high": value + error,
        "risk_text": choice.told(risk),
        "utility_text": choice.told(utility),
        "smallest": f"{choice.k_reached:,}",
        "lost": f"{choice.rows_lost:.0%}",
    }


def _baselines(y: Any, colours: Mapping[str, str]) -> list[Any]:
    base = alt.Chart(alt.NamedData("baselines"))
    label = base.mark_text(align="left", baseline="middle", dx=5, color=colours["muted"], fontSize=11)
    return [
        base.mark_rule(strokeDash=[2, 3], color=colours["muted"]).encode(y=y),
        label.encode(y=y, x=alt.value("width"), text="name:N"),
    ]


def _threshold(x: Any, colours: Mapping[str, str]) -> list[Any]:
    base = alt.Chart(alt.NamedData("threshold"))
    label = base.mark_text(align="left", baseline="top", dx=5, dy=2, color=colours["limit"], fontSize=11)
    return [
        base.mark_rule(strokeDash=[6, 3], strokeWidth=1.5, color=colours["limit"]).encode(x=x),
        label.encode(x=x, y=alt.value(0), text=alt.value("threshold")),
    ]


def _line(x: Any, y: Any, colours: Mapping[str, str]) -> Any:
    base = alt.Chart(alt.NamedData("frontier"))
    return base.mark_line(interpolate="step-after", color=colours["strong-rule"], strokeWidth=1.5).encode(x=x, y=y)


def _signs(name: str, beside: float, methods: list[str], x: Any, y: Any, colours: Mapping[str, str]) -> list[Any]:
    """The choices of one method: the standard error, the sign, the k of points on the frontier, and the ring."""
    base = alt.Chart(alt.NamedData("points")).transform_filter(alt.FieldEqualPredicate(equal=name, field="method"))
    legend = alt.Legend(title=None, symbolSize=90, symbolStrokeWidth=2, symbolOpacity=1)
    palette = [_PALETTE[at % len(_PALETTE)] for at in range(len(methods))]
    shapes = [_SIGNS[at % len(_SIGNS)] for at in range(len(methods))]
    colour = alt.Color("method:N", scale=alt.Scale(domain=methods, range=palette), legend=legend)
    shape = alt.Shape("method:N", scale=alt.Scale(domain=methods, range=shapes), legend=legend)
    tooltip = [
        alt.Tooltip("choice:N", title="choice"),
        alt.Tooltip("risk_text:N", title="risk"),
        alt.Tooltip("utility_text:N", title="utility"),
        alt.Tooltip("smallest:N", title="smallest class"),
        alt.Tooltip("lost:N", title="rows lost"),
    ]
    low = y.copy()
    low.shorthand = "low:Q"
    own = alt.value(palette[methods.index(name)])
    ring = alt.condition("datum.chosen", alt.value(1), alt.value(0))
    return [
        base.mark_rule(xOffset=beside, opacity=0.55).encode(x, low, alt.Y2("high:Q"), colour),
        base.mark_point(xOffset=beside, size=420, strokeWidth=2, color=colours["ink"]).encode(x, y, opacity=ring),
        base.mark_text(color=colours["ink"], align="left", baseline="middle", dx=beside + 9, dy=11, fontSize=11).encode(
            x, y, text="near:N"
        ),
        base.mark_point(xOffset=beside, size=100, opacity=1, strokeWidth=2).encode(
            x,
            y,
            colour,
            shape,
            fill=alt.condition("datum.front", own, alt.value(colours["ground"])),
            tooltip=tooltip,
        ),
    ]
