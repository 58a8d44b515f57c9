"""What of a private release can be counted again: its boxes, its rows, and what its steps cost.

That the noise was drawn as it should be cannot be seen in one release: the tests of :mod:`hedgerow.privacy` show it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import NotAnonymous

__all__ = ["check_noisy"]

_ANYTHING: Final = "*"


def check_noisy(
    boxes: Mapping[str, Sequence[Any]], rows: Mapping[str, Sequence[Any]], stated: Mapping[str, Any]
) -> None:
    """Refuse a private release whose boxes, rows or costs are not as its manifest states.

    Parameters
    ----------
    boxes : mapping of column to cells
    rows : mapping of column to cells
    stated : mapping
        The manifest.
    """
    for wrong in (*_wrong_costs(stated), *_wrong_counts(boxes, stated), *_wrong_rows(boxes, rows, stated)):
        raise NotAnonymous(f"The release is not as its manifest states: {wrong}. Nothing was written.")


def _wrong_costs(stated: Mapping[str, Any]) -> Iterator[str]:
    """Steps cost what their parameters say, and together at most what is stated, as does the advantage."""
    rho, spent = Fraction(stated["rho"]), Fraction(0)
    most_rows = stated["max_rows"] or 1
    for step in stated["steps"]:
        parameter, times = Fraction(step["parameter"]), step["times"]
        cost = parameter**2 / 8 if step["mechanism"] == "exponential" else Fraction(most_rows**2) / (2 * parameter)
        if step["sensitivity"] < most_rows:
            yield f"the step {step['step']!r} counts on fewer rows of a person than there may be"
        if Fraction(step["rho"]) < times * cost:
            yield f"the step {step['step']!r} costs more than what it was charged"
        spent += Fraction(step["rho"])
    if spent > rho:
        yield "its steps cost more than the whole"
    if Fraction(stated["rho_so_far"]) < rho:
        yield "the ledger has less than this release costs"
    for name, bound in (("advantage", rho / 2), ("label_advantage", 2 * rho)):
        most = min(math.sqrt(bound), math.sqrt(-math.expm1(-float(2 * bound))))
        if not stated[name] >= most - 1e-12:
            yield f"its {name} is more than what is stated"


def _wrong_counts(boxes: Mapping[str, Sequence[Any]], stated: Mapping[str, Any]) -> Iterator[str]:
    """Every box counts at least k rows, and its labels add up to that."""
    by_label = [boxes[_labelled(stated, label)] for label in stated["labels"]]
    for total, *parts in zip(boxes["count"], *by_label, strict=True):
        if total < stated["k"]:
            yield f"the noisy count of a box is below k = {stated['k']}"
        if min(parts) < 0 or sum(parts) != total:
            yield "the counts of a box do not add up"


def _wrong_rows(
    boxes: Mapping[str, Sequence[Any]], rows: Mapping[str, Sequence[Any]], stated: Mapping[str, Any]
) -> Iterator[str]:
    """Every row is in exactly one box, and every box has as many rows of each label as it counts."""
    labels = np.array([stated["labels"].index(label) for label in rows[stated["target"]]], dtype=np.int64)
    inside = {name: _inside(boxes[name], rows[name], stated["domain"][name]) for name in stated["domain"]}
    times = np.zeros(len(labels), dtype=np.int64)
    for box, total in enumerate(boxes["count"]):
        members = np.ones(len(labels), dtype=bool)
        for name, masks in inside.items():
            members &= masks[boxes[name][box]]
        times += members
        counted = np.bincount(labels[members], minlength=len(stated["labels"])).tolist()
        if counted != [boxes[_labelled(stated, label)][box] for label in stated["labels"]] or sum(counted) != total:
            yield "a box has not as many rows of a label as it counts"
    if (times != 1).any():
        yield "a row is in no box, or in several"


def _inside(regions: Sequence[str], cells: Sequence[Any], domain: Sequence[Any]) -> dict[str, NDArray[np.bool_]]:
    """For each different region of a column, which rows are inside."""
    if all(isinstance(value, str) for value in domain):
        different = sorted(set(cells))
        place = {cell: at for at, cell in enumerate(different)}
        of_row = np.array([place[cell] for cell in cells], dtype=np.int64)
        return {
            region: np.array([cell in _members(region, domain) for cell in different], dtype=bool)[of_row]
            for region in set(regions)
        }
    numbers = np.array(cells, dtype=np.float64)
    return {
        region: (numbers >= low) & (numbers < high) for region in set(regions) for low, high in [_range(region, domain)]
    }


def _range(region: str, edges: Sequence[float]) -> tuple[float, float]:
    """``[18,65)``, or all bins."""
    if region == _ANYTHING:
        return edges[0], edges[-1]
    low, high = region[1:-1].split(",")
    return float(low), float(high)


def _members(region: str, values: Sequence[str]) -> Sequence[str]:
    """``{a|b}``, a value, or all values. A backslash stands before a bar or a backslash of a value."""
    if region == _ANYTHING:
        return values
    if not region.startswith("{"):
        return [region]
    return [re.sub(r"\\(.)", r"\1", member) for member in re.findall(r"((?:[^\\|]|\\.)*)(?:\||$)", region[1:-1])]


def _labelled(stated: Mapping[str, Any], label: str) -> str:
    return f"count of {stated['target']}={label}"
