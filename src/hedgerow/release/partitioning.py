"""What may stand in the names of folders: values that enough people share, of columns that are published.

The names tell nothing that the table does not. But they are seen where the table is not: in listings, logs and the
manifest. So each must be of at least as many rows as a class. Folders by quasi-identifiers alone hold whole classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

import pyarrow as pa

from hedgerow.engines import Published
from hedgerow.errors import BadInput, listing
from hedgerow.folders import LONGEST_NAME, Layout, folder_name
from hedgerow.intake import NO_VALUE
from hedgerow.release.guarantee import Guarantee

__all__ = ["check_folders", "check_partition"]

_MOST_FOLDERS: Final = 10_000
_MOST_FILES: Final = 100_000


def check_partition(layout: Layout, published: Sequence[str], roles: Mapping[str, Any]) -> None:
    """Refuse columns by which the rows cannot be divided, before any work is done.

    Parameters
    ----------
    layout : Layout
    published : sequence of str
        The columns that are published.
    roles : mapping
        As the manifest has them: the columns that are pseudonymized, quasi-identifiers, and the entity if there is one.
    """
    for name in layout.partition_by:
        if name not in published:
            raise BadInput.unknown("published column", name, published, "The rows are to be divided by it.")
        if name in roles["pseudonymized"]:
            raise BadInput(f"The rows cannot be divided by {name!r}: a pseudonym is one person's. Name another column.")
        if roles.get("entity") is not None and name not in roles["quasi"]:
            raise BadInput(
                f"The rows cannot be divided by {name!r}: where people are counted, only quasi-identifiers tell that "
                "enough of them share a folder. Name one of these."
            )
        if name.startswith("."):
            raise BadInput(f"The rows cannot be divided by {name!r}: folders that begin with a dot are hidden.")
    if layout.partition_by and set(published) <= set(layout.partition_by):
        raise BadInput("The rows are to be divided by all columns, and the files would have none. Name fewer.")


def check_folders(rows: Published, layout: Layout, guarantee: Guarantee) -> None:
    """Refuse to divide rows where the names of folders would tell of few people, or could not be written."""
    files = 1 if layout.rows_per_file is None else -(-guarantee.rows // layout.rows_per_file)
    if layout.partition_by:
        files += _check_values(rows, layout.partition_by, guarantee)
    if files > _MOST_FILES:
        raise BadInput(f"The rows would be divided among more than {_MOST_FILES:,} files. Raise --rows-per-file.")


def _check_values(rows: Published, columns: Sequence[str], guarantee: Guarantee) -> int:
    named = listing(list(columns))
    grouped = rows.group(columns)
    if len(grouped.rows) > _MOST_FOLDERS:
        raise BadInput(
            f"By {named} the rows would be divided among {len(grouped.rows):,} folders. At most {_MOST_FOLDERS:,} are "
            "possible: name columns with fewer values."
        )
    demanded = max((int(one.minimal_size) for one in guarantee.requirements), default=1)
    few = int((grouped.rows < demanded).sum())
    if few:
        raise BadInput(
            f"By {named} {few:,} of {len(grouped.rows):,} folders would have fewer than {demanded:,} rows, and their "
            "names would tell of few people. Name columns with fewer values, or quasi-identifiers."
        )
    for name, cells in zip(columns, grouped.cells, strict=True):
        _check_column(name, cells)
    return len(grouped.rows)


def _check_column(name: str, cells: pa.Array) -> None:
    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    types = pa.types
    if not any(
        fits(kind)
        for fits in (
            types.is_string,
            types.is_large_string,
            types.is_integer,
            types.is_boolean,
            types.is_date,
            types.is_null,
        )
    ):
        raise BadInput(f"The rows cannot be divided by {name!r}: its values are neither text, whole numbers nor days.")
    texts = [None if value is None else _text(value) for value in set(cells.to_pylist())]
    if "" in texts or NO_VALUE in texts:
        raise BadInput(
            f"The rows cannot be divided by {name!r}: it holds empty text, which the name of a folder cannot tell from "
            "a missing value."
        )
    longest = max(len(folder_name(name, text).encode()) for text in texts)
    if longest > LONGEST_NAME:
        raise BadInput(
            f"The rows cannot be divided by {name!r}: the name of a folder would have {longest:,} bytes, and at most "
            f"{LONGEST_NAME} are possible."
        )


def _text(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)
