"""Charts of the page. Altair is imported when one is drawn."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any, Final

from reproductions.kactus.comparing import Accuracies
from reproductions.kactus.experiments import LEARNERS
from reproductions.kactus.sets import ALL_INPUTS

__all__ = ["accuracy_chart", "change_chart", "time_chart"]

_WIDTH: Final = 260
_HEIGHT: Final = 200


def change_chart(own: Accuracies, raw: Accuracies) -> Any:
    """The change against raw rows by k, a line for each set and a panel for each inducer; nothing if none is known."""
    points = []
    for case, folds in own.items():
        shared = [fold for fold in folds if fold in raw.get(case, {})]
        if shared and case.quasi in ("all", ALL_INPUTS):
            change = statistics.fmean(folds[fold] - raw[case][fold] for fold in shared)
            points.append({"learner": case.learner, "line": case.dataset, "k": case.k, "value": change})
    return _panels(points, "Change of accuracy (points)", "Set")


def accuracy_chart(methods: Mapping[str, Accuracies]) -> Any:
    """The accuracy by k, a line for each method and a panel for each inducer; nothing if none is known."""
    points = [
        {"learner": case.learner, "line": name, "k": case.k, "value": statistics.fmean(folds.values())}
        for name, accuracies in methods.items()
        for case, folds in accuracies.items()
        if case.quasi == ALL_INPUTS
    ]
    return _panels(points, "Accuracy (%)", "Method")


def _panels(points: Sequence[Mapping[str, Any]], title: str, of: str) -> Any:
    if not points:
        return None
    import altair as alt

    ks = sorted({one["k"] for one in points})
    color = alt.Color("line:N", title=of)

    def panel(learner: str) -> Any:
        some = [one for one in points if one["learner"] == learner]
        return (
            alt.Chart(alt.InlineData(some))
            .mark_line(point=True)
            .encode(
                x=alt.X("k:Q", title="k", scale=alt.Scale(type="log", domain=[ks[0], ks[-1]])),
                y=alt.Y("value:Q", title=title, scale=alt.Scale(zero=False)),
                color=color,
            )
            .properties(title=learner, width=_WIDTH, height=_HEIGHT)
        )

    learners = [one for one in LEARNERS if any(point["learner"] == one for point in points)]
    return alt.concat(*map(panel, learners), columns=2).resolve_scale(color="shared")


def time_chart(seconds: Mapping[str, Mapping[int, tuple[float, float]]]) -> Any:
    """The seconds by rows, a line for each kind of table; nothing if none is known."""
    points = [
        {"classes": f"class {classes}", "rows": rows, "seconds": sum(taken)}
        for classes, by_rows in seconds.items()
        for rows, taken in by_rows.items()
    ]
    if not points:
        return None
    import altair as alt

    return (
        alt.Chart(alt.InlineData(points))
        .mark_line(point=True)
        .encode(
            x=alt.X("rows:Q", title="Rows", axis=alt.Axis(format="~s")),
            y=alt.Y("seconds:Q", title="Seconds"),
            color=alt.Color("classes:N", title="Class of a variation"),
        )
        .properties(width=2 * _WIDTH, height=_HEIGHT)
    )
