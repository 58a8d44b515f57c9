"""A release as an attacker sees it who tries all tables that could have been.

He knows the published table, the proportions, which values may occur in each column, that every named value does, and
how bins, ends and the marginal are to be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import pyarrow as pa

import hedgerow as hr
from hedgerow.core.cells import Interval, ValueSet, read
from hedgerow.core.proportions import ColumnProportions, Proportions
from hedgerow.core.recoding import PublishedColumn
from hedgerow.io.frames import open_frame
from hedgerow.io.values import number_text

__all__ = ["QUASI", "Counts", "Sums", "View", "World", "added"]

QUASI = ["age", "sex", "town"]
UNIVERSE: list[list[Any]] = [[20, 21, 22, 23], ["F", "M"], ["Bern", "Rome", "Ulm"]]
"""What a person may be, whether somebody is or not."""

Counts = tuple[int, ...]
World = tuple[Counts, ...]
"""How many people of a class hold each value, column by column."""
Sums = tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """What a class publishes in a column."""

    kind: str
    text: str | None
    covered: tuple[int, ...]
    statistic: str

    def allows(self, counts: Counts, values: list[Any], *, computed: bool) -> bool:
        """Whether so many of each value agree with the cell; ``computed`` if the attacker also works out numbers."""
        if self.kind == "number" and not computed:
            return True
        if self.kind == "number":
            held = [value for value, number in zip(values, counts, strict=True) for _ in range(number)]
            # Of a mean, one digit more than the ages have; of two in the middle, the lower.
            number = round(sum(held) / len(held), 1) if self.statistic == "mean" else held[(len(held) - 1) // 2]
            return self.text == number_text(number)
        if any(number and code not in self.covered for code, number in enumerate(counts)):
            return False
        occurring = {"set": self.covered, "interval": (self.covered[0], self.covered[-1])}.get(self.kind, ())
        return all(counts[code] for code in occurring)


@dataclass(frozen=True)
class Bin:
    """So many people in some pools; those at both ends occur."""

    pools: tuple[int, ...]
    ends: tuple[int, ...]
    people: int

    def allows(self, by_pool: Counts) -> bool:
        return sum(by_pool[pool] for pool in self.pools) == self.people and all(by_pool[end] for end in self.ends)


class View:
    """A release as an attacker sees it."""

    def __init__(self, table: pa.Table, release: hr.Release, values: list[list[Any]] | None = None) -> None:
        """Without ``values``, those that occur are known, too."""
        assert release.proportions is not None
        self.statistic = str(release.facts["parameters"].get("numbers"))
        self.told: Proportions = release.proportions
        self.values = [sorted(set(table[name].to_pylist())) for name in QUASI] if values is None else values
        self.pool_of = [
            [column.pools.of(str(value), column.kind) for value in values]
            for column, values in zip(self.told.columns, self.values, strict=True)
        ]
        rows = {row["row"]: row for row in table.to_pylist()}
        frame = open_frame(release.table).frame
        of_row = self.told.classes_of(frame).tolist()
        members: list[list[dict[str, Any]]] = [[] for _ in self.told.sizes]
        for at, row in zip(of_row, release.table["row"].to_pylist(), strict=True):
            members[at].append(rows[row])
        self.truth = [self._world(people) for people in members]
        self.cells = [
            [
                self._cell(release.recoding.columns[at], column.texts[column.published[one]], self.values[at])
                for at, column in self._columns
            ]
            for one in range(len(members))
        ]

    @property
    def _columns(self) -> list[tuple[int, ColumnProportions]]:
        return list(enumerate(self.told.columns))

    def _world(self, people: list[dict[str, Any]]) -> World:
        counted = [Counter(person[name] for person in people) for name in QUASI]
        return tuple(tuple(one[value] for value in values) for one, values in zip(counted, self.values, strict=True))

    def _cell(self, column: PublishedColumn, text: str | None, values: list[Any]) -> Cell:
        said = read(text, column.domain.kind)
        kind = column.kinds[column.texts.index(text)]
        if isinstance(said, Interval):
            covered = [code for code, value in enumerate(values) if value in said]
            held = column.domain.values[column.covered.codes(column.texts.index(text))]
            # Both ends of the interval are held, which is not the last number before its end.
            covered = [code for code in covered if values[code] <= held.max()] if kind == "interval" else covered
        elif isinstance(said, ValueSet) and kind not in ("number", "suppressed"):
            covered = [code for code, value in enumerate(values) if str(value) in said.members]
        else:
            covered = list(range(len(values)))
        return Cell(kind, text, tuple(covered), self.statistic)

    def by_pool(self, at: int, counts: Counts) -> Counts:
        sums = [0] * len(self.told.columns[at].pools)
        for pool, number in zip(self.pool_of[at], counts, strict=True):
            if pool >= 0:
                sums[pool] += number
        return tuple(sums)

    def bins(self, one: int, at: int) -> list[Bin]:
        column = self.told.columns[at]
        places = range(int(column.starts[one]), int(column.starts[one + 1]))
        own = {int(column.first[place]) for place in places if column.own[place]}
        several = [sum(number > 0 for number in counts) > 1 for counts in self.truth[one]]
        # Of so few, or of a mean, nothing is told, and ends mean nothing.
        fewest = 5 if self.cells[one][at].kind == "interval" else 3
        told = self.told.sizes[one] >= fewest and not (self.cells[one][at].kind == "number" and sum(several) == 1)
        found = []
        for place in places:
            first, last = int(column.first[place]), int(column.last[place])
            pools = [pool for pool in range(first, last + 1) if column.own[place] or pool not in own]
            ends = (first, last) if told else ()
            found.append(Bin(tuple(pools), ends, int(column.records[place])))
        return found

    def worlds(self, one: int, *, with_bins: bool) -> list[World]:
        """All ways to fill the columns of a class that agree with its cells, and with its bins."""
        size = int(self.told.sizes[one])
        # To who knows the values that occur, the mean of a few whole numbers tells them, whatever else is told.
        computed = with_bins or self.statistic == "mean"
        columns = []
        for at, values in enumerate(self.values):
            cell = self.cells[one][at]
            # What only a median tells is laid at the proportions' door.
            ways = [c for c in _divided(size, len(values)) if cell.allows(c, values, computed=computed)]
            if with_bins:
                bins = self.bins(one, at)
                # Exact proportions have no pool for what does not occur.
                never = [code for code, pool in enumerate(self.pool_of[at]) if pool < 0]
                ways = [c for c in ways if not any(c[code] for code in never)]
                ways = [c for c in ways if all(each.allows(self.by_pool(at, c)) for each in bins)]
            columns.append(ways)
        return list(product(*columns))

    def contribution(self, one: int, world: World) -> Sums:
        """What a class adds to the marginals: nothing of its only open column, but for bins that are one pool."""
        several = [sum(number > 0 for number in counts) > 1 for counts in world]
        added: list[int] = []
        for at, counts in enumerate(world):
            if (several[at] and sum(several) == 1) or sum(counts) < (
                5 if self.cells[one][at].kind == "interval" else 3
            ):
                sums = [0] * len(self.told.columns[at].pools)
                for each in self.bins(one, at):
                    if len(each.pools) == 1:
                        sums[each.pools[0]] += each.people
                added += sums
            else:
                added += self.by_pool(at, counts)
        return tuple(added)

    def named(self, world: World) -> Sums:
        """How many people of a class hold each value that a pool names."""
        added: list[int] = []
        for at, column in self._columns:
            pools = self.pool_of[at]
            added += [number if column.pools.alone[pool] else 0 for pool, number in zip(pools, world[at], strict=True)]
        return tuple(added)

    def agrees(self, sums: Sums) -> bool:
        """Whether the marginals, rounded to the support, are those that are published, and named values are held."""
        least = self.told.min_support
        published = [int(number) for column in self.told.columns for number in column.marginal]
        # Half of the support says only that they are fewer than that.
        fits = all(
            total < least if said < least else max(round(total / least), 1) * least == said
            for total, said in zip(sums[: len(published)], published, strict=True)
        )
        held = sums[len(published) :]
        if not held:
            return fits
        named = [
            pool >= 0 and bool(column.pools.alone[pool]) for at, column in self._columns for pool in self.pool_of[at]
        ]
        return fits and all(number >= least for number, name in zip(held, named, strict=True) if name)


def _divided(size: int, parts: int) -> Iterator[Counts]:
    if parts == 1:
        yield (size,)
        return
    for first in range(size + 1):
        for rest in _divided(size - first, parts - 1):
            yield (first, *rest)


def added(some: set[Sums], others: set[Sums]) -> set[Sums]:
    return {tuple(a + b for a, b in zip(one, other, strict=True)) for one in some for other in others}
