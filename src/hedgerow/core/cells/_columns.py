"""The published values of a column: each once, with the original codes that it covers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.core.cells._notation import date_of_days, format_set, format_value
from hedgerow.hierarchies.calendars import calendar_span
from hedgerow.io.domains import CodeSets, Domain
from hedgerow.io.values import EPOCH, SUPPRESSED_TEXT, format_interval, number_text

__all__ = ["PublishedValues", "PublishedColumn", "PublishedKind", "describe_codes"]

_FIRST_DAY: Final = (dt.datetime.min - EPOCH).days
_LAST_DAY: Final = (dt.datetime.max - EPOCH).days

PublishedKind = Literal["value", "set", "interval", "label", "number", "suppressed"]


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
    covered : CodeSets
        The domain codes that each published value covers.
    nodes : int array, optional
        The hierarchy's node of each published value, where all of them are nodes.
    """

    domain: Domain
    texts: tuple[str | None, ...]
    kinds: tuple[PublishedKind, ...]
    covered: CodeSets
    nodes: Ints | None = None

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def unchanged(self) -> bool:
        """Whether every published value is one original value, so that the column is published unchanged."""
        return {"value"}.issuperset(self.kinds)

    @property
    def numeric(self) -> bool:
        """Whether the column is published as numbers (suppressed ones null)."""
        if self.domain.kind != "number":
            return False
        return "number" in self.kinds or ("suppressed", None) in zip(self.kinds, self.texts, strict=True)

    @property
    def numbers(self) -> list[float | None]:
        """The published values of a column that is published as numbers."""
        return [
            None if text is None or kind == "suppressed" else float(text)
            for text, kind in zip(self.texts, self.kinds, strict=True)
        ]

    @property
    def widths(self) -> Longs:
        """How many original values each published value covers."""
        return self.covered.sizes

    def only(self, values: Longs) -> PublishedColumn:
        """Some of the published values, by their places."""
        return PublishedColumn(
            self.domain,
            tuple(self.texts[value] for value in values.tolist()),
            tuple(self.kinds[value] for value in values.tolist()),
            self.covered.only(values),
            None if self.nodes is None else self.nodes[values],
        )


class PublishedValues:
    """Collects the published values of a column, each once; the methods return the place of a value."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self._labels: list[str] = domain.labels.tolist()
        self._known: dict[Hashable, int] = {}
        self._texts: list[str | None] = []
        self._kinds: list[PublishedKind] = []
        # The runs of codes that each of them covers, and how many runs each has: see CodeSets.
        self._first: list[int] = []
        self._last: list[int] = []
        self._runs: list[int] = []

    def suppressed(self) -> int:
        """A suppressed value."""
        # A column of numbers keeps its type: its hidden cells are null.
        text = None if self.domain.kind == "number" else SUPPRESSED_TEXT
        return self._run(SUPPRESSED_TEXT, text, "suppressed", 0, self.domain.size - 1)

    def anything(self) -> int:
        """All values, in a column that is written as text."""
        return self._run(("any", SUPPRESSED_TEXT), SUPPRESSED_TEXT, "suppressed", 0, self.domain.size - 1)

    def value(self, code: int) -> int:
        """One original value."""
        return self.set(np.array([code], dtype=np.int32))

    def set(self, codes: Ints) -> int:
        """One of several original values, ascending; a set of one value is the value itself."""
        key = codes.tobytes()
        if key in self._known:
            return self._known[key]
        text = describe_codes(self.domain, self._labels, codes)
        named = codes.tolist()
        return self._entry(key, text, "value" if len(named) == 1 else "set", named, named)

    def span(self, first: int, last: int, level: str = "day") -> int:
        """The interval from one value to another.

        For numbers it is half-open on the column's grid, and closed if it is the last. For dates it goes from the
        beginning of one span of the calendar to the end of another. For categories, which have no intervals, it is the
        set of all values in between.
        """
        key = (first, last)
        if key in self._known:
            return self._known[key]
        if self.domain.numbers is None:
            return self.set(np.arange(first, last + 1, dtype=np.int32))
        if self.domain.kind == "date":
            low, high = calendar_span(float(self.domain.values[first]), float(self.domain.values[last]), level)
            inside = np.searchsorted(self.domain.values, [low, high]).tolist()
            return self._run(("dates", low, high), _dates_around(low, high), "interval", inside[0], inside[1] - 1)
        return self._run(key, _around(self.domain, *key), "interval", first, last)

    def mean(self, number: float) -> int:
        """A number that stands for the group, with at most one digit more than the column's numbers."""
        is_date = self.domain.kind == "date"
        text = date_of_days(round(number)) if is_date else number_text(self.domain.rounded(number))
        return self._entry(("mean", text), text, "number", [], [])

    def column(self) -> PublishedColumn:
        """All values collected so far."""
        owner = np.repeat(np.arange(len(self._runs)), self._runs)
        first, last = np.array(self._first, dtype=np.int32), np.array(self._last, dtype=np.int32)
        covered = CodeSets.of_runs(owner, first, last, len(self._runs))
        return PublishedColumn(self.domain, tuple(self._texts), tuple(self._kinds), covered)

    def _run(self, key: Hashable, text: str | None, kind: PublishedKind, first: int, last: int) -> int:
        """An entry that covers all codes from one to another, or no codes."""
        return self._entry(key, text, kind, *(([first], [last]) if first <= last else ([], [])))

    def _entry(self, key: Hashable, text: str | None, kind: PublishedKind, first: list[int], last: list[int]) -> int:
        if key not in self._known:
            self._known[key] = len(self._texts)
            self._texts.append(text)
            self._kinds.append(kind)
            self._first += first
            self._last += last
            self._runs.append(len(first))
        return self._known[key]


def describe_codes(domain: Domain, labels: list[str], codes: NDArray[np.integer]) -> str | None:
    """Write some values of a column, ascending: a single value as itself, several as a set.

    >>> town = Domain("town", "text", np.array(["Bonn", "Lyon"]), has_missing=True)
    >>> [describe_codes(town, town.labels.tolist(), np.array(codes)) for codes in ([0], [0, 2], [2])]
    ['Bonn', '{Bonn|\\\\N}', None]
    """
    with_missing = domain.has_missing and bool(codes[-1] == domain.missing_code)
    present = [labels[code] for code in (codes[:-1] if with_missing else codes).tolist()]
    if len(codes) == 1:
        return None if with_missing else format_value(present[0])
    return format_set(present, with_missing)


def _dates_around(low: float, high: float) -> str:
    """An interval of days, limited to the years 1 to 9999."""
    closed = high > _LAST_DAY
    first, last = date_of_days(max(low, _FIRST_DAY)), date_of_days(_LAST_DAY if closed else high)
    return f"[{first},{last}{']' if closed else ')'}"


def _around(domain: Domain, first: int, last: int) -> str:
    numbers = domain.values
    low, high = float(numbers[first]), float(numbers[last])
    if last == len(numbers) - 1:
        return format_interval(low, high, closed=True)
    past, following = round(high + domain.step, domain.decimals), float(numbers[last + 1])
    # If the grid is finer than floats, or coarser than very small numbers, the next float is the next place.
    return format_interval(low, past if high < past <= following else float(np.nextafter(high, np.inf)))
