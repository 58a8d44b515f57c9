"""What attacks find out of people of the table beyond others: intervals around zero."""

from __future__ import annotations

from typing import Any, Final

from hedgerow.report.charts.scales import WIDTH, of_rows
from hedgerow.report.drawing import COLOURS, Drawing, draw
from hedgerow.report.facts import Attempts

__all__ = ["attempt_chart"]

_LABELS: Final = 90
_ROW: Final = 30
_LEAST_END: Final = 5.0
"""The scale reaches so many points to both sides at least, so that small differences look small."""
_FEW: Final = "too few to say"
_LOOKS: Final = {
    "finds out more": ("diamond", "after", "after"),
    "nothing beyond chance": ("circle", "ground", "before"),
    _FEW: ("square", "ground", "after"),
}
"""The shape, the fill and the line of an attack, by what there is to say of it."""


def attempt_chart(attempts: Attempts) -> Drawing | None:
    """A line for each interval, a mark for the excess, and a rule at zero."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {
            "attack": one.name,
            "excess": 100 * one.excess,
            "low": 100 * one.low,
            "high": 100 * one.high,
            "which": one.verdict.lower(),
        }
        for one in attempts.attempts
    ]
    if not rows:
        return None
    names = [one.name for one in attempts.attempts]
    low, high = min(-_LEAST_END, *(row["low"] for row in rows)), max(_LEAST_END, *(row["high"] for row in rows))
    room = 0.05 * (high - low)
    size: dict[str, Any] = {"width": WIDTH - _LABELS, "height": alt.Step(_ROW)}
    at = alt.X(
        "excess:Q",
        title="points beyond others",
        scale=alt.Scale(domain=[low - room, high + room], nice=False, zero=False),
        axis=alt.Axis(grid=False, tickCount=5),
    )
    who = alt.Y(
        "attack:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False, grid=True, labelLimit=_LABELS)
    )
    found = {row["which"] for row in rows}
    looks = {which: look for which, look in _LOOKS.items() if which in found or which != _FEW}
    which = list(looks)

    def worded(channel: type[Any], values: list[str]) -> Any:
        legend = alt.Legend(title=None, columns=3, labelLimit=150)
        return channel("which:N", sort=which, legend=legend, scale=alt.Scale(domain=which, range=values))

    look = (
        worded(alt.Shape, [shape for shape, _, _ in looks.values()]),
        worded(alt.Fill, [COLOURS[fill] for _, fill, _ in looks.values()]),
        worded(alt.Stroke, [COLOURS[line] for _, _, line in looks.values()]),
    )
    zero = of_rows([{"excess": 0}], **size).mark_rule(color=COLOURS["limit"], strokeDash=[4, 3]).encode(at)
    spans = of_rows(rows, **size).mark_rule(color=COLOURS["strong-rule"], strokeWidth=2.5)
    marks = of_rows(rows, **size).mark_point(size=80, strokeWidth=1.8, opacity=1).encode(at, who, *look)
    return draw(
        alt.layer(zero, spans.encode(alt.X("low:Q"), who, x2="high:Q"), marks),
        name="attempts",
        heading="What attacks find out of people of the table beyond others",
        says=(
            "Each line is the 95 % interval of an attack's excess, in points. A line that lies wholly to the right of "
            "the dashed zero shows an attack that works."
        ),
        columns=("attack", "excess", "from", "to"),
        rows=[
            (one.name, *(f"{100 * value:.3g}" for value in (one.excess, one.low, one.high)))
            for one in attempts.attempts
        ],
    )
