"""Examine the columns of a release that are published as they are, before anybody sees it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from hedgerow.arrays import Bools, Ints, Longs
from hedgerow.counts import BadValues, Counted, encode_column, tabulate
from hedgerow.engines import SAMPLE_ROWS, InClear, Source, coded, thinned
from hedgerow.errors import BadInput
from hedgerow.recoding import Recoding
from hedgerow.risk.clear import ClearColumn, ClearRole
from hedgerow.risk.giving_away import Coded, given_away
from hedgerow.verifier import ClassCounts

__all__ = ["Examined", "Seen", "examine", "judge"]


class Seen(NamedTuple):
    """What was looked at: what each column tells of the quasi-identifiers, and what the engine counted, if anything."""

    told: dict[str, dict[str, float]]
    in_clear: InClear | None


class Examined(NamedTuple):
    """What the columns in clear tell, each by itself, and how few share the values of all columns."""

    columns: dict[str, ClearColumn]
    k_all: int


def examine(source: Source, counts: Counted, recoding: Recoding, *, random_state: int | None = None) -> Seen:
    """Look at every column that is published but is no quasi-identifier.

    Parameters
    ----------
    source : Source
        That the recoding was applied to.
    counts : Counted
        The original table.
    recoding : Recoding
    random_state : int, optional
        Chooses the classes that are looked at.
    """
    roles = counts.roles
    random = np.random.default_rng(random_state)
    class_of_group = _class_of_group(recoding)
    chosen = _chosen(recoding, class_of_group, random)
    told = _Sample.of_counts(counts, recoding, class_of_group, chosen).told(counts, random)
    if not (roles.insensitive or roles.pseudonymized):
        return Seen(told, None)
    in_clear = source.in_clear(class_of_group, chosen)
    return Seen(told | _Sample.of_rows(in_clear, counts).told(counts, random), in_clear)


def judge(seen: Seen, counts: Counted, published: ClassCounts, *, accepted: Collection[str] = ()) -> Examined:
    """Judge every column that was looked at.

    Parameters
    ----------
    seen : Seen
    counts : Counted
        The original table.
    published : ClassCounts
        The published rows, counted with the target and the sensitive columns.
    accepted : collection of str
        The columns that somebody accepts as they are.
    """
    roles = counts.roles
    columns = {
        name: ClearColumn(
            _role(counts, name),
            float((published.histogram(name).overall == 1).sum() / published.people),
            int(published.histogram(name).counts.min()),
            seen.told[name],
        )
        for name in counts.cell_columns
    }
    if seen.in_clear is None:
        return Examined(columns, published.k_all)
    columns |= {
        name: ClearColumn(
            "entity" if name == roles.entity else "insensitive",
            seen.in_clear.alone[name] / published.people,
            seen.in_clear.fewest[name],
            seen.told[name],
            name in accepted,
        )
        for name in roles.insensitive
    }
    order = [name for name in roles.published if name in columns]
    return Examined({name: columns[name] for name in order}, seen.in_clear.fewest_of_all)


def _role(counts: Counted, name: str) -> ClearRole:
    return "sensitive" if name in counts.roles.sensitive else "target"


def _class_of_group(recoding: Recoding) -> Longs:
    """Groups that publish the same are one class."""
    codes, sizes = [], []
    for at, column in enumerate(recoding.columns):
        known: dict[str | None, int] = {}
        code = np.array([known.setdefault(text, len(known)) for text in column.texts], dtype=np.int32)
        codes.append(code[recoding.groups[:, at]])
        sizes.append(len(known))
    _, index = tabulate(codes, sizes, len(recoding.groups))
    return index.astype(np.int64)


def _chosen(recoding: Recoding, class_of_group: Longs, random: np.random.Generator) -> Bools:
    """A random choice of classes that hold enough rows together."""
    records = recoding.sizes if recoding.pieces is None else recoding.pieces.sizes(len(recoding.groups))
    sizes = np.bincount(class_of_group, records, int(class_of_group.max()) + 1)
    order = random.permutation(len(sizes))
    chosen = np.zeros(len(sizes), dtype=bool)
    chosen[order[: np.searchsorted(np.cumsum(sizes[order]), SAMPLE_ROWS) + 1]] = True
    return chosen


class _Sample(NamedTuple):
    """Rows of the chosen classes: the class and the tuple of each, and columns beside the quasi-identifiers."""

    classes: Ints
    tuples: Ints
    columns: Mapping[str, Coded]

    @classmethod
    def of_counts(cls, counts: Counted, recoding: Recoding, class_of_group: Longs, chosen: Bools) -> _Sample:
        """The rows behind the counts, with the columns that were counted."""
        classes, tuples, values = [], [], []
        for part, pieces in recoding.in_parts(counts):
            kept = np.flatnonzero(pieces.group >= 0)
            kept = kept[chosen[class_of_group[pieces.group[kept]]]]
            piece = thinned(np.repeat(kept, pieces.size[kept]))
            classes.append(class_of_group[pieces.group[piece]].astype(np.int32))
            tuples.append(part.quasi_codes(pieces.cell[piece]))
            values.append(part.cell_values[pieces.cell[piece]])
        found = thinned(np.arange(sum(map(len, classes))))
        of_column = np.concatenate(values)[found].T
        columns = {
            name: Coded.of(codes, counts.domains[name])
            for name, codes in zip(counts.cell_columns, of_column, strict=False)
        }
        return cls(np.concatenate(classes)[found], np.concatenate(tuples)[found], columns)

    @classmethod
    def of_rows(cls, seen: InClear, counts: Counted) -> _Sample:
        """Rows that the engine has looked at."""
        columns = {name: _coded(name, values) for name, values in seen.values.items()}
        return cls(seen.classes, counts.quasi_codes(seen.cells), columns)

    def told(self, counts: Counted, random: np.random.Generator) -> dict[str, dict[str, float]]:
        """What each column tells of each quasi-identifier."""
        if not len(self.classes) or not self.columns:
            return {name: {} for name in self.columns}
        _, classes = tabulate([self.classes], [int(self.classes.max()) + 1], len(self.classes))
        originals = {name: Coded.of(self.tuples[:, at], counts.domains[name]) for at, name in enumerate(counts.quasi)}
        return given_away(classes, originals, self.columns, random)


def _coded(name: str, values: pa.ChunkedArray) -> Coded:
    """A column as codes, in the order of its values if they are numbers or dates."""
    try:
        encoded = encode_column(name, values, missing=(), kind="derived")
    except (BadInput, BadValues):
        codes = coded(values)
        return Coded(codes, int(codes.max()) + 1, ordered=False)
    return Coded.of(encoded.codes, encoded.domain)
