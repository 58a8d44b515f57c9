"""What the paper on HeuristicMin says, and what the cells say of it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median
from typing import Any, Final

from reproductions.base import Claim, Result
from reproductions.heuristicmin.cases import PRINTED, Printed
from reproductions.heuristicmin.found import Found, Setting
from reproductions.judging import in_cases

__all__ = ["agreeing", "claims_of", "generalizations_of"]

_OURS: Final = "HeuristicMin"
_RIVALS: Final = ("TDS", "BUG")
_AS_GOOD: Final = 0.5
"""In points of accuracy; what is closer makes no difference."""

_MOSTLY: Final = 3 / 4
"""Of the cases, in which the paper says that something is so."""

_WHY: Final = {
    "1": "Nothing differs but the label of two rows, 8th in figure 11 and 12th in figure 6.",
    "2": "Figure 16 satisfies both requirements and can be reached, but a table with one row more can, too, and the "
    "search of figure 2 finds it. Figure 16's hours [1,37) beside [37,99) are TDS's. 80 % is no share of 34 records; "
    "29 of 34 are 85.3 %.",
    "3": "No reading of TDS stops at figure 19(a): age is in no shield, so nothing keeps it from going down to the "
    "ages, and the text says application where the figure shows sex. 63 % was not found by any dealing of the folds.",
}


def claims_of(found: Found) -> list[Claim]:
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
        _as_good(found),
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


def _figure_10(found: Found) -> Claim:
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


def _case(found: Found, case: str, methods: Sequence[str], says: str) -> Claim:
    return _compared(found, case, methods, says, _WHY[case], leave=("generalizations", "states"))


def _compared(found: Found, case: str, methods: Sequence[str], says: str, why: str, leave: Sequence[str] = ()) -> Claim:
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
    verdict = in_cases(held) if finished == len(methods) else "undecided"
    text = f"{sum(held)} of {len(held)} printed figures are the same. {'; '.join(told)}."
    return Claim(says, text if held else "nothing yet", verdict, why)


def _case_4() -> Claim:
    return Claim(
        "Case 4 (figure 21): HeuristicMin leaves 8 of 10 rows, TDS 4; both give 100 % accuracy.",
        "Nothing: the table cannot be had.",
        in_cases([]),
        "Figures 20 and 21 are lost images; the text tells two counts of five rows, and no class of any.",
    )


def _optimal(found: Found) -> Claim:
    pairs = [
        (setting, one["rows_after"], other["rows_after"])
        for setting, one, other in found.pairs(_OURS, "HeuristicMin, all cuts")
        if other["finished"]
    ]
    held = [rows == most for _, rows, most in pairs]
    missed = [(setting, rows, most) for setting, rows, most in pairs if rows != most]
    worst = min(missed, key=lambda one: one[1] / one[2], default=None)
    why = "" if worst is None else f"The farthest: {worst[1]:,} of {worst[2]:,} rows, {_named(worst[0])}. "
    return Claim(
        "The result is optimal: no table that satisfies the requirements has more rows.",
        f"As many rows as the best of all cuts in {sum(held)} of {len(held)} settings." if held else "nothing yet",
        in_cases(held),
        f"{why}The steps of the search do not reach all cuts, so the proof is for those that they do; ours goes on "
        "until all are excluded.",
    )


def _states(found: Found) -> Claim:
    pairs = list(found.pairs(_OURS, "AllMin"))
    held = [one["states"] < other["states"] for _, one, other in pairs]
    cases = [yes for yes, (setting, *_) in zip(held, pairs, strict=True) if setting.case]
    why = ""
    times = [
        one["seconds"] / other["seconds"] for setting, one, other in pairs if not setting.case and other["seconds"]
    ]
    if times:
        why = (
            f"Fewer in {sum(cases)} of {len(cases)} worked cases and {sum(held) - sum(cases)} of "
            f"{len(held) - len(cases)} settings of Adult; there it takes {median(times):.0f} times as long as AllMin "
            "(median). Cuts are more than levels, and where nothing satisfies the requirements low down, no state is "
            "pruned."
        )
    return Claim(
        "Pruning saves work: HeuristicMin looks at fewer tables than AllMin (9 and 14 in the example).",
        f"Fewer in {sum(held)} of {len(held)} settings." if held else "nothing yet",
        in_cases(held),
        why,
    )


def _most_rows(found: Found) -> Claim:
    shares = [
        one["rows_after"] / other["rows_after"]
        for rival in ("AllMin", *_RIVALS)
        for _, one, other in found.pairs(_OURS, rival)
        if one["finished"]
    ]
    held = [share >= 1 for share in shares]
    text = ""
    if shares:
        text = (
            f"At least as many in {sum(held)} of {len(held)} comparisons, more in {sum(share > 1 for share in shares)}"
            f"; {median(shares):.1f} times as many (median)."
        )
    return Claim(
        "HeuristicMin keeps more distinct rows than methods that aim at something else (in case 3 twice those of TDS).",
        text or "nothing yet",
        in_cases(held),
        "Searches that came to their end; AllMin, TDS and BUG are compared with.",
    )


def _precision_of_mingen(found: Found) -> Claim:
    held = [
        one["prec"] >= other["prec"] - 1e-9
        for rival in (_OURS, "AllMin", *_RIVALS)
        for _, one, other in found.pairs("MinGen", rival)
    ]
    given_up = [one for setting, one in found.all("MinGen") if not setting.case and not one.get("finished", False)]
    tried = [one for setting, one in found.all("MinGen") if not setting.case]
    verdict = in_cases([*held, bool(given_up)]) if held and tried else "undecided"
    text = (
        f"The highest precision in {sum(held)} of {len(held)} comparisons; not proved or not even begun in "
        f"{len(given_up)} of {len(tried)} draws of Adult."
    )
    return Claim(
        "MinGen, cell by cell, has the best precision, and is not practical.",
        text if held else "nothing yet",
        verdict,
        "An integer program searches here, which reaches much farther than trying all generalizations. The highest "
        "precision is no matter of course: of the fewest generalizations the most precise is taken.",
    )


def _closer(found: Found) -> Claim:
    held: list[bool] = []
    for rival in _RIVALS:
        held += [one["prec"] >= other["prec"] - 1e-9 for _, one, other in found.pairs(_OURS, rival)]
    beside = [one["prec"] >= other["prec"] - 1e-9 for _, one, other in found.pairs(_OURS, "AllMin")]
    return Claim(
        "HeuristicMin stays closer to the original than TDS and BUG (cases 1 and 3).",
        f"Its precision is at least as high in {sum(held)} of {len(held)} comparisons." if held else "nothing yet",
        in_cases(held),
        f"Beside AllMin, in {sum(beside)} of {len(beside)}: rows are kept, not levels, and one column of many values "
        "in clear makes more rows than several that are nearly so."
        if beside
        else "",
    )


def _as_good(found: Found) -> Claim:
    gaps: list[tuple[Setting, float]] = []
    for rival in _RIVALS:
        for setting, one, other in found.pairs(_OURS, rival):
            if (mine := _accuracy(one)) is not None and (theirs := _accuracy(other)) is not None:
                gaps.append((setting, mine - theirs))
    held = [gap >= -_AS_GOOD for _, gap in gaps]
    adult = [gap for setting, gap in gaps if not setting.case]
    why = f"What is less than {_AS_GOOD} points is the same."
    if adult:
        why += f" On Adult the difference is {fmean(adult):+.2f} points on average, {min(adult):+.2f} at worst."
    return Claim(
        "Naive Bayes learns as well from HeuristicMin's tables as from those of TDS and BUG, in 3 of 4 cases.",
        f"As well in {sum(held)} of {len(held)} comparisons." if held else "nothing yet",
        "holds" if held and sum(held) >= _MOSTLY * len(held) else in_cases(held),
        why.replace("-", "−"),
    )


def _finishes(found: Found) -> Claim:
    cells = [(setting, one) for setting, one in found.all(_OURS) if not setting.case]
    held = [bool(one["finished"]) for _, one in cells]
    slowest = max(cells, key=lambda one: one[1]["seconds"], default=None)
    why = ""
    if slowest is not None:
        why = f"The slowest: {slowest[1]['states']:,} states in {slowest[1]['seconds']:.1f} s, {_named(slowest[0])}."
    return Claim(
        "The exhaustive search is efficient.",
        f"It came to its end within 20,000 states in {sum(held)} of {len(held)} settings of Adult."
        if held
        else "nothing yet",
        in_cases(held),
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
