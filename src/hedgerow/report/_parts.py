"""The parts that a report is made of, in the order of ISO/IEC 27559: context, data, identifiability, governance.

A part is a template in ``templates/parts`` and the charts in it. Each can be shown alone: :func:`render_part` needs
nothing but the facts, and its HTML needs nothing but the style sheet of ``base.html``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from hedgerow.errors import BadInput
from hedgerow.report import _charts
from hedgerow.report.facts import ColumnFacts, Evidence, Figure, ReportFacts
from hedgerow.report.page import environment
from hedgerow.report.wording import capitalized, share
from hedgerow.risk.clear import MOST_ALONE, MOST_BY_PROTECTED, MOST_GIVEN_AWAY, MOST_TOGETHER

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["CHAPTERS", "PARTS", "Chapter", "Part", "render_part"]

Given = Mapping[str, Any]


def _nothing(_facts: ReportFacts) -> Given:
    return {}


@dataclass(frozen=True)
class Part:
    """A part of a report.

    Attributes
    ----------
    name : str
        Of the part, of its template, and of the field of the facts that it shows.
    title : str
    gives : callable
        Makes of the facts what its template shows besides: charts, and words that are explained once.
    heading : bool
        Whether its title is shown; that of a chapter's only part says nothing new.
    """

    name: str
    title: str
    gives: Callable[[ReportFacts], Given] = _nothing
    heading: bool = True

    def is_told(self, facts: ReportFacts) -> bool:
        """Whether the facts have something for this part."""
        if self.name == "left_out":
            return bool(_left_out(facts.absent))
        # That nobody has said for whom a table is, or signs for it, is a finding.
        return self.name in ("context", "governance") or getattr(facts, self.name) is not None


@dataclass(frozen=True)
class Chapter:
    """A chapter of a report and its parts."""

    name: str
    title: str
    says: str
    parts: tuple[Part, ...]


def _of_columns(facts: ReportFacts) -> Given:
    told = facts.columns
    drawn = (_charts.column_chart(one, at) for at, one in enumerate(told.columns))
    shown = [one for one in drawn if one is not None]
    measures = _measures(told.columns)
    return {
        "kept": _charts.kept_chart(told),
        "identifying": _charts.identifying_chart(told),
        "distributions": shown,
        "measures": list(measures),
        "heads": [(_MEASURES[name], "number") for name in measures],
        "terms": [(_MEASURES[name], figure.meaning) for name, figure in measures.items()],
        # What is said of most of them is said once.
        "common": Counter(one.says for one in shown).most_common(1)[0][0] if shown else "",
    }


def _of_summary(facts: ReportFacts) -> Given:
    """The figures at the top, with the people where they are counted; and the risk against named thresholds."""
    first, *others = facts.summary.figures
    people = [one for one in facts.data.figures if one.label == "people"]
    return {"figures": (first, *people, *others), "against": _against_thresholds(facts)}


def _against_thresholds(facts: ReportFacts) -> str:
    worst = max(facts.attackers.attackers, key=lambda one: one.highest.value or 0)
    risk = f"the highest risk ({worst.highest.text})"
    within, above = (
        [f"{share(one.precedent.threshold)} (k = {one.precedent.k})" for one in worst.levels if one.within is wanted]
        for wanted in (True, False)
    )
    if within and above:
        return f"Of thresholds that others use, {risk} is within {_listed(within)}, and above {_listed(above)}."
    side = "within" if within else "above"
    return f"{capitalized(risk)} is {side} all thresholds that others use: {_listed(within or above)}."


def _listed(words: Sequence[str]) -> str:
    """Words with commas, and an and before the last."""
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last


def _of_asked(facts: ReportFacts) -> Given:
    return {"terms": () if facts.asked is None else _explained(facts.asked.requirements)}


def _of_all_columns(_facts: ReportFacts) -> Given:
    return {
        "limits": f"A column discloses too much if {share(MOST_ALONE)} of the people have a value that nobody else "
        f"has, or if it tells {share(MOST_GIVEN_AWAY)} of what the release leaves open of a quasi-identifier; "
        f"sensitive columns and the target from {share(MOST_BY_PROTECTED)} on, several columns together from "
        f"{share(MOST_TOGETHER)} on."
    }


def _of_utility(facts: ReportFacts) -> Given:
    return {"learners": facts.utility and _charts.learner_chart(facts.utility)}


def _of_attempts(facts: ReportFacts) -> Given:
    told = facts.attempts
    if told is None:
        return {}
    shown: list[Figure] = []
    if told.attempts:
        first = told.attempts[0]
        shown = [first.claimed, first.right, first.wrong]
    return {
        "excess": _charts.attempt_chart(told),
        "terms": [(word, figure.meaning) for word, figure in zip(("Claimed", "Right", "Wrong"), shown, strict=False)],
    }


def _of_suppression(facts: ReportFacts) -> Given:
    return {"labels": facts.suppression and _charts.label_chart(facts.suppression)}


def _of_association(facts: ReportFacts) -> Given:
    return {"heatmap": facts.association and _charts.association_chart(facts.association)}


CHAPTERS: Final = (
    Chapter(
        "glance",
        "At a glance",
        "",
        (
            Part("summary", "What holds", _of_summary, heading=False),
            Part("asked", "What was asked, and what holds", _of_asked),
        ),
    ),
    Chapter(
        "context",
        "1. Context",
        "For whom and what for the table is released. The same table can be safe in one room and not in another.",
        (Part("context", "For whom and what for", heading=False),),
    ),
    Chapter(
        "data",
        "2. Data",
        "What the table holds, and whom it speaks of.",
        (Part("data", "What the table is", heading=False),),
    ),
    Chapter(
        "identifiability",
        "3. Identifiability",
        "How likely it is that somebody is found or learnt about, what was done against it, and what is kept.",
        (
            Part(
                "attackers", "Who might look for somebody", lambda facts: {"risks": _charts.risk_chart(facts.attackers)}
            ),
            Part("attempts", "What attacks found out", _of_attempts),
            Part("classes", "How many share a class", lambda facts: {"sizes": _charts.size_chart(facts.classes)}),
            Part("working_party", "Singling out, linkability, inference"),
            Part("disclosure", "What is learnt without finding a row"),
            Part("together", "Together with an earlier release"),
            Part("all_columns", "All published columns together", _of_all_columns),
            Part("safe_harbour", "Facts for HIPAA's safe harbour"),
            Part("columns", "What is kept, column by column", _of_columns),
            Part("association", "Ties between columns", _of_association),
            Part("suppression", "What was left out", _of_suppression),
            Part("utility", "What can still be learnt from it", _of_utility),
            Part("cautions", "What to know before publishing"),
        ),
    ),
    Chapter(
        "governance",
        "4. Governance",
        "Who answers for the release, until when, and how it was made.",
        (
            Part("governance", "Who answers for it", heading=False),
            Part("provenance", "How it was made"),
            Part("left_out", "What this report does not tell", lambda facts: {"sentences": _left_out(facts.absent)}),
        ),
    ),
)
"""The chapters of a report; every page of one has them all."""

PARTS: Final[Mapping[str, Part]] = MappingProxyType({part.name: part for chapter in CHAPTERS for part in chapter.parts})
"""The parts by their names."""


def render_part(name: str, facts: ReportFacts) -> Markup:
    """Render one part alone, without the page around it; a part that the facts do not tell is empty.

    Parameters
    ----------
    name : str
        One of :data:`PARTS`.
    facts : ReportFacts

    Raises
    ------
    BadInput
        If there is no such part.
    """
    from markupsafe import Markup

    if name not in PARTS:
        raise BadInput.unknown("part of a report", name, PARTS)
    part = PARTS[name]
    if not part.is_told(facts):
        return Markup("")
    template = environment().get_template(f"parts/{name}.html")
    return Markup(template.render(part=part, facts=facts, **part.gives(facts)))


def _left_out(absent: Mapping[str, str]) -> list[str]:
    """Why sections are missing; context and governance say so in their own place."""
    return list(dict.fromkeys(text for name, text in absent.items() if name not in ("context", "governance")))


def _explained(requirements: Iterable[Evidence]) -> list[tuple[str, str]]:
    """What was measured, each measure once."""
    return list({one.measure: (one.measure, one.reached.meaning) for one in requirements}.values())


_MEASURES: Final = {
    "entropy_kept": "Information kept",
    "ncp": "Width of cells",
    "suppressed": "Suppressed",
    "distinction": "Different values",
    "separation": "Pairs told apart",
}
"""The figures of columns, and what a table calls them."""


def _measures(columns: Sequence[ColumnFacts]) -> dict[str, Figure]:
    """The figures that are told of some column, each as that of the first which has it."""
    found = {}
    for name in _MEASURES:
        told: list[Figure] = [figure for one in columns if (figure := getattr(one, name)) is not None]
        if told:
            found[name] = told[0]
    return found
