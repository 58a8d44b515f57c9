"""The rows of a table beside an earlier release: which are records of it, and in which strata they are.

If a column identifies people, a person who has one row in each table is one record, whatever has changed; of people
with several rows, those with the same quasi-identifiers are. Without such a column, records are rows that agree in all
columns: a row that changed counts as one that left and one that joined.

A record that left may have a *stand-in*: a record that joined, with the same values in clear. Nobody who sees both
releases can tell the two rows from a row that stayed, and so they count as one record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.io.domains import Domain
from hedgerow.requirements import Context, Histograms, Requirement, SensitiveColumn
from hedgerow.risk._traced import TracedRelease, coded_column, starts_of
from hedgerow.risk.joining import same_values
from hedgerow.verifier import OneRelease
from hedgerow.verifier.classes import Labels, distinct, numbers_of

__all__ = ["Beside", "Strata", "beside", "strata_of"]


# --------------------------------------------------------------------------------------------------
# Which rows of two tables are one record.


@dataclass(frozen=True, eq=False)
class Beside:
    """The rows of a table beside those of the table of an earlier release.

    Attributes
    ----------
    earlier : TracedRelease
    cell : int array (old rows,)
        The published cell of each row of the earlier table; -1 if it was left out.
    partner : int array (new rows,)
        The row of the earlier table that is the same record, and was published; -1 if there is none.
    clear : (int array, int array)
        Equal numbers for rows that agree in all columns that both releases publish in clear.
    places : (float array, float array)
        Where the quasi-identifiers of the rows are, to compare how near rows are to each other.
    people : (int array, int array), optional
        The person of each row, if people are counted.
    """

    earlier: TracedRelease
    cell: Longs
    partner: Longs
    clear: tuple[Longs, Longs]
    places: tuple[Floats, Floats]
    people: tuple[Longs, Longs] | None

    @property
    def class_of_row(self) -> Longs:
        """The class of each row of the earlier table; -1 if it was left out."""
        return np.append(self.earlier.counts.class_of_cell, -1)[self.cell]

    def releases(
        self, table: nw.DataFrame[Any], rows: Longs, partner: Longs, **described: Any
    ) -> tuple[OneRelease, OneRelease]:
        """Both releases, as the verifier needs them.

        Parameters
        ----------
        table : dataframe
            The published rows of the new release.
        rows : int array (published rows,)
            The row of the new table that each of these is.
        partner : int array (new rows,)
            The row of the earlier table that counts as the same record; -1 if there is none.
        described
            The quasi-identifiers and whatever else describes the new release.
        """
        kept = np.flatnonzero(self.cell >= 0)
        number = np.full(len(self.cell) + 1, -1, dtype=np.int64)
        number[kept] = np.arange(len(kept))
        with_old = number[partner[rows]]
        with_new = np.full(len(kept), -1, dtype=np.int64)
        with_new[with_old[with_old >= 0]] = np.flatnonzero(with_old >= 0)
        counts = self.earlier.counts
        people = (None, None) if self.people is None else (self.people[0][kept], self.people[1][rows])
        old = OneRelease(
            nw.from_native(self._published(kept), eager_only=True),
            counts.columns,
            with_new,
            self.clear[0][kept],
            people[0],
            determined=self.earlier.determined,
        )
        return old, OneRelease(table, partner=with_old, clear=self.clear[1][rows], people=people[1], **described)

    def _published(self, kept: Longs) -> pa.Table:
        """The rows of the earlier release, in the order of its original table."""
        counts, cells = self.earlier.counts, self.cell[kept]
        codes = counts.codes[counts.class_of_cell[cells]]
        quasi = zip(counts.columns, counts.labels, codes.T, strict=True)
        columns = {name: labels[of_row] for name, labels, of_row in quasi}
        columns |= {name: one.labels[one.codes[cells]] for name, one in counts.cells.sensitive.items()}
        return pa.table({name: pa.array(texts.tolist(), pa.large_string()) for name, texts in columns.items()})


def beside(
    earlier: TracedRelease,
    new: pa.Table,
    *,
    quasi: Sequence[str],
    clear: Sequence[str],
    missing: Sequence[str],
    entity: str | None,
) -> Beside:
    """Find the records that are in a table and in the table of an earlier release.

    Parameters
    ----------
    earlier : TracedRelease
    new : pyarrow.Table
    quasi : sequence of str
        The quasi-identifiers of the new release.
    clear : sequence of str
        The columns that it publishes in clear.
    missing : sequence of str
        Texts that mean "no value" in the new table.
    entity : str, optional
        The column that identifies the person.
    """
    old = earlier.original
    cell = earlier.cells

    def together(name: str) -> _Column:
        sides = coded_column(name, old[name], earlier.missing), coded_column(name, new[name], missing)
        codes = same_values(sides[0][1], sides[1][1])
        where = _along(sides[0][1], sides[1][1])
        return _Column(codes[0][sides[0][0]], codes[1][sides[1][0]], where[0][sides[0][0]], where[1][sides[1][0]])

    both = [name for name in new.column_names if name in old.column_names]
    known = [name for name in both if name in {*quasi, *earlier.counts.columns}]
    quasi_codes = [together(name) for name in known]
    shown = [together(name) for name in both if name in clear and name in earlier.clear]
    same_quasi = _numbered([one.codes for one in quasi_codes], old.num_rows, new.num_rows)
    same_clear = _numbered([one.codes for one in shown], old.num_rows, new.num_rows)
    people = None
    ways: list[list[tuple[Longs, Longs]]] = [[same_quasi, same_clear]]
    if entity is not None:
        people = together(entity).codes
        named = _named(people, (old[entity], earlier.missing), (new[entity], missing))
        ways = [[people, same_quasi, same_clear], [named, same_quasi]]
        if all(np.unique(side, return_counts=True)[1].max() == 1 for side in named):
            ways.append([named])
    partner = _partners(ways, cell >= 0, new.num_rows)
    # A record that the earlier release left out is new to whoever sees it.
    partner[(partner >= 0) & (cell[partner] < 0)] = -1
    before = np.stack([one.old_place for one in quasi_codes], axis=1)
    after = np.stack([one.new_place for one in quasi_codes], axis=1)
    return Beside(earlier, cell, partner, same_clear, (before, after), people)


def _named(people: tuple[Longs, Longs], *columns: tuple[pa.ChunkedArray, Sequence[str]]) -> tuple[Longs, Longs]:
    """The person of each row, where a row that names no person has another one than all others."""
    beyond = max(int(side.max(initial=0)) for side in people) + 1
    named = []
    for side, (values, missing) in zip(people, columns, strict=True):
        codes, labels = coded_column("", values, missing)
        nobody = np.array([label is None for label in labels], dtype=bool)[codes]
        named.append(np.where(nobody, beyond + np.arange(len(side)), side))
        beyond += len(side)
    return named[0], named[1]


class _Column(NamedTuple):
    """A column of two tables: equal codes for equal values, and where the values are."""

    old: Longs
    new: Longs
    old_place: Floats
    new_place: Floats

    @property
    def codes(self) -> tuple[Longs, Longs]:
        return self.old, self.new


def _numbered(columns: Sequence[tuple[Longs, Longs]], old: int, new: int) -> tuple[Longs, Longs]:
    """Equal numbers for rows of two tables that agree in all columns."""
    codes = [np.zeros(old + new, dtype=np.int64), *(np.concatenate(sides) for sides in columns)]
    number, _ = distinct([(code, int(code.max(initial=0)) + 1) for code in codes])
    return number[:old], number[old:]


def _along(old: Labels, new: Labels) -> tuple[Floats, Floats]:
    """Numbers as their ranks from 0 to 1; other values as numbers more than 1 apart."""
    texts = [text for text in (*old, *new) if text is not None]
    numbers = numbers_of(texts)
    if numbers is None:
        codes = same_values(old, new)
        return 2 * codes[0].astype(np.float64), 2 * codes[1].astype(np.float64)
    ranks = np.unique(np.array(numbers, dtype=np.float64))
    of_text = {text: float(np.searchsorted(ranks, number)) for text, number in zip(texts, numbers, strict=True)}
    most = max(1, len(ranks) - 1)
    sides = [
        np.array([2 if text is None else of_text[text] / most for text in side], dtype=np.float64)
        for side in (old, new)
    ]
    return sides[0], sides[1]


def _partners(ways: Sequence[Sequence[tuple[Longs, Longs]]], published: Bools, rows: int) -> Longs:
    """Pair rows that agree, by the first way in which they do; published rows of the old table first."""
    partner = np.full(rows, -1, dtype=np.int64)
    free = np.ones(len(published), dtype=bool)
    for way in ways:
        old, new = np.flatnonzero(free), np.flatnonzero(partner < 0)
        key = _numbered([(one[old], other[new]) for one, other in way], len(old), len(new))
        old = old[np.lexsort((~published[old], key[0]))]
        ordered = np.sort(key[0]), key[1][np.argsort(key[1], kind="stable")]
        new = new[np.argsort(key[1], kind="stable")]
        # The first of a kind with the first, the second with the second.
        first, second = (codes * (rows + len(published) + 1) + _nth(codes) for codes in ordered)
        _, at_old, at_new = np.intersect1d(first, second, assume_unique=True, return_indices=True)
        partner[new[at_new]] = old[at_old]
        free[old[at_old]] = False
    return partner


def _nth(sorted_codes: Longs) -> Longs:
    """How many equal codes stand before each.

    >>> _nth(np.array([2, 2, 2, 5])).tolist()
    [0, 1, 2, 0]
    """
    starts = starts_of(sorted_codes)
    lengths = np.diff(np.append(starts, len(sorted_codes)))
    return np.arange(len(sorted_codes)) - np.repeat(starts, lengths)


# --------------------------------------------------------------------------------------------------
# The strata of a table: the records of one class of the earlier release, and those that are new.


@dataclass(frozen=True, eq=False)
class Strata:
    """The strata of the rows of a table. A group of the new release has rows of one stratum only.

    Attributes
    ----------
    of_row : int array (rows,)
        Stratum 0 has the rows that are new; each other stratum has those of one class of the earlier release.
    partner : int array (rows,)
        The row of the earlier table that counts as the same record, its stand-in included; -1 if there is none.
    out : bool array (strata,)
        The strata that must not be published: too few of their class would remain.
    lonely : bool array (strata,)
        Those of which some group must not be published, because too few records of their class left.
    undivided : bool array (strata,)
        Those that must stay one group, because values have changed, or somebody stands in for somebody else.
    """

    of_row: Longs
    partner: Longs
    out: Bools
    lonely: Bools
    undivided: Bools


def strata_of(found: Beside, requirements: Sequence[Requirement], *, coded: bool) -> Strata:
    """Divide the rows of a table into strata, and find those that cannot be published.

    Parameters
    ----------
    found : Beside
    requirements : sequence of Requirement
        Every class of both releases together must meet them.
    coded : bool
        Whether a release publishes values in clear in another form than its table has them.
    """
    partner = found.partner.copy()
    of_old, number = found.class_of_row, len(found.earlier.counts.codes)
    stayed = np.zeros(len(of_old), dtype=bool)
    stayed[partner[partner >= 0]] = True
    left = np.flatnonzero((of_old >= 0) & ~stayed)
    some_left = np.bincount(of_old[left], minlength=number) > 0
    lonely = some_left & ~_hold(found, left, requirements, number, alone=True)
    _stand_in(found, partner, left, lonely)
    kept = np.flatnonzero(partner >= 0)
    some_stay = np.bincount(of_old[partner[kept]], minlength=number) > 0
    out = some_left & some_stay & ~_hold(found, partner[kept], requirements, number, alone=False)
    new_clear, old_clear = found.clear[1][kept], found.clear[0][partner[kept]]
    # A stand-in is somebody else: the people of both sides of a part need not be equally many.
    differs = (new_clear != old_clear) | (found.partner[kept] < 0)
    changed = np.bincount(of_old[partner[kept]], differs, number) > 0
    of_row = np.where(partner >= 0, of_old[partner] + 1, 0)
    first = np.zeros(1, dtype=bool)
    return Strata(
        of_row,
        partner,
        np.append(first, out),
        np.append(first, lonely & some_stay),
        np.append(first, changed | coded),
    )


def _hold(found: Beside, rows: Longs, requirements: Sequence[Requirement], number: int, *, alone: bool) -> Bools:
    """Whether some rows of each class of the earlier release meet the requirements by themselves.

    Requirements that compare classes with the whole release do not hold for those who are left ``alone``.
    """
    classes = found.class_of_row[rows]
    people = rows if found.people is None else found.people[0][rows]
    reach = int(people.max(initial=0)) + 1
    holds = np.ones(number, dtype=bool)
    for one in requirements:
        if one.compares:
            holds &= not alone
            continue
        codes, size, context = np.zeros(len(rows), dtype=np.int64), 1, Context((), len(rows))
        if one.column is not None:
            held = found.earlier.counts.cells.sensitive.get(one.column)
            if held is None:
                continue
            codes, size = held.codes[found.cell[rows]].astype(np.int64), len(held.labels)
            context = Context((_sensitive(one.column, held.labels, codes),), len(rows))
        _, once = distinct([(classes, number), (people, reach)])
        sizes = np.bincount(classes[once], minlength=number).astype(np.int64)
        _, once = distinct([(classes, number), (codes, size), (people, reach)])
        pairs, times = np.unique(classes[once] * size + codes[once], return_counts=True)
        starts = np.searchsorted(pairs // size, np.arange(number + 1)).astype(np.int64)
        holds &= one.bind(context).satisfied(sizes, Histograms(starts, pairs % size, times.astype(np.int64)))
    return holds


def _sensitive(name: str, labels: Labels, codes: Longs) -> SensitiveColumn:
    texts = [text for text in labels if text is not None]
    domain = Domain(name, "text", np.array(texts, dtype=np.str_), has_missing=len(texts) < len(labels))
    return SensitiveColumn(domain, np.bincount(codes, minlength=len(labels)).astype(np.int64))


def _stand_in(found: Beside, partner: Longs, left: Longs, lonely: Bools) -> None:
    """Find stand-ins for those who left a class in too small a number; all of a class, or none of it.

    ``partner`` and ``lonely`` are changed. The classes that fewest left come first.
    """
    of_old = found.class_of_row[left]
    joined = np.flatnonzero(partner < 0)
    joined = joined[np.argsort(found.clear[1][joined], kind="stable")]
    values = found.clear[1][joined]
    free = np.ones(len(joined), dtype=bool)
    number = np.bincount(of_old[lonely[of_old]], minlength=len(lonely))
    wanted = np.flatnonzero(lonely)
    by_class = np.argsort(of_old, kind="stable")
    starts = np.searchsorted(of_old[by_class], np.arange(len(lonely) + 1))
    for one in wanted[np.argsort(number[wanted], kind="stable")].tolist():
        rows, chosen = left[by_class[starts[one] : starts[one + 1]]], []
        for row in rows.tolist():
            low, high = np.searchsorted(values, [found.clear[0][row], found.clear[0][row] + 1])
            possible = low + np.flatnonzero(free[low:high])
            if not len(possible):
                break
            far = np.minimum(np.abs(found.places[1][joined[possible]] - found.places[0][row]), 1.0).sum(axis=1)
            chosen.append(int(possible[np.argmin(far)]))
            free[chosen[-1]] = False
        if len(chosen) == len(rows):
            partner[joined[chosen]] = rows
            lonely[one] = False
        else:
            free[chosen] = True
