"""The role of every column: the judgements put together, each with its reason in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.advice._names import (
    CODE,
    DATED,
    ENTITY,
    FREE_TEXT,
    IDENTIFYING,
    NUMBERED,
    OUTSIDE,
    SENSITIVE,
    TARGET,
    is_free_text,
    mostly,
    shape_of,
    topic_of,
    words_of,
)
from hedgerow.advice._profiles import Profile, some_rows
from hedgerow.advice._separation import percent, separation
from hedgerow.core.counts import KeyColumn, distinct_pairs, given_once, keys_of_people, looks_given
from hedgerow.errors import BadInput, plural
from hedgerow.risk.dependencies import Dependency, Values, dependencies

__all__ = ["Judgement", "Role", "entity_of", "judge_roles", "people_by_values", "whole_numbers", "why_identifying"]


# --------------------------------------------------------------------------------------------------
# Which columns tell who somebody is: names, addresses, numbers of people and records, free text.


_NEARLY: Final = 0.9  # of the rows have a value of their own: it finds its person
_ENOUGH: Final = 10  # rows, to say that values differ
_SEVERAL: Final = 20  # different values, to believe that a column holds what it is called
_MANY_CODES: Final = 0.05  # of the rows have a code of their own: more than categories
_MANY_TEXTS: Final = 200  # long texts that are no longer categories, however often each is repeated
_MOST_ROWS_OF_PERSON: Final = 50  # on average, of one person
_STEADY: Final = 0.98
_DIGITS: Final = 6


def why_identifying(profile: Profile) -> str | None:
    """Why a column should be left out, because it tells who somebody is; ``None`` if it need not be."""
    shape = shape_of(profile.texts)
    if shape is not None:
        return f"Its values look like {shape}."
    differ = f"{percent(min(profile.distinction, 1.0))} of its values differ"
    if profile.distinction < 0.5:
        differ = f"it has {plural(profile.distinct, 'different values')}"
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
    return 1.05 <= rows <= _MOST_ROWS_OF_PERSON and profile.missing <= profile.rows / 10


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


Role = Literal["identifying", "redundant", "entity", "quasi", "sensitive", "target", "insensitive"]

_MOST_LABELS: Final = 20
_PLAIN_LABELS: Final = frozenset({"class", "target", "label", "outcome", "klasse"})
_FEW_VALUES: Final = 20
_MOST_COMPARED_ROWS: Final = 20_000  # are compared to see which columns determine others
_ENOUGH_KNOWN: Final = 2  # columns that others know; with fewer, nobody can say which columns matter


@dataclass(frozen=True)
class Judgement:
    """The role that a column should have, and why."""

    role: Role
    reason: str


def judge_roles(profiles: Mapping[str, Profile], *, target: str | None, k: int) -> dict[str, Judgement]:
    """Judge all columns.

    Parameters
    ----------
    profiles : mapping of column to Profile
    target : str, optional
        The column to be learnt, if somebody said which.
    k : int
        Values that fewer rows have are not published as they are.
    """
    if target is not None and target not in profiles:
        raise BadInput.unknown("column", target, profiles, "It is named as target.")
    found: dict[str, Judgement] = {}
    if target is not None:
        found[target] = Judgement("target", "You named it as what is to be learnt.")
    found |= {name: one for name, profile in profiles.items() if (one := _out(profile)) and name not in found}
    open_ones = {name: one for name, one in profiles.items() if name not in found}
    if target is None and (label := _target_of(open_ones)) is not None:
        found[label] = Judgement("target", "Its name says label, and it has few values.")
    asked = {name: one for name, one in open_ones.items() if name not in found}
    keys = people_by_values(asked)
    person = next(iter(keys.items()), None) or entity_of(asked)
    if person is not None:
        found[person[0]] = Judgement("entity", person[1])
        others = {name: why for name, why in keys.items() if name not in found}
        found |= {name: Judgement("identifying", why) for name, why in others.items()}
    for name, profile in open_ones.items():
        if name not in found and (reason := why_identifying(profile)) is not None:
            found[name] = Judgement("identifying", reason)
    rest = {name: one for name, one in open_ones.items() if name not in found}
    known = sum(topic_of(name, OUTSIDE) is not None for name in rest)
    found |= {name: _beside(one, k, enough=known >= _ENOUGH_KNOWN) for name, one in rest.items()}
    found |= _with_dependencies(found, profiles)
    return _with_some_quasi({name: found[name] for name in profiles}, profiles)


def _out(profile: Profile) -> Judgement | None:
    """Leave out what cannot be read, or holds nothing."""
    if profile.unusable:
        return Judgement("redundant", profile.unusable)
    return None if profile.known else Judgement("redundant", "It has no value at all.")


def _target_of(profiles: Mapping[str, Profile]) -> str | None:
    """The last column that is called like a label and holds few of them."""
    known = TARGET["label"]
    labels = [name for name, one in profiles.items() if _holds_labels(one) and set(words_of(name)) & known]
    plain = [name for name in labels if _PLAIN_LABELS & set(words_of(name))]
    # A bracket of an income is no label, and an income of two values is one.
    alone = [name for name in labels if set(words_of(name)) <= known]
    return next(reversed(plain or alone), None)


def _holds_labels(profile: Profile) -> bool:
    few = 2 <= profile.distinct <= _MOST_LABELS and profile.distinct <= max(2, profile.known / 10)
    return few and (profile.kind == "text" or whole_numbers(profile))


def _beside(profile: Profile, k: int, *, enough: bool) -> Judgement:
    """The role of a column that names nobody and is not learnt."""
    apart = separation(profile.codes)
    if profile.size < 2:
        return Judgement("insensitive", "It is the same in all rows.")
    topic = topic_of(profile.name, SENSITIVE)
    if topic is not None:
        exact = profile.kind == "number" and profile.fewest < k
        often = "; who knows an exact value may find its row, so round it first" if exact else ""
        return Judgement("sensitive", f"Its name says {topic}{often}.")
    told = f"it tells {percent(apart)} of all pairs of rows apart"
    known = topic_of(profile.name, OUTSIDE)
    if known in ("work", "place", "family", "education") and profile.kind == "date":
        known = "date of an event"
    if known is not None:
        return Judgement("quasi", f"Its name says {known}, which others may know; {told}.")
    if profile.fewest < k:
        return Judgement("quasi", f"Some of its values are in fewer than {k} rows; {told}.")
    if not enough or profile.distinct > _FEW_VALUES:
        return Judgement("quasi", f"Its name does not say whether others may know it; {told}.")
    return Judgement(
        "insensitive",
        f"Each of its {profile.size} values is in at least {k} rows, and its name says nothing that others know.",
    )


def _with_dependencies(found: Mapping[str, Judgement], profiles: Mapping[str, Profile]) -> dict[str, Judgement]:
    """What changes because columns tell others."""
    held = [name for name, one in found.items() if one.role in ("quasi", "insensitive")]
    changed: dict[str, Judgement] = {}

    def role(name: str) -> Role:
        return changed.get(name, found[name]).role

    entity = next((profiles[name] for name, one in found.items() if one.role == "entity"), None)
    rows = _of_people(entity, len(profiles[held[0]].codes)) if held else np.arange(0)
    compared = {name: _values(profiles[name], rows) for name in held if not profiles[name].unusable}
    for one in sorted(dependencies(compared), key=lambda one: not one.both_ways):
        between = {role(one.by), role(one.column)}
        # What both publish as they are, neither gives away.
        if "redundant" in between or "quasi" not in between:
            continue
        twice = _twice(one, profiles)
        if twice is not None:
            kept, dropped, why = twice
            if role(kept) != "quasi":
                changed[kept] = Judgement("quasi", found[dropped].reason)
            changed[dropped] = Judgement("redundant", why)
        elif len(between) == 2:
            clear, hidden = (one.by, one.column) if role(one.column) == "quasi" else (one.column, one.by)
            verb = "determines" if clear == one.by else "is determined by"
            why = f"It {verb} {hidden!r}, and would give it away if it were published as it is."
            changed[clear] = Judgement("quasi", why)
        elif one.column not in changed:
            changed[one.column] = Judgement("quasi", f"{found[one.column].reason[:-1]}; {one.by!r} determines it.")
    return changed


def _of_people(entity: Profile | None, rows: int) -> Longs:
    """The rows that are compared, one of each person: many rows of one person say nothing of others."""
    people = np.arange(rows) if entity is None else np.unique(entity.codes, return_index=True)[1]
    return np.asarray(people[some_rows(len(people), _MOST_COMPARED_ROWS)], dtype=np.int64)


def _values(profile: Profile, rows: Longs) -> Values:
    """The values of a column in some rows, as they are compared with those of others."""
    codes = profile.codes[rows]
    return Values(codes) if profile.drawn is None else Values.of(codes, profile.drawn)


def _twice(one: Dependency, profiles: Mapping[str, Profile]) -> tuple[str, str, str] | None:
    """Which of two columns to keep, which to leave out and why, if they say the same."""
    if one.both_ways:
        numbers = [name for name in (one.by, one.column) if profiles[name].kind == "number"]
        order = list(profiles)
        dropped = numbers[0] if len(numbers) == 1 else max(one.by, one.column, key=order.index)
        kept = one.column if dropped == one.by else one.by
        return kept, dropped, f"It says the same as {kept!r} in other words, and would give it away."
    if one.coarser:
        return one.by, one.column, f"It is {one.by!r} in less detail, and would give it away."
    return None


def _with_some_quasi(found: dict[str, Judgement], profiles: Mapping[str, Profile]) -> dict[str, Judgement]:
    """Without a quasi-identifier there is nothing to protect: then all that is left is one."""
    if any(one.role == "quasi" for one in found.values()):
        return found
    for roles in (("insensitive",), ("sensitive",)):
        left = _of(found, roles)
        if left:
            reason = "No other column is left by which anybody could be found."
            return found | {name: Judgement("quasi", reason) for name in left if not profiles[name].unusable}
    return found


def _of(found: Mapping[str, Judgement], roles: Iterable[str]) -> list[str]:
    return [name for name, one in found.items() if one.role in roles]
