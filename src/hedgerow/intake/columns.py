"""Files that are read as one table have the same columns."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.errors import BadInput
from hedgerow.intake.parts import Part

__all__ = ["refuse_other_columns", "with_folder_columns"]

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


def with_folder_columns(part: Part, columns: Sequence[str]) -> list[str]:
    """The columns of a file and, after them, those that stand in the names of its folders.

    >>> from pathlib import Path
    >>> with_folder_columns(Part(Path("sex=F/a.csv"), "a.csv", partition=(("sex", "F"),)), ["age"])
    ['age', 'sex']
    """
    told = [name for name, _ in part.partition]
    twice = [name for name in told if name in columns]
    if twice:
        raise BadInput(
            f"The column {twice[0]!r} stands in the files and in the names of their folders too. Leave it out of the "
            "files, or rename the folders."
        )
    return [*columns, *told]
