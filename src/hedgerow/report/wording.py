"""How figures and clauses are written on every page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from hedgerow.errors import BadInput
from hedgerow.io.atomic import check_place, refuse_existing
from hedgerow.report.facts.context import Context, Governance
from hedgerow.report.facts.figures import Edition
from hedgerow.report.facts.wording import percent

__all__ = [
    "capitalized",
    "check_page",
    "in_css",
    "read_context",
    "read_edition",
    "read_governance",
    "sentence",
    "share",
]


# --------------------------------------------------------------------------------------------------
# What a report is told by whoever asks for it: its edition, its context, who answers for it, and where it goes.


Told = TypeVar("Told", Context, Governance)


def read_edition(given: object) -> Edition:
    """One of the editions."""
    for known in get_args(Edition):
        if given == known:
            edition: Edition = known
            return edition
    raise BadInput.parameter("edition", "a report", " or ".join(map(repr, get_args(Edition))), given)


def read_context(given: object) -> Context | None:
    """For whom and what for a table is released.

    >>> read_context({"release-model": "public"}).release_model
    'public'
    """
    return _read(Context, given, "context")


def read_governance(given: object) -> Governance | None:
    """Who answers for a release."""
    return _read(Governance, given, "governance")


def _read(kind: type[Told], given: object, called: str) -> Told | None:
    if given is None or isinstance(given, kind):
        return given
    if not isinstance(given, Mapping):
        raise BadInput.parameter(called, "a report", f"a table of fields or a {kind.__name__}", type(given).__name__)
    known = [field.name for field in fields(kind)]
    named: dict[str, Any] = {}
    for written, value in given.items():
        name = str(written).replace("-", "_")
        if name not in known:
            raise BadInput.unknown(
                f"field of {called}",
                str(written),
                [one.replace("_", "-") for one in known],
                "It is part of the report.",
            )
        named[name] = value
    return kind(**named) if named else None


def check_page(path: str | Path, *, overwrite: bool) -> Path:
    """Refuse a place that a page cannot be written to, or where a file stands that may not be written over."""
    place = Path(path)
    if place.suffix.lower() not in (".html", ".htm"):
        raise BadInput(f"A report is a page, and {str(path)!r} is not named as one. Name a file that ends in .html.")
    check_place(place)
    if not overwrite:
        refuse_existing(place)
    return place


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
