"""The display of objects: a few lines of text, and in a notebook the same text as escaped HTML.

It contains names of columns, counts and requirements, never a cell.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Final

from hedgerow.errors import listing

__all__ = ["MOST_NAMES", "NotebookRepr", "names_shown", "preformatted"]

MOST_NAMES: Final = 20
"""The most names of columns that are shown; the others are counted."""


class NotebookRepr:
    """An object that a notebook shows as its ``repr``."""

    def _repr_html_(self) -> str:
        return preformatted(repr(self))


def names_shown(names: Sequence[str]) -> str:
    """Names of columns, the first few of them.

    >>> names_shown(["age", "sex"]), names_shown(list("abcdefghijklmnopqrstuvw"))[-19:]
    ("'age', 'sex'", "'s', 't' and 3 more")
    """
    return listing(names, MOST_NAMES)


def preformatted(text: str) -> str:
    """Text as HTML.

    >>> preformatted("k < 10")
    '<pre>k &lt; 10</pre>'
    """
    return f"<pre>{html.escape(text)}</pre>"
