"""How figures and clauses are written on every page."""

from __future__ import annotations

from typing import Final

from hedgerow.report.facts.wording import percent

__all__ = ["capitalized", "in_css", "sentence", "share"]

_SIGNS: Final = frozenset("kltpc")


def share(value: float | None) -> str:
    """A share that stands in a table, where it may be told.

    >>> share(0.1254), share(None)
    ('12.5 %', 'not told')
    """
    return "not told" if value is None else percent(value)


def capitalized(text: str) -> str:
    """A text with a capital at its beginning; signs such as k and l are small.

    >>> capitalized("highest NCP"), capitalized("k over all columns"), capitalized("a person")
    ('Highest NCP', 'k over all columns', 'A person')
    """
    return text if text.partition(" ")[0] in _SIGNS else text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """A clause as a sentence.

    >>> sentence("no population was given")
    'No population was given.'
    """
    return capitalized(text) if text.endswith((".", "!", "?")) else f"{capitalized(text)}."


def in_css(text: str) -> str:
    """A text as a string of a style sheet, in which nothing can end it.

    >>> in_css("At risk"), in_css("a'b")
    ("'At risk'", "'a\\\\27 b'")
    """
    return "'" + "".join(one if one.isalnum() or one == " " else f"\\{ord(one):x} " for one in text) + "'"
