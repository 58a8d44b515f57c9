"""What an inducer is given: the quasi-identifiers and the label of a frequency table, as weighted rows of codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from hedgerow.arrays import Floats, Ints
from hedgerow.counts import Counted, FrequencyTable
from hedgerow.domains import Domain
from hedgerow.errors import BadInput
from hedgerow.trees.attributes import MISSING, Attribute, CodedColumn, with_missing
from hedgerow.values import MISSING_TEXT

__all__ = [
    "LabelledTuples",
    "TrainingTable",
    "attribute_of",
    "checked_target",
    "known_target",
    "labelled_tuples",
    "training_table",
]


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
