"""An oracle for searches, in plain numpy: which tuples violate requirements once every value has become a node.

The classes of a requirement are those of its shield alone, so a requirement on two columns is judged by how many
records share these two, whatever the others say. O(tuples) for each shield.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.core.counts import FrequencyTable, tabulate
from hedgerow.requirements import BoundRequirement, Histograms, Requirement, context_of

__all__ = ["Shields"]

Nodes = Sequence[NDArray[np.integer]]


class _Bound(NamedTuple):
    requirement: BoundRequirement
    shield: tuple[int, ...]
    values: NDArray[np.int32] | None


class Shields:
    """The requirements of a job, bound to a table.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement

    Attributes
    ----------
    columns : tuple of tuples of int
        The quasi-identifiers that each requirement speaks of, by position.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> from hedgerow.release.pipeline import prepare
    >>> from hedgerow.requirements import KAnonymity
    >>> people = pa.table({"sex": ["f", "f", "m"], "age": ["20", "20", "30"]})
    >>> requirements = [KAnonymity(2, shield=["age"])]
    >>> counts = prepare(people, Schema(quasi=["sex", "age"]), requirements, random_state=0).counts
    >>> untouched = [counts.hierarchies[name].leaf_of for name in counts.quasi]
    >>> Shields(counts, requirements).violating(untouched).tolist()
    [False, True]
    """

    def __init__(self, counts: FrequencyTable, requirements: Sequence[Requirement]) -> None:
        context = context_of(counts, requirements)
        self._counts = counts
        self._bound = []
        for one in requirements:
            shield = counts.quasi if one.shield is None else tuple(one.shield)
            values = None if one.column is None else counts.values_of(one.column)
            places = tuple(sorted(counts.quasi.index(name) for name in shield))
            self._bound.append(_Bound(one.bind(context), places, values))
        self.columns = tuple(one.shield for one in self._bound)

    def violating(self, nodes: Nodes, lost: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Which tuples are in a class that violates a requirement; lost tuples are in none."""
        result = np.zeros(len(self._counts.tuples), dtype=bool)
        for which in range(len(self._bound)):
            result |= self.violating_one(which, nodes, lost)
        return result

    def violating_one(self, which: int, nodes: Nodes, lost: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Which tuples violate one of the requirements; ``nodes`` has the node of each code, per quasi-identifier."""
        counts, (requirement, shield, values) = self._counts, self._bound[which]
        rows = [np.asarray(nodes[at][counts.tuples[:, at]], dtype=np.int32) for at in shield]
        widths = [int(nodes[at].max()) + 1 for at in shield]
        classes, of_tuple = tabulate(rows, widths, len(counts.tuples))
        tuple_sizes = counts.tuple_sizes if lost is None else np.where(lost, 0, counts.tuple_sizes)
        sizes = np.bincount(of_tuple, tuple_sizes, len(classes)).astype(np.int64)
        histograms = None if values is None else self._histograms(of_tuple, len(classes), values, lost)
        violates = ~requirement.satisfied(sizes, histograms)[of_tuple]
        return violates if lost is None else violates & ~lost

    def _histograms(
        self, of_tuple: NDArray[np.int32], classes: int, values: NDArray[np.int32], lost: NDArray[np.bool_] | None
    ) -> Histograms:
        counts = self._counts
        sizes = counts.cell_sizes if lost is None else np.where(lost[counts.cell_tuple], 0, counts.cell_sizes)
        width = int(values.max()) + 1
        pair = of_tuple[counts.cell_tuple].astype(np.int64) * width + values
        distinct, index = np.unique(pair, return_inverse=True)
        records = np.bincount(index, sizes).astype(np.int64)
        of_class, code = np.divmod(distinct, width)
        indptr = np.searchsorted(of_class, np.arange(classes + 1)).astype(np.int64)
        return Histograms(indptr, code.astype(np.int64), records)
