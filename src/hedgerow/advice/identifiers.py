"""Which columns tell who somebody is: names, addresses, numbers of people and records, free text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from hedgerow.advice.profiles import Profile
from hedgerow.advice.separation import percent
from hedgerow.advice.shapes import CODE, DATED, is_free_text, mostly, shape_of
from hedgerow.advice.words import ENTITY, FREE_TEXT, IDENTIFYING, NUMBERED, OUTSIDE, SENSITIVE, topic_of
from hedgerow.arrays import Ints
from hedgerow.counts import KeyColumn, distinct_pairs, given_once, keys_of_people, looks_given
from hedgerow.errors import amount

__all__ = ["entity_of", "people_by_values", "why_identifying", "whole_numbers"]

_NEARLY: Final = 0.9  # of the rows have a value of their own: it finds its person
_ENOUGH: Final = 10  # rows, to say that values differ
_SEVERAL: Final = 20  # different values, to believe that a column holds what it is called
_MANY_CODES: Final = 0.05  # of the rows have a code of their own: more than categories
_MANY_TEXTS: Final = 200  # long texts that are no longer categories, however often each is repeated
_MOST_ROWS: Final = 50  # on average, of one person
_STEADY: Final = 0.98
_DIGITS: Final = 6


def why_identifying(profile: Profile) -> str | None:
    """Why a column should be left out, because it tells who somebody is; ``None`` if it need not be."""
    shape = shape_of(profile.texts)
    if shape is not None:
        return f"Its values look like {shape}."
    differ = f"{percent(min(profile.distinction, 1.0))} of its values differ"
    if profile.distinction < 0.5:
        differ = f"it has {amount(profile.distinct, 'different values')}"
    named = topic_of(profile.name, IDENTIFYING)
    if named is not None and profile.distinct >= min(_SEVERAL, profile.known / 2) and profile.kind != "date":
        return f"Its name says {named}, and {differ}."
    if profile.domain is not None and not _measured(profile) and given_once(profile.domain):
        return "It numbers the rows: hardly any of its values comes twice, where many would by chance."
    if is_free_text(profile.texts) and (profile.distinction >= 0.3 or profile.distinct >= _MANY_TEXTS):
        return "It holds free text, in which anything may be told of a person."
    if topic_of(profile.name, FREE_TEXT) is not None and profile.kind == "text" and profile.distinction >= 0.5:
        return "Its name says free text, in which anything may be told of a person."
    if _codes(profile):
        return f"Its values look like codes that were given to somebody, and {differ}."
    if profile.known < _ENOUGH or profile.distinction < _NEARLY or profile.kind == "date":
        return None
    if profile.kind == "text" and profile.domain is not None and mostly(profile.texts, DATED):
        return f"It holds dates in another form than 2024-03-31, in which they cannot be generalized, and {differ}."
    if topic_of(profile.name, OUTSIDE) is not None and profile.domain is not None:
        return None
    if profile.kind == "number" and topic_of(profile.name, SENSITIVE) is not None:
        return None
    if profile.kind == "text":
        return f"{differ[:1].upper()}{differ[1:]}: each finds its row."
    return f"It numbers the rows, and {differ}." if whole_numbers(profile) and _numbering(profile) else None


def _measured(profile: Profile) -> bool:
    """Whether the name of a column says what is known or measured of people, however it is spread."""
    return topic_of(profile.name, OUTSIDE) is not None or topic_of(profile.name, SENSITIVE) is not None


def _codes(profile: Profile) -> bool:
    """Whether texts look given, and are too many for categories."""
    if profile.kind != "text" or profile.domain is None or topic_of(profile.name, OUTSIDE) is not None:
        return False
    if mostly(profile.texts, DATED):
        return False
    return profile.distinct >= max(_SEVERAL, _MANY_CODES * profile.known) and looks_given(profile.domain)


def whole_numbers(profile: Profile) -> bool:
    """Whether a column holds only whole numbers."""
    return profile.domain is not None and profile.kind == "number" and not profile.domain.decimals


def _numbering(profile: Profile) -> bool:
    """Whether numbers look given, not measured: by their name, by counting on, or as long codes of one length."""
    if topic_of(profile.name, NUMBERED) is not None:
        return True
    values = np.array([0.0]) if profile.domain is None else profile.domain.values
    counting = values[-1] - values[0] + 1 == len(values)
    lengths = {len(label) for label in profile.labels}
    return bool(counting or (len(lengths) == 1 and lengths.pop() >= _DIGITS))


def people_by_values(profiles: Mapping[str, Profile]) -> dict[str, str]:
    """The columns that tell people apart who have several rows, by their values, and why; the likeliest first."""
    rows = {name: KeyColumn(one.codes, one.drawn) for name, one in profiles.items() if one.drawn is not None}
    found = keys_of_people(rows, list(rows))
    return {
        one.name: f"It tells people apart who have several rows, {_rows_each(profiles[one.name])} on average: rows "
        f"that share its value agree in {_joined(one.determines[:3])}."
        for one in found
    }


def _rows_each(profile: Profile) -> str:
    return f"{profile.known / profile.distinct:.1f}"


def entity_of(profiles: Mapping[str, Profile]) -> tuple[str, str] | None:
    """The column that by its name tells people apart where they have several rows, and why; ``None`` without one."""
    found: list[tuple[tuple[bool, int], str, str]] = []
    outside = [one for one in profiles.values() if topic_of(one.name, OUTSIDE) and one.most_frequent <= _NEARLY]
    for profile in profiles.values():
        if not _may_be_entity(profile):
            continue
        person = topic_of(profile.name, ENTITY) is not None
        steady = [one.name for one in outside if one is not profile and _constant_within(profile.codes, one.codes)]
        if not (person or steady):
            continue
        rows = profile.known / profile.distinct
        why = f"It tells people apart who have several rows, {rows:.1f} on average"
        if steady:
            why += (
                f"; {_joined(steady[:3])} {'stays' if len(steady) == 1 else 'stay'} the same in all rows of one value"
            )
        found.append(((person, profile.distinct), profile.name, f"{why}."))
    return None if not found else max(found)[1:]


def _may_be_entity(profile: Profile) -> bool:
    """Whether a column holds numbers or codes of somebody, which repeat."""
    if profile.unusable or profile.known < _ENOUGH or profile.distinct < _ENOUGH / 2:
        return False
    if not (whole_numbers(profile) or (profile.kind == "text" and mostly(profile.texts, CODE))):
        return False
    if topic_of(profile.name, NUMBERED) is None and topic_of(profile.name, ENTITY) is None:
        return False
    rows = profile.known / profile.distinct
    return 1.05 <= rows <= _MOST_ROWS and profile.missing <= profile.rows / 10


def _constant_within(ids: Ints, codes: Ints) -> bool:
    """Whether nearly all ids with several rows have one value."""
    number = int(ids.max()) + 1
    starts, _ = distinct_pairs(ids, codes, number, int(codes.max()) + 1)
    several = np.bincount(ids, minlength=number) > 1
    values = np.diff(starts)[several]
    return len(values) >= _ENOUGH and bool((values == 1).mean() >= _STEADY)


def _joined(names: Iterable[str]) -> str:
    *others, last = (repr(name) for name in names)
    return f"{', '.join(others)} and {last}" if others else last
