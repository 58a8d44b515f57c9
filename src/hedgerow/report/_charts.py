"""What the charts share: their width, and the pair of marks that tells before from after."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from hedgerow.report.drawing import COLOURS, Drawing, draw
from hedgerow.report.facts import (
    Association,
    Attackers,
    Attempts,
    Bar,
    ClassSizes,
    ColumnFacts,
    Columns,
    Figure,
    Pair,
    Score,
    Suppression,
    Utility,
)
from hedgerow.report.wording import share

if TYPE_CHECKING:
    import altair as alt

__all__ = [
    "AFTER",
    "BEFORE",
    "WIDTH",
    "association_chart",
    "attempt_chart",
    "column_chart",
    "identifying_chart",
    "kept_chart",
    "label_chart",
    "learner_chart",
    "mapped",
    "of_rows",
    "paired_bars",
    "risk_chart",
    "share_axis",
    "size_chart",
]


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


# --------------------------------------------------------------------------------------------------
# How strongly columns go together, and how much that has changed: a heatmap.


_CELL: Final = 40
_FEW_COLUMNS: Final = 6
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
        says=_describe_association(changes),
        columns=("pair", "before", "after", "change"),
        rows=[(f"{pair.first} and {pair.second}", *_numbers(pair)) for pair in association.pairs],
        wide=len(association.columns) > _FEW_COLUMNS,
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


def _describe_association(changes: bool) -> str:
    if changes:
        return (
            "Each cell is a pair of columns: after less before, on a scale from 0 (they know nothing of each other) to "
            "1. Near 0 means that the tie is as it was; the darker or stronger a cell, the more it has changed."
        )
    return (
        "Each cell is a pair of columns, from 0 (they know nothing of each other) to 1 (one tells the other). The "
        "stronger a cell, the stronger the tie."
    )


# --------------------------------------------------------------------------------------------------
# What attacks find out of people of the table beyond others: intervals around zero.


_ATTACK_LABELS: Final = 90
_ATTACK_ROW: Final = 30
_ATTACK_END: Final = 5.0
"""The scale reaches so many points to both sides at least, so that small differences look small."""
_TOO_FEW: Final = "too few to say"
_ATTACK_LOOKS: Final = {
    "finds out more": ("diamond", "after", "after"),
    "nothing beyond chance": ("circle", "ground", "before"),
    _TOO_FEW: ("square", "ground", "after"),
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
    low, high = min(-_ATTACK_END, *(row["low"] for row in rows)), max(_ATTACK_END, *(row["high"] for row in rows))
    room = 0.05 * (high - low)
    size: dict[str, Any] = {"width": WIDTH - _ATTACK_LABELS, "height": alt.Step(_ATTACK_ROW)}
    at = alt.X(
        "excess:Q",
        title="points beyond others",
        scale=alt.Scale(domain=[low - room, high + room], nice=False, zero=False),
        axis=alt.Axis(grid=False, tickCount=5),
    )
    who = alt.Y(
        "attack:N",
        sort=names,
        title=None,
        axis=alt.Axis(ticks=False, domain=False, grid=True, labelLimit=_ATTACK_LABELS),
    )
    found = {row["which"] for row in rows}
    looks = {which: look for which, look in _ATTACK_LOOKS.items() if which in found or which != _TOO_FEW}
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


# --------------------------------------------------------------------------------------------------
# Columns before and after: how their values are distributed, what is kept of them, how far they tell people apart.


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


# --------------------------------------------------------------------------------------------------
# What was suppressed, by label of the target.


def label_chart(suppression: Suppression) -> Drawing | None:
    """The share of suppressed cells among the records of each label; nothing if there are no such cells."""
    if not any(one.cells for one in suppression.labels):
        return None
    rows = [{"label": one.label, "when": AFTER, "share": one.cells} for one in suppression.labels]
    return draw(
        paired_bars(rows, [one.label for one in suppression.labels], "cells suppressed (*)"),
        name="labels",
        heading="Cells suppressed, by label",
        says=suppression.labels_note,
        columns=("label", "of all records", "cells suppressed", "records left out"),
        rows=[(one.label, share(one.share), share(one.cells), share(one.rows)) for one in suppression.labels],
    )


# --------------------------------------------------------------------------------------------------
# What learners still know: on the release, between always saying the majority and the rows as they were.


# From the bottom to the top: where two are the same, the smaller one is seen inside the larger.
_AREAS: Final = {"original rows": 150, "this release": 75, "majority": 30}
_LEARNER_LOOKS: Final = {
    "majority": ("triangle-right", "ink", "ink"),
    "this release": ("square", "after", "after"),
    "original rows": ("circle", "ground", "before"),
}
"""The shape, the fill and the line of each."""


def learner_chart(utility: Utility) -> Drawing | None:
    """A line for each learner from the majority to the original rows, and where the release is on it."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {"learner": _name(one), "which": which, "score": value}
        for one in utility.rows
        for which, value in zip(_LEARNER_LOOKS, (one.majority, one.published, one.raw), strict=True)
        if value is not None
    ]
    if not rows:
        return None
    names: list[str] = list(dict.fromkeys(row["learner"] for row in rows))
    scores = [row["score"] for row in rows]
    room = 0.06 * (max(scores) - min(scores)) or 0.05
    scale = alt.Scale(domain=[min(scores) - room, max(scores) + room], nice=False, zero=False)
    at = alt.X("score:Q", title=utility.score, scale=scale, axis=alt.Axis(grid=False, tickCount=5))
    who = alt.Y(
        "learner:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False, grid=True, labelLimit=118)
    )
    which = list(_LEARNER_LOOKS)

    def worded(channel: type[Any], values: list[str]) -> Any:
        legend = alt.Legend(title=None, columns=3, labelLimit=90)
        return channel("which:N", sort=which, legend=legend, scale=alt.Scale(domain=which, range=values))

    look = (
        worded(alt.Shape, [shape for shape, _, _ in _LEARNER_LOOKS.values()]),
        worded(alt.Fill, [COLOURS[fill] for _, fill, _ in _LEARNER_LOOKS.values()]),
        worded(alt.Stroke, [COLOURS[line] for _, _, line in _LEARNER_LOOKS.values()]),
    )
    size: dict[str, Any] = {"width": WIDTH - 140, "height": alt.Step(24)}
    lines = of_rows(rows, **size).mark_line(color=COLOURS["strong-rule"], strokeWidth=1.5)
    points = [
        of_rows([row for row in rows if row["which"] == name], **size)
        .mark_point(size=area, strokeWidth=1.8, opacity=1)
        .encode(at, who, *look)
        for name, area in _AREAS.items()
    ]
    return draw(
        alt.layer(lines.encode(at, who, detail="learner:N"), *points),
        name="learners",
        heading=f"What learners still know ({utility.score})",
        says=(
            "Triangle: always the commonest label. Square: trained on what the method publishes. Ring: trained on the "
            "original rows. The nearer the square is to the ring, the less was lost."
        ),
        columns=("learner", "majority", "this release", "original rows"),
        rows=[(_name(one), *map(_score, (one.majority, one.published, one.raw))) for one in utility.rows],
    )


def _name(score: Score) -> str:
    return score.learner if score.k is None else f"{score.learner}, k = {score.k:,}"


def _score(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.3f}"


# --------------------------------------------------------------------------------------------------
# The chance of each attacker, beside the thresholds that others use.


_RISK_ROW: Final = 34
_RISK_LABELS: Final = 66
# The scale ends here at least, so that all four thresholds are seen.
_RISK_END: Final = 0.36


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
    end = max(_RISK_END, *(1.08 * row["risk"] for row in rows)) if rows else _RISK_END
    names = [one.name for one in attackers.attackers]
    size = {"width": WIDTH - _RISK_LABELS, "height": _RISK_ROW * len(names)}
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


# --------------------------------------------------------------------------------------------------
# How large the classes are, and how many records are in the small ones.


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
        says=_describe_sizes(sizes),
        columns=(f"{counted} of a class", "classes", f"{counted} in them", "share", "in classes up to that size"),
        rows=[
            (one.label, f"{one.classes:,}", f"{one.records:,}", share(one.share), share(one.cumulative))
            for one in sizes.histogram
        ],
    )


def _describe_sizes(sizes: ClassSizes) -> str:
    bars = f"Bars: the {sizes.counted} in classes of that size. Dashed line: those in classes up to that size."
    if sizes.threshold is None:
        return bars
    below = [one for one in sizes.histogram if one.low < sizes.threshold]
    smallest = next((one.value for one in sizes.figures if one.label == "smallest"), None)
    if not below or (smallest is not None and smallest >= sizes.threshold):
        return f"{bars} No class is left of the line at k = {sizes.threshold:,}."
    return f"{bars} What is left of the line at k = {sizes.threshold:,} is smaller than was asked."
