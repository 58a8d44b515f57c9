"""How strongly columns go together, and how much that has changed: a heatmap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hedgerow.report.charts.scales import of_rows
from hedgerow.report.drawing import COLOURS, Drawing, draw
from hedgerow.report.facts import Association, Pair

if TYPE_CHECKING:
    import altair as alt

__all__ = ["association_chart"]

_CELL: Final = 40
_FEW: Final = 6
"""So many columns fit on a phone; more of them scroll."""
_CHANGES: Final = (0.02, 0.05, 0.1, 0.2)
_STRENGTHS: Final = (0.1, 0.2, 0.4, 0.6)


def association_chart(association: Association) -> Drawing | None:
    """One cell for each pair of columns: its number, and five steps of colour; the change where it may be told."""
    import altair as alt

    if not association.pairs:
        return None
    changes = any(pair.change is not None for pair in association.pairs)
    rows = []
    for pair in association.pairs:
        number = pair.change if changes else pair.after
        if number is not None:
            step = sum(abs(number) >= limit for limit in (_CHANGES if changes else _STRENGTHS))
            rows.append(
                {"first": pair.first, "second": pair.second, "step": str(step), "said": _signed(number, changes)}
            )
    steps = [str(step) for step in range(5)]
    across = alt.X("first:N", sort=list(association.columns[:-1]), title=None, axis=_axis(-40))
    down = alt.Y("second:N", sort=list(association.columns[1:]), title=None, axis=_axis(0))
    size = alt.Step(_CELL), alt.Step(_CELL * 0.7)
    chart = of_rows(rows).properties(width=size[0], height=size[1])

    def coloured(suffix: str) -> alt.Scale:
        return alt.Scale(domain=steps, range=[COLOURS[f"step-{step}{suffix}"] for step in steps])

    cells = chart.mark_rect(stroke=COLOURS["ground"], strokeWidth=2).encode(
        across, down, fill=alt.Fill("step:N", legend=None, scale=coloured(""))
    )
    numbers = chart.mark_text(fontSize=11).encode(
        across, down, text="said:N", color=alt.Color("step:N", legend=None, scale=coloured("-ink"))
    )
    return draw(
        alt.layer(cells, numbers).resolve_scale(color="independent"),
        name="association",
        heading="How the ties between columns have changed" if changes else "How columns go together in the release",
        says=_says(changes),
        columns=("pair", "before", "after", "change"),
        rows=[(f"{pair.first} and {pair.second}", *_numbers(pair)) for pair in association.pairs],
        wide=len(association.columns) > _FEW,
    )


def _axis(angle: int) -> alt.Axis:
    import altair as alt

    axis = alt.Axis(ticks=False, domain=False, labelAngle=angle, labelLimit=95, labelPadding=6)
    if angle:
        axis.labelAlign, axis.labelBaseline = "right", "middle"
    return axis


def _signed(number: float, signed: bool) -> str:
    text = f"{number:+.2f}" if signed and round(number, 2) else f"{abs(number):.2f}"
    return text.replace("-", "−")


def _numbers(pair: Pair) -> tuple[str, str, str]:
    before = "not told" if pair.before is None else f"{pair.before:.2f}"
    change = "not told" if pair.change is None else _signed(pair.change, True)
    return before, f"{pair.after:.2f}", change


def _says(changes: bool) -> str:
    if changes:
        return (
            "Each cell is a pair of columns: after less before, on a scale from 0 (they know nothing of each other) to "
            "1. Near 0 means that the tie is as it was; the darker or stronger a cell, the more it has changed."
        )
    return (
        "Each cell is a pair of columns, from 0 (they know nothing of each other) to 1 (one tells the other). The "
        "stronger a cell, the stronger the tie."
    )
