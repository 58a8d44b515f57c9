"""The report of a release or an audit: its chapters and parts, as one page and as one file.

The chapters follow ISO/IEC 27559: context, data, identifiability, governance. A part is a macro in
``templates/parts.html`` with its charts. :func:`render_part` shows a part alone, from nothing but the facts.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from hedgerow._internal.late_binding import ReportOptions
from hedgerow.errors import BadInput
from hedgerow.io.atomic import appearing
from hedgerow.report import charts
from hedgerow.report.facts import gather, with_files
from hedgerow.report.facts.attackers import attackers, class_sizes
from hedgerow.report.facts.context import read_context, read_edition, read_governance, read_reasons
from hedgerow.report.facts.figures import Figure, capitalized
from hedgerow.report.facts.sections import Attacker, Attackers, ColumnFacts, Evidence, ReportFacts
from hedgerow.report.page import Page, check_page, environment, render, share_text
from hedgerow.risk import Audit
from hedgerow.risk.clear import MOST_ALONE, MOST_BY_PROTECTED, MOST_GIVEN_AWAY, MOST_TOGETHER

if TYPE_CHECKING:
    from markupsafe import Markup

    from hedgerow.release import Release

__all__ = [
    "CHAPTERS",
    "PARTS",
    "Chapter",
    "Part",
    "ReportOptions",
    "make_report",
    "render_in_notebook",
    "render_part",
    "report_page",
    "write_report",
]

Extras = Mapping[str, Any]
"""The variables of a part's template besides the facts: charts, and terms with their meaning."""


def write_report(
    subject: Release | Audit,
    path: str | Path,
    options: ReportOptions | None = None,
    *,
    overwrite: bool = False,
    written: Mapping[str, Any] | None = None,
) -> Path:
    """Write the report of a release or an audit, whole or not at all; see :meth:`hedgerow.Release.report`.

    The manifest beside the table, if it is ``written``, names the file in the title.
    """
    place = check_page(path, overwrite=overwrite)
    html = make_report(subject, options, written=written)
    with appearing(place) as staged:
        staged.write_text(html, encoding="utf-8")
    return place


def make_report(
    subject: Release | Audit, options: ReportOptions | None = None, *, written: Mapping[str, Any] | None = None
) -> str:
    """Make the report as HTML; ``written`` is the manifest that will be written beside the table."""
    options = options or ReportOptions()
    facts = gather(
        subject,
        edition=read_edition(options.edition),
        context=read_context(options.context),
        governance=read_governance(options.governance),
        evaluation=options.evaluation,
        attacks=options.attacks,
        analyses=options.analyses,
        previous=options.previous,
        original=options.original,
        explanation=options.explanation,
        reasons=read_reasons(options.reasons),
    )
    return report_page(with_files(facts, written))


def report_page(facts: ReportFacts) -> str:
    """Render the whole page, as HTML that needs nothing from outside."""
    page = Page(f"{facts.title} ({facts.edition} report)")
    shown = [
        {
            "chapter": chapter,
            "parts": [render_part(part.name, facts) for part in chapter.parts if part.has_content(facts)],
        }
        for chapter in CHAPTERS
    ]
    return render("report.html", page, {"facts": facts, "chapters": shown})


def render_in_notebook(subject: Release | Audit) -> str:
    """HTML for a notebook: the text that a terminal shows, and two charts below it; never a cell of the table."""
    from markupsafe import escape

    audit = subject if isinstance(subject, Audit) else subject.audit
    # A notebook may show many releases, and the ids of their charts must differ.
    own = f"hedgerow-{secrets.token_hex(4)}"
    drawings = (
        charts.size_chart(class_sizes(audit), name=f"{own}-class-sizes"),
        charts.risk_chart(attackers(audit), name=f"{own}-risks"),
    )
    text = escape(audit.render() if subject is audit else repr(subject))
    template = environment().get_template("notebook.html")
    return template.render(text=text, drawings=drawings, own=own, scope=f"#{own}")


# --------------------------------------------------------------------------------------------------
# Parts and chapters.


def _nothing(_facts: ReportFacts) -> Extras:
    return {}


@dataclass(frozen=True)
class Part:
    """A part of a report.

    Attributes
    ----------
    name : str
        The name of the part, of its macro, and of the field of the facts that it shows.
    title : str
    extras : callable
        Makes what the template shows besides the facts: charts, and terms with their meaning.
    heading : bool
        Whether the title is shown. A chapter with a single part needs no second title.
    """

    name: str
    title: str
    extras: Callable[[ReportFacts], Extras] = _nothing
    heading: bool = True

    def has_content(self, facts: ReportFacts) -> bool:
        """Whether the facts have something for this part."""
        if self.name == "left_out":
            return bool(_left_out(facts.absent))
        # A missing context and a missing signature are findings, too.
        return self.name in ("context", "governance") or getattr(facts, self.name) is not None


@dataclass(frozen=True)
class Chapter:
    """A chapter of a report and its parts."""

    name: str
    title: str
    lead: str
    parts: tuple[Part, ...]


def render_part(name: str, facts: ReportFacts) -> Markup:
    """Render a part alone, without the page around it; it is empty where the facts have nothing for it.

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
    if not part.has_content(facts):
        return Markup("")
    macros: Any = environment().get_template("parts.html").make_module({"facts": facts, **part.extras(facts)})
    return Markup(macros.framed(part, getattr(macros, name)()))


# --------------------------------------------------------------------------------------------------
# What the templates of parts show besides the facts.


def _summary_extras(facts: ReportFacts) -> Extras:
    """The figures at the top, with the people where they are counted, and the risk against named thresholds."""
    first, *others = facts.summary.figures
    people = [figure for figure in facts.data.figures if figure.label == "people"]
    against = f"{_against_own(facts.attackers)} {_against_thresholds(facts.attackers.attackers)}"
    return {"figures": (first, *people, *others), "against": against}


def _worst(attackers: Sequence[Attacker]) -> Attacker:
    return max(attackers, key=lambda attacker: attacker.highest.value or 0)


def _against_own(attackers: Attackers) -> str:
    side = "within" if _worst(attackers.attackers).highest.judgement == "good" else "ABOVE"
    return f"The highest risk is {side} the threshold of this release, {attackers.threshold.text}."


def _against_thresholds(attackers: Sequence[Attacker]) -> str:
    worst = _worst(attackers)
    risk = f"the highest risk ({worst.highest.text})"
    within, above = (
        [
            f"{share_text(level.precedent.threshold)} (k = {level.precedent.k})"
            for level in worst.levels
            if level.within is wanted
        ]
        for wanted in (True, False)
    )
    if within and above:
        return f"Of thresholds that others use, {risk} is within {_listed(within)}, and above {_listed(above)}."
    side = "within" if within else "above"
    return f"{capitalized(risk)} is {side} all thresholds that others use: {_listed(within or above)}."


def _listed(words: Sequence[str]) -> str:
    """Words with commas between them, and "and" before the last."""
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last


def _asked_extras(facts: ReportFacts) -> Extras:
    return {"terms": () if facts.asked is None else _measure_terms(facts.asked.requirements)}


def _measure_terms(requirements: Iterable[Evidence]) -> list[tuple[str, str]]:
    """Each measure once, with its meaning."""
    return list({evidence.measure: (evidence.measure, evidence.reached.meaning) for evidence in requirements}.values())


def _all_columns_extras(_facts: ReportFacts) -> Extras:
    return {
        "limits": f"A column discloses too much if {share_text(MOST_ALONE)} of the people have a value that nobody "
        f"else has, or if it reveals {share_text(MOST_GIVEN_AWAY)} of what the release leaves open of a "
        f"quasi-identifier; sensitive columns and the target from {share_text(MOST_BY_PROTECTED)} on, several columns "
        f"together from {share_text(MOST_TOGETHER)} on."
    }


_COLUMN_MEASURES: Final = {
    "entropy_kept": "Information kept",
    "ncp": "Width of cells",
    "suppressed": "Suppressed",
    "distinction": "Different values",
    "separation": "Pairs that differ",
}
"""The figures of a column, and their headings in the table of columns."""


def _columns_extras(facts: ReportFacts) -> Extras:
    columns = facts.columns.columns
    drawn = (charts.column_chart(column, at) for at, column in enumerate(columns))
    distributions = [drawing for drawing in drawn if drawing is not None]
    measures = _column_measures(columns)
    return {
        "kept": charts.kept_chart(facts.columns),
        "identifying": charts.identifying_chart(facts.columns),
        "distributions": distributions,
        "measures": list(measures),
        "heads": [(_COLUMN_MEASURES[name], "number") for name in measures],
        "terms": [(_COLUMN_MEASURES[name], figure.meaning) for name, figure in measures.items()],
        # The caption that most charts share is shown once.
        "common": Counter(drawing.says for drawing in distributions).most_common(1)[0][0] if distributions else "",
    }


def _column_measures(columns: Sequence[ColumnFacts]) -> dict[str, Figure]:
    """The figures that some column has, each from the first column that has it."""
    known = {}
    for name in _COLUMN_MEASURES:
        figures: list[Figure] = [figure for column in columns if (figure := getattr(column, name)) is not None]
        if figures:
            known[name] = figures[0]
    return known


def _attempts_extras(facts: ReportFacts) -> Extras:
    if facts.attempts is None:
        return {}
    terms = [
        (word, figure.meaning)
        for attempt in facts.attempts.attempts[:1]
        for word, figure in (("Claimed", attempt.claimed), ("Right", attempt.right), ("Wrong", attempt.wrong))
    ]
    return {"excess": charts.attempt_chart(facts.attempts), "terms": terms}


def _utility_extras(facts: ReportFacts) -> Extras:
    return {"learners": facts.utility and charts.learner_chart(facts.utility)}


def _analyses_extras(facts: ReportFacts) -> Extras:
    drawn = () if facts.analyses is None else (charts.estimate_chart(*each) for each in enumerate(facts.analyses.rows))
    return {"intervals": [drawing for drawing in drawn if drawing is not None]}


def _suppression_extras(facts: ReportFacts) -> Extras:
    return {"labels": facts.suppression and charts.label_chart(facts.suppression)}


def _association_extras(facts: ReportFacts) -> Extras:
    return {"heatmap": facts.association and charts.association_chart(facts.association)}


def _attackers_extras(facts: ReportFacts) -> Extras:
    return {"risks": charts.risk_chart(facts.attackers)}


def _classes_extras(facts: ReportFacts) -> Extras:
    return {"sizes": charts.size_chart(facts.classes)}


def _standards_extras(facts: ReportFacts) -> Extras:
    return {"shown": {part.name: part for part in PARTS.values() if part.has_content(facts)}}


def _left_out_extras(facts: ReportFacts) -> Extras:
    return {"sentences": _left_out(facts.absent)}


def _left_out(absent: Mapping[str, str]) -> list[str]:
    """Why sections are missing; context and governance say so in their own place."""
    return list(dict.fromkeys(text for name, text in absent.items() if name not in ("context", "governance")))


CHAPTERS: Final = (
    Chapter(
        "glance",
        "At a glance",
        "",
        (
            Part("summary", "What holds", _summary_extras, heading=False),
            Part("asked", "What was asked, and what holds", _asked_extras),
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
        "What the table holds, and whom it describes.",
        (
            Part("data", "What the table is", heading=False),
            Part("roles", "Who chose each role, and why"),
            Part("many_rows", "People with very many rows"),
        ),
    ),
    Chapter(
        "identifiability",
        "3. Identifiability",
        "How likely it is that somebody is found or learnt about, what was done against it, and what is kept.",
        (
            Part("attackers", "Who might look for a person", _attackers_extras),
            Part("attempts", "What attacks found out", _attempts_extras),
            Part("classes", "How many share a class", _classes_extras),
            Part("working_party", "Singling out, linkability, inference"),
            Part("disclosure", "What is learnt without finding a row"),
            Part("together", "Together with an earlier release"),
            Part("changes", "What has changed since the earlier release"),
            Part("all_columns", "All published columns together", _all_columns_extras),
            Part("unique_values", "Whether anybody has a value that nobody else has"),
            Part("safe_harbour", "Facts for HIPAA's safe harbour"),
            Part("columns", "What is kept, column by column", _columns_extras),
            Part("association", "Ties between columns", _association_extras),
            Part("suppression", "What was left out", _suppression_extras),
            Part("not_finer", "Why cells do not show more"),
            Part("utility", "What can still be learnt from it", _utility_extras),
            Part("analyses", "Will analyses still hold", _analyses_extras),
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
            Part("standards", "Where standards ask for this", _standards_extras),
            Part("left_out", "What this report does not show", _left_out_extras),
        ),
    ),
)
"""The chapters of a report; every report has all of them."""

PARTS: Final[Mapping[str, Part]] = MappingProxyType({part.name: part for chapter in CHAPTERS for part in chapter.parts})
"""The parts by their names."""
