"""Shapes: what texts look like, whatever their column is called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hedgerow.counts.reading import number_of

__all__ = ["CODE", "DATED", "ICD", "IDENTIFYING_SHAPES", "is_free_text", "like_values", "mostly", "shape_of"]

IDENTIFYING_SHAPES: Final = {
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]{2,}\Z"),
    "web addresses": re.compile(r"(?:https?://|www\.)\S+\Z", re.IGNORECASE),
    "bank accounts (IBAN)": re.compile(r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{2,4}){3,8}\Z"),
    "hashes": re.compile(r"(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{12,}\Z", re.IGNORECASE),
    "random identifiers (UUID)": re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z", re.IGNORECASE),
    "social security numbers": re.compile(r"[0-9]{3}-[0-9]{2}-[0-9]{4}\Z"),
    "card numbers": re.compile(r"(?:[0-9]{4}[ -]){3}[0-9]{4}\Z"),
    "network addresses": re.compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}\Z"),
    "telephone numbers": re.compile(r"(?=(?:\D*[0-9]){7,15}\D*\Z)(?:\+[0-9]|\(?0[0-9]*[ /)-])[0-9 ()/.-]+\Z"),
}
"""Of whose shape a value is, that tells a person."""

CODE: Final = re.compile(r"(?=.*[0-9])[A-Za-z0-9.\-]{2,12}\Z")
"""Codes of a few letters and digits: postcodes, codes of diagnoses."""

ICD: Final = re.compile(r"[A-Z][0-9][0-9A-Z](?:\.[0-9A-Z]{1,4})?\Z")

DATED: Final = re.compile(
    r"(?:[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{4}|[0-9]{2})|[0-9]{4}[./-][0-9]{1,2}[./-][0-9]{1,2})\b"
)
"""Dates in whatever form."""

_MOST: Final = 0.9
_FEWEST: Final = 3
_WORDS: Final = 4  # text with so many words on average is written by somebody
_LETTERS: Final = 25


def mostly(texts: Sequence[str], shape: re.Pattern[str], share: float = _MOST) -> bool:
    """Whether nearly all texts have a shape.

    >>> mostly(["01234", "99999", "12345"], CODE), mostly(["a", "b", "c"], CODE)
    (True, False)
    """
    if len(texts) < _FEWEST:
        return False
    return sum(shape.match(text) is not None for text in texts) >= share * len(texts)


def shape_of(texts: Sequence[str]) -> str | None:
    """What nearly all texts look like that tells a person; ``None`` if they look like nothing of the kind.

    >>> shape_of(["ann@home.org", "bo@work.com", "cy@x.de"]), shape_of(["030 1234567", "+49 30 1234", "0151-2345678"])
    ('e-mail addresses', 'telephone numbers')
    """
    return next((name for name, shape in IDENTIFYING_SHAPES.items() if mostly(texts, shape)), None)


def like_values(names: Sequence[str]) -> bool:
    """Whether names of columns look like cells, as where the first record was taken for a header.

    >>> like_values(["39", "Bonn", "2024-03-31"]), like_values(["age", "q1", "2023"]), like_values(["0", "1", "2"])
    (True, False, False)
    """
    if [*map(str, range(len(names)))] == list(names):
        return False
    cells = [one for one in names if number_of(one) is not None or DATED.match(one) or shape_of([one] * _FEWEST)]
    return len(cells) > len(names) / 2


def is_free_text(texts: Sequence[str]) -> bool:
    """Whether somebody wrote sentences.

    >>> is_free_text(["came with a cough, better now", "no change since the last visit", "sent home after two days"])
    True
    """
    if len(texts) < _FEWEST:
        return False
    words = sum(len(text.split()) for text in texts) / len(texts)
    letters = sum(map(len, texts)) / len(texts)
    return words >= _WORDS and letters >= _LETTERS
