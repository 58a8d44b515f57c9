"""An attacker who has two releases and knows everything but the sensitive values, by enumeration.

The attacker knows the quasi-identifiers of everybody in both tables, who joined, who left and who stayed, and that
values do not change. A *world* says for everybody in which class of each release they are, or that they were left out,
and which value they have, so that every class has exactly the rows that were published. What holds in all worlds is
what the attacker learns. No code of the library is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

Cell = str
Class = tuple[Cell, ...]
Row = tuple[Class, str]
"""A published row: its quasi-identifiers as they are written, and its sensitive value."""


def fits(cell: Cell, value: int) -> bool:
    """Whether a number may stand in a cell: ``*``, a number, a set or an interval."""
    if cell == "*":
        return True
    if cell.startswith("{"):
        return str(value) in cell[1:-1].split("|")
    if cell.startswith("["):
        low, high = cell[1:-1].split(",")
        return float(low) <= value and (value <= float(high) if cell.endswith("]") else value < float(high))
    return float(cell) == value


@dataclass(frozen=True)
class Person:
    """What the attacker knows of somebody: the quasi-identifiers in each table, ``None`` if absent."""

    old: tuple[int, ...] | None
    new: tuple[int, ...] | None


@dataclass(frozen=True)
class Learnt:
    """What the attacker learns of somebody.

    Attributes
    ----------
    values : frozenset of str
        The values that the person may have.
    old_rows, new_rows : int
        How many rows of each release may be the person's; 0 if the person is not in that table.
    """

    values: frozenset[str]
    old_rows: int
    new_rows: int


Place = tuple[Class | None, Class | None, str]
"""The classes of a person in both releases, and the value."""


class Attacker:
    """Enumerates the worlds that two releases leave."""

    def __init__(self, people: Sequence[Person], old: Iterable[Row], new: Iterable[Row]) -> None:
        self.people = people
        self.rows = Counter(old), Counter(new)
        self._places = [list(self._possible(person)) for person in people]
        out = [sum(getattr(person, name) is not None for person in people) for name in ("old", "new")]
        self._out = out[0] - sum(self.rows[0].values()), out[1] - sum(self.rows[1].values())

    def _possible(self, person: Person) -> Iterator[Place]:
        values = sorted({value for rows in self.rows for _, value in rows})
        classes: list[list[Class | None]] = []
        for known, rows in zip((person.old, person.new), self.rows, strict=True):
            fitting: list[Class | None] = [None]
            if known is not None:
                every = sorted({group for group, _ in rows})
                fitting += [group for group in every if all(map(fits, group, known))]
            classes.append(fitting)
        for before in classes[0]:
            for after in classes[1]:
                for value in values:
                    if all(
                        one is None or rows[one, value] for one, rows in zip((before, after), self.rows, strict=True)
                    ):
                        yield before, after, value

    def learns(self, who: int) -> Learnt:
        """What holds of somebody in all worlds."""
        possible = [place for place in self._places[who] if self._exists(who, place)]
        old = {(place[0], place[2]) for place in possible if place[0] is not None}
        new = {(place[1], place[2]) for place in possible if place[1] is not None}
        return Learnt(
            frozenset(place[2] for place in possible),
            sum(self.rows[0][group, value] for group, value in old if group is not None),
            sum(self.rows[1][group, value] for group, value in new if group is not None),
        )

    def _exists(self, who: int, place: Place) -> bool:
        """Whether a world has somebody in a place."""
        order = [who, *(at for at in range(len(self.people)) if at != who)]
        options = [[place], *(self._places[at] for at in order[1:])]
        keys = [sorted(rows) for rows in self.rows]
        start = tuple(tuple(rows[key] for key in names) for rows, names in zip(self.rows, keys, strict=True))
        at_key = [{key: at for at, key in enumerate(names)} for names in keys]

        @cache
        def completes(step: int, left: tuple[tuple[int, ...], ...], out: tuple[int, ...]) -> bool:
            if step == len(order):
                return not any(map(any, left)) and not any(out)
            person = self.people[order[step]]
            for before, after, value in options[step]:
                state, missing = [list(side) for side in left], list(out)
                for side, (known, group) in enumerate(((person.old, before), (person.new, after))):
                    if group is not None:
                        state[side][at_key[side][group, value]] -= 1
                    elif known is not None:
                        missing[side] -= 1
                possible = min(missing) >= 0 and all(min(side, default=0) >= 0 for side in state)
                if possible and completes(step + 1, tuple(map(tuple, state)), tuple(missing)):
                    return True
            return False

        return completes(0, start, self._out)


def pinned(people: Sequence[Person], old: Iterable[Row], new: Iterable[Row], k: int, l: int) -> list[int]:  # noqa: E741
    """Everybody who may have fewer than l values, or fewer than k rows of a release that surely has them."""
    attacker = Attacker(people, old, new)
    found = []
    for who, person in enumerate(people):
        learnt = attacker.learns(who)
        if not learnt.values:
            raise AssertionError("there is no world at all: the releases are not of these people")
        sure: Mapping[str, bool] = {
            "old": person.old is not None and attacker._out[0] == 0,
            "new": person.new is not None and attacker._out[1] == 0,
        }
        few = (sure["old"] and learnt.old_rows < k) or (sure["new"] and learnt.new_rows < k)
        if few or len(learnt.values) < l:
            found.append(who)
    return found
