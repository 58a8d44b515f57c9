"""What an inducer is given: the quasi-identifiers and the label of a frequency table, as weighted rows of codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow.core.counts import BadValues, Counted, EncodedColumn, FrequencyTable, encode_column
from hedgerow.errors import BadInput, listing, translated
from hedgerow.io.domains import Domain
from hedgerow.io.frames import OpenFrame, as_arrow
from hedgerow.io.values import MISSING_TEXT

__all__ = [
    "Attribute",
    "CodedColumn",
    "LabelledTuples",
    "TrainingTable",
    "attribute_of",
    "checked_target",
    "encode_like",
    "encode_training",
    "known_target",
    "labelled_tuples",
    "training_table",
    "with_missing",
]


# --------------------------------------------------------------------------------------------------
# What a tree may ask: the columns of its training table as codes, and how the values of other tables read there.


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


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """The records a tree is grown from: one row for each combination of quasi-identifiers and label.

    Attributes
    ----------
    columns : tuple of CodedColumn
        The quasi-identifiers. Numbers and dates are numeric, their missing values have the code -1; a missing
        category is a category like any other, the last one.
    labels : int array (rows,)
        The label of each row.
    classes : tuple of str
        What the labels are called.
    weights : float array (rows,)
        How many records each row stands for.
    min_objects : int
        How many records a branch should have; an inducer may use it or not.
    """

    columns: tuple[CodedColumn, ...]
    labels: Ints
    classes: tuple[str, ...]
    weights: Floats
    min_objects: int = 2

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The quasi-identifiers without their codes."""
        return tuple(column.attribute for column in self.columns)

    def to_arrow(self) -> pa.Table:
        """The rows as a table, for inducers that want values: numbers as floats (missing null), the rest as text."""
        return pa.table({column.attribute.name: _values(column) for column in self.columns})


def _values(column: CodedColumn) -> pa.Array:
    attribute = column.attribute
    if attribute.numbers is None:
        return pa.array(attribute.labels, pa.string()).take(pa.array(column.codes))
    missing = column.codes == MISSING
    return pa.array(attribute.numbers, pa.float64()).take(pa.array(column.codes, pa.int32(), mask=missing))


def training_table(counts: FrequencyTable, min_objects: int, owner: str) -> TrainingTable:
    """Lay a frequency table out for an inducer.

    Parameters
    ----------
    counts : FrequencyTable
        With a target, of which no value may be missing.
    min_objects : int
        Handed on.
    owner : str
        The method that asks, for messages.
    """
    target = checked_target(counts, owner)
    rows = labelled_tuples(counts, target)
    return TrainingTable(
        columns=tuple(
            _column(counts.domains[name], counts.tuples[rows.tuple, at]) for at, name in enumerate(counts.quasi)
        ),
        labels=rows.label,
        classes=tuple(counts.domains[target].labels.tolist()),
        weights=rows.weight,
        min_objects=min_objects,
    )


class LabelledTuples(NamedTuple):
    """Every tuple once for each label that its records have, and how many have it."""

    tuple: Ints
    label: Ints
    weight: Floats


def labelled_tuples(counts: FrequencyTable, target: str) -> LabelledTuples:
    """Add the cells of a table up over the sensitive values."""
    label = counts.values_of(target)
    # The target comes first among a tuple's cells, so equal rows stand together.
    starts = np.ones(len(label), dtype=bool)
    starts[1:] = (counts.cell_tuple[1:] != counts.cell_tuple[:-1]) | (label[1:] != label[:-1])
    first = np.flatnonzero(starts)
    weight = np.add.reduceat(counts.cell_sizes, first).astype(np.float64)
    return LabelledTuples(counts.cell_tuple[first], label[first], weight)


def _column(domain: Domain, codes: Ints) -> CodedColumn:
    attribute = attribute_of(domain)
    return CodedColumn(attribute, with_missing(domain, codes) if attribute.numeric else codes)


def attribute_of(domain: Domain) -> Attribute:
    """What a tree may ask of a column: a number or date by threshold; a missing category is the last one."""
    labels: Sequence[str] = domain.labels.tolist()
    if domain.numbers is not None and domain.kind != "text":
        return Attribute(domain.name, tuple(labels), domain.numbers)
    return Attribute(domain.name, (*labels, *([MISSING_TEXT] if domain.has_missing else [])))


def known_target(counts: Counted, owner: str) -> str:
    """The target of a table, of which no value is missing."""
    target = counts.roles.target
    if target is None:
        raise BadInput(f"{owner} is guided by the class, so it needs a target. Name the column of the class.")
    domain = counts.domains[target]
    if domain.has_missing:
        lacking = int(counts.histogram(target)[domain.missing_code])
        raise BadInput(
            f"The target {target!r} has no class in {lacking:,} of {counts.rows:,} records, and {owner} learns from "
            "the class. Remove these records, or give them a class of their own."
        )
    return target


def checked_target(counts: Counted, owner: str) -> str:
    """The target of a table that a tree can be grown from."""
    target = known_target(counts, owner)
    if len(counts.domains[target].labels) == counts.rows and counts.rows > 1:
        raise BadInput(
            f"The target {target!r} has a different class in each of the {counts.rows:,} records, so there is nothing "
            "to learn. Is it an identifier, or a number that should be grouped?"
        )
    return target
