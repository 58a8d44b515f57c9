"""Cautions for publishers and readers of the table, as they apply to its method and configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from hedgerow.anonymizers.base import CELLS_TELL, Anonymizer
from hedgerow.anonymizers.registry import all_methods
from hedgerow.errors import plural
from hedgerow.report.facts._subject import Subject
from hedgerow.report.facts.figures import percent, quoted
from hedgerow.report.facts.sections import Caution

__all__ = ["cautions"]

# These methods generalize a whole column alike; all others decide row by row, or class by class.
_GLOBAL: Final = frozenset({"allmin", "bug", "datafly", "heuristicmin", "incognito", "optimal", "tdr", "tds"})

_WONG: Final = (
    "R. C.-W. Wong, A. W.-C. Fu, K. Wang, J. Pei: Minimality Attack in Privacy Preserving Data Publishing, VLDB 2007"
)
_COHEN: Final = "A. Cohen: Attacks on Deidentification's Defenses, USENIX Security 2022"
_MACHANAVAJJHALA: Final = (
    "A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam: l-Diversity: Privacy Beyond k-Anonymity, ICDE 2006"
)
_GANTA: Final = (
    "S. R. Ganta, S. P. Kasiviswanathan, A. Smith: Composition Attacks and Auxiliary Information in Data Privacy, KDD "
    "2008"
)


def cautions(subject: Subject) -> tuple[Caution, ...]:
    """All cautions that apply, the gravest first."""
    audit = subject.audit
    grave = [Caution("grave", "The table or its guarantee is worthless", text, "bad") for text in audit.grave]
    # The warning about cells is among the cautions of the method, at more length.
    remarks = [text for text in audit.warnings if text not in (*audit.grave, CELLS_TELL)]
    return (
        *grave,
        *_present(_OF_THE_METHOD if subject.kind != "audit" else (), subject),
        *_present(_OF_ROWS, subject),
        *_linked_rows(subject),
        *_present(_OF_COLUMNS, subject),
        *(Caution("remark", "Remark", text) for text in remarks),
    )


def _present(rules: Iterable[Rule], subject: Subject) -> Iterator[Caution]:
    cautions = (rule(subject) for rule in rules)
    return (caution for caution in cautions if caution is not None)


# --------------------------------------------------------------------------------------------------
# Cautions about the method.


def _method(subject: Subject) -> type[Anonymizer] | None:
    return all_methods().get(str(subject.manifest["method"]))


def _weak(subject: Subject) -> Caution | None:
    if subject.guaranteed:
        return None
    return Caution(
        "weak",
        "The guarantee was given up",
        "The method was asked to follow its paper literally, or to make a release that it cannot guarantee. Do not "
        "publish it as if the requirements were guaranteed.",
        "bad",
    )


def _minimality(subject: Subject) -> Caution | None:
    method = _method(subject)
    protected = sorted({str(entry["column"]) for entry in subject.manifest["require"] if entry.get("column")})
    if protected:
        columns = quoted(protected)
    elif method is not None and method.uses_target and subject.target is not None:
        columns = repr(subject.target)
    else:
        return None
    return Caution(
        "minimality",
        "How little was generalized reveals something",
        f"The method uses {columns} to decide how much to generalize, and generalizes no more than it must. Anyone who "
        "knows the method can infer something from its result. Requiring more than you need helps.",
        source=_WONG,
    )


def _downcoding(subject: Subject) -> Caution | None:
    method, parameters = _method(subject), subject.manifest.get("parameters", {})
    if method is not None and method.reveals_values(parameters):
        return Caution(
            "downcoding",
            "Cells name the values of their class",
            "Somebody in the class holds each value of a set, and both ends of an interval, and nobody there holds any "
            "other value. An attacker who knows all other values of a person, or all other people in the class, can "
            "often deduce the missing value. An attacker with a register of people can often find out who is in the "
            "table. The smaller k is, and the more values a column has, the worse it gets. hedgerow attack measures "
            "it. With cells='region', Mondrian and Hedge publish the regions they cut instead; that reveals much less "
            "and loses more detail. Methods that generalize whole columns (optimal, incognito, datafly) mostly reveal "
            "less.",
            source=_COHEN,
        )
    if parameters.get("cells") == "region":
        return Caution(
            "downcoding",
            "Cuts follow the people",
            "Cells show where the table was cut, not the values of the people in a class. But the cuts follow the "
            "people: an attacker with a register can still guess better than by chance who is in the table. hedgerow "
            "attack measures it.",
            source=_COHEN,
        )
    if str(subject.manifest["method"]) in _GLOBAL:
        return None
    return Caution(
        "downcoding",
        "Rows are generalized one by one",
        "Equal values are published differently in different classes, in each as narrowly as possible. An attacker who "
        "knows how such values are distributed can sometimes undo part of the generalization. Methods that generalize "
        "whole columns (optimal, incognito, datafly) are harder to undo.",
        source=_COHEN,
    )


# --------------------------------------------------------------------------------------------------
# Cautions about the table.


def _homogeneity(subject: Subject) -> Caution | None:
    audit = subject.audit
    single = {name: share for name, share in audit.label_homogeneity.items() if share > 0}
    if not single:
        return None
    shares = ", ".join(f"{name!r} for {percent(share)} of the records" for name, share in single.items())
    return Caution(
        "homogeneity",
        "Some classes have one value only",
        f"Anyone who finds a person's class learns {shares}. k-anonymity does not prevent this; a requirement such as "
        "l-diversity or t-closeness does.",
        "note" if single.keys().isdisjoint(audit.sensitive) else "bad",
        _MACHANAVAJJHALA,
    )


def _people_unknown(subject: Subject) -> Caution | None:
    if subject.audit.people is not None or subject.columns.get("entity") is None:
        return None
    return Caution(
        "people",
        "Rows are counted here",
        "When the release was made, people were counted, and its requirements are about them. The table does not show "
        "which rows belong to whom, so figures that are read from its files count rows.",
    )


def _rows_are_people(subject: Subject) -> Caution | None:
    if not subject.manifest.get("rows_are_people"):
        return None
    return Caution(
        "rows are people",
        "Every row counts as a person",
        "The publisher declared it. If some people have several rows, k rows may belong to fewer than k people.",
    )


def _linked_rows(subject: Subject) -> list[Caution]:
    return [
        Caution(
            "linked rows",
            "Rows of a person can be linked, which was accepted",
            f"{quoted(link.columns)} show which rows belong to one person. The smallest group of people who share all "
            f"their classes has {plural(link.k, 'people')}.",
            "bad",
        )
        for link in subject.audit.links
        if link.accepted
    ]


def _accepted(subject: Subject) -> Caution | None:
    if not subject.accepted:
        return None
    return Caution(
        "accepted",
        "Columns that disclose were accepted",
        f"{quoted(subject.accepted)} would not have been published otherwise: they hold values that only one person "
        "has, reveal what the table hides, or follow from quasi-identifiers.",
        "bad",
    )


def _determined(subject: Subject) -> Caution | None:
    clear = subject.audit.clear
    sources = {name: column.determined_by for name, column in clear.items() if column.role != "insensitive"}
    shares = [f"{name!r} from {quoted(quasi)}" for name, quasi in sources.items() if quasi]
    if not shares:
        return None
    return Caution(
        "determined",
        "Quasi-identifiers determine protected columns",
        f"Anyone who knows a person's quasi-identifiers knows more without the table: {'; '.join(shares)}. "
        "Requirements treat these columns as protected, not as known.",
    )


def _proportions(subject: Subject) -> Caution | None:
    if not subject.audit.proportions:
        return None
    return Caution(
        "proportions",
        "Proportions are published beside the table",
        "They show how the people of each class are divided among original values, in groups of at least as many "
        "people as were required. The section on disclosure shows what they reveal beyond the table. They also help "
        "attackers to find out who is in the table; hedgerow attack measures it.",
    )


def _several_releases(_subject: Subject) -> Caution:
    return Caution(
        "several releases",
        "Every further release of the same people counts",
        "Two releases that are each safe can be joined: a person is in one class of each, and few people may be in "
        "both. Publish a table once. If you must publish it again, audit both releases together.",
        source=_GANTA,
    )


Rule = Callable[[Subject], Caution | None]
_OF_THE_METHOD: Final[tuple[Rule, ...]] = (_weak, _minimality, _downcoding)
_OF_ROWS: Final[tuple[Rule, ...]] = (_homogeneity, _people_unknown, _rows_are_people)
_OF_COLUMNS: Final[tuple[Rule, ...]] = (_accepted, _determined, _proportions, _several_releases)
