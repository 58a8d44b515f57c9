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

from hedgerow.errors import Infeasible, InternalError, NotAnonymous, amount
from hedgerow.verifier import ClassCounts, enforce, verify, within
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
    entity : str, optional
        The column that told people apart, where they are counted and not rows.
    linked : bool
        Whether a reader can tell which rows are of one person. Then at least k people must share all their classes.
    memory : int, optional
        How many bytes of memory the verifier may use to count, where there is a limit.
    """

    columns: tuple[str, ...]
    quasi: tuple[str, ...]
    counted: tuple[str, ...]
    requirements: Sequence[Any]
    missing: tuple[str, ...]
    rows: int
    enforced: bool = True
    entity: str | None = None
    linked: bool = False
    memory: int | None = None

    def count(self, artefact: Any, people: NDArray[np.int64] | None = None) -> ClassCounts:
        """Count an artefact, and refuse it unless it is what was to be published and meets the requirements.

        Parameters
        ----------
        artefact : dataframe, DuckDB relation or path
        people : array of int, optional
            Whose each row is, where people are counted.
        """
        if (people is None) != (self.entity is None):
            raise InternalError("people were to be counted, and nobody says whose the rows are")
        classes = self._count(artefact, people)
        if self.enforced:
            self._enforce_of_people(classes)
            enforce(verify(classes, self.requirements))
        return classes

    def _enforce_of_people(self, classes: ClassCounts) -> None:
        """Refuse, as what no method promises, what can only be seen when people are counted in the release."""
        if self.entity is None:
            return
        for finding in verify(classes, self.requirements).findings:
            if not finding.holds and finding.measure not in ("k", "l", "p"):
                raise Infeasible(
                    f"{finding.requirement} holds of rows, but not of people: {finding.measure} is "
                    f"{finding.reached:.4g} where {finding.required:.4g} is required, because some have many rows in a "
                    "class. Ask for more than you need, for distinct l-diversity, or keep one row of each person."
                )
        demanded = max((int(getattr(one, "k", 1)) for one in self.requirements), default=1)
        if self.linked and classes.linked[0] < demanded:
            raise Infeasible(
                f"The rows of a person stay linked by {self.entity!r}, and the fewest who share all their classes "
                f"are {amount(classes.linked[0], 'people')}, where {demanded:,} are required. Drop that column, or "
                "take a method that generalizes whole columns (optimal, incognito, datafly)."
            )

    def count_again(self, path: Path, published: ClassCounts, *, escaped: bool = False) -> None:
        """Count a file that was written from published rows: it must say the same as they do.

        Where formulas were escaped, values have other texts, which no order or tree knows. Then the file must have the
        same classes, and in each of them as many values as often, as the rows that were verified. So it must where
        people are counted.
        """
        # A file does not say whose its rows are: where people are counted, it must have the rows that were verified.
        compared = escaped or self.entity is not None
        published = published.by_rows if self.entity is not None else published
        written = self._count(path) if compared else self.count(path)
        same = np.array_equal(np.sort(written.sizes), np.sort(published.sizes))
        if compared:
            same = same and all(
                np.array_equal(_profile(written, name), _profile(published, name)) for name in self.counted
            )
        if not same:
            what = "folder" if path.is_dir() else "file"
            raise NotAnonymous(
                f"The {what} {path.name!r} would not say what the release says: {len(written.sizes):,} classes were "
                f"written where {len(published.sizes):,} were published. Save the release as .parquet."
            )

    def _count(self, artefact: Any, people: NDArray[np.int64] | None = None) -> ClassCounts:
        with within(self.memory):
            classes = count_published(
                artefact,
                self.quasi,
                sensitive=self.counted,
                entity=None if people is None else self.entity,
                people=people,
                missing=self.missing,
                encoding=_ENCODING,
                delimiter=_DELIMITER,
            )
        # Columns that stand in the names of folders come after those of the files.
        partitioned = isinstance(artefact, Path) and artefact.is_dir()
        found = (classes.table_columns, self.columns)
        if found[0] != found[1] and not (partitioned and sorted(found[0]) == sorted(found[1])):
            raise InternalError("the published columns are not those that were to be published")
        if classes.rows != self.rows:
            raise InternalError(f"{classes.rows:,} rows came out where {self.rows:,} should have")
        return classes


def _profile(classes: ClassCounts, column: str) -> NDArray[np.int64]:
    """How often the values of a column occur in the classes, by the sizes of these: the same for any names of them."""
    histogram = classes.histogram(column)
    rows = np.stack([classes.sizes[histogram.classes], histogram.counts], axis=1)
    return rows[np.lexsort(rows.T)]
