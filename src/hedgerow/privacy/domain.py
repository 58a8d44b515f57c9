"""What is public of a table before anything is measured: its columns, the bins of numbers, the values of categories.

A domain that is read from the table would break the guarantee: the largest income of a table is the income of a person.
So the user declares it, from a codebook, a questionnaire or another public source.

Each row is coded by itself, whatever the others are: a number below or above the bins belongs to the first or the last
bin, a value that was not declared is ``other``. A row without a number, or without a declared label, is not counted;
how many these are is not reported. No refusal depends on a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Ints
from hedgerow.errors import BadInput, listing
from hedgerow.hierarchies import read_arx

__all__ = ["MISSING", "OTHER", "Categories", "Domain", "Numbers", "codes_of", "text_of", "texts_of"]

OTHER: Final = "other"
"""The category of all values that were not declared."""
MISSING: Final = -1
"""The code of a cell that cannot be counted."""


@dataclass(frozen=True)
class Numbers:
    """A column of numbers, with declared bins.

    Parameters
    ----------
    edges : sequence of number
        Where bins begin, ascending, and where the last one ends: ``[0, 18, 65, 120]`` has three bins. If all are
        integers, rows that are drawn have integers.
    """

    edges: tuple[float, ...]

    def __init__(self, edges: Sequence[float]) -> None:
        try:
            given = tuple(int(edge) if float(edge).is_integer() else float(edge) for edge in edges)
        except (TypeError, ValueError, OverflowError):
            raise BadInput.parameter("edges", "Numbers", "a list of numbers", type(edges).__name__) from None
        ascending = all(low < high for low, high in pairwise(given))
        if len(given) < 2 or not ascending or not all(map(math.isfinite, given)):
            raise BadInput.parameter("edges", "Numbers", "at least two finite numbers, ascending", list(edges))
        object.__setattr__(self, "edges", given)

    @property
    def size(self) -> int:
        """The number of bins."""
        return len(self.edges) - 1

    @property
    def whole(self) -> bool:
        """Whether all edges are integers."""
        return all(isinstance(edge, int) for edge in self.edges)

    def codes(self, column: pa.ChunkedArray) -> Ints:
        """The bin of each row."""
        numbers = _numbers(column)
        bins = np.searchsorted(np.array(self.edges[1:-1], dtype=np.float64), numbers, side="right").astype(np.int32)
        bins[np.isnan(numbers)] = MISSING
        codes: Ints = bins
        return codes


@dataclass(frozen=True)
class Categories:
    """A column of categories, with declared values; any other value, or none, is counted as ``other``.

    Parameters
    ----------
    values : sequence of str, or path
        The values, or a hierarchy in ARX's form that lists them.
    """

    values: tuple[str, ...]

    def __init__(self, values: Sequence[str] | Path) -> None:
        if isinstance(values, Path):
            tree = read_arx(values).tree
            values = [tree.labels[leaf] for leaf in tree.leaves()]
        if isinstance(values, str) or not all(isinstance(value, str) for value in values):
            raise BadInput.parameter("values", "Categories", "a list of texts or a Path", type(values).__name__)
        given = tuple(value for value in values if value != OTHER)
        if not given or len(set(given)) < len(given):
            raise BadInput.parameter("values", "Categories", "different texts, at least one", list(values))
        object.__setattr__(self, "values", given)

    @property
    def size(self) -> int:
        """The number of values, with ``other``."""
        return len(self.values) + 1

    @property
    def labels(self) -> tuple[str, ...]:
        """The value of each code; the last is ``other``."""
        return (*self.values, OTHER)

    def codes(self, column: pa.ChunkedArray) -> Ints:
        """The code of each row."""
        return codes_of(column, self.values, len(self.values))


Column: TypeAlias = Numbers | Categories


@dataclass(frozen=True)
class Domain:
    """The declared columns of a table.

    Parameters
    ----------
    columns : mapping of column to Numbers or Categories
        A list of numbers stands for :class:`Numbers`, a list of texts or a path for :class:`Categories`. Other columns
        of the table are not read.
    target : str
        The column whose labels a model will predict.
    labels : sequence of str
        Its labels, at least two.

    Examples
    --------
    >>> import hedgerow as hr
    >>> columns = {"age": [0, 30, 60, 120], "sex": ["female", "male"]}
    >>> domain = hr.privacy.Domain(columns, target="income", labels=["low", "high"])
    >>> domain.sizes
    (3, 3)
    """

    columns: Mapping[str, Column]
    target: str
    labels: tuple[str, ...]

    def __init__(self, columns: Mapping[str, Any], *, target: str, labels: Sequence[str]) -> None:
        if not isinstance(columns, Mapping) or not columns:
            raise BadInput.parameter("columns", "Domain", "a mapping of columns to what they hold", columns)
        declared = {name: _declared(name, given) for name, given in columns.items()}
        if not isinstance(target, str) or target in declared:
            raise BadInput.parameter("target", "Domain", "a column that is not among the others", target)
        texts = isinstance(labels, Sequence) and not isinstance(labels, str) and all(isinstance(x, str) for x in labels)
        if not texts or len(set(labels)) < max(2, len(labels)):
            raise BadInput.parameter("labels", "Domain", "at least two different texts", labels)
        object.__setattr__(self, "columns", declared)
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "labels", tuple(labels))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of cells of each column."""
        return tuple(column.size for column in self.columns.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The columns but for the target, in order."""
        return tuple(self.columns)

    def missing_from(self, columns: Sequence[str], entity: str | None = None) -> BadInput | None:
        """The refusal of a table that lacks a declared column; the names of its columns are public."""
        absent = [name for name in (*self.columns, self.target, entity) if name is not None and name not in columns]
        return (
            BadInput(f"The table has no column {listing(absent)}. Declare the columns that it has.") if absent else None
        )


def _declared(name: str, given: Any) -> Column:
    if isinstance(given, Numbers | Categories):
        return given
    if isinstance(given, Path):
        return Categories(given)
    if isinstance(given, Sequence) and not isinstance(given, str) and given:
        return Categories(given) if isinstance(given[0], str) else Numbers(given)
    raise BadInput(
        f"The domain does not say what the column {name!r} holds. Declare the edges of its bins or its values, from a "
        "public source such as a codebook: what is read from the table would break the guarantee."
    )


def codes_of(column: pa.ChunkedArray, values: Sequence[str], others: int) -> Ints:
    """The place of each row's value among some values; ``others`` if it is not there."""
    place = {value: at for at, value in enumerate(values)}
    codes: Ints = _mapped(column, lambda text: others if text is None else place.get(text, others), np.int32)
    return codes


def texts_of(column: pa.ChunkedArray) -> list[str | None]:
    """Each cell as text."""
    return [text_of(cell) for cell in column.to_pylist()]


def _numbers(column: pa.ChunkedArray) -> Any:
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return column.to_numpy().astype(np.float64)
    return _mapped(column, _number, np.float64)


def _number(text: str | None) -> float:
    try:
        return math.nan if text is None else float(text)
    except ValueError:
        return math.nan


def _mapped(column: pa.ChunkedArray, code: Callable[[str | None], float], dtype: Any) -> Any:
    """A function of each cell's text, evaluated once for each distinct cell."""
    encoded = pc.dictionary_encode(column.combine_chunks())
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    of_value = np.array([code(text_of(cell)) for cell in (*encoded.dictionary.to_pylist(), None)], dtype=dtype)
    at = encoded.indices.fill_null(len(of_value) - 1).to_numpy(zero_copy_only=False)
    return of_value[at]


def text_of(cell: object) -> str | None:
    """A cell as text, by itself: it must not show as what kind the library that read the table took the column.

    One row with a fraction, a time of day or more digits can turn a whole column into floats, moments or longer
    decimals. So 1, 1.0 and 1.00 are the same text, as are a day and its midnight. What is no single value has no text.

    >>> [text_of(cell) for cell in (1, 1.0, Decimal("1.00"), 0.5, Decimal("0.50"), float("nan"), [1])]
    ['1', '1', '1', '0.5', '0.5', None, None]
    """
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
    if isinstance(cell, float | Decimal):
        return _number_as_text(cell)
    if isinstance(cell, datetime) and cell.time() == time():
        cell = cell.date()
    return str(cell) if isinstance(cell, str | int | date | time | timedelta) else None


def _number_as_text(number: float | Decimal) -> str | None:
    if math.isnan(number):
        return None
    if math.isinf(number):
        return str(number)
    if number == int(number):
        return str(int(number))
    return str(number) if isinstance(number, float) else f"{number.normalize():f}"
