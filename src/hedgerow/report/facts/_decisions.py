"""Who decided what: the role of each column with its reason, and the standards that ask for such a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hedgerow.errors import BadInput
from hedgerow.report.facts._subject import Subject
from hedgerow.report.facts.context import Reason
from hedgerow.report.facts.sections import ChosenRole, Roles, Standard, Standards

__all__ = ["STANDARDS", "roles"]


_ROLES: Final = {
    "quasi": "quasi-identifier",
    "target": "target",
    "sensitive": "sensitive",
    "insensitive": "published unchanged",
    "pseudonymized": "pseudonymized",
    "entity": "person",
    "dropped": "left out",
}
"""The roles in a manifest."""

_OF_JOBS: Final = {"identifying": "dropped", "redundant": "dropped", "pseudonymize": "pseudonymized"}
"""The roles of a job file with another name in the manifest."""


def roles(subject: Subject, reasons: Mapping[str, Reason] | None) -> Roles | None:
    """Who chose the role of each column, and why; recipients get none, for reasons hold figures of the original."""
    if reasons is None or subject.kind == "audit":
        return None
    chosen = _roles_of(subject)
    for name in reasons:
        if name not in chosen:
            raise BadInput.unknown("column", name, chosen, "A reason is given for its role.")
    if subject.edition == "public":
        return None
    columns = tuple(_chosen(name, role, reasons.get(name)) for name, role in chosen.items())
    silent = [column.name for column in columns if not column.reason]
    other = [column.name for column in columns if column.suggested]
    sentence = f"For {len(columns) - len(silent)} of {len(columns)} columns a reason is recorded."
    if other:
        sentence += f" The role of {_listed(other)} is not the one that was suggested."
    return Roles(sentence, columns)


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names))


def _roles_of(subject: Subject) -> dict[str, str]:
    """The role of each column of the original table, as the manifest has it. The person's column may be left out."""
    named: dict[str, str] = {}
    for role in _ROLES:
        columns = subject.columns.get(role) or ()
        for name in (columns,) if isinstance(columns, str) else columns:
            named.setdefault(str(name), role)
    return named


def _chosen(name: str, role: str, reason: Reason | None) -> ChosenRole:
    if reason is None:
        return ChosenRole(name, _ROLES[role], "", "")
    suggested = _OF_JOBS.get(reason.role, reason.role)
    if suggested in ("", role):
        return ChosenRole(name, _ROLES[role], reason.by, reason.reason)
    return ChosenRole(name, _ROLES[role], reason.by, reason.reason, _ROLES.get(suggested, suggested))


# --------------------------------------------------------------------------------------------------
# Where two standards ask for what a report says.


STANDARDS: Final = Standards(
    rows=(
        Standard(
            "Who gets the table, what for, and what binds them?",
            ("context",),
            "Context: recipients, controls and threats",
            "Goals, intended uses, and ways to share data",
        ),
        Standard(
            "What does the table hold, of whom, and who decided what each column is?",
            ("data", "roles", "many_rows"),
            "Data assessment: features of the data",
            "Data survey: identifiers and quasi-identifiers",
        ),
        Standard(
            "Who might look for a person, and what did attacks find out?",
            ("attackers", "attempts"),
            "Data assessment: a model of attacks",
            "Risks of a release: the probability of re-identification",
        ),
        Standard(
            "How well can people be found or learnt about?",
            (
                "classes",
                "working_party",
                "disclosure",
                "all_columns",
                "unique_values",
                "together",
                "changes",
                "safe_harbour",
            ),
            "Identifiability: its assessment",
            "Validation of a de-identified data set",
        ),
        Standard(
            "What was done against it, and what did that cost?",
            ("asked", "columns", "suppression", "not_finer"),
            "Identifiability: its mitigation",
            "Removal of identifiers and transformation of quasi-identifiers",
        ),
        Standard(
            "What is the table still good for?",
            ("association", "utility", "analyses"),
            "Mitigation: data that stay useful",
            "Objectives of privacy, data usability and access",
        ),
        Standard(
            "Who answers for the release, until when, and what must be known?",
            ("governance", "cautions"),
            "Governance, before and after data are made available",
            "Governance: review, and the life cycle of data",
        ),
        Standard(
            "How was the table made, and how can that be checked?",
            ("provenance",),
            "Governance: records",
            "Software: requirements, evaluation and validation",
        ),
    ),
    remark="Subjects of ISO/IEC 27559 (2022) and NIST SP 800-188 (2023), in our own words. This is a guide to the "
    "report, not a statement of conformity: the texts of the standards decide.",
)
"""The subjects of both standards, and the parts of a report that concern them."""
