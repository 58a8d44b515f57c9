"""Finding the class of a published row: its cells as text, in the one way that all ways of storing them share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow.arrays import Ints, Longs
from hedgerow.counts.encoding import dictionary_of
from hedgerow.domains import Kind
from hedgerow.frames import as_arrow
from hedgerow.published import spelled

__all__ = ["ClassIndex", "published_texts"]

Published = tuple[str | None, ...]


def published_texts(
    column: nw.Series[Any], kind: Kind, missing: Sequence[str] = ("",)
) -> tuple[list[str | None], Longs]:
    """The distinct cells of a published column as text, and which of them each row has.

    Parameters
    ----------
    column : narwhals Series
        As it came from a release, or was read back from a file: numbers may have become text or the other way round.
    kind : {"number", "text", "date"}
        What the original values are.
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
    # The last one is for null.
    return [*texts, None], np.where(codes < 0, len(texts), codes).astype(np.int64)


class ClassIndex:
    """The classes of a release by what they publish."""

    def __init__(self, texts: Mapping[str, tuple[Kind, Published]], classes: Ints) -> None:
        self._known = {
            name: {spelled(text, kind): code for code, text in enumerate(of_column)}
            for name, (kind, of_column) in texts.items()
        }
        self._class = {tuple(row): at for at, row in enumerate(classes.tolist())}

    def codes(self, name: str, texts: Sequence[str | None]) -> Ints:
        """The code of each text in a column; one beyond the last where no class publishes it."""
        known = self._known[name]
        return np.array([known.get(text, len(known)) for text in texts], dtype=np.int32)

    def classes(self, rows: Ints) -> Longs:
        """The class of each combination of codes, -1 if there is none."""
        return np.array([self._class.get(tuple(row), -1) for row in rows.tolist()], dtype=np.int64)
