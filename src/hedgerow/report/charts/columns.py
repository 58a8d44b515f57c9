"""Columns before and after: how their values are distributed, what is kept of them, how far they tell people apart."""

from __future__ import annotations

import re

from hedgerow.report.charts.scales import AFTER, BEFORE, WIDTH, mapped, of_rows, paired_bars, share_axis
from hedgerow.report.drawing import COLOURS, Drawing, draw
from hedgerow.report.facts import Bar, ColumnFacts, Columns, Figure
from hedgerow.report.wording import share

__all__ = ["column_chart", "identifying_chart", "kept_chart"]


def column_chart(column: ColumnFacts, at: int) -> Drawing | None:
    """The distribution of one column, before and after; ``at`` is its place among all of them."""
    if not column.bars:
        return None
    rows = [
        {"label": _label(bar), "when": when, "share": value}
        for bar in column.bars
        for when, value in ((BEFORE, bar.before), (AFTER, bar.after))
        if value is not None
    ]
    return draw(
        paired_bars(rows, [_label(bar) for bar in column.bars], "share of records"),
        name=f"column-{at}-{re.sub('[^a-z0-9]+', '-', column.name.lower()).strip('-') or 'x'}",
        heading=column.name,
        says=column.bars_note,
        columns=(column.name, BEFORE, AFTER),
        rows=[(_label(bar), share(bar.before), share(bar.after)) for bar in column.bars],
    )


def kept_chart(columns: Columns) -> Drawing | None:
    """How much of each quasi-identifier is kept: its bits, and how narrow its cells are."""
    quasi = [one for one in columns.columns if one.role == "quasi-identifier"]
    told = [one for one in quasi if _value(one.entropy_kept) is not None]
    if not told:
        return None
    rows = [{"label": one.name, "when": AFTER, "share": _value(one.entropy_kept)} for one in told]
    return draw(
        paired_bars(rows, [one.name for one in told], "of its information kept"),
        name="kept",
        heading="What is kept of each column",
        says="The part of each column's information (entropy) that the published cells still carry.",
        columns=("column", "information kept"),
        rows=[(one.name, share(_value(one.entropy_kept))) for one in told],
    )


def identifying_chart(columns: Columns) -> Drawing | None:
    """How many pairs of records each column alone tells apart: the further to the right, the more it identifies."""
    import altair as alt

    quasi = [one for one in columns.columns if _value(one.separation) is not None]
    if not quasi:
        return None
    order = sorted(quasi, key=lambda one: -_first(one.separation_before, one.separation))
    rows = [
        {"column": one.name, "when": when, "share": value}
        for one in order
        for when, value in ((BEFORE, _value(one.separation_before)), (AFTER, _value(one.separation)))
        if value is not None
    ]
    told = [when for when in (BEFORE, AFTER) if any(row["when"] == when for row in rows)]
    legend = alt.Legend(title=None) if len(told) > 1 else None
    chart = of_rows(rows, width=WIDTH - 140, height=alt.Step(22))
    names = [one.name for one in order]
    who = alt.Y("column:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False, grid=True, labelLimit=118))
    at = alt.X("share:Q", axis=share_axis("pairs of records told apart", grid=False), scale=alt.Scale(domain=[0, 1]))
    lines = chart.mark_line(color=COLOURS["strong-rule"], strokeWidth=1.5).encode(at, who, detail="column:N")
    points = chart.mark_point(size=80, strokeWidth=1.8, opacity=1).encode(
        at,
        who,
        fill=alt.Fill("when:N", sort=told, legend=legend, scale=mapped({BEFORE: "ground", AFTER: "after"})),
        stroke=alt.Stroke("when:N", sort=told, legend=legend, scale=mapped({BEFORE: "before", AFTER: "after"})),
        shape=alt.Shape(
            "when:N", sort=told, legend=legend, scale=alt.Scale(domain=[BEFORE, AFTER], range=["circle", "square"])
        ),
    )
    return draw(
        alt.layer(lines, points),
        name="identifying",
        heading="Which column tells people apart",
        says=(
            "Of all pairs of records, the share with different values in that column alone. The further to the right, "
            "the more the column helps to find somebody. Published cells count as different also where they overlap."
        ),
        columns=("column", *(f"pairs told apart, {when}" for when in (BEFORE, AFTER))),
        rows=[(one.name, share(_value(one.separation_before)), share(_value(one.separation))) for one in order],
    )


def _label(bar: Bar) -> str:
    return f"hidden ({bar.label})" if bar.kind == "suppressed" else bar.label


def _value(figure: Figure | None) -> float | None:
    return None if figure is None else figure.value


def _first(*figures: Figure | None) -> float:
    return next((value for one in figures if (value := _value(one)) is not None), 0)
