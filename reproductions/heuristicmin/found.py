"""The finished cells of HeuristicMin, by what they are about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from reproductions.base import Result

__all__ = ["Found", "Setting"]


class Setting(NamedTuple):
    """What a method had to do: a worked case, or a draw of Adult."""

    case: str = ""
    rows: int = 0
    quasi: int = 0
    requirements: str = ""
    sample: int = 0


class Found:
    """Results by setting and method.

    Parameters
    ----------
    results : sequence of mappings
    """

    def __init__(self, results: Sequence[Result]) -> None:
        self._by_setting: dict[Setting, dict[str, Result]] = {}
        for one in results:
            if "case" in one:
                setting = Setting(case=one["case"])
            else:
                setting = Setting("", one["rows"], one["quasi"], one["requirements"], one["sample"])
            self._by_setting.setdefault(setting, {})[one["method"]] = one

    def case(self, case: str, method: str) -> Result | None:
        """The result of a worked case."""
        return self._done(Setting(case=case), method)

    def all(self, method: str) -> Iterator[tuple[Setting, Result]]:
        """What became of a method in every setting, also where it was refused."""
        for setting, methods in self._by_setting.items():
            if method in methods:
                yield setting, methods[method]

    def pairs(self, one: str, other: str) -> Iterator[tuple[Setting, Result, Result]]:
        """The settings that two methods came through."""
        for setting in self._by_setting:
            first, second = self._done(setting, one), self._done(setting, other)
            if first is not None and second is not None:
                yield setting, first, second

    def mean(self, method: str, rows: int, quasi: int, requirements: str, measure: str) -> float | None:
        """The mean of a measure over all draws; none without any."""
        values = [
            float(one[measure])
            for setting, one in self.all(method)
            if setting[1:4] == (rows, quasi, requirements) and one.get(measure) is not None
        ]
        return fmean(values) if values else None

    def draws(self, method: str, rows: int, quasi: int, requirements: str) -> list[Result]:
        """What became of a method in all draws."""
        return [one for setting, one in self.all(method) if setting[1:4] == (rows, quasi, requirements)]

    def _done(self, setting: Setting, method: str) -> Result | None:
        one = self._by_setting.get(setting, {}).get(method)
        return one if one is not None and one["status"] == "done" else None
