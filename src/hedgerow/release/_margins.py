"""By how much methods must satisfy more than is required, because rows show only nearly how many people have a value.

Methods see numbers of rows, which bound the numbers of people. The verifier counts people exactly. If it finds a
requirement violated that a method satisfied, the method is fitted again, under a stricter requirement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from hedgerow.errors import Infeasible

__all__ = ["Margins", "NotOfPeople"]

_FIRST: Final = 0.02  # the least margin of a requirement that was not met
_HALVED: Final = 5  # how often margins are halved
_FURTHER: Final = 1.5  # how much more than what was lacking


class NotOfPeople(Infeasible):
    """A requirement on shares does not hold for the people of a release.

    Attributes
    ----------
    which : int
        Its position among the requirements.
    lacking : float
        By which share of the required number it is missed.
    """

    def __init__(self, message: str, which: int, lacking: float) -> None:
        super().__init__(message)
        self.which, self.lacking = which, lacking

    def __reduce__(self) -> tuple[type[NotOfPeople], tuple[str, int, float]]:
        return type(self), (str(self), self.which, self.lacking)


@dataclass(frozen=True)
class Margins:
    """By which shares of their numbers requirements are stricter for the method than for the release.

    Attributes
    ----------
    of : mapping of int to float
        The share, from 0 to 1, by the position of the requirement.
    unmet : NotOfPeople, optional
        The last violation. If a stricter requirement cannot be met, this one is reported.
    """

    of: Mapping[int, float] = field(default_factory=dict)
    unmet: NotOfPeople | None = None

    def raised(self, unmet: NotOfPeople) -> Margins:
        """Higher margins after a violation, at least twice as high; raises it after the highest.

        >>> first = Margins().raised(NotOfPeople("0.3-closeness does not hold", 0, 0.04))
        >>> first.of, first.raised(NotOfPeople("0.3-closeness does not hold", 0, 0.01)).of
        ({0: 0.06}, {0: 0.12})
        """
        before = self.of.get(unmet.which, 0.0)
        if before == 1:
            raise unmet
        margin = min(1.0, max(_FIRST, 2 * before, before + _FURTHER * unmet.lacking))
        return Margins({**self.of, unmet.which: margin}, unmet)

    def lower(self) -> Iterator[Mapping[int, float]]:
        """The margins, then lower ones: a whole table may not meet what is so much stricter.

        >>> [of[0] for of in Margins({0: 0.16}).lower()], list(Margins().lower())
        ([0.16, 0.08, 0.04, 0.02, 0.01], [{}])
        """
        for halved in range(_HALVED if self.of else 1):
            yield {at: margin / 2**halved for at, margin in self.of.items()}

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Report the violation if a stricter requirement cannot be met: nobody asked for the stricter one."""
        try:
            yield
        except NotOfPeople:
            raise
        except Infeasible:
            if self.unmet is None:
                raise
            unmet = self.unmet
        else:
            return
        raise unmet
