"""What every artefact of a release is held to: the table that is handed out, and each file that is saved.

The verifier counts the artefact itself, as it is, once. Nothing that fails is handed out, and no file that fails takes
its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import InternalError, NotAnonymous
from hedgerow.verifier import ClassCounts, enforce, verify
from hedgerow.verifier import count_classes as count_published

__all__ = ["Guarantee"]

_DELIMITER, _ENCODING = ",", "utf-8"  # our own files have no others


@dataclass(frozen=True)
class Guarantee:
    """What must be true of the published rows, however they are stored.

    Parameters
    ----------
    columns : tuple of str
        The published columns, in order.
    quasi : tuple of str
        The quasi-identifiers.
    counted : tuple of str
        The sensitive columns and the target.
    requirements : sequence of requirements
        Read by the verifier, which has formulas of its own.
    missing : tuple of str
        Texts that mean "no value".
    rows : int
        How many rows there are.
    enforced : bool
        Whether the requirements must hold; not for a release that is marked as weak.
    """

    columns: tuple[str, ...]
    quasi: tuple[str, ...]
    counted: tuple[str, ...]
    requirements: Sequence[Any]
    missing: tuple[str, ...]
    rows: int
    enforced: bool = True

    def count(self, artefact: Any) -> ClassCounts:
        """Count an artefact, and refuse it unless it is what was to be published and meets the requirements.

        Parameters
        ----------
        artefact : dataframe, DuckDB relation or path
        """
        classes = self._count(artefact)
        if self.enforced:
            enforce(verify(classes, self.requirements))
        return classes

    def count_again(self, path: Path, published: ClassCounts, *, escaped: bool = False) -> None:
        """Count a file that was written from published rows: it must say the same as they do.

        Where formulas were escaped, values have other texts, which no order or tree knows. Then the file must have the
        same classes, and in each of them as many values as often, as the rows that were verified.
        """
        written = self._count(path) if escaped else self.count(path)
        same = np.array_equal(np.sort(written.sizes), np.sort(published.sizes))
        if escaped:
            same = same and all(
                np.array_equal(_profile(written, name), _profile(published, name)) for name in self.counted
            )
        if not same:
            raise NotAnonymous(
                f"The file {path.name!r} would not say what the release says: {len(written.sizes):,} classes were "
                f"written where {len(published.sizes):,} were published. Save the release as .parquet."
            )

    def _count(self, artefact: Any) -> ClassCounts:
        classes = count_published(
            artefact,
            self.quasi,
            sensitive=self.counted,
            missing=self.missing,
            encoding=_ENCODING,
            delimiter=_DELIMITER,
        )
        if classes.table_columns != self.columns:
            raise InternalError("the published columns are not those that were to be published")
        if classes.rows != self.rows:
            raise InternalError(f"{classes.rows:,} rows came out where {self.rows:,} should have")
        return classes


def _profile(classes: ClassCounts, column: str) -> NDArray[np.int64]:
    """How often the values of a column occur in the classes, by the sizes of these: the same for any names of them."""
    histogram = classes.histogram(column)
    rows = np.stack([classes.sizes[histogram.classes], histogram.counts], axis=1)
    return rows[np.lexsort(rows.T)]
