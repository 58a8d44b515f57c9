"""A new release beside an earlier one, for every method: no group has records of two strata.

The records of a class of the earlier release that are still in the table are a stratum, and so are all records that are
new (:mod:`hedgerow.risk.earlier`). Each stratum is fitted by itself, as if it were a table of its own. Then the people
who are in an old class and in a new class are all people of the new class, and meet the requirements as it does.

A stratum that does not meet the requirements by itself is left out, within the suppression limit: too few of its class
have stayed, or too few are new, and these wait for a later release. Where too few have left a class, some who stayed
are left out with them, so that nobody knows which of these left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.anonymizers.budget import Reduced
from hedgerow.anonymizers.limits import concatenated, dividing_columns, top_of_codes
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, Recoding, Shown, publish_groups
from hedgerow.errors import Infeasible, plural, required
from hedgerow.io.domains import STRATUM
from hedgerow.requirements import Histograms, Requirement, context_of
from hedgerow.risk.earlier import Strata

__all__ = ["fit_in_strata"]

FitPart = Callable[[FrequencyTable, Sequence[Requirement]], Recoding]
"""Fits a table under requirements, without losing a record."""


def fit_in_strata(
    fit: FitPart,
    counts: FrequencyTable,
    strata: Strata,
    requirements: Sequence[Requirement],
    *,
    allowed: int,
    shown: Sequence[Shown],
    method: str,
) -> Recoding:
    """Fit a method to each stratum of a table.

    Parameters
    ----------
    fit : callable
    counts : FrequencyTable
        With the stratum of each cell.
    strata : Strata
    requirements : sequence of Requirement
    allowed : int
        How many records may be lost.
    shown : sequence of {"set", "interval", "label"}
        How columns are shown by strata that are too small to be divided.
    method : str
    """
    groups = _Groups.of(counts, strata, requirements)
    groups.divide(fit)
    groups.accompany()
    _refuse_losses(groups, allowed)
    return groups.recoding(shown, method)


@dataclass(eq=False)
class _Groups:
    """The groups of all strata, while they are made.

    Attributes
    ----------
    counts : FrequencyTable
    strata : Strata
    requirements : sequence of Requirement
    of_cell : int array (cells,)
        The stratum of each cell.
    sizes : int array (strata,)
        The records of each stratum.
    out : bool array (strata,)
        The strata that are left out.
    fitted : dict of int to (int array, Recoding, bool array)
        Per divided stratum its cells, its recoding, and which of its groups are left out.
    """

    counts: FrequencyTable
    strata: Strata
    requirements: Sequence[Requirement]
    of_cell: Ints
    sizes: Longs
    out: Bools
    fitted: dict[int, tuple[Longs, Recoding, Bools]]

    @classmethod
    def of(cls, counts: FrequencyTable, strata: Strata, requirements: Sequence[Requirement]) -> _Groups:
        """Leave out the strata that cannot be published."""
        of_cell, number = counts.values_of(STRATUM), len(strata.out)
        sizes = np.bincount(of_cell, counts.cell_sizes, number).astype(np.int64)
        groups = cls(counts, strata, requirements, of_cell, sizes, strata.out | (sizes == 0), {})
        groups.out |= strata.lonely & ~groups._divisible
        while not groups.out.all():
            failing = groups._failing() & ~groups.out
            if not failing.any():
                return groups
            groups.out |= failing
        raise Infeasible(
            "No record can be published beside the previous release: neither those who are new nor those who stayed in "
            "a class meet the requirements by themselves. Lower the requirements, or publish no second release."
        )

    @property
    def _least(self) -> int:
        return max(requirement.minimal_size for requirement in self.requirements)

    @property
    def _divisible(self) -> Bools:
        """Which strata may become several groups, of which one may be left out."""
        more = all(requirement.kept_by_more for requirement in self.requirements)
        return ~self.strata.undivided & (self.sizes >= 2 * self._least) & more

    @property
    def _remaining(self) -> FrequencyTable:
        return Reduced.of(self.counts, np.where(self.out[self.of_cell], self.counts.cell_sizes, 0)).counts

    def _failing(self) -> Bools:
        """Which strata do not meet the requirements as one group, beside those that remain."""
        remaining, number = self._remaining, len(self.out)
        of_cell, context = remaining.values_of(STRATUM), context_of(remaining, self.requirements)
        sizes = np.bincount(of_cell, remaining.cell_sizes, number).astype(np.int64)
        failing = np.zeros(number, dtype=bool)
        for one in self.requirements:
            histograms = None if one.column is None else _histograms(remaining, of_cell, one.column, number)
            failing |= ~one.bind(context).satisfied(sizes, histograms)
        for at in dividing_columns(remaining):
            tops = top_of_codes(remaining, at)[remaining.tuples[remaining.cell_tuple, at]]
            least, most = np.full(number, np.iinfo(np.int32).max), np.full(number, -1)
            np.minimum.at(least, of_cell, tops)
            np.maximum.at(most, of_cell, tops)
            failing |= (least < most) & ~np.equal(np.arange(number), 0)
        return failing

    def divide(self, fit: FitPart) -> None:
        """Fit the method to the strata that are large enough for two groups, and to the records that are new."""
        remaining = self._remaining
        whole = {name: remaining.histogram(name) for name in remaining.cell_columns}
        may = (self.sizes >= 2 * self._least) & ~self.strata.undivided & ~self.out
        may[0] = not self.out[0]
        for one in np.flatnonzero(may).tolist():
            part = Reduced.of(self.counts, np.where(self.of_cell == one, 0, self.counts.cell_sizes))
            with suppress(Infeasible):
                recoding = fit(replace(part.counts, whole=whole), self.requirements)
                if recoding.weak is None and not recoding.lost:
                    self.fitted[one] = part.cells, recoding, np.zeros(len(recoding.groups), dtype=bool)
        if 0 not in self.fitted and not self.out[0] and dividing_columns(self.counts):
            # As one group it may cross the limits on levels.
            self.out[0] = True

    def accompany(self) -> None:
        """Leave out the smallest group of each stratum whose class too few have left, or the whole stratum."""
        for one in np.flatnonzero(self.strata.lonely & ~self.out).tolist():
            fitted = self.fitted.get(one)
            if fitted is None or len(fitted[1].groups) == 1:
                self.out[one] = True
                continue
            _, recoding, lost = fitted
            lost[np.argmin(recoding.sizes)] = True

    @property
    def lost(self) -> Longs:
        """The records of each stratum that are left out."""
        lost = np.where(self.out, self.sizes, 0)
        for one, (_, recoding, gone) in self.fitted.items():
            if not self.out[one]:
                lost[one] = recoding.sizes[gone].sum()
        return lost

    def recoding(self, shown: Sequence[Shown], method: str) -> Recoding:
        """All groups with their records, and what they publish."""
        single = ~self.out
        single[list(self.fitted)] = False
        number = np.full(len(single), -1, dtype=np.int32)
        number[single] = np.arange(int(single.sum()), dtype=np.int32)
        undivided = number[self.of_cell]
        divided = np.isin(self.of_cell, [one for one in self.fitted if not self.out[one]])
        cells, groups, sizes = _as_pieces(np.flatnonzero(~divided), undivided, self.counts)
        count = int(single.sum())
        published = []
        if count:
            published.append(publish_groups(self.counts, Pieces(cells, groups, sizes), count, shown))
        parts = [(cells, groups, sizes)]
        for one, (of_part, recoding, gone) in sorted(self.fitted.items()):
            if self.out[one]:
                continue
            pieces = required(recoding.pieces, "the pieces of a recoding")
            new = np.where(gone, -1, count + np.cumsum(~gone) - 1).astype(np.int32)
            parts.append((of_part[pieces.cell].astype(np.int32), new[pieces.group], pieces.size))
            published.append((recoding.columns, recoding.groups[~gone]))
            count += int((~gone).sum())
        pieces = Pieces.gathered(
            *(np.concatenate([part[at] for part in parts]).astype(kind) for at, kind in enumerate(("i4", "i4", "i8")))
        )
        columns = [[own[at] for own, _ in published] for at in range(len(self.counts.quasi))]
        before = np.cumsum([[0] * len(columns), *([len(own) for own in one] for one, _ in published)], axis=0)
        values = [of_group + offset for (_, of_group), offset in zip(published, before[:-1], strict=True)]
        recodings = [recoding for _, recoding, _ in self.fitted.values()]
        return Recoding(
            method=method,
            quasi=self.counts.quasi,
            columns=tuple(concatenated(column) for column in columns),
            groups=np.concatenate(values).astype(np.int32),
            sizes=pieces.sizes(count),
            pieces=pieces,
            warnings=tuple(dict.fromkeys(warning for one in recodings for warning in one.warnings)),
        )


def _histograms(counts: FrequencyTable, of_cell: Ints, column: str, number: int) -> Histograms:
    """The values of a column in each stratum."""
    size = counts.domains[column].size
    pairs, pair = np.unique(of_cell.astype(np.int64) * size + counts.values_of(column), return_inverse=True)
    records = np.bincount(pair, counts.cell_sizes).astype(np.int64)
    return Histograms(np.searchsorted(pairs // size, np.arange(number + 1)).astype(np.int64), pairs % size, records)


def _as_pieces(cells: Longs, group_of_cell: Ints, counts: FrequencyTable) -> tuple[Ints, Ints, Longs]:
    return cells.astype(np.int32), group_of_cell[cells], counts.cell_sizes[cells]


def _refuse_losses(groups: _Groups, allowed: int) -> None:
    """Refuse a release that would leave out more records than may be lost, and say why it would."""
    lost, stayed = groups.lost, groups.strata.lonely
    total = int(lost.sum())
    if total <= allowed:
        return
    beside, new = int(lost[stayed].sum()), int(lost[0])
    others = total - beside - new
    reasons = [
        f"{plural(new, 'records')} that are new, but too few or too alike to be a class of their own",
        f"{plural(beside, 'records')} of classes of the previous release that too few people left",
        f"{plural(others, 'records')} of classes of which too few stayed",
    ]
    named = "; ".join(reason for reason, number in zip(reasons, (new, beside, others), strict=True) if number)
    raise Infeasible(
        f"Together with the previous release, {plural(total, 'records')} would have to be left out, and "
        f"{plural(allowed, 'records')} may be lost: {named}. Let more records be lost (suppression_limit=, "
        "--suppression-limit), lower the requirements, or publish again when more people have joined and left."
    )
