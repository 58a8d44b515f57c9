"""Membership: is a person with known quasi-identifiers in the table?

Being in a table of patients reveals that a person was ill, whatever the rows contain. The attacker has a register of
people, and a release. A person who fits no class is not in the table. The n people of a class are some of the N people
of the register who fit it, so each of these is in the class with probability n/N; published proportions make some of
them more probable. Tight cells reveal more: among those who hold a value that a set names, or the lower end of a range,
at least one person is in the class; if only one person of the register holds it, that person is identified.

Even a release that everybody fits reveals something to an attacker with the whole register: how many of those who fit a
class are in it. The smaller the classes, the more these shares differ by chance.

The attacker learns the probability at which to claim membership from other people whose membership is known. People
with the same values are never among these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow._internal.rounding import share_told
from hedgerow.attacks._people import Valued, generator_of, read_valued, released
from hedgerow.attacks.outcome import Outcome
from hedgerow.core.cells import Interval, Suppressed, read, stands_for
from hedgerow.core.counts import tabulate
from hedgerow.core.proportions import Proportions
from hedgerow.errors import BadInput
from hedgerow.release import Release
from hedgerow.risk import KnownColumn, LabelPosterior, PublishedClasses, Risk

__all__ = ["membership"]

_OWNER: Final = "membership"
_PAIRS: Final = 2**24
"""The most pairs of a person and a class in memory at once."""
_ALMOST: Final = 1 - 1e-9
"""The largest probability, so that logarithms are finite."""


def membership(
    release: Release | str | Path,
    members: Any,
    non_members: Any,
    *,
    knowing: str | Sequence[str] = (),
    random_state: int | np.random.Generator | None = 0,
) -> Outcome:
    """Claim that people are in the table.

    Parameters
    ----------
    release : Release or path
        A release, or the path of a saved release. Its proportions are used if it publishes them.
    members : dataframe or path
        People who are in the table, with their original quasi-identifiers: all of them, or a random part.
    non_members : dataframe or path
        People of the same population who are not in the table.
    knowing : str or sequence of str
        Columns in clear that the attacker also knows, such as the target.
    random_state : int, numpy Generator or None
        Draws the folds; the same number gives the same result.

    Returns
    -------
    Outcome
        There is one claim, "is in the table". It is always right for members and never for the control, so precision
        and recall of one side mean nothing by themselves. The excess is the share of members with a claim minus that of
        others, true minus false positives. The remarks state the precision for equal numbers of members and others, and
        the area under the curve of true and false positives.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(2000, random_state=0).select(["age", "sex", "zip"])
    >>> release = hr.anonymize(people[:1000], hr.Schema(quasi=["age", "sex", "zip"]), k=3)
    >>> found = hr.attacks.membership(release, people[:1000], people[1000:])
    >>> found.works, found.control.right
    (True, 0)
    """
    generator = generator_of(random_state, _OWNER)
    release = released(release, _OWNER)
    people = read_valued(release, members, non_members, _named(knowing))

    from hedgerow.attacks._stacking import folds_of

    scores, index = _scores(people)
    inside = np.arange(len(index)) < people.members
    claimed = _claimed(scores[index], inside, folds_of(people.distinct[1], generator))
    judged = people.judged
    main, control = (claimed[side] for side in judged)
    fits = scores[index, 0] > 0
    area = max(_area(score[index[people.counted]], inside[people.counted]) for score in scores.T)
    fewer = min(len(main), len(control))
    return Outcome.of_membership(
        "membership",
        "is in the table",
        main,
        control,
        _precision(Risk.share(int(main.sum()), len(main)), Risk.share(int(control.sum()), len(control)), fewer),
        f"area under the curve: {share_told(area, fewer)} (0.5 is chance)",
        f"fit a class: {share_told(fits[judged[0]].mean(), fewer):.0%} of members, "
        f"{share_told(fits[judged[1]].mean(), fewer):.0%} of others",
    )


def _named(knowing: object) -> tuple[str, ...]:
    names = (knowing,) if isinstance(knowing, str) else knowing
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise BadInput.parameter("knowing", _OWNER, "a column or a list of columns", type(knowing).__name__)
    return tuple(dict.fromkeys(names))


def _precision(members: Risk, others: Risk, people: int) -> str:
    both = members.value + others.value
    if not both:
        return "nothing is claimed of anybody"
    return f"precision where members and others are equally many: {share_told(members.value / both, people):.0%}"


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of points, which are the attacker's knowledge about a person, and classes that they fit.

    Attributes
    ----------
    point, of_class : int arrays (pairs,)
    chance : float array (pairs,)
        The probability that a person at the point belongs to the class.
    """

    point: Longs
    of_class: Longs
    chance: Floats


def _scores(people: Valued) -> tuple[Floats, Longs]:
    """The scores of each point for membership, by full classes, by tight cells too, and by proportions.

    A point is the attacker's knowledge about a person. The point of each person is returned as well.
    """
    known = [people.known(at) for at in range(len(people.domains))]
    held, value_of_person = _held(people)
    distinct, index = people.distinct
    # Values that nobody in the table has share a further code, which fits no class.
    points, point_of_person = tabulate([index, value_of_person], [len(distinct), held.shape[1] + 1], len(index))
    tuples, value = distinct[points[:, 0]], points[:, 1]
    records = np.bincount(point_of_person, minlength=len(points))

    def divided(proportions: Proportions | None) -> _Pairs:
        published = PublishedClasses(people.classes.texts, people.classes.codes, held)
        posterior = LabelPosterior.of_classes(published, known, proportions)
        return _divided(_fitting(posterior, tuples), posterior.people, value, records)

    plain = divided(None)
    chances = [plain.chance, _with_edges(plain, people, known, tuples, records)]
    scores = [np.bincount(plain.point, chance, len(points)) for chance in chances]
    if people.release.proportions is not None:
        by_proportions = divided(people.release.proportions)
        scores.append(np.bincount(by_proportions.point, by_proportions.chance, len(points)))
    return np.stack(scores, axis=1), point_of_person.astype(np.int64)


def _held(people: Valued) -> tuple[Longs, Ints]:
    """The number of people in each class with each known value, (classes, values), and the value of each person."""
    classes = people.classes
    both = np.concatenate([people.published, people.values])
    sizes = [column.domain.size + 1 for column in people.columns]
    combined, number = tabulate([both[:, at] + 1 for at in range(len(sizes))], sizes, len(both))
    rows = len(people.published)
    used, published = np.unique(number[:rows], return_inverse=True)
    place = np.full(len(combined), len(used), dtype=np.int32)
    place[used] = np.arange(len(used))
    key = classes.of_row.astype(np.int64) * len(used) + published
    held = np.bincount(key, minlength=len(classes.codes) * len(used)).reshape(-1, len(used))
    return held, place[number[rows:]]


def _fitting(posterior: LabelPosterior, tuples: Any) -> _Pairs:
    """The classes that each point fits, and the log-probability of its values there."""
    classes = len(posterior.people)
    points = [column.point[tuples[:, at]] for at, column in enumerate(posterior.columns)]
    step = max(1, _PAIRS // classes)
    found = []
    for start in range(0, len(tuples), step):
        some = [own[start : start + step] for own in points]
        bits = posterior.columns[0].bits[some[0]]
        for column, own in zip(posterior.columns[1:], some[1:], strict=True):
            bits &= column.bits[own]
        asked, matched = np.nonzero(np.unpackbits(bits, axis=1, count=classes))
        weight = np.zeros(len(asked))
        for column, own in zip(posterior.columns, some, strict=True):
            weight += column.logarithms(matched, own[asked])
        found.append((asked + start, matched, weight))
    return _Pairs(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _divided(fits: _Pairs, people: Longs, value: Any, records: Longs) -> _Pairs:
    """Divide the people of each class and value among those of the register who fit it and have the value."""
    values = people.shape[1]
    kept = value[fits.point] < values
    point, of_class, weight = fits.point[kept], fits.of_class[kept], fits.chance[kept]
    key = of_class * values + value[point]
    highest = np.full(people.size, -np.inf)
    np.maximum.at(highest, key, weight)
    # The largest product in each class becomes 1, so that products of many shares do not vanish.
    likely = np.exp(weight - highest[key])
    among = np.bincount(key, likely * records[point], people.size)
    chance = people.ravel()[key] * likely / among[key]
    some = chance > 0
    return _Pairs(point[some], of_class[some], chance[some])


def _with_edges(pairs: _Pairs, people: Valued, known: Sequence[KnownColumn], tuples: Any, records: Longs) -> Floats:
    """The probabilities of pairs, given that at least one person of a class holds each value that its cells name."""
    cells = people.classes
    chance = np.minimum(pairs.chance, _ALMOST)
    nobody = np.log1p(-chance) * records[pairs.point]
    surest = chance
    for at, column in enumerate(known):
        size = column.domain.size
        code = tuples[pairs.point, at]
        held = _named_by_cells(cells.texts[at], column)[cells.codes[pairs.of_class, at], code]
        key = pairs.of_class * size + code
        none = np.bincount(key, nobody, len(cells.codes) * size)[key]
        surest = np.where(held, np.maximum(surest, chance / -np.expm1(none)), surest)
    return surest


def _named_by_cells(texts: Sequence[str | None], known: KnownColumn) -> Bools:
    """The values that somebody holds according to published cells, (cells, values): members of sets, ends of ranges."""
    domain = known.domain
    code_of = {label: code for code, label in enumerate(domain.labels.tolist())}
    named = np.zeros((len(texts), domain.size), dtype=bool)
    for at, text in enumerate(texts):
        if text is None or text in known.vague or text in known.below:
            continue
        possible = stands_for(read(text, domain.kind, known.below))
        if isinstance(possible, Suppressed):
            continue
        if isinstance(possible, Interval):
            numbers = domain.values
            named[at, : len(numbers)] = (numbers == possible.low) | (possible.closed & (numbers == possible.high))
        else:
            named[at, [code_of[value] for value in possible if value in code_of]] = True
    return named


def _claimed(scores: Floats, inside: Bools, folds: Longs) -> Bools:
    """Whether membership is claimed of each person, by the best score and threshold for people of other folds."""
    claimed = np.zeros(len(inside), dtype=bool)
    for fold in np.unique(folds):
        here, others = folds == fold, folds != fold
        if not inside[others].any() or inside[others].all():
            continue  # nobody to learn from, so nothing is claimed
        best = [_threshold(score[others], inside[others]) for score in scores.T]
        at = max(range(len(best)), key=lambda column: best[column][0])
        claimed[here] = scores[here, at] >= best[at][1]
    return claimed


def _threshold(score: Floats, inside: Bools) -> tuple[float, float]:
    """The largest difference of true and false positives over all thresholds, and its threshold.

    >>> _threshold(np.array([0.1, 0.2, 0.9]), np.array([False, True, True]))
    (1.0, 0.2)
    """
    levels, index = np.unique(score, return_inverse=True)
    members = np.bincount(index[inside], minlength=len(levels))[::-1].cumsum() / inside.sum()
    others = np.bincount(index[~inside], minlength=len(levels))[::-1].cumsum() / (~inside).sum()
    gain = members - others
    at = int(gain.argmax())
    return (float(gain[at]), float(levels[::-1][at])) if gain[at] > 0 else (0.0, np.inf)


def _area(score: Floats, inside: Bools) -> float:
    """The probability that a member has a higher score than somebody else; equal scores count half.

    >>> _area(np.array([0.1, 0.2, 0.2]), np.array([False, False, True]))
    0.75
    """
    levels, index = np.unique(score, return_inverse=True)
    members, others = (np.bincount(index[side], minlength=len(levels)) for side in (inside, ~inside))
    below = others.cumsum() - others / 2
    return float((members * below).sum() / (members.sum() * others.sum()))
