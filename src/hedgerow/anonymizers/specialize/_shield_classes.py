"""The classes of each shield while columns are specialized, and the specializations that they still allow.

Requirements on the same shield share its classes. Classes are only ever split. So the smallest class that a
specialization would leave only becomes smaller, and a forbidden specialization stays forbidden. Both are kept up to
date by judging new classes alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.anonymizers.specialize import _kernels
from hedgerow.anonymizers.specialize._kernels import judge
from hedgerow.core.counts import FrequencyTable, tabulate
from hedgerow.errors import Infeasible
from hedgerow.requirements import Requirement, bind, shield_of

__all__ = ["ShieldClasses", "by_shield", "shield_elements"]


def by_shield(counts: FrequencyTable, requirements: Sequence[Requirement]) -> dict[tuple[int, ...], list[Requirement]]:
    """Group requirements by shield; a shield is given by the positions of its quasi-identifiers.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import KAnonymity, Schema
    >>> from hedgerow.release import pipeline
    >>> people = pa.table({"a": ["x", "y"], "b": ["x", "y"]})
    >>> requirements = [KAnonymity(1), KAnonymity(1, shield=["b"]), KAnonymity(2, shield=["b"])]
    >>> counts = pipeline.prepare(people, Schema(quasi=["a", "b"]), requirements, random_state=0).counts
    >>> {shield: len(group) for shield, group in by_shield(counts, requirements).items()}
    {(0, 1): 1, (1,): 2}
    """
    groups: dict[tuple[int, ...], list[Requirement]] = {}
    for requirement in requirements:
        groups.setdefault(shield_of(requirement, counts.quasi), []).append(requirement)
    return groups


def shield_elements(
    counts: FrequencyTable, shield: Sequence[int], sensitive: Sequence[str]
) -> tuple[Ints, Ints, Longs]:
    """Return the codes, sensitive values and records of each distinct combination of a shield's codes and values."""
    if not sensitive and len(shield) == len(counts.quasi):
        return counts.tuples.copy(), np.empty((len(counts.tuples), 0), dtype=np.int32), counts.tuple_sizes.copy()
    rows = slice(None) if not sensitive else counts.cell_tuple
    sizes = counts.tuple_sizes if not sensitive else counts.cell_sizes
    names = [*(counts.quasi[at] for at in shield), *sensitive]
    columns = [
        *(np.ascontiguousarray(counts.tuples[:, at][rows]) for at in shield),
        *(counts.values_of(name) for name in sensitive),
    ]
    distinct, index = tabulate(columns, [counts.domains[name].size for name in names], len(sizes))
    records = np.bincount(index, sizes, len(distinct)).astype(np.int64)
    codes = np.ascontiguousarray(distinct[:, : len(shield)])
    return codes, np.ascontiguousarray(distinct[:, len(shield) :]), records


class ShieldClasses:
    """The classes of one shield.

    Parameters
    ----------
    counts : FrequencyTable
    shield : tuple of int
        The positions of its quasi-identifiers.
    requirements : sequence of Requirement
        The requirements on the shield.
    number : int
        The number of the shield, for ``candidates.refused``.
    candidates : Candidates
        The possible specializations, which all shields share.

    Attributes
    ----------
    weight : int
        The number of requirements on the shield.
    smallest_class : int
        The records of its smallest class.
    smallest_after : int array (candidates,)
        The records of its smallest class after each candidate; possibly more if that is not below ``smallest_class``.
    """

    def __init__(
        self,
        counts: FrequencyTable,
        shield: tuple[int, ...],
        requirements: Sequence[Requirement],
        number: int,
        candidates: _kernels.Candidates,
    ) -> None:
        context, self._packed = bind(counts, requirements)
        self.shield, self.weight, self._candidates = shield, len(requirements), candidates
        codes, values, sizes = shield_elements(counts, shield, [column.domain.name for column in context.columns])
        values += context.offsets[:-1].astype(np.int32)
        length = len(sizes)
        self._elements = _kernels.Elements(
            columns=np.array(shield, dtype=np.int64),
            codes=codes,
            values=values,
            sizes=sizes,
            first=np.zeros(length, dtype=np.int64),
            last=np.full(length, length, dtype=np.int64),
            records=np.full(length, counts.rows, dtype=np.int64),
            parts=np.zeros((length, len(shield)), dtype=np.int32),
            other_codes=np.empty_like(codes),
            other_values=np.empty_like(values),
            other_sizes=np.empty_like(sizes),
            listing=np.empty(length, dtype=np.int64),
            changed=np.zeros(length, dtype=np.int64),
            histograms=np.zeros((3, int(context.offsets[-1])), dtype=np.int64),
            smallest=np.full(len(candidates.allowed), np.iinfo(np.int64).max),
            least=self._packed.minimal_size,
            number=number,
        )
        self.classes = 1
        self.smallest_class = counts.rows
        self.smallest_after = self._elements.smallest
        if not self._holds_as_one(counts.rows):
            raise Infeasible(
                f"The table cannot meet {' and '.join(map(str, requirements))}: even with every quasi-identifier fully "
                f"generalized, all {counts.rows:,} records as one class do not. Lower the requirement."
            )
        self._judge(1)

    def _holds_as_one(self, rows: int) -> bool:
        """Whether one class of all records keeps the requirements."""
        if self._packed.formulas is None:
            return rows >= self._packed.minimal_size
        from hedgerow.requirements.formulas import all_hold

        values, weights = self._elements.values, np.repeat(self._elements.sizes, self._elements.values.shape[1])
        histogram = np.bincount(values.ravel(), weights, self._elements.histograms.shape[1])
        return all_hold(self._packed, rows, histogram.astype(np.int64))

    def divide(self, column: int, split: _kernels.Split) -> None:
        """Apply a specialization to the classes, and judge which specializations may follow."""
        if column not in self.shield:
            return
        at = self.shield.index(column)
        self.classes, changed = _kernels.divide(self._elements, self.classes, at, split, self._candidates)
        if changed:
            records = self._elements.records[self._elements.changed[:changed]]
            self.smallest_class = min(self.smallest_class, int(records.min()))
            self._judge(changed)

    def _judge(self, changed: int) -> None:
        disclose = bool(self._candidates.discloses.any()) or None
        judge(self._elements, self._candidates, self._packed.formulas, disclose, changed)
