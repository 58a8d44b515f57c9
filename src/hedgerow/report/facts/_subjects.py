"""What a report is of, as far as the reader of an edition may know it.

Whoever makes a section is given a :class:`Subject` and nothing else. That of the public edition holds what a recipient
has anyhow: the published table, its manifest and its proportions. So no section of it can tell more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, get_args

from hedgerow._internal.rounding import digits_shown
from hedgerow.core.counts import Counted
from hedgerow.core.proportions import Proportions
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput
from hedgerow.release import Release
from hedgerow.report.facts._sections import SubjectKind
from hedgerow.report.facts.figures import Edition
from hedgerow.risk import Audit
from hedgerow.verifier import ClassCounts

__all__ = ["FEWEST", "Originals", "Subject"]

FEWEST: Final = 3
"""No bar is of fewer records, also where no k was asked: the smallest of the customary class sizes."""


@dataclass(frozen=True, eq=False)
class Originals:
    """The original table as it was counted, and how it was recoded: for the internal edition only."""

    counts: Counted
    recoding: Recoding


@dataclass(frozen=True, eq=False)
class Subject:
    """What a section may know.

    Attributes
    ----------
    kind : {"release", "loaded release", "audit"}
    edition : {"internal", "public"}
    audit : Audit
    manifest : mapping
        What is published beside the table; empty for an audit.
    fewest : int
        Bars and labels are of at least so many people, or rows where nobody tells people apart.
    published : ClassCounts, optional
        The published rows. Only the internal edition knows whose they are where the table does not tell it. An audit
        keeps none.
    whose_unknown : bool
        Whether people were counted and it is not known here whose the published rows are.
    types : mapping of column to str
        The types of the published columns.
    originals : Originals, optional
    proportions : Proportions, optional
        What is published beside the table.
    digests : mapping of str to str
        The SHA-256 of the files of a release that was loaded.
    """

    kind: SubjectKind
    edition: Edition
    audit: Audit
    manifest: Mapping[str, Any] = field(default_factory=dict)
    fewest: int = FEWEST
    published: ClassCounts | None = None
    whose_unknown: bool = False
    types: Mapping[str, str] = field(default_factory=dict)
    originals: Originals | None = None
    proportions: Proportions | None = None
    digests: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, subject: Release | Audit, edition: Edition = "internal") -> Subject:
        """What the reader of an edition may know of a release or an audit."""
        if edition not in get_args(Edition):
            raise BadInput.parameter("edition", "report", " or ".join(map(repr, get_args(Edition))), edition)
        if isinstance(subject, Audit):
            return cls("audit", edition, subject)
        if not isinstance(subject, Release):
            raise BadInput.parameter("subject", "report", "a Release or an Audit", type(subject).__name__)
        guarantee, manifest = subject.guarantee, subject.manifest
        hidden = guarantee.entity is not None and not guarantee.linked
        rough = edition == "public" and hidden
        counted_people = manifest["columns"]["entity"] is not None
        classes = subject.classes.by_rows if rough else subject.classes
        return cls(
            kind="loaded release" if subject.private is None else "release",
            edition=edition,
            audit=subject.audit,
            manifest=manifest,
            fewest=max((FEWEST, *(one.minimal_size for one in guarantee.requirements))),
            published=classes,
            whose_unknown=counted_people and classes.entity is None,
            types=subject.column_types,
            originals=_originals(subject) if edition == "internal" else None,
            proportions=subject.proportions,
            digests=subject.digests,
        )

    @cached_property
    def by_rows(self) -> ClassCounts | None:
        """The published rows, counted as rows."""
        found = self.published
        return found if found is None or found.entity is None else found.by_rows

    @property
    def columns(self) -> Mapping[str, Any]:
        """The roles of the columns as the manifest tells them; empty for an audit."""
        found: Mapping[str, Any] = self.manifest.get("columns", {})
        return found

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.audit.columns

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return tuple(self.audit.sensitive)

    @property
    def target(self) -> str | None:
        """The class to be learnt, if there is one."""
        if self.kind != "audit":
            name: str | None = self.columns["target"]
            return name
        return next((name for name in self.audit.label_homogeneity if name not in self.audit.sensitive), None)

    @property
    def guaranteed(self) -> bool:
        """Whether the requirements are promised; not where a method gives them up."""
        return bool(self.manifest.get("guaranteed", True))

    @property
    def unit(self) -> str:
        """What k counts."""
        return "rows" if self.audit.people is None else "people"

    @cached_property
    def digits(self) -> int:
        """How many digits are told of figures that come from original rows."""
        return digits_shown(int(self.manifest.get("rows_in", self.audit.rows)))


def _originals(release: Release) -> Originals | None:
    """The original table, wherever its tuples are; none for a release that was loaded."""
    recoding = release.private
    if recoding is None:
        return None
    counts: Counted | None = release.originals
    if counts is None and recoding.parts is not None:
        counts = recoding.parts.large
    return None if counts is None else Originals(counts, recoding)
