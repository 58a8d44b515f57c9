"""Pages: templates of this package, filled and written as one file that needs nothing from outside.

Jinja is imported when a page is made. Every text that is filled in is escaped; what is not, is an SVG that ``drawing``
has made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow._version import __version__
from hedgerow.places import appearing, check_place, refuse_existing
from hedgerow.report.wording import capitalized, sentence, share

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Page", "check_page", "environment", "render", "write_page"]


@dataclass(frozen=True)
class Page:
    """What every page knows of itself: ``page`` in the templates."""

    title: str
    made_by: str = f"Hedgerow {__version__}"


@cache
def environment() -> Environment:
    """The templates. A name that a template uses and nobody has given is an error, not an empty text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("hedgerow.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"capitalized": capitalized, "sentence": sentence, "share": share}
    return made


def render(template: str, page: Page, given: Mapping[str, Any]) -> str:
    """Fill a template that extends ``base.html``."""
    return environment().get_template(template).render(page=page, **given)


def check_page(path: str | Path, *, overwrite: bool) -> Path:
    """Refuse a place that a page cannot be written to, or where a file stands that may not be written over."""
    place = Path(path)
    check_place(place)
    if not overwrite:
        refuse_existing(place)
    return place


def write_page(path: str | Path, html: str, *, overwrite: bool = False) -> Path:
    """Write a page, whole or not at all."""
    place = check_page(path, overwrite=overwrite)
    with appearing(place) as staged:
        staged.write_text(html, encoding="utf-8")
    return place
