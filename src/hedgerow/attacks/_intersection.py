"""Intersection: combines two releases of the same people, each of which is safe alone.

S. R. Ganta, S. P. Kasiviswanathan, A. Smith: Composition Attacks and Auxiliary Information in Data Privacy, KDD 2008,
section 3. A person is in one class of each release, and the person's value occurs in both classes.

The attacker knows all quasi-identifiers of a person. The classes that these fit have ``m(v)`` rows of the previous
release with the columns in clear ``v``, and ``n(v)`` rows of the new release. At most ``min(m(v), n(v))`` people with
``v`` are in both, and the person is one of them, so the probability of ``v`` is proportional to that number. A value
that one of the classes lacks is impossible. If one class lies inside the other, the coarser class reveals nothing.

**Deviation**: the paper claims a value only if no other value occurs in both classes. Here a value is claimed if it is
probable enough, so that attacks that are almost certain count too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import narwhals as nw
import numpy as np

from hedgerow._internal.arrays import Floats, Ints, Longs
from hedgerow.attacks._people import Given, People, Target, check_sure, people_of, released
from hedgerow.attacks.outcome import Claims, Outcome
from hedgerow.core.counts import BadValues, encode_column, tabulate
from hedgerow.errors import BadInput, translated
from hedgerow.io.frames import as_arrow, open_frame
from hedgerow.release import Release

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["intersection"]

_OWNER: Final = "intersection"
_SLACK: Final = 1e-9
_TOGETHER: Final = 4096
"""The most distinct people in memory at once."""


def intersection(
    release: Release | str | Path,
    previous: Release | str | Path,
    members: Any,
    non_members: Any,
    *,
    column: str | None = None,
    sure: float = 0.9,
) -> Outcome:
    """Combine two releases of the same people, and claim values that both together leave probable.

    Parameters
    ----------
    release, previous : Release or path
        The new release and an earlier release, or the paths of saved releases.
    members : dataframe or path
        People who are in both tables, with their original quasi-identifiers and the column.
    non_members : dataframe or path
        People of the same population who are in neither table.
    column : str, optional
        The column in clear of the new release whose values are claimed; by default the only sensitive column, or the
        target.
    sure : float
        The least probability at which a value is claimed.

    Returns
    -------
    Outcome
        Its remarks state what each release reveals alone by the same rule.

    Examples
    --------
    Two releases with classes of four years of age, which overlap by two years:

    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> age = [20 + at % 80 for at in range(400)]
    >>> people = pa.table({"age": age, "ill": ["abcd"[one // 2 % 4] for one in age]})
    >>> others = pa.table({"age": age, "ill": ["abcd"[at % 3] for at in range(400)]})
    >>> years = [hr.hierarchies.intervals(width=4, start=start) for start in (18, 20)]
    >>> cuts = [hr.Schema(quasi=["age"], sensitive=["ill"], hierarchies={"age": one}) for one in years]
    >>> old, new = (hr.anonymize(people, one, method="optimal", k=10) for one in cuts)
    >>> hr.attacks.intersection(new, old, people, others)
    intersection: the value of 'ill', at least 90% sure
      works: excess 75.2 points (70.7 to 79.2)
      precision 100.0% - 24.8%, recall 100.0% - 24.8%, false positives 0.0% - 75.2%
      400 members, 400 others
      the new release alone: recall 0.0% - 0.0%
      the previous one alone: recall 5.0% - 1.5%
    """
    check_sure(sure, _OWNER)
    new, old = released(release, _OWNER), released(previous, _OWNER, "previous")
    name = _column(new, column)
    pair = _Pair.of(name, new, old, members, non_members)
    main, control = pair.claims(pair.both, sure)
    single = {"the new release alone": pair.claims(pair.alone(pair.new), sure)}
    remarks = []
    if name in _in_clear(old):
        single["the previous one alone"] = pair.claims(pair.alone(pair.old), sure)
    else:
        remarks.append("The previous release does not publish this column.")
    remarks += [
        f"{which}: recall {own.recall.value:.1%} - {others.recall.value:.1%}" for which, (own, others) in single.items()
    ]
    return Outcome.of("intersection", f"the value of {name!r}, at least {sure:.0%} sure", main, control, *remarks)


class _Guesses(NamedTuple):
    """The most probable value of each person, and its probability; 0 if no value is possible."""

    value: Longs
    probability: Floats

    @classmethod
    def of(cls, parts: Sequence[tuple[Longs, Floats]], index: Longs) -> _Guesses:
        value, probability = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return cls(value[index], probability[index])


@dataclass(frozen=True, eq=False)
class _Side:
    """One release: the classes that people fit, and the rows of each class by kind and by value."""

    people: People
    rows: csr_array
    values: csr_array

    @property
    def fitting(self) -> csr_array:
        return self.people.fitting

    @property
    def index(self) -> Longs:
        """The distinct tuple of each person."""
        return self.people.distinct[1].astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Both releases, and the attacked people.

    Attributes
    ----------
    new, old : _Side
        With the rows of each class by *kind*: the common columns in clear, and the value to claim. A row of the old
        release, which may lack that value, belongs to all kinds that it agrees with.
    value : sparse array (kinds, values)
        The value of each kind.
    true : int array (people,)
        The code of each person's value, -1 if the new release does not publish it.
    """

    new: _Side
    old: _Side
    value: csr_array
    true: Longs

    @classmethod
    def of(cls, name: str, new: Release, old: Release, members: Any, non_members: Any) -> _Pair:
        from scipy.sparse import csr_array

        given = Given.of(new, members, non_members, needed=(name,))
        sides = [people_of(given), people_of(given.of_release(old))]
        frames = [open_frame(new.table).frame, open_frame(old.table).frame]
        shared = [column for column in _in_clear(new) if column in _in_clear(old)]
        targets = {column: _target(column, frames[0], new) for column in dict.fromkeys((*shared, name))}
        link, before, number = _links([targets[column] for column in shared], frames, (new, old))
        held = targets[name].domain.size
        values = targets[name].codes(frames[0][name], new.guarantee.missing)
        kinds, kind = tabulate([link, values.astype(np.int32)], [number, held], len(link))
        of_link = csr_array((np.ones(len(kinds)), (kinds[:, 0], np.arange(len(kinds)))), shape=(number, len(kinds)))
        # Values that the new release does not publish share a further code.
        earlier = (
            targets[name].codes(frames[1][name], old.guarantee.missing) if name in shared else np.full(len(before), -1)
        )
        earlier = np.where(earlier < 0, held, earlier)
        true = [targets[name].codes(rows.frame[name], given.missing) for _, rows in given.sides]
        return cls(
            _Side(sides[0], _by_class(sides[0], kind, len(kinds)), _by_class(sides[0], values, held)),
            _Side(
                sides[1],
                csr_array(_by_class(sides[1], before, number) @ of_link),
                _by_class(sides[1], earlier, held + 1),
            ),
            csr_array((np.ones(len(kinds)), (np.arange(len(kinds)), kinds[:, 1]))),
            np.concatenate(true),
        )

    @cached_property
    def both(self) -> _Guesses:
        """The guesses from both releases."""
        pairs, index = np.unique(np.stack([self.new.index, self.old.index]), axis=1, return_inverse=True)
        index = index.ravel()
        parts = []
        for start in range(0, pairs.shape[1], _TOGETHER):
            first, second = pairs[:, start : start + _TOGETHER]
            own, before = self.new.fitting[first] @ self.new.rows, self.old.fitting[second] @ self.old.rows
            parts.append(_most(own.minimum(before) @ self.value))
        return _Guesses.of(parts, index)

    def alone(self, side: _Side) -> _Guesses:
        """The guesses from one release."""
        starts = range(0, side.fitting.shape[0], _TOGETHER)
        parts = [_most(side.fitting[start : start + _TOGETHER] @ side.values) for start in starts]
        return _Guesses.of(parts, side.index)

    def claims(self, guesses: _Guesses, sure: float) -> tuple[Claims, Claims]:
        """The claims about members and about others."""
        claimed = guesses.probability >= sure - _SLACK
        right = guesses.value == self.true
        main, control = (Claims.of(claimed[side], right[side]) for side in self.new.people.judged)
        return main, control


def _most(weights: csr_array) -> tuple[Longs, Floats]:
    """The heaviest value of each row, and its share of the weight; 0 for an empty row."""
    total = np.asarray(weights.sum(axis=1)).ravel()
    heaviest = np.asarray(weights.max(axis=1).todense()).ravel()
    share = np.divide(heaviest, total, out=np.zeros(len(total)), where=total > 0)
    return np.asarray(weights.argmax(axis=1)).ravel().astype(np.int64), share


def _links(
    targets: Sequence[Target], frames: Sequence[nw.DataFrame[Any]], releases: Sequence[Release]
) -> tuple[Ints, Ints, int]:
    """The code of the common columns for each new and each old row, and the number of codes."""
    lengths = [len(frame) for frame in frames]
    codes = []
    for target in targets:
        sides = zip(frames, releases, strict=True)
        codes.append(
            np.concatenate(
                [target.codes(frame[target.domain.name], release.guarantee.missing) + 1 for frame, release in sides]
            )
        )
    distinct, index = tabulate(codes, [target.domain.size + 1 for target in targets], sum(lengths))
    return index[: lengths[0]], index[lengths[0] :], max(1, len(distinct))


def _by_class(people: People, kind: Ints | Longs, kinds: int) -> csr_array:
    from scipy.sparse import csr_array

    classes = people.classes
    return csr_array((np.ones(len(kind)), (classes.of_row, kind)), shape=(len(classes.codes), kinds))


def _target(name: str, frame: nw.DataFrame[Any], release: Release) -> Target:
    values = as_arrow(frame[name])
    with translated(BadValues, into=lambda bad: bad.in_rows(values)):
        return Target(encode_column(name, values, missing=release.guarantee.missing, kind="derived").domain)


def _in_clear(release: Release) -> tuple[str, ...]:
    """The columns that a release publishes unchanged."""
    columns = release.facts["columns"]
    named = (*columns["sensitive"], columns["target"], *columns["insensitive"])
    return tuple(dict.fromkeys(name for name in named if name is not None))


def _column(release: Release, column: str | None) -> str:
    known = _in_clear(release)
    if column is not None:
        if column not in known:
            raise BadInput.unknown("column published unchanged", str(column), known, "It is to be claimed.")
        return column
    sensitive = release.facts["columns"]["sensitive"]
    if len(sensitive) == 1:
        return str(sensitive[0])
    if release.target is None:
        raise BadInput("It is not clear which column to claim. Name a published column in column=.")
    return release.target
