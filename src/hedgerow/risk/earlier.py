"""The rows of a table beside an earlier release: which are records of it, and in which of its classes.

Two things are private and must be found. First, the row of the earlier release that each row of its original table
became: a class whose cells cover the quasi-identifiers, with the same values in clear. Where several are possible, any
choice that uses every published row once is as good as the true one, because nobody who sees the release can tell them
apart. It is a flow from the original rows to the published ones.

Second, which rows of the two original tables are one record. If a column identifies people, a person who has one row in
each table is one record, whatever has changed; of people with several rows, those with the same quasi-identifiers are.
Without such a column, records are rows that agree in all columns: a row that changed counts as one that left and one
that joined.

A record that left may have a *stand-in*: a record that joined, with the same values in clear. Nobody who sees both
releases can tell the two rows from a row that stayed, and so they count as one record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Bools, Floats, Longs, ranges
from hedgerow.core.cells import Leaves
from hedgerow.engines import coded_values
from hedgerow.errors import BadInput, listing
from hedgerow.io.domains import Domain
from hedgerow.requirements import Context, Histograms, Requirement, SensitiveColumn
from hedgerow.risk._inputs import labels_of
from hedgerow.risk.joining import same_values, side_of
from hedgerow.risk.previous import place_tuples
from hedgerow.verifier import ClassCounts, OneRelease
from hedgerow.verifier.classes import Cells, Encoded, Labels, distinct, numbers_of, text_of

__all__ = ["Beside", "EarlierRelease", "Strata", "beside", "strata_of"]

_OTHERS: Final = "\0others"
"""Stands for all values in clear that are published in another form than they have in the table."""


@dataclass(frozen=True, eq=False)
class EarlierRelease:
    """A release that was published before, with the table that it was made from.

    Attributes
    ----------
    counts : ClassCounts
        Its classes, with all columns in clear counted as sensitive.
    original : pyarrow.Table
        The rows that it was made from.
    clear : tuple of str
        The columns that it publishes in clear, and that its original table has.
    coded : bool
        Whether some of these columns may hold other values than the table: rounded, generalized or pooled ones.
    hierarchies : mapping of column to hierarchy
        Those that explain the labels of its cells.
    listed : mapping of column to labels
        The values that labels stand for, as its recoding lists them.
    missing : tuple of str
        Texts that mean "no value".
    determined : mapping of column to tuple of str
    known : int array (rows,), optional
        The class of each original row as the recoding has it: -1 if that is not known, -2 if the row was left out.
    """

    counts: ClassCounts
    original: pa.Table
    clear: tuple[str, ...]
    coded: bool
    hierarchies: Mapping[str, Any]
    listed: Mapping[str, Leaves]
    missing: tuple[str, ...]
    determined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    known: Longs | None = None

    def cells_of_rows(self) -> Longs:
        """The published cell of each original row, of ``counts.cells``; -1 for rows that were left out."""
        original = self._tuples()
        rows = np.bincount(original.class_of_cell, minlength=len(original.codes)).astype(np.int64)
        below = dict(zip(original.columns, labels_of(self.hierarchies, original), strict=True))
        below = {name: {**labels, **self.listed.get(name, {})} for name, labels in below.items()}
        fits, unread = place_tuples(side_of(self.counts), original, rows, below, averaged=False)
        if unread:
            raise BadInput(
                f"Labels of {listing(sorted(unread))} in the previous release are not explained. Name their "
                "hierarchies (--hierarchy), or the recoding of that release (previous_recoding=, --previous-recoding)."
            )
        unknown = np.full(self.original.num_rows, -1, dtype=np.int64)
        for known in (unknown,) if self.known is None else (self.known, unknown):
            for clear in (self.clear, ()) if self.coded else (self.clear,):
                values, published = self._in_clear(clear)
                cells = _dealt(_Fitting(fits.fits, original.class_of_cell, known), values, self.counts, published)
                if cells is not None:
                    return cells
        raise BadInput(
            "The previous release was not made from the table that is named as its original, or its labels need their "
            "hierarchies: some of its rows fit no row of that table. Name the table that it was made from "
            "(previous_original=, --previous-original) and its recoding (previous_recoding=, --previous-recoding)."
        )

    def _tuples(self) -> ClassCounts:
        """The distinct quasi-identifiers of the original rows, as classes with each row as a cell."""
        rows = self.original.num_rows
        encoded = []
        for name in self.counts.columns:
            codes, labels = _coded(name, self.original[name], self.missing)
            encoded.append(Encoded(codes.astype(np.int32), labels))
        return ClassCounts.build(self.counts.columns, encoded, Cells(np.ones(rows, dtype=np.int64), {}), None)

    def _in_clear(self, clear: Sequence[str]) -> tuple[Longs, Longs]:
        """Equal numbers for equal values in clear: of each original row, and of each published cell."""
        rows, cells = self.original.num_rows, len(self.counts.class_of_cell)
        codes = [np.zeros(rows + cells, dtype=np.int64)]
        for name in clear:
            own, labels = _coded(name, self.original[name], self.missing)
            published = self.counts.cells.sensitive[name]
            both = labels, published.labels
            if self.coded:
                both = _without_strangers(*both)
            places = same_values(*both)
            codes.append(np.concatenate([places[0][own], places[1][published.codes]]))
        number, _ = distinct([(code, int(code.max()) + 1) for code in codes])
        return number[:rows], number[rows:]


def _coded(name: str, values: pa.ChunkedArray, missing: Sequence[str]) -> tuple[Longs, Labels]:
    """The values of a column as codes, and their texts."""
    codes, found = coded_values(name, values)
    texts = [text_of(value) for value in found.to_pylist()]
    return codes.astype(np.int64), np.array([None if text in missing else text for text in texts], dtype=object)


def _without_strangers(one: Labels, other: Labels) -> tuple[Labels, Labels]:
    """The same texts, where all that only one side has are one value."""
    places = same_values(one, other)
    both = np.intersect1d(*places)
    sides = []
    for labels, place in zip((one, other), places, strict=True):
        own = labels.copy()
        own[~np.isin(place, both)] = _OTHERS
        sides.append(own)
    return sides[0], sides[1]


class _Fitting(NamedTuple):
    """The classes that original rows may be in.

    Attributes
    ----------
    classes : sparse array (tuples, classes)
        The classes that cover each tuple.
    of_row : int array (rows,)
        The tuple of each row.
    known : int array (rows,)
        The only class of a row; -1 if it may be in all that cover it, -2 if it may be in none.
    """

    classes: Any
    of_row: Longs
    known: Longs

    def options(self, rows: Longs) -> tuple[Longs, Longs]:
        """Pairs of the place of one of some rows and a class that it may be in."""
        of_row, known = self.of_row[rows], self.known[rows]
        lengths = np.diff(self.classes.indptr).astype(np.int64)[of_row]
        place, row = ranges(self.classes.indptr[:-1].astype(np.int64)[of_row], lengths)
        classes = self.classes.indices[place].astype(np.int64)
        possible = (known[row] == -1) | (known[row] == classes)
        return row[possible], classes[possible]


def _dealt(fitting: _Fitting, value_of_row: Longs, counts: ClassCounts, published: Longs) -> Longs | None:
    """Give every published row an original row that it may be; ``None`` if that is impossible.

    Parameters
    ----------
    fitting : _Fitting
    value_of_row : int array (rows,)
        The values in clear of each original row.
    counts : ClassCounts
        The published classes and cells.
    published : int array (cells,)
        The values in clear of each published cell.
    """
    reach = int(max(value_of_row.max(initial=0), published.max(initial=0))) + 1
    rows = len(value_of_row)
    kinds = [(fitting.of_row, int(fitting.of_row.max()) + 1), (fitting.known + 2, len(counts.codes) + 2)]
    left_of_row, first = distinct([*kinds, (value_of_row, reach)])
    supply = np.bincount(left_of_row).astype(np.int64)
    keys, right_of_cell = np.unique(counts.class_of_cell * reach + published, return_inverse=True)
    demand = np.bincount(right_of_cell, counts.cells.rows).astype(np.int64)
    # The classes that each kind of original rows may be in, of those that have its values in clear.
    left, classes = fitting.options(first)
    key = classes * reach + value_of_row[first][left]
    right = np.searchsorted(keys, key)
    known = (right < len(keys)) & (keys[np.minimum(right, len(keys) - 1)] == key)
    left, right = left[known], right[known]
    amount = _flow(left, right, supply, demand)
    if amount is None:
        return None
    # Deal the rows of each kind to the cells of each class, one after the other.
    right_of_row = np.full(rows, -1, dtype=np.int64)
    by_left = np.argsort(left_of_row, kind="stable")
    begin = np.cumsum(supply) - supply
    order = np.lexsort((right, left))
    left, right, amount = left[order], right[order], amount[order]
    before = np.cumsum(amount) - amount
    before -= np.repeat(before[_starts(left)], np.diff(np.append(_starts(left), len(left)))) if len(left) else 0
    dealt, edge = ranges(begin[left] + before, amount)
    right_of_row[by_left[dealt]] = right[edge]
    result = np.full(rows, -1, dtype=np.int64)
    taken = np.flatnonzero(right_of_row >= 0)
    taken = taken[np.argsort(right_of_row[taken], kind="stable")]
    cells = np.argsort(right_of_cell, kind="stable")
    result[taken] = np.repeat(cells, counts.cells.rows[cells])
    return result


def _starts(sorted_codes: Longs) -> Longs:
    return np.flatnonzero(np.append(True, np.diff(sorted_codes) != 0)) if len(sorted_codes) else sorted_codes


def _flow(left: Longs, right: Longs, supply: Longs, demand: Longs) -> Longs | None:
    """How much goes along each edge so that every demand is met; ``None`` if that is impossible."""
    if np.bincount(left, minlength=len(supply)).max(initial=0) <= 1:
        # Everything has one way: each demand takes from its sources in turn.
        order = np.argsort(right, kind="stable")
        offered = supply[left[order]]
        before = np.cumsum(offered) - offered
        starts = _starts(right[order])
        before -= np.repeat(before[starts], np.diff(np.append(starts, len(order)))) if len(order) else 0
        amount = np.zeros(len(left), dtype=np.int64)
        amount[order] = np.clip(demand[right[order]] - before, 0, offered)
        met = np.bincount(right, amount, len(demand)).astype(np.int64)
        return amount if np.array_equal(met, demand) else None
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    source, sink = len(supply) + len(demand), len(supply) + len(demand) + 1
    origin = np.concatenate([np.full(len(supply), source), left, len(supply) + np.arange(len(demand))])
    target = np.concatenate([np.arange(len(supply)), len(supply) + right, np.full(len(demand), sink)])
    most = np.concatenate([supply, np.minimum(supply[left], demand[right]), demand]).astype(np.int32)
    solved = maximum_flow(csr_array((most, (origin, target)), shape=(sink + 1, sink + 1)), source, sink)
    if solved.flow_value != int(demand.sum()):
        return None
    flow = csr_array(solved.flow)
    return np.asarray(flow[left, len(supply) + right]).ravel().astype(np.int64)


# --------------------------------------------------------------------------------------------------
# Which rows of two tables are one record.


@dataclass(frozen=True, eq=False)
class Beside:
    """The rows of a table beside those of the table of an earlier release.

    Attributes
    ----------
    earlier : EarlierRelease
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

    earlier: EarlierRelease
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
    earlier: EarlierRelease,
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
    earlier : EarlierRelease
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
    cell = earlier.cells_of_rows()

    def together(name: str) -> _Column:
        sides = _coded(name, old[name], earlier.missing), _coded(name, new[name], missing)
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
        ways = [[people, same_quasi, same_clear], [people, same_quasi]]
        if all(np.bincount(side).max() == 1 for side in people):
            ways.append([people])
    partner = _partners(ways, cell >= 0, new.num_rows)
    # A record that the earlier release left out is new to whoever sees it.
    partner[(partner >= 0) & (cell[partner] < 0)] = -1
    before = np.stack([one.old_place for one in quasi_codes], axis=1)
    after = np.stack([one.new_place for one in quasi_codes], axis=1)
    return Beside(earlier, cell, partner, same_clear, (before, after), people)


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
    starts = _starts(sorted_codes)
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
