"""The result of an audit: figures only, never a cell of the table."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow._internal.late_binding import Reported
from hedgerow._internal.notebook import names_shown
from hedgerow.errors import listing, plural
from hedgerow.risk._proportions import Disclosure
from hedgerow.risk.clear import ClearColumn
from hedgerow.risk.manifest import Fit
from hedgerow.risk.overlap import Extent
from hedgerow.verifier import ClassCounts, Finding, Link, Verdict
from hedgerow.verifier.classes import Integers
from hedgerow.verifier.formulas import (
    distinct_values,
    entropy_values,
    equal_distance,
    largest_share,
    ordered_distance,
    recursive_ratio,
)

__all__ = [
    "AttackerRisk",
    "Audit",
    "CUSTOMARY",
    "ClassSummary",
    "CodedColumn",
    "LearntTogether",
    "MEASURE",
    "Relation",
    "Risks",
    "SensitiveAudit",
    "SizeBucket",
    "TellsApart",
    "Together",
    "beyond_quasi",
    "tells_apart",
    "tells_apart_all",
]


# --------------------------------------------------------------------------------------------------
# What two releases of the same people disclose together.
#
# Two releases that are each safe can be combined: a person is in one class of each. S. R. Ganta, S. P. Kasiviswanathan,
# A. Smith: Composition Attacks and Auxiliary Information in Data Privacy, KDD 2008.


Relation = Literal["equal", "finer", "coarser", "apart", "crossing", "unknown"]
"""How the classes of the new release relate to those of the old one. Unknown if the old classes are unknown."""

MEASURE: Final = "k together"

_RELATIONS: Final[Mapping[Relation, tuple[str, str]]] = {
    "equal": ("Both releases have the same classes", "they reveal no more than one of them, if no value has changed"),
    "finer": (
        "Every class of the new release lies inside one class of the old one",
        "the old one adds nothing to it, if no value has changed",
    ),
    "coarser": (
        "Every class of the old release lies inside one class of the new one",
        "the new one adds nothing to it, if no value has changed",
    ),
    "apart": (
        "Nobody fits a class of both releases",
        "they describe other people, or values have since changed or are spelled differently",
    ),
    "crossing": ("Classes of the two releases cross", "both together reveal more about a person than either alone"),
    "unknown": (
        "The quasi-identifiers of the previous release are not known",
        "nothing is proved about both together",
    ),
}
"""Each relation in words, and what follows from it if both releases are of the same people."""


@dataclass(frozen=True)
class LearntTogether:
    """The share of the people for whom only one value of a column is possible.

    Attributes
    ----------
    alone : float
        By the new release alone.
    together : float
        By both releases. Without the original table, it is the share of rows that are surely in groups with one value.
        An attacker learns that value if the person's classes are known; where boxes overlap, a person's values alone
        may not determine the classes.
    """

    alone: float
    together: float


@dataclass(frozen=True)
class Together:
    """What two releases of the same people disclose together.

    People who share their class of the old release and their class of the new one are a group. The people who are not
    in a release count as a class of it. The k of both together is the size of the smallest group. An attacker is
    assumed to know the quasi-identifiers of both releases, so the classes of each release are formed by all of them
    that it publishes.

    Attributes
    ----------
    columns : tuple of str
        The quasi-identifiers of either release that both publish.
    columns_before, columns_after : tuple of str
        The columns that form the classes of the old release, and of the new one.
    linking : tuple of str
        The columns in clear by which rows of both were compared.
    rows, classes, k_before : int
        The rows, the classes and the k of the previous release.
    relation : {"equal", "finer", "coarser", "apart", "crossing", "unknown"}
        How the classes of the new release relate to those of the old one. It is unknown if the quasi-identifiers of the
        old one are unknown; then no k is proved.
    same_people : bool
        Whether everybody is in both releases, as far as is known or assumed.
    by_original : bool
        Whether people were counted in the original table; else the figures are bounds by what is published.
    exact : bool
        Whether the figures are exact. Even with the original table they are bounds if the class of some people is not
        known, because classes overlap or do not contain everybody who fits them.
    counted : {"rows", "people"}
    k : Extent
        The smallest group: ``least`` and ``most`` people.
    threshold : int
        Groups below it are counted: the k that is required, else the smaller k of both releases.
    required : int or None
        The k that is required over all quasi-identifiers.
    below : Extent
        The number of people in groups below the threshold.
    alone : Extent
        The number of people who are alone in their group.
    small : int
        The number of groups that are surely below the threshold.
    rows_left : int or None
        The fewest rows of the new release that may still be a person's, for an attacker who knows only both releases
        and the person's quasi-identifiers. It is known only with the original table.
    newcomers, leavers : int
        The number of classes that surely have newcomers, or leavers, but fewer than the threshold. The difference of
        both releases separates these people from all others.
    learnt : mapping of column to LearntTogether
    remarks : tuple of str
        What was assumed, or could not be read.
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
        """Whether the required k holds for both together; ``None`` if none is required, or nothing is proved."""
        if self.required is None or self.k.least < self.required <= self.k.most:
            return None
        return self.k.least >= self.required

    @property
    def finding(self) -> Finding | None:
        """The finding about the required k for both together. A k that is not proved does not hold."""
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
        """The result in one or two sentences."""
        relation, consequence = _RELATIONS[self.relation]
        if not self.same_people and self.relation in ("equal", "finer", "coarser"):
            consequence = "but not everybody is in both, and people who are in only one may stand out from the others"
            return f"{relation}, {consequence}. {self._k_in_words}"
        return f"{relation}: {consequence}. {self._k_in_words}"

    @property
    def _k_in_words(self) -> str:
        least, most = self.k
        if least == most:
            return f"k together is {least:,}." if least > 1 else "Together they single somebody out: k together is 1."
        if least == 1:
            return f"k together is at most {most:,}; what is published does not rule out that somebody is unique."
        return f"k together is at least {least:,} and at most {most:,}."

    @property
    def compared(self) -> str:
        """The columns by which rows were compared, in words."""
        by = listing(self.linking, len(self.linking)) if self.linking else "none"
        shared = listing(self.columns, len(self.columns)) if self.columns else "none"
        only = [
            f"; only in the {name} release {listing(own, len(own))}"
            for name, columns in (("previous", self.columns_before), ("new", self.columns_after))
            if (own := [column for column in columns if column not in self.columns])
        ]
        return f"shared quasi-identifiers {shared}{''.join(only)}; columns in clear: {by}"


CUSTOMARY: Final = (3, 5, 11, 20)
"""Customary least class sizes. Their users are listed in K. El Emam, Guide to the De-Identification of Personal Health
Information, CRC Press 2013, chapter "Cell size precedents"."""


class SizeBucket(NamedTuple):
    """The classes with ``low`` to ``high`` records (rows or people)."""

    low: int
    high: int
    classes: int
    records: int


@dataclass(frozen=True)
class ClassSummary:
    """The sizes of the equivalence classes, with a histogram by powers of two.

    ``counted`` names what is counted: people, or rows, also for a release that counts people but does not name them.
    ``small`` are the classes that are smaller than each of :data:`CUSTOMARY`.
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
    """What the classes reach for one sensitive column. Each figure is that of the worst class.

    Parameters
    ----------
    distinct_l : int
        The number of different values.
    entropy_l : float
        exp of the entropy: the number of equally frequent values with the same entropy.
    recursive_c : float or None
        The table is recursively (c, 2)-diverse for every c above this; ``None`` if a class has a single value.
    t_equal, t_ordered : float
        The earth mover's distance from the whole table, with the equal and the ordered ground distance.
    alpha : float
        The share of the most frequent value.
    p : int
        The number of different values, as p-sensitive k-anonymity counts them.
    """

    distinct_l: int
    entropy_l: float
    recursive_c: float | None
    t_equal: float
    t_ordered: float
    alpha: float
    p: int

    @classmethod
    def of(cls, counts: ClassCounts, column: str) -> SensitiveAudit:
        """Measure a sensitive column in counted classes."""
        histogram = counts.histogram(column)
        values = int(distinct_values(histogram).min())
        ratio = float(recursive_ratio(histogram, 2).max())
        return cls(
            distinct_l=values,
            entropy_l=float(entropy_values(histogram).min()),
            recursive_c=ratio if math.isfinite(ratio) else None,
            t_equal=float(equal_distance(histogram).max()),
            t_ordered=float(ordered_distance(histogram).max()),
            alpha=float(largest_share(histogram, counts.sizes).max()),
            p=values,
        )


# --------------------------------------------------------------------------------------------------
# Three attackers, and the chance that each identifies a person.
#
# K. El Emam, F. K. Dankar, "Protecting privacy using k-anonymity", JAMIA 15(5), 2008:
#
# - The *prosecutor* knows that the person is in the table: the chance is 1 / (records of the class).
# - The *journalist* does not know it, and matches against a population: 1 / (people of the population who fit).
# - The *marketer* wants as many people as possible: the share of all records that are matched correctly.


# Rounding of 1 / size must not put a class of exactly 1 / threshold records at risk.
_SLACK: Final = 1e-9


@dataclass(frozen=True)
class AttackerRisk:
    """The chance of identifying a person.

    Parameters
    ----------
    highest, average : float
        Over all records.
    records_at_risk : int
        The number of records whose own chance is above the threshold.
    share_at_risk : float
        Their share of all records.
    threshold : float
        A record is at risk above it.
    note : str
        The assumptions behind the figures.
    """

    highest: float
    average: float
    records_at_risk: int
    share_at_risk: float
    threshold: float
    note: str

    @classmethod
    def of(cls, counts: ClassCounts, fitting: Integers, threshold: float, note: str) -> AttackerRisk:
        """Compute a risk from the number of people who fit each class."""
        chance = 1.0 / fitting
        at_risk = int(counts.sizes[chance > threshold + _SLACK].sum())
        return cls(
            highest=float(chance.max()),
            average=float((counts.sizes * chance).sum() / counts.records),
            records_at_risk=at_risk,
            share_at_risk=at_risk / counts.records,
            threshold=threshold,
            note=note,
        )


@dataclass(frozen=True)
class Risks:
    """The three attackers."""

    prosecutor: AttackerRisk
    journalist: AttackerRisk
    marketer: AttackerRisk

    @classmethod
    def of(cls, counts: ClassCounts, threshold: float, population: Integers | None = None) -> Risks:
        """Compute the risks of a table.

        Parameters
        ----------
        counts : ClassCounts
            The classes of the table.
        threshold : float
            A record is at risk above it.
        population : array of int, optional
            The people of the population who fit each class. A class is assumed to have at least as many as it has
            records, because the people of the table belong to the population.
        """
        prosecutor = AttackerRisk.of(counts, counts.sizes, threshold, "the person is known to be in the table")
        if population is None:
            journalist = replace(prosecutor, note="no population was given, so this is the prosecutor's risk")
        else:
            fitting = np.maximum(population, counts.sizes)
            journalist = AttackerRisk.of(counts, fitting, threshold, "matched against the given population")
        everybody = counts.records if journalist.average > threshold + _SLACK else 0
        marketer = replace(
            journalist,
            highest=journalist.average,
            records_at_risk=everybody,
            share_at_risk=everybody / counts.records,
            note="the expected share of records matched rightly; all are at risk if it is above the threshold",
        )
        return cls(prosecutor, journalist, marketer)


# --------------------------------------------------------------------------------------------------
# How well one column alone identifies people.
#
# R. Motwani, Y. Xu: Efficient Algorithms for Masking and Finding Quasi-Identifiers, 2007.


@dataclass(frozen=True)
class TellsApart:
    """How well a column distinguishes records.

    Attributes
    ----------
    distinction : float
        Its different values over its records: 1 if every record has a value of its own.
    separation : float
        The share of all pairs of records that differ in it.
    """

    distinction: float
    separation: float


def tells_apart(sizes: Longs) -> TellsApart:
    """Measure a column by the number of records that have each of its values.

    Examples
    --------
    Two of four records share a value: five of the six pairs differ.

    >>> tells_apart(np.array([2, 1, 1]))
    TellsApart(distinction=0.75, separation=0.8333333333333334)
    """
    held = sizes[sizes > 0].astype(np.float64)
    records = float(held.sum())
    if records < 2:
        return TellsApart(float(len(held)), 0.0)
    alike = float((held * (held - 1)).sum()) / (records * (records - 1))
    return TellsApart(len(held) / records, 1.0 - alike)


def tells_apart_all(counts: ClassCounts) -> dict[str, TellsApart]:
    """Measure every quasi-identifier of counted classes."""
    columns = zip(counts.columns, counts.codes.T, counts.labels, strict=True)
    return {
        name: tells_apart(np.bincount(codes, counts.sizes, len(labels)).astype(np.int64))
        for name, codes, labels in columns
    }


@dataclass(frozen=True)
class CodedColumn:
    """A column whose values were coded before the table was counted.

    Attributes
    ----------
    how : str
        The recode as the schema has it, or that rare values are published together.
    changed : float
        The share of rows with another value than before, rounded.
    change : float, optional
        Of recoded numbers: the mean absolute change, divided by the standard deviation, rounded.
    correlation : float, optional
        Of recoded numbers: the correlation with the original numbers, rounded.
    """

    how: str
    changed: float = 0.0
    change: float | None = None
    correlation: float | None = None

    @property
    def told(self) -> str:
        """The coding and its losses in words.

        >>> CodedColumn("round:1000", 0.9, 0.02, 0.998).told
        'round:1000, 90 % of the rows changed, by 0.02 standard deviations on average, correlation 0.998'
        """
        parts = [self.how, f"{100 * self.changed:.3g} % of the rows changed"]
        if self.change is not None:
            parts.append(f"by {self.change:g} standard deviations on average")
        if self.correlation is not None:
            parts.append(f"correlation {self.correlation:g}")
        return ", ".join(parts)


@dataclass(frozen=True, repr=False)
class Audit(Reported):
    """What a table discloses.

    Parameters
    ----------
    rows : int
        The number of rows.
    columns : tuple of str
        The quasi-identifiers.
    k : int
        The number of records of the smallest class.
    shields : mapping of str to int
        The k of each shield that a requirement names, under the shield's columns joined by commas.
    people : int or None
        The number of people, where people are counted instead of rows. If the table of a release does not name its
        people, this number and the risks are rounded, and sizes of classes and figures of sensitive columns are about
        rows. k and the verdict are exact, and about people.
    linked : tuple of two ints, or None
        Where a person's rows can be linked: the fewest people who share the set of their classes, and the fewest who
        also share the number of their rows in each.
    links : tuple of Link
        The columns, alone or together, by which rows can be linked.
    k_all : int or None
        The fewest records that share the values of all columns, quasi-identifiers or not; ``None`` if it was not
        computed.
    wildcard_k : int or None
        The k if missing and suppressed cells match anything; ``None`` if it was not computed.
    l : int or None
        The smallest distinct l over the sensitive columns.
    t : float or None
        The largest t over the sensitive columns, equal distance.
    sensitive : mapping of column to SensitiveAudit
        Every model's figure for each sensitive column.
    classes : ClassSummary
        The number and sizes of the equivalence classes.
    risks : Risks
        The three attackers.
    label_homogeneity : mapping of column to float
        The share of records in classes with a single value of a sensitive column or the target. The class alone reveals
        that value; the record need not be identified.
    losses : mapping of metric name to float
        The information lost; empty for a table whose origin is not known.
    warnings : tuple of str
        What the figures do not show; the gravest first.
    grave : tuple of str
        The warnings that a table or a requirement is worthless.
    verdict : Verdict or None
        Whether the requirements hold, where some were given.
    proportions : mapping of column to Disclosure
        What published proportions reveal beyond the table; empty if there are none.
    manifest : {"fits", "differs"}, optional
        Whether the manifest beside the table describes this very table; ``None`` if there is no manifest.
    singled_out : int or None
        The number of people with tuples of original values that the proportions, though not the table alone, prove to
        be held by fewer people than the required k; ``None`` without proportions.
    fully_known : int or None
        The number of people with tuples whose number of holders the proportions fix at all.
    clear : mapping of column to ClearColumn
        What the columns in clear disclose; empty for a table whose origin is not known.
    determined : mapping of column to tuple of str
        The columns in clear that count as quasi-identifiers in the verdict, each with the quasi-identifiers that
        determine it. An attacker who knows one of these for a person knows the column.
    k_determined : int or None
        The number of records of the smallest class if these columns count too; ``None`` if there are none.
    tells_apart : mapping of quasi-identifier to TellsApart
        How well each of them alone distinguishes records.
    together : Together or None
        What the table discloses together with an earlier release, if one was named.
    coded : mapping of column to CodedColumn
        The columns whose values were coded before the table was counted.
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
    coded: Mapping[str, CodedColumn] = field(default_factory=dict)

    def __repr__(self) -> str:
        judged = "" if self.verdict is None else ", holds" if self.verdict.holds else ", FAILS"
        return (
            f"Audit({plural(self.rows, 'rows')} in {plural(self.classes.number, 'classes')}, k = {self.k:,}{judged}; "
            "quasi-identifiers "
            f"{names_shown(self.columns)})"
        )

    @property
    def people_told(self) -> str:
        """The number of people as text, which shows whether it is rounded."""
        return f"{'about ' if self.classes.counted == 'rows' else ''}{self.people:,}"

    def __str__(self) -> str:
        return self.render()

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as plain values for JSON. Figures that are infinite or not computed are ``None``."""
        plain = _plain(dataclasses.asdict(self))
        if self.together is not None:
            plain["together"] |= {
                name: dict(zip(("least", "most"), plain["together"][name], strict=True))
                for name in ("k", "below", "alone")
            }
            plain["together"] |= {"holds": self.together.holds, "says": self.together.says}
        for name in ("histogram", "small"):
            plain["classes"][name] = [bucket._asdict() for bucket in getattr(self.classes, name)]
        if not self.coded:
            del plain["coded"]
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
# What k does not cover: the fewest records that are alike in every published column, not only in quasi-identifiers.


def beyond_quasi(audit: Audit) -> str:
    """Warn in plain words if fewer records are alike over all columns than over the quasi-identifiers.

    Parameters
    ----------
    audit : Audit

    Returns
    -------
    str
        Empty if as many are alike, if it was not computed, and if k is 1 already.

    Examples
    --------
    >>> import hedgerow as hr, pyarrow as pa
    >>> table = pa.table({"town": ["Ulm", "Ulm"], "shoe": [41, 42]})
    >>> print(beyond_quasi(hr.audit(table, quasi=["town"])).partition(":")[0])
    Over all columns together, somebody is unique
    >>> beyond_quasi(hr.audit(table, quasi=["town", "shoe"]))
    ''
    """
    if audit.k_all is None or audit.k_all >= audit.k:
        return ""
    few = "somebody is unique" if audit.k_all == 1 else f"as few as {audit.k_all:,} look alike"
    rows = "that person's row" if audit.k_all == 1 else "these few rows"
    return (
        f"Over all columns together, {few}: anyone who also knows a person's values in the other columns can "
        f"find {rows}. The guarantee assumes that nobody knows these values."
    )
