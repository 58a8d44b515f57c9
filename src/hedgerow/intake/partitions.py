"""Columns that stand in the names of folders, such as ``sex=F/part-0.parquet``: as Hive, Spark and DuckDB write them.

Such a name is a cell of the table, so messages show only the column's part of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote

from hedgerow.errors import BadInput, translated

__all__ = ["NO_VALUE", "Partition", "is_hidden", "is_partition", "masked", "partition_columns", "partition_of"]

NO_VALUE: Final = "__HIVE_DEFAULT_PARTITION__"
"""What stands in the name of a folder whose rows have no value."""

Partition = tuple[tuple[str, str | None], ...]
"""The columns in the names of the folders above a file, from the outermost on, and their values."""


def is_partition(folder: str) -> bool:
    """Whether the name of a folder tells a column and its value.

    >>> is_partition("sex=F"), is_partition("old"), is_partition("=F")
    (True, False, False)
    """
    return folder.find("=") > 0


def is_hidden(name: str) -> bool:
    """Whether a file or folder is no part of a table: a hidden one, or the mark of another program.

    >>> is_hidden("_SUCCESS"), is_hidden(".part-0.crc"), is_hidden("_sex=F"), is_hidden("part-0")
    (True, True, False, False)
    """
    return name.startswith(".") or (name.startswith("_") and not is_partition(name))


def partition_of(folders: Sequence[str]) -> Partition:
    """The columns and values that names of folders tell, unescaped.

    >>> partition_of(["sex=F", "town=Ulm%2FDonau", f"age={NO_VALUE}"])
    (('sex', 'F'), ('town', 'Ulm/Donau'), ('age', None))
    """
    told = []
    for folder in folders:
        column, _, value = folder.partition("=")
        told.append((_unescaped(column), None if value == NO_VALUE else _unescaped(value)))
    return tuple(told)


def masked(folders: Sequence[str]) -> str:
    """The names of folders as messages show them, without their values.

    >>> masked(["sex=F", "town=Ulm"])
    'sex=*/town=*/'
    """
    return "".join(f"{folder.partition('=')[0]}=*/" for folder in folders)


def partition_columns(shown: str, partitions: Sequence[Partition]) -> tuple[str, ...]:
    """The columns that the folders of all files tell, which must be the same ones in the same order."""
    columns = tuple(name for name, _ in partitions[0])
    for partition in partitions[1:]:
        if tuple(name for name, _ in partition) != columns:
            raise BadInput(
                f"The folders in {shown!r} do not all name the same columns in the same order. Files that are read "
                "together need folders such as 'sex=…/age=…' at the same depth."
            )
    if len(set(columns)) < len(columns):
        raise BadInput(f"The folders in {shown!r} name a column twice. Rename one of them.")
    return columns


def _unescaped(text: str) -> str:
    broken = BadInput("The name of a folder that tells a column and its value is not well-formed: check its % signs.")
    with translated(UnicodeDecodeError, into=broken):
        return unquote(text, errors="strict")
