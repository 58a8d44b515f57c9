"""The audit as a value: figures only, never a cell of the table."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from hedgerow.errors import amount
from hedgerow.faces import Reported
from hedgerow.risk.attackers import Risks
from hedgerow.risk.beside import Fit
from hedgerow.risk.clear import ClearColumn
from hedgerow.risk.proportions import Disclosure
from hedgerow.risk.telling_apart import TellsApart
from hedgerow.risk.together import Together
from hedgerow.showing import names_shown
from hedgerow.verifier import ClassCounts, Link, Verdict

__all__ = ["CUSTOMARY", "Audit", "ClassSummary", "SensitiveAudit", "SizeBucket"]


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
            f"Audit({amount(self.rows, 'rows')} in {amount(self.classes.number, 'classes')}, k = {self.k:,}{judged}; "
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
