"""The training table of an inducer: the quasi-identifiers and the label of a frequency table, as weighted rows."""

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
# Attributes: the columns of a training table as codes, and the values of other tables in these codes.


MISSING = -1


@dataclass(frozen=True, eq=False)
class Attribute:
    """A column of the training table: its sorted values as text, and also as numbers if thresholds split it."""

    name: str
    labels: tuple[str, ...]
    numbers: Floats | None = None

    @property
    def numeric(self) -> bool:
        """Whether thresholds split the values."""
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

    Numbers and dates are numeric; text, categories and booleans are not. With ``derive``, for tables from a CSV file,
    text is numeric if all of it is numbers or dates.
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

    A category that the training table lacks becomes missing. A number that it lacks gets the code of the next larger
    number, so that thresholds on codes and on numbers agree.
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
    """Return the code of each value in the training table."""
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
    """Replace the code of missing values by -1."""
    return np.where(codes == domain.missing_code, np.int32(MISSING), codes) if domain.has_missing else codes


class Least(NamedTuple):
    """The least number of records of (two) branches, and of a node that is split.

    >>> Least.of(5)
    Least(branch=5, node=1)
    """

    branch: int
    node: int = 1

    @classmethod
    def of(cls, given: int | Least) -> Least:
        """Both numbers; an int is that of branches."""
        return given if isinstance(given, Least) else cls(given)


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """The records that an inducer learns from: one row for each combination of quasi-identifiers and label.

    Attributes
    ----------
    columns : tuple of CodedColumn
        The quasi-identifiers. Numbers and dates are numeric, and their missing values have the code -1. A missing
        category is a category like any other, the last one.
    labels : int array (rows,)
        The label of each row.
    classes : tuple of str
        The names of the labels.
    weights : float array (rows,)
        How many records each row stands for.
    min_objects : int
        The number of records that a branch should have; an inducer may ignore it.
    min_split : int
        The number of records that a node needs to be split. An inducer may ignore it, because smaller nodes become
        leaves afterwards.
    """

    columns: tuple[CodedColumn, ...]
    labels: Ints
    classes: tuple[str, ...]
    weights: Floats
    min_objects: int = 2
    min_split: int = 1

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The quasi-identifiers without their codes."""
        return tuple(column.attribute for column in self.columns)

    def to_arrow(self) -> pa.Table:
        """Return the rows as a table of values: numbers as floats, with null for missing ones, and all else as text."""
        return pa.table({column.attribute.name: _values(column) for column in self.columns})


def _values(column: CodedColumn) -> pa.Array:
    attribute = column.attribute
    if attribute.numbers is None:
        return pa.array(attribute.labels, pa.string()).take(pa.array(column.codes))
    missing = column.codes == MISSING
    return pa.array(attribute.numbers, pa.float64()).take(pa.array(column.codes, pa.int32(), mask=missing))


def training_table(counts: FrequencyTable, min_objects: int | Least, owner: str) -> TrainingTable:
    """Lay a frequency table out for an inducer.

    Parameters
    ----------
    counts : FrequencyTable
        It must have a target without missing values.
    min_objects : int or Least
        See :class:`TrainingTable`.
    owner : str
        The name of the method, for messages.
    """
    target = checked_target(counts, owner)
    rows = labelled_tuples(counts, target)
    least = Least.of(min_objects)
    return TrainingTable(
        columns=tuple(
            _column(counts.domains[name], counts.tuples[rows.tuple, at]) for at, name in enumerate(counts.quasi)
        ),
        labels=rows.label,
        classes=tuple(counts.domains[target].labels.tolist()),
        weights=rows.weight,
        min_objects=least.branch,
        min_split=least.node,
    )


class LabelledTuples(NamedTuple):
    """One entry for each tuple and label of its records, with the number of these records."""

    tuple: Ints
    label: Ints
    weight: Floats


def labelled_tuples(counts: FrequencyTable, target: str) -> LabelledTuples:
    """Sum the cells of a table over the sensitive values."""
    label = counts.values_of(target)
    # The cells of a tuple are sorted by target first, so equal rows are adjacent.
    starts = np.ones(len(label), dtype=bool)
    starts[1:] = (counts.cell_tuple[1:] != counts.cell_tuple[:-1]) | (label[1:] != label[:-1])
    first = np.flatnonzero(starts)
    weight = np.add.reduceat(counts.cell_sizes, first).astype(np.float64)
    return LabelledTuples(counts.cell_tuple[first], label[first], weight)


def _column(domain: Domain, codes: Ints) -> CodedColumn:
    attribute = attribute_of(domain)
    return CodedColumn(attribute, with_missing(domain, codes) if attribute.numeric else codes)


def attribute_of(domain: Domain) -> Attribute:
    """Return the attribute of a column: numeric for numbers and dates; a missing category is the last value."""
    labels: Sequence[str] = domain.labels.tolist()
    if domain.numbers is not None and domain.kind != "text":
        return Attribute(domain.name, tuple(labels), domain.numbers)
    return Attribute(domain.name, (*labels, *([MISSING_TEXT] if domain.has_missing else [])))


def known_target(counts: Counted, owner: str) -> str:
    """Return the target of a table; refuse a table without target, or with missing values in it."""
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
    """Return the target of a table; also refuse a target with a different class in every record."""
    target = known_target(counts, owner)
    rows = int(counts.whole[target].sum()) if target in counts.whole else counts.rows
    if len(counts.domains[target].labels) == rows and rows > 1:
        raise BadInput(
            f"The target {target!r} has a different class in each of the {rows:,} records, so there is nothing "
            "to learn. Is it an identifier, or a number that should be grouped?"
        )
    return target
