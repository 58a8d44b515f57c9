"""Hierarchies from a folder: one file per column, named after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.errors import BadInput, listing

if TYPE_CHECKING:
    from hedgerow.privacy import Requirement

__all__ = ["Found", "find_hierarchies", "needing_trees"]

_ENDINGS = (".csv", ".toml")


@dataclass(frozen=True)
class Found:
    """The hierarchies of a folder.

    Attributes
    ----------
    files : mapping of column to Path
    remarks : tuple of str
        What the user should know: files that belong to no column.
    """

    files: Mapping[str, Path] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def find_hierarchies(folder: str | Path | None, columns: Iterable[str]) -> Found:
    """Find the files ``COLUMN.csv`` and ``COLUMN.toml`` of the columns, and remark on those of no column.

    Parameters
    ----------
    folder : str or Path, optional
        Without one there is nothing to find.
    columns : iterable of str
        The columns that a hierarchy would be used for.
    """
    if folder is None:
        return Found()
    folder = Path(folder)
    if not folder.is_dir():
        raise BadInput(f"There is no folder {str(folder)!r} with hierarchies. Check --hierarchies.")
    wanted = set(columns)
    found: dict[str, Path] = {}
    others: list[str] = []
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in _ENDINGS or not path.is_file():
            continue
        if path.stem not in wanted:
            others.append(path.name)
            continue
        if path.stem in found:
            raise BadInput(
                f"The folder {str(folder)!r} has two hierarchies of the column {path.stem!r}, "
                f"{found[path.stem].name!r} and {path.name!r}. Keep one."
            )
        found[path.stem] = path
    if not found:
        raise BadInput(
            f"The folder {str(folder)!r} has no hierarchy for any of the columns. "
            "Name the files after the columns, such as age.csv or age.toml."
        )
    return Found(found, _remarks(folder, others))


def _remarks(folder: Path, others: Sequence[str]) -> tuple[str, ...]:
    if not others:
        return ()
    return (
        f"In the folder {str(folder)!r}, {listing(others)} belong{'s' if len(others) == 1 else ''} to no column whose "
        "hierarchy is used. Check the names: a file is called as its column is.",
    )


def needing_trees(requirements: Iterable[Requirement]) -> list[str]:
    """The sensitive columns whose hierarchy a requirement measures distances in."""
    return [one.column for one in requirements if one.column is not None and one.needs_tree]
