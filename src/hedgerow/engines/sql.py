"""The pieces of SQL that counting and applying are made of."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from pathlib import Path

from hedgerow.errors import InternalError

__all__ = ["canonical_hash", "column_list", "file_literal", "file_literals", "identifier", "literal", "place_literal"]


def identifier(name: str) -> str:
    """Quote a column name."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text."""
    return "'" + text.replace("'", "''") + "'"


def file_literal(path: str | Path) -> str:
    """Quote the path of one file to read, so that DuckDB does not take it for a pattern of many."""
    return literal(glob.escape(_from_the_root(path)))


def file_literals(paths: Iterable[str | Path]) -> str:
    """Quote the paths of files to read together, in order."""
    return f"[{', '.join(map(file_literal, paths))}]"


def place_literal(path: str | Path) -> str:
    """Quote the path of a file to write."""
    return literal(_from_the_root(path))


def _from_the_root(path: str | Path) -> str:
    """Refuse what DuckDB could read in another way than Python: ``~``, ``file:``, ``s3:`` and the like."""
    if not Path(path).is_absolute():
        raise InternalError("a path that does not begin at the root was to be handed to DuckDB")
    return str(path)


def column_list(names: Iterable[str]) -> str:
    """Quote several column names."""
    return ", ".join(identifier(name) for name in names)


def canonical_hash(seed: str, names: Sequence[str]) -> str:
    """The expression by which rows of one cell are ranked: md5 of the seed and the row's other columns as text.

    Each text is led by its length, so that no two rows that differ are joined to the same text. Equal rows tie, and
    it does not matter which of them goes where: the release is the same multiset.
    """
    texts = [f"CAST({identifier(name)} AS VARCHAR)" for name in names]
    parts = [literal(seed), *(f"coalesce(length({text}) || ':' || {text}, '-')" for text in texts)]
    return "md5(concat_ws('|', " + ", ".join(parts) + "))"
