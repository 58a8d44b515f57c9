"""The role of every column, each with its reason in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
from hedgerow.advice._profiles import Profile, percent, separation, some_rows
from hedgerow.core.counts import distinct_pairs
from hedgerow.errors import BadInput, plural
from hedgerow.risk.dependencies import (
    Dependency,
    KeyColumn,
    Values,
    dependencies,
    given_once,
    keys_of_people,
    looks_given,
)

__all__ = ["Judgement", "Role", "entity_of", "judge_roles", "people_by_values", "whole_numbers", "why_identifying"]


# --------------------------------------------------------------------------------------------------
# Which columns identify a person: names, addresses, numbers of people and records, free text.


_NEARLY: Final = 0.9  # of the rows have a value of their own, which identifies them
_ENOUGH: Final = 10  # rows; with fewer, the share of different values means nothing
_SEVERAL: Final = 20  # different values, to believe what the name of a column suggests
_MANY_CODES: Final = 0.05  # of the rows have a code of their own: more than categories
_MANY_TEXTS: Final = 200  # long texts are no categories, however often each is repeated
_MOST_ROWS_OF_PERSON: Final = 50  # on average
_STEADY: Final = 0.98
_DIGITS: Final = 6


def why_identifying(profile: Profile) -> str | None:
    """Why a column should be left out, because it identifies people; ``None`` if it does not."""
    return next((reason for rule in _IDENTIFYING_RULES if (reason := rule(profile)) is not None), None)


def _by_shape(profile: Profile) -> str | None:
    shape = shape_of(profile.texts)
    return None if shape is None else f"Its values look like {shape}."


def _by_name(profile: Profile) -> str | None:
    topic = topic_of(profile.name, IDENTIFYING)
    if topic is None or profile.kind == "date" or profile.distinct < min(_SEVERAL, profile.known / 2):
        return None
    return f"Its name suggests {topic}, and {_distinct(profile)}."


def _by_numbering(profile: Profile) -> str | None:
    if profile.domain is None or _is_outside(profile) or _is_sensitive(profile) or not given_once(profile.domain):
        return None
    return "It numbers the rows: hardly any value occurs twice, where many would by chance."


def _by_free_text(profile: Profile) -> str | None:
    holds, anything = "It holds", "free text, which may reveal anything about a person."
    if is_free_text(profile.texts) and (profile.distinction >= 0.3 or profile.distinct >= _MANY_TEXTS):
        return f"{holds} {anything}"
    named = topic_of(profile.name, FREE_TEXT) is not None and profile.kind == "text"
    return f"Its name suggests {anything}" if named and profile.distinction >= 0.5 else None


def _by_codes(profile: Profile) -> str | None:
    """Texts that look assigned, and are too many for categories."""
    if profile.kind != "text" or profile.domain is None or _is_outside(profile) or mostly(profile.texts, DATED):
        return None
    many = profile.distinct >= max(_SEVERAL, _MANY_CODES * profile.known)
    if not (many and looks_given(profile.domain)):
        return None
    return f"Its values look like codes that were assigned to people or records, and {_distinct(profile)}."


def _by_distinction(profile: Profile) -> str | None:
    """Values that nearly all differ, unless they are quantities or others know them."""
    if profile.known < _ENOUGH or profile.distinction < _NEARLY:
        return None
    if profile.kind == "date" or profile.written_dates is not None:
        return None
    distinct = _distinct(profile)
    if profile.kind == "number":
        return f"It numbers the rows, and {distinct}." if _numbers_rows(profile) else None
    if profile.domain is not None and mostly(profile.texts, DATED):
        return f"It holds dates that are not all written in one form and cannot be generalized, and {distinct}."
    if profile.domain is not None and _is_outside(profile):
        return None
    return f"{distinct[:1].upper()}{distinct[1:]}: each identifies its row."


_IDENTIFYING_RULES: Final[tuple[Callable[[Profile], str | None], ...]] = (
    _by_shape,
    _by_name,
    _by_numbering,
    _by_free_text,
    _by_codes,
    _by_distinction,
)


def _distinct(profile: Profile) -> str:
    """How many different values there are, as a clause."""
    if profile.distinction < 0.5:
        return f"it has {plural(profile.distinct, 'different values')}"
    return f"{percent(min(profile.distinction, 1.0))} of its values are distinct"


def _is_outside(profile: Profile) -> bool:
    """Whether the name suggests something that others know about people."""
    return topic_of(profile.name, OUTSIDE) is not None


def _is_sensitive(profile: Profile) -> bool:
    """Whether the name suggests something sensitive."""
    return topic_of(profile.name, SENSITIVE) is not None


def whole_numbers(profile: Profile) -> bool:
    """Whether a column holds only whole numbers."""
    return profile.domain is not None and profile.kind == "number" and not profile.domain.decimals


def _numbers_rows(profile: Profile) -> bool:
    """Whether numbers look assigned, not measured: by their name, by counting on, or as long codes of one length."""
    if not whole_numbers(profile) or _is_outside(profile) or _is_sensitive(profile):
        return False
    if topic_of(profile.name, NUMBERED) is not None:
        return True
    values = np.array([0.0]) if profile.domain is None else profile.domain.values
    counting = values[-1] - values[0] + 1 == len(values)
    lengths = {len(label) for label in profile.labels}
    return bool(counting or (len(lengths) == 1 and lengths.pop() >= _DIGITS))


# --------------------------------------------------------------------------------------------------
# Which column identifies people who have several rows.


def people_by_values(profiles: Mapping[str, Profile]) -> dict[str, str]:
    """The columns that by their values identify people with several rows, and why; the likeliest first."""
    rows = {
        name: KeyColumn(profile.codes, profile.drawn) for name, profile in profiles.items() if profile.drawn is not None
    }
    keys = keys_of_people(rows, list(rows))
    return {
        key.name: (
            f"{_identifies(profiles[key.name])} and up to about {key.most:,}: rows with the same value agree in "
            f"{_joined(key.determines[:3])}."
        )
        for key in keys
    }


def _identifies(profile: Profile) -> str:
    return f"It identifies people who have several rows, {profile.known / profile.distinct:.1f} on average"


def entity_of(profiles: Mapping[str, Profile]) -> tuple[str, str] | None:
    """The column that by its name identifies people with several rows, and why; ``None`` if there is none."""
    outside = [column for column in profiles.values() if _is_outside(column) and column.most_frequent <= _NEARLY]
    likeliest: tuple[tuple[bool, int], str, str] | None = None
    for profile in filter(_may_be_entity, profiles.values()):
        named = topic_of(profile.name, ENTITY) is not None
        others = [column for column in outside if column is not profile]
        steady = [column.name for column in others if _constant_within(profile.codes, column.codes)]
        if named or steady:
            candidate = (named, profile.distinct), profile.name, f"{_identifies(profile)}{_staying(steady)}."
            likeliest = candidate if likeliest is None else max(likeliest, candidate)
    return None if likeliest is None else likeliest[1:]


def _staying(steady: list[str]) -> str:
    """Which columns stay the same for each person, as the rest of a sentence."""
    if not steady:
        return ""
    return f"; {_joined(steady[:3])} {'stays' if len(steady) == 1 else 'stay'} the same in all rows of one value"


def _may_be_entity(profile: Profile) -> bool:
    """Whether a column holds numbers or codes of people, which repeat."""
    if profile.unusable or profile.known < _ENOUGH or profile.distinct < _ENOUGH / 2:
        return False
    if not (whole_numbers(profile) or (profile.kind == "text" and mostly(profile.texts, CODE))):
        return False
    if topic_of(profile.name, NUMBERED) is None and topic_of(profile.name, ENTITY) is None:
        return False
    rows_per_value = profile.known / profile.distinct
    return 1.05 <= rows_per_value <= _MOST_ROWS_OF_PERSON and profile.missing <= profile.rows / 10


def _constant_within(ids: Ints, codes: Ints) -> bool:
    """Whether nearly all ids with several rows have one value throughout."""
    number = int(ids.max()) + 1
    starts, _ = distinct_pairs(ids, codes, number, int(codes.max()) + 1)
    several = np.bincount(ids, minlength=number) > 1
    values = np.diff(starts)[several]
    return len(values) >= _ENOUGH and bool((values == 1).mean() >= _STEADY)


def _joined(names: Iterable[str]) -> str:
    *others, last = (repr(name) for name in names)
    return f"{', '.join(others)} and {last}" if others else last


# --------------------------------------------------------------------------------------------------
# The role of every column.


Role = Literal["identifying", "redundant", "entity", "quasi", "sensitive", "target", "insensitive"]

_MOST_LABELS: Final = 20
_PLAIN_LABELS: Final = frozenset({"class", "target", "label", "outcome", "klasse"})
_FEW_VALUES: Final = 20
_MOST_COMPARED_ROWS: Final = 20_000  # to see which columns determine others
_ENOUGH_KNOWN: Final = 2  # columns that others know; with fewer, the names do not show which columns matter


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
        The column to predict, if you named one.
    k : int
        Values that fewer rows have are not published unchanged.
    """
    if target is not None and target not in profiles:
        raise BadInput.unknown("column", target, profiles, "It is named as target.")
    judged = _judge_unusable(profiles)
    judged |= _judge_target(_unjudged(profiles, judged), target)
    judged |= _judge_people(_unjudged(profiles, judged))
    judged |= _judge_identifying(_unjudged(profiles, judged))
    judged |= _judge_others(_unjudged(profiles, judged), k)
    judged |= _judge_dependent(judged, profiles)
    return _with_some_quasi({name: judged[name] for name in profiles}, profiles)


def _unjudged(profiles: Mapping[str, Profile], judged: Mapping[str, Judgement]) -> dict[str, Profile]:
    """The columns that are not judged yet."""
    return {name: profile for name, profile in profiles.items() if name not in judged}


def _judge_unusable(profiles: Mapping[str, Profile]) -> dict[str, Judgement]:
    """Columns that cannot be read, or hold nothing."""
    empty = {name: "" if profile.known else "It has no value at all." for name, profile in profiles.items()}
    reasons = {name: profile.unusable or empty[name] for name, profile in profiles.items()}
    return {name: Judgement("redundant", reason) for name, reason in reasons.items() if reason}


def _judge_target(profiles: Mapping[str, Profile], named: str | None) -> dict[str, Judgement]:
    """The target that was named, or a column that looks like one."""
    if named is not None:
        return {named: Judgement("target", "You named it as the column to predict.")}
    label = _label_of(profiles)
    return {} if label is None else {label: Judgement("target", "Its name suggests a label, and it has few values.")}


def _judge_people(profiles: Mapping[str, Profile]) -> dict[str, Judgement]:
    """The column that identifies people with several rows; other columns that do so too are left out."""
    keys = people_by_values(profiles)
    person = next(iter(keys.items()), None) or entity_of(profiles)
    if person is None:
        return {}
    others = {name: Judgement("identifying", reason) for name, reason in keys.items()}
    return others | {person[0]: Judgement("entity", person[1])}


def _judge_identifying(profiles: Mapping[str, Profile]) -> dict[str, Judgement]:
    reasons = {name: why_identifying(profile) for name, profile in profiles.items()}
    return {name: Judgement("identifying", reason) for name, reason in reasons.items() if reason is not None}


def _judge_others(profiles: Mapping[str, Profile], k: int) -> dict[str, Judgement]:
    """The columns that identify nobody and are not predicted."""
    enough = sum(map(_is_outside, profiles.values())) >= _ENOUGH_KNOWN
    return {name: _judge_other(profile, k, enough=enough) for name, profile in profiles.items()}


def _label_of(profiles: Mapping[str, Profile]) -> str | None:
    """The last column whose name suggests a label and that has few values."""
    known = TARGET["label"]
    labels = [name for name in profiles if _holds_labels(profiles[name]) and set(words_of(name)) & known]
    plain = [name for name in labels if _PLAIN_LABELS & set(words_of(name))]
    # An income bracket is no label, but an income of two values is.
    alone = [name for name in labels if set(words_of(name)) <= known]
    return next(reversed(plain or alone), None)


def _holds_labels(profile: Profile) -> bool:
    few = 2 <= profile.distinct <= _MOST_LABELS and profile.distinct <= max(2, profile.known / 10)
    return few and (profile.kind == "text" or whole_numbers(profile))


def _judge_other(profile: Profile, k: int, *, enough: bool) -> Judgement:
    """The role of a column that identifies nobody and is not predicted."""
    if profile.size < 2:
        return Judgement("insensitive", "It is the same in all rows.")
    sensitive = topic_of(profile.name, SENSITIVE)
    if sensitive is not None:
        exact = profile.kind == "number" and profile.fewest < k
        warning = "; an exact value may identify its row, so round it first" if exact else ""
        return Judgement("sensitive", f"Its name suggests {sensitive}{warning}.")
    distinguishes = f"it distinguishes {percent(separation(profile.codes))} of all pairs of rows"
    outside = _outside_topic(profile)
    if outside is not None:
        return Judgement("quasi", f"Its name suggests {outside}, which others may know; {distinguishes}.")
    if profile.fewest < k:
        return Judgement("quasi", f"Some of its values are in fewer than {k} rows; {distinguishes}.")
    if not enough or profile.distinct > _FEW_VALUES:
        return Judgement("quasi", f"Its name does not show whether others may know it; {distinguishes}.")
    return Judgement(
        "insensitive",
        f"Each of its {profile.size} values is in at least {k} rows, and its name suggests nothing that others know.",
    )


def _outside_topic(profile: Profile) -> str | None:
    """What others may know, by the name of a column. A date of work, for example, is the date of an event."""
    topic = topic_of(profile.name, OUTSIDE)
    of_event = topic in ("work", "place", "family", "education") and profile.kind == "date"
    return "date of an event" if of_event else topic


def _judge_dependent(judged: Mapping[str, Judgement], profiles: Mapping[str, Profile]) -> dict[str, Judgement]:
    """The judgements that change because columns determine others."""
    held = [name for name, judgement in judged.items() if judgement.role in ("quasi", "insensitive")]
    if not held:
        return {}
    entity = next((profiles[name] for name, judgement in judged.items() if judgement.role == "entity"), None)
    rows = _rows_of_people(entity, len(profiles[held[0]].codes))
    compared = {name: _values(profiles[name], rows) for name in held if not profiles[name].unusable}
    changed: dict[str, Judgement] = {}
    for dependency in sorted(dependencies(compared), key=lambda dependency: not dependency.both_ways):
        changed |= _consequence(dependency, judged, changed, profiles)
    return changed


def _consequence(
    dependency: Dependency,
    judged: Mapping[str, Judgement],
    changed: Mapping[str, Judgement],
    profiles: Mapping[str, Profile],
) -> dict[str, Judgement]:
    """What one dependency changes, given the changes of those before it."""
    by, column = dependency.by, dependency.column
    roles = {name: changed.get(name, judged[name]).role for name in (by, column)}
    # If neither is generalized, neither reveals anything about the other.
    if "redundant" in roles.values() or "quasi" not in roles.values():
        return {}
    repetition = _repetition(dependency, profiles)
    if repetition is not None:
        kept, dropped, reason = repetition
        promoted = {} if roles[kept] == "quasi" else {kept: Judgement("quasi", judged[dropped].reason)}
        return promoted | {dropped: Judgement("redundant", reason)}
    if roles[by] != roles[column]:
        clear, hidden, verb = (
            (by, column, "determines") if roles[column] == "quasi" else (column, by, "is determined by")
        )
        return {clear: Judgement("quasi", f"It {verb} {hidden!r}, and would reveal it if it were published unchanged.")}
    if column in changed:
        return {}
    return {column: Judgement("quasi", f"{judged[column].reason[:-1]}; {by!r} determines it.")}


def _rows_of_people(entity: Profile | None, rows: int) -> Longs:
    """The rows to compare, one per person: many rows of one person show nothing about others."""
    people = np.arange(rows) if entity is None else np.unique(entity.codes, return_index=True)[1]
    return np.asarray(people[some_rows(len(people), _MOST_COMPARED_ROWS)], dtype=np.int64)


def _values(profile: Profile, rows: Longs) -> Values:
    """The values of a column in some rows, to compare with those of other columns."""
    codes = profile.codes[rows]
    if profile.drawn is None:
        return Values(codes)
    dated = profile.drawn_dates
    return Values.of(codes, profile.drawn) if dated is None else Values.of(dated.place[codes], dated.domain)


def _repetition(dependency: Dependency, profiles: Mapping[str, Profile]) -> tuple[str, str, str] | None:
    """Which of two columns to keep, which to leave out, and why, if one repeats the other."""
    by, column = dependency.by, dependency.column
    if dependency.both_ways:
        numbers = [name for name in (by, column) if profiles[name].kind == "number"]
        order = list(profiles)
        dropped = numbers[0] if len(numbers) == 1 else max(by, column, key=order.index)
        kept = column if dropped == by else by
        return kept, dropped, f"It has the same meaning as {kept!r}, and would reveal it."
    if dependency.coarser:
        return by, column, f"It is {by!r} in less detail, and would reveal it."
    return None


def _with_some_quasi(judged: dict[str, Judgement], profiles: Mapping[str, Profile]) -> dict[str, Judgement]:
    """If there is no quasi-identifier, there is nothing to protect: then the remaining columns become some."""
    if any(judgement.role == "quasi" for judgement in judged.values()):
        return judged
    for role in ("insensitive", "sensitive"):
        remaining = [name for name, judgement in judged.items() if judgement.role == role]
        if remaining:
            judgement = Judgement("quasi", "No other column is left by which anybody could be found.")
            return judged | {name: judgement for name in remaining if not profiles[name].unusable}
    return judged
