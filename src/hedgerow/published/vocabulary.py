"""Reading a column, raw or published, as its distinct cells: each is read once, however many rows have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Final

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hedgerow.arrays import Floats, Longs
from hedgerow.counts import BadValues, encode_column
from hedgerow.counts.encoding import dictionary_of
from hedgerow.counts.reading import is_text
from hedgerow.domains import Kind
from hedgerow.errors import translated
from hedgerow.frames import as_arrow
from hedgerow.published.kinds import number_in
from hedgerow.published.meanings import NO_LABELS, Leaves, over_leaves
from hedgerow.published.notation import Interval, Suppressed, ValueSet, parse
from hedgerow.published.reach import Reach

__all__ = ["CellKind", "Vocabulary", "read_vocabulary"]


class CellKind(IntEnum):
    """What a cell says: a value or a label, several values, or nothing."""

    VALUE = 0
    SET = 1
    INTERVAL = 2
    SUPPRESSED = 3
    MISSING = 4


_KINDS: Final = {
    str: CellKind.VALUE,
    ValueSet: CellKind.SET,
    Interval: CellKind.INTERVAL,
    Suppressed: CellKind.SUPPRESSED,
    type(None): CellKind.MISSING,
}


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The distinct cells of a column.

    Attributes
    ----------
    index : int array (rows,)
        Which of them each row has.
    kinds : int array (cells,)
        The :class:`CellKind` of each.
    texts : tuple of str
        As they are written; numbers in their shortest form.
    numbers : float array (cells,)
        The number that a value is, or the days since 1970 that a date is; else nan.
    several : mapping of cell to ValueSet or Interval
    stored : {"number", "text", "date"}
        How the table stores the column.
    categorical : bool
        Whether it is stored as categories, which stay categories even if they look like numbers.
    """

    index: Longs
    kinds: NDArray[np.int8]
    texts: tuple[str, ...]
    numbers: Floats
    several: dict[int, ValueSet | Interval]
    stored: Kind
    categorical: bool = False

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def rows(self) -> Longs:
        """How many rows have each cell."""
        return np.bincount(self.index, minlength=len(self.texts))

    def which(self, kind: CellKind) -> Longs:
        """The cells of one kind."""
        return np.flatnonzero(self.kinds == kind)

    def members(self) -> list[str | None]:
        """The distinct members of all sets; ``None`` is a missing one."""
        sets = (one.members for one in self.several.values() if isinstance(one, ValueSet))
        return list(dict.fromkeys(member for members in sets for member in members))

    def intervals(self) -> list[Interval]:
        """The intervals."""
        return [one for one in self.several.values() if isinstance(one, Interval)]

    def read_as(self, kind: Kind, leaves: Leaves = NO_LABELS) -> Vocabulary:
        """The same cells in a column of this kind, under these labels.

        A label in a set is replaced by the values below it. In a column of text an interval is only a label.
        """
        kinds, numbers = self.kinds, self.numbers
        several = {
            at: over_leaves(one, leaves) if isinstance(one, ValueSet) else one for at, one in self.several.items()
        }
        if kind == "text":
            kinds = np.where(kinds == CellKind.INTERVAL, CellKind.VALUE, kinds).astype(np.int8)
            several = {at: one for at, one in several.items() if isinstance(one, ValueSet)}
        elif self.stored == "text":
            found = [
                number_in(text, kind) if value else None
                for text, value in zip(self.texts, kinds == CellKind.VALUE, strict=True)
            ]
            numbers = np.array(found, dtype=np.float64)
        return replace(self, kinds=kinds, several=several, numbers=numbers)

    def within(self, reach: Reach) -> Vocabulary:
        """The same cells, with open intervals ended where the column does."""
        several = {at: reach.ended(one) if isinstance(one, Interval) else one for at, one in self.several.items()}
        return replace(self, several=several)


def read_vocabulary(column: nw.Series[Any], missing: Sequence[str] = ("",), *, published: bool = True) -> Vocabulary:
    """Read the distinct cells of a column.

    Parameters
    ----------
    column : narwhals Series
    missing : sequence of str
        Texts that mean "no value", besides null and nan.
    published : bool
        Whether sets, intervals and ``*`` mean what they do in a release; else they are text like any other.

    Examples
    --------
    >>> words = read_vocabulary(nw.new_series("age", ["{20|21}", "39", "*", "39"], backend="pyarrow"))
    >>> words.texts, words.kinds.tolist(), words.index.tolist()
    (('{20|21}', '39', '*'), [1, 0, 3], [0, 1, 2, 1])
    """
    values = as_arrow(column)
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    if is_text(values.type.value_type if pa.types.is_dictionary(values.type) else values.type):
        return _read_texts(column.name, values, missing, published)
    with translated(BadValues, into=lambda bad: bad.in_rows(values)):
        encoded = encode_column(column.name, values, missing=missing)
    domain = encoded.domain
    known = len(domain.labels)
    return Vocabulary(
        encoded.codes.astype(np.int64),
        np.array([CellKind.VALUE] * known + [CellKind.MISSING] * domain.has_missing, dtype=np.int8),
        (*domain.labels.tolist(), *[""] * domain.has_missing),
        np.append(np.full(known, np.nan) if domain.numbers is None else domain.numbers, [np.nan] * domain.has_missing),
        {},
        domain.kind,
    )


def _read_texts(name: str, values: pa.ChunkedArray, missing: Sequence[str], published: bool) -> Vocabulary:
    codes, distinct = dictionary_of(name, values)
    absent = codes < 0
    cells: list[str | None] = [*distinct.to_pylist(), *[None] * bool(absent.any())]
    texts: list[str] = []
    kinds = np.empty(len(cells), dtype=np.int8)
    several: dict[int, ValueSet | Interval] = {}
    for at, text in enumerate(cells):
        said = None if text is None or text in missing else parse(text) if published else text
        if isinstance(said, ValueSet) and len(said.members) == 1:
            (said,) = said.members  # a value that would otherwise read as something else
            text = said
        if isinstance(said, ValueSet | Interval):
            several[at] = said
        texts.append(text if text is not None and said is not None else "")
        kinds[at] = _KINDS[type(said)]
    index = np.where(absent, len(distinct), codes).astype(np.int64)
    categorical = pa.types.is_dictionary(values.type)
    return Vocabulary(index, kinds, tuple(texts), np.full(len(texts), np.nan), several, "text", categorical)
