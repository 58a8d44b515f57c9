"""Pools: values that too few people hold are published together, under one word.

With a hierarchy, the values below a node are pooled under its label, at the lowest node where they are at least two and
have enough people. What is left, and everything without a hierarchy, is pooled as "other". A pool of a single value
would be that value, since a reader can see which values are published by themselves. So a pool has at least two values;
where that takes one more, the rarest that is published joins. If that is the missing value, the pool is published as
missing.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Bools, Ints
from hedgerow.core.coding._holders import Holders
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.io.domains import Domain
from hedgerow.io.values import SUPPRESSED_TEXT

__all__ = ["Pooling", "pooled"]

_WORDS: Final = ("other", "other values", "all other values")


@dataclass(frozen=True, eq=False)
class Pooling:
    """What each value of a domain is published as.

    Attributes
    ----------
    pool : int array (values,)
        The number of the pool of each code, missing included; -1 for values that are published by themselves.
    labels : tuple of str or None
        The label of each pool; ``None`` for the pool of missing values.
    placed : tuple of (int, str)
        The nodes of the hierarchy whose labels are published, and the label.
    """

    pool: Ints
    labels: tuple[str | None, ...] = ()
    placed: tuple[tuple[int, str], ...] = ()

    @property
    def changes(self) -> Bools:
        """The codes that are published as something else."""
        return self.pool >= 0


def pooled(
    holders: Holders,
    domain: Domain,
    least: int,
    *,
    hierarchy: EncodedHierarchy | None = None,
    only_missing: bool = False,
    avoid: Iterable[str] = (),
) -> Pooling | None:
    """Pool the values of a domain that fewer than ``least`` people hold; ``None`` if all people together are too few.

    Parameters
    ----------
    holders : Holders
        The holders of each code of the domain, in its order.
    domain : Domain
    least : int
    hierarchy : EncodedHierarchy, optional
    only_missing : bool
        Values may become missing, but no word may stand for them: the column keeps its type.
    avoid : iterable of str
        Words that mean something else.
    """
    missing = domain.missing_code
    few = holders.people < least
    rare = [code for code in np.flatnonzero(few).tolist() if code != missing]
    lacks = missing >= 0 and bool(few[missing])
    pools: list[tuple[list[int], int]] = []  # the codes of each pool, and the node whose label it has
    left = rare
    if hierarchy is not None and not only_missing:
        pools, left = _below_nodes(holders, rare, least, hierarchy)
    rest = _Rest(holders, domain, least, left, lacks=lacks)
    if not rest.gather([[code] for code in np.flatnonzero(~few).tolist()] + [codes for codes, _ in pools]):
        return None
    kept = [(codes, node) for codes, node in pools if codes not in rest.joined]
    pool = np.full(domain.size, -1, dtype=np.int32)
    placed = []
    for number, (codes, node) in enumerate(kept):
        pool[codes] = number
        placed.append((node, str(_label(hierarchy, node))))
    labels: list[str | None] = [label for _, label in placed]
    if rest.codes:
        pool[rest.codes] = len(kept)
        word = None
        if not (rest.as_missing or only_missing):
            alone = {*domain.labels[pool[: len(domain.labels)] < 0].tolist()}
            of_nodes = [] if hierarchy is None else [label for label in hierarchy.labels if label is not None]
            word = _free_word({*alone, *of_nodes, *avoid, SUPPRESSED_TEXT})
            placed.append((0, word))
        labels.append(word)
    if missing >= 0 and pool[missing] >= 0 and labels[pool[missing]] is None:
        pool[missing] = -1  # it stays what it is
    return Pooling(pool, tuple(labels), tuple(placed))


def _label(hierarchy: EncodedHierarchy | None, node: int) -> str | None:
    return None if hierarchy is None else hierarchy.labels[node]


def _below_nodes(
    holders: Holders, rare: list[int], least: int, hierarchy: EncodedHierarchy
) -> tuple[list[tuple[list[int], int]], list[int]]:
    """Pool rare values at the lowest nodes below the root that have enough of them; also what is left at the root."""
    waiting: dict[int, list[int]] = {}
    heap: list[int] = []

    def put(node: int, codes: list[int]) -> None:
        if node not in waiting:
            waiting[node] = []
            heapq.heappush(heap, -node)
        waiting[node] += codes

    for code in rare:
        put(max(int(hierarchy.parent[hierarchy.leaf_of[code]]), hierarchy.root), [code])
    pools: list[tuple[list[int], int]] = []
    # A parent has a smaller number than its children, so the children have been here before it.
    while heap:
        node = -heapq.heappop(heap)
        codes = waiting.pop(node)
        if node == hierarchy.root:
            return pools, sorted(codes)
        # One rare code alone never has enough, so a pool has at least two.
        if holders.together(codes) >= least:
            pools.append((sorted(codes), node))
        else:
            put(int(hierarchy.parent[node]), codes)
    return pools, []


class _Rest:
    """The values that no node of a hierarchy takes, and what joins them."""

    def __init__(self, holders: Holders, domain: Domain, least: int, left: list[int], *, lacks: bool) -> None:
        self._holders, self._domain, self._least = holders, domain, least
        self._missing = domain.missing_code
        self.codes = [*left, *([self._missing] if lacks else [])]
        self.as_missing = lacks and not left
        self.joined: list[list[int]] = []

    def gather(self, published: list[list[int]]) -> bool:
        """Let the rarest that are published join until there are enough; whether there are."""
        if not self.codes:
            return True
        labels = self._domain.labels

        def rarity(codes: list[int]) -> tuple[int, str]:
            first = codes[0]
            return self._holders.together(codes), "" if first == self._missing else str(labels[first])

        waiting = sorted(published, key=rarity)
        while not self._enough:
            if not waiting:
                return False
            codes = waiting.pop(0)
            self.as_missing |= codes == [self._missing]
            self.joined.append(codes)
            self.codes += codes
        return True

    @property
    def _enough(self) -> bool:
        """Whether there are enough people, and two codes: one code and missing cells would be that code."""
        if self._holders.together(self.codes) < self._least:
            return False
        return self.as_missing or sum(code != self._missing for code in self.codes) > 1


def _free_word(taken: set[str]) -> str:
    """A word for a pool that means nothing else in its column.

    >>> _free_word({"flu"}), _free_word({"Other", "flu"})
    ('other', 'other values')
    """
    used = {word.casefold() for word in taken}
    more = (f"other values {number}" for number in range(2, len(used) + 3))
    return next(word for word in (*_WORDS, *more) if word not in used)
