"""What a tree may ask: the columns of its training table as codes, and how the values of other tables read there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.counts import BadValues, EncodedColumn, encode_column
from hedgerow.domains import Domain
from hedgerow.errors import BadInput, listing, translated
from hedgerow.frames import OpenFrame, as_arrow

__all__ = ["Attribute", "CodedColumn", "encode_like", "encode_training", "with_missing"]

MISSING = -1


@dataclass(frozen=True, eq=False)
class Attribute:
    """A column of the training table: its sorted values as text, and as numbers if it is split by a threshold."""

    name: str
    labels: tuple[str, ...]
    numbers: Floats | None = None

    @property
    def numeric(self) -> bool:
        """Whether the values have an order that splits use."""
        return self.numbers is not None

    def __post_init__(self) -> None:
        if self.numbers is not None and len(self.numbers) != len(self.labels):
            raise BadInput(f"The attribute {self.name!r} must have one number for each label.")


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """An attribute and one code per row, -1 for a missing value."""

    attribute: Attribute
    codes: Ints


def encode_training(opened: OpenFrame, missing: Sequence[str], *, derive: bool = False) -> list[CodedColumn]:
    """Code all columns of a table.

    Numbers and dates are numeric. Text, categories and booleans are not, whatever they look like; with ``derive``, for
    what came from a CSV, text that is all numbers or all dates is.
    """
    columns = []
    for name in opened.frame.columns:
        values = as_arrow(opened.frame[name])
        encoded = _encoded(name, values, missing, derive=derive and not pa.types.is_dictionary(values.type))
        domain = encoded.domain
        ordered = domain.numbers is not None and not pa.types.is_dictionary(values.type)
        attribute = Attribute(name, tuple(domain.labels.tolist()), domain.numbers if ordered else None)
        columns.append(CodedColumn(attribute, with_missing(domain, encoded.codes)))
    return columns


def encode_like(attributes: Sequence[Attribute], opened: OpenFrame, missing: Sequence[str]) -> Ints:
    """Code the columns of another table, one row of codes per attribute.

    A category that the training table does not have is missing; a number has the code of the next larger one that
    it has, so that thresholds on codes decide as the numbers would.
    """
    absent = [attribute.name for attribute in attributes if attribute.name not in opened.frame.columns]
    if absent:
        raise BadInput(f"The table lacks columns that the tree was trained with: {listing(absent)}. Add them.")
    codes = np.empty((len(attributes), len(opened.frame)), dtype=np.int32)
    for at, attribute in enumerate(attributes):
        values = as_arrow(opened.frame[attribute.name])
        encoded = _encoded(attribute.name, values, missing, derive=attribute.numeric)
        codes[at] = np.append(_translation(attribute, encoded), MISSING)[with_missing(encoded.domain, encoded.codes)]
    return codes


def _translation(attribute: Attribute, encoded: EncodedColumn) -> Longs:
    """The code of each value in the training table."""
    domain = encoded.domain
    if attribute.numbers is None:
        known = {label: code for code, label in enumerate(attribute.labels)}
        return np.array([known.get(label, MISSING) for label in domain.labels.tolist()], dtype=np.int64)
    if len(domain.labels) and domain.numbers is None:
        raise BadInput(
            f"The column {attribute.name!r} held numbers when the tree was trained and holds text now. Make it numbers."
        )
    numbers = np.empty(0) if domain.numbers is None else domain.numbers
    return np.searchsorted(attribute.numbers, numbers, side="left").astype(np.int64)


def _encoded(name: str, values: Any, missing: Sequence[str], *, derive: bool) -> EncodedColumn:
    advice = "Make them null if they mean 'no value', name them as missing, or make the column categorical."

    def advised(bad: BadValues) -> BadInput:
        return BadValues(name, bad.problem, advice, bad.wrong).in_rows(values)

    with translated(BadValues, into=advised):
        return encode_column(name, values, missing=missing, kind="derived" if derive else "typed")


def with_missing(domain: Domain, codes: Ints) -> Ints:
    """Codes of a domain, -1 for a missing value."""
    return np.where(codes == domain.missing_code, np.int32(MISSING), codes) if domain.has_missing else codes
