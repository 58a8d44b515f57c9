"""Files that are read as one table have the same columns."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.errors import BadInput

__all__ = ["refuse_other_columns"]

_ADVICE = "Files that are read together need the same columns in the same order."


def refuse_other_columns(first: str, columns: Sequence[str], other: str, others: Sequence[str]) -> None:
    """Refuse a file whose columns are not those of the first.

    Only names of the first file are told: a file without a header has cells in their place.

    Parameters
    ----------
    first, other : str
        What messages call the files.
    columns, others : sequence of str
        The names of their columns.
    """
    if len(columns) != len(others):
        raise BadInput(f"The file {other!r} has {len(others):,} columns, {first!r} has {len(columns):,}. {_ADVICE}")
    for number, (name, found) in enumerate(zip(columns, others, strict=True), start=1):
        if name != found:
            raise BadInput(f"Column {number:,} of {other!r} is not {name!r}, as it is in {first!r}. {_ADVICE}")
