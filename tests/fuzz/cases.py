"""A case of the fuzz: a table, its roles, a method and what is required of the release, all of it plain JSON.

A case that fails is printed and written as it is, and ``replay.py`` runs it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

__all__ = ["Case", "Cell", "Column", "Requirement", "from_json", "grown", "to_json"]

Cell = None | bool | int | float | str
"""A cell: dates and moments are ISO text."""

Requirement = Mapping[str, Any]
"""A requirement: its ``name`` (k, l, t, p, alpha) and its parameters."""


@dataclass(frozen=True)
class Column:
    """A column of the input.

    Attributes
    ----------
    name : str
    kind : str
        ``int``, ``float``, ``text``, ``bool``, ``date`` or ``datetime``.
    role : str
        ``quasi``, ``target``, ``sensitive``, ``insensitive``, ``identifying``, ``pseudonymize`` or ``unnamed``.
    cells : tuple of Cell
    categorical : bool
        Whether a dataframe holds it as a category.
    hierarchy : JSON, optional
        A builder's name, nested dicts that end in lists, or ``{"build": name, ...}`` with the builder's arguments.
    part_of : str, optional
        The quasi-identifier of which the column is a part, such as the year of a date.
    renames : bool
        Whether the column, together with the others of which this is said, has a value for each person of the entity.
    """

    name: str
    kind: str
    role: str
    cells: tuple[Cell, ...]
    categorical: bool = False
    hierarchy: Any = None
    part_of: str | None = None
    renames: bool = False


@dataclass(frozen=True)
class Case:
    """One run: where the table comes from, what is done to it, and how the release is saved.

    Attributes
    ----------
    method : str
    options : mapping
        The method's own parameters.
    columns : tuple of Column
    k : int, optional
    require : tuple of Requirement
    source : str
        A kind of dataframe or file; see ``sources.SOURCES``.
    saved : str
        The ending of the saved file.
    missing : tuple of str
        Texts that mean "no value".
    null_text : str
        How a CSV of the input writes null.
    others : str
        What the schema does with columns of no role.
    weights : mapping
        What quasi-identifiers weigh.
    kinds : mapping
        What the schema says that columns hold.
    entity : str, optional
        The column that identifies people.
    seed : int, optional
    proportions : bool
    destination : bool
        Whether the place of the saved file is known beforehand, as it is for the command.
    accept_parts : bool
        Whether the schema accepts what parts of quasi-identifiers disclose, as it does of other insensitive columns.
    min_people : int, optional
        How many people must hold every published value.
    times : int
        How often the table has its rows, each time of other people; see :func:`grown`.
    """

    method: str
    options: Mapping[str, Any]
    columns: tuple[Column, ...]
    k: int | None
    require: tuple[Requirement, ...]
    source: str = "pyarrow"
    saved: str = "csv"
    missing: tuple[str, ...] = ("",)
    null_text: str = ""
    others: str = "error"
    weights: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[str, Any] = field(default_factory=dict)
    entity: str | None = None
    seed: int | None = 0
    proportions: bool = False
    destination: bool = False
    accept_parts: bool = False
    min_people: int | None = None
    times: int = 1

    @property
    def accepted(self) -> list[str]:
        """The columns that the schema accepts as they are."""
        published = ("unnamed",) if self.others == "insensitive" else ()
        columns = self.of_role("insensitive", *published)
        return [
            column.name for column in columns if not column.renames and (column.part_of is None or self.accept_parts)
        ]

    @property
    def rows(self) -> int:
        """The rows of the input."""
        return len(self.columns[0].cells)

    def of_role(self, *roles: str) -> list[Column]:
        """The columns of some roles, in the order of the table."""
        return [column for column in self.columns if column.role in roles]

    def column(self, name: str) -> Column:
        """The column of a name."""
        return next(column for column in self.columns if column.name == name)

    @property
    def published(self) -> list[str]:
        """The columns of the release, in the order of the table."""
        gone = {"identifying", "unnamed"} if self.others == "drop" else {"identifying"}
        return [column.name for column in self.columns if column.role not in gone]

    @property
    def requirements(self) -> list[Requirement]:
        """All that is required, the k of all quasi-identifiers first; trees of hierarchies where none is given."""
        every: list[Requirement] = [] if self.k is None else [{"name": "k", "k": self.k}]
        for one in self.require:
            if one["name"] == "t" and one.get("distance") == "hierarchical" and one.get("tree") is None:
                every.append({**one, "tree": self.column(one["column"]).hierarchy})
            else:
                every.append(one)
        return every


def grown(case: Case) -> Case:
    """The case with all its rows: as often as it says, each time of other people."""
    if case.times == 1:
        return case
    columns = tuple(replace(column, cells=tuple(_grown(column, case.times))) for column in case.columns)
    return replace(case, columns=columns, times=1)


def _grown(column: Column, times: int) -> Iterator[Cell]:
    """The cells of a column as often as that; what names a row or a person names others each time."""
    rows = len(column.cells)
    for again in range(times):
        for row, cell in enumerate(column.cells):
            if cell is None:
                yield None
            elif column.name == "row":
                yield f"row-{again * rows + row}"
            elif column.name == "mark":
                yield f"canary of the row {again * rows + row:05d}"
            elif column.role in ("identifying", "pseudonymize") or (column.renames and isinstance(cell, str)):
                yield f"{cell} {again}"
            elif column.name == "alias high" and isinstance(cell, int):
                yield cell + again * rows
            else:
                yield cell


def to_json(case: Case) -> str:
    """Write a case as one line of JSON; floats come back as they are."""
    return json.dumps(asdict(case), ensure_ascii=True)


def from_json(text: str) -> Case:
    """Read what :func:`to_json` wrote."""
    stored: dict[str, Any] = json.loads(text)
    columns = tuple(Column(**{**column, "cells": tuple(column["cells"])}) for column in stored.pop("columns"))
    stored |= {name: tuple(stored[name]) for name in ("require", "missing") if name in stored}
    return Case(columns=columns, **stored)
