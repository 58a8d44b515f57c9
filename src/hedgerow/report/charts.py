"""The charts of a report, each a function from facts to a drawing. They need Altair, which is slow to import."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import altair as alt

from hedgerow.evaluation.estimates.charts import shortened
from hedgerow.evaluation.estimates.models import INTERCEPT
from hedgerow.report.facts.figures import Bar, Figure
from hedgerow.report.facts.sections import (
    AnalysisFacts,
    Association,
    Attackers,
    Attempts,
    ClassSizes,
    ColumnFacts,
    Columns,
    EstimateFacts,
    Pair,
    Score,
    Suppression,
    Utility,
)
from hedgerow.report.page import share_text
from hedgerow.report.svg import COLOURS, Drawing, draw

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
    "estimate_chart",
    "learner_chart",
    "of_rows",
    "risk_chart",
    "size_chart",
]


WIDTH: Final = 330
"""The width of a chart in pixels. Its letters stay legible on a phone; pages draw it larger where there is room."""

BEFORE: Final = "before"
AFTER: Final = "after"
_BAR: Final = 9
_LABELS: Final = 140
"""The largest width of a label, in pixels; longer labels are cut."""
_LETTER: Final = 6.2
"""The approximate width of a letter."""


def of_rows(
    rows: Sequence[Mapping[str, Any]], *, width: int | alt.Step | None = None, height: int | alt.Step | None = None
) -> alt.Chart:
    """A chart of these rows; a single layer with a size is enough."""
    size = {name: value for name, value in (("width", width), ("height", height)) if value is not None}
    return alt.Chart(alt.InlineData(values=list(rows))).properties(**size)


def _share_axis(title: str, **more: Any) -> alt.Axis:
    """An axis of shares from 0 to 1, in percents."""
    return alt.Axis(
        title=title, labelExpr="round(datum.value * 1000) / 10 + ' %'", tickCount=4, labelOverlap=True, **more
    )


def category_axis(width: int = 118) -> alt.Axis:
    """An axis of names without ticks, with a line to each mark."""
    return alt.Axis(title=None, ticks=False, domain=False, grid=True, labelLimit=width)


Look = tuple[str, str, str]
"""The shape, the fill and the line of a mark."""


def look_channels(looks: Mapping[str, Look], **legend: Any) -> list[Any]:
    """Channels that give each value of ``which`` its look, with a legend."""
    names = list(looks)
    shapes, fills, lines = zip(*looks.values(), strict=True)
    ranges = (
        (alt.Shape, list(shapes)),
        (alt.Fill, [COLOURS[fill] for fill in fills]),
        (alt.Stroke, [COLOURS[line] for line in lines]),
    )
    return [
        channel(
            "which:N",
            sort=names,
            legend=alt.Legend(title=None, **legend),
            scale=alt.Scale(domain=names, range=values),
        )
        for channel, values in ranges
    ]


def _mapped(colours: Mapping[str, str]) -> alt.Scale:
    """A scale from words to the page's colours."""
    return alt.Scale(domain=list(colours), range=[COLOURS[name] for name in colours.values()])


def _paired_bars(rows: Sequence[Mapping[str, Any]], order: Sequence[str], title: str) -> alt.Chart:
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
    known = _known(rows)
    highest = max((row["share"] for row in rows), default=1)
    legend = alt.Legend(title=None, symbolType="square", symbolSize=90) if len(known) > 1 else None
    labels = min(_LABELS, round(_LETTER * max(map(len, order), default=0)))
    chart = of_rows(rows, width=WIDTH - labels - 22, height=alt.Step(_BAR + 1 if len(known) > 1 else _BAR + 8))
    encoded: dict[str, Any] = {
        "y": alt.Y(
            "label:N",
            sort=list(order),
            scale=alt.Scale(paddingInner=0.35 if len(known) > 1 else 0),
            title=None,
            axis=alt.Axis(ticks=False, domain=False, labelLimit=_LABELS),
        ),
        "x": alt.X("share:Q", axis=_share_axis(title), scale=alt.Scale(domain=[0, min(1, 1.05 * highest) or 1])),
        "fill": alt.Fill("when:N", sort=known, legend=legend, scale=_mapped({BEFORE: "ground", AFTER: "after"})),
        "stroke": alt.Stroke("when:N", sort=known, legend=legend, scale=_mapped({BEFORE: "before", AFTER: "after"})),
    }
    if len(known) > 1:
        encoded["yOffset"] = alt.YOffset("when:N", sort=known)
    bars: alt.Chart = chart.mark_bar(strokeWidth=1.2, size=_BAR - 1).encode(**encoded)
    return bars


# --------------------------------------------------------------------------------------------------
# How strongly columns are associated, and how much that has changed: a heatmap.


_CELL: Final = 40
_FEW_COLUMNS: Final = 6
"""The columns that fit on a phone; a wider heatmap scrolls."""
_CHANGES: Final = (0.02, 0.05, 0.1, 0.2)
_STRENGTHS: Final = (0.1, 0.2, 0.4, 0.6)


def association_chart(association: Association) -> Drawing | None:
    """A cell for each pair of columns, with its number and one of five colours; the change where it may be shown."""
    if not association.pairs:
        return None
    changes = any(pair.change is not None for pair in association.pairs)
    across = alt.X("first:N", sort=list(association.columns[:-1]), title=None, axis=_axis(-40))
    down = alt.Y("second:N", sort=list(association.columns[1:]), title=None, axis=_axis(0))
    chart = of_rows(_cells(association.pairs, changes=changes), width=alt.Step(_CELL), height=alt.Step(_CELL * 0.7))
    cells = chart.mark_rect(stroke=COLOURS["ground"], strokeWidth=2).encode(
        across, down, fill=alt.Fill("step:N", legend=None, scale=_step_scale(""))
    )
    numbers = chart.mark_text(fontSize=11).encode(
        across, down, text="text:N", color=alt.Color("step:N", legend=None, scale=_step_scale("-ink"))
    )
    return draw(
        alt.layer(cells, numbers).resolve_scale(color="independent"),
        name="association",
        heading="How the ties between columns have changed" if changes else "The ties between columns in the release",
        says=_describe_association(changes),
        columns=("pair", "before", "after", "change"),
        rows=[(f"{pair.first} and {pair.second}", *_numbers(pair)) for pair in association.pairs],
        wide=len(association.columns) > _FEW_COLUMNS,
    )


def _cells(pairs: Sequence[Pair], *, changes: bool) -> list[dict[str, str]]:
    """The rows of the heatmap: the number of each pair, and the step of its colour."""
    limits = _CHANGES if changes else _STRENGTHS
    numbers = [(pair, pair.change if changes else pair.after) for pair in pairs]
    return [
        {
            "first": pair.first,
            "second": pair.second,
            "step": str(sum(abs(number) >= limit for limit in limits)),
            "text": _signed(number, changes),
        }
        for pair, number in numbers
        if number is not None
    ]


def _step_scale(suffix: str) -> alt.Scale:
    steps = [str(step) for step in range(5)]
    return alt.Scale(domain=steps, range=[COLOURS[f"step-{step}{suffix}"] for step in steps])


def _axis(angle: int) -> alt.Axis:
    axis = alt.Axis(ticks=False, domain=False, labelAngle=angle, labelLimit=95, labelPadding=6)
    if angle:
        axis.labelAlign, axis.labelBaseline = "right", "middle"
    return axis


def _signed(number: float, signed: bool) -> str:
    text = f"{number:+.2f}" if signed and round(number, 2) else f"{abs(number):.2f}"
    return text.replace("-", "−")


def _numbers(pair: Pair) -> tuple[str, str, str]:
    before = "not shown" if pair.before is None else f"{pair.before:.2f}"
    change = "not shown" if pair.change is None else _signed(pair.change, True)
    return before, f"{pair.after:.2f}", change


def _describe_association(changes: bool) -> str:
    if changes:
        return (
            "Each cell is a pair of columns and shows the strength of their tie after less before; a tie goes from 0 "
            "(none) to 1 (one determines the other). Near 0 means that the tie is unchanged; the darker or stronger a "
            "cell, the more the tie has changed."
        )
    return (
        "Each cell is a pair of columns, from 0 (no tie) to 1 (one determines the other). The stronger a cell, "
        "the stronger the tie."
    )


# --------------------------------------------------------------------------------------------------
# Intervals: those of tiny samples are cut off, so that they do not squash the scale of all others.


_GOES_ON: Final = "An arrow at the end of a line: the interval goes on, and the numbers below show how far."


def _arrows(rows: Sequence[Mapping[str, Any]], size: Mapping[str, Any], *channels: Any) -> list[alt.Chart]:
    """An arrow at each end that was cut off."""
    ends = (("<", "low", "triangle-left"), (">", "high", "triangle-right"))
    return [
        of_rows(cut, **size)
        .mark_point(shape=shape, size=40, filled=True, opacity=1, color=COLOURS["strong-rule"])
        .encode(alt.X(f"{end}:Q"), *channels)
        for sign, end, shape in ends
        if (cut := [row for row in rows if sign in row["cut"]])
    ]


# --------------------------------------------------------------------------------------------------
# What attacks find out about people of the table beyond others: intervals around zero.


_ATTACK_LABELS: Final = 90
_ATTACK_ROW: Final = 30
_ATTACK_END: Final = 5.0
"""The scale reaches at least this many points to both sides, so that small differences look small."""
_TOO_FEW: Final = "too few to say"
_ATTACK_LOOKS: Final[Mapping[str, Look]] = {
    "finds out more": ("diamond", "after", "after"),
    "nothing beyond chance": ("circle", "ground", "before"),
    _TOO_FEW: ("square", "ground", "after"),
}
"""The look of an attack by its verdict."""


def attempt_chart(attempts: Attempts) -> Drawing | None:
    """A line for each interval, a mark for the excess, and a rule at zero."""
    rows: list[dict[str, Any]] = [
        {
            "attack": attempt.name,
            "excess": 100 * attempt.excess,
            "low": 100 * attempt.low,
            "high": 100 * attempt.high,
            "which": attempt.verdict.lower(),
        }
        for attempt in attempts.attempts
    ]
    if not rows:
        return None
    drawn, low, high = _excess_ends(rows)
    size: dict[str, Any] = {"width": WIDTH - _ATTACK_LABELS, "height": alt.Step(_ATTACK_ROW)}
    at = alt.X(
        "excess:Q",
        title="points beyond others",
        scale=alt.Scale(domain=[low, high], nice=False, zero=False),
        axis=alt.Axis(grid=False, tickCount=5),
    )
    names = [row["attack"] for row in rows]
    who = alt.Y("attack:N", sort=names, title=None, axis=category_axis(width=_ATTACK_LABELS))
    verdicts = {row["which"] for row in rows}
    looks = {verdict: look for verdict, look in _ATTACK_LOOKS.items() if verdict in verdicts or verdict != _TOO_FEW}
    zero = of_rows([{"excess": 0}], **size).mark_rule(color=COLOURS["limit"], strokeDash=[4, 3]).encode(at)
    spans = of_rows(drawn, **size).mark_rule(color=COLOURS["strong-rule"], strokeWidth=2.5)
    arrows = _arrows(drawn, size, who)
    marks = of_rows(drawn, **size).mark_point(size=80, strokeWidth=1.8, opacity=1)
    return draw(
        alt.layer(
            zero,
            spans.encode(alt.X("low:Q"), who, x2="high:Q"),
            *arrows,
            marks.encode(at, who, *look_channels(looks, columns=3, labelLimit=150)),
        ),
        name="attempts",
        heading="What attacks find out about people of the table beyond others",
        says=(
            "Each line is the 95 % interval of an attack's excess, in points. A line that lies wholly to the right of "
            f"the dashed zero shows an attack that works.{f' {_GOES_ON}' if arrows else ''}"
        ),
        columns=("attack", "excess", "from", "to"),
        rows=[(row["attack"], *(f"{row[name]:.3g}" for name in ("excess", "low", "high"))) for row in rows],
    )


def _excess_ends(rows: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], float, float]:
    drawn, low, high = shortened(rows, "excess")
    room = 0.1 * _ATTACK_END
    return drawn, min(-_ATTACK_END - room, low), max(_ATTACK_END + room, high)


# --------------------------------------------------------------------------------------------------
# Columns before and after: how their values are distributed, what is kept of them, how well they identify people.


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
        _paired_bars(rows, [_label(bar) for bar in column.bars], "share of records"),
        name=f"column-{at}-{re.sub('[^a-z0-9]+', '-', column.name.lower()).strip('-') or 'x'}",
        heading=column.name,
        says=column.bars_note,
        columns=(column.name, BEFORE, AFTER),
        rows=[(_label(bar), share_text(bar.before), share_text(bar.after)) for bar in column.bars],
    )


def kept_chart(columns: Columns) -> Drawing | None:
    """The share of the information of each quasi-identifier that is kept."""
    kept = [
        (column.name, share)
        for column in columns.columns
        if column.role == "quasi-identifier" and (share := _value(column.entropy_kept)) is not None
    ]
    if not kept:
        return None
    rows = [{"label": name, "when": AFTER, "share": share} for name, share in kept]
    return draw(
        _paired_bars(rows, [name for name, _ in kept], "of its information kept"),
        name="kept",
        heading="What is kept of each column",
        says="The part of each column's information (entropy) that the published cells still carry.",
        columns=("column", "information kept"),
        rows=[(name, share_text(share)) for name, share in kept],
    )


def identifying_chart(columns: Columns) -> Drawing | None:
    """The share of pairs of records that differ in each column: the higher, the more it identifies."""
    shown = [
        (column.name, _value(column.separation_before), _value(column.separation))
        for column in columns.columns
        if _value(column.separation) is not None
    ]
    if not shown:
        return None
    shown.sort(key=lambda entry: -(next(value for value in entry[1:] if value is not None)))
    rows = [
        {"column": name, "when": when, "share": value}
        for name, *values in shown
        for when, value in zip((BEFORE, AFTER), values, strict=True)
        if value is not None
    ]
    names = [name for name, _, _ in shown]
    at = alt.X("share:Q", axis=_share_axis("pairs of records that differ", grid=False), scale=alt.Scale(domain=[0, 1]))
    who = alt.Y("column:N", sort=names, title=None, axis=category_axis())
    chart = of_rows(rows, width=WIDTH - 140, height=alt.Step(22))
    lines = chart.mark_line(color=COLOURS["strong-rule"], strokeWidth=1.5).encode(at, who, detail="column:N")
    points = chart.mark_point(size=80, strokeWidth=1.8, opacity=1).encode(at, who, **_before_and_after(rows))
    return draw(
        alt.layer(lines, points),
        name="identifying",
        heading="Which column distinguishes people",
        says=(
            "Of all pairs of records, the share with different values in that column alone. The further to the right, "
            "the more the column helps to find somebody. Published cells count as different even where they overlap."
        ),
        columns=("column", *(f"pairs that differ, {when}" for when in (BEFORE, AFTER))),
        rows=[(name, share_text(before), share_text(after)) for name, before, after in shown],
    )


def _before_and_after(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A hollow circle for before, a full square for after; a legend where there are both."""
    known = _known(rows)
    legend = alt.Legend(title=None) if len(known) > 1 else None
    shapes = alt.Scale(domain=[BEFORE, AFTER], range=["circle", "square"])
    return {
        "fill": alt.Fill("when:N", sort=known, legend=legend, scale=_mapped({BEFORE: "ground", AFTER: "after"})),
        "stroke": alt.Stroke("when:N", sort=known, legend=legend, scale=_mapped({BEFORE: "before", AFTER: "after"})),
        "shape": alt.Shape("when:N", sort=known, legend=legend, scale=shapes),
    }


def _known(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Which of before and after the rows have."""
    return [when for when in (BEFORE, AFTER) if any(row["when"] == when for row in rows)]


def _label(bar: Bar) -> str:
    return f"hidden ({bar.label})" if bar.kind == "suppressed" else bar.label


def _value(figure: Figure | None) -> float | None:
    return None if figure is None else figure.value


# --------------------------------------------------------------------------------------------------
# What was suppressed, by label of the target.


def label_chart(suppression: Suppression) -> Drawing | None:
    """The share of suppressed cells among the records of each label; nothing if there are no such cells."""
    if not any(label.cells for label in suppression.labels):
        return None
    rows = [{"label": label.label, "when": AFTER, "share": label.cells} for label in suppression.labels]
    return draw(
        _paired_bars(rows, [label.label for label in suppression.labels], "cells suppressed (*)"),
        name="labels",
        heading="Cells suppressed, by label",
        says=suppression.labels_note,
        columns=("label", "of all records", "cells suppressed", "records left out"),
        rows=[
            (label.label, share_text(label.share), share_text(label.cells), share_text(label.rows))
            for label in suppression.labels
        ],
    )


# --------------------------------------------------------------------------------------------------
# What learners still know: on the release, between the majority and the rows as they were.


# From the bottom to the top: where two marks coincide, the smaller mark is seen inside the larger.
_AREAS: Final = {"original rows": 150, "this release": 75, "majority": 30}
_LEARNER_LOOKS: Final[Mapping[str, Look]] = {
    "majority": ("triangle-right", "ink", "ink"),
    "this release": ("square", "after", "after"),
    "original rows": ("circle", "ground", "before"),
}


def learner_chart(utility: Utility) -> Drawing | None:
    """A line for each learner from the majority to the original rows, and the place of the release on it."""
    rows: list[dict[str, Any]] = [
        {"learner": _name(score), "which": which, "score": value}
        for score in utility.rows
        for which, value in zip(_LEARNER_LOOKS, (score.majority, score.published, score.raw), strict=True)
        if value is not None
    ]
    if not rows:
        return None
    scores = [row["score"] for row in rows]
    room = 0.06 * (max(scores) - min(scores)) or 0.05
    scale = alt.Scale(domain=[min(scores) - room, max(scores) + room], nice=False, zero=False)
    at = alt.X("score:Q", title=utility.score, scale=scale, axis=alt.Axis(grid=False, tickCount=5))
    names = list(dict.fromkeys(row["learner"] for row in rows))
    who = alt.Y("learner:N", sort=names, title=None, axis=category_axis())
    size: dict[str, Any] = {"width": WIDTH - 140, "height": alt.Step(24)}
    lines = of_rows(rows, **size).mark_line(color=COLOURS["strong-rule"], strokeWidth=1.5)
    return draw(
        alt.layer(
            lines.encode(at, who, detail="learner:N"),
            *_marks(rows, _AREAS, size, at, who, *look_channels(_LEARNER_LOOKS, columns=3, labelLimit=90)),
        ),
        name="learners",
        heading=f"What learners still know ({utility.score})",
        says=(
            "Triangle: always the commonest label. Square: trained on what the method publishes. Ring: trained on the "
            "original rows. The nearer the square is to the ring, the less was lost."
        ),
        columns=("learner", "majority", "this release", "original rows"),
        rows=[(_name(score), *map(_score, (score.majority, score.published, score.raw))) for score in utility.rows],
    )


def _marks(
    rows: Sequence[Mapping[str, Any]], areas: Mapping[str, int], size: Mapping[str, Any], *channels: Any
) -> list[alt.Chart]:
    """A layer of points for each value of ``which``, each with its area."""
    return [
        of_rows([row for row in rows if row["which"] == which], **size)
        .mark_point(size=area, strokeWidth=1.8, opacity=1)
        .encode(*channels)
        for which, area in areas.items()
    ]


def _name(score: Score) -> str:
    return score.learner if score.k is None else f"{score.learner}, k = {score.k:,}"


def _score(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.3f}"


# --------------------------------------------------------------------------------------------------
# Estimates with their intervals, on the original rows and on the release.


_ESTIMATE_LOOKS: Final[Mapping[str, Look]] = {
    "original rows": ("circle", "ground", "before"),
    "this release": ("square", "after", "after"),
}
_ESTIMATE_AREAS: Final = {"original rows": 90, "this release": 40}


def estimate_chart(at: int, analysis: AnalysisFacts) -> Drawing | None:
    """A line for each estimate and table: its interval, with the estimate on it. ``at`` keeps charts apart."""
    rows = [row for estimate in analysis.estimates for row in _sides(estimate)]
    if not rows:
        return None
    drawn, low, high = shortened(rows)
    with_original = any(row["which"] == "original rows" for row in rows)
    looks = {name: look for name, look in _ESTIMATE_LOOKS.items() if with_original or name == "this release"}
    areas = {name: area for name, area in _ESTIMATE_AREAS.items() if name in looks}
    names = list(dict.fromkeys(row["estimate"] for row in rows))
    place = alt.Y("estimate:N", sort=names, title=None, axis=category_axis())
    apart = alt.YOffset("which:N", sort=list(looks), scale=alt.Scale(paddingInner=0.2, paddingOuter=0.3))
    size: dict[str, Any] = {"width": WIDTH - 140, "height": alt.Step(12 if with_original else 18)}
    along: dict[str, Any] = {
        "title": analysis.shows,
        "scale": alt.Scale(domain=[low, high], zero=False, nice=False),
        "axis": alt.Axis(grid=False, tickCount=4),
    }
    lines = of_rows(drawn, **size).mark_rule(strokeWidth=1.4, color=COLOURS["strong-rule"])
    arrows = _arrows(drawn, size, place, apart)
    channels = (alt.X("value:Q", **along), place, apart, *look_channels(looks, columns=2, labelLimit=120))
    ring = "Ring: the original rows. " if with_original else ""
    return draw(
        alt.layer(
            lines.encode(alt.X("low:Q", **along), alt.X2("high:Q"), place, apart),
            *arrows,
            *_marks(drawn, areas, size, *channels),
        ),
        name=f"estimates-{at}",
        heading=f"{analysis.analysis} ({analysis.reading})",
        says=f"{ring}Square: this release. Lines: 95 % confidence intervals.{f' {_GOES_ON}' if arrows else ''}",
        columns=_ESTIMATE_HEADS if with_original else _ESTIMATE_HEADS[:3],
        rows=[_estimate_texts(each)[: None if with_original else 3] for each in analysis.estimates],
    )


_ESTIMATE_HEADS: Final = ("estimate", "this release", "95 % interval", "original rows", "95 % interval", "overlap")


def _sides(estimate: EstimateFacts) -> Iterator[dict[str, Any]]:
    """What the chart shows of an estimate; the intercept would stretch the scale, and only the numbers have it."""
    sides = {
        "original rows": (estimate.original, estimate.original_low, estimate.original_high),
        "this release": (estimate.release, estimate.release_low, estimate.release_high),
    }
    for which, (value, low, high) in sides.items():
        if value is not None and estimate.name != INTERCEPT:
            ends = {"low": value if low is None else low, "high": value if high is None else high}
            yield {"estimate": estimate.name, "which": which, "value": value, **ends}


def _estimate_texts(estimate: EstimateFacts) -> tuple[str, ...]:
    return (
        estimate.name,
        _figure(estimate.release),
        _ends(estimate.release_low, estimate.release_high),
        "few records" if estimate.original is None else _figure(estimate.original),
        _ends(estimate.original_low, estimate.original_high),
        _figure(estimate.overlap),
    )


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _ends(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{low:.4g} to {high:.4g}"


# --------------------------------------------------------------------------------------------------
# The chance of each attacker, beside the thresholds that others use.


_RISK_ROW: Final = 34
_RISK_LABELS: Final = 66
# The scale reaches at least this far, so that all four thresholds are seen.
_RISK_END: Final = 0.36


def risk_chart(attackers: Attackers, name: str = "risks") -> Drawing:
    """A diamond for the highest chance, a ring for the average chance; rules at the thresholds."""
    rows: list[dict[str, Any]] = [
        {"attacker": attacker.name, "which": which, "risk": figure.value}
        for attacker in attackers.attackers
        for which, figure in (("highest", attacker.highest), ("average", attacker.average))
        if figure.value is not None
    ]
    names = [attacker.name for attacker in attackers.attackers]
    size = {"width": WIDTH - _RISK_LABELS, "height": _RISK_ROW * len(names)}
    end = max([_RISK_END, *(1.08 * row["risk"] for row in rows)])
    # A square root shows chances of one in a hundred and of one in three on the same scale.
    at = alt.X(
        "risk:Q",
        title="chance of finding the right person",
        scale=alt.Scale(type="sqrt", domain=[0, end], nice=False),
        axis=alt.Axis(
            values=[0, 0.01, 0.05, 0.09, 0.2, 0.33, 0.5, 1], grid=False, labelExpr="format(datum.value, '.2~f')"
        ),
    )
    who = alt.Y("attacker:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False, grid=True))
    look = look_channels(_RISK_LOOKS, offset=18)
    return draw(
        alt.layer(*_threshold_rules(attackers, at, size), *_marks(rows, _RISK_AREAS, size, at, who, *look)),
        name=name,
        heading="Risk against thresholds that others use",
        says=(
            "Diamond: the person who is easiest to find. Ring: the average person. Dashed lines: the largest chance "
            "that is allowed where k = 20, 11, 5 or 3 is the rule. Further to the left is safer."
        ),
        columns=("attacker", "highest", "average"),
        rows=[(attacker.name, attacker.highest.text, attacker.average.text) for attacker in attackers.attackers],
    )


_RISK_LOOKS: Final[Mapping[str, Look]] = {
    "highest": ("diamond", "after", "after"),
    "average": ("circle", "ground", "after"),
}
# The rings first and larger: where both chances are equal, the diamond is seen inside.
_RISK_AREAS: Final = {"average": 130, "highest": 65}


def _threshold_rules(attackers: Attackers, at: alt.X, size: Mapping[str, Any]) -> list[alt.Chart]:
    """A dashed line at each threshold, with its k above."""
    precedents = [level.precedent for level in attackers.attackers[0].levels]
    rules = of_rows([{"risk": precedent.threshold, "k": str(precedent.k)} for precedent in precedents], **size)
    above: dict[str, Any] = {"color": COLOURS["limit"], "baseline": "bottom", "dy": -3, "fontSize": 10}
    return [
        rules.mark_rule(color=COLOURS["limit"], strokeDash=[4, 3]).encode(at),
        rules.mark_text(**above).encode(at, text="k:N", y=alt.value(0)),
        of_rows([{"text": "k ="}], **size)
        .mark_text(align="right", dx=-6, **above)
        .encode(text="text:N", x=alt.value(0), y=alt.value(0)),
    ]


# --------------------------------------------------------------------------------------------------
# The sizes of the classes, and the records in small classes.


_HEIGHT: Final = 190
_AXIS: Final = 46


def size_chart(sizes: ClassSizes, name: str = "class-sizes") -> Drawing:
    """Bars for the records in classes by size, a line for those in classes up to a size, a rule at the k asked for."""
    counted = sizes.counted
    rows = _size_rows(sizes)
    first, last = rows[0]["low"], rows[-1]["high"]
    least, most = min(first, sizes.threshold or first), max(last, sizes.threshold or last)
    ticks = {2**power for power in range(31) if least <= 2**power <= most}
    at = alt.X(
        "low:Q",
        title=f"{counted} of the class (each step doubles)",
        scale=alt.Scale(type="log", base=2, domain=[least, most], nice=False),
        axis=alt.Axis(
            values=sorted(ticks | {first} if len(rows) < 3 else ticks),
            grid=False,
            labelExpr="format(datum.value, ',')",
            labelOverlap=True,
            labelSeparation=6,
        ),
    )
    up = alt.Y("share:Q", axis=_share_axis(f"share of {counted}"), scale=alt.Scale(domain=[0, 1]))
    bars = of_rows(rows, width=WIDTH - _AXIS, height=_HEIGHT).mark_bar(
        color=COLOURS["after"], stroke=COLOURS["ground"], strokeWidth=1
    )
    line = of_rows([{"low": first, "share": 0}, *({"low": row["high"], "share": row["cumulative"]} for row in rows)])
    point = {"color": COLOURS["ink"], "size": 22}
    return draw(
        alt.layer(
            bars.encode(at, up, x2="high:Q", y2=alt.datum(0)),
            line.mark_line(color=COLOURS["ink"], strokeWidth=1.6, strokeDash=[5, 3], point=point).encode(at, up),
            # The label stands beside the rule, on the side with more room.
            *_size_limit(sizes.threshold, at, right_of=(sizes.threshold or 0) ** 2 <= least * most),
        ),
        name=name,
        heading=f"How many {counted} share a class",
        says=_describe_sizes(sizes),
        columns=(f"{counted} of a class", "classes", f"{counted} in them", "share", "in classes up to that size"),
        rows=[
            (
                group.label,
                f"{group.classes:,}",
                f"{group.records:,}",
                share_text(group.share),
                share_text(group.cumulative),
            )
            for group in sizes.histogram
        ],
    )


def _size_rows(sizes: ClassSizes) -> list[dict[str, Any]]:
    """The bars: each begins and ends where there are classes, so that none seems to reach below k."""
    ends = {figure.label: figure.value for figure in sizes.figures}
    smallest, largest = ends.get("smallest"), ends.get("largest")
    return [
        {
            "low": group.low if smallest is None else max(group.low, smallest),
            "high": (group.high if largest is None else min(group.high, largest)) + 1,
            "share": group.share,
            "cumulative": group.cumulative,
        }
        for group in sizes.histogram
    ]


def _size_limit(k: int | None, at: alt.X, *, right_of: bool) -> list[alt.Chart]:
    """A rule at the k that was asked for, with its label to the right or to the left."""
    if k is None:
        return []
    side: dict[str, Any] = {"align": "left", "dx": 4} if right_of else {"align": "right", "dx": -4}
    limit = of_rows([{"low": k, "text": f"k = {k:,}"}])
    return [
        limit.mark_rule(color=COLOURS["limit"], strokeWidth=2).encode(at),
        limit.mark_text(color=COLOURS["limit"], fontWeight="bold", baseline="top", **side).encode(
            at, text="text:N", y=alt.value(2)
        ),
    ]


def _describe_sizes(sizes: ClassSizes) -> str:
    bars = f"Bars: the {sizes.counted} in classes of that size. Dashed line: those in classes up to that size."
    if sizes.threshold is None:
        return bars
    below = [group for group in sizes.histogram if group.low < sizes.threshold]
    smallest = next((figure.value for figure in sizes.figures if figure.label == "smallest"), None)
    if not below or (smallest is not None and smallest >= sizes.threshold):
        return f"{bars} No class is left of the line at k = {sizes.threshold:,}."
    return f"{bars} Classes left of the line at k = {sizes.threshold:,} are smaller than was asked."
