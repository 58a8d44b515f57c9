"""Linkability: do two records, which have no column in common, belong to the same person?

M. Giomi et al., PETS 2023, section 4.2. The attacker has two tables about the same people, one with some columns and
one with the others. The release has all of them, and tells which values go together. He is shown one half of a person,
the other half, and that of somebody else, and says which of the two is the person's.

**Deviations**: the paper links records whose nearest synthetic rows are the same ones, and counts links that are found.
Here two halves are compared by how probable they are together, over all kinds of rows that are published
(:mod:`hedgerow.attacks._everything`), relative to how probable each is alone. A wrong link is possible, and is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.attacks._everything import Everything
from hedgerow.attacks._people import Given, generator_of, released
from hedgerow.attacks.outcome import Claims, Outcome
from hedgerow.errors import BadInput, listing
from hedgerow.release import Release

__all__ = ["linkability"]

_OWNER: Final = "linkability"
_WORK: Final = 2**30
_FEWEST: Final = 2_000
_TIE: Final = 1e-6
"""Halves that are as probable, but for rounding, are not told apart."""


def linkability(
    release: Release | str | Path,
    members: Any,
    non_members: Any,
    *,
    first: Sequence[str] | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> Outcome:
    """Claim which of two records is that of a person of whom other columns are known.

    Parameters
    ----------
    release : Release or path
        A path is that of a saved one. Proportions are used if it publishes some.
    members, non_members : dataframe, path or File
        People who are in the table, and others of the same population, with their original values.
    first : sequence of str, optional
        The columns of the one half; every other column if not given.
    random_state : int, numpy Generator or None
        Draws who else is shown, and which people are asked about where there are too many.

    Returns
    -------
    Outcome
        By chance half of the claims are right.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(1200, random_state=0).select(["age", "sex", "zip", "education"])
    >>> schema = hr.Schema(quasi=["age", "sex", "zip", "education"])
    >>> weak, safe = (hr.anonymize(people[:600], schema, k=k, cells="region") for k in (2, 100))
    >>> [hr.attacks.linkability(one, people[:600], people[600:]).works for one in (weak, safe)]
    [True, False]
    """
    generator = generator_of(random_state, _OWNER)
    release = released(release, _OWNER)
    everything = Everything.of(Given.of(release, members, non_members))
    names = everything.names
    if len(names) < 2:
        raise BadInput("There is one column only, so that there are no two records to link.")
    for name in first or ():
        if name not in names:
            raise BadInput.unknown("column", name, names, "It is to be in the one record.")
    one = [names.index(name) for name in first] if first else list(range(0, len(names), 2))
    other = [at for at in range(len(names)) if at not in one]
    if not other:
        raise BadInput("All columns are in the one record, so that there is none to link. Name fewer.")
    most = max(_FEWEST, _WORK // (2 * len(everything.sizes) * len(names)))
    who = everything.fewer(most, generator)
    inside = who < everything.people.members
    claims = []
    for side in (who[inside], who[~inside]):
        own = everything.codes[side]
        other_person = own[(np.arange(len(own)) + generator.integers(1, max(2, len(own)), len(own))) % len(own)]
        score = [_together(everything, own[:, one], halves[:, other], one, other) for halves in (own, other_person)]
        # Who shows the same half is no other person.
        differ = (own[:, other] != other_person[:, other]).any(axis=1)
        claimed = differ & (np.abs(score[0] - score[1]) > _TIE)
        claims.append(Claims.of(claimed, score[0] > score[1]))
    main, control = claims
    remark = f"the columns that are known of the person: {listing([names[at] for at in one])}"
    return Outcome.of(_OWNER, "which of two is theirs", main, control, remark)


def _together(everything: Everything, first: Longs, second: Longs, one: list[int], other: list[int]) -> Floats:
    """The logarithm of how much more probable two halves are together than one beside the other."""
    logarithms = [everything.logarithms(at) for at in range(len(everything.names))]
    sizes = np.log(everything.sizes / everything.sizes.sum())
    result = np.empty(len(first))
    for start in range(0, len(first), everything.at_once):
        here = slice(start, start + everything.at_once)
        left = sum((logarithms[at][first[here, place]] for place, at in enumerate(one)), sizes)
        right = sum((logarithms[at][second[here, place]] for place, at in enumerate(other)), sizes)
        result[here] = _sum(left + right - sizes) - _sum(left) - _sum(right)
    return result


def _sum(logarithms: Floats) -> Floats:
    """The logarithm of the sum of each row, of numbers of which logarithms are given."""
    most = logarithms.max(axis=1)
    return np.asarray(most + np.log(np.exp(logarithms - most[:, None]).sum(axis=1)))
