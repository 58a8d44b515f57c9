"""The frontier as a chart: utility against risk, a sign for each choice. Altair is imported when it is drawn.

What reaches Altair are figures that were rounded before. The chart names its data, so that a page can put other
measures into the same drawing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from hedgerow.comparison._recommending import pareto
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
# A contrast of 3 at least to the light ground and to the dark one; shapes tell the same.
_PALETTE: Final = ("#2f7fc1", "#c9581a", "#2b8a5b", "#9a5fc4", "#b8860b", "#c0487a", "#5f7f8c", "#7a7a2a")
_SIGNS: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "stroke")
SHARES: Final = "round(datum.value * 1000) / 10 + ' %'"
NUMBERS: Final = "format(datum.value, '~g')"
"""How axes write shares and other numbers."""
_TICKS: Final = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.75, 1.0)
_BESIDE: Final = 9  # pixels between methods of the same risk, which would cover each other
_WIDE, _HIGH = 0.16, 0.06  # of the drawing, which a phone makes small: how much a label covers


def frontier_chart(comparison: Comparison, risk: Measure, utility: Measure, colours: Mapping[str, str] = PLAIN) -> Any:
    """Utility against risk: filled signs are on the frontier, a ring is around what is recommended.

    Parameters
    ----------
    comparison : Comparison
    risk, utility : Measure
    colours : mapping of str to str
        What the colours are; a page has its own.
    """
    import altair as alt

    methods = list(dict.fromkeys(one.method for one in comparison.choices if one.k_reached is not None))
    found = datasets(comparison, risk, utility)
    x = alt.X(
        "risk:Q",
        title=risk.title,
        scale=alt.Scale(type="sqrt", domainMin=0, domainMax=highest(found), nice=False),
        axis=alt.Axis(labelExpr=SHARES, values=ticks(highest(found)), labelOverlap="greedy"),
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
        *(one for name, beside in at for one in _signs(name, beside, methods, x, y, colours)),
    ]
    drawn = [one for one in layers if found[one.data.name]]  # an empty one would have no scale
    return alt.layer(*(drawn or layers), datasets=found, width=_WIDTH, height=_HEIGHT)


def highest(found: Mapping[str, list[dict[str, Any]]]) -> float:
    """Where the axis of risk ends: there is room for methods side by side."""
    most = max((one["risk"] for name in ("points", "threshold") for one in found[name]), default=0.0)
    return 1.1 * most or 0.01


def ticks(most: float) -> list[float]:
    """Where the axis of risk has numbers: the customary thresholds, and what is round.

    >>> ticks(0.22)
    [0.0, 0.01, 0.02, 0.05, 0.1, 0.2]
    """
    return [one for one in _TICKS if one <= most] if most >= _TICKS[1] else [0.0, most]


def datasets(comparison: Comparison, risk: Measure, utility: Measure) -> dict[str, list[dict[str, Any]]]:
    """The data of the chart, under the names by which it asks for them."""
    front = pareto(comparison.choices, risk, utility)
    points = [
        _point(one, risk, utility)
        | {"front": one in front, "chosen": one is comparison.recommendation.choice, "near": ""}
        for one in comparison.choices
        if one.value(risk) is not None and one.value(utility) is not None
    ]
    baseline = comparison.baselines.get(utility.name)
    told = [] if baseline is None else [("unanonymized", baseline.unanonymized), ("majority", baseline.majority)]
    shown = [end for one in points for end in (one["low"], one["high"])]
    shown += [value for _, value in told if value is not None]
    _label([one for one in points if one["front"]], max(shown, default=0.0) - min(shown, default=0.0))
    return {
        "points": points,
        "frontier": [{"risk": one.value(risk), "utility": one.value(utility)} for one in front],
        "baselines": [{"name": name, "utility": value} for name, value in told if value is not None],
        "threshold": [{"risk": comparison.threshold}] if risk is HIGHEST_RISK else [],
    }


def _label(front: list[dict[str, Any]], height: float) -> None:
    """Write the k beside what is on the frontier: one label for those whose labels would cover each other.

    The last of them has it, the one to the right, beside which nothing stands. The axis of utility shows ``height``.
    """
    if not front:
        return
    across = math.sqrt(max(one["risk"] for one in front)) or 1.0
    along = height or 1.0
    groups: list[list[dict[str, Any]]] = []
    for one in sorted(front, key=lambda one: one["risk"]):
        before = groups[-1][-1] if groups else None
        if (
            before is not None
            and math.sqrt(one["risk"]) - math.sqrt(before["risk"]) < _WIDE * across
            and abs(one["utility"] - before["utility"]) < _HIGH * along
        ):
            groups[-1].append(one)
        else:
            groups.append([one])
    for group in groups:
        told = list(dict.fromkeys(f"{one['k']:,}" for one in group if one["k"] is not None))
        group[-1]["near"] = f"k = {', '.join(told)}" if told else ""


def _point(one: Choice, risk: Measure, utility: Measure) -> dict[str, Any]:
    value, error = one.value(utility) or 0.0, one.errors.get(utility.name, 0.0)
    return {
        "choice": one.label,
        "method": one.method,
        "k": one.k,
        "risk": one.value(risk),
        "utility": value,
        "low": value - error,
        "high": value + error,
        "risk_told": one.told(risk),
        "utility_told": one.told(utility),
        "smallest": f"{one.k_reached:,}",
        "lost": f"{one.rows_lost:.0%}",
    }


def _baselines(y: Any, colours: Mapping[str, str]) -> list[Any]:
    import altair as alt

    base = alt.Chart(alt.NamedData("baselines"))
    label = base.mark_text(align="left", baseline="middle", dx=5, color=colours["muted"], fontSize=11)
    return [
        base.mark_rule(strokeDash=[2, 3], color=colours["muted"]).encode(y=y),
        label.encode(y=y, x=alt.value("width"), text="name:N"),
    ]


def _threshold(x: Any, colours: Mapping[str, str]) -> list[Any]:
    import altair as alt

    base = alt.Chart(alt.NamedData("threshold"))
    label = base.mark_text(align="left", baseline="top", dx=5, dy=2, color=colours["limit"], fontSize=11)
    return [
        base.mark_rule(strokeDash=[6, 3], strokeWidth=1.5, color=colours["limit"]).encode(x=x),
        label.encode(x=x, y=alt.value(0), text=alt.value("threshold")),
    ]


def _line(x: Any, y: Any, colours: Mapping[str, str]) -> Any:
    import altair as alt

    base = alt.Chart(alt.NamedData("frontier"))
    return base.mark_line(interpolate="step-after", color=colours["strong-rule"], strokeWidth=1.5).encode(x=x, y=y)


def _signs(name: str, beside: float, methods: list[str], x: Any, y: Any, colours: Mapping[str, str]) -> list[Any]:
    """The choices of one method: how sure the score is, the sign, the k of what is on the frontier, and the ring."""
    import altair as alt

    base = alt.Chart(alt.NamedData("points")).transform_filter(alt.FieldEqualPredicate(equal=name, field="method"))
    legend = alt.Legend(title=None, symbolSize=90, symbolStrokeWidth=2, symbolOpacity=1)
    palette = [_PALETTE[at % len(_PALETTE)] for at in range(len(methods))]
    shapes = [_SIGNS[at % len(_SIGNS)] for at in range(len(methods))]
    colour = alt.Color("method:N", scale=alt.Scale(domain=methods, range=palette), legend=legend)
    shape = alt.Shape("method:N", scale=alt.Scale(domain=methods, range=shapes), legend=legend)
    told = [
        alt.Tooltip("choice:N", title="choice"),
        alt.Tooltip("risk_told:N", title="risk"),
        alt.Tooltip("utility_told:N", title="utility"),
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
            tooltip=told,
        ),
    ]
