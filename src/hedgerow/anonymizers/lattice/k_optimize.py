"""K-Optimize: the best global recoding by split points, found by a set-enumeration search, with proof or with its gap.

The values of every column are in an order, and an anonymization is a set of split points between neighbouring values.
The search starts without any split point. A node has a *head*, the points that are set, and a *tail*, the points that
may still be set. A lower bound for all sets between them prunes nodes and single points of the tail. The cost is
discernibility or the classification cost, and the records of classes that violate a requirement are suppressed.

R. Bayardo, R. Agrawal: Data Privacy through Optimal k-Anonymization, ICDE 2005.

Deviations
----------
- The paper's full text was not at hand. This was written from the published description of the algorithm as it is
  widely known: the representation by split points, the two costs with suppression, the head and the tail, the lower
  bounds, useless values, and the reordering of the tail.
- The paper walks the tree depth first. Here the node with the lowest bound is next, so that a search that is stopped
  has proved the highest bound. A node is divided into the sets with one point of the tail and those without it: these
  are the nodes of the set-enumeration tree, which are generated one at a time.
- Before the search, points are set and taken back one by one while the cost falls. This gives a good bound to prune by;
  the optimum does not depend on it.
- A point is useless if every set with it costs at least as much as the same set without it; the proof of this is in
  :func:`hedgerow.anonymizers.lattice._split_kernels.useful`. Where suppression is not allowed, a point that leads to a
  class that must be suppressed is removed from the tail, as no set that contains it is allowed.
- In the paper any number of records may be suppressed. Here ``suppression_limit`` bounds them, and none may be by
  default. Each costs as many as the table has records, or 1 by classification, as in the paper.
- A column with many values has at most ``most_points`` split points, which divide its records evenly. The paper merges
  ages and other numbers beforehand, too.
- A category with a hierarchy is in the order of its leaves. A part need not be a node of the hierarchy.
- All requirements are supported that hold for a union of classes if they hold for each. Each class of all
  quasi-identifiers has to satisfy them, whatever their shields are. If a requirement compares classes with the whole
  table, no record is suppressed.
- The weights of columns have no effect: neither cost depends on columns.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Longs
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.lattice import _split_kernels as kernels
from hedgerow.anonymizers.lattice._kernels import group, lift
from hedgerow.anonymizers.lattice._levels import layout
from hedgerow.anonymizers.lattice._options import Deadline
from hedgerow.anonymizers.lattice._split_kernels import BOUND, COST, FIRM, LOST, SPLITS, USEFUL, Items, Rules, Tail
from hedgerow.anonymizers.lattice._split_points import (
    CutColumn,
    histograms_beside,
    labels_of,
    ordered_column,
    publish_cuts,
)
from hedgerow.anonymizers.parameters import Presets, choice, number
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput, Infeasible, plural
from hedgerow.requirements import PackedRequirements, Requirement, context_of, pack

__all__ = ["KOptimize", "SplitPointSearch"]

# A cost that no set has.
_NONE: Final = 2**63 - 1
# Local searches, whose starts the seed decides.
_CLIMBS: Final = 20
_SEED: Final = 0
# Every so many nodes, one is divided down to its end.
_DIVE: Final = 8


class KOptimize(Anonymizer):
    """The best recoding by split points, for discernibility or classification; with proof, or with the gap to it.

    The recoding's facts say whether the optimum is ``proved``, the ``cost``, its ``value``, the highest ``bound`` that
    is proved for all recodings, the relative ``gap`` between both, how many ``nodes`` were evaluated, and how many
    ``split_points`` there are and are ``set``.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 21, 30, 31, 32, 60]})
    >>> release = hr.KOptimize(k=2).anonymize(people, hr.Schema(quasi=["age"]))
    >>> sorted(release.table["age"].to_pylist())
    ['[20,30)', '[20,30)', '[30,32)', '[30,32)', '[32,60]', '[32,60]']
    >>> release.facts["proved"], release.facts["value"]
    (True, 12.0)
    """

    name = "k-optimize"
    family = "lattice"
    suppression_by = "itself"
    paper = "Bayardo, Agrawal (ICDE 2005)"
    presets: ClassVar[Presets] = {"paper": {"suppression_limit": 1.0}}

    cost: Literal["discernibility", "classification"] = choice(
        "What the best recoding minimizes; classification needs a target."
    )
    most_points: int = number(
        "The most split points of a column. Between more values, those are taken that divide the records evenly.",
        default=31,
        least=1,
        whole=True,
        trials=(3,),
    )
    max_nodes: int = number(
        "Nodes after which the search stops. The best recoding so far is released, with the gap that is proved.",
        default=1_000,
        least=1,
        whole=True,
        trials=(20,),
    )
    time_limit: float | None = number(
        "Seconds after which the search stops, in the same way.", default=None, least=0, trials=(60.0,)
    )

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        target = labels_of(counts, type(self).__name__) if self.cost == "classification" else None
        space = SplitSpace.of(counts, requirements, self._may_lose(counts), self.most_points, target)
        search = SplitPointSearch(space, self.max_nodes, Deadline(self.time_limit))
        search.run()
        return _published(self.cost, counts, space, search)


def _published(cost: str, counts: FrequencyTable, space: SplitSpace, search: SplitPointSearch) -> Recoding:
    rows = 1 if cost == "discernibility" else counts.rows
    best, bound = search.best / rows, search.bound / rows
    proved = search.bound == search.best
    gap = 0.0 if proved else (best - bound) / best
    warnings = []
    if not proved:
        warnings.append(
            f"The search stopped after {plural(search.nodes, 'nodes')}: the cost is at most {gap:.1%} above the best."
        )
    cuts = [
        CutColumn(column, column.parts(search.chosen[space.points_of(at)])) for at, column in enumerate(space.columns)
    ]
    return publish_cuts(
        "k-optimize",
        counts,
        cuts,
        lost=space.lost(search.chosen),
        facts={
            "proved": proved,
            "cost": cost,
            "value": best,
            "bound": bound,
            "gap": gap,
            "nodes": search.nodes,
            "split_points": space.points,
            "set": int(search.chosen.sum()),
        },
        warnings=warnings,
    )


# --------------------------------------------------------------------------------------------------
# The table under sets of split points.


class _Demands(NamedTuple):
    """The requirements as arrays: all of them, and the part that no further record in a class breaks."""

    rules: Rules
    packed: PackedRequirements | None
    firm: PackedRequirements | None


class _Rows(NamedTuple):
    """The records that are alike if some points are set."""

    points: Bools
    keys: Longs  # (rows, words): the packed segments, counted among these points
    sizes: Longs
    histograms: Longs


class SplitSpace:
    """The split points of a table, and the classes that a set of them leads to.

    Attributes
    ----------
    columns : list of OrderedColumn
    points : int
        How many split points there are, column after column.
    allowance : int
        How many records may be lost.
    """

    def __init__(
        self, counts: FrequencyTable, demands: _Demands, allowance: int, most_points: int, histograms: Longs
    ) -> None:
        self.columns = [ordered_column(counts, name, most_points) for name in counts.quasi]
        self.allowance = allowance
        self._first = np.cumsum([0, *(len(column.points) for column in self.columns)])
        self.points = int(self._first[-1])
        self._column = np.repeat(np.arange(len(self.columns)), np.diff(self._first))
        self.demands = demands
        self._word, self._shift, self._mask = layout([len(column.points) + 1 for column in self.columns])
        keys = np.zeros((len(counts.tuples), int(self._word.max(initial=0)) + 1), dtype=np.int64)
        for at, column in enumerate(self.columns):
            keys[:, self._word[at]] |= column.segments[counts.tuples[:, at]] << self._shift[at]
        keys, sizes, self._item_of_tuple = group(keys, counts.tuple_sizes)
        held = kernels.add_rows(histograms, self._item_of_tuple, len(sizes))
        self._finest = _Rows(np.ones(self.points, dtype=bool), keys, sizes, held)
        self._recent = self._narrow = self._finest

    @classmethod
    def of(
        cls,
        counts: FrequencyTable,
        requirements: Sequence[Requirement],
        allowance: int,
        most_points: int,
        target: str | None,
    ) -> SplitSpace:
        """Bind the requirements, and count the labels and sensitive values of every tuple."""
        for requirement in requirements:
            if not requirement.monotone:
                raise BadInput(
                    f"KOptimize cannot take {requirement}: a union of classes that satisfy a requirement must satisfy "
                    "it. Use another method."
                )
        if any(requirement.compares for requirement in requirements):
            allowance = 0
        context = context_of(counts, requirements)
        bound = [requirement.bind(context) for requirement in requirements]
        # If nothing may be lost, a violating class has a violating part under any further split.
        firm = [
            one if requirement.kept_by_more or not allowance else replace(one, formula=None)
            for one, requirement in zip(bound, requirements, strict=True)
        ]
        packed, firm_packed = pack(bound, context), pack(firm, context)
        rules = Rules(
            rows=counts.rows,
            labels=0 if target is None else counts.domains[target].size,
            least=packed.minimal_size,
            firm_least=firm_packed.minimal_size,
            same=len(packed.kind) == len(firm_packed.kind),
        )
        names = ([] if target is None else [target]) + [column.domain.name for column in context.columns]
        demands = _Demands(rules, packed.formulas, firm_packed.formulas)
        return cls(counts, demands, allowance, most_points, histograms_beside(counts, names, "KOptimize"))

    def points_of(self, column: int) -> slice:
        """The points of a column among all points."""
        return slice(int(self._first[column]), int(self._first[column + 1]))

    def items(self, head: Bools, tail: Bools) -> tuple[Items, Tail]:
        """The records that are alike if all points of head and tail are set, sorted by the classes of the head."""
        kept = head | tail
        rows = self._recent = self._rows(kept)
        _, records, of_class = self._merged(rows, head)
        order = np.argsort(of_class, kind="stable")
        begin = np.concatenate([[0], np.cumsum(np.bincount(of_class, minlength=len(records)))]).astype(np.int64)
        fields = [(rows.keys[order, self._word[at]] >> self._shift[at]) & self._mask[at] for at in self._each]
        sizes, histograms = rows.sizes[order], rows.histograms[order]
        floors = kernels.floors(sizes, histograms, self.demands.rules)
        segments = np.ascontiguousarray(np.stack(fields, axis=1))
        return Items(segments, sizes, floors, histograms, begin), self._tail(kept, tail)

    def narrow(self, points: Bools) -> None:
        """From now on, nearly all sets have only some of these points: count them from fewer rows."""
        self._narrow = self._rows(points)

    @property
    def _each(self) -> range:
        return range(len(self.columns))

    def _rows(self, points: Bools) -> _Rows:
        """The rows that are left if only some points are kept, from the fewest known rows that still differ by them."""
        known = [rows for rows in (self._recent, self._narrow, self._finest) if not (points & ~rows.points).any()]
        base = min(known, key=lambda rows: len(rows.sizes))
        if (points == base.points).all():
            return base
        keys, sizes, index = self._merged(base, points)
        return _Rows(points.copy(), keys, sizes, kernels.add_rows(base.histograms, index, len(sizes)))

    def _merged(self, base: _Rows, points: Bools) -> tuple[Longs, Longs, Longs]:
        """Group rows by the segments that are left if only some points are kept."""
        places = map(self.points_of, self._each)
        maps = [np.concatenate([[0], np.cumsum(points[at][base.points[at]])]).astype(np.int64) for at in places]
        starts = np.cumsum([0, *map(len, maps)], dtype=np.int64)[:-1]
        keys = lift(base.keys, self._word, self._shift, self._mask, starts, np.concatenate(maps))
        return group(keys, base.sizes)

    def _tail(self, kept: Bools, tail: Bools) -> Tail:
        """The points of the tail after the segments that head and tail lead to."""
        segments = np.bincount(self._column[kept], minlength=len(self.columns)) + 1
        start = np.concatenate([[0], np.cumsum(segments)]).astype(np.int64)
        point = np.full(int(start[-1]), -1, dtype=np.int64)
        places = np.arange(int(kept.sum())) + self._column[kept]
        point[places] = np.where(tail[kept], np.flatnonzero(kept), -1)
        return Tail(start, point, self.points)

    def lost(self, chosen: Bools) -> Bools | None:
        """Which tuples are lost if these points are set; ``None`` if none is."""
        _, sizes, of_item = self._merged(self._finest, chosen)
        held = kernels.add_rows(self._finest.histograms, of_item, len(sizes))
        rules, packed, _ = self.demands
        lost = kernels.failing(sizes, held, rules, packed)
        return lost[of_item][self._item_of_tuple] if lost.any() else None


# --------------------------------------------------------------------------------------------------
# The search.


@dataclass(frozen=True, eq=False)
class _Node:
    """All sets of points that contain the head, and beyond it only points of the tail."""

    head: Bools
    tail: Bools


class _Facts(NamedTuple):
    """What is known of the head (facts), and of each point of the tail (points, facts)."""

    head: Longs
    points: Longs


# The bound of a node, minus the points of its head, a number that no other has, and its head and tail.
_Entry = tuple[int, int, int, bytes, bytes]


class SplitPointSearch:
    """The search for the set of split points with the lowest cost.

    Parameters
    ----------
    space : SplitSpace
    max_nodes : int
    deadline : Deadline

    Attributes
    ----------
    best : int
        The lowest cost so far.
    chosen : bool array (points,)
        Its split points.
    bound : int
        A proved lower bound of all costs; the best cost if the search came to its end.
    nodes : int
        How many nodes were evaluated.
    """

    def __init__(self, space: SplitSpace, max_nodes: int, deadline: Deadline) -> None:
        self._space = space
        self._most, self._deadline = max_nodes, deadline
        self.nodes = 0
        self.best = _NONE
        self.chosen: Bools = np.zeros(space.points, dtype=bool)
        self.bound = 0

    def run(self) -> None:
        """Search until the optimum is proved or a limit is reached."""
        none, every = np.zeros(self._space.points, dtype=bool), np.ones(self._space.points, dtype=bool)
        facts = self._evaluate(_Node(none, every))
        if facts.head[LOST] > self._space.allowance:
            raise Infeasible("Not even one class of all records meets the requirements. Lower the requirement.")
        self.bound = int(facts.head[BOUND])
        self._climb()
        if not self._stopped:
            self._enumerate(_Node(none, every))

    @property
    def _stopped(self) -> bool:
        return self.nodes >= self._most or self._deadline.passed

    def _evaluate(self, node: _Node) -> _Facts:
        """Scan a node, and remember its head or a set with one more point if that is the best so far."""
        self.nodes += 1
        items, tail = self._space.items(node.head, node.tail)
        rules, packed, firm = self._space.demands
        head = kernels.totals(items, rules, packed, firm)
        points = kernels.scan(items, tail, rules, packed, firm)
        points[:, :SPLITS] += head[:SPLITS]
        point, cost = self._cheapest(points, node.tail)
        if cost < self.best:
            self.best, self.chosen = cost, _with(node.head, point)
        if head[COST] < self.best and head[LOST] <= self._space.allowance:
            self.best, self.chosen = int(head[COST]), node.head.copy()
        return _Facts(head, points)

    def _climb(self) -> None:
        """Search locally from no point, from single points, and from parts of the best set."""
        random, none = np.random.default_rng(_SEED), np.zeros(self._space.points, dtype=bool)
        self._climb_from(none)
        for attempt in range(_CLIMBS):
            if self._stopped or self.nodes > self._most // 2:
                return
            single = attempt % 2 == 0 and self._space.points > 0
            start = _with(none, int(random.integers(self._space.points))) if single else self.chosen
            self._climb_from(start if single else start & (random.random(self._space.points) < random.random()))

    def _climb_from(self, chosen: Bools) -> None:
        """Set points one by one while the cost falls, and then exchange one for another while it falls."""
        cost = _NONE
        while not self._stopped:
            facts = self._evaluate(_Node(chosen, ~chosen))
            if facts.head[LOST] <= self._space.allowance:
                cost = int(facts.head[COST])
            point, lower = self._cheapest(facts.points, ~chosen)
            if lower < cost:
                chosen, cost = _with(chosen, point), lower
            else:
                exchanged = self._exchanged(chosen, cost)
                if exchanged is None:
                    return
                chosen = exchanged

    def _exchanged(self, chosen: Bools, cost: int) -> Bools | None:
        """The same points but for one, or with another instead of it, if that has a lower cost."""
        for taken in np.flatnonzero(chosen).tolist():
            if self._stopped:
                return None
            without = chosen.copy()
            without[taken] = False
            facts = self._evaluate(_Node(without, ~without))
            point, lower = self._cheapest(facts.points, ~without)
            if lower < cost:
                return _with(without, point)
            if facts.head[COST] < cost and facts.head[LOST] <= self._space.allowance:
                return without
        return None

    def _cheapest(self, points: Longs, tail: Bools) -> tuple[int, int]:
        """The point of the tail that leads to the lowest cost, and this cost."""
        allowed = tail & (points[:, LOST] <= self._space.allowance)
        costs = np.where(allowed, points[:, COST], _NONE)
        point = int(np.argmin(costs)) if len(costs) else 0
        return point, int(costs[point]) if len(costs) else _NONE

    def _enumerate(self, root: _Node) -> None:
        """Divide the node with the lowest bound, until no node can have a better set than the best one.

        Now and then, the first part of each division is divided next, down to its end: that finds better sets.
        """
        waiting: list[_Entry] = []
        pruned = self._pruned(root)
        if pruned is not None:
            root = pruned[0]
            self._space.narrow(root.tail)
            self._push(waiting, root, int(pruned[1].head[BOUND]))
        turn = 0
        while waiting and waiting[0][0] < self.best and not self._stopped:
            turn += 1
            _, _, _, head, tail = heapq.heappop(waiting)
            node: _Node | None = _Node(self._unpacked(head), self._unpacked(tail))
            while node is not None:
                node = self._divide(waiting, node, dive=turn % _DIVE == 0 and not self._stopped)
        self.bound = min(waiting[0][0], self.best) if waiting else self.best

    def _push(self, waiting: list[_Entry], node: _Node, bound: int) -> None:
        """Put a node among those that wait; of equal bounds, the one with the larger head comes first."""
        if bound < self.best:
            packed = np.packbits(node.head).tobytes(), np.packbits(node.tail).tobytes()
            heapq.heappush(waiting, (bound, -int(node.head.sum()), len(waiting), *packed))

    def _unpacked(self, packed: bytes) -> Bools:
        return np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=self._space.points).astype(bool)

    def _divide(self, waiting: list[_Entry], node: _Node, *, dive: bool) -> _Node | None:
        """Shorten the tail of a node, and make two of it by the point that splits the most classes.

        Returns the part that is divided next, if it does not wait.
        """
        pruned = self._pruned(node)
        if pruned is None:
            return None
        node, facts = pruned
        point = int(np.argmax(np.where(node.tail, facts.points[:, SPLITS], -1)))
        tail = node.tail.copy()
        tail[point] = False
        first = _Node(_with(node.head, point), tail)
        if tail.any():
            self._push(waiting, _Node(node.head, tail), int(facts.head[BOUND]))
        if dive:
            return first
        self._push(waiting, first, int(facts.points[point, BOUND]))
        return None

    def _pruned(self, node: _Node) -> tuple[_Node, _Facts] | None:
        """The node with the points of its tail that can lead to a better set; ``None`` if no set of it can be better.

        A shorter tail raises the bounds, so this is repeated until no further point can be removed.
        """
        while True:
            facts = self._evaluate(node)
            if facts.head[FIRM] > self._space.allowance or facts.head[BOUND] >= self.best:
                return None
            points = facts.points
            useful = (points[:, USEFUL] > 0) & (points[:, FIRM] <= self._space.allowance)
            tail = node.tail & useful & (points[:, BOUND] < self.best)
            if not tail.any():
                return None
            if (tail == node.tail).all():
                return node, facts
            node = _Node(node.head, tail)


def _with(points: Bools, point: int) -> Bools:
    """The points and one more."""
    result = points.copy()
    result[point] = True
    return result
