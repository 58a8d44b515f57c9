"""What the published cells of a column may stand for, as rows that are spread over values or along a line."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.core.cells import (
    Interval,
    PublishedColumn,
    Reach,
    Suppressed,
    ValueSet,
    date_of_days,
    kind_of_texts,
    number_in,
    parse,
    read,
)
from hedgerow.core.proportions import Spread
from hedgerow.io.domains import Domain, Kind
from hedgerow.io.values import BELOW, EPOCH, FROM, format_interval

__all__ = [
    "Spans",
    "Standing",
    "kind_of_cells",
    "merged",
    "range_label",
    "round_ends",
    "spread_over",
    "standing_as_told",
    "standing_for",
    "standing_for_published",
]


# --------------------------------------------------------------------------------------------------
# Ranges of numbers and dates with ends that are round, so that no end tells a value, and what falls into them.


_STEPS: Final = (1.0, 2.0, 5.0, 10.0)
_MONTHS: Final = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200)
_DAYS_A_MONTH: Final = 30.44


def round_ends(low: float, high: float, most: int, kind: Kind, *, whole: bool) -> list[float]:
    """Round numbers between two others, at most so many, that cut the line into ranges; the outer ones are open.

    Parameters
    ----------
    low, high : float
        Between them most of the column lies.
    most : int
    kind : {"number", "date", "text"}
        Ends of dates are first days of months or years.
    whole : bool
        Whether the column has whole numbers only.

    Examples
    --------
    >>> round_ends(17, 79, 8, "number", whole=True)
    [20.0, 30.0, 40.0, 50.0, 60.0, 70.0]
    >>> [date_of_days(end) for end in round_ends(0, 900, 8, "date", whole=True)]
    ['1970-07-01', '1971-01-01', '1971-07-01', '1972-01-01']
    """
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        return []
    if kind == "date":
        return _first_days(low, high, most)
    wide = (high - low) / most
    power = 10.0 ** math.floor(math.log10(wide)) if wide > 0 else 0.0
    if not power > 0:
        return []
    step = next(power * one for one in _STEPS if power * one >= wide * (1 - 1e-9))
    step = max(step, 1.0) if whole else step
    first, last = math.floor(low / step) + 1, math.floor(high / step)
    # Ten more than asked would be a step that rounding has broken.
    ends = [float(f"{one * step:.12g}") for one in range(first, min(last, first + most + 10) + 1)]
    return [end for end in dict.fromkeys(ends) if low < end <= high]


def _first_days(low: float, high: float, most: int) -> list[float]:
    wide = (high - low) / most / _DAYS_A_MONTH
    months = next((one for one in _MONTHS if one >= wide), _MONTHS[-1])
    start, end = (EPOCH + dt.timedelta(days=days) for days in (low, high))
    place = (start.year * 12 + start.month - 1) // months * months
    ends: list[float] = []
    while place <= end.year * 12 + end.month - 1:
        year, month = divmod(place, 12)
        if year >= 1:
            days = (dt.datetime(year, month + 1, 1) - EPOCH) / dt.timedelta(days=1)
            if low < days <= high:
                ends.append(days)
        place += months
    return ends


def range_label(low: float, high: float, kind: Kind) -> str:
    """How a range is called.

    >>> range_label(-math.inf, 20, "number"), range_label(20, 30, "number"), range_label(31, math.inf, "date")
    ('<20', '[20,30)', '≥1970-02-01')
    """
    if (low, high) == (-math.inf, math.inf):
        return "all"
    if kind != "date":
        return format_interval(low, high)
    if low == -math.inf:
        return f"{BELOW}{date_of_days(high)}"
    if high == math.inf:
        return f"{FROM}{date_of_days(low)}"
    return f"[{date_of_days(low)},{date_of_days(high)})"


def merged(held: Sequence[float], fewest: int) -> Longs:
    """Join neighbouring ranges until each has enough holders: the new number of each range.

    Empty ones between others join them. If all together have too few, they are one.

    >>> merged([1, 5, 0, 2, 2, 9, 1], 3).tolist()
    [0, 0, 1, 1, 1, 2, 2]
    """
    number, inside = 0, 0.0
    found = []
    for one in held:
        found.append(number)
        inside += one
        if inside >= fewest:
            number, inside = number + 1, 0.0
    # What is left at the end is too little, and belongs to the range before.
    return np.minimum(np.array(found, dtype=np.int64), max(number - 1, 0))


class Spans(NamedTuple):
    """What cells may stand for: each is spread evenly from ``low`` to ``high``, which may be one number.

    Attributes
    ----------
    low, high : float arrays (spans,)
    rows : float array (spans,)
        How many rows are spread over each.
    """

    low: Floats
    high: Floats
    rows: Floats


def spread_over(ends: Sequence[float], spans: Spans) -> Floats:
    """How many rows fall between the ends, below the first and above the last one included.

    >>> spread_over([20, 30], Spans(np.array([10.0, 25.0]), np.array([30.0, 25.0]), np.array([4.0, 1.0]))).tolist()
    [2.0, 3.0, 0.0]
    """
    result = np.zeros(len(ends) + 1)
    point = spans.high <= spans.low
    np.add.at(result, np.searchsorted(np.asarray(ends), spans.low[point], side="right"), spans.rows[point])
    low, high, rows = spans.low[~point], spans.high[~point], spans.rows[~point]
    # Halves, so that no difference of large numbers overflows.
    width = high / 2 - low / 2
    for at, (begin, end) in enumerate(zip([-math.inf, *ends], [*ends, math.inf], strict=True)):
        inside = np.minimum(high, end) / 2 - np.maximum(low, begin) / 2
        result[at] += float((rows * np.clip(inside / width, 0.0, 1.0)).sum())
    return result


_SOME: Final = 50


class Standing(NamedTuple):
    """How the rows of a column are spread.

    Attributes
    ----------
    codes : float array (codes,)
        Over the values of the column, where these are known.
    spans : Spans
        Along the line of numbers or days; nothing for text.
    missing, hidden, several : float
        Rows without a value, with ``*``, and with a cell that names several values of which nothing else is known.
    plain : bool array (cells,)
        Which published cells are one value or label.
    """

    codes: Floats
    spans: Spans
    missing: float
    hidden: float
    several: float
    plain: Bools

    @property
    def everybody(self) -> float:
        """All of them."""
        shown = self.spans.rows if len(self.spans.rows) else self.codes
        return float(shown.sum()) + self.missing + self.hidden + self.several

    @classmethod
    def of_codes(cls, domain: Domain, rows: Longs) -> Standing:
        """Rows that tell their value."""
        weight = rows.astype(np.float64)
        known = np.arange(domain.size) < len(domain.labels)
        numbers = np.empty(0) if domain.numbers is None else domain.numbers
        spans = Spans(numbers, numbers, weight[: len(numbers)])
        return cls(weight, spans, float(weight[~known].sum()), 0.0, 0.0, known)


def standing_for(published: PublishedColumn, rows: Longs) -> Standing:
    """What cells stand for whose original values are known: ranges as they are written, others by what they cover."""
    domain = published.domain
    weight = rows.astype(np.float64)
    kinds = np.array(published.kinds, dtype=np.str_)
    hidden = float(weight[kinds == "suppressed"].sum())
    width = published.widths.astype(np.float64)
    shown = (kinds != "suppressed") & (width > 0)
    of_code = np.divide(weight, width, out=np.zeros(len(weight)), where=shown)
    codes = published.covered.spread(of_code, domain.size)
    if domain.numbers is None:
        nothing = np.empty(0)
        return Standing(codes, Spans(nothing, nothing, nothing), 0.0, hidden, 0.0, kinds == "value")
    written = _written(published, domain)
    others = np.setdiff1d(np.arange(len(weight)), list(written))
    on_line = published.covered.only(others).spread(of_code[others], domain.size)
    numbers = domain.values
    ends = np.array(list(written.values()), dtype=np.float64).reshape(-1, 2)
    spans = Spans(
        np.concatenate([numbers, ends[:, 0]]),
        np.concatenate([numbers, ends[:, 1]]),
        np.concatenate([on_line[: len(numbers)], weight[list(written)]]),
    )
    return Standing(codes, spans, float(on_line[len(numbers) :].sum()), hidden, 0.0, kinds == "value")


def standing_as_told(domain: Domain, spread: Spread) -> Standing:
    """What published proportions tell: how many people hold each value, or are in a piece of a range."""
    people = np.asarray(spread.matrix.sum(axis=0), dtype=np.float64).ravel()
    known = spread.domain
    held, missing = people[: len(known.labels)], float(people[len(known.labels) :].sum())
    codes, nothing = np.zeros(domain.size), np.empty(0)
    if domain.numbers is not None:
        spans = Spans(spread.low[: len(held)], spread.high[: len(held)], held)
        return Standing(codes, spans, missing, 0.0, 0.0, nothing.astype(bool))
    place = {label: code for code, label in enumerate(domain.labels.tolist())}
    at = np.array([place.get(label, -1) for label in known.labels.tolist()], dtype=np.int64)
    np.add.at(codes, at[at >= 0], held[at >= 0])
    if missing:
        codes[domain.missing_code] += missing
    return Standing(codes, Spans(nothing, nothing, nothing), 0.0, float(held[at < 0].sum()), 0.0, nothing.astype(bool))


def _written(published: PublishedColumn, domain: Domain) -> dict[int, tuple[float, float]]:
    """The published values that read as a range, or are a number that stands for a group: from where to where."""
    found = {}
    first, last = float(domain.values[0]), float(domain.values[-1])
    for at, (kind, text) in enumerate(zip(published.kinds, published.texts, strict=True)):
        if kind == "number" and text is not None:
            number = number_in(text, domain.kind)
            found[at] = (number, number) if number is not None else (first, last)
        elif kind in ("interval", "label"):
            said = read(text, domain.kind)
            if isinstance(said, Interval):
                high = max(min(said.high, last), first)
                found[at] = (min(max(said.low, first), high), high)
    return found


def standing_for_published(labels: Sequence[str | None], rows: Longs, kind: Kind) -> Standing:
    """What cells stand for of which only the text is known."""
    meanings = [_meaning(label, kind) for label in labels]
    plain = np.array([isinstance(one, str) for one in meanings], dtype=bool)
    missing = hidden = several = 0.0
    low, high, weight = [], [], []
    intervals = [one for one in meanings if isinstance(one, Interval)]
    points = [number for one in meanings if isinstance(one, str) and (number := number_in(one, kind)) is not None]
    reach = Reach.of(intervals, points)
    for one, held in zip(meanings, rows.tolist(), strict=True):
        if one is None:
            missing += held
        elif isinstance(one, Suppressed):
            hidden += held
        elif isinstance(one, Interval):
            ended = reach.ended(one)
            low.append(ended.low)
            high.append(ended.high)
            weight.append(held)
        elif kind == "text":
            several += 0.0 if isinstance(one, str) else held
        else:
            members = (one,) if isinstance(one, str) else one.members
            for member in members:
                number = number_in(member, kind)
                if number is None:
                    several += held / len(members)
                else:
                    low.append(number)
                    high.append(number)
                    weight.append(held / len(members))
    spans = Spans(np.array(low, dtype=float), np.array(high, dtype=float), np.array(weight, dtype=float))
    return Standing(np.empty(0), spans, missing, hidden, several, plain)


def _meaning(label: str | None, kind: Kind) -> str | ValueSet | Interval | Suppressed | None:
    """What a cell says; one value or label is its text."""
    if label is None:
        return None
    said = read(label, kind)
    if isinstance(said, ValueSet):
        if len(said.members) == 1:
            (alone,) = said.members
            return alone
        return said
    return said if isinstance(said, Interval | Suppressed) else label


def kind_of_cells(labels: Sequence[str | None]) -> Kind:
    """What a published column holds: numbers or dates if all that it says are some, else text.

    >>> kind_of_cells(["[20,30)", "35", "{20|21}", "*", None]), kind_of_cells(["02139", "021**"])
    ('number', 'text')
    >>> kind_of_cells(["[2020-01-01,2021-01-01)", "2021-05-01"]), kind_of_cells(["*"])
    ('date', 'text')
    """
    values: list[str] = []
    intervals = calendars = 0
    looked = False
    for label in labels:
        if len(values) >= _SOME and not looked:
            # Most columns of text are known by their first cells.
            looked = True
            if kind_of_texts(values) == "text":
                return "text"
        said = None if label is None else parse(label)
        if isinstance(said, ValueSet):
            values += [one for one in said.members if one is not None]
        elif isinstance(said, Interval):
            intervals += 1
        elif isinstance(said, str):
            if isinstance(read(said, "date"), Interval):
                calendars += 1
            else:
                values.append(said)
    kind = kind_of_texts(values) if values else None
    if intervals and not calendars and kind in (None, "number"):
        return "number"
    if calendars and not intervals and kind in (None, "date"):
        return "date"
    return "text" if intervals or calendars or kind is None else kind
