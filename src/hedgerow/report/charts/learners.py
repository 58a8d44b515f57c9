"""What learners still know: on the release, between always saying the majority and the rows as they were."""

from __future__ import annotations

from typing import Any, Final

from hedgerow.report.charts.scales import WIDTH, of_rows
from hedgerow.report.drawing import COLOURS, Drawing, draw
from hedgerow.report.facts import Score, Utility

__all__ = ["learner_chart"]

_SHAPES: Final = {"majority": "triangle-right", "this release": "square", "original rows": "circle"}


def learner_chart(utility: Utility) -> Drawing | None:
    """A line for each learner from the majority to the original rows, and where the release is on it."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {"learner": _name(one), "which": which, "score": value}
        for one in utility.rows
        for which, value in zip(_SHAPES, (one.majority, one.published, one.raw), strict=True)
        if value is not None
    ]
    if not rows:
        return None
    names = list(dict.fromkeys(row["learner"] for row in rows))
    chart = of_rows(rows, width=WIDTH - 140, height=alt.Step(24))
    at = alt.X(
        "score:Q", title=utility.score, scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(grid=False, tickCount=5)
    )
    who = alt.Y(
        "learner:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False, grid=True, labelLimit=118)
    )
    which, legend = list(_SHAPES), alt.Legend(title=None, columns=3, labelLimit=90)
    filled = [COLOURS["muted"], COLOURS["after"], COLOURS["ground"]]
    points = chart.mark_point(size=85, strokeWidth=1.8, opacity=1).encode(
        at,
        who,
        shape=alt.Shape(
            "which:N", sort=which, legend=legend, scale=alt.Scale(domain=which, range=list(_SHAPES.values()))
        ),
        fill=alt.Fill("which:N", sort=which, legend=legend, scale=alt.Scale(domain=which, range=filled)),
        stroke=alt.Stroke(
            "which:N",
            sort=which,
            legend=legend,
            scale=alt.Scale(domain=which, range=[COLOURS["muted"], COLOURS["after"], COLOURS["before"]]),
        ),
    )
    lines = chart.mark_line(color=COLOURS["strong-rule"], strokeWidth=1.5).encode(at, who, detail="learner:N")
    return draw(
        alt.layer(lines, points),
        name="learners",
        heading=f"What learners still know ({utility.score})",
        says=utility.meaning,
        columns=("learner", "majority", "this release", "original rows"),
        rows=[(_name(one), *map(_score, (one.majority, one.published, one.raw))) for one in utility.rows],
    )


def _name(score: Score) -> str:
    return score.learner if score.k is None else f"{score.learner}, k = {score.k:,}"


def _score(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.3f}"
