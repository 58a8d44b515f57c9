"""What two releases of the same people give away together, as a value: figures only, never a cell.

Two releases that are each safe can be put together: a person is in one class of each. S. R. Ganta,
S. P. Kasiviswanathan, A. Smith: Composition Attacks and Auxiliary Information in Data Privacy, KDD 2008.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from hedgerow.errors import listing
from hedgerow.risk.overlap_bounds import Extent
from hedgerow.verifier import Finding

__all__ = ["MEASURE", "LearntTogether", "Relation", "Together"]

Relation = Literal["equal", "finer", "coarser", "apart", "crossing", "unknown"]
"""How the classes of the new release lie to those of the old one; unknown where the old one's are."""

MEASURE: Final = "k together"

_RELATIONS: Final[Mapping[Relation, tuple[str, str]]] = {
    "equal": ("Both releases have the same classes", "together they tell no more than one of them"),
    "finer": ("Every class of the new release lies inside one class of the old one", "the old one adds nothing to it"),
    "coarser": (
        "Every class of the old release lies inside one class of the new one",
        "the new one adds nothing to it",
    ),
    "apart": (
        "Nobody fits a class of both releases",
        "they are of other people, or values were changed or written in another way since",
    ),
    "crossing": ("Classes of the two releases cross", "whoever has both knows more of a person than either tells"),
    "unknown": (
        "The quasi-identifiers of the previous release are not known",
        "nothing is proved of both together",
    ),
}
"""What it means that the classes lie so, and what follows if both releases are of the same people."""


@dataclass(frozen=True)
class LearntTogether:
    """Of how large a share of the people one value of a column is left.

    Attributes
    ----------
    alone : float
        By the new release alone.
    together : float
        By both releases. Without the original table it is the share of rows that are surely in groups with one value,
        which is learnt by whoever knows a person's classes: where boxes overlap, values alone may not tell these.
    """

    alone: float
    together: float


@dataclass(frozen=True)
class Together:
    """What two releases of the same people give away together.

    People who share their class of the old release and their class of the new one are a group; not to be in a release
    counts as a class of it. The k of both together is the size of the smallest group. Whoever looks for a person knows
    the quasi-identifiers of both releases: the classes of each are those of all of these that it publishes.

    Attributes
    ----------
    columns : tuple of str
        The quasi-identifiers of either release that both publish.
    columns_before, columns_after : tuple of str
        Those by which people are told apart in the old release, and in the new one.
    linking : tuple of str
        The columns in clear that rows of both were compared by.
    rows, classes, k_before : int
        Those of the previous release: its rows, its classes, and its k.
    relation : {"equal", "finer", "coarser", "apart", "crossing", "unknown"}
        How the classes of the new release lie to those of the old one. It is unknown if nobody says by which columns
        people are told apart in the old one; then no k is proved.
    same_people : bool
        Whether everybody is in both releases, as far as is known or taken for granted.
    by_original : bool
        Whether people were counted in the original table; else the figures are bounds by what is published.
    exact : bool
        Whether the figures are exact. By the original table they are bounds where it is not known which class some
        people are in, since classes overlap or are not of all whom they fit.
    counted : {"rows", "people"}
    k : Extent
        The smallest group: ``least`` and ``most`` people.
    threshold : int
        Groups below it are counted: the k that is required, else the smaller k of both releases.
    required : int or None
        The k that is required over all quasi-identifiers.
    below : Extent
        How many people are in groups below the threshold.
    alone : Extent
        How many stand alone.
    small : int
        How many groups are surely below the threshold.
    rows_left : int or None
        How few rows of the new release may still be a person's, for an attacker who knows no more than both releases
        and the person's quasi-identifiers; known with the original table.
    newcomers, leavers : int
        Classes whose newcomers, or leavers, are surely fewer than the threshold, and surely somebody: the difference of
        both releases tells them from all others.
    learnt : mapping of column to LearntTogether
    remarks : tuple of str
        What was taken for granted or could not be read.
    """

    columns: tuple[str, ...]
    columns_before: tuple[str, ...]
    columns_after: tuple[str, ...]
    linking: tuple[str, ...]
    rows: int
    classes: int
    k_before: int
    relation: Relation
    same_people: bool
    by_original: bool
    exact: bool
    counted: Literal["rows", "people"]
    k: Extent
    threshold: int
    required: int | None
    below: Extent
    alone: Extent
    small: int
    rows_left: int | None = None
    newcomers: int = 0
    leavers: int = 0
    learnt: Mapping[str, LearntTogether] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @property
    def holds(self) -> bool | None:
        """Whether the required k holds for both together; ``None`` if it is not required, or neither is proved."""
        if self.required is None or self.k.least < self.required <= self.k.most:
            return None
        return self.k.least >= self.required

    @property
    def finding(self) -> Finding | None:
        """The required k as it is for both together: what is not proved does not hold."""
        if self.required is None:
            return None
        unproved = "" if self.holds is not None else " (not proved)"
        return Finding(
            requirement=f"{self.required}-anonymity together with the previous release{unproved}",
            measure=MEASURE,
            holds=self.holds is True,
            reached=float(self.k.least),
            required=float(self.required),
            classes_violating=self.small,
            rows_violating=self.below.least,
        )

    @property
    def says(self) -> str:
        """What was found, in one or two sentences."""
        lie, follows = _RELATIONS[self.relation]
        if not self.same_people and self.relation in ("equal", "finer", "coarser"):
            follows = "but not everybody is in both, and who is in one alone may be told from the others"
            return f"{lie}, {follows}. {self._k_told}"
        return f"{lie}: {follows}. {self._k_told}"

    @property
    def _k_told(self) -> str:
        least, most = self.k
        if least == most:
            return f"k together is {least:,}." if least > 1 else "Together they single somebody out: k together is 1."
        if least == 1:
            return f"k together is at most {most:,}; what is published does not rule out that somebody stands alone."
        return f"k together is at least {least:,} and at most {most:,}."

    @property
    def compared(self) -> str:
        """By which columns rows were compared, in words."""
        by = listing(self.linking, len(self.linking)) if self.linking else "none"
        shared = listing(self.columns, len(self.columns)) if self.columns else "none"
        only = [
            f"; only in the {name} release {listing(own, len(own))}"
            for name, columns in (("previous", self.columns_before), ("new", self.columns_after))
            if (own := [one for one in columns if one not in self.columns])
        ]
        return f"shared quasi-identifiers {shared}{''.join(only)}; columns in clear: {by}"
