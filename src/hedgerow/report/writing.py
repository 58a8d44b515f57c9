"""A report as one page, and as one file: what ``release.report`` and ``audit.report`` come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.errors import plural
from hedgerow.io.atomic import appearing
from hedgerow.report._parts import CHAPTERS, Chapter, render_part
from hedgerow.report.facts import ReportFacts, gather
from hedgerow.report.page import Page, render
from hedgerow.report.wording import check_page, read_context, read_edition, read_governance

if TYPE_CHECKING:
    from markupsafe import Markup

    from hedgerow.release import Release
    from hedgerow.risk import Audit

__all__ = ["make_report", "report_page", "write_report"]


@dataclass(frozen=True)
class _Written:
    """A chapter with its parts, as the template shows them."""

    name: str
    title: str
    says: str
    parts: tuple[Markup, ...]

    @classmethod
    def of(cls, chapter: Chapter, facts: ReportFacts) -> _Written:
        parts = tuple(render_part(part.name, facts) for part in chapter.parts if part.is_told(facts))
        return cls(chapter.name, chapter.title, chapter.says, parts)


def report_page(facts: ReportFacts) -> str:
    """The whole page, as HTML that needs nothing from outside."""
    chapters = [_Written.of(chapter, facts) for chapter in CHAPTERS]
    page = Page(f"{facts.title} ({facts.edition} report)")
    return render("report.html", page, {"facts": facts, "chapters": chapters})


def write_report(
    subject: Release | Audit,
    path: str | Path,
    *,
    edition: object = "internal",
    context: object = None,
    governance: object = None,
    evaluation: Any = None,
    attacks: Any = None,
    overwrite: bool = False,
) -> Path:
    """Write the report of a release or an audit, whole or not at all; see :meth:`hedgerow.Release.report`."""
    place = check_page(path, overwrite=overwrite)
    html = make_report(
        subject, edition=edition, context=context, governance=governance, evaluation=evaluation, attacks=attacks
    )
    with appearing(place) as staged:
        staged.write_text(html, encoding="utf-8")
    return place


def make_report(
    subject: Release | Audit,
    *,
    edition: object = "internal",
    context: object = None,
    governance: object = None,
    evaluation: Any = None,
    attacks: Any = None,
    written: Mapping[str, Any] | None = None,
) -> str:
    """The same as HTML; ``written`` is the manifest that is about to be written beside the table."""
    facts = gather(
        subject,
        edition=read_edition(edition),
        context=read_context(context),
        governance=read_governance(governance),
        evaluation=evaluation,
        attacks=attacks,
        written=written,
    )
    return report_page(replace(facts, title=_title(facts, written)))


def _title(facts: ReportFacts, written: Mapping[str, Any] | None) -> str:
    """What the table is called by whoever holds it: by its file, not by the method that made it."""
    if facts.subject == "audit":
        return facts.title
    output = {} if written is None else written.get("output", {})
    name = output.get("file") or output.get("folder")
    rows = int(facts.summary.figures[0].value or 0)
    return f"A release of {plural(rows, 'rows')}" if name is None else f"The release {name}"
