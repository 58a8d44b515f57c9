"""The pieces of SQL that counting and applying are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["canonical_hash", "column_list", "identifier", "literal"]


def identifier(name: str) -> str:
    """Quote a column name."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text."""
    return "'" + text.replace("'", "''") + "'"


def column_list(names: Iterable[str], prefix: str = "") -> str:
    """Quote several column names."""
    return ", ".join(prefix + identifier(name) for name in names)


def canonical_hash(seed: str, names: Sequence[str], prefix: str = "") -> str:
    """The expression by which rows of one cell are ranked: md5 of the seed and the row's other columns as text.

    Equal rows tie, and it does not matter which of them goes where: the release is the same multiset.
    """
    parts = [
        literal(seed),
        *(f"coalesce(CAST({prefix}{identifier(name)} AS VARCHAR), chr(1))" for name in names),
    ]
    return "md5(concat_ws(chr(31), " + ", ".join(parts) + "))"
