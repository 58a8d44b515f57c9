"""Singling out: a description that fits one person of the table and nobody else, made of the release alone.

M. Giomi et al., PETS 2023, section 4.1, after A. Cohen, K. Nissim: Towards Formalizing the GDPR's Notion of Singling
Out, PNAS 2020. The attacker draws rows of ordinary values from the release, as everybody can, and looks for what is
rare in them: a value that one drawn row has, the smallest and the largest number, and several values of a row that no
other drawn row has. Each makes a description. It is right if exactly one person of the table fits it. As many people
who are not in the table are the control, for the same descriptions: rare people can be guessed without any release.

**Deviations**: of pools that name as many values as they have people each value makes a description too, since all
can conclude that one person holds it. What counts are people who are singled out, each once, and not descriptions.
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
"""So many descriptions of one value at most, and so many of several."""
_TRIES: Final = 4_000


class _Term(NamedTuple):
    """What a description says of one column: this number or value, at most, or at least."""

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
    """Describe people by what is rare in a release, and see whether exactly one person of the table fits.

    Parameters
    ----------
    release : Release or path
        A path is that of a saved one. Proportions are used if it publishes some.
    members, non_members : dataframe, path or File
        The people of the table, and others of the same population, with their original quasi-identifiers. As many of
        the ones are searched as of the others.
    random_state : int, numpy Generator or None
        Draws rows, descriptions, and the people of the larger side.

    Returns
    -------
    Outcome
        There are as many descriptions as people at most.

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
    found = (*_of_one_value(rows, people, generator), *_of_several(rows.drawn, rows.text, generator))
    sides = [np.flatnonzero(side) for side in people.judged]
    fewer = min(map(len, sides))
    said = list(dict.fromkeys(found))
    said = [said[one] for one in generator.permutation(len(said))[:fewer]]
    claims = []
    for side in sides:
        some = rows.people[side if len(side) == fewer else generator.choice(side, fewer, replace=False)]
        fits = [np.flatnonzero(_fitting(some, one)) for one in said]
        alone = [int(one[0]) for one in fits if len(one) == 1]
        # Of somebody who is singled out several times one description counts.
        right = len(set(alone))
        claims.append(Claims(fewer, len(said) - len(alone) + right, right))
    main, control = claims
    return Outcome.of("singling-out", "is the only one who fits", main, control)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Drawn rows, and people, as numbers: those of a column, or which value of text it is.

    Attributes
    ----------
    drawn, people : float arrays (rows, columns)
    text : bool array (columns,)
    labels : tuple of mappings of value to float
        What each value that people hold is as a number.
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
            # A number that cannot be drawn stays the text that was published.
            asked: Any = "derived" if kind in ("number", "date") else kind
            found = encode_column(domain.name, as_arrow(frame[domain.name]), missing=missing, kind=asked)
            known = [*found.domain.labels.tolist(), *[None] * found.domain.has_missing]
            mine = [*domain.labels.tolist(), *[None] * domain.has_missing]
            numbers = domain.numbers is not None and found.domain.numbers is not None
            if numbers:
                first, second = (np.append(one.values, np.nan) for one in (found.domain, domain))
            else:
                place = {label: float(code) for code, label in enumerate(dict.fromkeys((*known, *mine)))}
                first, second = (np.array([place[label] for label in labels]) for labels in (known, mine))
            drawn.append(first[found.codes])
            own.append(second[people.tuples[:, at]])
            text.append(not numbers)
            places.append({label: float(second[code]) for code, label in enumerate(mine)})
        return cls(np.stack(drawn, axis=1), np.stack(own, axis=1), np.array(text), tuple(places))


def _of_one_value(rows: _Rows, people: People, generator: np.random.Generator) -> list[tuple[_Term, ...]]:
    """Values that one drawn row has, the ends of numbers, and values that the pools tell one person holds."""
    found: list[tuple[_Term, ...]] = []
    proportions = people.release.proportions
    for at in range(rows.drawn.shape[1]):
        values, counts = np.unique(rows.drawn[:, at], return_counts=True)
        values, counts = values[~np.isnan(values)], counts[~np.isnan(values)]
        found += [(_Term(at, float(one)),) for one in values[counts == 1]]
        if not rows.text[at] and len(values):
            found += [(_Term(at, float(values[0]), -1),), (_Term(at, float(values[-1]), 1),)]
        if proportions is not None:
            alone = _held_by_one(proportions.columns[at])
            found += [(_Term(at, place),) for value in alone if (place := rows.labels[at].get(value)) is not None]
    if len(found) > _MOST:
        found = [found[one] for one in generator.choice(len(found), _MOST, replace=False)]
    return found


def _held_by_one(column: ColumnProportions) -> Iterator[str | None]:
    """The values of pools that name as many as they have people."""
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
    """Some values of a drawn row that no other one has; of a row one description."""
    columns = drawn.shape[1]
    if columns < 2:
        return []
    middle = np.array([0.0 if text[at] else float(np.nanmedian(_some(drawn[:, at]))) for at in range(columns)])
    found: list[tuple[_Term, ...]] = []
    for row in generator.permutation(len(drawn))[:_TRIES]:
        wanted = np.sort(generator.choice(columns, int(generator.integers(2, columns + 1)), replace=False))
        terms = []
        for at in wanted.tolist():
            value = float(drawn[row, at])
            half = not text[at] and bool(generator.integers(2))
            terms.append(_Term(at, value, (1 if value >= middle[at] else -1) if half else 0))
        if not any(np.isnan(one.value) for one in terms) and int(_fitting(drawn, terms).sum()) == 1:
            found.append(tuple(terms))
        if len(found) == _MOST:
            break
    return found


def _some(values: Floats) -> Floats:
    return values if not np.isnan(values).all() else np.zeros(1)


def _fitting(rows: Floats, terms: Any) -> Bools:
    """Which rows a description fits."""
    fits = np.ones(len(rows), dtype=bool)
    for column, value, sign in terms:
        own = rows[:, column]
        fits &= own == value if sign == 0 else sign * own >= sign * value
    return fits
