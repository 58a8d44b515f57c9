"""Every requirement counted again from first principles: plain Python dictionaries, and formulas of its own.

Nothing of Hedgerow is imported here. The cells of quasi-identifiers are compared as they are written, so that ``-0.0``
is not ``0.0`` and null is not an empty text; the values of a sensitive column by what they mean.

- k: L. Sweeney, IJUFKS 10(5), 2002. l: A. Machanavajjhala et al., ACM TKDD 1(1), 2007.
- t: N. Li, T. Li, S. Venkatasubramanian, ICDE 2007, section 4, with the formulas of the paper.
- p: T. M. Truta, B. Vinay, ICDE Workshops 2006. α: R. C.-W. Wong et al., KDD 2006.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

__all__ = ["smallest_class", "violations", "written"]

Table = Mapping[str, Sequence[Any]]
Shares = Mapping[Any, Fraction]

SLACK: Final = Fraction(1, 10**9)  # what rounding may add to a distance or a share
_PLAIN: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-][0-9]{2,3})?\Z")


def violations(
    table: Table, quasi: Sequence[str], requirements: Iterable[Mapping[str, Any]], missing: Sequence[str] = ()
) -> list[str]:
    """Say which requirements a published table does not meet, one sentence for each."""
    found = []
    for one in requirements:
        classes = _classes(table, one.get("shield") or quasi)
        if "k" in one:
            smallest = min(map(len, classes.values()), default=0)
            if smallest < one["k"]:
                found.append(f"{_named(one)}: a class has {smallest} rows")
        if one["name"] != "k":
            found += _sensitive_violations(table, one, list(classes.values()), missing)
    return found


def smallest_class(table: Table, quasi: Sequence[str]) -> int:
    """The k of a table."""
    return min(map(len, _classes(table, quasi).values()), default=0)


def written(cell: object) -> str:
    """A cell as a reader sees it, its type with it."""
    return f"{type(cell).__name__} {cell!r}"


def _named(one: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in one.items() if value is not None and name != "tree")


def _classes(table: Table, columns: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """The rows of each class."""
    classes: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, cells in enumerate(zip(*(table[name] for name in columns), strict=True)):
        classes[tuple(map(written, cells))].append(row)
    return classes


def _sensitive_violations(
    table: Table, one: Mapping[str, Any], classes: list[list[int]], missing: Sequence[str]
) -> list[str]:
    values = _by_value(table[one["column"]], missing)
    histograms = [Counter(values[row] for row in rows) for rows in classes]
    if one["name"] == "t":
        scales = _scales(values, one, missing) if one.get("distance") == "ordered" else [None]
        # Text that only looks like numbers has two orders; a table that is close in one of them is not refused.
        worst = min(max(_distance(part, Counter(values), one, scale) for part in histograms) for scale in scales)
        return [] if worst <= Fraction(one["t"]) + SLACK else [f"{_named(one)}: a class has t = {float(worst):.6g}"]
    fine = {"l": _diverse, "p": _p_sensitive, "alpha": _alpha}[one["name"]]
    bad = sum(not fine(part, one) for part in histograms)
    return [f"{_named(one)}: {bad} of {len(histograms)} classes do not meet it"] if bad else []


def _by_value(cells: Sequence[Any], missing: Sequence[str]) -> list[Any]:
    """What cells mean: ``None`` is missing, and text that is all numbers is compared as numbers."""
    absent = [cell is None or (isinstance(cell, str) and cell in missing) for cell in cells]
    texts = [cell for cell, gone in zip(cells, absent, strict=True) if not gone]
    numeric = all(isinstance(text, str) and _PLAIN.match(text) for text in texts)
    return [
        None if gone else _number(cell) if numeric else _plain(cell) for cell, gone in zip(cells, absent, strict=True)
    ]


def _number(text: str) -> float:
    return float(text) if "." in text or "e" in text else int(text)


def _plain(cell: Any) -> Any:
    """Numbers of any type by their value, which Python's own equality does; truth values as they are written."""
    return ("false", "true")[cell] if isinstance(cell, bool) else cell


def _diverse(part: Counter[Any], one: Mapping[str, Any]) -> bool:
    kind, least = one.get("kind", "distinct"), one["l"]
    if kind == "distinct":
        return len(part) >= int(least)
    size = part.total()
    if kind == "entropy":
        entropy = math.log(size) - math.fsum(count * math.log(count) for count in part.values()) / size
        return math.exp(entropy) >= float(least) - float(SLACK)
    counts = sorted(part.values(), reverse=True)
    return counts[0] < Fraction(one["c"]) * sum(counts[least - 1 :])


def _p_sensitive(part: Counter[Any], one: Mapping[str, Any]) -> bool:
    return len(part) >= int(one["p"])


def _alpha(part: Counter[Any], one: Mapping[str, Any]) -> bool:
    value = one.get("value")
    counts = part.values() if value is None else [n for held, n in part.items() if str(held) == str(value)]
    return all(Fraction(count, part.total()) <= Fraction(one["alpha"]) + SLACK for count in counts)


def _distance(part: Counter[Any], whole: Counter[Any], one: Mapping[str, Any], scale: list[Any] | None) -> Fraction:
    """The earth mover's distance between a class and the table."""
    class_size, table_size = part.total(), whole.total()
    extra = {value: Fraction(part[value], class_size) - Fraction(count, table_size) for value, count in whole.items()}
    if scale is not None:
        return _ordered(extra, scale)
    if one.get("distance") == "hierarchical":
        return _hierarchical(extra, one["tree"])
    return sum((surplus for surplus in extra.values() if surplus > 0), Fraction(0))


def _ordered(extra: Shares, scale: list[Any]) -> Fraction:
    running = total = Fraction(0)
    for value in scale:
        running += extra.get(value, 0)
        total += abs(running)
    return total / max(1, len(scale) - 1)


def _scales(values: list[Any], one: Mapping[str, Any], missing: Sequence[str]) -> list[list[Any] | None]:
    """The orders that the values may be meant in, a missing one last."""
    last = [None] if None in values else []
    present = {value for value in values if value is not None}
    if one.get("order") is not None:
        order = list(one["order"])
        if present and all(not isinstance(value, str) for value in present):
            order = [_number(str(value)) if _PLAIN.match(str(value)) else value for value in order]
        return [[*order, *last]]
    scales: list[list[Any] | None] = [[*sorted(present), *last]]
    if present and all(isinstance(value, str) and _reads(value) for value in present):
        scales.append([*sorted(present, key=lambda text: (float(text), text)), *last])
    return scales


def _reads(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _hierarchical(extra: Shares, tree: Mapping[str, Any]) -> Fraction:
    """Li et al., section 4.2: at each node, what its children have too much goes to those that have too little."""
    top = list(tree.values())
    root = top[0] if len(top) == 1 and _inner(top[0]) else tree
    unit = max(1, _height(root))
    total, _ = _cost(root, extra, unit, [extra[None]] if None in extra else [])
    return total


def _inner(node: Any) -> bool:
    return isinstance(node, Mapping | list | tuple) and len(node) > 0


def _children(node: Any) -> list[tuple[Any, Any]]:
    return list(node.items()) if isinstance(node, Mapping) else [(leaf, None) for leaf in node]


def _height(node: Any) -> int:
    return 1 + max(_height(below) for _, below in _children(node)) if _inner(node) else 0


def _cost(node: Any, extra: Shares, unit: int, surpluses: list[Fraction]) -> tuple[Fraction, Fraction]:
    """The cost below a node, and the surplus of its leaves."""
    total = Fraction(0)
    for label, below in _children(node):
        if _inner(below):
            cost, surplus = _cost(below, extra, unit, [])
            total += cost
        else:
            surplus = _leaf(extra, str(label))
        surpluses = [*surpluses, surplus]
    above = sum((one for one in surpluses if one > 0), Fraction(0))
    beneath = -sum((one for one in surpluses if one < 0), Fraction(0))
    return total + Fraction(_height(node), unit) * min(above, beneath), above - beneath


def _leaf(extra: Shares, label: str) -> Fraction:
    if label in extra:
        return extra[label]
    return extra.get(_number(label), Fraction(0)) if _PLAIN.match(label) else Fraction(0)
