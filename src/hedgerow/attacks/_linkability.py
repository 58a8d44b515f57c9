"""Linkability: do two records without a common column belong to the same person?

M. Giomi et al., PETS 2023, section 4.2. The attacker has two tables about the same people, with different columns. The
release has all of these columns, and reveals which values occur together. The attacker sees one half of a person's
record, the other half, and the other half of somebody else, and claims which of the two belongs to the person.

**Deviations**: the paper links records with the same nearest synthetic rows, and counts the links. Here two halves are
compared by their joint probability over all published kinds of rows (:mod:`hedgerow.attacks._row_kinds`), relative to
the probability of each alone. Wrong links are possible, and are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from hedgerow._internal.arrays import Floats, Longs
from hedgerow.attacks._people import Given, generator_of, released
from hedgerow.attacks._row_kinds import RowKinds
from hedgerow.attacks.outcome import Claims, Outcome
from hedgerow.errors import BadInput, listing
from hedgerow.release import Release

__all__ = ["linkability"]

_OWNER: Final = "linkability"
_WORK: Final = 2**30
_FEWEST: Final = 2_000
_TIE: Final = 1e-6
"""Halves whose probabilities differ only by rounding are not distinguished."""


def linkability(
    release: Release | str | Path,
    members: Any,
    non_members: Any,
    *,
    first: Sequence[str] | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> Outcome:
    """Claim which of two records belongs to a person, given other columns of the person.

    Parameters
    ----------
    release : Release or path
        A release, or the path of a saved release. Its proportions are used if it publishes them.
    members, non_members : dataframe, path or File
        People who are in the table, and others of the same population, with their original values.
    first : sequence of str, optional
        The columns of the first half; by default every second column.
    random_state : int, numpy Generator or None
        Draws the other person, and the people to attack if there are too many.

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
    row_kinds = RowKinds.of(Given.of(release, members, non_members))
    names = row_kinds.names
    one, other = _halves(names, first)
    most = max(_FEWEST, _WORK // (2 * len(row_kinds.sizes) * len(names)))
    who = row_kinds.fewer(most, generator)
    inside = who < row_kinds.people.members
    claims = []
    for side in (who[inside], who[~inside]):
        own = row_kinds.codes[side]
        other_person = own[(np.arange(len(own)) + generator.integers(1, max(2, len(own)), len(own))) % len(own)]
        score = [_together(row_kinds, own[:, one], halves[:, other], one, other) for halves in (own, other_person)]
        # Two people with the same half cannot be distinguished.
        differ = (own[:, other] != other_person[:, other]).any(axis=1)
        claimed = differ & (np.abs(score[0] - score[1]) > _TIE)
        claims.append(Claims.of(claimed, score[0] > score[1]))
    main, control = claims
    remark = f"the known columns of the person: {listing([names[at] for at in one])}"
    return Outcome.of(_OWNER, "which of two is theirs", main, control, remark)


def _halves(names: Sequence[str], first: Sequence[str] | None) -> tuple[list[int], list[int]]:
    """The columns of the first and of the second record."""
    if len(names) < 2:
        raise BadInput("There is only one column, so there are no two records to link.")
    for name in first or ():
        if name not in names:
            raise BadInput.unknown("column", name, names, "It is to be in the first record.")
    half = [names.index(name) for name in first] if first else list(range(0, len(names), 2))
    other = [at for at in range(len(names)) if at not in half]
    if not other:
        raise BadInput("All columns are in the first record, so there is nothing to link. Name fewer.")
    return half, other


def _together(row_kinds: RowKinds, first: Longs, second: Longs, one: list[int], other: list[int]) -> Floats:
    """The logarithm of the joint probability of two halves, divided by the product of both probabilities."""
    logarithms = [row_kinds.logarithms(at) for at in range(len(row_kinds.names))]
    sizes = np.log(row_kinds.sizes / row_kinds.sizes.sum())
    result = np.empty(len(first))
    for start in range(0, len(first), row_kinds.at_once):
        here = slice(start, start + row_kinds.at_once)
        left = sum((logarithms[at][first[here, place]] for place, at in enumerate(one)), sizes)
        right = sum((logarithms[at][second[here, place]] for place, at in enumerate(other)), sizes)
        result[here] = _sum(left + right - sizes) - _sum(left) - _sum(right)
    return result


def _sum(logarithms: Floats) -> Floats:
    """The logarithm of the sum of each row, given the logarithms of its numbers."""
    most = logarithms.max(axis=1)
    return np.asarray(most + np.log(np.exp(logarithms - most[:, None]).sum(axis=1)))
