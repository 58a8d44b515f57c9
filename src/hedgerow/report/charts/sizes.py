"""How large the classes are, and how many records are in the small ones."""

from __future__ import annotations

from typing import Final, Literal

from hedgerow.report.charts.scales import WIDTH, of_rows, share_axis
from hedgerow.report.drawing import COLOURS, Drawing, draw
from hedgerow.report.facts import ClassSizes
from hedgerow.report.wording import share

__all__ = ["size_chart"]

_HEIGHT: Final = 190
_AXIS: Final = 46


def size_chart(sizes: ClassSizes, name: str = "class-sizes") -> Drawing:
    """Bars for the records in classes by size, a line for those in classes up to a size, a rule at the k asked for."""
    import altair as alt

    counted = sizes.counted
    ends = {one.label: one.value for one in sizes.figures}
    # A bar begins where the first class is: below k there may be none, and nothing must look as if there were.
    smallest, largest = ends.get("smallest"), ends.get("largest")
    rows = [
        {
            "low": max(group.low, smallest) if smallest is not None else group.low,
            "high": (min(group.high, largest) if largest is not None else group.high) + 1,
            "share": group.share,
            "cumulative": group.cumulative,
        }
        for group in sizes.histogram
    ]
    first, last = rows[0]["low"], rows[-1]["high"]
    least, most = min(first, sizes.threshold or first), max(last, sizes.threshold or last)
    ticks = sorted(
        {2**power for power in range(31) if least <= 2**power <= most} | ({first} if len(rows) < 3 else set())
    )
    at = alt.X(
        "low:Q",
        title=f"{counted} of the class (each step doubles)",
        scale=alt.Scale(type="log", base=2, domain=[least, most], nice=False),
        axis=alt.Axis(
            values=ticks, grid=False, labelExpr="format(datum.value, ',')", labelOverlap=True, labelSeparation=6
        ),
    )
    up = alt.Y("share:Q", axis=share_axis(f"share of {counted}"), scale=alt.Scale(domain=[0, 1]))
    bars = of_rows(rows, width=WIDTH - _AXIS, height=_HEIGHT)
    line = [{"low": first, "share": 0}, *({"low": row["high"], "share": row["cumulative"]} for row in rows)]
    layers = [
        bars.mark_bar(color=COLOURS["after"], stroke=COLOURS["ground"], strokeWidth=1).encode(
            at, up, x2="high:Q", y2=alt.datum(0)
        ),
        of_rows(line)
        .mark_line(
            color=COLOURS["ink"], strokeWidth=1.6, strokeDash=[5, 3], point={"color": COLOURS["ink"], "size": 22}
        )
        .encode(at, up),
    ]
    if sizes.threshold is not None:
        # Beside the line, where there is room.
        side: Literal["left", "right"] = "left" if sizes.threshold**2 <= least * most else "right"
        limit = of_rows([{"low": sizes.threshold, "said": f"k = {sizes.threshold:,}"}])
        layers += [
            limit.mark_rule(color=COLOURS["limit"], strokeWidth=2).encode(at),
            limit.mark_text(
                color=COLOURS["limit"], align=side, dx=4 if side == "left" else -4, fontWeight="bold", baseline="top"
            ).encode(at, text="said:N", y=alt.value(2)),
        ]
    return draw(
        alt.layer(*layers),
        name=name,
        heading=f"How many {counted} share a class",
        says=_says(sizes),
        columns=(f"{counted} of a class", "classes", f"{counted} in them", "share", "in classes up to that size"),
        rows=[
            (one.label, f"{one.classes:,}", f"{one.records:,}", share(one.share), share(one.cumulative))
            for one in sizes.histogram
        ],
    )


def _says(sizes: ClassSizes) -> str:
    bars = f"Bars: the {sizes.counted} in classes of that size. Dashed line: those in classes up to that size."
    if sizes.threshold is None:
        return bars
    below = [one for one in sizes.histogram if one.low < sizes.threshold]
    smallest = next((one.value for one in sizes.figures if one.label == "smallest"), None)
    if not below or (smallest is not None and smallest >= sizes.threshold):
        return f"{bars} No class is left of the line at k = {sizes.threshold:,}."
    return f"{bars} What is left of the line at k = {sizes.threshold:,} is smaller than was asked."
