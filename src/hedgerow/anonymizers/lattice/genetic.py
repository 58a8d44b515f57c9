"""Iyengar's genetic algorithm: breed global recodings, and keep those that lose the least.

A chromosome has a bit for every place where a column can become more specific: the split points of numbers, and the
nodes of a taxonomy that can be replaced by their children. Two chromosomes of low cost are crossed, the child is
mutated and repaired so that every taxonomy has a valid cut, and it replaces the worst of the population. The cost is
the loss or the classification metric, and the records of classes that violate a requirement are suppressed.

V. Iyengar: Transforming Data to Satisfy Privacy Constraints, KDD 2002. The steady state with selection by rank is that
of GENITOR: D. Whitley: The GENITOR Algorithm and Selection Pressure, ICGA 1989.

Deviations
----------
- The paper's full text was not at hand. This was written from the published description as it is widely known: one bit
  for each potential generalization point, valid cuts through taxonomies, the two metrics with suppression, and a
  steady-state genetic algorithm after GENITOR.
- A bit of a taxonomy belongs to an inner node and says that its children stand for it. A node whose parent is not open
  is closed: that is the repair. The crossing has two random cuts, and on average one bit of a child is mutated.
- A child that the population already has is dropped, so that the population does not become uniform.
- The first population has the chromosome without any bit, whose classes are all records; so there is a result wherever
  one exists. The others are random, from nearly general to nearly specific.
- In the paper any number of records may be suppressed. Here ``suppression_limit`` bounds them, and none may be by
  default. A chromosome that suppresses more costs more than any that does not, in proportion to the records.
- Defaults are a population of 50 and 3,000 children, which takes seconds; the paper's runs were longer by far.
- A category without a hierarchy has one bit: all its values or ``*``. Numbers with a hierarchy follow it. A column of
  numbers with many values has at most ``most_points`` split points, which divide its records evenly.
- A missing value of numbers has a split point of its own; while it is not set, it is suppressed with its neighbours.
- All requirements are supported; each class of all quasi-identifiers has to satisfy them, whatever their shields are.
  If a requirement compares classes with the whole table, no record is suppressed.
- The loss metric is ``ncp_published``: the share of the range that an interval spans, and of the values that a label
  has beyond the first. The weights of columns enter it.
"""

from __future__ import annotations

import bisect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final, Literal, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.lattice._kernels import group, lift
from hedgerow.anonymizers.lattice._split_kernels import Rules, add_rows, failing
from hedgerow.anonymizers.lattice._split_points import (
    CutColumn,
    OrderedColumn,
    histograms_beside,
    labels_of,
    name_of,
    ordered_column,
    publish_cuts,
)
from hedgerow.anonymizers.parameters import Presets, choice, number
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics.cells import beyond_first, loss_as_read, loss_of_nodes
from hedgerow.core.recoding import Recoding
from hedgerow.errors import Infeasible
from hedgerow.requirements import PackedRequirements, Requirement, bind

__all__ = ["Breeding", "Chromosomes", "Genetic"]

# How much more often the best is chosen than the middle one: the bias of GENITOR.
_BIAS: Final = 1.5
# More than the cost of any chromosome that is allowed.
_FORBIDDEN: Final = 2.0
# Costs are sums of rounded terms; those that agree to this many digits are equal.
_DIGITS: Final = 12
_FIELD: Final = 2**62 - 1


class Genetic(Anonymizer):
    """Breed recodings of whole columns by a genetic algorithm, for the loss or the classification metric.

    The recoding's facts name the ``cost``, its ``value``, the value of the best of the ``first`` population, how many
    ``bits`` a chromosome has and how many different chromosomes were ``evaluated``.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 21, 30, 31, 32, 60]})
    >>> release = hr.Genetic(k=3).anonymize(people, hr.Schema(quasi=["age"]), random_state=0)
    >>> sorted(release.table["age"].to_pylist())
    ['[20,31)', '[20,31)', '[20,31)', '[31,60]', '[31,60]', '[31,60]']
    """

    name = "genetic"
    family = "lattice"
    suppression_by = "itself"
    paper = "Iyengar (KDD 2002)"
    presets: ClassVar[Presets] = {"paper": {"suppression_limit": 1.0}}

    cost: Literal["ncp_published", "classification"] = choice(
        "What is bred for: a low loss of cells, as in the paper's loss metric, or pure classes; classification needs a "
        "target."
    )
    population: int = number("How many chromosomes there are.", default=50, least=2, whole=True, trials=(5,))
    iterations: int = number("How many children are bred.", default=3_000, least=0, whole=True, trials=(100,))
    most_points: int = number(
        "The most split points of a column. Between more values, those are taken that divide the records evenly.",
        default=31,
        least=1,
        whole=True,
        trials=(3,),
    )

    def uses_weights(self) -> bool:
        """The loss of a cell is multiplied by the weight of its column."""
        return self.cost == "ncp_published"

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        target = labels_of(counts, type(self).__name__) if self.cost == "classification" else None
        chromosomes = Chromosomes(counts, requirements, self._may_lose(counts), self.most_points, target)
        breeding = Breeding(chromosomes, self.population, np.random.default_rng(seed))
        first = breeding.best.cost
        for _ in range(self.iterations):
            breeding.breed()
        best = breeding.best
        if best.cost >= _FORBIDDEN:
            raise Infeasible("Not even one class of all records meets the requirements. Lower the requirement.")
        bits = best.bits()
        return publish_cuts(
            "genetic",
            counts,
            chromosomes.cuts(bits),
            lost=chromosomes.lost(bits),
            facts={
                "cost": self.cost,
                "value": best.cost,
                "first": None if first >= _FORBIDDEN else first,
                "bits": chromosomes.bits,
                "evaluated": breeding.evaluated,
            },
        )


# --------------------------------------------------------------------------------------------------
# The bits of a column, and what they publish.


class _Shown(NamedTuple):
    """The part of each value of a column, and the loss of a cell of each part."""

    part: Longs
    loss: Floats


class Genes(ABC):
    """The bits of one column.

    Attributes
    ----------
    bits : int
    values : int array (codes,)
        The values that parts consist of: codes that no bit separates are one value.
    """

    bits: int
    values: Longs

    @abstractmethod
    def repaired(self, bits: Bools) -> Bools:
        """The nearest bits that stand for a valid cut."""

    @abstractmethod
    def shown(self, bits: Bools) -> _Shown:
        """What is published of each value."""

    @abstractmethod
    def cut(self, bits: Bools) -> CutColumn | Ints:
        """What is published of each code."""


class SplitGenes(Genes):
    """One bit for each split point of ordered values."""

    def __init__(self, column: OrderedColumn) -> None:
        self.bits = len(column.points)
        self.values = column.segments
        self._column = column
        self._losses = _losses_of_parts(column)

    def repaired(self, bits: Bools) -> Bools:
        """Every set of split points is valid."""
        return bits

    def shown(self, bits: Bools) -> _Shown:
        """Parts are numbered by their order."""
        part = np.concatenate([[0], np.cumsum(bits)]).astype(np.int64)
        starts = np.flatnonzero(np.diff(part, prepend=-1))
        return _Shown(part, self._losses[starts, np.append(starts[1:], len(part)) - 1])

    def cut(self, bits: Bools) -> CutColumn:
        """The part of each code."""
        return CutColumn(self._column, self._column.parts(bits))


def _losses_of_parts(column: OrderedColumn) -> Floats:
    """The loss of a cell of each part, by its first and last segment."""
    domain, segment = column.domain, column.segments
    number = len(column.points) + 1
    result = np.zeros((number, number))
    for first in range(number):
        for last in range(first, number):
            codes = np.flatnonzero((segment >= first) & (segment <= last))
            result[first, last] = _loss_of_part(column, codes) if len(codes) < domain.size else float(domain.size > 1)
    return result


def _loss_of_part(column: OrderedColumn, codes: Longs) -> float:
    """The loss of a part of some values, not of all."""
    domain = column.domain
    if len(codes) == 1:
        return 0.0
    if domain.has_missing and codes[-1] == domain.missing_code:
        return 1.0
    otherwise = np.array([(len(codes) - 1) / beyond_first(domain)])
    if domain.numbers is not None:
        otherwise = domain.share(domain.values[codes[:1]], domain.values[codes[-1:]])
    return float(loss_as_read(domain, [name_of(domain, codes).text], np.ones(1, dtype=bool), otherwise)[0])


class TreeGenes(Genes):
    """One bit for each inner node of a taxonomy: whether its children stand for it. A parent comes before a child."""

    def __init__(self, counts: FrequencyTable, name: str) -> None:
        self._tree = tree = counts.hierarchies[name]
        inner = np.flatnonzero(tree.level > 0)
        self.bits = len(inner)
        self.values = np.arange(counts.domains[name].size, dtype=np.int64)
        self._bit = np.full(len(tree.parent), -1, dtype=np.int64)
        self._bit[inner] = np.arange(len(inner))
        self._parent = self._bit[tree.parent[inner]]
        self._depth = tree.depth[inner]
        self._loss = loss_of_nodes(tree, counts.domains[name], "ncp").astype(np.float64)
        # The node above each leaf at each depth; below its own depth the leaf itself.
        path, depth = [tree.leaf_of], tree.depth[tree.leaf_of]
        for level in range(tree.height, 0, -1):
            path.append(np.where(depth >= level, tree.parent[path[-1]], path[-1]).astype(np.int32))
        self._path = path[::-1]

    def repaired(self, bits: Bools) -> Bools:
        """A node is open only if all nodes above it are."""
        result = bits.copy()
        for depth in range(1, int(self._depth.max(initial=0)) + 1):
            here = self._depth == depth
            result[here] &= result[self._parent[here]]
        return result

    def nodes(self, bits: Bools) -> Ints:
        """The node of each code: the first closed node on the way from the root."""
        is_open = np.append(bits, False)
        node = self._path[0]
        for below in self._path[1:]:
            node = np.where(is_open[self._bit[node]], below, node)
        return node.astype(np.int32)

    def shown(self, bits: Bools) -> _Shown:
        """Parts are numbered as nodes."""
        return _Shown(self.nodes(bits).astype(np.int64), self._loss)

    def cut(self, bits: Bools) -> Ints:
        """The node of each code."""
        return self.nodes(bits)


# --------------------------------------------------------------------------------------------------
# The cost of a chromosome.


class Chromosomes:
    """What the bits of all columns stand for, and what they cost.

    Parameters
    ----------
    counts : FrequencyTable
    requirements : sequence of Requirement
    allowance : int
        How many records may be lost.
    most_points : int
    target : str, optional
        The column of the labels, if the cost is that of classification.

    Attributes
    ----------
    bits : int
        The length of a chromosome.
    """

    def __init__(
        self,
        counts: FrequencyTable,
        requirements: Sequence[Requirement],
        allowance: int,
        most_points: int,
        target: str | None,
    ) -> None:
        self.genes = [_genes_of(counts, name, most_points) for name in counts.quasi]
        self._first = np.cumsum([0, *(genes.bits for genes in self.genes)])
        self.bits = int(self._first[-1])
        self._allowance = 0 if any(requirement.compares for requirement in requirements) else allowance
        self._records = counts.rows
        self._weights = counts.column_weights.tolist()
        context, packed = bind(counts, requirements)
        self._packed: PackedRequirements | None = packed.formulas
        labels = 0 if target is None else counts.domains[target].size
        self._rules = Rules(counts.rows, labels, packed.minimal_size, packed.minimal_size, same=True)
        names = ([] if target is None else [target]) + [column.domain.name for column in context.columns]
        values = [genes.values[counts.tuples[:, at]] for at, genes in enumerate(self.genes)]
        keys, sizes, self._item_of_tuple = group(np.ascontiguousarray(np.stack(values, axis=1)), counts.tuple_sizes)
        self._keys, self._sizes = keys, sizes
        self._histograms = add_rows(histograms_beside(counts, names, "Genetic"), self._item_of_tuple, len(sizes))

    def of_column(self, at: int, bits: Bools) -> Bools:
        """The bits of one column."""
        return bits[self._first[at] : self._first[at + 1]]

    def repaired(self, bits: Bools) -> Bools:
        """The nearest chromosome whose taxonomies have valid cuts."""
        parts = [genes.repaired(self.of_column(at, bits)) for at, genes in enumerate(self.genes)]
        return np.concatenate([np.zeros(0, dtype=bool), *parts])

    def cuts(self, bits: Bools) -> list[CutColumn | Ints]:
        """What each column publishes."""
        return [genes.cut(self.of_column(at, bits)) for at, genes in enumerate(self.genes)]

    def lost(self, bits: Bools) -> Bools | None:
        """Which tuples are lost; ``None`` if none is."""
        classes = self._classes([genes.shown(self.of_column(at, bits)) for at, genes in enumerate(self.genes)])
        return classes.lost[classes.of_item][self._item_of_tuple] if classes.lost.any() else None

    def cost(self, bits: Bools) -> float:
        """The share of cells, or of labels, that is lost; a lost record counts fully. O(tuples x columns)."""
        shown = [genes.shown(self.of_column(at, bits)) for at, genes in enumerate(self.genes)]
        classes = self._classes(shown)
        lost = int(classes.sizes[classes.lost].sum())
        if lost > self._allowance:
            return _FORBIDDEN + lost / self._records
        kept = ~classes.lost
        labels = self._rules.labels
        if labels:
            return 1.0 - float(classes.histograms[kept, :labels].max(axis=1).sum()) / self._records
        sizes, keys = classes.sizes[kept], classes.keys[kept]
        losses = (
            weight * (float(sizes @ of_column.loss[keys[:, at]]) + lost)
            for at, (weight, of_column) in enumerate(zip(self._weights, shown, strict=True))
        )
        return float(sum(losses)) / (self._records * len(shown))

    def _classes(self, shown: Sequence[_Shown]) -> _Classes:
        maps = [of_column.part for of_column in shown]
        starts = np.cumsum([0, *map(len, maps)], dtype=np.int64)[:-1]
        every = np.arange(len(maps), dtype=np.int64)
        shift, mask = np.zeros(len(maps), dtype=np.int64), np.full(len(maps), _FIELD, dtype=np.int64)
        keys, sizes, of_item = group(
            lift(self._keys, every, shift, mask, starts, np.concatenate(maps).astype(np.int64)), self._sizes
        )
        histograms = add_rows(self._histograms, of_item, len(sizes))
        return _Classes(keys, sizes, histograms, of_item, failing(sizes, histograms, self._rules, self._packed))


class _Classes(NamedTuple):
    """The classes that a chromosome leads to: what they publish, their records, and which are lost."""

    keys: Longs
    sizes: Longs
    histograms: Longs
    of_item: Longs
    lost: Bools


def _genes_of(counts: FrequencyTable, name: str, most_points: int) -> Genes:
    """Split points for ordered values without a hierarchy, and otherwise cuts through the hierarchy."""
    domain = counts.domains[name]
    if counts.hierarchies[name].automatic and (domain.numbers is not None or domain.ordered):
        return SplitGenes(ordered_column(counts, name, most_points))
    return TreeGenes(counts, name)


# --------------------------------------------------------------------------------------------------
# The population.


class Individual(NamedTuple):
    """A chromosome with its cost; of equal costs, the first in the order of its bits is the better one."""

    cost: float
    chromosome: bytes

    def bits(self) -> Bools:
        """Its bits."""
        return np.frombuffer(self.chromosome, dtype=bool)


class Breeding:
    """A population in the order of its costs, in which children replace the worst.

    Parameters
    ----------
    chromosomes : Chromosomes
    size : int
        How many chromosomes there are at most.
    random : Generator

    Attributes
    ----------
    evaluated : int
        How many costs were computed.
    """

    def __init__(self, chromosomes: Chromosomes, size: int, random: np.random.Generator) -> None:
        self._chromosomes, self._size, self._random = chromosomes, size, random
        self._population: list[Individual] = []
        self._known: set[bytes] = set()
        self.evaluated = 0
        self._add(np.zeros(chromosomes.bits, dtype=bool))
        for _ in range(size - 1):
            self._add(random.random(chromosomes.bits) < random.random() ** 2)

    @property
    def best(self) -> Individual:
        """The one with the lowest cost."""
        return self._population[0]

    @property
    def population(self) -> Sequence[Individual]:
        """All, the best first."""
        return self._population

    def breed(self) -> None:
        """Cross two, mutate the child, and let it replace the worst if it is better."""
        mother, father = self._chosen(), self._chosen()
        child = self._crossed(mother.bits(), father.bits())
        self._add(child ^ (self._random.random(len(child)) < 1 / max(len(child), 1)))

    def _chosen(self) -> Individual:
        """One of the population, the more likely the better it is: by a linear function of its rank."""
        place = (_BIAS - np.sqrt(_BIAS**2 - 4 * (_BIAS - 1) * self._random.random())) / (2 * (_BIAS - 1))
        return self._population[int(len(self._population) * place)]

    def _crossed(self, mother: Bools, father: Bools) -> Bools:
        """The bits of one parent between two places, and those of the other outside."""
        first, last = np.sort(self._random.integers(0, len(mother) + 1, 2)).tolist()
        return np.concatenate([mother[:first], father[first:last], mother[last:]])

    def _add(self, bits: Bools) -> None:
        """Repair and evaluate a chromosome, and keep the best of the population and it."""
        repaired = self._chromosomes.repaired(bits)
        chromosome = repaired.tobytes()
        if chromosome in self._known:
            return
        self.evaluated += 1
        bisect.insort(self._population, Individual(round(self._chromosomes.cost(repaired), _DIGITS), chromosome))
        self._known.add(chromosome)
        if len(self._population) > self._size:
            self._known.remove(self._population.pop().chromosome)
