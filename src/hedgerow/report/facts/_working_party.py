"""The three questions of the EU's working party: singling out, linkability, inference.

What is said here is what was counted. Whether a table is personal data is a question of law and of context, which no
program answers.
"""

from __future__ import annotations

from typing import Final, Literal

from hedgerow.errors import plural
from hedgerow.report.facts._sections import Verdict, WorkingParty
from hedgerow.report.facts._subjects import Subject
from hedgerow.report.facts.figures import Judgement
from hedgerow.report.facts.wording import percent, plain, quoted

__all__ = ["working_party"]

Question = Literal["singling out", "linkability", "inference"]

_SOURCE: Final = (
    "Article 29 Data Protection Working Party: Opinion 05/2014 on Anonymisation Techniques (WP216), 10 April 2014"
)
_REMARK: Final = (
    "These are findings about the table, not a legal opinion. Whether the table is still personal data also depends on "
    "who receives it, what else they know, and what binds them."
)
# What speaks of the sensitive values in a class, and not only of its size.
_OF_VALUES: Final = ("l", "entropy l", "c", "t", "p", "alpha")


def working_party(subject: Subject) -> WorkingParty:
    """Answer the three questions by what was counted."""
    return WorkingParty((_singling_out(subject), _linkability(subject), _inference(subject)), _SOURCE, _REMARK)


def _singling_out(subject: Subject) -> Verdict:
    audit = subject.audit
    fails = audit.verdict is not None and not audit.verdict.holds
    evidence = [f"The smallest class over the quasi-identifiers has {audit.k:,} {subject.unit}."]
    if audit.k_all is None:
        evidence.append("How few share the values of all columns was not computed.")
    else:
        evidence.append(f"The fewest who share the values of all published columns are {audit.k_all:,}.")
    if audit.singled_out is not None:
        evidence.append(f"The published proportions single out {plural(audit.singled_out, 'people')}.")
    accepted = [name for name, one in audit.clear.items() if one.excused]
    if accepted:
        evidence.append(f"What {quoted(accepted)} tell was accepted by name; it may single people out.")
    if audit.k == 1 or audit.singled_out:
        return _verdict("singling out", "bad", "Some people can be singled out.", evidence)
    if fails:
        return _verdict("singling out", "bad", "Some classes are smaller than was required.", evidence)
    if accepted:
        answer = "Not by the quasi-identifiers; columns that were accepted may still do it."
        return _verdict("singling out", "note", answer, evidence)
    if audit.k_all is not None and audit.k_all < audit.k:
        answer = (
            "Not by the quasi-identifiers. Whoever also knows the other columns of a person may find fewer who share "
            "them all."
        )
        return _verdict("singling out", "note", answer, evidence)
    return _verdict("singling out", "good", "Nobody stands alone in what is published.", evidence)


def _linkability(subject: Subject) -> Verdict:
    audit = subject.audit
    evidence = [
        f"Who links the table with another one finds a class of at least {audit.k:,} {subject.unit}, not a row."
    ]
    pseudonyms = subject.columns.get("pseudonymized", ())
    if audit.linked is not None:
        fewest = audit.linked[0]
        alike = "some share their classes with nobody" if fewest == 1 else f"{fewest:,} people share all their classes"
        evidence.append(f"Rows of one person can be linked; {alike}.")
    elif pseudonyms and not _no_links(subject):
        evidence.append(f"Rows with the same pseudonym in {quoted(pseudonyms)} can be linked, and rows were counted.")
    elif audit.people is None:
        evidence.append("Rows were counted: whether some are of one person is not known.")
    else:
        evidence.append("The table does not say which rows are of one person.")
    if audit.k == 1 or (audit.linked is not None and audit.linked[0] == 1):
        return _verdict("linkability", "bad", "Some people's rows can be linked to them.", evidence)
    if pseudonyms and audit.linked is None and not _no_links(subject):
        return _verdict(
            "linkability", "bad", "A person's rows may be linked to each other by their pseudonym.", evidence
        )
    answer = (
        "A person can be linked to a group, not to a row. The opinion holds that this risk remains with k-anonymity."
    )
    return _verdict("linkability", "note", answer, evidence)


def _no_links(subject: Subject) -> bool:
    """Whether it was found that no pseudonym stands in several rows of a person."""
    return subject.manifest.get("rows_are_people") is False


def _inference(subject: Subject) -> Verdict:
    audit = subject.audit
    evidence = [
        f"{percent(told)} of the records are in classes with a single value of {name!r}."
        for name, told in audit.label_homogeneity.items()
    ]
    evidence += [
        f"Of {name!r} every class has at least {plural(one.distinct_l, 'values')}; t is {plain(one.t_equal)}."
        for name, one in audit.sensitive.items()
    ]
    if audit.proportions:
        name, worst = max(audit.proportions.items(), key=lambda one: one[1].posterior)
        sure = f"make the best guess of a hidden {name!r} {percent(worst.posterior)} sure"
        evidence.append(f"The proportions {sure if worst.posterior else 'tell no hidden value of anybody'}.")
    alone = [name for name in audit.sensitive if audit.label_homogeneity.get(name, 0) > 0]
    if alone:
        answer = f"Whoever finds a person's class may know {quoted(alone)} without finding the row."
        return _verdict("inference", "bad", answer, evidence)
    labels = [name for name, told in audit.label_homogeneity.items() if told > 0]
    if labels:
        answer = f"Whoever finds a person's class may know {quoted(labels)}, which nothing protects."
        return _verdict("inference", "note", answer, evidence)
    if not audit.sensitive:
        answer = "No column was named as sensitive, so nothing was required against inference."
        return _verdict("inference", "note", answer, evidence)
    asked = [one for one in (() if audit.verdict is None else audit.verdict.findings) if one.measure in _OF_VALUES]
    if asked and all(one.holds for one in asked):
        answer = "Every class has several sensitive values, as was required; what they make likely is still told."
        return _verdict("inference", "good", answer, evidence)
    answer = "Every class has several sensitive values, though nothing was required of them."
    return _verdict("inference", "note", answer, evidence)


_ASKS: Final[dict[Question, str]] = {
    "singling out": "Can the records of one person be told from all others?",
    "linkability": "Can two records of one person, or of a group, be put together, in this table or another one?",
    "inference": "Can a value of a person be deduced from other values with good odds?",
}


def _verdict(question: Question, judgement: Judgement, answer: str, evidence: list[str]) -> Verdict:
    return Verdict(question, _ASKS[question], judgement, answer, tuple(evidence))
