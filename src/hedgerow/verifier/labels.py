"""Columns of a grouped table as codes and text labels.

Two cells of a quasi-identifier get the same code exactly if they are written alike, because that is how a reader tells
people apart: ``-0.0`` is not ``0.0``, ``1.5`` not ``1.50`` (:mod:`hedgerow.verifier.exact` defines it). Two cells of
another column get the same code if they are the same value: a disease is not diverse for being spelled in two ways.
Null and NaN are one missing value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

import numpy as np

from hedgerow.errors import BadInput
from hedgerow.verifier.classes import Encoded, Labels
from hedgerow.verifier.grouping import Distinct

__all__ = ["LabelIndex", "as_number", "encode", "numbers_of", "text_of"]

_NUMBER: Final = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*\Z", re.ASCII)
# As a column of numbers is written: no sign +, no leading zero, an exponent as Python and pandas write it.
_PLAIN: Final = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[+-]\d{2,3})?", re.ASCII)
_WHOLE: Final = re.compile(r"-?\d+", re.ASCII)


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


def numbers_of(texts: Sequence[str]) -> list[int | float] | None:
    """Read the values of a column as numbers if it is a column of numbers, else return ``None``.

    It is one if every text is written as a number, without a leading zero or a plus, and floats can tell apart
    whatever the texts tell apart; identifiers of many digits and codes such as ``011`` or ``1e2`` are text.

    >>> numbers_of(["9", "1.50", "1e+02"]), numbers_of(["9", "011"]), numbers_of(["9", "1e2"])
    ([9, 1.5, 100.0], None, None)
    """
    if not all(_PLAIN.fullmatch(text) for text in texts):
        return None
    exact: list[int | float] = [int(text) if _WHOLE.fullmatch(text) else float(text) for text in texts]
    try:
        floats = [float(number) for number in exact]
    except OverflowError:
        return None
    told_apart = len(set(exact)) == len(set(floats)) and all(map(math.isfinite, floats))
    return exact if told_apart else None


def _by_value(texts: Sequence[str | None]) -> list[str | None]:
    """Write all spellings of a number alike, if the column is one of numbers."""
    known = [text for text in texts if text is not None]
    numbers = numbers_of(known)
    if numbers is None:
        return list(texts)
    written = dict(zip(known, map(text_of, numbers), strict=True))
    return [None if text is None else written[text] for text in texts]


def encode(column: Distinct, name: str, missing: Sequence[str], *, quasi: bool) -> Encoded:
    """Encode a column of a grouped table.

    Parameters
    ----------
    column : Distinct
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
    values, at = column
    if quasi and None in values and any(isinstance(value, float) and math.isnan(value) for value in values):
        raise BadInput(f"The column {name!r} holds both null and NaN. Make all its missing values null.")
    texts = [_as_written(value) for value in values] if quasi else list(map(text_of, values))
    absent = _one_spelling(texts, missing) if quasi else set(missing)
    texts = [None if text in absent else text for text in texts]
    if not quasi:
        texts = _by_value(texts)
    elif len(set(texts)) < len(values):
        raise BadInput(f"The column {name!r} holds different values that have the same text. Turn its cells into text.")
    known = sorted({text for text in texts if text is not None})
    labels: list[str | None] = [*known, None] if None in texts else [*known]
    code_of = {text: code for code, text in enumerate(labels)}
    codes = np.array([code_of[text] for text in texts], dtype=np.int32)
    return Encoded(codes[at], np.array(labels, dtype=object))


def _as_written(value: object) -> str | None:
    """The text of a quasi-identifier's cell; a negative zero shows its sign."""
    negative_zero = isinstance(value, float) and value == 0 and math.copysign(1.0, value) < 0
    return "-0" if negative_zero else text_of(value)


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
