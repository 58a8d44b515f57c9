"""Pages: templates of this package, filled, as one file that needs nothing from outside.

Jinja is imported when a page is made. Every text that is filled in is escaped; what is not, is an SVG that ``drawing``
has made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from hedgerow._internal.version import __version__
from hedgerow.errors import plural
from hedgerow.report.wording import capitalized, in_css, sentence, share

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Page", "environment", "render"]


@dataclass(frozen=True)
class Page:
    """What every page knows of itself: ``page`` in the templates."""

    title: str
    made_by: str = f"Hedgerow {__version__}"


_BREAKS: Final = re.compile(r" (?=%)|(?<=\bk) (?== )|(?<=\bk =) ")


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
        finalize=_unbroken,
    )
    made.filters |= {
        "plural": plural,
        "capitalized": capitalized,
        "in_css": in_css,
        "sentence": sentence,
        "share": share,
    }
    return made


def _unbroken(value: Any) -> Any:
    """Keep a number and its sign on one line, as in "5 %" and "k = 5"; a drawing stays as it is."""
    return _BREAKS.sub("\N{NO-BREAK SPACE}", value) if type(value) is str else value


def render(template: str, page: Page, given: Mapping[str, Any]) -> str:
    """Fill a template that extends ``base.html``."""
    return environment().get_template(template).render(page=page, **given)
