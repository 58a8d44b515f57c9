"""Dates: days below months below quarters below years below decades."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.errors import BadInput, plural
from hedgerow.hierarchies._coverage import Uncovered
from hedgerow.hierarchies.encoded import EncodedHierarchy, encode_tree, tree_of_levels
from hedgerow.io.domains import Domain
from hedgerow.io.values import read_date

__all__ = ["DATE_LEVELS", "Dates", "calendar_span", "dates"]

_OTHER_FORMAT: Final = "Correct them, or name the format in which they are written, such as dates:month,year,%d.%m.%Y."

DATE_LEVELS: Final = ("day", "month", "quarter", "year", "decade")


@dataclass(frozen=True)
class Dates:
    """Dates generalize along the calendar; see :func:`dates`."""

    levels: tuple[str, ...] = DATE_LEVELS
    format: str | None = None

    def encode(self, domain: Domain) -> EncodedHierarchy:
        """Place the dates of a column in the calendar, earliest first."""
        days = self._days(domain)
        codes = np.argsort(days, kind="stable")
        whole = np.floor(days[codes]).astype(np.int64)
        levels = list(self.levels)
        if "day" in levels and len(np.unique(whole)) == len(days) and bool((whole == days[codes]).all()):
            levels.remove("day")  # the values themselves are days
        built = tree_of_levels(domain.labels[codes].tolist(), [_calendar_labels(whole, level) for level in levels])
        leaf_of = np.empty(len(codes), dtype=np.int32)
        leaf_of[codes] = built.nodes[0]
        return encode_tree(built.tree, leaf_of, domain, f"dates by {', '.join(levels) or 'day'}")

    def _days(self, domain: Domain) -> Floats:
        """Count each value's days since 1970-01-01, the time of day as a fraction."""
        if domain.kind == "date" and domain.numbers is not None:
            return domain.numbers
        if domain.kind == "number":
            raise BadInput(f"The column {domain.name!r} holds numbers, not dates. Use intervals.")
        days = np.array([read_date(label, self.format) for label in domain.labels.tolist()], dtype=np.float64)
        wrong = np.flatnonzero(np.isnan(days))
        if len(wrong):
            form = "the ISO form (2024-03-31)" if self.format is None else f"the format {self.format!r}"
            raise Uncovered(
                f"The column {domain.name!r} has {plural(len(wrong), 'values')} that are not dates in {form}",
                _OTHER_FORMAT,
                domain,
                wrong,
            )
        return days


def dates(levels: str | Sequence[str] = DATE_LEVELS, *, format: str | None = None) -> Dates:
    """Build a hierarchy of calendar levels: ``2024-03``, ``2024-Q1``, ``2024``, ``2020s``, ``*``.

    Parameters
    ----------
    levels : sequence of {"day", "month", "quarter", "year", "decade"}
        The levels above the values, finest first. Where the values are days themselves, "day" adds none; it
        does where they have a time of day.
    format : str, optional
        How a column of text writes its dates, as for ``datetime.strptime``; by default the ISO form. As words, where a
        schema or the command names the hierarchy, it is ``dates:month,year,%d.%m.%Y``.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"birth": ["1984-02-29", "1984-03-01", "1987-07-14", "1987-08-02"]})
    >>> schema = hr.Schema(quasi=["birth"], hierarchies={"birth": hr.hierarchies.dates(["quarter", "decade"])})
    >>> sorted(hr.anonymize(people, schema, method="datafly", k=2).table["birth"].to_pylist())
    ['1984-Q1', '1984-Q1', '1987-Q3', '1987-Q3']
    """
    chosen = (levels,) if isinstance(levels, str) else tuple(levels)
    for level in chosen:
        if level not in DATE_LEVELS:
            raise BadInput.unknown("level of dates", str(level), DATE_LEVELS)
    if not chosen or list(chosen) != sorted(set(chosen), key=DATE_LEVELS.index):
        raise BadInput.parameter("levels", "dates", f"some of {', '.join(DATE_LEVELS)}, in this order", levels)
    if format is not None and not (isinstance(format, str) and _has_year(format)):
        raise BadInput.parameter("format", "dates", "a format of datetime.strptime with a year, as '%d.%m.%Y'", format)
    return Dates(chosen, format)


def _has_year(format: str) -> bool:
    """Whether a date that is written in a format can be read again, with its year.

    >>> _has_year("%d.%m.%Y"), _has_year("%b %y"), _has_year("%d.%m."), _has_year("%Q"), _has_year("")
    (True, True, False, False, False)
    """
    some = dt.datetime(2001, 2, 3)
    try:
        return dt.datetime.strptime(some.strftime(format), format).year == some.year
    except ValueError:
        return False


def _month(number: int) -> str:
    return f"{1970 + number // 12:04d}-{number % 12 + 1:02d}"


_FORMS: Final[dict[str, tuple[int, Callable[[int], str]]]] = {
    "month": (1, _month),
    "quarter": (3, lambda number: f"{1970 + number // 4:04d}-Q{number % 4 + 1}"),
    "year": (12, lambda number: f"{1970 + number:04d}"),
    # 1970 begins a decade, so decades count from there like everything else.
    "decade": (120, lambda number: f"{1970 + 10 * number:04d}s"),
}
"""Per level: how many months it has, and how the number of such spans since 1970 is written."""


def calendar_span(low: float, high: float, level: str) -> tuple[float, float]:
    """The spans of the calendar from one day to another: the begin of the first and the end of the last.

    >>> calendar_span(15, 40, "month"), calendar_span(15.5, 15.5, "day")
    ((0.0, 59.0), (15.0, 16.0))
    """
    days = np.floor([low, high]).astype(np.int64)
    if level == "day":
        return float(days[0]), float(days[1] + 1)
    months = _FORMS[level][0]
    numbers = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) // months + [0, 1]
    ends = (numbers * months).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return float(ends[0]), float(ends[1])


def _calendar_labels(days: Longs, level: str) -> list[str]:
    """Name the span of the calendar that each day lies in; each name is made once."""
    moments = days.astype("datetime64[D]")
    if level == "day":
        spans, at = np.unique(moments, return_inverse=True)
        names = np.datetime_as_string(spans)
    else:
        months, write = _FORMS[level]
        numbers, at = np.unique(moments.astype("datetime64[M]").astype(np.int64) // months, return_inverse=True)
        names = np.array([write(int(number)) for number in numbers], dtype=np.str_)
    return list(names[at].tolist())
