"""The subject of a report, as far as the reader of an edition may know it.

The makers of sections get a :class:`Subject` and nothing else. In the public edition it holds what a recipient has
anyway: the published table, its manifest and its proportions. So no section of that edition can reveal more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, get_args

from hedgerow._internal.rounding import digits_shown
from hedgerow.core.counts import Counted
from hedgerow.core.proportions import Proportions
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput
from hedgerow.release import Release
from hedgerow.report.facts.figures import Edition
from hedgerow.report.facts.sections import SubjectKind
from hedgerow.risk import Audit, Risks, Together, with_rounded_people
from hedgerow.verifier import ClassCounts, Verdict

__all__ = ["FEWEST", "Originals", "Subject", "asked_k"]

FEWEST: Final = 3
"""No bar has fewer records, even where no k was asked: the smallest of the customary class sizes."""


@dataclass(frozen=True, eq=False)
class Originals:
    """The counts and the recoding of the original table: for the internal edition only."""

    counts: Counted
    recoding: Recoding


@dataclass(frozen=True, eq=False)
class Subject:
    """The knowledge of a section.

    Attributes
    ----------
    kind : {"release", "loaded release", "audit"}
    edition : {"internal", "public"}
    audit : Audit
    manifest : mapping
        What is published beside the table; empty for an audit.
    fewest : int
        Bars and labels are of at least this many people, or rows where people are unknown.
    published : ClassCounts, optional
        The published rows. Where the table does not show whose they are, only the internal edition knows it. An audit
        keeps none.
    people_unknown : bool
        Whether people were counted, but the persons of the published rows are not known here.
    types : mapping of column to str
        The types of the published columns.
    originals : Originals, optional
    proportions : Proportions, optional
        What is published beside the table.
    digests : mapping of str to str
        The SHA-256 of the files of a release that was loaded.
    release : Release, optional
        The release itself: for the internal edition only.
    """

    kind: SubjectKind
    edition: Edition
    audit: Audit
    manifest: Mapping[str, Any] = field(default_factory=dict)
    fewest: int = FEWEST
    published: ClassCounts | None = None
    people_unknown: bool = False
    types: Mapping[str, str] = field(default_factory=dict)
    originals: Originals | None = None
    proportions: Proportions | None = None
    digests: Mapping[str, str] = field(default_factory=dict)
    release: Release | None = None

    @classmethod
    def of(
        cls,
        subject: Release | Audit,
        edition: Edition = "internal",
        *,
        threshold: float | None = None,
        together: Together | None = None,
    ) -> Subject:
        """Restrict a release or an audit to what the reader of an edition may know.

        Parameters
        ----------
        subject : Release or Audit
        edition : {"internal", "public"}
        threshold : float, optional
            A record is at risk above it. By default it is 1 over the k that was asked for.
        together : Together, optional
            What a release discloses together with an earlier one.
        """
        if edition not in get_args(Edition):
            raise BadInput.parameter("edition", "report", " or ".join(map(repr, get_args(Edition))), edition)
        if isinstance(subject, Audit):
            _check_audited(subject, threshold)
            return cls("audit", edition, subject)
        if not isinstance(subject, Release):
            raise BadInput.parameter("subject", "report", "a Release or an Audit", type(subject).__name__)
        return cls._of_release(subject, edition, _audit_of(subject, threshold, together))

    @classmethod
    def _of_release(cls, release: Release, edition: Edition, audit: Audit) -> Subject:
        guarantee, manifest = release.guarantee, release.manifest
        hides_people = guarantee.entity is not None and not guarantee.linked
        classes = release.classes.by_rows if edition == "public" and hides_people else release.classes
        return cls(
            kind="loaded release" if release.private is None else "release",
            edition=edition,
            audit=audit,
            manifest=manifest,
            fewest=max((FEWEST, *(requirement.minimal_size for requirement in guarantee.requirements))),
            published=classes,
            people_unknown=manifest["columns"]["entity"] is not None and classes.entity is None,
            types=release.column_types,
            originals=_originals(release) if edition == "internal" else None,
            proportions=release.proportions,
            digests=release.digests,
            release=release if edition == "internal" else None,
        )

    @cached_property
    def by_rows(self) -> ClassCounts | None:
        """The published rows, counted as rows."""
        published = self.published
        return published if published is None or published.entity is None else published.by_rows

    @property
    def columns(self) -> Mapping[str, Any]:
        """The roles of the columns by the manifest; empty for an audit."""
        roles: Mapping[str, Any] = self.manifest.get("columns", {})
        return roles

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
        """The column that a model will predict, if there is one."""
        if self.kind != "audit":
            name: str | None = self.columns["target"]
            return name
        return next((name for name in self.audit.label_homogeneity if name not in self.audit.sensitive), None)

    @property
    def guaranteed(self) -> bool:
        """Whether the requirements are promised; a weak release promises nothing."""
        return bool(self.manifest.get("guaranteed", True))

    @property
    def protected(self) -> tuple[str, ...]:
        """The target and the sensitive columns, each once."""
        return tuple(dict.fromkeys((*((self.target,) if self.target else ()), *self.sensitive)))

    @property
    def accepted(self) -> list[str]:
        """The columns that disclose something and were accepted by name."""
        return [name for name, column in self.audit.clear.items() if column.excused]

    @property
    def unit(self) -> str:
        """The unit of k."""
        return "rows" if self.audit.people is None else "people"

    @cached_property
    def digits(self) -> int:
        """The digits of figures that come from original rows."""
        return digits_shown(int(self.manifest.get("rows_in", self.audit.rows)))


def asked_k(audit: Audit) -> int | None:
    """The k that was asked over all quasi-identifiers; ``None`` if none was asked."""
    findings = () if audit.verdict is None else audit.verdict.findings
    # A finding names its requirement in words that end with the shield, if there is one.
    shielded = tuple(f" {word} {shield}" for shield in audit.shields for word in ("of", "within"))
    asked = [
        int(finding.required)
        for finding in findings
        if finding.measure == "k" and not finding.requirement.endswith(shielded)
    ]
    return max(asked, default=None)


def _check_audited(audit: Audit, threshold: float | None) -> None:
    """Refuse a threshold by which an audit did not count."""
    if threshold is not None and threshold != audit.risks.prosecutor.threshold:
        raise BadInput(
            f"The audit counted the records at risk by another threshold than {threshold:g}. Audit the table with "
            f"threshold={threshold:g} (--threshold)."
        )


def _audit_of(release: Release, threshold: float | None, together: Together | None) -> Audit:
    """The audit of a release, with the risks by the threshold that was asked for, and with an earlier release."""
    audit, classes = release.audit, release.classes
    k = asked_k(audit)
    threshold = threshold if threshold is not None else 1 / k if k is not None else audit.risks.prosecutor.threshold
    counted = replace(audit, risks=Risks.of(classes, threshold))
    if classes.entity is not None and not release.guarantee.linked and release.guarantee.entity is not None:
        counted = with_rounded_people(counted, classes)
    audit = replace(audit, risks=counted.risks)
    if together is None:
        return audit
    finding, verdict = together.finding, audit.verdict
    if finding is not None and verdict is not None:
        verdict = Verdict(verdict.holds and finding.holds, (*verdict.findings, finding))
    return replace(audit, together=together, verdict=verdict)


def _originals(release: Release) -> Originals | None:
    """The original table, wherever its tuples are; ``None`` for a loaded release."""
    recoding = release.private
    if recoding is None:
        return None
    counts: Counted | None = release.originals
    if counts is None and recoding.parts is not None:
        counts = recoding.parts.large
    return None if counts is None else Originals(counts, recoding)
