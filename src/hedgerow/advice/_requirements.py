"""Suggestions for k, for l-diversity of sensitive columns, and for the method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from hedgerow.advice._hierarchies import MOST_CATEGORIES
from hedgerow.advice._names import CARE, topic_of
from hedgerow.advice._profiles import Profile
from hedgerow.anonymizers.registry import DEFAULT_METHOD
from hedgerow.errors import check_int, plural

__all__ = ["Choice", "LeastPeople", "choose_k", "choose_method", "diversity", "least_people"]

_HEALTH_K: Final = 11
_SHARED_K: Final = 5
_MANY_GROUPS: Final = 20  # with fewer possible groups, little detail is kept
_LEARNABLE: Final = 1_000  # people; from fewer, Hedge does not learn well
_FEW_QUASI: Final = 3


@dataclass(frozen=True)
class Choice:
    """A suggestion and its reason."""

    value: str
    reason: str


def choose_k(given: int | None, names: Sequence[str]) -> tuple[int, str]:
    """The k and its reason: the given k, else 11 for health data, else 5."""
    if given is not None:
        return check_int("k", "advise", given, 2), "As you asked."
    if any(topic_of(name, CARE) is not None for name in names):
        return (
            _HEALTH_K,
            "The table is about health. CMS, which publishes US health data, shows no cell of fewer than 11.",
        )
    return _SHARED_K, "5 is common for data shared under an agreement. Take 11 or 20 for the public."


@dataclass(frozen=True)
class LeastPeople:
    """How many people must hold every value, why, and how numbers in clear are recoded for it."""

    number: int
    reason: str
    recode: Mapping[str, str] = field(default_factory=dict)


def least_people(clear: Mapping[str, Profile], names: Sequence[str], *, of_people: bool) -> LeastPeople | None:
    """How many people should hold every value: 11 for health data, where no count may be smaller.

    Parameters
    ----------
    clear : mapping of column to Profile
        The columns that are published in clear.
    names : sequence of str
        All columns.
    of_people : bool
        Whether people are counted, of whom fewer than rows hold a value.
    """
    if not any(topic_of(name, CARE) is not None for name in names):
        return None
    rare = (name for name, profile in clear.items() if of_people or profile.fewest < _HEALTH_K)
    return LeastPeople(
        _HEALTH_K,
        f"CMS shows no count below {_HEALTH_K}, so at least {_HEALTH_K} people must hold every published value.",
        {name: f"microaggregate:{_HEALTH_K}" for name in rare if clear[name].kind == "number"},
    )


def few_groups(people: int, k: int, unit: str) -> str | None:
    """A note if the table is small for its k."""
    if people >= k * _MANY_GROUPS:
        return None
    groups = max(people // k, 1)
    possible = "at most one group is" if groups == 1 else f"at most {groups} groups are"
    return (
        f"The table is small: with {plural(people, unit)} and k = {k} {possible} possible, and little detail is kept."
    )


def diversity(profile: Profile) -> tuple[int | None, str]:
    """The l of a sensitive column, and why; ``None`` if it is impossible or would cost too much."""
    values, most = profile.size, profile.most_frequent
    if values < 2:
        return None, "all rows have the same value"
    if most > 0.95:
        return None, f"{most:.0%} of the rows have the same value, and l-diversity would hide nearly everything else"
    if values >= 3 and most <= 0.8:
        return 3, "three values in every group, so that a group reveals nobody's value"
    return 2, "two values in every group, so that a group reveals nobody's value"


def choose_method(
    target: str | None, quasi: Mapping[str, Profile], hierarchies: Mapping[str, str], people: int
) -> Choice:
    """The method, and why.

    Parameters
    ----------
    target : str, optional
        The column to predict.
    quasi : mapping of column to Profile
    hierarchies : mapping of column to str
        Hierarchies that could be given.
    people : int
    """
    if target is not None and people >= _LEARNABLE:
        return Choice("hedge", f"It keeps what a classifier needs to predict {target!r}.")
    if target is not None:
        return Choice(
            "kactus", f"It keeps what a decision tree needs to predict {target!r}, and works with a few hundred rows."
        )
    few = len(quasi) <= _FEW_QUASI and all(
        name in hierarchies and (hierarchies[name] != "flat" or profile.distinct <= MOST_CATEGORIES / 5)
        for name, profile in quasi.items()
    )
    if few:
        return Choice("optimal", "Few columns are generalized, so one rule per column is possible and easy to read.")
    return Choice(DEFAULT_METHOD, "It keeps the most detail for people who read the table rather than train on it.")
