"""The chance of each attacker, beside the thresholds that others use."""

from __future__ import annotations

from typing import Any, Final

from hedgerow.report.charts.scales import WIDTH, of_rows
from hedgerow.report.drawing import COLOURS, Drawing, draw
from hedgerow.report.facts import Attackers

__all__ = ["risk_chart"]

_ROW: Final = 34
_LABELS: Final = 66
# The scale ends here at least, so that all four thresholds are seen.
_LEAST_END: Final = 0.36


def risk_chart(attackers: Attackers, name: str = "risks") -> Drawing:
    """A diamond for the highest chance, a ring for the average one; rules at the thresholds."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {"attacker": one.name, "which": which, "risk": figure.value}
        for one in attackers.attackers
        for which, figure in (("highest", one.highest), ("average", one.average))
        if figure.value is not None
    ]
    levels = [
        {"risk": level.precedent.threshold, "k": str(level.precedent.k)} for level in attackers.attackers[0].levels
    ]
    end = max(_LEAST_END, *(1.08 * row["risk"] for row in rows)) if rows else _LEAST_END
    names = [one.name for one in attackers.attackers]
    size = {"width": WIDTH - _LABELS, "height": _ROW * len(names)}
    # By square roots: chances of one in a hundred and of one in three are told apart on one scale.
    at = alt.X(
        "risk:Q",
        title="chance of finding the right person",
        scale=alt.Scale(type="sqrt", domain=[0, end], nice=False),
        axis=alt.Axis(
            values=[0, 0.01, 0.05, 0.09, 0.2, 0.33, 0.5, 1], grid=False, labelExpr="format(datum.value, '.2~f')"
        ),
    )
    who = alt.Y("attacker:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False, grid=True))
    kinds = ["highest", "average"]

    def worded(channel: type[Any], values: list[str]) -> Any:
        return channel(
            "which:N", sort=kinds, legend=alt.Legend(title=None, offset=18), scale=alt.Scale(domain=kinds, range=values)
        )

    look = (
        worded(alt.Shape, ["diamond", "circle"]),
        worded(alt.Fill, [COLOURS["after"], COLOURS["ground"]]),
        worded(alt.Stroke, [COLOURS["after"]] * 2),
    )
    rules = of_rows(levels, **size)
    # The rings first and larger: where both chances are the same, the diamond is seen inside.
    marks = [
        of_rows([row for row in rows if row["which"] == which], **size)
        .mark_point(size=area, strokeWidth=1.8, opacity=1)
        .encode(at, who, *look)
        for which, area in (("average", 130), ("highest", 65))
    ]
    layers = [
        rules.mark_rule(color=COLOURS["limit"], strokeDash=[4, 3]).encode(at),
        rules.mark_text(color=COLOURS["limit"], baseline="bottom", dy=-3, fontSize=10).encode(
            at, text="k:N", y=alt.value(0)
        ),
        of_rows([{"said": "k ="}], **size)
        .mark_text(color=COLOURS["limit"], baseline="bottom", align="right", dx=-6, dy=-3, fontSize=10)
        .encode(text="said:N", x=alt.value(0), y=alt.value(0)),
        *marks,
    ]
    return draw(
        alt.layer(*layers),
        name=name,
        heading="Risk against thresholds that others use",
        says=(
            "Diamond: the person who is easiest to find. Ring: the average person. Dashed lines: the largest chance "
            "that is allowed where k = 20, 11, 5 or 3 is the rule. Further to the left is safer."
        ),
        columns=("attacker", "highest", "average"),
        rows=[(one.name, one.highest.text, one.average.text) for one in attackers.attackers],
    )
