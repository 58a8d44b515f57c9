"""What is run for HeuristicMin, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from hedgerow.evaluation.jobs import Job, Measurement
from reproductions.heuristicmin.cases import CASES
from reproductions.heuristicmin.measuring import METHODS, QUASI, measure_adult, method_of, work_case
from reproductions.tables import digest_of_adult, digest_of_data, has

__all__ = ["ALL_ROWS", "COLUMNS", "ROWS", "SAMPLES", "SETTINGS", "full_jobs", "quick_jobs"]

ALL_ROWS: Final = 30_162
ROWS: Final = (100, 300, 1000, 3000, 10_000, ALL_ROWS)
"""How many rows of Adult."""

SETTINGS: Final[Sequence[tuple[int, str]]] = ((3, "one"), (5, "three"), (3, "two"), (5, "one"))
"""Quasi-identifiers and requirements, each with all numbers of rows."""

COLUMNS: Final = tuple(range(3, len(QUASI) + 1))
"""How many quasi-identifiers, with all rows and one requirement."""

SAMPLES: Final = 5
_FEW_SAMPLES: Final = 3
_FAST: Final = ("HeuristicMin", "AllMin", "TDS", "BUG")
_ALL_CUTS: Final = "HeuristicMin, all cuts"
_MOST_COLUMNS_OF_ALL_CUTS: Final = 6
_MINGEN_COLUMNS: Final = 3
_WITH_FILES: Final = tuple(name for name in QUASI if name != "hours-per-week")
"""The columns that are generalized by ARX's hierarchies."""


def full_jobs() -> list[Job]:
    """Everything: five draws of every number of rows; three, or one, where MinGen takes its time."""
    jobs: list[Job] = [*_cases()]
    if not has("adult"):
        return jobs
    for quasi, requirements in SETTINGS:
        for rows in ROWS:
            samples = 1 if rows == ALL_ROWS else SAMPLES
            jobs += _adult((*_FAST, _ALL_CUTS, "AllMin, halving"), rows, quasi, requirements, samples)
    jobs += _by_columns(COLUMNS)
    for quasi, requirements in SETTINGS:
        if quasi == _MINGEN_COLUMNS:
            for rows in ROWS:
                jobs += _adult(("MinGen",), rows, quasi, requirements, _FEW_SAMPLES if rows <= 1000 else 1)
    jobs += _adult(("MinGen",), ALL_ROWS, max(COLUMNS), "one", 1)
    return _once(jobs)


def quick_jobs() -> list[Job]:
    """The worked cases, one draw of three numbers of rows, and few columns."""
    jobs: list[Job] = [*_cases()]
    if not has("adult"):
        return jobs
    for quasi, requirements in SETTINGS[:2]:
        for rows in (100, 1000, ALL_ROWS):
            jobs += _adult((*_FAST, _ALL_CUTS), rows, quasi, requirements, 1)
    jobs += _by_columns(COLUMNS[:4])
    jobs += _adult(("MinGen",), 100, _MINGEN_COLUMNS, "one", 1)
    jobs += _adult(("MinGen",), ALL_ROWS, max(COLUMNS), "one", 1)
    return _once(jobs)


def _cases() -> Iterator[Measurement]:
    for case, given in CASES.items():
        data = digest_of_data(vars(given))
        for method in METHODS:
            arguments = {"case": case, "method": method}
            yield Measurement("heuristicmin: cases", work_case, arguments, data, method=method_of(method))


def _adult(methods: Sequence[str], rows: int, quasi: int, requirements: str, samples: int) -> Iterator[Measurement]:
    data = digest_of_adult("train", hierarchies=_WITH_FILES)
    for sample in range(samples):
        for method in methods:
            given: dict[str, Any] = {
                "method": method,
                "rows": rows,
                "quasi": quasi,
                "requirements": requirements,
                "sample": sample,
            }
            yield Measurement(
                "heuristicmin: adult", measure_adult, given, data, method=method_of(method), repetition=sample
            )


def _by_columns(columns: Sequence[int]) -> Iterator[Measurement]:
    for quasi in columns:
        methods = (*_FAST, _ALL_CUTS) if quasi <= _MOST_COLUMNS_OF_ALL_CUTS else _FAST
        yield from _adult(methods, ALL_ROWS, quasi, "one", 1)


def _once(jobs: Sequence[Job]) -> list[Job]:
    """Without those that another series has, too."""
    return list({job.keys: job for job in jobs}.values())
