"""The recoding: groups, what they publish, and how records of the table and unseen rows are assigned to them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow._internal.notebook import NotebookRepr, names_shown
from hedgerow.core.cells import PublishedColumn
from hedgerow.core.counts import (
    Asked,
    BadValues,
    Counted,
    EncodedColumn,
    FrequencyTable,
    LargeTable,
    encode_column,
    tabulate,
)
from hedgerow.core.recoding._routing import NodeRouter, PartRouter, Router, places_of, router_from_dict
from hedgerow.errors import BadInput, HedgerowError, InternalError, listing, plural, required, translated
from hedgerow.io.atomic import write_json
from hedgerow.io.domains import CodeSets, Domain
from hedgerow.io.frames import OpenFrame, as_arrow, open_frame
from hedgerow.io.readers.sizes import read_json
from hedgerow.io.sanitize import assemble
from hedgerow.io.values import SUPPRESSED_TEXT

__all__ = ["ByLabel", "Held", "Pieces", "Recoding", "StoredPieces", "without_groups"]


# --------------------------------------------------------------------------------------------------
# By label: the label margins that a method asks for.


@dataclass(frozen=True, eq=False)
class ByLabel:
    """The label margins that a method asks for, beside the proportions of its groups.

    Attributes
    ----------
    regions : int array (levels, groups)
        The region of each group at each level, numbered from 0 through all levels: all groups of a region are published
        together.
    strengths : float array (quasi-identifiers,)
        How strongly drawn values depend on the label, from 0 (no label margins) to 1 (as published).
    least : int
        The fewest people of a bin, where that is more than the support of the proportions.
    """

    regions: Longs
    strengths: Floats
    least: int = 1

    def without(self, lost: Bools) -> ByLabel:
        """The same without the lost groups."""
        return ByLabel(self.regions[:, ~lost], self.strengths, self.least)

    def to_dict(self) -> dict[str, Any]:
        """The request as JSON."""
        return {"regions": self.regions.tolist(), "strengths": self.strengths.tolist(), "least": self.least}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> ByLabel:
        """Read what :meth:`to_dict` wrote."""
        regions = np.atleast_2d(np.array(stored["regions"], dtype=np.int64))  # earlier versions had one level
        return cls(regions, np.array(stored["strengths"], dtype=np.float64), int(stored["least"]))


# --------------------------------------------------------------------------------------------------
# Pieces: which records go to which group.


@dataclass(frozen=True, eq=False)
class Pieces:
    """How many records of each cell go to which group; group -1 means that they are not published.

    Attributes
    ----------
    cell, group : int arrays (pieces,)
        Ascending in ``cell``; a cell that goes to one group has one piece.
    size : int array (pieces,)
    """

    cell: Ints
    group: Ints
    size: Longs

    @classmethod
    def whole(cls, group_of_cell: Ints, cell_sizes: Longs) -> Pieces:
        """Every cell goes to one group."""
        return cls(np.arange(len(group_of_cell), dtype=np.int32), group_of_cell.astype(np.int32), cell_sizes)

    @classmethod
    def gathered(cls, cell: Ints, group: Ints, size: Longs) -> Pieces:
        """Pieces in any order; those with the same cell and group are added up."""
        groups = int(group.max()) + 2
        key = cell.astype(np.int64) * groups + (group + 1)
        order = np.argsort(key, kind="stable")
        key = key[order]
        first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
        cells, of_group = np.divmod(key[first], groups)
        return cls(cells.astype(np.int32), (of_group - 1).astype(np.int32), np.add.reduceat(size[order], first))

    def sizes(self, groups: int) -> Longs:
        """The records of each group, of those that are published."""
        kept = self.group >= 0
        return np.bincount(self.group[kept], self.size[kept], groups).astype(np.int64)

    def to_dict(self) -> dict[str, list[int]]:
        """The pieces as JSON."""
        return {"cell": self.cell.tolist(), "group": self.group.tolist(), "size": self.size.tolist()}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Sequence[int]]) -> Pieces:
        """Read what :meth:`to_dict` wrote."""
        cell, group = (np.array(stored[name], dtype=np.int32) for name in ("cell", "group"))
        return cls(cell, group, np.array(stored["size"], dtype=np.int64))

    @property
    def first(self) -> Bools:
        """Which pieces are the first of their cell."""
        return np.append(True, self.cell[1:] != self.cell[:-1])

    @property
    def split(self) -> bool:
        """Whether some cell goes to several groups."""
        return not self.first.all()


class Held(NamedTuple):
    """The values of one column that groups hold: group ``g`` has ``members[starts[g]:starts[g + 1]]``, ascending."""

    starts: Longs
    members: Ints

    @classmethod
    def joined(cls, parts: Sequence[Held]) -> Held:
        """The groups of several parts, one part after the other."""
        before = np.cumsum([0, *(len(part.members) for part in parts)])
        starts = [part.starts[:-1] + begin for part, begin in zip(parts, before[:-1], strict=True)]
        return cls(
            np.concatenate([*starts, before[-1:]]).astype(np.int64), np.concatenate([part.members for part in parts])
        )


@dataclass(frozen=True, eq=False)
class StoredPieces:
    """The pieces of a table that does not fit into memory: the engine keeps the group of each cell, on disk.

    Attributes
    ----------
    large : LargeTable
        The table of the cells; each cell goes to one group as a whole, unless it is dealt out.
    bounds : sequence of pairs of int
        The numbers of the cells of each part, as half-open ranges.
    held : sequence of Held
        The values that the records of every group hold, column by column, in memory.
    dealt : Pieces, optional
        The pieces of cells that go to several groups, in memory too; the engine keeps group -1 for them.
    """

    large: LargeTable
    bounds: Sequence[tuple[int, int]]
    held: Sequence[Held]
    dealt: Pieces | None = None

    def __iter__(self) -> Iterator[tuple[FrequencyTable, Pieces]]:
        """The cells of each part, numbered from 0 on, and their pieces; one part is in memory at a time."""
        for start, end in self.bounds:
            counts = self.large.part(start, end)
            yield counts, self._pieces(counts, start, end)

    def _pieces(self, counts: FrequencyTable, start: int, end: int) -> Pieces:
        pieces = Pieces.whole(self.large.kept.assigned(start, end), counts.cell_sizes)
        if self.dealt is None:
            return pieces
        here, whole = slice(*np.searchsorted(self.dealt.cell, [start, end])), pieces.group >= 0
        return Pieces.gathered(
            np.concatenate([pieces.cell[whole], self.dealt.cell[here] - np.int32(start)]),
            np.concatenate([pieces.group[whole], self.dealt.group[here]]),
            np.concatenate([pieces.size[whole], self.dealt.size[here]]),
        )


_FORMAT = "hedgerow recoding 2"
_OLDER = "hedgerow recoding 1"  # lists every code that a published value covers
_PRIVATE = "PRIVATE: this file shows which original values went to which group. Do not publish it."


@dataclass(frozen=True, eq=False, repr=False)
class Recoding(NotebookRepr):
    """The fitted result of a method. It is a secret: for local recoding it lists original tuples.

    Attributes
    ----------
    method : str
        The method's name.
    quasi : tuple of str
        The quasi-identifiers.
    columns : tuple of PublishedColumn
        The published values of each quasi-identifier.
    groups : int array (groups, quasi-identifiers)
        The published value of each group.
    sizes : int array (groups,)
        The records of each group.
    pieces : Pieces, optional
        How many records of each cell go to which group; absent in a recoding that was read from a public file, and in
        that of a table that does not fit into memory.
    parts : StoredPieces, optional
        The same for such a table, on disk as long as this object lives; they are not saved with the recoding.
    router : Router, NodeRouter or PartRouter, optional
        Assigns unseen rows to groups, or each of their cells to a published value.
    levels : mapping of column to int, optional
        The hierarchy level of each column where the recoding is full-domain; 0 is the unchanged column.
    missing : tuple of str
        Texts that mean "no value" in new rows.
    identifying : tuple of str
        The columns that were dropped or pseudonymized because they name a person: new rows must not have them.
    in_clear : tuple of str, optional
        The other columns that are published unchanged. Further columns of new rows are dropped, as they were from the
        table; without it all of them stay.
    facts : mapping
        Facts that the method reports of its result, for the manifest.
    warnings : tuple of str
        Warnings for the publisher; they are shown with the audit.
    weak : str, optional
        Why the result does not keep the requirements, if a method was asked for such a result.
    by_label : ByLabel, optional
        The label margins that the method asks for.
    rows : int array (rows,), optional
        The group of each row of a table in memory, in its order; -1 for rows that are not published.
    coded : mapping of column to mapping, optional
        What values of columns in clear were published as, if they were coded before the table was counted. ``None`` if
        that is not known.
    """

    method: str
    quasi: tuple[str, ...]
    columns: tuple[PublishedColumn, ...]
    groups: Ints
    sizes: Longs
    pieces: Pieces | None = None
    router: Router | NodeRouter | PartRouter | None = None
    levels: Mapping[str, int] | None = None
    missing: tuple[str, ...] = ("",)
    identifying: tuple[str, ...] = ()
    in_clear: tuple[str, ...] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    weak: str | None = None
    by_label: ByLabel | None = None
    parts: StoredPieces | None = None
    rows: Ints | None = None
    coded: Mapping[str, Mapping[str | None, str | None]] | None = None

    def __repr__(self) -> str:
        return (
            f"Recoding({self.method}, private: {plural(len(self.groups), 'groups')} of "
            f"{plural(int(self.sizes.sum()), 'records')}; quasi-identifiers {names_shown(self.quasi)})"
        )

    @property
    def lost(self) -> int:
        """How many records are not published."""
        if self.pieces is None:
            return 0
        return int(self.pieces.size[self.pieces.group < 0].sum())

    @property
    def published(self) -> int:
        """How many records are published."""
        if self.pieces is None:
            return int(self.sizes.sum())
        return int(self.pieces.size[self.pieces.group >= 0].sum())

    def in_parts(self, counts: Counted) -> Iterator[tuple[FrequencyTable, Pieces]]:
        """The cells and their pieces, part by part: of a table in memory there is one part."""
        if self.parts is not None:
            yield from self.parts
        elif isinstance(counts, FrequencyTable):
            yield counts, required(self.pieces, "how the cells of a table go to groups")
        else:
            raise InternalError("a recoding does not belong to the table that it is compared with")

    def unchanged(self, respelled: Collection[str]) -> set[str]:
        """The quasi-identifiers that are published unchanged; not those with several spellings of a value."""
        columns = zip(self.quasi, self.columns, strict=True)
        return {name for name, column in columns if column.unchanged and name not in respelled}

    @property
    def _domains(self) -> tuple[Domain, ...]:
        return tuple(column.domain for column in self.columns)

    def transform(self, rows: Any) -> Any:
        """Recode unseen rows, for prediction: same order, the columns of the release, quasi-identifiers as published.

        Columns that the release does not have are dropped.

        Parameters
        ----------
        rows : dataframe
            pandas, polars, pyarrow or a DuckDB relation with all quasi-identifiers, and without columns that name a
            person.
        """
        if self.router is None:
            raise HedgerowError(f"A recoding by {self.method} cannot recode rows it has not seen.")
        opened = open_frame(rows)
        for name in self.quasi:
            if name not in opened.frame.columns:
                raise BadInput.unknown("column", name, opened.frame.columns, "The recoding needs it.")
        naming = [name for name in self.identifying if name in opened.frame.columns]
        if naming:
            raise BadInput(
                f"The rows still have columns that name a person: {listing(naming)}. Drop them before the rows are "
                "recoded."
            )
        values = self._values(opened.frame, self.router)
        recoded = {}
        for name in opened.frame.columns:
            if name in self.quasi:
                at = self.quasi.index(name)
                hidden = values[at] < 0
                published = _published(opened, opened.frame[name], self.columns[at], hidden=bool(hidden.any()))
                # The last entry stands for rows without a published value.
                recoded[name] = published[np.where(hidden, len(self.columns[at]), values[at])]
            elif self.in_clear is None or name in self.in_clear:
                recoded[name] = opened.frame[name]
        return opened.back(assemble(opened, recoded))

    def _values(self, frame: nw.DataFrame[Any], router: Router | NodeRouter | PartRouter) -> list[Ints]:
        """The published value of each cell of new rows, column by column; -1 if there is none."""
        encoded = [self._encode(frame[name], domain) for name, domain in zip(self.quasi, self._domains, strict=True)]
        if isinstance(router, NodeRouter):
            maps = zip(router.maps, self._domains, encoded, strict=True)
            return [column.values(domain, new.domain)[new.codes] for column, domain, new in maps]
        if isinstance(router, PartRouter):
            known, new_codes = self._domains, [new.codes for new in encoded]
            return router.values(known, [new.domain for new in encoded], new_codes, self.groups)
        codes, sizes = [new.codes for new in encoded], [new.domain.size for new in encoded]
        distinct, index = tabulate(codes, sizes, len(frame))
        places = []
        for at, (new, domain) in enumerate(zip(encoded, self._domains, strict=True)):
            places.append(places_of(domain, new.domain)[distinct[:, at]])
        group = router.route(places)[index]
        return [np.where(group < 0, -1, self.groups[group, at]) for at in range(len(self.quasi))]

    def _encode(self, column: nw.Series[Any], domain: Domain) -> EncodedColumn:
        """A column of new rows as codes of its own values."""
        values = as_arrow(column)
        kind: Asked = "typed" if domain.kind == "text" else "derived"
        with translated(BadValues, into=lambda bad: bad.in_rows(values)):
            return encode_column(domain.name, values, missing=self.missing, kind=kind)

    def to_dict(self, *, public: bool = False) -> dict[str, Any]:
        """The recoding as JSON; ``public`` leaves out the groups of original tuples."""
        stored: dict[str, Any] = {
            "format": _FORMAT,
            "private": not public,
            "method": self.method,
            "quasi": list(self.quasi),
            "missing": list(self.missing),
            "identifying": list(self.identifying),
            "in_clear": None if self.in_clear is None else list(self.in_clear),
            "levels": None if self.levels is None else dict(self.levels),
            "columns": [_column_to_dict(column) for column in self.columns],
            "groups": self.groups.tolist(),
            "router": None if self.router is None else self.router.to_dict(),
        }
        if public:
            domains, router = self._public_router()
            stored["columns"] = [_public_column(column, domains) for column in self.columns]
            stored["router"] = None if router is None else router.to_dict()
        else:
            stored["notice"] = _PRIVATE
            stored["sizes"] = self.sizes.tolist()
            if self.pieces is not None:
                stored["pieces"] = self.pieces.to_dict()
            if self.by_label is not None:
                stored["by_label"] = self.by_label.to_dict()
            if self.rows is not None:
                stored["rows"] = self.rows.tolist()
            if self.coded is not None:
                # A missing value is a key that JSON does not have.
                stored["coded"] = {name: list(values.items()) for name, values in self.coded.items()}
        return stored

    def _public_router(self) -> tuple[dict[str, Domain], Router | NodeRouter | PartRouter | None]:
        """The router and the values that it names; none if no group publishes one of these values."""
        domains, router = ({}, None) if self.router is None else self.router.published(self._domains)
        for column in self.columns:
            named = domains.get(column.domain.name)
            if named is not None and not set(named.labels.tolist()) <= _readable(column):
                return {}, None
        return domains, router

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Recoding:
        """Read what :meth:`to_dict` wrote."""
        if stored["format"] not in (_FORMAT, _OLDER):
            raise ValueError(f"the format is not {_FORMAT!r}")
        pieces, by_label, rows, coded = (stored.get(name) for name in ("pieces", "by_label", "rows", "coded"))
        groups = np.array(stored["groups"], dtype=np.int32).reshape(-1, len(stored["quasi"]))
        return cls(
            method=stored["method"],
            quasi=tuple(stored["quasi"]),
            columns=tuple(_column_from_dict(column) for column in stored["columns"]),
            groups=groups,
            sizes=np.array(stored.get("sizes", [0] * len(groups)), dtype=np.int64),
            pieces=None if pieces is None else Pieces.from_dict(pieces),
            router=_router_from_dict(stored["router"]),
            levels=stored["levels"],
            missing=tuple(stored["missing"]),
            # Files of earlier versions do not have these.
            identifying=tuple(stored.get("identifying", ())),
            in_clear=None if (clear := stored.get("in_clear", ())) is None else tuple(clear),
            by_label=None if by_label is None else ByLabel.from_dict(by_label),
            rows=None if rows is None else np.array(rows, dtype=np.int32),
            coded=None if coded is None else {str(name): dict(values) for name, values in coded.items()},
        )

    def save(self, path: str | Path, *, public: bool = False) -> Path:
        """Write the recoding as JSON: private and readable by its owner only (mode 0600), unless ``public``."""
        return write_json(Path(path), self.to_dict(public=public), mode=0o666 if public else 0o600)

    @classmethod
    def load(cls, path: str | Path) -> Recoding:
        """Read a recoding that :meth:`save` wrote."""
        foreign = BadInput(f"The file {str(path)!r} is not a recoding that Hedgerow saved.")
        wrong = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
        with translated(*wrong, into=foreign):
            return cls.from_dict(read_json(Path(path)))


def _published(
    opened: OpenFrame, column: nw.Series[Any], published: PublishedColumn, *, hidden: bool
) -> nw.Series[Any]:
    """The published values of a column: text, numbers, or its own type if every group publishes an original value.

    If some row fits no group, the value for such rows comes last.
    """
    if published.numeric:
        return opened.series(column.name, [*published.numbers, None], nw.Float64)
    if hidden:
        return opened.series(column.name, [*published.texts, SUPPRESSED_TEXT], nw.String)
    texts = opened.series(column.name, list(published.texts), nw.String)
    if published.unchanged and column.dtype.is_numeric() and published.domain.kind == "number":
        return texts.cast(nw.Float64).cast(column.dtype) if None not in published.texts else texts.cast(nw.Float64)
    return texts


def _router_from_dict(stored: Mapping[str, Any] | None) -> Router | NodeRouter | PartRouter | None:
    if stored is None:
        return None
    return PartRouter.from_dict(stored) if stored["kind"] == "parts" else router_from_dict(stored)


def _readable(column: PublishedColumn) -> set[str]:
    """The original values that readers of the release see: alone, in a set, or as the end of an interval."""
    kinds, covered = np.array(column.kinds, dtype=np.str_), column.covered
    named, ranged = covered.only(np.flatnonzero(np.isin(kinds, ("value", "set")))), kinds == "interval"
    readable = np.flatnonzero(named.spread(np.ones(len(named)), column.domain.size))
    readable = np.union1d(readable, np.concatenate([covered.lowest[ranged], covered.highest[ranged]]))
    return set(column.domain.labels[readable[readable < len(column.domain.labels)]].tolist())


def _public_column(column: PublishedColumn, domains: Mapping[str, Domain]) -> dict[str, Any]:
    """A column without its domain: only the values that the cuts name, and the published values."""
    domain = domains.get(column.domain.name) or Domain(column.domain.name, "text", np.array([], dtype=np.str_))
    nothing = CodeSets.of(np.zeros(len(column) + 1, dtype=np.int64), np.array([], dtype=np.int32))
    return _column_to_dict(PublishedColumn(domain, column.texts, column.kinds, nothing))


def _column_to_dict(column: PublishedColumn) -> dict[str, Any]:
    domain = column.domain
    return {
        "name": domain.name,
        "kind": domain.kind,
        "labels": domain.labels.tolist(),
        "numbers": None if domain.numbers is None else domain.numbers.tolist(),
        "has_missing": domain.has_missing,
        "texts": list(column.texts),
        "kinds": list(column.kinds),
        "starts": column.covered.starts.tolist(),
        "first": column.covered.first.tolist(),
        "last": column.covered.last.tolist(),
        "nodes": None if column.nodes is None else column.nodes.tolist(),
    }


def _column_from_dict(stored: Mapping[str, Any]) -> PublishedColumn:
    numbers, nodes = stored["numbers"], stored["nodes"]
    domain = Domain(
        stored["name"],
        stored["kind"],
        np.array(stored["labels"], dtype=np.str_),
        None if numbers is None else np.array(numbers, dtype=np.float64),
        stored["has_missing"],
    )
    return PublishedColumn(
        domain,
        tuple(stored["texts"]),
        tuple(stored["kinds"]),
        _covered_from_dict(stored),
        None if nodes is None else np.array(nodes, dtype=np.int32),
    )


def _covered_from_dict(stored: Mapping[str, Any]) -> CodeSets:
    starts = np.array(stored["starts"], dtype=np.int64)
    if "members" in stored:
        return CodeSets.of(starts, np.array(stored["members"], dtype=np.int32))
    return CodeSets(starts, np.array(stored["first"], dtype=np.int32), np.array(stored["last"], dtype=np.int32))


# --------------------------------------------------------------------------------------------------
# Removing groups from a recoding; their records are lost.


def without_groups(recoding: Recoding, lost: Bools) -> Recoding:
    """Remove some groups, not all, with their records and the values that only they publish.

    Unseen rows that would belong to one of them fit no group.
    """
    pieces = required(recoding.pieces, "the pieces of a recoding")
    groups = recoding.groups[~lost].copy()
    columns, new_values = [], []
    for at, column in enumerate(recoding.columns):
        used = np.unique(groups[:, at]).astype(np.int64)
        new_values.append(_new_positions(len(column), used))
        groups[:, at] = new_values[-1][groups[:, at]]
        columns.append(column.only(used))
    new_group = _new_positions(len(lost), np.flatnonzero(~lost))
    router = recoding.router
    if isinstance(router, PartRouter):
        raise InternalError("groups were removed from a recoding that was joined from parts")
    if router is not None:
        router = router.renumbered(new_values) if isinstance(router, NodeRouter) else router.renumbered(new_group)
    return replace(
        recoding,
        columns=tuple(columns),
        groups=groups,
        sizes=recoding.sizes[~lost],
        pieces=replace(pieces, group=np.where(pieces.group < 0, -1, new_group[pieces.group]).astype(np.int32)),
        router=router,
        by_label=None if recoding.by_label is None else recoding.by_label.without(lost),
    )


def _new_positions(size: int, kept: NDArray[np.integer]) -> Ints:
    """The new positions after some entries are removed, -1 for the removed ones."""
    result = np.full(size, -1, dtype=np.int32)
    result[kept] = np.arange(len(kept), dtype=np.int32)
    return result
