"""Singling out: descriptions, made from the release alone, that fit exactly one person of the table.

M. Giomi et al., PETS 2023, section 4.1, after A. Cohen, K. Nissim: Towards Formalizing the GDPR's Notion of Singling
Out, PNAS 2020. The attacker redraws rows from the release, as everybody can, and looks for rare values in them: a value
that a single row has, the smallest and the largest number, and a combination of values that no other row has. Each of
them makes a description. It is right if exactly one person of the table fits it. The control is an equal number of
people who are not in the table, with the same descriptions: rare people can be guessed without any release.

**Deviations**: if a pool names as many values as it has people, each value makes a description too, since exactly one
person holds it. Each person who is singled out counts once, not each description.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats
from hedgerow.attacks._people import Given, People, generator_of, kind_of, people_of, released
from hedgerow.attacks.outcome import Claims, Outcome
from hedgerow.core.counts import encode_column
from hedgerow.core.proportions import ColumnProportions
from hedgerow.io.frames import as_arrow
from hedgerow.release import Release

__all__ = ["singling_out"]

_OWNER: Final = "singling_out"
_MOST: Final = 1_000
"""The most descriptions by a single value, and the most by several values."""
_TRIES: Final = 4_000


class _Term(NamedTuple):
    """The condition of a description on a column: equal to a value, at most, or at least."""

    column: int
    value: float
    sign: int = 0


def singling_out(
    release: Release | str | Path,
    members: Any,
    non_members: Any,
    *,
    random_state: int | np.random.Generator | None = 0,
) -> Outcome:
    """Describe people by rare values of a release, and check whether exactly one person of the table fits.

    Parameters
    ----------
    release : Release or path
        A release, or the path of a saved release. Its proportions are used if it publishes them.
    members, non_members : dataframe, path or File
        The people of the table, and others of the same population, with their original quasi-identifiers. The same
        number of both is searched.
    random_state : int, numpy Generator or None
        Draws rows, descriptions, and the people of the larger side.

    Returns
    -------
    Outcome
        There are at most as many descriptions as people.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(1200, random_state=0).select(["age", "sex", "zip"])
    >>> schema = hr.Schema(quasi=["age", "sex", "zip"])
    >>> weak, safe = (hr.anonymize(people[:600], schema, k=k, cells="region") for k in (1, 100))
    >>> [hr.attacks.singling_out(one, people[:600], people[600:]).works for one in (weak, safe)]
    [True, False]
    """
    generator = generator_of(random_state, _OWNER)
    release = released(release, _OWNER)
    people = people_of(Given.of(release, members, non_members))
    rows = _Rows.of(people, generator)
    candidates = (*_of_one_value(rows, people, generator), *_of_several(rows.drawn, rows.text, generator))
    sides = [np.flatnonzero(side) for side in people.judged]
    fewer = min(map(len, sides))
    distinct = list(dict.fromkeys(candidates))
    descriptions = [distinct[at] for at in generator.permutation(len(distinct))[:fewer]]
    claims = []
    for side in sides:
        some = rows.people[side if len(side) == fewer else generator.choice(side, fewer, replace=False)]
        fits = [np.flatnonzero(_fitting(some, description)) for description in descriptions]
        alone = [int(people_who_fit[0]) for people_who_fit in fits if len(people_who_fit) == 1]
        # If several descriptions single out the same person, only one of them counts.
        right = len(set(alone))
        claims.append(Claims(fewer, len(descriptions) - len(alone) + right, right))
    main, control = claims
    return Outcome.of("singling-out", "is the only one who fits", main, control)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Drawn rows and people as numbers: the numbers of a column, or codes of text.

    Attributes
    ----------
    drawn, people : float arrays (rows, columns)
    text : bool array (columns,)
    labels : tuple of mappings of value to float
        The number of each value that people hold.
    """

    drawn: Floats
    people: Floats
    text: Bools
    labels: tuple[dict[str | None, float], ...]

    @classmethod
    def of(cls, people: People, generator: np.random.Generator) -> _Rows:
        from hedgerow.attacks._stacking import redrawn

        release, missing = people.release, people.release.guarantee.missing
        frame = redrawn(release, 1, generator, release.quasi)
        drawn, own, text, places = [], [], [], []
        for at, domain in enumerate(people.domains):
            kind = kind_of(release, at)
            # A number that cannot be drawn remains the published text.
            asked: Any = "derived" if kind in ("number", "date") else kind
            encoded = encode_column(domain.name, as_arrow(frame[domain.name]), missing=missing, kind=asked)
            known = [*encoded.domain.labels.tolist(), *[None] * encoded.domain.has_missing]
            mine = [*domain.labels.tolist(), *[None] * domain.has_missing]
            numbers = domain.numbers is not None and encoded.domain.numbers is not None
            if numbers:
                first, second = (np.append(numeric.values, np.nan) for numeric in (encoded.domain, domain))
            else:
                place = {label: float(code) for code, label in enumerate(dict.fromkeys((*known, *mine)))}
                first, second = (np.array([place[label] for label in labels]) for labels in (known, mine))
            drawn.append(first[encoded.codes])
            own.append(second[people.tuples[:, at]])
            text.append(not numbers)
            places.append({label: float(second[code]) for code, label in enumerate(mine)})
        return cls(np.stack(drawn, axis=1), np.stack(own, axis=1), np.array(text), tuple(places))


def _of_one_value(rows: _Rows, people: People, generator: np.random.Generator) -> list[tuple[_Term, ...]]:
    """Values that a single drawn row has, extreme numbers, and values that one person holds according to the pools."""
    descriptions: list[tuple[_Term, ...]] = []
    proportions = people.release.proportions
    for at in range(rows.drawn.shape[1]):
        values, counts = np.unique(rows.drawn[:, at], return_counts=True)
        values, counts = values[~np.isnan(values)], counts[~np.isnan(values)]
        descriptions += [(_Term(at, float(value)),) for value in values[counts == 1]]
        if not rows.text[at] and len(values):
            descriptions += [(_Term(at, float(values[0]), -1),), (_Term(at, float(values[-1]), 1),)]
        if proportions is not None:
            alone = _held_by_one(proportions.columns[at])
            places = (rows.labels[at].get(value) for value in alone)
            descriptions += [(_Term(at, place),) for place in places if place is not None]
    if len(descriptions) > _MOST:
        descriptions = [descriptions[at] for at in generator.choice(len(descriptions), _MOST, replace=False)]
    return descriptions


def _held_by_one(column: ColumnProportions) -> Iterator[str | None]:
    """The values of pools that name as many values as they have people."""
    spread = column.spread()
    people = np.bincount(
        spread.pool[spread.pool >= 0],
        np.asarray(spread.matrix.sum(axis=0)).ravel()[spread.pool >= 0],
        len(column.pools),
    )
    for held, members in zip(people.tolist(), column.pools.members, strict=True):
        if members and round(held) == len(members):
            yield from members


def _of_several(drawn: Floats, text: Bools, generator: np.random.Generator) -> list[tuple[_Term, ...]]:
    """Combinations of a drawn row's values that no other row has; at most one description per row."""
    columns = drawn.shape[1]
    if columns < 2:
        return []
    middle = np.array([0.0 if text[at] else _median(drawn[:, at]) for at in range(columns)])
    descriptions: list[tuple[_Term, ...]] = []
    for row in generator.permutation(len(drawn))[:_TRIES]:
        terms = _terms(drawn[row], text, middle, generator)
        if not any(np.isnan(term.value) for term in terms) and int(_fitting(drawn, terms).sum()) == 1:
            descriptions.append(tuple(terms))
        if len(descriptions) == _MOST:
            break
    return descriptions


def _terms(row: Floats, text: Bools, middle: Floats, generator: np.random.Generator) -> list[_Term]:
    """Describe a row by some of its columns, drawn at random; numbers exactly or as a half-line."""
    columns = len(row)
    chosen = np.sort(generator.choice(columns, int(generator.integers(2, columns + 1)), replace=False))
    terms = []
    for at in chosen.tolist():
        value = float(row[at])
        half = not text[at] and bool(generator.integers(2))
        terms.append(_Term(at, value, (1 if value >= middle[at] else -1) if half else 0))
    return terms


def _median(values: Floats) -> float:
    return 0.0 if np.isnan(values).all() else float(np.nanmedian(values))


def _fitting(rows: Floats, terms: Any) -> Bools:
    """The rows that fit a description."""
    fits = np.ones(len(rows), dtype=bool)
    for column, value, sign in terms:
        own = rows[:, column]
        fits &= own == value if sign == 0 else sign * own >= sign * value
    return fits
