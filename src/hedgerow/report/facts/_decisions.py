"""Who decided what: the role of each column with its reason, and the standards that ask for such a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hedgerow.errors import BadInput
from hedgerow.report.facts._subject import Subject
from hedgerow.report.facts.sections import ChosenRole, Roles, Standard, Standards

__all__ = ["STANDARDS", "Reason", "read_reasons", "roles"]


@dataclass(frozen=True)
class Reason:
    """Why a column has its role: an entry of ``[reasons]`` in a job file.

    Attributes
    ----------
    reason : str
    by : str
        Who chose the role.
    role : str
        The role that was chosen, if it is recorded: a role of a job file, such as ``"quasi"``.
    """

    reason: str
    by: str = ""
    role: str = ""


_LONGEST: Final = 2_000
_MUST: Final = f"a text, or a table of role, by and reason, of texts of up to {_LONGEST:,} characters"


def read_reasons(given: object) -> Mapping[str, Reason] | None:
    """Read the reasons for the roles of columns.

    >>> read_reasons({"age": "Others know it.", "zip": {"role": "quasi", "by": "A. Steward", "reason": "A directory."}})
    {'age': Reason(reason='Others know it.', by='', role=''), 'zip': Reason(reason='A directory.', by='A. Steward', \
role='quasi')}
    """
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise BadInput.parameter("reasons", "a report", "a table of columns and reasons", type(given).__name__)
    return {str(name): _read(str(name), entry) for name, entry in given.items()} or None


def _read(name: str, entry: object) -> Reason:
    fields = {"reason": entry} if isinstance(entry, str) else entry
    if not isinstance(fields, Mapping):
        raise BadInput.parameter(f"reasons.{name}", "a report", _MUST, type(entry).__name__)
    known = ("role", "by", "reason")
    for field, text in fields.items():
        if field not in known:
            raise BadInput.unknown(f"field of the reason for {name!r}", str(field), known, "It is part of the report.")
        if not isinstance(text, str) or len(text) > _LONGEST:
            raise BadInput.parameter(f"reasons.{name}", "a report", _MUST, type(text).__name__)
    return Reason(**{"reason": "", **fields})


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
    remark="Subjects of ISO/IEC 27559 (2022) and NIST SP 800-188 (2023), in our own words. This is a guide to the report, "
    "not a statement of conformity: the texts of the standards decide.",
)
"""The subjects of both standards, and the parts of a report that concern them."""
