"""Hierarchies from a folder: one file per column, named after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.errors import BadInput

if TYPE_CHECKING:
    from hedgerow.privacy import Requirement

__all__ = ["find_hierarchies", "give_trees", "needing_trees"]

_ENDINGS = (".csv", ".toml")


def find_hierarchies(folder: str | Path | None, columns: Iterable[str]) -> dict[str, Path]:
    """Find the files ``COLUMN.csv`` and ``COLUMN.toml`` of the columns; files of other columns are left alone.

    Parameters
    ----------
    folder : str or Path, optional
        Without one there is nothing to find.
    columns : iterable of str
        The columns that a hierarchy would be used for.
    """
    if folder is None:
        return {}
    folder = Path(folder)
    if not folder.is_dir():
        raise BadInput(f"There is no folder {str(folder)!r} with hierarchies. Check --hierarchies.")
    wanted = set(columns)
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in _ENDINGS or path.stem not in wanted or not path.is_file():
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
    return found


def needing_trees(requirements: Iterable[Requirement]) -> list[str]:
    """The sensitive columns whose hierarchy a requirement measures distances in."""
    return [one.column for one in requirements if one.column is not None and one.needs_tree]


def give_trees(requirements: Sequence[Requirement], files: dict[str, Path]) -> tuple[Requirement, ...]:
    """Give each requirement that needs one the tree of its column's file, for a table that is only audited."""
    import numpy as np

    from hedgerow import privacy
    from hedgerow.domains import Domain
    from hedgerow.hierarchies import read_arx, read_toml

    trees = {}
    for name in dict.fromkeys(needing_trees(requirements)):
        if name in files:
            path = files[name]
            taxonomy = read_toml(path) if path.suffix.lower() == ".toml" else read_arx(path)
            values = sorted(taxonomy.tree.labels[leaf] for leaf in taxonomy.tree.leaves())
            trees[name] = taxonomy.encode(Domain(name, "text", np.array(values))).to_tree()
    return privacy.with_trees(requirements, trees)
