"""The audit as a value: figures only, never a cell of the table."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from hedgerow._internal.late_binding import Reported
from hedgerow._internal.notebook import names_shown
from hedgerow.errors import listing, plural
from hedgerow.risk._identification import Risks, TellsApart
from hedgerow.risk._proportions import Disclosure
from hedgerow.risk.clear import ClearColumn
from hedgerow.risk.manifest import Fit
from hedgerow.risk.overlap import Extent
from hedgerow.verifier import ClassCounts, Finding, Link, Verdict

__all__ = [
    "Audit",
    "CUSTOMARY",
    "ClassSummary",
    "LearntTogether",
    "MEASURE",
    "Relation",
    "SensitiveAudit",
    "SizeBucket",
    "Together",
    "beyond_quasi",
]


# --------------------------------------------------------------------------------------------------
# What two releases of the same people give away together, as a value: figures only, never a cell.
#
# Two releases that are each safe can be put together: a person is in one class of each. S. R. Ganta, S. P.
# Kasiviswanathan, A. Smith: Composition Attacks and Auxiliary Information in Data Privacy, KDD 2008.


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


CUSTOMARY: Final = (3, 5, 11, 20)
"""The least class sizes that are customary. Who uses them stands in K. El Emam, Guide to the De-Identification of
Personal Health Information, CRC Press 2013, chapter "Cell size precedents"."""


class SizeBucket(NamedTuple):
    """The classes with ``low`` to ``high`` records (rows or people)."""

    low: int
    high: int
    classes: int
    records: int


@dataclass(frozen=True)
class ClassSummary:
    """The sizes of the equivalence classes; the histogram goes by powers of two.

    ``counted`` says what: of a release whose table does not tell whose a row is, its rows. ``small`` are the classes
    that are smaller than each of :data:`CUSTOMARY`.
    """

    number: int
    smallest: int
    median: float
    mean: float
    largest: int
    histogram: tuple[SizeBucket, ...]
    counted: Literal["rows", "people"] = "rows"
    small: tuple[SizeBucket, ...] = ()

    @classmethod
    def of(cls, counts: ClassCounts) -> ClassSummary:
        """Sum up the sizes of counted classes."""
        sizes = counts.sizes
        # frexp gives the exact binary exponent: 1 for 1, 2 for 2 and 3, 3 for 4 to 7, …
        power = np.frexp(sizes.astype(np.float64))[1] - 1
        buckets = tuple(
            SizeBucket(2**at, 2 ** (at + 1) - 1, int((power == at).sum()), int(sizes[power == at].sum()))
            for at in np.unique(power).tolist()
        )
        return cls(
            number=len(sizes),
            smallest=int(sizes.min()),
            median=float(np.median(sizes)),
            mean=float(sizes.mean()),
            largest=int(sizes.max()),
            histogram=buckets,
            counted="rows" if counts.entity is None else "people",
            small=tuple(SizeBucket(1, k - 1, int((sizes < k).sum()), int(sizes[sizes < k].sum())) for k in CUSTOMARY),
        )


@dataclass(frozen=True)
class SensitiveAudit:
    """What the classes reach for one sensitive column, each figure that of the worst class.

    Parameters
    ----------
    distinct_l : int
        Different values.
    entropy_l : float
        exp of the entropy: values, if they were equally frequent.
    recursive_c : float or None
        The table is recursively (c, 2)-diverse for every c above this; ``None`` if a class has a single
        value.
    t_equal, t_ordered : float
        The earth mover's distance from the whole table, with the equal and the ordered ground distance.
    alpha : float
        The share of the most frequent value.
    p : int
        Different values, as p-sensitive k-anonymity counts them.
    """

    distinct_l: int
    entropy_l: float
    recursive_c: float | None
    t_equal: float
    t_ordered: float
    alpha: float
    p: int


@dataclass(frozen=True, repr=False)
class Audit(Reported):
    """What a table gives away.

    Parameters
    ----------
    rows : int
        The rows of the table.
    columns : tuple of str
        The quasi-identifiers.
    k : int
        The records of the smallest class.
    shields : mapping of str to int
        The k of each shield that a requirement names, under the shield's columns joined by commas.
    people : int or None
        How many people the rows are of, where they are counted and not rows. Of a release whose table does not tell
        whose a row is, this is rounded, as are the risks; sizes of classes and figures of sensitive columns are then
        those of rows. k and the verdict are exact, and of people.
    linked : tuple of two ints, or None
        Where a person's rows can be linked: how few people share the set of their classes, and how few share it with
        how often they are in each.
    links : tuple of Link
        The columns, or columns together, by which they can be linked.
    k_all : int or None
        The fewest records that share the values of all columns, also of those that are no quasi-identifiers; ``None``
        if it was not computed.
    wildcard_k : int or None
        The k if missing and suppressed cells match anything; ``None`` if it was not computed.
    l : int or None
        The smallest distinct l over the sensitive columns.
    t : float or None
        The largest t over the sensitive columns, equal distance.
    sensitive : mapping of column to SensitiveAudit
        Every model's figure for each sensitive column.
    classes : ClassSummary
        Number and sizes of the equivalence classes.
    risks : Risks
        The three attackers.
    label_homogeneity : mapping of column to float
        The share of records in classes with a single value of a sensitive column or the target: who finds
        such a class knows the value without finding the record.
    losses : mapping of metric name to float
        The information lost; empty for a table whose origin is not known.
    warnings : tuple of str
        What the figures do not say; the gravest first.
    grave : tuple of str
        The warnings that a table or a requirement is worth nothing.
    verdict : Verdict or None
        Whether the requirements hold, where some were given.
    proportions : mapping of column to Disclosure
        What published proportions tell beyond the table; empty if there are none.
    manifest : {"fits", "differs"}, optional
        Whether the table is the one that the manifest beside it speaks of; ``None`` if there is no manifest.
    singled_out : int or None
        The people with tuples of original values whose number the proportions fix below the k that is required, though
        the table alone does not; ``None`` without proportions.
    fully_known : int or None
        The people with tuples whose number they fix at all.
    clear : mapping of column to ClearColumn
        What the columns that are published as they are tell; empty for a table whose origin is not known.
    determined : mapping of column to tuple of str
        The columns in clear that count as quasi-identifiers in the verdict, and the quasi-identifiers that determine
        each: whoever knows one of these of a person knows the column.
    k_determined : int or None
        The records of the smallest class if these columns count, too; ``None`` if there are none.
    tells_apart : mapping of quasi-identifier to TellsApart
        How far each of them alone tells records apart.
    together : Together or None
        What the table gives away together with an earlier release, where one was named.
    """

    rows: int
    columns: tuple[str, ...]
    k: int
    shields: Mapping[str, int]
    wildcard_k: int | None
    l: int | None  # noqa: E741 - the paper's letter
    t: float | None
    sensitive: Mapping[str, SensitiveAudit]
    classes: ClassSummary
    risks: Risks
    label_homogeneity: Mapping[str, float]
    losses: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    verdict: Verdict | None = None
    proportions: Mapping[str, Disclosure] = field(default_factory=dict)
    manifest: Fit | None = None
    singled_out: int | None = None
    fully_known: int | None = None
    k_all: int | None = None
    people: int | None = None
    linked: tuple[int, int] | None = None
    links: tuple[Link, ...] = ()
    clear: Mapping[str, ClearColumn] = field(default_factory=dict)
    grave: tuple[str, ...] = ()
    tells_apart: Mapping[str, TellsApart] = field(default_factory=dict)
    together: Together | None = None
    determined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    k_determined: int | None = None

    def __repr__(self) -> str:
        judged = "" if self.verdict is None else ", holds" if self.verdict.holds else ", FAILS"
        return (
            f"Audit({plural(self.rows, 'rows')} in {plural(self.classes.number, 'classes')}, k = {self.k:,}{judged}; "
            "quasi-identifiers "
            f"{names_shown(self.columns)})"
        )

    @property
    def people_told(self) -> str:
        """How many people there are, in words that tell whether the number is rounded."""
        return f"{'about ' if self.classes.counted == 'rows' else ''}{self.people:,}"

    def __str__(self) -> str:
        return self.render()

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as plain values for JSON; what is infinite or not computed is ``None``."""
        plain = _plain(dataclasses.asdict(self))
        if self.together is not None:
            plain["together"] |= {
                name: dict(zip(("least", "most"), plain["together"][name], strict=True))
                for name in ("k", "below", "alone")
            }
            plain["together"] |= {"holds": self.together.holds, "says": self.together.says}
        for name in ("histogram", "small"):
            plain["classes"][name] = [bucket._asdict() for bucket in getattr(self.classes, name)]
        return dict(plain)

    def render(self) -> str:
        """Return the audit as text for a terminal."""
        from hedgerow.risk.rendering import render

        return render(self)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


# --------------------------------------------------------------------------------------------------
# What k does not cover: how few look alike once every published column counts, and not only quasi-identifiers.


def beyond_quasi(audit: Audit) -> str:
    """Say in plain words that fewer look alike over all columns than over the quasi-identifiers.

    Parameters
    ----------
    audit : Audit

    Returns
    -------
    str
        Empty where as many do, where it was not computed, and where k is 1 already.

    Examples
    --------
    >>> import hedgerow as hr, pyarrow as pa
    >>> table = pa.table({"town": ["Ulm", "Ulm"], "shoe": [41, 42]})
    >>> print(beyond_quasi(hr.audit(table, quasi=["town"])).partition(":")[0])
    Over all columns together, somebody stands alone
    >>> beyond_quasi(hr.audit(table, quasi=["town", "shoe"]))
    ''
    """
    if audit.k_all is None or audit.k_all >= audit.k:
        return ""
    few = "somebody stands alone" if audit.k_all == 1 else f"as few as {audit.k_all:,} look alike"
    found = "that person's row" if audit.k_all == 1 else "these few rows"
    return (
        f"Over all columns together, {few}: whoever also knows what the other columns say of a person can "
        f"find {found}. The guarantee takes it that nobody knows a person by them."
    )
