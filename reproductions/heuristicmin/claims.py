"""What the paper on HeuristicMin says, and what the cells say of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from statistics import fmean, median
from typing import Any, Final

from reproductions.base import Result
from reproductions.heuristicmin.cases import PRINTED, Printed
from reproductions.heuristicmin.found import Found, Setting
from reproductions.heuristicmin.measuring import SECONDS
from reproductions.judging import Draft, Finding, checked, figures, missing, mostly, signs

__all__ = ["agreeing", "claims_of", "generalizations_of"]

_OURS: Final = "HeuristicMin"
_RIVALS: Final = ("TDS", "BUG")
_AS_GOOD: Final = 0.5
"""In points of accuracy; what is closer makes no difference."""

_MOSTLY: Final = 3 / 4
"""Of the cases, in which the paper says that something is so."""

_SAME: Final = 1e-9
_UNITS: Final = "draws of Adult and worked cases"
_DRAWS: Final = "draws of Adult"

_WHY: Final = {
    "1": "Nothing differs but the label of two rows, 8th in figure 11 and 12th in figure 6.",
    "2": "Figure 16 satisfies both requirements and can be reached, but a table with one row more can, too, and the "
    "search of figure 2 finds it. Figure 16's hours [1,37) beside [37,99) are TDS's. 80 % is no share of 34 records; "
    "29 of 34 are 85.3 %.",
    "3": "No reading of TDS stops at figure 19(a): age is in no shield, so nothing keeps it from going down to the "
    "ages, and the text says application where the figure shows sex. 63 % was not found by any dealing of the folds.",
}


def claims_of(found: Found) -> list[Draft]:
    """All claims, in the order of the paper."""
    return [
        _figure_10(found),
        _case(
            found, "1", (_OURS, "TDS"), "Case 1 (figure 11): HeuristicMin and TDS leave 4 of 7 rows and 100 % accuracy."
        ),
        _case(
            found,
            "2",
            (_OURS, "TDS"),
            "Case 2 (figure 16): HeuristicMin and TDS leave the same 5 of 9 rows and 80 % accuracy.",
        ),
        _case(
            found,
            "3",
            (_OURS, *_RIVALS),
            "Case 3 (figure 19): HeuristicMin, TDS and BUG leave 8, 4 and 7 of 10 rows, a precision of 0.67, 0.5 and "
            "0.67, and 63, 100 and 100 % accuracy.",
        ),
        _case_4(),
        _optimal(found),
        _states(found),
        _most_rows(found),
        _precision_of_mingen(found),
        _closer(found),
        *_as_good(found),
        _finishes(found),
    ]


def generalizations_of(method: str, one: Result) -> int:
    """As figure 10 counts them: cells of records where single cells are generalized, else cells of distinct rows."""
    return int(one["steps"] if method == "MinGen" else one["row_cells"])


def agreeing(method: str, printed: Printed, one: Result) -> dict[str, bool]:
    """Which of the printed figures are found again."""
    found: dict[str, bool] = {"rows": one["rows_after"] == printed.rows}
    if printed.table:
        found["table"] = _unordered(one["table"]) == _unordered(printed.table)
    if printed.prec is not None:
        found["precision"] = round(float(one["prec"]), 2) == printed.prec
    if printed.generalizations is not None:
        found["generalizations"] = generalizations_of(method, one) == printed.generalizations
    if printed.states is not None:
        found["states"] = one["states"] == printed.states
    if printed.accuracy is not None:
        low, high = min(one["accuracies"]), max(one["accuracies"])
        found["accuracy"] = low - _AS_GOOD <= printed.accuracy <= high + _AS_GOOD
    return found


def _figure_10(found: Found) -> Draft:
    methods = ("MinGen", "AllMin", _OURS)
    halving = found.case("1", "AllMin, halving")
    why = (
        "The figure compares unlike things: MinGen's 14 are cells of records, the others' 7 are distinct rows; counted "
        "alike, 14 stand beside 40. The space of 240 is steps times records, not what MinGen searches."
    )
    if halving is not None:
        why += f" AllMin as its author has it, halving the heights, looks at {halving['states']} states, not 14."
    return _compared(
        found,
        "1",
        methods,
        "Figure 10: MinGen, AllMin and HeuristicMin reach a precision of 0.95, 0.89 and 0.89 with 5, 4 and 4 rows and "
        "14, 7 and 7 generalizations; AllMin looks at 14 tables, HeuristicMin at 9.",
        why,
        leave=("accuracy",),
    )


def _case(found: Found, case: str, methods: Sequence[str], says: str) -> Draft:
    return _compared(found, case, methods, says, _WHY[case], leave=("generalizations", "states"))


def _compared(found: Found, case: str, methods: Sequence[str], says: str, why: str, leave: Sequence[str] = ()) -> Draft:
    held: list[bool] = []
    told, finished = [], 0
    for method in methods:
        one = found.case(case, method)
        if one is None:
            continue
        finished += 1
        same = {what: yes for what, yes in agreeing(method, PRINTED[case][method], one).items() if what not in leave}
        held += same.values()
        missed = [what for what, yes in same.items() if not yes]
        accuracies = one["accuracies"]
        told.append(
            f"{method}: {one['rows_after']} rows, precision {one['prec']:.2f}, accuracy {_range(accuracies)} %"
            + (f" (other than printed: {', '.join(missed)})" if missed else "")
        )
    text = f"{sum(held)} of {len(held)} printed figures are the same. {'; '.join(told)}."
    return Draft(says, text if held else "", (figures(held) if finished == len(methods) else missing(),), why)


def _case_4() -> Draft:
    return Draft(
        "Case 4 (figure 21): HeuristicMin leaves 8 of 10 rows, TDS 4; both give 100 % accuracy.",
        "Nothing: the table cannot be had.",
        (missing(),),
        "Figures 20 and 21 are lost images; the text tells two counts of five rows, and no class of any.",
    )


def _by_unit(cases: Iterable[tuple[Setting, float]]) -> list[float]:
    """What the cases of each unit say on average; a unit is a worked case, or a draw of rows with all its settings."""
    units: dict[tuple[Any, ...], list[float]] = {}
    for setting, value in cases:
        units.setdefault((setting.case, setting.rows, setting.sample), []).append(value)
    return [fmean(values) for values in units.values()]


def _more_often(cases: Iterable[tuple[Setting, float]], units: str = _UNITS) -> Finding:
    """Whether in more units the cases for a claim (1) outnumber those against it (-1)."""
    values = _by_unit(cases)
    return signs(values, f"{len(values)} {units}")


def _side(difference: float) -> float:
    return 0.0 if abs(difference) < _SAME else 1.0 if difference > 0 else -1.0


def _optimal(found: Found) -> Draft:
    pairs = [
        (setting, one["rows_after"], other["rows_after"])
        for setting, one, other in found.pairs(_OURS, "HeuristicMin, all cuts")
        if other["finished"] or other["rows_after"] > one["rows_after"]
    ]
    held = [rows == most for _, rows, most in pairs]
    missed = [(setting, rows, most) for setting, rows, most in pairs if rows != most]
    worst = min(missed, key=lambda one: one[1] / one[2], default=None)
    why = "" if worst is None else f"The farthest: {worst[1]:,} of {worst[2]:,} rows, {_named(worst[0])}. "
    return Draft(
        "The result is optimal: no table that satisfies the requirements has more rows.",
        f"As many rows as the best of all cuts in {sum(held)} of {len(held)} settings." if held else "",
        (checked(held),),
        f"{why}The steps of the search do not reach all cuts, so the proof is for those that they do; ours goes on "
        "until all are excluded. Where the search of all cuts did not end, a table with more rows counts against.",
    )


def _states(found: Found) -> Draft:
    pairs = list(found.pairs(_OURS, "AllMin"))
    cases = [(setting, _side(_states_of(other) - _states_of(one))) for setting, one, other in pairs]
    worked = [side for setting, side in cases if setting.case]
    drawn = [side for setting, side in cases if not setting.case]
    why = ""
    times = [
        one["seconds"] / other["seconds"] for setting, one, other in pairs if not setting.case and other["seconds"]
    ]
    if times:
        why = (
            f"Fewer in {worked.count(1)} of {len(worked)} worked cases and {drawn.count(1)} of {len(drawn)} settings "
            f"of Adult; there it takes {median(times):.0f} times as long as AllMin (median). Cuts are more than "
            "levels, and where nothing satisfies the requirements low down, no state is pruned. A search that did not "
            "end counts against."
        )
    return Draft(
        "Pruning saves work: HeuristicMin looks at fewer tables than AllMin (9 and 14 in the example).",
        f"Fewer in {worked.count(1) + drawn.count(1)} of {len(cases)} settings." if cases else "",
        (_more_often(cases),),
        why,
    )


def _states_of(one: Result) -> float:
    """How many tables were looked at; endlessly many in a search that did not end."""
    return float(one["states"]) if one["finished"] else inf


def _most_rows(found: Found) -> Draft:
    pairs = [pair for rival in ("AllMin", *_RIVALS) for pair in found.pairs(_OURS, rival)]
    cases = [(setting, _side(one["rows_after"] - other["rows_after"])) for setting, one, other in pairs]
    sides = [side for _, side in cases]
    unfinished = sum(not one["finished"] for _, one, _ in pairs)
    text = ""
    if sides:
        shares = [one["rows_after"] / other["rows_after"] for _, one, other in pairs]
        text = (
            f"More in {sides.count(1)} of {len(sides)} comparisons, fewer in {sides.count(-1)}; {median(shares):.1f} "
            "times as many (median)."
        )
    return Draft(
        "HeuristicMin keeps more distinct rows than methods that aim at something else (in case 3 twice those of TDS).",
        text,
        (_more_often(cases),),
        "AllMin, TDS and BUG are compared with. "
        f"{unfinished} comparisons are of searches that did not end, with what they had by then.",
    )


def _precision_of_mingen(found: Found) -> Draft:
    cases = [
        (setting, _side(one["prec"] - other["prec"]))
        for rival in (_OURS, "AllMin", *_RIVALS)
        for setting, one, other in found.pairs("MinGen", rival)
    ]
    tried = [(setting, one) for setting, one in found.all("MinGen") if not setting.case]
    given_up = [(setting, -1.0 if one.get("finished", False) else 1.0) for setting, one in tried]
    number = sum(side > 0 for _, side in given_up)
    sides = [side for _, side in cases]
    return Draft(
        "MinGen, cell by cell, has the best precision, and is not practical.",
        f"A higher precision in {sides.count(1)} of {len(sides)} comparisons, a lower in {sides.count(-1)}; not proved "
        f"or not even begun in {number} of {len(tried)} draws of Adult."
        if cases and tried
        else "",
        (
            (_more_often(cases).named("Best precision"), _more_often(given_up, _DRAWS).named("Not practical"))
            if cases and tried
            else (missing(),)
        ),
        f"Not practical: after {SECONDS:.0f} seconds nothing is proved. An integer program searches here, which "
        "reaches much farther than trying all generalizations. The highest precision is no matter of course: of the "
        "fewest generalizations the most precise is taken.",
    )


def _closer(found: Found) -> Draft:
    cases = [
        (setting, _side(one["prec"] - other["prec"]))
        for rival in _RIVALS
        for setting, one, other in found.pairs(_OURS, rival)
    ]
    sides = [side for _, side in cases]
    beside = [_side(one["prec"] - other["prec"]) for _, one, other in found.pairs(_OURS, "AllMin")]
    return Draft(
        "HeuristicMin stays closer to the original than TDS and BUG (cases 1 and 3).",
        f"Its precision is higher in {sides.count(1)} of {len(sides)} comparisons, lower in {sides.count(-1)}."
        if sides
        else "",
        (_more_often(cases),),
        f"Beside AllMin, higher in {beside.count(1)} of {len(beside)}, lower in {beside.count(-1)}: rows are kept, not "
        "levels, and one column of many values in clear makes more rows than several that are nearly so."
        if beside
        else "",
    )


def _as_good(found: Found) -> list[Draft]:
    gaps: list[tuple[Setting, float]] = []
    for rival in _RIVALS:
        for setting, one, other in found.pairs(_OURS, rival):
            if (mine := _accuracy(one)) is not None and (theirs := _accuracy(other)) is not None:
                gaps.append((setting, mine - theirs))
    held = [(setting, float(gap >= -_AS_GOOD)) for setting, gap in gaps]
    units = _by_unit(held)
    adult = [gap for setting, gap in gaps if not setting.case]
    why = f"What is less than {_AS_GOOD} points is the same; a unit is for the claim if half of its comparisons are."
    if adult:
        why += f" On Adult the difference is {fmean(adult):+.2f} points on average, {min(adult):+.2f} at worst."
    for_it, against = sum(share >= 0.5 for share in units), sum(share < 0.5 for share in units)
    text = f"As well in {sum(yes for _, yes in held):.0f} of {len(held)} comparisons." if held else ""
    says = "Naive Bayes learns as well from HeuristicMin's tables as from those of TDS and BUG"
    number = f"{len(units)} {_UNITS}"
    return [
        Draft(f"{says}, in most cases.", text, (mostly(for_it, against, number),), why.replace("-", "−")),
        Draft(f"{says}, in more than 3 of 4 cases.", text, (mostly(for_it, against, number, _MOSTLY),)),
    ]


def _finishes(found: Found) -> Draft:
    cells = [(setting, one) for setting, one in found.all(_OURS) if not setting.case]
    held = [(setting, 1.0 if one["finished"] else -1.0) for setting, one in cells]
    slowest = max(cells, key=lambda one: one[1]["seconds"], default=None)
    why = ""
    if slowest is not None:
        why = f"The slowest: {slowest[1]['states']:,} states in {slowest[1]['seconds']:.1f} s, {_named(slowest[0])}."
    ended = sum(side > 0 for _, side in held)
    return Draft(
        "The exhaustive search is efficient.",
        f"It came to its end within 20,000 states in {ended} of {len(held)} settings of Adult." if held else "",
        (_more_often(held, _DRAWS),),
        why,
    )


def _accuracy(one: Result) -> float | None:
    if "accuracies" in one:
        return fmean(one["accuracies"])
    return float(one["accuracy"]) if "accuracy" in one else None


def _unordered(rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    return sorted((tuple(cells), tuple(sorted(held.items()))) for *cells, held in rows)


def _range(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:.1f}" if high - low < 0.05 else f"{low:.1f} to {high:.1f}"


def _named(setting: Setting) -> str:
    if setting.case:
        return f"case {setting.case}"
    return f"{setting.rows:,} rows, {setting.quasi} quasi-identifiers, requirements: {setting.requirements}"
