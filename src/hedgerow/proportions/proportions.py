"""What a release says of its classes beyond the published values: how many of their people hold which value.

A class are the rows with the same published quasi-identifiers. All its people have the same proportions, so that they
tell nobody apart from fewer than k others; but they do tell more about each of them than the published value alone.
The idea: k-anonymous data representation for neural networks, section III.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from hedgerow.counts import tabulate
from hedgerow.domains import Domain
from hedgerow.errors import BadInput
from hedgerow.places import appearing, check_place
from hedgerow.proportions.matching import ClassIndex, published_texts

__all__ = ["ColumnProportions", "Proportions"]

_FORMAT = "hedgerow proportions 1"


@dataclass(frozen=True, eq=False)
class ColumnProportions:
    """One quasi-identifier: what each class publishes, and how many of its records hold which value.

    Attributes
    ----------
    domain : Domain
        The values that published records hold.
    texts : tuple of str or None
        The published values, each once; ``None`` is an empty cell.
    published : int array (classes,)
        Which of them each class publishes.
    starts : int array (classes + 1,)
        Class ``i`` holds the values ``codes[starts[i]:starts[i + 1]]``, ascending.
    codes : int array
    records : int array
        How many records of the class hold the value.
    """

    domain: Domain
    texts: tuple[str | None, ...]
    published: NDArray[np.int32]
    starts: NDArray[np.int64]
    codes: NDArray[np.int32]
    records: NDArray[np.int64]

    @cached_property
    def class_of_entry(self) -> NDArray[np.int32]:
        """The class of each entry of ``codes`` and ``records``."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))


@dataclass(frozen=True, eq=False)
class Proportions:
    """How often each original value occurs in every class of a release.

    Attributes
    ----------
    columns : tuple of ColumnProportions
        One for each quasi-identifier.
    sizes : int array (classes,)
        The records of each class.
    missing : tuple of str
        Texts that mean "no value" in the published table.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> people = pa.table({"age": [20, 21, 21, 60, 61, 61]})
    >>> release = hr.anonymize(people, hr.Schema(quasi=["age"]), k=3, publish_proportions=True)
    >>> release.proportions.shares("age")["{20|21}"]
    {'20': 0.3333333333333333, '21': 0.6666666666666666}
    """

    columns: tuple[ColumnProportions, ...]
    sizes: NDArray[np.int64]
    missing: tuple[str, ...] = ("",)

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(column.domain.name for column in self.columns)

    def column(self, name: str) -> ColumnProportions:
        """The proportions of one quasi-identifier."""
        if name not in self.quasi:
            raise BadInput.unknown("column", name, self.quasi, "The proportions speak of the quasi-identifiers.")
        return self.columns[self.quasi.index(name)]

    def shares(self, name: str) -> dict[str | None, dict[str | None, float]]:
        """What a published value of a column stands for: the share of each original value, over all classes with it."""
        column = self.column(name)
        labels: list[str | None] = [*column.domain.labels.tolist(), None]
        size = len(labels)
        key = column.published[column.class_of_entry].astype(np.int64) * size + column.codes
        records = np.bincount(key, column.records, len(column.texts) * size).reshape(-1, size)
        return {
            text: {labels[code]: float(one[code] / one.sum()) for code in np.flatnonzero(one).tolist()}
            for text, one in zip(column.texts, records, strict=True)
        }

    def classes_of(self, frame: nw.DataFrame[Any]) -> NDArray[np.int64]:
        """The class of each row of a published table, -1 where none publishes its quasi-identifiers.

        Rows recoded by ``recoding.transform`` have the class of the group that they were sent to.
        """
        absent = [name for name in self.quasi if name not in frame.columns]
        if absent:
            raise BadInput.unknown("column", absent[0], frame.columns, "The proportions speak of it.")
        codes, sizes = [], []
        for column in self.columns:
            texts, index = published_texts(frame[column.domain.name], column.domain.kind, self.missing)
            known = self._index.codes(column.domain.name, texts)
            codes.append(known[index])
            sizes.append(len(column.texts) + 1)
        distinct, row = tabulate(codes, sizes, len(frame))
        return self._index.classes(distinct)[row]

    @cached_property
    def _index(self) -> ClassIndex:
        texts = {column.domain.name: (column.domain.kind, column.texts) for column in self.columns}
        return ClassIndex(texts, np.stack([column.published for column in self.columns], axis=1))

    def to_dict(self) -> dict[str, Any]:
        """The proportions as JSON."""
        return {
            "format": _FORMAT,
            "missing": list(self.missing),
            "sizes": self.sizes.tolist(),
            "columns": [_column_to_dict(column) for column in self.columns],
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Proportions:
        """Read what :meth:`to_dict` wrote."""
        if stored["format"] != _FORMAT:
            raise ValueError(f"the format is not {_FORMAT!r}")
        columns = tuple(_column_from_dict(column) for column in stored["columns"])
        return cls(columns, np.array(stored["sizes"], dtype=np.int64), tuple(stored["missing"]))

    def save(self, path: str | Path) -> Path:
        """Write the proportions as JSON; :meth:`hedgerow.Release.save` does so beside its table."""
        path = Path(path)
        check_place(path)
        with appearing(path) as staged, staged.open("w", encoding="utf-8") as out:
            json.dump(self.to_dict(), out, ensure_ascii=False)
        return path

    @classmethod
    def load(cls, path: str | Path) -> Proportions:
        """Read proportions that :meth:`save` wrote."""
        try:
            return cls.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise BadInput(f"The file {str(path)!r} does not hold proportions that Hedgerow saved.") from None


def _column_to_dict(column: ColumnProportions) -> dict[str, Any]:
    domain = column.domain
    return {
        "name": domain.name,
        "kind": domain.kind,
        "values": domain.labels.tolist(),
        "numbers": None if domain.numbers is None else domain.numbers.tolist(),
        "has_missing": domain.has_missing,
        "texts": list(column.texts),
        **{name: getattr(column, name).tolist() for name in ("published", "starts", "codes", "records")},
    }


def _column_from_dict(stored: Mapping[str, Any]) -> ColumnProportions:
    numbers, values = stored["numbers"], np.array(stored["values"], dtype=np.str_)
    codes, records = np.array(stored["codes"], dtype=np.int32), np.array(stored["records"], dtype=np.int64)
    domain = Domain(
        stored["name"],
        stored["kind"],
        values,
        None if numbers is None else np.array(numbers, dtype=np.float64),
        bool(stored["has_missing"]),
        np.bincount(codes, records, len(values) + 1)[: len(values)].astype(np.int64),
    )
    return ColumnProportions(
        domain,
        tuple(stored["texts"]),
        np.array(stored["published"], dtype=np.int32),
        np.array(stored["starts"], dtype=np.int64),
        codes,
        records,
    )
