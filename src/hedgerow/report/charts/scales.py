"""What the charts share: their width, and the pair of marks that tells before from after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from hedgerow.report.drawing import COLOURS

if TYPE_CHECKING:
    import altair as alt

__all__ = ["AFTER", "BEFORE", "WIDTH", "mapped", "of_rows", "paired_bars", "share_axis"]

WIDTH: Final = 330
"""Of a whole chart in pixels, so that its letters can be read on a phone; pages draw it larger where there is room."""

BEFORE: Final = "before"
AFTER: Final = "after"
_BAR: Final = 9
_LABELS: Final = 140
"""Labels are at most so wide, in pixels; longer ones are cut."""
_LETTER: Final = 6.2
"""The width of a letter, about."""


def of_rows(
    rows: Sequence[Mapping[str, Any]], *, width: int | alt.Step | None = None, height: int | alt.Step | None = None
) -> alt.Chart:
    """A chart of these rows; of layers, one with a size is enough."""
    import altair as alt

    size = {name: value for name, value in (("width", width), ("height", height)) if value is not None}
    return alt.Chart(alt.InlineData(values=list(rows))).properties(**size)


def share_axis(title: str, **more: Any) -> alt.Axis:
    """An axis of shares from 0 to 1, in percents."""
    import altair as alt

    return alt.Axis(
        title=title, labelExpr="round(datum.value * 1000) / 10 + ' %'", tickCount=4, labelOverlap=True, **more
    )


def mapped(colours: Mapping[str, str]) -> alt.Scale:
    """A scale from words to the page's colours."""
    import altair as alt

    return alt.Scale(domain=list(colours), range=[COLOURS[name] for name in colours.values()])


def paired_bars(rows: Sequence[Mapping[str, Any]], order: Sequence[str], title: str) -> alt.Chart:
    """Bars of shares, one above the other for before and after; before is hollow, after is full.

    Parameters
    ----------
    rows : sequence of mappings
        With ``label``, ``when`` (before or after) and ``share``.
    order : sequence of str
        The labels from the top.
    title : str
        Of the axis of shares.
    """
    import altair as alt

    told = [when for when in (BEFORE, AFTER) if any(row["when"] == when for row in rows)]
    highest = max((row["share"] for row in rows), default=1)
    legend = alt.Legend(title=None, symbolType="square", symbolSize=90) if len(told) > 1 else None
    labels = min(_LABELS, round(_LETTER * max(map(len, order), default=0)))
    chart = of_rows(rows, width=WIDTH - labels - 22, height=alt.Step(_BAR + 1 if len(told) > 1 else _BAR + 8))
    encoded: dict[str, Any] = {
        "y": alt.Y(
            "label:N",
            sort=list(order),
            scale=alt.Scale(paddingInner=0.35 if len(told) > 1 else 0),
            title=None,
            axis=alt.Axis(ticks=False, domain=False, labelLimit=_LABELS),
        ),
        "x": alt.X("share:Q", axis=share_axis(title), scale=alt.Scale(domain=[0, min(1, 1.05 * highest) or 1])),
        "fill": alt.Fill("when:N", sort=told, legend=legend, scale=mapped({BEFORE: "ground", AFTER: "after"})),
        "stroke": alt.Stroke("when:N", sort=told, legend=legend, scale=mapped({BEFORE: "before", AFTER: "after"})),
    }
    if len(told) > 1:
        encoded["yOffset"] = alt.YOffset("when:N", sort=told)
    bars: alt.Chart = chart.mark_bar(strokeWidth=1.2, size=_BAR - 1).encode(**encoded)
    return bars
