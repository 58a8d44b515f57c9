"""From rows to groups, as SQL: which cell a row is of, whether it is its person's home, and which group it goes to.

Inside DuckDB the file's columns are called c0, c1, …, so that no name of a table can be mistaken for one of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from hedgerow.arrays import Bools
from hedgerow.engines.base import ranking_columns
from hedgerow.engines.coding import CELLS, Keys, with_keys
from hedgerow.engines.sql import canonical_hash, identifier
from hedgerow.engines.workspace import Workspace
from hedgerow.errors import required
from hedgerow.recoding import Pieces
from hedgerow.schema import Roles, Schema

__all__ = ["CELL", "GROUP", "PERSON", "WHOLE", "CountedFile", "People", "dealt_out", "located", "placed"]

CELL: Final = "cell"
GROUP: Final = "group_number"
PERSON: Final = "person"
WHOLE: Final = "whole"
"""The table of cells that go to one group as a whole."""
_RANK: Final = "rank_in_cell"


@dataclass(frozen=True, eq=False)
class People:
    """Who is who: the number of each person as the file names them, where they are at home, and the cells of that."""

    numbers: pa.Table
    homes: pa.Table
    cells: pa.Table


@dataclass(frozen=True, eq=False)
class CountedFile:
    """A file that was counted: its cells are kept in DuckDB by their keys.

    ``inside`` says what each column is called inside DuckDB, and ``kinds`` of what type it is there.
    """

    schema: Schema
    roles: Roles
    inside: Mapping[str, str]
    kinds: Mapping[str, str]
    keys: Keys
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
        names = ranking_columns(self.roles, self.respelled)
        return canonical_hash(seed, {self.inside[name]: self.kinds[name] for name in names})


def located(work: Workspace, roles: Roles, inside: Mapping[str, str], keys: Keys) -> str:
    """The rows of ``source`` with the number of their cell, and of their person where people are counted."""
    names = ", ".join(keys.names)
    cells = f"SELECT {names}, CAST(rowid AS INTEGER) AS {CELL} FROM {CELLS}"
    rows = f"SELECT coded.* EXCLUDE ({names}), {CELL} FROM ({with_keys(work, 'source', keys)}) AS coded JOIN ({cells})"
    rows = f"{rows} USING ({names})"
    if roles.entity is None:
        return rows
    who = f"known.{identifier(inside[roles.entity])} IS NOT DISTINCT FROM people.name"
    return f"SELECT known.*, people.{PERSON} FROM ({rows}) AS known JOIN people ON {who}"


def placed(work: Workspace, counted: CountedFile, pieces: Pieces | None, seed: str, dealt: Pieces | None = None) -> str:
    """The rows of ``source`` that are published, with their cell and group.

    Without pieces the table of whole cells is there already, and has all of them, but for those that are ``dealt``.
    """
    rows = located(work, counted.roles, counted.inside, counted.keys)
    if counted.people is not None:
        work.register(people=counted.people.numbers)
        # Which row is at home must be the same for all that follows.
        work.keep("located_people", _at_home(work, counted, rows, seed))
        rows = "SELECT * FROM located_people"
    return f"WITH located AS ({rows}) {_in_groups(work, counted, pieces, seed, dealt)}"


def _at_home(work: Workspace, counted: CountedFile, rows: str, seed: str) -> str:
    """Rows whose cell says whether they are at home."""
    people = required(counted.people, "who is who")
    work.register(homes=people.homes, apart=people.cells)
    first = f"row_number() OVER (PARTITION BY {PERSON}, {CELL} ORDER BY {counted.rank(seed)}) = 1 AND {CELL} = home"
    known = f"SELECT located.*, {first} AS at_home FROM ({rows}) AS located JOIN homes USING ({PERSON})"
    inner = ", ".join(map(identifier, counted.inside.values()))
    return f"SELECT {inner}, {PERSON}, new_cell AS {CELL} FROM ({known}) JOIN apart USING ({CELL}, at_home)"


def _in_groups(work: Workspace, counted: CountedFile, pieces: Pieces | None, seed: str, dealt: Pieces | None) -> str:
    """Rows with their group; rows of a split cell are ranked by hash and dealt out piece by piece."""
    if pieces is not None:
        _register(work, pieces)
    elif dealt is not None:
        work.register(dealt=dealt_out(dealt))
    whole = f"SELECT located.*, {GROUP} FROM located JOIN {WHOLE} USING ({CELL}) WHERE {GROUP} >= 0"
    if dealt is None and (pieces is None or not pieces.split):
        return whole
    ranked = (
        f"SELECT located.*, row_number() OVER (PARTITION BY {CELL} ORDER BY {counted.rank(seed)}) - 1 AS {_RANK} "
        f"FROM located SEMI JOIN dealt USING ({CELL})"
    )
    parted = (
        f"SELECT ranked.* EXCLUDE ({_RANK}), {GROUP} FROM ({ranked}) AS ranked JOIN dealt "
        f"ON ranked.{CELL} = dealt.{CELL} AND {_RANK} >= dealt.since AND {_RANK} < dealt.past"
    )
    return f"{whole} UNION ALL {parted}"


def _register(work: Workspace, pieces: Pieces) -> None:
    first = pieces.first
    alone = first & np.append(first[1:], True)
    published = pieces.group >= 0
    whole = alone & published
    work.register(
        whole=pa.table({CELL: pieces.cell[whole], GROUP: pieces.group[whole]}),
        dealt=dealt_out(pieces, ~alone & published),
    )


def dealt_out(pieces: Pieces, part: Bools | slice = slice(None)) -> pa.Table:
    """Which rows of a cell, by their ranks, go to which group; of all pieces, or of some."""
    # A running total that begins anew at each cell.
    past = np.cumsum(pieces.size)
    past -= np.maximum.accumulate(np.where(pieces.first, past - pieces.size, 0))
    dealt = {CELL: pieces.cell[part], GROUP: pieces.group[part]}
    return pa.table({**dealt, "since": (past - pieces.size)[part], "past": past[part]})
