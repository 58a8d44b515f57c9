"""The formulas of the requirements, compiled: each checks the histogram of one class.

Nothing here is more lenient than the verifier, which allows 1e-9. Ties of fractions are decided exactly (a
quotient of two counts is the nearest float to the fraction, and so is the parameter that was typed); entropy
and distance are sums of rounded terms, and get only the rounding back.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from hedgerow._internal.jit import jit
from hedgerow.requirements.binding import AT_LEAST, PEOPLE, BoolArray, FloatArray, IntArray, PackedRequirements

__all__ = [
    "FORMULAS",
    "all_hold",
    "classes_hold",
    "earth_movers_distance",
    "entropy",
    "holds",
    "sparse_classes_hold",
]

# Formulas on records, cheapest first: packed requirements are checked in this order.
_ON_RECORDS: Final = ("number", "distinct", "share", "recursive", "entropy", "closeness")
OF_RECORDS: Final = len(_ON_RECORDS)
NUMBER, DISTINCT, SHARE, RECURSIVE, ENTROPY, CLOSENESS = range(OF_RECORDS)

# The last four of people. The number of people who have a value in a class is known only to be between two numbers
# (see hedgerow.core.counts.mark_people). Both must hold, or only the smaller ones.
_SHARES: Final = _ON_RECORDS[SHARE:]
FORMULAS: Final = (
    *_ON_RECORDS,
    *(f"{name}{PEOPLE}" for name in _SHARES),
    *(f"{name}{AT_LEAST}" for name in _SHARES),
)
_KINDS: Final = len(_SHARES)
_AT_LEAST: Final = OF_RECORDS + _KINDS

# Rounding of a sum over a histogram, a thousand times below what the verifier allows.
ROUNDING: Final = 1e-12


@jit(inner=True)
def distinct_values(histogram: IntArray) -> int:
    """Count the values that occur. O(V)."""
    found = 0
    for count in histogram:
        if count > 0:
            found += 1
    return found


@jit(inner=True)
def largest_share(histogram: IntArray, total: int, code: int) -> float:
    """Return the share of one code, or of the most frequent one if ``code`` is negative. O(V)."""
    if code >= 0:
        return float(histogram[code] / total)
    largest = 0
    for count in histogram:
        largest = max(largest, count)
    return float(largest / total)


@jit(inner=True)
def entropy(histogram: IntArray, total: int) -> float:
    """Return the entropy in nats: log N − Σ n log n / N. O(V)."""
    spread = 0.0
    for count in histogram:
        if count > 1:
            spread += count * np.log(count)
    return float(np.log(total) - spread / total)


@jit(inner=True)
def recursive_holds(histogram: IntArray, c: float, l: int) -> bool:  # noqa: E741 - the paper's letter
    """Check r₁ < c (r_l + … + r_m), the counts in descending order. O(l V)."""
    rest, largest = 0, 0
    for count in histogram:
        rest += count
        largest = max(largest, count)
    # Take the l - 1 most frequent away, equal ones together: what numpy's sort would compile is ten times as long.
    left, value = l - 1, largest
    while left > 0 and value > 0:
        following = 0
        for count in histogram:
            if count == value and left > 0:
                rest -= count
                left -= 1
            elif count < value:
                following = max(following, count)
        value = following
    return bool(rest > 0 and largest / rest < c)


@jit
def earth_movers_distance(
    histogram: IntArray,
    total: int,
    overall: FloatArray,
    place: IntArray,
    parent: IntArray,
    weight: FloatArray,
) -> float:
    """Return the earth mover's distance between a class and the whole table over a tree. O(V + nodes).

    In a tree all the surplus of a subtree has to cross the edge above it, so the cheapest transport is known
    without solving for it: the sum over edges of length times surplus.
    """
    surplus = np.zeros(len(parent))
    for code in range(len(histogram)):
        surplus[place[code]] += histogram[code] / total - overall[code]
    distance = 0.0
    for node in range(len(parent)):
        distance += weight[node] * abs(surplus[node])
        if parent[node] >= 0:
            surplus[parent[node]] += surplus[node]
    return distance


@jit
def _holds_of_records(
    kind: int,
    parameters: FloatArray,
    overall: FloatArray,
    place: IntArray,
    parent: IntArray,
    weight: FloatArray,
    total: int,
    histogram: IntArray,
) -> bool:
    """Check a formula on how often each value occurs."""
    if total <= 0:
        return False
    if kind == NUMBER:
        return bool(histogram[int(parameters[1])] >= parameters[0])
    if kind == DISTINCT:
        return bool(distinct_values(histogram) >= parameters[0])
    if kind == SHARE:
        return bool(largest_share(histogram, total, int(parameters[1])) <= parameters[0])
    if kind == RECURSIVE:
        return recursive_holds(histogram, parameters[1], int(parameters[0]))
    if kind == ENTROPY:
        return bool(entropy(histogram, total) >= parameters[0] - ROUNDING)
    if kind == CLOSENESS:
        distance = earth_movers_distance(histogram, total, overall, place, parent, weight)
        return bool(distance <= parameters[0] + ROUNDING)
    return False


@jit
def _holds_of_people(
    kind: int,
    parameters: FloatArray,
    overall: FloatArray,
    place: IntArray,
    parent: IntArray,
    weight: FloatArray,
    histogram: IntArray,
    both: bool,
) -> bool:
    """Check a formula on the fewest people who may have each value and, if ``both``, on the most.

    Numbers of people on the line between the two then satisfy it too, because those that satisfy a formula are a convex
    cone. Closeness compares the fewest with the fewest of the whole table, and the most with the most. Shares are of
    the people who are represented, the fewest that there may be.
    """
    values = (len(histogram) - 1) // 3
    holders = np.empty(values, dtype=np.int64)
    compared = np.empty(values)
    people = 0
    for code in range(values):
        people += histogram[code]
        holders[code] = histogram[code] + histogram[values + code]
        compared[code] = overall[code] + overall[values + code]
    if kind != SHARE:
        people = holders.sum()
    # Where nobody has a home, only the most are known.
    if (people > 0 or not both) and not _holds_of_records(
        kind, parameters, compared / max(compared.sum(), ROUNDING), place, parent, weight, people, holders
    ):
        return False
    if not both:
        return True
    for code in range(values):
        holders[code] += histogram[2 * values + code]
        compared[code] += overall[2 * values + code]
    if kind != SHARE:
        people = holders.sum()
    return _holds_of_records(
        kind, parameters, compared / max(compared.sum(), ROUNDING), place, parent, weight, people, holders
    )


@jit
def holds(
    kind: int,
    parameters: FloatArray,
    overall: FloatArray,
    place: IntArray,
    parent: IntArray,
    weight: FloatArray,
    total: int,
    histogram: IntArray,
) -> bool:
    """Check one formula on the histogram of one class of ``total`` records.

    ========== ================== ==================================================
    kind       parameters         holds if
    ========== ================== ==================================================
    NUMBER     (k, code)          at least k records have the code
    DISTINCT   (l, )              at least l values occur
    SHARE      (alpha, code)      the share of the code (any, if -1) is at most alpha
    RECURSIVE  (l, c)             r₁ < c (r_l + … + r_m)
    ENTROPY    (log l, )          the entropy in nats is at least log l
    CLOSENESS  (t, )              the earth mover's distance is at most t
    ========== ================== ==================================================

    Of people, the histogram is that of :func:`hedgerow.core.counts.mark_people`.
    An empty class never holds, nor does an unknown formula. O(V), O(l V) for RECURSIVE, O(V + nodes) for CLOSENESS.
    """
    if kind < OF_RECORDS:
        return _holds_of_records(kind, parameters, overall, place, parent, weight, total, histogram)
    both = kind < _AT_LEAST
    formula = SHARE + (kind - OF_RECORDS) % _KINDS
    return _holds_of_people(formula, parameters, overall, place, parent, weight, histogram, both)


@jit
def all_hold(packed: PackedRequirements, size: int, histograms: IntArray) -> bool:
    """Check all packed requirements on one class.

    ``histograms`` holds the class's histograms of all sensitive columns, one after the other in the order of
    the context. Stops at the first requirement that fails; the size comes first and costs nothing.
    """
    if size < packed.minimal_size:
        return False
    for i in range(len(packed.kind)):
        values = slice(packed.values[i], packed.values[i + 1])
        nodes = slice(packed.nodes[i], packed.nodes[i + 1])
        if not holds(
            packed.kind[i],
            packed.parameters[i],
            packed.overall[values],
            packed.place[values],
            packed.parent[nodes],
            packed.weight[nodes],
            size,
            histograms[packed.first[i] : packed.last[i]],
        ):
            return False
    return True


@jit
def classes_hold(
    kind: int,
    parameters: FloatArray,
    overall: FloatArray,
    place: IntArray,
    parent: IntArray,
    weight: FloatArray,
    sizes: IntArray,
    histograms: IntArray,
) -> BoolArray:
    """Check one formula on many classes, one row of ``histograms`` each. O(C V)."""
    result = np.zeros(len(sizes), dtype=np.bool_)
    for i in range(len(sizes)):
        result[i] = holds(kind, parameters, overall, place, parent, weight, sizes[i], histograms[i])
    return result


@jit
def sparse_classes_hold(
    kind: int,
    parameters: FloatArray,
    overall: FloatArray,
    place: IntArray,
    parent: IntArray,
    weight: FloatArray,
    sizes: IntArray,
    indptr: IntArray,
    codes: IntArray,
    counts: IntArray,
) -> BoolArray:
    """Check one formula on many classes whose histograms are sparse. O(C V), memory for one dense one."""
    result = np.zeros(len(sizes), dtype=np.bool_)
    histogram = np.zeros(len(overall), dtype=np.int64)
    for i in range(len(sizes)):
        for j in range(indptr[i], indptr[i + 1]):
            histogram[codes[j]] += counts[j]
        result[i] = holds(kind, parameters, overall, place, parent, weight, sizes[i], histogram)
        for j in range(indptr[i], indptr[i + 1]):
            histogram[codes[j]] = 0
    return result
