"""From rows to groups, as SQL: which cell a row is of, whether it is its person's home, and which group it goes to.

Inside DuckDB the file's columns are called c0, c1, …, so that no name of a table can be mistaken for one of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from hedgerow.engines.base import ranking_columns
from hedgerow.engines.sql import canonical_hash, identifier
from hedgerow.engines.workspace import Workspace
from hedgerow.errors import required
from hedgerow.recoding import Pieces
from hedgerow.schema import Roles, Schema

__all__ = ["CELL", "GROUP", "PERSON", "CountedFile", "People", "located", "placed"]

CELL: Final = "cell"
GROUP: Final = "group_number"
PERSON: Final = "person"
_RANK: Final = "rank_in_cell"


@dataclass(frozen=True, eq=False)
class People:
    """Who is who: the number of each person as the file names them, where they are at home, and the cells of that."""

    numbers: pa.Table
    homes: pa.Table
    cells: pa.Table


@dataclass(frozen=True, eq=False)
class CountedFile:
    """A file that was counted: its cells, by the values that make them up.

    ``inside`` says what each column is called inside DuckDB.
    """

    schema: Schema
    roles: Roles
    inside: Mapping[str, str]
    cells: pa.Table
    respelled: frozenset[str]
    people: People | None = None

    @property
    def in_clear(self) -> bool:
        """Whether there are columns that have to be looked at: others than those that are counted."""
        return bool(self.roles.insensitive or self.roles.pseudonymized)

    @property
    def kept(self) -> list[str]:
        """The published columns that are no quasi-identifiers."""
        return [name for name in self.roles.published if name not in self.roles.quasi]

    def rank(self, seed: str) -> str:
        """The hash by which rows of one cell are put in an order that the order of the file does not decide."""
        return canonical_hash(seed, [self.inside[name] for name in ranking_columns(self.roles, self.respelled)])


def located(roles: Roles, inside: Mapping[str, str]) -> str:
    """The rows of ``source`` with the number of their cell, and of their person where people are counted."""
    inner = [identifier(inside[name]) for name in roles.counted]
    matching = " AND ".join(f"source.{name} IS NOT DISTINCT FROM cells.{name}" for name in inner)
    if roles.entity is None:
        return f"SELECT source.*, cells.{CELL} FROM source JOIN cells ON {matching}"
    who = f"source.{identifier(inside[roles.entity])} IS NOT DISTINCT FROM people.name"
    return f"SELECT source.*, cells.{CELL}, people.{PERSON} FROM source JOIN cells ON {matching} JOIN people ON {who}"


def placed(work: Workspace, counted: CountedFile, pieces: Pieces, seed: str) -> str:
    """The rows of ``source`` that are published, with their cell and group."""
    work.register(cells=counted.cells)
    rows = located(counted.roles, counted.inside)
    if counted.people is not None:
        work.register(people=counted.people.numbers)
        # Which row is at home must be the same for all that follows.
        work.keep("located_people", _at_home(work, counted, rows, seed))
        rows = "SELECT * FROM located_people"
    return f"WITH located AS ({rows}) {_in_groups(work, counted, pieces, seed)}"


def _at_home(work: Workspace, counted: CountedFile, rows: str, seed: str) -> str:
    """Rows whose cell says whether they are at home."""
    people = required(counted.people, "who is who")
    work.register(homes=people.homes, apart=people.cells)
    first = f"row_number() OVER (PARTITION BY {PERSON}, {CELL} ORDER BY {counted.rank(seed)}) = 1 AND {CELL} = home"
    known = f"SELECT located.*, {first} AS at_home FROM ({rows}) AS located JOIN homes USING ({PERSON})"
    inner = ", ".join(map(identifier, counted.inside.values()))
    return f"SELECT {inner}, {PERSON}, new_cell AS {CELL} FROM ({known}) JOIN apart USING ({CELL}, at_home)"


def _in_groups(work: Workspace, counted: CountedFile, pieces: Pieces, seed: str) -> str:
    """Rows with their group; rows of a split cell are ranked by hash and dealt out piece by piece."""
    _register(work, pieces)
    whole = f"SELECT located.*, {GROUP} FROM located JOIN whole USING ({CELL})"
    if not pieces.split:
        return whole
    ranked = (
        f"SELECT located.*, row_number() OVER (PARTITION BY {CELL} ORDER BY {counted.rank(seed)}) - 1 AS {_RANK} "
        f"FROM located SEMI JOIN dealt USING ({CELL})"
    )
    dealt = (
        f"SELECT ranked.* EXCLUDE ({_RANK}), {GROUP} FROM ({ranked}) AS ranked JOIN dealt "
        f"ON ranked.{CELL} = dealt.{CELL} AND {_RANK} >= dealt.since AND {_RANK} < dealt.past"
    )
    return f"{whole} UNION ALL {dealt}"


def _register(work: Workspace, pieces: Pieces) -> None:
    first = pieces.first
    alone = first & np.append(first[1:], True)
    published = pieces.group >= 0
    whole, part = alone & published, ~alone & published
    # A running total that begins anew at each cell.
    past = np.cumsum(pieces.size)
    past -= np.maximum.accumulate(np.where(first, past - pieces.size, 0))
    dealt = {CELL: pieces.cell[part], GROUP: pieces.group[part]}
    work.register(
        whole=pa.table({CELL: pieces.cell[whole], GROUP: pieces.group[whole]}),
        dealt=pa.table({**dealt, "since": (past - pieces.size)[part], "past": past[part]}),
    )
