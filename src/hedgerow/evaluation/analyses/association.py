"""Association rules: which of those in the original rows a release shows, and which it invents.

R. Agrawal, R. Srikant, "Fast Algorithms for Mining Association Rules", VLDB 1994 (Apriori). An item is a column with
one of its values, or with a bin of its numbers. A set of items is frequent if enough rows have all of them; a rule "if
these, then that" holds if enough of the rows with these have that, too. The support of a set in a release is expected:
a row whose cell may stand for several values counts with its share (:mod:`hedgerow.evaluation.analyses.spread`).

**Deviations**: a rule has one item on its right side, as in R. Agrawal, T. Imieliński, A. Swami, "Mining Association
Rules between Sets of Items in Large Databases", SIGMOD 1993. Items of one column are never in one set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Floats
from hedgerow.errors import check_int
from hedgerow.evaluation.analyses.base import Analysis, Material, check_between
from hedgerow.evaluation.analyses.spread import Condition, SpreadColumn, original_rows, spread_rows

__all__ = ["Apriori", "Rule", "agreement", "frequent_itemsets", "items_of", "rules_of"]

_SLACK: Final = 1e-9
"""Sums of shares may miss a threshold by rounding."""

Itemset = tuple[int, ...]
Rule = tuple[Itemset, int]
"""The items on the left side, and the item on the right side."""


@dataclass(frozen=True, kw_only=True)
class Apriori(Analysis):
    """Frequent sets of items, and association rules among them, on the features and the target.

    Parameters
    ----------
    support : float
        The least share of rows that have all items of a set.
    confidence : float
        The least share of the rows with the left side of a rule that have its right side.
    longest : int
        The most items of a set.
    bins : int
        The most bins of a column of numbers or dates; they hold about as many original rows each.
    draws : int
        How often rows are redrawn; the support is the mean of all.
    """

    name = "apriori"
    task = "association"

    support: float = 0.1
    confidence: float = 0.6
    longest: int = 3
    bins: int = 5
    draws: int = 10

    def __post_init__(self) -> None:
        check_between("support", "Apriori", self.support)
        check_between("confidence", "Apriori", self.confidence)
        for name, least in (("longest", 2), ("bins", 2), ("draws", 1)):
            check_int(name, "Apriori", getattr(self, name), least)

    def measure(self, material: Material) -> Mapping[str, float | None]:
        original = original_rows(material.part)
        items = items_of(original, self.bins)
        truth = self._found(original, items)
        found = self._found(spread_rows(material, self.draws, original), items)
        rules = agreement(self._rules(truth), self._rules(found))
        itemsets = agreement(_several(truth), _several(found))
        return {
            "rules_f1": rules.f1,
            "rules_kept": rules.kept,
            "rules_invented": rules.invented,
            "itemsets_kept": itemsets.kept,
            "itemsets_invented": itemsets.invented,
        }

    def _found(self, columns: Mapping[str, SpreadColumn], items: Sequence[Condition]) -> dict[Itemset, float]:
        shares = np.column_stack([columns[item.column].of_rows(item) for item in items]) if items else np.empty((1, 0))
        names = [item.column for item in items]
        return frequent_itemsets(shares, names, self.support, self.longest)

    def _rules(self, supports: Mapping[Itemset, float]) -> set[Rule]:
        return set(rules_of(supports, self.confidence))


def _several(supports: Mapping[Itemset, float]) -> set[Itemset]:
    """The frequent sets of two items or more; single items say nothing of an association."""
    return {itemset for itemset in supports if len(itemset) > 1}


@dataclass(frozen=True)
class Agreement:
    """How far what was found agrees with the truth.

    Attributes
    ----------
    kept : float, optional
        The share of the truth that was found: recall. ``None`` if there is no truth.
    invented : float
        The share of what was found that is not true: 1 less precision. 0 if nothing was found.
    f1 : float, optional
        The harmonic mean of recall and precision. ``None`` if there is no truth.
    """

    kept: float | None
    invented: float
    f1: float | None


def agreement(truth: Set[object], found: Set[object]) -> Agreement:
    """Compare two sets of rules or of sets of items.

    >>> agreement({(1, 2), (1, 3)}, {(1, 2), (2, 3), (2, 4)})
    Agreement(kept=0.5, invented=0.6666666666666666, f1=0.4)
    """
    both = len(truth & found)
    invented = (len(found) - both) / len(found) if found else 0.0
    if not truth:
        return Agreement(None, invented, None)
    return Agreement(both / len(truth), invented, 2 * both / (len(truth) + len(found)))


def items_of(original: Mapping[str, SpreadColumn], bins: int) -> list[Condition]:
    """The items of all columns: each label, and each bin of numbers by the quantiles of the original rows."""
    return [item for _, column in sorted(original.items()) for item in _items(column, bins)]


def _items(column: SpreadColumn, bins: int) -> Iterator[Condition]:
    domain = column.domain
    if domain.numbers is None:
        for label in domain.labels.tolist():
            yield Condition(domain.name, labels=frozenset((label,)))
        return
    values = domain.values
    if not len(values):
        return
    rows = (np.bincount(column.cell_of_row, minlength=column.shares.shape[0]) @ column.shares)[: len(values)]
    reached = np.cumsum(rows) / rows.sum()
    # The last value of each bin: the quantiles, without repetitions.
    last = np.unique(np.append(np.searchsorted(reached, np.arange(1, bins) / bins - _SLACK), len(values) - 1))
    for before, end in zip(np.append(-1, last[:-1]).tolist(), last.tolist(), strict=True):
        yield Condition(domain.name, low=float(values[before + 1]), high=float(values[end]))


def frequent_itemsets(shares: Floats, columns: Sequence[str], support: float, longest: int) -> dict[Itemset, float]:
    """All sets of items that are frequent, with their supports.

    Parameters
    ----------
    shares : float array (rows, items)
        The part of each row that has each item.
    columns : sequence of str
        The column of each item.
    support : float
    longest : int

    Examples
    --------
    >>> rows = np.array([[1, 0, 1.0], [1, 0, 1], [1, 0, 0], [0, 1, 0.5]])
    >>> frequent_itemsets(rows, ["sex", "sex", "ill"], 0.5, 2)
    {(0,): 0.75, (2,): 0.625, (0, 2): 0.5}
    """
    number = max(len(shares), 1)
    single = shares.sum(axis=0) / number
    supports: dict[Itemset, float] = {
        (item,): float(single[item]) for item in range(shares.shape[1]) if single[item] >= support - _SLACK
    }
    level = dict(supports)
    for _ in range(longest - 1):
        tried = {longer: _support(shares, longer) for longer in _joined(list(level), columns)}
        level = {itemset: share for itemset, share in tried.items() if share >= support - _SLACK}
        supports |= level
    return supports


def _joined(level: Sequence[Itemset], columns: Sequence[str]) -> Iterator[Itemset]:
    """The sets that are one item longer, and all of whose parts are frequent."""
    known = set(level)
    for at, first in enumerate(level):
        for second in level[at + 1 :]:
            if first[:-1] != second[:-1]:
                break  # sets are sorted, so those with the same beginning are neighbours
            longer = (*first, second[-1])
            parts = (longer[:out] + longer[out + 1 :] for out in range(len(longer)))
            if columns[first[-1]] != columns[second[-1]] and known.issuperset(parts):
                yield longer


def _support(shares: Floats, itemset: Itemset) -> float:
    return float(shares[:, itemset].prod(axis=1).sum()) / len(shares)


def rules_of(supports: Mapping[Itemset, float], confidence: float) -> Iterator[Rule]:
    """The rules that frequent sets support.

    >>> list(rules_of({(0,): 0.75, (2,): 0.625, (0, 2): 0.5}, 0.8))
    [((2,), 0)]
    """
    for itemset, share in supports.items():
        for at, right in enumerate(itemset if len(itemset) > 1 else ()):
            left = itemset[:at] + itemset[at + 1 :]
            if share >= confidence * supports[left] - _SLACK:
                yield left, right
