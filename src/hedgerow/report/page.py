"""Pages: filled templates, as one file that needs nothing from outside.

Jinja is imported when a page is made. Every text is escaped; only the drawings of :mod:`hedgerow.report.svg` are not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hedgerow._internal.version import __version__
from hedgerow.errors import BadInput, plural
from hedgerow.io.atomic import check_place, refuse_existing
from hedgerow.report.facts.figures import capitalized, percent, sentence

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Page", "check_page", "environment", "in_css", "render", "share_text"]


@dataclass(frozen=True)
class Page:
    """The title and the maker of a page: ``page`` in the templates."""

    title: str
    made_by: str = f"Hedgerow {__version__}"


_BREAKS: Final = re.compile(r" (?=%)|(?<=\bk) (?== )|(?<=\bk =) ")


@cache
def environment() -> Environment:
    """The templates. A name without a value is an error, not an empty text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("hedgerow.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_unbroken,
    )
    made.filters |= {
        "plural": plural,
        "capitalized": capitalized,
        "in_css": in_css,
        "sentence": sentence,
        "share": share_text,
    }
    return made


def _unbroken(value: Any) -> Any:
    """Keep a number and its sign on one line, as in "5 %" and "k = 5"; a drawing is left alone."""
    return _BREAKS.sub("\N{NO-BREAK SPACE}", value) if type(value) is str else value


def render(template: str, page: Page, values: Mapping[str, Any]) -> str:
    """Fill a template that extends ``base.html``."""
    return environment().get_template(template).render(page=page, **values)


def check_page(path: str | Path, *, overwrite: bool) -> Path:
    """Refuse a path that cannot hold a page, or a file that may not be overwritten."""
    place = Path(path)
    if place.suffix.lower() not in (".html", ".htm"):
        raise BadInput(f"A report is an HTML page. Name a file that ends in .html, not {str(path)!r}.")
    check_place(place)
    refuse_existing(place, overwrite=overwrite)
    return place


def share_text(value: float | None) -> str:
    """A share in a table, where it may be shown.

    >>> share_text(0.1254), share_text(None)
    ('12.5 %', 'not shown')
    """
    return "not shown" if value is None else percent(value)


def in_css(text: str) -> str:
    """A text as a string of a style sheet, which nothing in the text can end.

    >>> in_css("At risk"), in_css("a'b")
    ("'At risk'", "'a\\\\27 b'")
    """
    return "'" + "".join(sign if sign.isalnum() or sign == " " else f"\\{ord(sign):x} " for sign in text) + "'"
