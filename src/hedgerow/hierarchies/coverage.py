"""What a hierarchy does not cover: told by numbers and, where somebody holds the rows, by lines, never by values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Longs
from hedgerow.domains import Domain
from hedgerow.errors import BadInput, amount

__all__ = ["Uncovered"]


class Uncovered(BadInput):
    """Some values of a column have no place in its hierarchy.

    Parameters
    ----------
    problem : str
        What is wrong, without its full stop.
    advice : str
        What to do.
    domain : Domain
        The values of the column.
    codes : array of int
        Those that have no place.
    """

    def __init__(self, problem: str, advice: str, domain: Domain, codes: NDArray[np.integer[Any]]) -> None:
        self._problem = problem if domain.records is None else f"{problem} ({_records(domain.records[codes])})"
        self._advice = advice
        self.codes = codes
        super().__init__(f"{self._problem}. {advice}")

    def located(self, places: str) -> BadInput:
        """The error for whoever can look up the first of these values, such as ``lines 3 and 7``."""
        return BadInput(f"{self._problem}, first at {places}. {self._advice}")

    def __reduce__(self) -> tuple[type[BadInput], tuple[str]]:
        return BadInput, (str(self),)


def _records(records: Longs) -> str:
    return amount(int(records.sum()), "records")
