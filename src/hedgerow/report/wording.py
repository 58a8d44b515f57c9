"""How figures and clauses are written on every page."""

from __future__ import annotations

from typing import Final

__all__ = ["capitalized", "sentence", "share"]

_SIGNS: Final = frozenset("kltpc")


def share(value: float | None) -> str:
    """A share as it is written everywhere.

    >>> share(0.1254), share(1.0), share(0.0004), share(None)
    ('12.5 %', '100 %', '0.04 %', 'not told')
    """
    if value is None:
        return "not told"
    percents = 100 * value
    digits = 2 if 0 < abs(percents) < 0.1 else 1
    return f"{percents:.{digits}f}".rstrip("0").rstrip(".") + " %" if percents % 1 else f"{percents:.0f} %"


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
