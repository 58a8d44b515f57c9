"""Counts who holds each published value, column by column.

A value is what a reader sees: two spellings are two values, and a missing cell is a value like any other. Each count
looks at one column only, so combinations of columns may be rarer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from hedgerow.errors import HedgerowError, listing, plural
from hedgerow.verifier._counting import RowOwners, group_columns, open_table
from hedgerow.verifier._verdict import Finding
from hedgerow.verifier.classes import distinct, encode_values

__all__ = ["PEOPLE_PER_VALUE", "PeoplePerValue", "RareValues", "people_per_value"]

PEOPLE_PER_VALUE: Final = "people per value"
"""The measure of the finding."""


@dataclass(frozen=True)
class RareValues:
    """The values of a column that too few people hold.

    Attributes
    ----------
    fewest : int
        The people who hold the rarest value of the column, whether they are too few or not.
    values, rows : int
        How many values too few people hold, and the rows of these.
    """

    fewest: int
    values: int
    rows: int


@dataclass(frozen=True)
class PeoplePerValue:
    """Whether enough people hold every published value.

    Attributes
    ----------
    least : int
        How many people every value needs.
    columns : mapping of column to RareValues
    exempt : tuple of str
        Columns that name people, such as pseudonyms, of which nothing is promised.
    counted : {"rows", "people"}
    """

    least: int
    columns: Mapping[str, RareValues]
    exempt: tuple[str, ...]
    counted: Literal["rows", "people"]

    @property
    def failing(self) -> dict[str, RareValues]:
        """The columns with values that too few hold."""
        return {name: rare for name, rare in self.columns.items() if rare.values}

    @property
    def promise(self) -> str:
        """What is demanded, in words.

        >>> PeoplePerValue(11, {}, ("case",), "people").promise
        "at least 11 people for every value of every column except 'case'"
        """
        besides = f" except {listing(self.exempt)}" if self.exempt else ""
        return f"at least {plural(self.least, 'people')} for every value of every column{besides}"

    @property
    def finding(self) -> Finding:
        """The finding about all columns together; its classes are values."""
        return Finding(
            requirement=self.promise,
            measure=PEOPLE_PER_VALUE,
            holds=not self.failing,
            reached=float(min((rare.fewest for rare in self.columns.values()), default=0)),
            required=float(self.least),
            classes_violating=sum(rare.values for rare in self.columns.values()),
            rows_violating=sum(rare.rows for rare in self.columns.values()),
        )


def people_per_value(
    table: Any,
    least: int,
    *,
    entity: str | RowOwners | None = None,
    exempt: Sequence[str] = (),
    missing: Sequence[str] = (),
) -> PeoplePerValue:
    """Count the people, or rows, of every value of every column of a table.

    Parameters
    ----------
    table : dataframe, DuckDB relation, table of Spark, path, or what :func:`open_table` returned
    least : int
        How many people every value needs.
    entity : str or RowOwners, optional
        As for :func:`count_classes`. A column that identifies the person is exempt.
    exempt : sequence of str
        Further columns of which nothing is demanded.
    missing : sequence of str
        Texts that mean that a row has no person.

    Examples
    --------
    >>> import pyarrow as pa
    >>> found = people_per_value(pa.table({"sex": ["F", "F", "M"], "town": ["Ulm", "Ulm", "Ulm"]}), 2)
    >>> found.failing
    {'sex': RareValues(fewest=1, values=1, rows=1)}
    """
    opened = open_table(table)
    named, owners = (entity.entity, entity.people) if isinstance(entity, RowOwners) else (entity, None)
    named_too = () if named is None or named not in opened.columns else (named,)
    without = tuple(dict.fromkeys((*(name for name in opened.columns if name in exempt), *named_too)))
    columns = {}
    for name in opened.columns:
        if name in without:
            continue
        by_person = named is not None and owners is None
        grouped = group_columns(opened, (name, named) if by_person and named is not None else (name,), owners)
        if not len(grouped.rows):
            raise HedgerowError("The table has no rows. There is nothing to count.")
        value = grouped.columns[0]
        number = int(value.at.max()) + 1
        rows = np.bincount(value.at, grouped.rows, number).astype(np.int64)
        people = rows
        if named is not None:
            who = encode_values(grouped.columns[1], missing).codes if owners is None else grouped.columns[1].at
            _, first = distinct([(value.at, number), (who, int(who.max()) + 1)])
            people = np.bincount(value.at[first], minlength=number)
        few = people < least
        columns[name] = RareValues(int(people.min()), int(few.sum()), int(rows[few].sum()))
    return PeoplePerValue(least, columns, without, "rows" if named is None else "people")
