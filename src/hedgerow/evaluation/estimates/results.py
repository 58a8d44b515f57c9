"""The result of ``hr.analyses``: estimates on the original rows and on the release, side by side."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import narwhals as nw
import pyarrow as pa

from hedgerow.errors import plural
from hedgerow.evaluation.estimates.agreement import Agreement, Bounds, agreement, overall, overlap
from hedgerow.evaluation.estimates.models import INTERCEPT

__all__ = ["Analyses", "AnalysisResult", "Estimate", "Reading", "SHOWN", "estimate_name"]

Reading = Literal["published", "redrawn"]
"""How a release is read: its cells as they are, or rows that are drawn from its proportions."""

SHOWN: Final = {"crosstab": "share", "mean": "mean", "linear": "coefficient", "logistic": "log odds ratio"}
"""What each kind of analysis estimates."""


@dataclass(frozen=True)
class Estimate:
    """An estimate on the original rows and on the release.

    Attributes
    ----------
    name : tuple of str
        The groups of a share or mean, or the term of a coefficient, with its value if it is a dummy.
    original, release : float, optional
        ``None`` if there is none.
    original_bounds, release_bounds : Bounds, optional
        Its 95 % confidence intervals.
    original_support, release_support : float
        How many people or else rows stand behind it, counting parts of rows.
    """

    name: tuple[str, ...]
    original: float | None
    release: float | None
    original_bounds: Bounds | None = None
    release_bounds: Bounds | None = None
    original_support: float = 0.0
    release_support: float = 0.0

    @property
    def overlap(self) -> float | None:
        """The overlap of the intervals; 0 if only one of both tables has the estimate."""
        if self.original is None or self.release is None:
            return 0.0
        if self.original_bounds is None or self.release_bounds is None:
            return None
        return overlap(self.original_bounds, self.release_bounds)

    @property
    def error(self) -> float | None:
        """The relative error; 1 if the release lacks the estimate, and undefined if the original is 0 or lacks it."""
        if self.original is None:
            return None
        if self.release is None:
            return 1.0
        if self.original == 0:
            return 0.0 if self.release == 0 else None
        return abs(self.release - self.original) / abs(self.original)

    @property
    def agreement(self) -> Agreement:
        """The word for it."""
        return agreement(self.overlap or 0.0, self.error)


@dataclass(frozen=True)
class AnalysisResult:
    """An analysis on the original rows and on the release.

    Attributes
    ----------
    analysis : str
        As it was written.
    kind : {"crosstab", "mean", "linear", "logistic"}
    reading : {"published", "redrawn"}
    estimates : tuple of Estimate
    original_rows, release_rows : float
        How many rows have all columns of the analysis, counting parts of rows.
    counted, release_counted : {"rows", "people"}
        The independent units of the intervals.
    references : mapping of column to str
        The value of each column that has no dummy: the most frequent one of the release.
    explained : str
        The value of the outcome that a logistic regression explains.
    reason : str
        Why the release cannot be analysed.
    original_reason : str
        Why the original rows cannot be analysed.
    original_units : int
        How many rows or people of the original stand behind it.
    """

    analysis: str
    kind: Literal["crosstab", "mean", "linear", "logistic"]
    reading: Reading
    estimates: tuple[Estimate, ...] = ()
    original_rows: float = 0.0
    release_rows: float = 0.0
    counted: Literal["rows", "people"] = "rows"
    release_counted: Literal["rows", "people"] = "rows"
    references: Mapping[str, str] = field(default_factory=dict)
    explained: str = ""
    reason: str = ""
    original_reason: str = ""
    original_units: int = 0

    @property
    def judged(self) -> tuple[Estimate, ...]:
        """The estimates that count: all but the intercept."""
        return tuple(estimate for estimate in self.estimates if estimate.name != (INTERCEPT,))

    @property
    def overlap(self) -> float | None:
        """The mean overlap; 0 if the release cannot be analysed, ``None`` if the original cannot."""
        if self.original_reason:
            return None
        known = [estimate.overlap for estimate in self.judged]
        numbers = [value for value in known if value is not None]
        return statistics.fmean(numbers) if numbers else (0.0 if self.reason else None)

    @property
    def error(self) -> float | None:
        """The median relative error; 1 if the release cannot be analysed, ``None`` if the original cannot."""
        if self.original_reason:
            return None
        numbers = [error for estimate in self.judged if (error := estimate.error) is not None]
        return statistics.median(numbers) if numbers else (1.0 if self.reason else None)

    @property
    def agreement(self) -> Agreement | None:
        """Whether the analysis holds; ``None`` if the original cannot be analysed."""
        if self.original_reason:
            return None
        return "poor" if self.reason else overall(estimate.agreement for estimate in self.judged)


@dataclass(frozen=True, repr=False)
class Analyses:
    """Analyses on the original rows and on the release, side by side.

    It holds figures of the original rows, so it is as private as they are.

    Attributes
    ----------
    results : tuple of AnalysisResult
    rows, release_rows : int
        The rows of both tables.
    draws : int
        How many times rows were redrawn; 0 if the release has no proportions.
    backend : str
        The dataframe library of tables.
    """

    results: tuple[AnalysisResult, ...]
    rows: int
    release_rows: int
    draws: int = 0
    backend: Literal["pandas", "polars", "pyarrow"] = "pyarrow"

    def table(self) -> Any:
        """A row for each estimate, in the dataframe type of the original.

        Columns: the analysis, the reading of the release, the estimate, both values with the ends of their 95 %
        intervals, the overlap of the intervals, the relative error and the agreement.
        """
        rows = [_row(result, estimate) for result in self.results for estimate in result.estimates]
        texts = ("analysis", "reading", "estimate", "agreement")
        names = (*texts[:3], *_NUMBERS, texts[3])
        kinds = pa.schema([(name, pa.string() if name in texts else pa.float64()) for name in names])
        made = pa.Table.from_pylist(rows, schema=kinds)
        return nw.from_arrow(made, backend=self.backend).to_native()

    def plot(self) -> Any:
        """The intervals of each estimate on both tables, a panel for each analysis, as an Altair chart."""
        from hedgerow.evaluation.estimates.charts import interval_chart

        return interval_chart(self)

    def __repr__(self) -> str:
        readings = f", read as published and on {plural(self.draws, 'draws')}" if self.draws else ""
        number = len({result.analysis for result in self.results})
        lines = [
            f"Analyses({plural(number, 'analyses')} on {self.rows:,} original and {self.release_rows:,} released "
            f"rows{readings})"
        ]
        wide = max((len(result.analysis) for result in self.results), default=0)
        lines += [f"{result.analysis:<{wide}}  {_line(result, drawn=self.draws > 0)}" for result in self.results]
        return "\n  ".join(lines)


_NUMBERS: Final = (
    "original",
    "original_low",
    "original_high",
    "release",
    "release_low",
    "release_high",
    "overlap",
    "relative_error",
)


def _row(result: AnalysisResult, estimate: Estimate) -> dict[str, Any]:
    low, high = estimate.original_bounds or (None, None)
    release_low, release_high = estimate.release_bounds or (None, None)
    numbers = (
        estimate.original,
        low,
        high,
        estimate.release,
        release_low,
        release_high,
        estimate.overlap,
        estimate.error,
    )
    return {
        "analysis": result.analysis,
        "reading": result.reading,
        "estimate": estimate_name(result, estimate),
        **dict(zip(_NUMBERS, numbers, strict=True)),
        "agreement": estimate.agreement,
    }


def estimate_name(result: AnalysisResult, estimate: Estimate) -> str:
    """The name of an estimate in tables.

    >>> estimate_name(AnalysisResult("linear days ~ sex", "linear", "published"), Estimate(("sex", "F"), 1, 1))
    'sex = F'
    """
    if result.kind in ("linear", "logistic"):
        return " = ".join(estimate.name)
    return ", ".join(estimate.name) or "all"


def _line(result: AnalysisResult, *, drawn: bool) -> str:
    return "  ".join(_words(result, drawn=drawn))


def _words(result: AnalysisResult, *, drawn: bool) -> Iterator[str]:
    if drawn:
        yield f"{result.reading:<9}"
    if result.original_reason:
        yield f"cannot be run on the original rows: {result.original_reason}"
        return
    yield f"{result.agreement or 'nothing to compare'}"
    if result.reason:
        yield f"cannot be run on the release: {result.reason}"
        return
    if result.overlap is not None:
        yield f"overlap {result.overlap:.2f}"
    if result.error is not None and math.isfinite(result.error):
        yield f"relative error {100 * result.error:.1f}%"
    yield f"({plural(len(result.judged), SHOWN[result.kind] + 's')}; {_units(result)} counted)"


def _units(result: AnalysisResult) -> str:
    if result.counted == result.release_counted:
        return result.counted
    return f"{result.counted} in the original, {result.release_counted} in the release"
