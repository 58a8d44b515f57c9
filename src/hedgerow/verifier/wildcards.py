"""k when a missing or suppressed cell may stand for any value.

An attacker who knows a value cannot rule out a record that publishes ``*`` or nothing there. Two records
match if they agree wherever both publish something; the wildcard k is the smallest number of records that a
record matches, itself included. It is never below the plain k, and the plain k is the guarantee.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgerow.verifier.classes import Bools, ClassCounts, Integers, Labels, distinct

__all__ = ["wildcard_k"]


def wildcard_k(
    counts: ClassCounts, shield: Sequence[str] | None = None, suppressed: str = "*", limit: int = 50_000_000
) -> int | None:
    """Return the smallest number of records that match a record under wildcards.

    Parameters
    ----------
    counts : ClassCounts
        The classes of the table.
    shield : sequence of str, optional
        Some of the quasi-identifiers; ``None`` means all.
    suppressed : str
        The text that, besides null, matches anything.
    limit : int
        The cells that may be looked at. The work is (patterns of wildcard columns) × classes × columns.

    Returns
    -------
    int or None
        ``None`` if the limit is too low, or if a person appears in several classes (people cannot be added
        up).

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow.verifier import count_classes
    >>> wildcard_k(count_classes(pa.table({"sex": ["F", "*", "M"]}), ["sex"]))
    2
    """
    part = counts.project(shield)
    wild = np.stack([_is_wild(labels, suppressed)[part.codes[:, i]] for i, labels in enumerate(part.labels)], axis=1)
    pattern_of, first = distinct([(wild[:, i].astype(np.int8), 2) for i in range(wild.shape[1])])
    patterns = wild[first]
    if len(patterns) == 1 and not patterns.any():
        return int(part.sizes.min())
    if part.overlapping or 2 * len(patterns) * wild.size > limit:
        return None
    members = [np.flatnonzero(pattern_of == i) for i in range(len(patterns))]
    matches = np.zeros(len(part.sizes), dtype=np.int64)
    for one, here in enumerate(members):
        for other, there in enumerate(members):
            concrete = np.flatnonzero(~(patterns[one] | patterns[other]))
            matches[here] += _matching(part, here, there, concrete)
    return int(matches.min())


def _matching(part: ClassCounts, here: Integers, there: Integers, concrete: Integers) -> Integers:
    """Add up, for each class of ``here``, the sizes of those of ``there`` that agree on some columns."""
    if len(concrete) == 0:
        return np.full(len(here), part.sizes[there].sum(), dtype=np.int64)
    both = part.codes[np.concatenate([here, there])]
    key, first = distinct([(both[:, i], len(part.labels[i])) for i in concrete])
    sums = np.zeros(len(first), dtype=np.int64)
    np.add.at(sums, key[len(here) :], part.sizes[there])
    return sums[key[: len(here)]]


def _is_wild(labels: Labels, suppressed: str) -> Bools:
    return np.array([label is None or label == suppressed for label in labels], dtype=np.bool_)
