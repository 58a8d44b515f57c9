"""A release with the table that it was made from: which published row each original row became.

A row became a row of a class whose cells cover its quasi-identifiers, with the same values in clear, as they were
coded. It is a flow from the original rows to the published ones. The private recoding narrows it down: it knows how
values were coded, and the class of each row of a table in memory. The result is certain if every row has one possible
class, and if it is known which rows were left out. Rows of a class with the same values in clear are then as good as
each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Longs, ranges
from hedgerow.core.cells import Leaves, PublishedColumn
from hedgerow.core.recoding import Recoding
from hedgerow.engines import coded_values, in_memory, open_source
from hedgerow.errors import BadInput, listing, plural
from hedgerow.risk._inputs import Auditable, Reading, artefact_of, labels_of
from hedgerow.risk.joining import same_values, side_of
from hedgerow.risk.manifest import determined_columns, manifest_fit, read_manifest
from hedgerow.risk.previous import BY_VALUES, Stated, place_tuples
from hedgerow.verifier import ClassCounts, count_classes
from hedgerow.verifier.classes import Cells, Encoded, LabelIndex, Labels, distinct, text_of

__all__ = ["TracedRelease", "coded_column", "facts_of", "starts_of"]


@dataclass(frozen=True, eq=False)
class TracedRelease:
    """A release with the table that it was made from.

    Attributes
    ----------
    counts : ClassCounts
        Its classes, with all columns in clear counted as sensitive.
    original : pyarrow.Table
        The rows that it was made from.
    clear : tuple of str
        The columns that it publishes in clear, and that its original table has.
    coded : mapping of column to mapping
        What values of columns in clear were published as, where they were rounded, generalized or pooled.
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
    coded: Mapping[str, Mapping[str | None, str | None]]
    hierarchies: Mapping[str, Any]
    listed: Mapping[str, Leaves]
    missing: tuple[str, ...]
    determined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    known: Longs | None = None

    @classmethod
    def open(
        cls,
        table: Any,
        original: Any,
        *,
        hierarchies: Mapping[str, Any],
        missing: Sequence[str] = (),
        recoding: Any = None,
        entity: str | None = None,
        option: str = "original",
    ) -> TracedRelease:
        """Read a release and the table that it was made from; refused if it is not certain who is in which class.

        Parameters
        ----------
        table : dataframe, DuckDB relation, path or Release
            As it was published, with its manifest.
        original : dataframe, DuckDB relation, path or File
        hierarchies : mapping of column to hierarchy
        missing : sequence of str
        recoding : Recoding or path, optional
            By default the one that a fresh release still has.
        entity : str, optional
            A column that the original table must have.
        option : str
            What the parameter of the original table is called, for messages.
        """
        stated, facts = Stated.of(table), facts_of(table)
        typed = f"{option}=, --{option.replace('_', '-')}"
        if stated.quasi is None:
            raise BadInput(
                "The previous release has no manifest that fits it, so its quasi-identifiers are not known. Name it as "
                "it was saved, with its manifest beside it, or make it again."
            )
        if stated.method not in BY_VALUES:
            raise BadInput(
                f"A release by {stated.method!r} may publish means of groups, so it is not certain who is in which "
                "class. Nothing can be said about it together with another release."
            )
        _, rows = in_memory(open_source(original), "Who is in which class of a release")
        opened, quasi = Reading().open(artefact_of(table)), stated.quasi
        lacking = [name for name in (*quasi, *([] if entity is None else [entity])) if name not in rows.column_names]
        if lacking:
            raise BadInput(
                f"The original table of a release lacks {listing(lacking)}. Name the table that it was made from "
                f"({typed})."
            )
        clear = tuple(name for name in opened.columns if name not in quasi and name in rows.column_names)
        every = tuple(dict.fromkeys(("", *stated.missing, *missing)))
        counts = count_classes(opened, quasi, sensitive=clear, missing=every)
        if (stated.rows, stated.lost) != (rows.num_rows, rows.num_rows - counts.rows):
            raise BadInput(
                f"A release was made from {plural(stated.rows, 'rows')}, and the table that is named as its original "
                f"has {rows.num_rows:,}. Name the table that it was made from ({typed})."
            )
        known = _recoding_of(table, recoding)
        coded = {} if known is None else known.coded
        if {"recode", "min_people"} & facts.keys() and (known is None or coded is None):
            raise BadInput(
                "A release published values of columns in clear in another form than the table has them (min_people, "
                "recode), and only its private recoding has both. Name it (--recoding, --previous-recoding). A "
                "recoding of an earlier version does not have them: make that release again."
            )
        return cls(
            counts,
            rows,
            clear,
            coded or {},
            {name: hierarchies[name] for name in quasi if name in hierarchies},
            {} if known is None else {column.domain.name: _labels_of(column) for column in known.columns},
            every,
            determined_columns(facts) if "columns" in facts else {},
            None if known is None else _known_classes(known, counts, rows),
        )

    @property
    def cells(self) -> Longs:
        """The published cell of each original row, of ``counts.cells``; -1 for rows that were left out."""
        return self._traced[0]

    @property
    def certain(self) -> bool:
        """Whether the class of each row is known, or that it was left out, and not only that it may be so."""
        return self._traced[1]

    @cached_property
    def _traced(self) -> tuple[Longs, bool]:
        original = self._tuples()
        rows = np.bincount(original.class_of_cell, minlength=len(original.codes)).astype(np.int64)
        below = dict(zip(original.columns, labels_of(self.hierarchies, original), strict=True))
        below = {name: {**labels, **self.listed.get(name, {})} for name, labels in below.items()}
        fits, unread = place_tuples(side_of(self.counts), original, rows, below, averaged=False)
        if unread:
            raise BadInput(
                f"Labels of {listing(sorted(unread))} are not explained. Name their hierarchies (--hierarchy), or the "
                "recoding of the release that has them (previous_recoding=, --previous-recoding)."
            )
        several = (fits.number > 1)[original.class_of_cell]
        values, published = self._in_clear()
        unknown = np.full(self.original.num_rows, -1, dtype=np.int64)
        for known in (unknown,) if self.known is None else (self.known, unknown):
            fitting = _Fitting(fits.fits, original.class_of_cell, known)
            cells = _dealt(fitting, values, self.counts, published)
            if cells is not None:
                left_out = self.original.num_rows - self.counts.rows
                return cells, not (several & (known == -1)).any() and int((known == -2).sum()) == left_out
        raise BadInput(
            "A release was not made from the table that is named as its original, or its labels need their "
            "hierarchies: some of its rows fit no row of that table. Name the table that it was made from, and its "
            "recoding."
        )

    def _tuples(self) -> ClassCounts:
        """The distinct quasi-identifiers of the original rows, as classes with each row as a cell."""
        rows = self.original.num_rows
        encoded = []
        for name in self.counts.columns:
            codes, labels = coded_column(name, self.original[name], self.missing)
            encoded.append(Encoded(codes.astype(np.int32), labels))
        return ClassCounts.build(self.counts.columns, encoded, Cells(np.ones(rows, dtype=np.int64), {}), None)

    def _in_clear(self) -> tuple[Longs, Longs]:
        """Equal numbers for equal values in clear: of each original row, and of each published cell."""
        rows, cells = self.original.num_rows, len(self.counts.class_of_cell)
        codes = [np.zeros(rows + cells, dtype=np.int64)]
        for name in self.clear:
            own, labels = coded_column(name, self.original[name], self.missing)
            published = self.counts.cells.sensitive[name]
            if name in self.coded:
                coded = {key: None if text in self.missing else text for key, text in self.coded[name].items()}
                labels = np.array([coded.get(text, text) for text in labels.tolist()], dtype=object)
            places = same_values(labels, published.labels)
            codes.append(np.concatenate([places[0][own], places[1][published.codes]]))
        number, _ = distinct([(code, int(code.max()) + 1) for code in codes])
        return number[:rows], number[rows:]


def coded_column(name: str, values: pa.ChunkedArray, missing: Sequence[str]) -> tuple[Longs, Labels]:
    """The values of a column as codes, and their texts."""
    codes, found = coded_values(name, values)
    texts = [text_of(value) for value in found.to_pylist()]
    return codes.astype(np.int64), np.array([None if text in missing else text for text in texts], dtype=object)


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
    before -= np.repeat(before[starts_of(left)], np.diff(np.append(starts_of(left), len(left)))) if len(left) else 0
    dealt, edge = ranges(begin[left] + before, amount)
    right_of_row[by_left[dealt]] = right[edge]
    result = np.full(rows, -1, dtype=np.int64)
    taken = np.flatnonzero(right_of_row >= 0)
    taken = taken[np.argsort(right_of_row[taken], kind="stable")]
    cells = np.argsort(right_of_cell, kind="stable")
    result[taken] = np.repeat(cells, counts.cells.rows[cells])
    return result


def starts_of(sorted_codes: Longs) -> Longs:
    """Where the runs of equal codes begin."""
    return np.flatnonzero(np.append(True, np.diff(sorted_codes) != 0)) if len(sorted_codes) else sorted_codes


def _flow(left: Longs, right: Longs, supply: Longs, demand: Longs) -> Longs | None:
    """How much goes along each edge so that every demand is met; ``None`` if that is impossible."""
    if np.bincount(left, minlength=len(supply)).max(initial=0) <= 1:
        # Everything has one way: each demand takes from its sources in turn.
        order = np.argsort(right, kind="stable")
        offered = supply[left[order]]
        before = np.cumsum(offered) - offered
        starts = starts_of(right[order])
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


def facts_of(table: Any) -> Mapping[str, Any]:
    """What a release, or the manifest that fits a table, says of how it was made; nothing without one."""
    if isinstance(table, Auditable):
        return table.described.facts
    if not isinstance(table, str | Path) or manifest_fit(table)[0] != "fits":
        return {}
    return read_manifest(Path(table).absolute()) or {}


def _recoding_of(table: Any, given: Any) -> Recoding | None:
    """The recoding that is given, or that the release still has."""
    if given is None:
        held = getattr(table, "private", None)
        return held if isinstance(held, Recoding) else None
    return given if isinstance(given, Recoding) else Recoding.load(given)


def _labels_of(column: PublishedColumn) -> Leaves:
    """The original values below each label of a column."""
    values = column.domain.labels
    found: dict[str, tuple[str, ...]] = {}
    for at, (text, kind) in enumerate(zip(column.texts, column.kinds, strict=True)):
        if kind == "label" and text is not None:
            codes = column.covered.codes(at)
            found[text] = (*found.get(text, ()), *values[codes[codes < len(values)]].tolist())
    return found


def _known_classes(recoding: Recoding, counts: ClassCounts, original: pa.Table) -> Longs | None:
    """The class of each original row as the recoding has it: -1 if it does not say, -2 if the row was left out."""
    if set(recoding.quasi) != set(counts.columns):
        return None
    if recoding.rows is not None:
        if len(recoding.rows) != original.num_rows:
            return None
        cells = [
            np.array(column.texts, dtype=object)[recoding.groups[:, at]] for at, column in enumerate(recoding.columns)
        ]
        classes = _classes_of(dict(zip(recoding.quasi, cells, strict=True)), counts)
        return np.append(classes, -2)[recoding.rows]
    if recoding.router is None:
        return None
    published = recoding.transform(original.select(list(recoding.quasi)))
    coded = {name: coded_values(name, published[name]) for name in recoding.quasi}
    texts = {name: np.array(values.to_pylist(), dtype=object)[codes] for name, (codes, values) in coded.items()}
    return _classes_of(texts, counts)


def _classes_of(cells: Mapping[str, Any], counts: ClassCounts) -> Longs:
    """The class that shows these cells; -1 if there is none."""
    codes = []
    for at, name in enumerate(counts.columns):
        index = LabelIndex(counts.labels[at])
        distinct_cells, place = np.unique([repr(cell) for cell in cells[name]], return_index=True, return_inverse=True)[
            1:
        ]
        found = [index.find(cells[name][first]) for first in distinct_cells.tolist()]
        codes.append(np.array([-1 if code is None else code for code in found], dtype=np.int64)[place])
    rows = np.stack(codes, axis=1)
    both = np.concatenate([counts.codes.astype(np.int64), rows])
    number, _ = distinct([(column + 1, int(column.max()) + 2) for column in both.T])
    class_of = np.full(int(number.max()) + 1, -1, dtype=np.int64)
    class_of[number[: len(counts.codes)]] = np.arange(len(counts.codes))
    return class_of[number[len(counts.codes) :]]
