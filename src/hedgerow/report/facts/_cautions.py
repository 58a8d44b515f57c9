"""What whoever publishes or reads the table should know: what applies to this method and this configuration."""

from __future__ import annotations

from typing import Final

from hedgerow.anonymizers.base import CELLS_TELL, Anonymizer
from hedgerow.anonymizers.registry import all_methods
from hedgerow.report.facts._sections import Caution
from hedgerow.report.facts._subjects import Subject
from hedgerow.report.facts.wording import percent, quoted

__all__ = ["cautions"]

# These generalize whole columns alike; all others decide row by row, or class by class.
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
    """All that apply, the gravest first."""
    audit = subject.audit
    found = [Caution("grave", "This is worth nothing as it is", text, "bad") for text in audit.grave]
    if subject.kind != "audit":
        found += _of_the_method(subject)
    found += _of_the_table(subject)
    said = (*audit.grave, CELLS_TELL)  # the latter is said of the method, at more length
    found += [Caution("remark", "Remark", text) for text in audit.warnings if text not in said]
    return tuple(found)


def _of_the_method(subject: Subject) -> list[Caution]:
    name = str(subject.manifest["method"])
    method: type[Anonymizer] | None = all_methods().get(name)
    found = []
    if not subject.guaranteed:
        found.append(
            Caution(
                "weak",
                "The guarantee was given up",
                "The method was asked for a release as its paper prints it, or for one that it does not promise. Do "
                "not publish it as if the requirements were promised.",
                "bad",
            )
        )
    protecting = [one for one in subject.manifest["require"] if one.get("column")]
    learns = method is not None and method.uses_target and subject.target is not None
    if protecting or learns:
        of_what = (
            f"{quoted(sorted({str(one['column']) for one in protecting}))}" if protecting else f"{subject.target!r}"
        )
        found.append(
            Caution(
                "minimality",
                "How little was generalized tells something",
                f"The method looks at {of_what} when it decides how much to generalize, and generalizes no more than "
                "it must. Whoever knows the method can conclude something from what it did. A margin above what you "
                "need helps.",
                source=_WONG,
            )
        )
    if method is not None and method.reveals_values(subject.manifest.get("parameters", {})):
        found.append(
            Caution(
                "downcoding",
                "Cells say what the people of a class hold",
                "Every value in a set, and both ends of an interval, are held by somebody in the class, and nobody "
                "there holds another one. Whoever knows all other values of a person, or all other people of the "
                "class, can often tell the missing one; and whoever has a register can often tell who is in the table. "
                "It is worse the smaller k is, and the more values a column has. hedgerow attack measures it. With "
                "cells='region' Mondrian and Hedge publish what was cut out instead, which tells much less and loses "
                "more; methods that generalize whole columns alike (optimal, incognito, datafly) mostly tell less.",
                source=_COHEN,
            )
        )
    elif subject.manifest.get("parameters", {}).get("cells") == "region":
        found.append(
            Caution(
                "downcoding",
                "Cuts lie where the people are",
                "Cells say where the table was cut, not what the people of a class hold. Still the cuts follow the "
                "people. Whoever has a register can still tell better than by chance who is in the table. hedgerow "
                "attack measures it.",
                source=_COHEN,
            )
        )
    elif name not in _GLOBAL:
        found.append(
            Caution(
                "downcoding",
                "Rows are generalized one by one",
                "Equal values are published differently in different classes, each no wider than it must be. Whoever "
                "knows how such values are distributed can sometimes undo a part of it. Methods that generalize whole "
                "columns alike (optimal, incognito, datafly) give less of a hold.",
                source=_COHEN,
            )
        )
    return found


def _of_the_table(subject: Subject) -> list[Caution]:
    audit = subject.audit
    found = []
    single = {name: told for name, told in audit.label_homogeneity.items() if told > 0}
    if single:
        shares = ", ".join(f"{name!r} for {percent(told)} of the records" for name, told in single.items())
        found.append(
            Caution(
                "homogeneity",
                "Some classes have one value only",
                f"Whoever finds the class of a person knows {shares}. k-anonymity does not prevent it; a requirement "
                "such as l-diversity or t-closeness does.",
                "bad" if any(name in audit.sensitive for name in single) else "note",
                _MACHANAVAJJHALA,
            )
        )
    if audit.people is None and subject.columns.get("entity") is not None:
        found.append(
            Caution(
                "people",
                "Rows are counted here",
                "When the release was made, people were counted, and its requirements speak of them. The table does "
                "not say whose its rows are, so that what is read from its files is counted in rows.",
            )
        )
    if subject.manifest.get("rows_are_people"):
        found.append(
            Caution(
                "rows are people",
                "Every row is taken for a person",
                "Whoever made the release says so. Where some people have several rows, k rows may be of fewer than k "
                "people.",
            )
        )
    found += [
        Caution(
            "linked rows",
            "Rows of a person can be linked, which was accepted",
            f"{quoted(link.columns)} show which rows are of one person. The fewest people who share the classes of "
            f"their rows are {link.k:,}.",
            "bad",
        )
        for link in audit.links
        if link.accepted
    ]
    accepted = [name for name, one in audit.clear.items() if one.excused]
    if accepted:
        found.append(
            Caution(
                "accepted",
                "Columns that disclose were accepted",
                f"{quoted(accepted)} would not have been published otherwise: some people stand alone in them, they "
                "tell what the table hides, or they follow from quasi-identifiers.",
                "bad",
            )
        )
    protected = {name: one for name, one in audit.clear.items() if one.role != "insensitive" and one.determined_by}
    if protected:
        shares = "; ".join(f"{name!r} from {quoted(one.determined_by)}" for name, one in protected.items())
        found.append(
            Caution(
                "determined",
                "Quasi-identifiers determine protected columns",
                f"Whoever knows a person's quasi-identifiers knows more without the table: {shares}. Requirements "
                "count these columns as protected, not as known.",
            )
        )
    if audit.proportions:
        found.append(
            Caution(
                "proportions",
                "Proportions are published beside the table",
                "They tell how the people of each class are divided among original values, in groups of at least as "
                "many people as were asked for. What they tell beyond the table is counted under disclosure. They also "
                "help to tell who is in the table at all: hedgerow attack measures it.",
            )
        )
    found.append(
        Caution(
            "several releases",
            "Every further release of the same people counts",
            "Two releases that are safe by themselves can be put together: a person is in one class of each, and few "
            "may be in both. Publish a table once; if it must be published anew, audit both together.",
            source=_GANTA,
        )
    )
    return found
