"""Minimality: a method that generalizes no more than it must tells by it what it had to hide.

R. C.-W. Wong, A. W.-C. Fu, K. Wang, J. Pei, "Minimality Attack in Privacy Preserving Data Publishing", VLDB 2007. The
attacker has a register of the people in the table, without sensitive values, and knows the method and what was
required. He asks what the method would have made of the people of a class had only k been asked, which needs no
sensitive value. Where it would have made several groups of them, at least one of these breaks what is required of the
sensitive column: so it holds too much of some value. What that tells of each person follows from counting the ways in
which the values of the class may be divided among the groups; here ways are drawn, and those kept that break it.

Deviations
----------
- Any method and any requirement on a column, not only l-diversity: the method is run again, the requirement asked of
  drawn groups. Where a method generalizes whole columns, it is run again on the whole register, and one broken group
  anywhere explains all. A method that learns from labels, which the attacker does not know, is replaced by Mondrian.
- Only classes are attacked of which the register tells who is in them: as many fit no tighter class as they have rows.
- Of a method that cuts, the first cut is looked at that k alone would have made: one of its sides breaks the
  requirement. That other cuts were tried too, and broke it as well, is not used: who knows the method by heart may
  find out more.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from hedgerow.arrays import Bools, Floats, Ints, Longs
from hedgerow.attacks.asking import check_sure, generator_of, released
from hedgerow.attacks.outcome import Claims, Outcome
from hedgerow.attacks.people import Valued, read_valued
from hedgerow.attacks.rerunning import Finer, finer_groups
from hedgerow.errors import BadInput, listing
from hedgerow.privacy import BoundRequirement, Context, Requirement, SensitiveColumn
from hedgerow.release import Release
from hedgerow.rounding import share_told

__all__ = ["minimality"]

_OWNER: Final = "minimality"
_ENOUGH: Final = 200
"""So many drawn ways that break the requirement tell a probability to a few percents."""
_FEWEST: Final = 20
"""Where fewer are found, nothing is said."""
_MOST_DRAWS: Final = 20_000
_CELLS: Final = 2**21
"""So many numbers are drawn together."""


def minimality(
    release: Release | str | Path,
    members: Any,
    non_members: Any,
    *,
    column: str | None = None,
    sure: float = 0.9,
    random_state: int | np.random.Generator | None = 0,
) -> Outcome:
    """Claim the sensitive values of people whose classes are larger than k alone would have made them.

    Parameters
    ----------
    release : Release or path
        With a requirement on a sensitive column, such as l-diversity; a path is that of a saved one.
    members : dataframe or path
        All people of the table, with their original quasi-identifiers and the column.
    non_members : dataframe or path
        People of the same population who are not in it; those of them who fit a class are the control.
    column : str, optional
        The sensitive column; the first that a requirement protects if not given.
    sure : float
        From which probability on a value is claimed. Values that the class alone makes so probable are not.
    random_state : int, numpy Generator or None
        Draws the ways to divide values; the same number gives the same result.

    Examples
    --------
    The paper's example, six times. Of the seven people of a town two are ill, and the release names neither street. Had
    they not lived in the same one, the streets would have been told apart. Here illness also reveals the street, which
    has to be accepted first:

    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> towns = [town for town in "abcdef" for _ in range(7)]
    >>> streets, ill = ["Elm"] * 2 + ["Oak"] * 5, ["yes"] * 2 + ["no"] * 5
    >>> people = pa.table({"town": towns, "street": streets * 6, "ill": ill * 6})
    >>> schema = hr.Schema(quasi=["town", "street"], sensitive=["ill"], accept=["ill"])
    >>> require = hr.AlphaK(0.5, 2, "ill", value="yes")
    >>> release = hr.anonymize(people, schema, require=require)
    >>> others = people.set_column(2, "ill", pa.array(["no"] * 42))
    >>> found = hr.attacks.minimality(release, people, others)
    >>> found.members.claimed >= 12, found.members.right == found.members.claimed, found.works
    (True, True, True)
    """
    check_sure(sure, _OWNER)
    generator = generator_of(random_state, _OWNER)
    release = released(release, _OWNER)
    required = _requirements(release, column)
    people = read_valued(release, members, non_members, [str(required[0].column)])
    _refuse_parts(people)
    finer = finer_groups(people, max(one.minimal_size for one in release.guarantee.requirements))
    told = _Told.of(people, finer, _bound(people, required), generator)
    guess, probability, share = told.best(finer.group, finer.of_class)
    _, index = people.distinct
    claimed = ((probability >= sure - 1e-9) & (share < sure))[index]
    right = guess[index] == people.values[:, 0]
    inside, others = people.judged
    control = others & (finer.of_class[index] >= 0)
    if not control.any():
        control = others
    return Outcome.of(
        "minimality",
        f"the value of {people.columns[0].domain.name!r}",
        Claims.of(claimed[inside], right[inside]),
        Claims.of(claimed[control], right[control]),
        *finer.remarks,
        *_surprise(told, finer, people),
    )


def _requirements(release: Release, column: str | None) -> list[Requirement]:
    """What is required of the column; of the first one that something is required of, if none is named."""
    found = [one for one in release.guarantee.requirements if one.column is not None and one.shield is None]
    if not found:
        raise BadInput(
            "Nothing is required of a sensitive column over all quasi-identifiers, so there is nothing that minimality "
            "could tell. Attack a release with l-diversity or the like."
        )
    names = list(dict.fromkeys(str(one.column) for one in found))
    if column is not None and column not in names:
        raise BadInput(f"Nothing is required of {column!r}. Name a column of which something is: {listing(names)}.")
    wanted = names[0] if column is None else column
    return [one for one in found if one.column == wanted]


def _refuse_parts(people: Valued) -> None:
    rows = int(people.release.facts["rows_in"])
    if people.members != rows:
        raise BadInput(
            f"{people.members:,} members are given, and the release was made of {rows:,} rows. Give all people of the "
            "table: who attacks minimality must know who is in each class."
        )


def _bound(people: Valued, required: list[Requirement]) -> list[BoundRequirement]:
    domain, rows = people.columns[0].domain, people.published[:, 0]
    histogram = np.bincount(rows, minlength=domain.size)
    context = Context((SensitiveColumn(domain, histogram),), len(rows))
    return [one.bind(context) for one in required]


@dataclass(frozen=True, eq=False)
class _Told:
    """What is known of the values in finer groups.

    Attributes
    ----------
    histograms : int array (classes, values)
        The published values of each class.
    by_class : mapping of class to float array (groups, values)
        How probable each value is in each finer group of a class that has some.
    """

    histograms: Longs
    by_class: dict[int, Floats]

    @classmethod
    def of(cls, people: Valued, finer: Finer, bound: list[BoundRequirement], generator: np.random.Generator) -> _Told:
        classes, values = people.classes, people.columns[0].domain.size
        key = classes.of_row.astype(np.int64) * values + people.published[:, 0]
        histograms = np.bincount(key, minlength=len(classes.codes) * values).reshape(-1, values)
        drawn = {}
        for at, sizes in finer.sizes.items():
            found = _Drawn.of(histograms[at], sizes, bound, generator)
            if found is not None:
                drawn[at] = found
        # Where one broken group anywhere is enough, a class of several may have none.
        none = float(np.prod([1 - one.broken for one in drawn.values()])) if finer.together else 0.0
        return cls(histograms, {at: one.given(none, together=finer.together) for at, one in drawn.items()})

    def best(self, group: Longs, of_class: Longs) -> tuple[Longs, Floats, Floats]:
        """The likeliest value of each tuple, its probability, and its share in the class; 0 where nothing is told."""
        guess, probability, share = np.full(len(group), -1), np.zeros(len(group)), np.zeros(len(group))
        for at, told in self.by_class.items():
            here = np.flatnonzero((of_class == at) & (group >= 0))
            own = told[group[here]]
            guess[here] = own.argmax(axis=1)
            probability[here] = own.max(axis=1)
            share[here] = (self.histograms[at] / self.histograms[at].sum())[guess[here]]
        return guess, probability, share


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Ways to divide the values of a class among finer groups: mean shares where some group breaks what is required.

    Attributes
    ----------
    broken : float
        The share of all ways in which one does.
    where_broken, elsewhere : float arrays (groups, values)
    """

    broken: float
    where_broken: Floats
    elsewhere: Floats

    @classmethod
    def of(
        cls, histogram: Longs, sizes: Longs, bound: list[BoundRequirement], generator: np.random.Generator
    ) -> _Drawn | None:
        """Draw until enough ways break it; ``None`` if hardly any does."""
        groups, values = len(sizes), len(histogram)
        codes = np.repeat(np.arange(values), histogram)
        place = np.repeat(np.arange(groups), sizes) * values
        step = max(1, min(1_000, _CELLS // max(len(codes), groups * values)))
        total, found = np.zeros((2, groups, values)), np.zeros(2, dtype=np.int64)
        while found[1] < _ENOUGH and found.sum() < _MOST_DRAWS:
            ways = generator.permuted(np.tile(codes, (step, 1)), axis=1)
            key = (np.arange(step)[:, None] * (groups * values) + place + ways).ravel()
            drawn = np.bincount(key, minlength=step * groups * values).reshape(step, groups, values)
            broken = _broken(drawn, sizes, bound)
            for at, side in enumerate((~broken, broken)):
                total[at] += drawn[side].sum(axis=0)
                found[at] += int(side.sum())
        if found[1] < _FEWEST:
            return None
        elsewhere, where_broken = total / (np.maximum(found, 1)[:, None, None] * sizes[:, None])
        return cls(found[1] / found.sum(), where_broken, elsewhere)

    def given(self, none: float, *, together: bool) -> Floats:
        """The shares, given that a group breaks it here; or, together, in this class or in another one."""
        if not together or none >= 1:
            return self.where_broken
        here = min(1.0, self.broken / (1 - none))
        return here * self.where_broken + (1 - here) * self.elsewhere


def _broken(drawn: Longs, sizes: Longs, bound: list[BoundRequirement]) -> Bools:
    """Which ways have a group that breaks something."""
    ways, groups, values = drawn.shape
    flat, repeated = drawn.reshape(ways * groups, values), np.tile(sizes, ways)
    holds = np.ones(ways * groups, dtype=bool)
    for one in bound:
        holds &= one.satisfied(repeated, flat)
    return np.asarray(~holds.reshape(ways, groups).all(axis=1))


def _surprise(told: _Told, finer: Finer, people: Valued) -> tuple[str, ...]:
    """How much the true values of members become more probable in classes of which something is told."""
    index: Ints = people.distinct[1][: people.members]
    values = people.values[: people.members, 0]
    before, after = [], []
    for at, shares in told.by_class.items():
        here = np.flatnonzero((finer.of_class[index] == at) & (finer.group[index] >= 0))
        histogram = told.histograms[at]
        before.append((histogram / histogram.sum())[values[here]])
        after.append(shares[finer.group[index[here]], values[here]])
    count = sum(map(len, before))
    if not count:
        return ("no class is coarser than k alone would have made it, or chance explains it",)
    means = [share_told(float(np.concatenate(part).mean()), count) for part in (before, after)]
    held = share_told(count / people.members, people.members)
    return (
        f"classes that k alone would have split hold {held:.0%} of members; there the probability of their true value "
        f"is {means[0]:.0%} by the class and {means[1]:.0%} by minimality, on the average",
    )
