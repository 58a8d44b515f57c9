"""Columns of a grouped Arrow table as codes and text labels.

Two cells get the same code exactly if they are the same value: null and NaN are one missing value, -0.0 is 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np

from hedgerow.errors import BadInput
from hedgerow.verifier.classes import Encoded, Labels

__all__ = ["LabelIndex", "as_number", "encode", "text_of"]

_NUMBER: Final = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*\Z", re.ASCII)


def text_of(value: object) -> str | None:
    """Write one value as the text it is compared by.

    >>> text_of(39.0), text_of(-0.0), text_of(2.5), text_of(True), text_of(float("nan")), text_of("039")
    ('39', '0', '2.5', 'true', None, '039')
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value.normalize() + 0:f}"
    return str(value)


def as_number(text: str | None) -> float | None:
    """Read a label as a finite number, or return ``None``."""
    if text is None or _NUMBER.match(text) is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def encode(column: Any, name: str, missing: Sequence[str], *, quasi: bool) -> Encoded:
    """Encode a column of an Arrow table (chunked array) whose rows are few: those of a grouped table.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        Text, numbers or truth values.
    name : str
        Its name, for messages.
    missing : sequence of str
        Texts that mean "no value".
    quasi : bool
        Whether the column is a quasi-identifier. There a reader of the table could tell spellings of missing
        apart, so they are not counted as one value: null beside NaN is refused, and of several spellings only one
        is missing, the others are values.
    """
    # By default Arrow leaves null out of the dictionary, and so holes in the indices.
    dictionary = column.combine_chunks().dictionary_encode(null_encoding="encode")
    if hasattr(dictionary, "combine_chunks"):
        dictionary = dictionary.combine_chunks()
    values = dictionary.dictionary.to_pylist()
    if quasi and None in values and any(isinstance(value, float) and math.isnan(value) for value in values):
        raise BadInput(f"The column {name!r} holds both null and NaN. Make all its missing values null.")
    texts = list(map(text_of, values))
    absent = _one_spelling(texts, missing) if quasi else set(missing)
    texts = [None if text in absent else text for text in texts]
    known = sorted({text for text in texts if text is not None})
    labels: list[str | None] = [*known, None] if None in texts else [*known]
    code_of = {text: code for code, text in enumerate(labels)}
    codes = np.array([code_of[text] for text in texts], dtype=np.int32)
    at = np.asarray(dictionary.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    return Encoded(codes[at], np.array(labels, dtype=object))


def _one_spelling(texts: Sequence[str | None], missing: Sequence[str]) -> set[str]:
    """The text that means "no value" in a quasi-identifier: the first that occurs, and none beside null."""
    return set() if None in texts else set([text for text in missing if text in texts][:1])


class LabelIndex:
    """Finds the code of a value the caller wrote: by its text, else by the number it stands for."""

    def __init__(self, labels: Labels) -> None:
        self._by_text = {text: code for code, text in enumerate(labels)}
        numbers = ((as_number(text), code) for code, text in enumerate(labels))
        self._by_number = {number: code for number, code in reversed(list(numbers)) if number is not None}

    def find(self, value: object) -> int | None:
        """Return the code, or ``None`` if the value does not occur."""
        text = text_of(value)
        if text in self._by_text or text is None:
            return self._by_text.get(text)
        if (number := as_number(text)) is not None:
            return self._by_number.get(number)
        return self._by_text.get(text.lower()) if text.lower() in ("true", "false") else None
