"""Charts of an evaluation. They need Altair, which is slow to import."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from hedgerow.errors import BadInput
from hedgerow.evaluation.cells import BASELINES, UNANONYMIZED
from hedgerow.evaluation.results import MAJORITY
from hedgerow.evaluation.scores import SCORE_TITLES
from hedgerow.evaluation.statistics import BonferroniDunn, Friedman, bonferroni_dunn

if TYPE_CHECKING:
    from hedgerow.evaluation.results import Evaluation

__all__ = ["critical_difference_diagram", "score_chart"]


_WIDTH, _HEIGHT = 260, 200


def score_chart(evaluation: Evaluation, score: str) -> Any:
    """A score against k: the mean over all test parts, the lowest and the highest part, and both baselines."""

    def of_rows(rows: list[dict[str, Any]]) -> Any:
        return alt.Chart(alt.InlineData(values=rows))

    done = [result for result in evaluation.results if result.get(score) is not None]
    lines = [
        {"learner": result["learner"], "method": result["method"], "k": result["k"], "score": result[score]}
        for result in done
        if result["method"] not in BASELINES
    ]
    learners = list(dict.fromkeys(line["learner"] for line in lines))
    rules = _baselines(done, score, learners)
    title = SCORE_TITLES[score]
    value = alt.Y("mean(score):Q", title=title, scale=alt.Scale(zero=False))
    color = alt.Color("method:N", title="Method", sort=[*evaluation.methods, UNANONYMIZED, evaluation.floor])
    at_k = alt.X("k:Q", title="k", scale=alt.Scale(type="log"), axis=alt.Axis(values=[k for k in evaluation.ks if k]))

    def panel(learner: str) -> Any:
        own = of_rows([line for line in lines if line["learner"] == learner])
        base = of_rows([rule for rule in rules if rule["learner"] == learner])
        return (
            base.mark_rule(strokeDash=[4, 3]).encode(y=value, color=color)
            + own.mark_area(opacity=0.15).encode(x=at_k, y="min(score):Q", y2="max(score):Q", color=color)
            + own.mark_line(point=True).encode(
                x=at_k, y=value, color=color, tooltip=["method:N", "k:Q", alt.Tooltip("mean(score):Q", format=".3f")]
            )
        ).properties(title=learner, width=_WIDTH, height=_HEIGHT)

    return alt.concat(*(panel(learner) for learner in learners), columns=2).resolve_scale(color="shared")


def _baselines(results: list[Mapping[str, Any]], score: str, learners: list[str]) -> list[dict[str, Any]]:
    """The scores of the baselines of each learner, and those of the majority in the panels of all learners."""
    rules = []
    for result in results:
        if result["method"] in BASELINES:
            of_majority = result["learner"] == MAJORITY
            name, panels = (MAJORITY, learners) if of_majority else (result["method"], [result["learner"]])
            rules += [{"learner": panel, "method": name, "score": result[score]} for panel in panels]
    return rules


# --------------------------------------------------------------------------------------------------
# Critical difference diagrams of significance tests.
#
# They are Altair charts, which notebooks show and ``chart.save`` writes as SVG, PNG or HTML.
#
# J. Demšar: Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 7, 2006, Figure 1(b). Deviations:
# the best methods are on the left, where reading begins; labels state ranks, since lines may be too close to read them;
# colours and shapes mark the methods outside of the interval, since some are only just outside.


# In pixels; places below the axis are measured from it.
_DIAGRAM_WIDTH: Final = 420
_INTERVAL: Final = 9
_POINTS: Final = 28
_FIRST_LABEL: Final = 48
_LABEL_HEIGHT: Final = 22
_FONT_SIZE: Final = 12

_CONTROL: Final = "control"
_DIFFERENT: Final = "significantly different from it"
_ALIKE: Final = "not significantly different"
# From the palette of Okabe and Ito, which is readable for colour-blind people.
_COLOURS: Final = {_CONTROL: "#0072b2", _DIFFERENT: "#d55e00", _ALIKE: "#595959"}
_SHAPES: Final = {_CONTROL: "diamond", _DIFFERENT: "square", _ALIKE: "circle"}


@dataclass(frozen=True)
class _Place:
    """The place of a method: a line goes from its rank down to the height of its label, then to its side."""

    rank: float
    verdict: str
    label: str
    side: int
    height: int


def critical_difference_diagram(dunn: BonferroniDunn, friedman: Friedman) -> alt.LayerChart:
    """Draw the average ranks of methods, and the interval around the control within which they may differ by chance.

    The best method is at the left. A bar marks one critical difference to either side of the control; it is cut off
    where the ranks end. Methods outside of it differ significantly from the control.

    Parameters
    ----------
    dunn : BonferroniDunn
        The comparison with the control.
    friedman : Friedman
        The average ranks that were compared.

    Raises
    ------
    BadInput
        If the comparison is not one of these ranks.

    Examples
    --------
    >>> from hedgerow.evaluation import bonferroni_dunn, friedman
    >>> test = friedman({"plain": [0.7, 0.8, 0.6, 0.9], "tuned": [0.8, 0.9, 0.7, 0.9], "random": [0.5, 0.6, 0.5, 0.5]})
    >>> chart = critical_difference_diagram(bonferroni_dunn(test, "tuned"), test)
    >>> chart.save("ranks.svg")  # doctest: +SKIP
    """
    if bonferroni_dunn(friedman, dunn.control, dunn.alpha) != dunn:
        raise BadInput("These are not the compared ranks. Pass the result of friedman that dunn was computed from.")
    places = list(_places(dunn, friedman))
    height = max(place.height for place in places) + _LABEL_HEIGHT // 2
    ranks = _ranks(len(places))
    title = (
        f"{dunn.control} ± the critical difference {dunn.critical_difference:.2f}"
        f" (Bonferroni-Dunn, α = {dunn.alpha:g}, {friedman.cases} cases)"
    )
    return alt.LayerChart(
        layer=[*_interval(dunn, friedman, ranks), *_methods(places, ranks, height)],
        title=alt.Title(title, fontSize=_FONT_SIZE + 1, offset=10),
        view=alt.ViewBackground(strokeOpacity=0),
        width=_DIAGRAM_WIDTH,
        height=height,
    )


def _places(dunn: BonferroniDunn, friedman: Friedman) -> Iterator[_Place]:
    """The better half has labels on the left, the others on the right; the outermost come first, so no lines cross."""
    ordered = sorted(friedman.ranks, key=lambda name: friedman.ranks[name])
    different = {*dunn.better_than, *dunn.worse_than}
    for from_left, name in enumerate(ordered):
        from_right = len(ordered) - 1 - from_left
        rank = friedman.ranks[name]
        yield _Place(
            rank=rank,
            verdict=_CONTROL if name == dunn.control else _DIFFERENT if name in different else _ALIKE,
            label=f"{name} ({rank:.2f})",
            side=1 if from_left <= from_right else len(ordered),
            height=_FIRST_LABEL + _LABEL_HEIGHT * min(from_left, from_right),
        )


def _ranks(worst: int) -> alt.X:
    """The axis of ranks."""
    axis = alt.Axis(
        title="average rank (1 is the best)",
        titleFontSize=_FONT_SIZE,
        titleFontWeight="normal",
        orient="top",
        values=list(range(1, worst + 1)),
        labelExpr="datum.value",  # a format would also round the values for screen readers
        grid=False,
        labelFlush=False,
        labelFontSize=_FONT_SIZE,
        domainColor="black",
        tickColor="black",
    )
    return alt.X("rank:Q", axis=axis, scale=alt.Scale(domain=[1, worst], nice=False, zero=False))


def _interval(dunn: BonferroniDunn, friedman: Friedman, ranks: alt.X) -> list[alt.Chart]:
    """The bar around the control, with a mark at each end inside the axis."""
    best, worst = 1, len(friedman.ranks)
    middle = friedman.ranks[dunn.control]
    ends = [middle - dunn.critical_difference, middle + dunn.critical_difference]
    bar = alt.Chart(alt.InlineData([{"rank": max(ends[0], best), "end": min(ends[1], worst)}]))
    marks = alt.Chart(alt.InlineData([{"rank": end} for end in ends if best <= end <= worst]))
    at, colour = alt.value(_INTERVAL), _COLOURS[_CONTROL]
    return [
        bar.mark_rule(strokeWidth=10, color=colour, opacity=0.35).encode(ranks, alt.X2("end:Q"), y=at),
        marks.mark_tick(orient="vertical", size=16, thickness=2, color=colour).encode(ranks, y=at),
    ]


def _methods(places: list[_Place], ranks: alt.X, height: int) -> list[alt.Chart]:
    """Points, lines and labels."""
    # The last is drawn on top.
    shown = sorted(places, key=lambda place: place.verdict == _CONTROL)
    chart = alt.Chart(alt.InlineData([asdict(place) for place in shown]))
    down = alt.Y("height:Q", axis=None, scale=alt.Scale(domain=[height, 0], nice=False, zero=False))
    verdicts = list(_COLOURS)
    legend = alt.Legend(title=None, orient="bottom", labelFontSize=_FONT_SIZE, labelLimit=0)
    colour = alt.Color("verdict:N", legend=legend, scale=alt.Scale(domain=verdicts, range=list(_COLOURS.values())))
    shape = alt.Shape("verdict:N", legend=legend, scale=alt.Scale(domain=verdicts, range=list(_SHAPES.values())))
    text = chart.mark_text(
        align=alt.ExprRef("datum.side == 1 ? 'right' : 'left'"),
        dx=alt.ExprRef("datum.side == 1 ? -6 : 6"),
        fontWeight=alt.ExprRef(f"datum.verdict == '{_CONTROL}' ? 'bold' : 'normal'"),
        fontSize=_FONT_SIZE,
        baseline="middle",
        limit=0,
    )
    return [
        chart.mark_rule().encode(ranks, down, alt.Y2Datum(0), colour),
        chart.mark_rule().encode(ranks, alt.X2("side:Q"), down, colour),
        chart.mark_point(filled=True, size=90, opacity=1).encode(ranks, colour, shape, y=alt.value(_POINTS)),
        text.encode(alt.X("side:Q"), down, colour, alt.Text("label:N")),
    ]
