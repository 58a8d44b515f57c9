"""The text of objects, and the same text in a notebook with every character escaped.

It shows names of columns, counts and requirements, never a cell.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Final

from hedgerow.errors import listing

__all__ = ["MOST_NAMES", "NotebookRepr", "names_shown", "preformatted"]

MOST_NAMES: Final = 20
"""The most names of columns that are shown; of the others, only the number."""


class NotebookRepr:
    """An object that a notebook shows as its ``repr``."""

    def _repr_html_(self) -> str:
        return preformatted(repr(self))


def names_shown(names: Sequence[str]) -> str:
    """The first names of columns, and the number of the others.

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
