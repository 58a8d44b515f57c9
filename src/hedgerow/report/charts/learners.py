"""What learners still know: on the release, between always saying the majority and the rows as they were."""

from __future__ import annotations

from typing import Any, Final

from hedgerow.report.charts.scales import WIDTH, of_rows
from hedgerow.report.drawing import COLOURS, Drawing, draw
from hedgerow.report.facts import Score, Utility

__all__ = ["learner_chart"]

# From the bottom to the top: where two are the same, the smaller one is seen inside the larger.
_AREAS: Final = {"original rows": 150, "this release": 75, "majority": 30}
_LOOKS: Final = {
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
        for which, value in zip(_LOOKS, (one.majority, one.published, one.raw), strict=True)
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
    which = list(_LOOKS)

    def worded(channel: type[Any], values: list[str]) -> Any:
        legend = alt.Legend(title=None, columns=3, labelLimit=90)
        return channel("which:N", sort=which, legend=legend, scale=alt.Scale(domain=which, range=values))

    look = (
        worded(alt.Shape, [shape for shape, _, _ in _LOOKS.values()]),
        worded(alt.Fill, [COLOURS[fill] for _, fill, _ in _LOOKS.values()]),
        worded(alt.Stroke, [COLOURS[line] for _, _, line in _LOOKS.values()]),
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
