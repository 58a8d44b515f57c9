r"""Published columns as a tree reads them: every distinct cell is a list of the values it may stand for, with shares.

A plain value stands for itself, a set ``{a|b}`` for its members, an interval for the known numbers inside, a label of
a hierarchy for its leaves, ``*`` for every known value; each of them equally. Where a release carries proportions, a
record has those of its class.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.counts import BadValues, EncodedColumn, encode_column
from hedgerow.domains import Domain
from hedgerow.errors import translated
from hedgerow.proportions import Spread
from hedgerow.published import NO_LABELS, Leaves, Possible, canonical
from hedgerow.trees.attributes import MISSING
from hedgerow.trees.contents import contents_of, generalized, known_values
from hedgerow.trees.set_attributes import CellReader, SetAttribute, Shares
from hedgerow.trees.splitting.records import CodeLists
from hedgerow.values import MISSING_TEXT

__all__ = ["SetAttribute", "SetColumn", "cells_of", "joined_lists", "read_training", "read_unseen"]


@dataclass(frozen=True, eq=False)
class SetColumn:
    """A column as cells: which one each row has, and which values with which share each cell stands for.

    Cell ``i`` is the value of code ``i``; then comes the cell of which nothing is known, then the generalized ones,
    then those of the classes of a release.
    """

    attribute: SetAttribute
    cells: CodeLists
    index: Ints
    by_class: Ints

    @property
    def nothing(self) -> int:
        """The cell of which nothing is known."""
        return len(self.attribute.labels)

    @property
    def generalized(self) -> bool:
        """Whether any row has a cell that is no plain value."""
        return bool((self.index > self.nothing).any())


def read_training(
    name: str,
    values: pa.ChunkedArray,
    *,
    missing: Sequence[str] = ("",),
    own: bool = False,
    missing_is_value: bool = True,
    leaves: Leaves = NO_LABELS,
    spread: Spread | None = None,
    classes: Longs | None = None,
) -> SetColumn:
    """Read a column of the training table.

    Parameters
    ----------
    name : str
    values : Arrow array
        Published cells, or raw values of any type.
    missing : sequence of str
        Texts that mean "no value".
    own : bool
        Whether a generalized cell is a value of its own.
    missing_is_value : bool
        Whether missing is a value of its own where the column is no number; else nothing is known of it.
    leaves : mapping of label to values
        How labels of a hierarchy are read.
    spread : Spread, optional
        What the classes of a release may hold, by its proportions; ``classes`` has that of each row, -1 for none.

    Examples
    --------
    >>> column = read_training("sex", pa.chunked_array([["F", "{F|M}", "M", "*"]]))
    >>> column.attribute.labels, column.index.tolist()
    (('F', 'M'), [0, 4, 1, 3])
    """
    texts = _texts(name, values, missing)
    contents = contents_of(texts.domain, leaves)
    told = None if spread is None else spread.domain
    categories = pa.types.is_dictionary(values.type) or (told is not None and told.kind == "text")
    if own and any(map(generalized, contents)):
        labels = sorted({canonical(label) for label in texts.domain.labels.tolist()})
        attribute = SetAttribute(name, tuple(labels), own=True, leaves=leaves)
    else:
        domain = known_values(name, values, texts.domain, contents, told, missing=missing, as_text=categories)
        numbers = None if categories else domain.numbers
        attribute = SetAttribute(name, tuple(domain.labels.tolist()), numbers, leaves=leaves)
    lacks = texts.domain.has_missing or any(isinstance(one, frozenset) and None in one for one in contents)
    lacks = lacks or (spread is not None and spread.domain.has_missing)
    if lacks and missing_is_value and not attribute.numeric:
        attribute = replace(attribute, labels=(*attribute.labels, MISSING_TEXT), has_missing=True)
    return _column(CellReader(attribute, training=True), texts, contents, spread, classes)


def read_unseen(
    attribute: SetAttribute,
    values: pa.ChunkedArray,
    *,
    missing: Sequence[str] = ("",),
    spread: Spread | None = None,
    classes: Longs | None = None,
) -> SetColumn:
    """Read a column of another table as the values of the training table.

    A number that the training table lacks has the code of the next larger one, so that thresholds decide as the
    numbers would; of any other value that it lacks nothing is known. With ``own``, a value has the sets that contain
    it as second choices, of share 0.

    Examples
    --------
    >>> trained = read_training("age", pa.chunked_array([["20", "{30|40}"]])).attribute
    >>> read_unseen(trained, pa.chunked_array([[25, 40]])).index.tolist()
    [1, 2]
    """
    texts = _texts(attribute.name, values, missing)
    contents = contents_of(texts.domain, attribute.leaves)
    return _column(CellReader(attribute, training=False), texts, contents, spread, classes)


def _texts(name: str, values: pa.ChunkedArray, missing: Sequence[str]) -> EncodedColumn:
    with translated(BadValues, into=lambda bad: bad.in_rows(values)):
        return encode_column(name, values, missing=missing)


def _column(
    reader: CellReader, texts: EncodedColumn, contents: Sequence[Possible], spread: Spread | None, classes: Longs | None
) -> SetColumn:
    """Put the cells of a column together."""
    attribute = reader.attribute
    size = len(attribute.labels)
    lists: list[Shares] = []
    cell_of = _numbered(_read(reader, texts.domain, contents), size, lists)
    if texts.domain.has_missing:
        cell_of = np.append(cell_of, np.int32(size - 1 if attribute.has_missing else size))
    index = by_class = cell_of[texts.codes]
    if spread is not None and classes is not None and not attribute.own:
        different, which = _of_classes(reader, spread)
        of_class = _numbered(different, size, lists)[which]
        by_class = np.where(classes >= 0, of_class[classes], index).astype(np.int32)
    return SetColumn(attribute, _cells(size, lists), index, by_class)


def _read(reader: CellReader, domain: Domain, contents: Sequence[Possible]) -> list[Shares]:
    labels: list[str] = domain.labels.tolist()
    numbers = [None] * len(labels) if domain.numbers is None else domain.numbers.tolist()
    return [reader.read(*cell) for cell in zip(labels, numbers, contents, strict=True)]


def _numbered(found: Iterable[Shares], size: int, lists: list[Shares]) -> Ints:
    """The number of each cell: its code if it is one value, else ``size`` if nothing is known, else that of its list.

    New lists are put behind ``lists``.
    """
    cells = []
    for codes, shares in found:
        if not len(codes):
            cells.append(size)
        elif len(codes) == 1 and shares[0] == 1.0 and codes[0] < size:
            cells.append(int(codes[0]))
        else:
            lists.append((codes, shares))
            cells.append(size + len(lists))
    return np.array(cells, dtype=np.int32)


def _of_classes(reader: CellReader, spread: Spread) -> tuple[list[Shares], Longs]:
    """The different cells of the classes of a release, and which of them each class has."""
    domain = spread.domain
    code_of = np.full(domain.size, MISSING, dtype=np.int64)
    alone = _read(reader, domain, [frozenset((label,)) for label in domain.labels.tolist()])
    code_of[: len(alone)] = [codes[0] if len(codes) else MISSING for codes, _ in alone]
    if domain.has_missing and reader.attribute.has_missing:
        code_of[-1] = reader.size
    starts, codes, people = spread.classes()
    found: list[Shares] = []
    known: dict[tuple[bytes, bytes], int] = {}
    which = np.empty(len(starts) - 1, dtype=np.int64)
    for one, (start, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        shares = people[start:end] / people[start:end].sum()
        key = (codes[start:end].tobytes(), shares.tobytes())
        if key not in known:
            known[key] = len(found)
            mine = code_of[codes[start:end]]
            found.append(_merged(mine[mine != MISSING], shares[mine != MISSING]))
        which[one] = known[key]
    return found, which


def _merged(codes: Longs, shares: Floats) -> Shares:
    distinct, which = np.unique(codes, return_inverse=True)
    return distinct.astype(np.int32), np.bincount(which, shares, len(distinct)).astype(np.float64)


def _cells(size: int, lists: Sequence[Shares]) -> CodeLists:
    """The plain values, the one of which nothing is known, then the lists."""
    lengths = np.concatenate([np.ones(size), [0], [len(codes) for codes, _ in lists]]).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    codes = np.concatenate([np.arange(size, dtype=np.int32), *(codes for codes, _ in lists)]).astype(np.int32)
    upto = np.concatenate([np.ones(size), *(_added_up(shares) for _, shares in lists)])
    return CodeLists(starts, codes, upto)


def _added_up(shares: Floats) -> Floats:
    """Running totals that end in 1 exactly where they should."""
    upto = np.cumsum(shares)
    if len(upto) and abs(upto[-1] - 1.0) < 1e-9:
        upto[-1] = 1.0
    return upto


def cells_of(column: SetColumn, index: Ints) -> Ints:
    """Cells as kernels number them: the codes of plain values, -1 for nothing known, then the lists."""
    return np.where(index > column.nothing, index - 1, np.where(index == column.nothing, MISSING, index)).astype(
        np.int32
    )


def joined_lists(columns: Sequence[SetColumn]) -> tuple[CodeLists, list[int]]:
    """The generalized cells of all columns behind one another, and how many each column has."""
    many = [len(column.cells.starts) - column.nothing - 2 for column in columns]
    lengths = [np.diff(column.cells.starts[column.nothing + 1 :]) for column in columns]
    entries = [slice(int(column.cells.starts[column.nothing + 1]), None) for column in columns]
    lists = CodeLists(
        np.cumsum(np.concatenate([[0], *lengths])).astype(np.int64),
        np.concatenate([column.cells.codes[some] for column, some in zip(columns, entries, strict=True)]),
        np.concatenate([column.cells.upto[some] for column, some in zip(columns, entries, strict=True)]),
    )
    return lists, many
