"""Label margins of a release, and the published cells as text, however a table stores them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Longs
from hedgerow.core.cells import spelled
from hedgerow.core.counts import dictionary_of
from hedgerow.io.domains import Kind
from hedgerow.io.frames import as_arrow

__all__ = ["ANYONE", "ColumnLifts", "Lifts", "published_texts"]


def published_texts(
    column: nw.Series[Any], kind: Kind, missing: Sequence[str] = ("",)
) -> tuple[list[str | None], Longs]:
    """The distinct cells of a published column as text, and which of them each row has.

    Parameters
    ----------
    column : narwhals Series
        As it came from a release, or was read back from a file: numbers may have become text or the other way round.
    kind : {"number", "text", "date"}
        The kind of the original values.
    missing : sequence of str
        Texts that mean "no value"; they become ``None``, as an empty cell does.

    Examples
    --------
    >>> age = nw.new_series("age", ["{20|21}", "39.0", ""], backend="pyarrow")
    >>> texts, index = published_texts(age, "number")
    >>> [texts[at] for at in index]
    ['{20|21}', '39', None]
    """
    encoded = as_arrow(column)
    if pa.types.is_timestamp(encoded.type):
        encoded = encoded.cast(pa.timestamp("us", encoded.type.tz), safe=False)
    codes, distinct = dictionary_of(column.name, encoded)
    texts = [None if cell in missing else spelled(cell, kind) for cell in distinct.to_pylist()]
    # The last text is for null.
    return [*texts, None], np.where(codes < 0, len(texts), codes).astype(np.int64)


# --------------------------------------------------------------------------------------------------
# Lifts: what a release publishes of regions and by label, beside the proportions of its classes.
#
# A *region* is a union of whole classes. There are several *levels* of them: the whole table, two halves, and so on. Of
# the people of a region, all of them or those with one label, it is published how they are divided among the pools of a
# column: in bins, runs of neighbouring pools that together are the whole column, each of at least as many people as the
# support of the proportions. :mod:`hedgerow.core.proportions.label_margins` makes them, defines whose people count, and
# explains why nobody is singled out; :mod:`hedgerow.core.proportions._ipf` reads them.


ANYONE: Final = -1
"""In the place of a label: all people, whatever their label is."""


@dataclass(frozen=True, eq=False)
class ColumnLifts:
    """One quasi-identifier: how the people of a region, all or those with one label, are divided among its pools.

    Attributes
    ----------
    strength : float
        How strongly drawn values depend on the label: 1 is as published, 0 not at all.
    region, label : int arrays (margins,)
        Whose margin it is; the label is :data:`ANYONE` for all people of the region.
    starts : int array (margins + 1,)
        Where the bins of each margin begin.
    first : int array (bins,)
        The first pool of a bin; it reaches up to the next bin, the last bin to the end.
    records : int array (bins,)
        How many people are in the bin.
    """

    strength: float
    region: Longs
    label: Longs
    starts: Longs
    first: Longs
    records: Longs

    @cached_property
    def margin_of_bin(self) -> Longs:
        """The margin of each bin."""
        return np.repeat(np.arange(len(self.region)), np.diff(self.starts))

    def bin_of_pool(self, pools: int) -> Longs:
        """The bin of each pool, (margins, pools)."""
        begins = np.zeros((len(self.region), pools), dtype=np.int64)
        begins[self.margin_of_bin, self.first] = 1
        return np.asarray(self.starts[:-1, None] + np.cumsum(begins, axis=1) - 1)


@dataclass(frozen=True, eq=False)
class Lifts:
    """The label margins of a release.

    Attributes
    ----------
    target : str
        The column of the labels.
    kind : {"number", "text", "date"}
        The kind of its values.
    labels : tuple of str or None
        Its values as they are published; ``None`` is an empty cell.
    regions : int array (levels, classes)
        The region of each class at each level, numbered through all levels.
    class_of_pair, label_of_pair, people : int arrays (pairs,)
        The classes whose people count, with their labels and how many people have these.
    columns : mapping of column to ColumnLifts
        The quasi-identifiers with margins.
    """

    target: str
    kind: Kind
    labels: tuple[str | None, ...]
    regions: Longs
    class_of_pair: Longs
    label_of_pair: Longs
    people: Longs
    columns: Mapping[str, ColumnLifts]

    def codes_of(self, labels: tuple[str | None, ...]) -> Longs:
        """The codes of some texts among the labels, -1 for any other text."""
        known = {spelled(text, self.kind): code for code, text in enumerate(self.labels)}
        return np.array([known.get(spelled(text, self.kind), -1) for text in labels], dtype=np.int64)

    def labels_of(self, frame: nw.DataFrame[Any], missing: tuple[str, ...]) -> Longs:
        """The label of each row of a published table, -1 where it is unknown."""
        if self.target not in frame.columns:
            return np.full(len(frame), -1, dtype=np.int64)
        texts, index = published_texts(frame[self.target], self.kind, missing)
        return self.codes_of(tuple(texts))[index]

    def to_dict(self) -> dict[str, Any]:
        """The lifts as JSON."""
        return {
            "target": self.target,
            "kind": self.kind,
            "labels": list(self.labels),
            **{name: getattr(self, name).tolist() for name in _ARRAYS},
            "columns": {name: _column_to_dict(column) for name, column in self.columns.items()},
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Lifts:
        """Read what :meth:`to_dict` wrote."""
        arrays = {name: np.array(stored[name], dtype=np.int64) for name in _ARRAYS}
        arrays["regions"] = np.atleast_2d(arrays["regions"])  # earlier versions had one level
        return cls(
            stored["target"],
            stored["kind"],
            tuple(stored["labels"]),
            **arrays,
            columns={name: _column_from_dict(column) for name, column in stored["columns"].items()},
        )


_ARRAYS: Final = ("regions", "class_of_pair", "label_of_pair", "people")
_ARRAYS_OF_COLUMN: Final = ("region", "label", "starts", "first", "records")


def _column_to_dict(column: ColumnLifts) -> dict[str, Any]:
    return {"strength": column.strength, **{name: getattr(column, name).tolist() for name in _ARRAYS_OF_COLUMN}}


def _column_from_dict(stored: Mapping[str, Any]) -> ColumnLifts:
    arrays = {name: np.array(stored[name], dtype=np.int64) for name in _ARRAYS_OF_COLUMN}
    return ColumnLifts(float(stored["strength"]), **arrays)
