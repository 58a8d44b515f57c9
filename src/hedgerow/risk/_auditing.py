"""Audits or checks any table: the verifier counts it, and every figure is derived from the counts."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from hedgerow._internal.keywords import suggesting
from hedgerow._internal.notebook import NotebookRepr, names_shown
from hedgerow._internal.rounding import digits_shown, rounded_up, significant
from hedgerow.core.cells import SUPPRESSED
from hedgerow.core.proportions import Proportions
from hedgerow.errors import BadInput, check_int, listing, plural
from hedgerow.risk._inputs import (
    Auditable,
    Described,
    Reading,
    artefact_of,
    check_columns,
    labels_of,
    protected_columns,
    read_demands,
    with_trees,
)
from hedgerow.risk._matched import audit_matched
from hedgerow.risk._population import people_fitting
from hedgerow.risk._proportions import disclosures, singled_out
from hedgerow.risk.audit import (
    AttackerRisk,
    Audit,
    ClassSummary,
    CodedColumn,
    Risks,
    SensitiveAudit,
    Together,
    tells_apart_all,
)
from hedgerow.risk.clear import ClearColumn
from hedgerow.risk.manifest import (
    Fit,
    StatedRoles,
    determined_beside,
    levels_beside,
    levels_in,
    manifest_fit,
    pseudonyms_beside,
    stated_beside,
)
from hedgerow.risk.previous import Given, audit_together, quasi_of
from hedgerow.schema import Schema
from hedgerow.verifier import (
    PEOPLE_PER_VALUE,
    ClassCounts,
    Finding,
    Link,
    PeoplePerValue,
    RowOwners,
    Verdict,
    count_classes,
    k_of_all,
    outside_levels,
    people_per_value,
    verify,
    wildcard_k,
)
from hedgerow.verifier.classes import Integers, LabelIndex
from hedgerow.verifier.formulas import distinct_values

__all__ = [
    "DEFAULT_THRESHOLD",
    "Check",
    "ReleaseFacts",
    "Told",
    "audit",
    "audit_counts",
    "check",
    "with_rounded_people",
]


# --------------------------------------------------------------------------------------------------
# Rounding, for a release that counts people but whose table does not name them.
#
# An attacker who knows all rows but one, and their people, could infer from an exact number of people whether the
# remaining row belongs to somebody they know. So figures that everybody can count in the table are about its rows, and
# figures of people are rounded. Two kinds of figures stay exact, because they are what is promised: the fewest people
# who share something, and the fewest values that they have.


def with_rounded_people(audit: Audit, counts: ClassCounts) -> Audit:
    """Round the figures of people.

    Parameters
    ----------
    audit : Audit
        With exact figures.
    counts : ClassCounts
        The counts that it was made from.
    """
    digits = digits_shown(counts.people)
    records = round(significant(counts.records, digits))
    prosecutor, journalist, marketer = (
        _rounded_risk(risk, records, digits)
        for risk in (audit.risks.prosecutor, audit.risks.journalist, audit.risks.marketer)
    )
    return replace(
        audit,
        people=round(significant(counts.people, digits)),
        risks=Risks(prosecutor, journalist, replace(marketer, highest=significant(marketer.highest, digits))),
        verdict=None if audit.verdict is None else _rounded_verdict(audit.verdict, digits),
        clear={name: replace(column, alone=rounded_up(column.alone, digits)) for name, column in audit.clear.items()},
    )


def _rounded_risk(risk: AttackerRisk, records: int, digits: int) -> AttackerRisk:
    """Round a risk, except the highest, which is 1 / k."""
    share = rounded_up(risk.share_at_risk, digits)
    return replace(
        risk, average=significant(risk.average, digits), records_at_risk=round(share * records), share_at_risk=share
    )


def _rounded_verdict(verdict: Verdict, digits: int) -> Verdict:
    return replace(verdict, findings=tuple(_rounded_finding(finding, digits) for finding in verdict.findings))


def _rounded_finding(finding: Finding, digits: int) -> Finding:
    """Round a share or a distance. Whether a requirement holds, and numbers of people or values, stay exact."""
    if finding.measure in ("k", "l", "p", PEOPLE_PER_VALUE):
        return finding
    return replace(finding, reached=significant(finding.reached, digits))


# --------------------------------------------------------------------------------------------------
# The audit of a table.


# One chance in five, the customary limit for data released to researchers (El Emam & Dankar 2008).
DEFAULT_THRESHOLD: Final = 0.2


@suggesting
def audit(
    table: Any,
    *,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    target: str | None = None,
    population: Any = None,
    entity: str | None = None,
    require: Iterable[Any] = (),
    k: int | None = None,
    missing: Sequence[str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    threshold: float | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    previous: Any = None,
    original: Any = None,
    changed: Sequence[str] = (),
    previous_quasi: Sequence[str] = (),
    min_people: int | None = None,
    previous_original: Any = None,
    previous_recoding: Any = None,
    recoding: Any = None,
) -> Audit:
    """Measure what a table discloses.

    Parameters
    ----------
    table : dataframe, DuckDB relation, path or Release
        A dataframe of pandas, polars or pyarrow, or any path that :class:`hedgerow.File` reads. A file with a manifest
        beside it is compared with the digest in it. A release is counted anew, and supplies the parameters below that
        you leave out.
    quasi : sequence of str, optional
        The columns by which a person could be found. A release needs none, nor does a file with its manifest beside it:
        the manifest then supplies the roles and the requirements that you leave out.
    sensitive : sequence of str, optional
        The columns whose values must not become known.
    target : str, optional
        The column whose labels a model will predict. Its homogeneity is measured too.
    population : dataframe, DuckDB relation or path, optional
        The people among whom a journalist would search, with the same quasi-identifiers, generalized or not.
    entity : str, optional
        The column that identifies the person, where a person may have several rows.
    require : iterable of requirements
        Requirements that the table has to meet, as objects or as text such as ``"l=3@disease"``. ``verdict`` reports
        whether it does.
    k : int, optional
        Short for k-anonymity over all quasi-identifiers.
    missing : sequence of str, optional
        Texts that mean "no value".
    hierarchies : mapping of column to hierarchy, optional
        As in a schema. Hierarchies of quasi-identifiers determine which people of the population a label stands for.
        Hierarchies of sensitive columns serve requirements that measure distances in them.
    threshold : float, optional
        A record is at risk above it; 1/k if k is given, else 0.2.
    encoding, delimiter : str, optional
        Of text files, also of the population's. They are recognized if you do not give them.
    sheet : str, optional
        Of a workbook: the sheet that holds the table, if several hold something.
    previous : dataframe, DuckDB relation, path or Release, optional
        An earlier release of the same people. ``together`` reports what both disclose together, and a k that is
        required must hold for both together.
    original : dataframe, DuckDB relation or path, optional
        The table that both releases were made from, which only the publisher has. With it, people are counted; without
        it, figures are bounds by what is published.
    changed : sequence of str
        Columns whose values may have changed since the earlier release. Rows are compared by all other columns that
        both releases publish unchanged.
    previous_quasi : sequence of str
        The quasi-identifiers of the earlier release. A release, or a saved one with its manifest, supplies them itself.
        If they are unknown, no k is proved for both together.
    min_people : int, optional
        How many people must hold every value of every column, except columns that name people. A release, or the
        manifest beside a file, supplies its own.
    previous_original : dataframe, DuckDB relation or path, optional
        The table that the earlier release was made from, where it is not that of the new release; ``original`` is then
        only the latter. All groups are counted exactly, also of people who joined, left or changed.
    recoding, previous_recoding : Recoding or path, optional
        The private recodings of both releases, beside both original tables: they know the class of people who fit
        several. A release of this session still has its own.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["12*", "12*", "13*"], "illness": ["flu", "cold", "flu"]})
    >>> result = hr.audit(table, quasi=["zip"], sensitive=["illness"])
    >>> result.k, result.l, result.risks.prosecutor.highest
    (1, 1, 1.0)
    """
    described = table.described if isinstance(table, Auditable) else None
    stated = stated_beside(table) if described is None and quasi is None else None
    requirements = read_demands(k, require)
    hierarchies = {} if hierarchies is None else hierarchies
    if stated is not None and not requirements:
        requirements = _stated_requirements(stated, hierarchies)
        k = _plain_k(requirements)
    threshold = _threshold(threshold, k)
    known = stated if described is None else described
    roles = _Roles.of(known, quasi=quasi, sensitive=sensitive, target=target, entity=entity, missing=missing)
    if described is not None:
        requirements = requirements or tuple(described.requirements)
    counted = roles.counted(requirements)
    _check_previous(previous, original, changed, previous_quasi)
    _check_originals(previous, original, previous_original, (recoding, previous_recoding))
    every_quasi = dict.fromkeys((*roles.quasi, *quasi_of(previous, previous_quasi)))
    check_columns(hierarchies, [*dict.fromkeys((*roles.quasi, *counted, *every_quasi))])
    reading = Reading(roles.missing, encoding, delimiter)
    fit, unfit = manifest_fit(artefact_of(table))
    unfit = [*unfit, *(() if stated is None or roles.entity is not None else stated.remarks)]
    opened = reading.open(artefact_of(table), sheet)
    counts = count_classes(
        opened,
        roles.quasi,
        sensitive=counted,
        entity=roles.entity,
        missing=roles.missing,
        determined=_determined(table, fit, roles, counted),
    )
    if min_people is None and stated is not None:
        min_people = stated.min_people
    result = audit_counts(
        counts,
        sensitive=roles.sensitive,
        target=roles.target,
        require=with_trees(requirements, hierarchies, counts),
        threshold=threshold,
        fitting=None if population is None else _fitting(counts, reading, population, hierarchies),
        release=replace(
            _facts(opened, counts, described, roles, unfit), held=_held(table, opened, min_people, fit, roles)
        ),
    )
    result = _with_levels(replace(result, manifest=fit), counts, described, table)
    if previous is None:
        return result
    given = Given(
        previous=previous,
        original=original,
        quasi=roles.quasi,
        protected=roles.protected,
        entity=counts.entity,
        changed=changed,
        hierarchies={name: hierarchy for name, hierarchy in hierarchies.items() if name in every_quasi},
        required=_plain_k(requirements),
        reading=reading,
        previous_quasi=tuple(previous_quasi),
    )
    given = replace(given, previous_original=previous_original, recoding=recoding, previous_recoding=previous_recoding)
    if previous_original is None:
        return _with_previous(result, audit_together(table, opened, given))
    return _with_previous(result, audit_matched(table, given, requirements))


@dataclass(frozen=True, eq=False)
class _Roles:
    """The roles of the columns of the table that is audited."""

    quasi: Sequence[str]
    sensitive: Sequence[str]
    target: str | None
    entity: str | RowOwners | None
    missing: Sequence[str]

    @classmethod
    def of(
        cls,
        known: Described | StatedRoles | None,
        *,
        quasi: Sequence[str] | None,
        sensitive: Sequence[str] | None,
        target: str | None,
        entity: str | RowOwners | None,
        missing: Sequence[str] | None,
    ) -> _Roles:
        """Take the roles that the caller names; a release, or the manifest of a file, supplies the others."""
        if known is not None:
            owners = known.owners if isinstance(known, Described) else None
            quasi = _either(quasi, known.quasi)
            sensitive = _either(sensitive, known.sensitive)
            target = _either(target, known.target)
            entity = _either(entity, owners or known.entity)
            missing = _either(missing, known.missing)
        if quasi is None:
            raise BadInput("No quasi-identifier is named. Name the columns by which a person could be found in quasi=.")
        if isinstance(sensitive, str):
            raise BadInput.parameter("sensitive", "audit", "a list of column names", sensitive)
        return cls(quasi, _either(sensitive, ()), target, entity, _either(missing, ()))

    @property
    def protected(self) -> tuple[str, ...]:
        """The sensitive columns and the target."""
        return tuple(dict.fromkeys((*self.sensitive, *(() if self.target is None else (self.target,)))))

    def counted(self, requirements: Iterable[Any]) -> tuple[str, ...]:
        """The columns whose values are counted: the protected columns and those that requirements protect."""
        return tuple(dict.fromkeys((*self.protected, *protected_columns(requirements))))


def _stated_requirements(stated: StatedRoles, hierarchies: Mapping[str, Any]) -> tuple[Any, ...]:
    """The requirements in a manifest, which must be complete."""
    for requirement in stated.requirements:
        if requirement in stated.withheld:
            raise BadInput(
                f"The manifest does not hold all of {requirement}, because it names values. Give all requirements "
                "(require=, --require)."
            )
        if requirement.needs_tree and requirement.column not in hierarchies:
            raise BadInput(
                f"The manifest does not hold the tree of {requirement}. Give the hierarchy of {requirement.column!r} "
                "(hierarchies=, --hierarchy)."
            )
    return stated.requirements


def _either(named: Any, otherwise: Any) -> Any:
    return otherwise if named is None else named


def _determined(table: Any, fit: Fit | None, roles: _Roles, counted: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The columns in clear that quasi-identifiers of this audit determine, as the release or its manifest reports."""
    known: Mapping[str, tuple[str, ...]] = {}
    if isinstance(table, Auditable):
        known = table.described.determined
    elif fit == "fits":
        known = determined_beside(table)
    entity = roles.entity.entity if isinstance(roles.entity, RowOwners) else roles.entity
    named = {*roles.quasi, *counted, entity}
    return {name: by for name, by in known.items() if name not in named and set(by) & set(roles.quasi)}


def _held(
    table: Any,
    opened: Any,
    least: int | None,
    fit: Fit | None,
    roles: _Roles,
    *,
    exempt: Sequence[str] = (),
    owner: str = "audit",
) -> PeoplePerValue | None:
    """Who holds each value of each column, where enough people must."""
    described = table.described if isinstance(table, Auditable) else None
    facts: Mapping[str, Any] = {} if described is None else described.facts
    least = facts.get("min_people") if least is None else check_int("min_people", owner, least, 1)
    if least is None:
        return None
    exempt = (*exempt, *facts.get("columns", {}).get("pseudonymized", ()))
    if described is None and fit == "fits":
        exempt = (*exempt, *pseudonyms_beside(table))
    return people_per_value(opened, least, entity=roles.entity, exempt=exempt, missing=roles.missing)


def _facts(
    opened: Any, counts: ClassCounts, described: Described | None, roles: _Roles, unfit: Sequence[str]
) -> ReleaseFacts:
    """The facts about a table that its counts do not show."""
    facts = ReleaseFacts(
        warnings=tuple(unfit),
        k_all=_k_all(opened, counts, described),
        linked=counts.entity in counts.table_columns,
    )
    if described is None:
        return facts
    return replace(
        facts,
        losses=described.audit.losses,
        clear=described.audit.clear,
        links=described.audit.links if isinstance(roles.entity, RowOwners) else (),
        proportions=described.proportions,
        coded=described.audit.coded,
    )


def _k_all(opened: Any, counts: ClassCounts, described: Described | None) -> int | None:
    """The fewest records that share all columns. A release that does not name its people keeps its own figure."""
    if counts.complete:
        return counts.k_all
    if described is not None and described.people is not None:
        return described.audit.k_all
    return k_of_all(opened, entity=counts.entity)


def _fitting(counts: ClassCounts, reading: Reading, population: Any, hierarchies: Mapping[str, Any]) -> Integers:
    """The people of the population who fit each class."""
    people = count_classes(reading.open(artefact_of(population)), counts.columns, missing=reading.missing)
    return people_fitting(counts, people, labels_of(hierarchies, people))


def _threshold(threshold: Any, k: int | None) -> float:
    if threshold is None:
        return DEFAULT_THRESHOLD if k is None else 1.0 / k
    real = isinstance(threshold, numbers.Real) and not isinstance(threshold, bool)
    if not (real and 0 <= float(threshold) <= 1):
        raise BadInput.parameter("threshold", "audit", "a number from 0 to 1", threshold)
    return float(threshold)


def _check_previous(previous: Any, original: Any, changed: Any, previous_quasi: Any) -> None:
    """Refuse parameters that only an earlier release gives a meaning, if there is no earlier release."""
    lists = {"changed": changed, "previous_quasi": previous_quasi}
    for name, columns in lists.items():
        if isinstance(columns, str):
            raise BadInput.parameter(name, "audit", "a list of column names", columns)
    named = [name for name, given in {"original": original is not None, **lists}.items() if given]
    if previous is None and named:
        raise BadInput(
            f"{named[0]} (--{named[0].replace('_', '-')}) is of use only beside an earlier release. Name that one with "
            "previous= (--previous)."
        )


def _check_originals(previous: Any, original: Any, previous_original: Any, recodings: Sequence[Any]) -> None:
    """Refuse private files of two releases that are of no use without the others."""
    if previous_original is not None and (previous is None or original is None):
        raise BadInput(
            "previous_original (--previous-original) is of use only beside previous (--previous) and the table of the "
            "new release, original (--original). Name all three."
        )
    if previous_original is None and any(one is not None for one in recodings):
        raise BadInput(
            "Recodings are of use only beside both original tables. Name these too: original and previous_original "
            "(--original, --previous-original)."
        )


def _plain_k(requirements: Sequence[Any]) -> int | None:
    """The k that is required over all quasi-identifiers."""
    plain = [
        requirement
        for requirement in requirements
        if requirement.name == "k-anonymity" and getattr(requirement, "shield", None) is None
    ]
    return max((requirement.k for requirement in plain), default=None)


def _with_previous(audit: Audit, together: Together) -> Audit:
    """Add the audit of both releases, and judge it with the other requirements."""
    finding, verdict = together.finding, audit.verdict
    if finding is not None and verdict is not None:
        verdict = Verdict(verdict.holds and finding.holds, (*verdict.findings, finding))
    return replace(audit, together=together, verdict=verdict)


# --------------------------------------------------------------------------------------------------
# The audit of counted classes.


@dataclass(frozen=True, eq=False)
class ReleaseFacts:
    """Facts about a release that the counts of its table do not show.

    Attributes
    ----------
    losses : mapping of metric name to float
        The information lost, as the audit reports it.
    loss : float, optional
        The exact information lost in the published table, ``ncp_published``, if it is known. An audit begins with a
        warning if nearly everything is lost.
    warnings : tuple of str
        The warnings of the method that made the release.
    proportions : Proportions, optional
        The proportions published beside the table.
    k_all : int, optional
        The fewest records that share the values of all columns.
    clear : mapping of column to ClearColumn
        What the columns in clear disclose.
    linked : bool
        Whether the table names the person, so that a reader can link the rows of a person.
    links : tuple of Link
        The other columns by which a reader can link them.
    rounded : bool
        Whether figures of people are rounded, because a reader must not know the exact number of people.
    rows_are_people : bool
        Whether the publisher asserts that every row is a person.
    held : PeoplePerValue, optional
        Who holds each value of each column, where enough people must.
    coded : mapping of column to CodedColumn
        The columns that were coded before the table was counted.
    of_both : tuple of Finding
        What was found of the release together with an earlier one that it was made beside.
    """

    losses: Mapping[str, float] = field(default_factory=dict)
    loss: float | None = None
    warnings: tuple[str, ...] = ()
    proportions: Proportions | None = None
    k_all: int | None = None
    clear: Mapping[str, ClearColumn] = field(default_factory=dict)
    linked: bool = False
    links: tuple[Link, ...] = ()
    rounded: bool = False
    rows_are_people: bool = False
    held: PeoplePerValue | None = None
    coded: Mapping[str, CodedColumn] = field(default_factory=dict)
    of_both: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found beyond the requirements of its classes."""
        return (*(() if self.held is None else (self.held.finding,)), *self.of_both)


_NO_FACTS: Final = ReleaseFacts()


def audit_counts(
    counts: ClassCounts,
    *,
    sensitive: Sequence[str] | None = None,
    target: str | None = None,
    require: Sequence[Any] = (),
    threshold: float = DEFAULT_THRESHOLD,
    fitting: Integers | None = None,
    release: ReleaseFacts = _NO_FACTS,
) -> Audit:
    """Audit classes that are already counted, so that nothing is counted twice.

    Parameters
    ----------
    counts : ClassCounts
        The table, counted with its sensitive columns and its target.
    sensitive : sequence of str, optional
        ``None`` means every counted column but the target.
    target : str, optional
        The column whose labels a model will predict.
    require : sequence of requirements
        Requirements that the table has to meet, with the trees that they need.
    threshold : float
        A record is at risk above it.
    fitting : array of int, optional
        The people of a population who fit each class.
    release : ReleaseFacts, optional
    """
    if sensitive is None:
        sensitive = tuple(name for name in counts.histograms if name != target)
    # Figures that everybody can count in the table are about its rows, and exact.
    shown = counts.by_rows if release.rounded else counts
    figures = {name: SensitiveAudit.of(shown, name) for name in sensitive}
    described = dict.fromkeys((*sensitive, *(() if target is None else (target,))))
    grave = _grave_warnings(counts, require, release.loss)
    wildcard = wildcard_k(counts)
    audit = Audit(
        rows=counts.rows,
        columns=counts.columns,
        k=int(counts.sizes.min()),
        shields={},
        wildcard_k=wildcard,
        l=min((column.distinct_l for column in figures.values()), default=None),
        t=max((column.t_equal for column in figures.values()), default=None),
        sensitive=figures,
        classes=ClassSummary.of(shown),
        risks=Risks.of(counts, threshold, fitting),
        label_homogeneity={
            name: int(shown.sizes[distinct_values(shown.histogram(name)) == 1].sum()) / shown.records
            for name in described
        },
        losses=dict(release.losses),
        warnings=(*grave, *release.warnings, *_warnings(counts, require, fitting, wildcard, release)),
        grave=grave,
        tells_apart=tells_apart_all(shown),
    )
    audit = _with_facts(_with_verdict(audit, counts, require, release.findings), counts, release, require)
    return with_rounded_people(audit, counts) if release.rounded else audit


def _with_verdict(audit: Audit, counts: ClassCounts, require: Sequence[Any], others: Sequence[Finding] = ()) -> Audit:
    """Add whether the requirements hold, and the k of each shield that one of them names."""
    if not require and not others:
        return audit
    shields = [getattr(requirement, "shield", None) for requirement in require]
    k_of = {", ".join(shield): int(counts.project(shield).sizes.min()) for shield in shields if shield is not None}
    return replace(audit, verdict=_verdict(counts, require, others), shields=k_of)


def _verdict(counts: ClassCounts, require: Sequence[Any], others: Sequence[Finding]) -> Verdict:
    """Whether the requirements hold, and what else was found."""
    verdict = verify(counts, require) if require else Verdict(holds=True, findings=())
    return Verdict(verdict.holds and all(finding.holds for finding in others), (*verdict.findings, *others))


def _with_levels(audit: Audit, counts: ClassCounts, described: Described | None, table: Any) -> Audit:
    """Add whether the table keeps the limits on levels that its release, or the manifest beside it, records."""
    levels = levels_beside(table) if described is None else levels_in(described.facts)
    findings = outside_levels(counts, {name: one for name, one in levels.items() if name in counts.columns})
    if not findings:
        return audit
    before = () if audit.verdict is None else audit.verdict.findings
    every = (*before, *findings)
    return replace(audit, verdict=Verdict(all(finding.holds for finding in every), every))


def _with_facts(audit: Audit, counts: ClassCounts, release: ReleaseFacts, require: Sequence[Any]) -> Audit:
    """Add the facts that apply to some tables only."""
    k_all = counts.k_all if release.k_all is None and counts.complete else release.k_all
    audit = replace(audit, k_all=k_all, clear=dict(release.clear), links=release.links, coded=dict(release.coded))
    if counts.entity is not None:
        audit = replace(audit, people=counts.people)
    if release.linked or release.links:
        # The fewest people who share their classes, by whatever links their rows.
        sets, often = zip(counts.linked, *[(link.k, link.often) for link in release.links], strict=True)
        audit = replace(audit, linked=(min(sets), min(often)))
    if counts.wider is not None:
        audit = replace(audit, determined=dict(counts.determined), k_determined=int(counts.wider.sizes.min()))
    if release.proportions is not None:
        least = max((getattr(requirement, "minimal_size", 1) for requirement in require), default=1)
        people, known = singled_out(release.proportions, least)
        shares = disclosures(release.proportions)
        audit = replace(audit, proportions=shares, singled_out=people, fully_known=known)
    return audit


# --------------------------------------------------------------------------------------------------
# Warnings. Those that make a table, or its guarantee, worthless come before all others.


_NEARLY_EVERYTHING: Final = 0.95
_ADVICE: Final = "Lower the requirements, give hierarchies, or name fewer quasi-identifiers."


def _grave_warnings(counts: ClassCounts, require: Sequence[Any], loss: float | None) -> tuple[str, ...]:
    """Warn of a requirement that promises nothing, and of a table that keeps nothing."""
    grave = []
    if any(requirement.name == "k-anonymity" and getattr(requirement, "k", None) == 1 for requirement in require):
        grave.append(
            "1-anonymity promises nothing: every table has it, and people may be unique in it. Require a k above 1."
        )
    if all(label is None or label == str(SUPPRESSED) for labels in counts.labels for label in labels):
        lost = "The table keeps nothing of its quasi-identifiers: every cell of them is suppressed or missing."
        grave.append(f"{lost} {_ADVICE}")
    elif loss is not None and loss >= _NEARLY_EVERYTHING:
        # The loss itself would show more digits than a small table may.
        share = f"{_NEARLY_EVERYTHING:.0%}"
        lost = f"The table keeps next to nothing of its quasi-identifiers: {share} or more of it is lost."
        grave.append(f"{lost} {_ADVICE}")
    return tuple(grave)


def _warnings(
    counts: ClassCounts,
    require: Sequence[Any],
    fitting: Integers | None,
    wildcard: int | None,
    release: ReleaseFacts,
) -> list[str]:
    warnings = [
        f"The column {name!r} follows from {listing(column.determined_by)}: anyone who knows a person's values there "
        f"knows it without the table. As a {column.role} column it is not counted as known."
        for name, column in release.clear.items()
        if column.role in ("target", "sensitive") and column.determined_by
    ]
    if release.rows_are_people:
        warnings.append(
            "Rows are counted as people, because the publisher declared that every row is a person. If that is wrong, "
            "k rows may belong to fewer than k people."
        )
    elif counts.entity is None:
        warnings.append(
            "Rows are counted, not people: several rows of one person are not detected unless entity= (--entity) "
            "names the column that identifies people."
        )
    if release.held is not None:
        warnings.append(_people_warning(release.held))
    suppressed = [
        name
        for name, labels in zip(counts.columns, counts.labels, strict=True)
        if any(label is None or label == str(SUPPRESSED) for label in labels)
    ]
    if suppressed:
        computed = "was not computed" if wildcard is None else f"is {wildcard}"
        warnings.append(
            f"Missing or suppressed cells occur in {listing(suppressed)}. They count as a value of their "
            f"own; if they may stand for any value, k {computed}."
        )
    return [*warnings, *_fit_warnings(counts, require, fitting)]


def _people_warning(held: PeoplePerValue) -> str:
    """Say what a least number of people for every value does not promise."""
    exempt = f" Nothing is promised of {listing(held.exempt)}: such a column names people." if held.exempt else ""
    return (
        f"The {held.counted} of each value were counted in its column alone: cells of a cross-table may hold fewer."
        f"{exempt}"
    )


def _fit_warnings(counts: ClassCounts, require: Sequence[Any], fitting: Integers | None) -> list[str]:
    """Warn of a population that does not contain the table, and of limited values that do not occur."""
    warnings = []
    if fitting is not None and (short := int((fitting < counts.sizes).sum())):
        warnings.append(
            f"In {short} of {plural(len(counts.sizes), 'classes')} the population has fewer people than the table has "
            "records: it does not contain the table, it spells values differently, or a label needs its hierarchy "
            "(--hierarchy). There the prosecutor's risk is used."
        )
    for requirement in require:
        value = getattr(requirement, "value", None)
        if value is not None and LabelIndex(counts.histogram(requirement.column).labels).find(value) is None:
            warnings.append(
                f"The value that {requirement} limits does not occur in {requirement.column}. Check how it is written."
            )
    return warnings


# --------------------------------------------------------------------------------------------------
# The check: only whether a table meets its requirements as it is, and how many of its records do not.


class Told(NamedTuple):
    """The classes in which all records have the same value of a column: their records, and their number."""

    records: int
    classes: int


@dataclass(frozen=True, repr=False)
class Check(NotebookRepr):
    """Whether a table meets its requirements, and how much of it does not; never which records.

    Parameters
    ----------
    rows : int
        The number of rows.
    people : int or None
        The number of people, where people are counted instead of rows.
    columns : tuple of str
        The quasi-identifiers.
    classes : int
        The number of classes.
    verdict : Verdict
        The findings for each requirement.
    told : mapping of column to Told
        For each sensitive column, the records whose class alone reveals the value. It decides nothing; a requirement
        such as ``l=2@disease`` does.
    """

    rows: int
    people: int | None
    columns: tuple[str, ...]
    classes: int
    verdict: Verdict
    told: Mapping[str, Told] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether all requirements hold."""
        return self.verdict.holds

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings for each requirement."""
        return self.verdict.findings

    @property
    def counted(self) -> str:
        """What is counted: "rows" or "people"."""
        return "rows" if self.people is None else "people"

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        people = "" if self.people is None else f" of {plural(self.people, 'people')}"
        size = f"{plural(self.rows, 'rows')}{people}"
        judged = "holds" if self.holds else "DOES NOT HOLD"
        return f"Check({judged}: {size} in {plural(self.classes, 'classes')} of {names_shown(self.columns)})"

    def __str__(self) -> str:
        return self.render()

    def render(self) -> str:
        """Return the answer as a few lines of text."""
        from hedgerow.risk.rendering import render_check

        return render_check(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain values for JSON."""
        plain = dataclasses.asdict(self)
        told = {name: revealed._asdict() for name, revealed in self.told.items()}
        return {"holds": self.holds, **plain, "columns": list(self.columns), "told": told}


@suggesting
def check(
    table: Any,
    *,
    quasi: Sequence[str] | None = None,
    schema: Schema | None = None,
    k: int | None = None,
    require: Iterable[Any] = (),
    sensitive: Sequence[str] | None = None,
    entity: str | None = None,
    missing: Sequence[str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    min_people: int | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> Check:
    """Check whether a table meets requirements as it is, raw or anonymized. Nothing is written.

    Parameters
    ----------
    table : dataframe, DuckDB relation, table of Spark or path
        As for :func:`hedgerow.audit`.
    quasi : sequence of str, optional
        The columns by which a person could be found. Give these or a schema.
    schema : Schema, optional
        Supplies the parameters below that you leave out: with its ``entity``, people are counted.
    k : int, optional
        Short for k-anonymity over all quasi-identifiers.
    require : iterable of requirements
        As objects or as text such as ``"l=3@disease"``. Give ``k``, ``min_people`` or at least one of these.
    sensitive : sequence of str, optional
        Columns for which the answer also reports how many records have a value that their class alone reveals.
    entity : str, optional
        The column that identifies the person, where a person may have several rows.
    missing : sequence of str, optional
        Texts that mean "no value".
    hierarchies : mapping of column to hierarchy, optional
        Of sensitive columns, for requirements that measure distances in them.
    min_people : int, optional
        How many people must hold every value of every column, except ``entity``, pseudonyms, and columns that the
        schema leaves out.
    encoding, delimiter, sheet : str, optional
        Of files, as for :class:`hedgerow.File`.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> table = pa.table({"zip": ["12", "12", "13"], "illness": ["flu", "cold", "flu"]})
    >>> answer = hr.check(table, quasi=["zip"], k=2)
    >>> answer.holds, answer.findings[0].rows_violating
    (False, 1)
    """
    requirements = read_demands(k, require, "check")
    if not requirements and min_people is None:
        raise BadInput("No requirement is given. Give k=10 (-k 10), or name some with require= (--require).")
    exempt: tuple[str, ...] = ()
    for name, given in (("quasi", quasi), ("sensitive", sensitive)):
        if isinstance(given, str):
            raise BadInput.parameter(name, "check", "a list of column names", given)
    opened = Reading(encoding=encoding, delimiter=delimiter).open(table, sheet)
    if schema is not None:
        named = schema.resolve(tuple(opened.columns), coded=min_people is not None)
        exempt = (*named.pseudonymized, *named.dropped)
        quasi, sensitive = _either(quasi, named.quasi), _either(sensitive, named.sensitive)
        entity, missing = _either(entity, named.entity), _either(missing, schema.missing)
        hierarchies = _either(hierarchies, _needed_trees(schema, requirements))
    roles = _Roles.of(None, quasi=quasi, sensitive=sensitive, target=None, entity=entity, missing=missing)
    sensitive, hierarchies = roles.sensitive, _either(hierarchies, {})
    counted = tuple(dict.fromkeys((*sensitive, *protected_columns(requirements))))
    check_columns(hierarchies, counted, "check")
    counts = count_classes(opened, roles.quasi, sensitive=counted, entity=entity, missing=roles.missing)
    held = _held(table, opened, min_people, manifest_fit(table)[0], roles, exempt=exempt, owner="check")
    return Check(
        rows=counts.rows,
        people=None if counts.entity is None else counts.people,
        columns=counts.columns,
        classes=len(counts.sizes),
        verdict=_verdict(
            counts, with_trees(requirements, hierarchies, counts), () if held is None else (held.finding,)
        ),
        told={name: _revealed(counts, name) for name in sensitive},
    )


def _needed_trees(schema: Schema, requirements: Iterable[Any]) -> dict[str, Any]:
    """The hierarchies of a schema in which requirements measure distances."""
    columns = [requirement.column for requirement in requirements if getattr(requirement, "needs_tree", False)]
    return {name: schema.hierarchies[name] for name in columns if name in schema.hierarchies}


def _revealed(counts: ClassCounts, column: str) -> Told:
    alike = distinct_values(counts.histogram(column)) == 1
    return Told(int(counts.sizes[alike].sum()), int(alike.sum()))
