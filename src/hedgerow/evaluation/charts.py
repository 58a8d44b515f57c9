"""Charts of an evaluation. Altair is imported when one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hedgerow.evaluation.cells import UNANONYMIZED
from hedgerow.evaluation.scores import SCORE_TITLES

if TYPE_CHECKING:
    from hedgerow.evaluation.results import Evaluation

__all__ = ["score_chart"]

_WIDTH, _HEIGHT = 260, 200


def score_chart(evaluation: Evaluation, score: str) -> Any:
    """A score against k: the mean over all test parts, its lowest and highest part, and both baselines."""
    import altair as alt

    def of_rows(rows: list[dict[str, Any]]) -> Any:
        return alt.Chart(alt.InlineData(values=rows))

    from hedgerow.evaluation.results import MAJORITY

    done = [one for one in evaluation.results if one.get(score) is not None]
    lines = [
        {"learner": one["learner"], "method": one["method"], "k": one["k"], "score": one[score]}
        for one in done
        if one["method"] != UNANONYMIZED
    ]
    learners = list(dict.fromkeys(one["learner"] for one in lines))
    rules = []
    for one in done:
        if one["method"] == UNANONYMIZED:
            name = MAJORITY if one["learner"] == MAJORITY else UNANONYMIZED
            panels = learners if name == MAJORITY else [one["learner"]]
            rules += [{"learner": panel, "method": name, "score": one[score]} for panel in panels]
    title = SCORE_TITLES[score]
    value = alt.Y("mean(score):Q", title=title, scale=alt.Scale(zero=False))
    color = alt.Color("method:N", title="Method", sort=[*evaluation.methods, UNANONYMIZED, MAJORITY])
    at_k = alt.X("k:Q", title="k", scale=alt.Scale(type="log"), axis=alt.Axis(values=[k for k in evaluation.ks if k]))

    def panel(learner: str) -> Any:
        own = of_rows([one for one in lines if one["learner"] == learner])
        base = of_rows([one for one in rules if one["learner"] == learner])
        return (
            base.mark_rule(strokeDash=[4, 3]).encode(y=value, color=color)
            + own.mark_area(opacity=0.15).encode(x=at_k, y="min(score):Q", y2="max(score):Q", color=color)
            + own.mark_line(point=True).encode(
                x=at_k, y=value, color=color, tooltip=["method:N", "k:Q", alt.Tooltip("mean(score):Q", format=".3f")]
            )
        ).properties(title=learner, width=_WIDTH, height=_HEIGHT)

    return alt.concat(*(panel(learner) for learner in learners), columns=2).resolve_scale(color="shared")
