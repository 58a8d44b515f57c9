"""What groups publish: for each column a list of published values and the original codes that each covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.domains import Domain

__all__ = ["Pieces", "PublishedColumn", "PublishedKind"]

PublishedKind = Literal["value", "set", "interval", "label", "number", "suppressed"]


@dataclass(frozen=True, eq=False)
class Pieces:
    """How many records of each cell go to which group; group -1 means that they are not published.

    Attributes
    ----------
    cell, group : int arrays (pieces,)
        Ascending in ``cell``; a cell that goes to one group has one piece.
    size : int array (pieces,)
    """

    cell: NDArray[np.int32]
    group: NDArray[np.int32]
    size: NDArray[np.int64]

    @classmethod
    def whole(cls, group_of_cell: NDArray[np.int32], cell_sizes: NDArray[np.int64]) -> Pieces:
        """Every cell goes to one group."""
        return cls(np.arange(len(group_of_cell), dtype=np.int32), group_of_cell.astype(np.int32), cell_sizes)

    @classmethod
    def gathered(cls, cell: NDArray[np.int32], group: NDArray[np.int32], size: NDArray[np.int64]) -> Pieces:
        """Pieces in any order, those of one cell and group added up."""
        groups = int(group.max()) + 2
        key = cell.astype(np.int64) * groups + (group + 1)
        order = np.argsort(key, kind="stable")
        key = key[order]
        first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
        cells, of_group = np.divmod(key[first], groups)
        return cls(cells.astype(np.int32), (of_group - 1).astype(np.int32), np.add.reduceat(size[order], first))

    @property
    def split(self) -> bool:
        """Whether some cell goes to several groups."""
        return bool((self.cell[1:] == self.cell[:-1]).any())


@dataclass(frozen=True, eq=False)
class PublishedColumn:
    """The published values of one column.

    Attributes
    ----------
    domain : Domain
        The original values.
    texts : tuple of str or None
        Each published value as text; ``None`` is a missing value published as such.
    kinds : tuple of str
        ``"value"`` (one original value), ``"set"``, ``"interval"``, ``"label"`` (a hierarchy's), ``"number"``
        (a statistic of the group) or ``"suppressed"``.
    starts, members : int arrays
        Published value ``i`` covers the domain codes ``members[starts[i]:starts[i + 1]]``.
    nodes : int array, optional
        The hierarchy's node of each published value, where all of them are nodes.
    """

    domain: Domain
    texts: tuple[str | None, ...]
    kinds: tuple[PublishedKind, ...]
    starts: NDArray[np.int64]
    members: NDArray[np.int32]
    nodes: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def unchanged(self) -> bool:
        """Whether every published value is one original value, so that the column comes out as it went in."""
        return all(kind == "value" for kind in self.kinds)

    @property
    def numeric(self) -> bool:
        """Whether the column is published as numbers (suppressed ones null)."""
        hidden = zip(self.kinds, self.texts, strict=True)
        return self.domain.kind == "number" and any(
            kind == "number" or (kind == "suppressed" and text is None) for kind, text in hidden
        )

    @property
    def numbers(self) -> list[float | None]:
        """The published values of a column that is published as numbers."""
        return [
            None if text is None or kind == "suppressed" else float(text)
            for text, kind in zip(self.texts, self.kinds, strict=True)
        ]

    @property
    def widths(self) -> NDArray[np.int64]:
        """How many original values each published value covers."""
        return np.diff(self.starts)
