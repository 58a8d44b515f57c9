"""Finding the class of a published row: its cells as text, in the one way that all ways of storing them share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from hedgerow.arrays import Longs
from hedgerow.counts.encoding import dictionary_of
from hedgerow.domains import Kind
from hedgerow.frames import as_arrow
from hedgerow.published import spelled

__all__ = ["published_texts"]


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
