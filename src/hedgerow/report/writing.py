"""A report as one page, and as one file: what ``release.report`` and ``audit.report`` come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hedgerow.report.facts import ReportFacts
from hedgerow.report.page import Page, render
from hedgerow.report.parts import CHAPTERS, Chapter, render_part

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["report_page"]


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
    return render(
        "report.html", Page(f"{facts.title} ({facts.edition} report)"), {"facts": facts, "chapters": chapters}
    )
