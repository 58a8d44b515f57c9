"""Iyengar's genetic algorithm, beside a plain version with loops that draws the same random numbers."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import Genetic, KAnonymity, LDiversity, Schema, TCloseness
from hedgerow.anonymizers.lattice.genetic import Breeding, Chromosomes
from hedgerow.core.metrics import METRICS
from hedgerow.errors import Infeasible
from hedgerow.release import pipeline

TREE = {"*": {"north": {"far": ["A", "B"], "near": ["C"]}, "south": ["D", "E"]}}
# The inner nodes, a parent before its children, with the leaves below.
NODES = {"*": "ABCDE", "north": "ABC", "far": "AB", "near": "C", "south": "DE"}
ABOVE = {"*": None, "north": "*", "far": "north", "near": "north", "south": "*"}


def people(seed: int, rows: int = 60) -> pa.Table:
    random = np.random.default_rng(seed)
    return pa.table(
        {
            "age": random.integers(20, 32, rows),
            "town": random.choice(list("ABCDE"), rows, p=[0.3, 0.3, 0.2, 0.1, 0.1]),
            "income": random.choice(["low", "high"], rows),
            "ill": random.choice(["flu", "cold", "cough"], rows, p=[0.5, 0.3, 0.2]),
        }
    )


SCHEMA = Schema(quasi=["age", "town"], target="income", sensitive=["ill"], hierarchies={"town": TREE})


def prepared(table: pa.Table, *requirements: Any, schema: Schema = SCHEMA) -> pipeline.Prepared:
    return pipeline.prepare(table, schema, requirements, random_state=0)


# --------------------------------------------------------------------------------------------------
# The plain version.


class Plain:
    """The same algorithm on rows, with loops."""

    def __init__(self, table: pa.Table, k: int, allowed: int, cost: str, size: int, seed: int) -> None:
        self.rows = table.to_pylist()
        self.ages = sorted({row["age"] for row in self.rows})
        self.k, self.allowed, self.kind, self.size = k, allowed, cost, size
        self.bits = len(self.ages) - 1 + len(NODES)
        self.random = np.random.default_rng(seed)
        self.population: list[tuple[float, bytes]] = []
        self.add([False] * self.bits)
        for _ in range(size - 1):
            draws = self.random.random(self.bits)
            density = self.random.random() ** 2
            self.add([bool(draw < density) for draw in draws])

    def add(self, bits: Sequence[bool]) -> None:
        repaired = self.repaired(list(bits))
        text = bytes(repaired)
        if all(text != known for _, known in self.population):
            self.population.append((self.cost(repaired), text))
            self.population.sort()
            self.population = self.population[: self.size]

    def repaired(self, bits: list[bool]) -> list[bool]:
        offset = len(self.ages) - 1
        places = {node: offset + at for at, node in enumerate(NODES)}
        for node, above in ABOVE.items():
            if above is not None and not bits[places[above]]:
                bits[places[node]] = False
        return bits

    def shown(self, row: dict[str, Any], bits: Sequence[bool]) -> tuple[tuple[int, int], str]:
        """The ages of a row's part, from the first to the first of the next; and a node or a town."""
        place = self.ages.index(row["age"])
        first, last = place, place + 1
        while first > 0 and not bits[first - 1]:
            first -= 1
        while last < len(self.ages) and not bits[last - 1]:
            last += 1
        node, closed = row["town"], None
        for at, (name, leaves) in enumerate(NODES.items()):
            if row["town"] in leaves and not bits[len(self.ages) - 1 + at] and closed is None:
                closed = name
        return (first, last), closed or node

    def cost(self, bits: Sequence[bool]) -> float:
        classes = defaultdict(list)
        for row in self.rows:
            classes[self.shown(row, bits)].append(row)
        lost = sum(len(members) for members in classes.values() if len(members) < self.k)
        if lost > self.allowed:
            return round(2 + lost / len(self.rows), 12)
        total: float = 0
        for (span, node), members in classes.items():
            if len(members) < self.k:
                total += len(members)
            elif self.kind == "classification":
                total += len(members) - max(Counter(row["income"] for row in members).values())
            else:
                total += len(members) * (self.loss_of_age(*span) + self.loss_of_town(node)) / 2
        return round(total / len(self.rows), 12)

    def loss_of_age(self, first: int, last: int) -> float:
        if last - first == 1:
            return 0
        high = self.ages[last] if last < len(self.ages) else self.ages[-1]
        return float((high - self.ages[first]) / (self.ages[-1] - self.ages[0]))

    def loss_of_town(self, node: str) -> float:
        return (len(NODES.get(node, node)) - 1) / 4

    def breed(self) -> None:
        places = []
        for _ in range(2):
            drawn = self.random.random()
            share = (1.5 - math.sqrt(1.5**2 - 4 * 0.5 * drawn)) / (2 * 0.5)
            places.append(int(len(self.population) * share))
        mother, father = (self.population[place][1] for place in places)
        first, last = sorted(self.random.integers(0, self.bits + 1, 2).tolist())
        child = [bool(bit) for bit in mother[:first] + father[first:last] + mother[last:]]
        draws = self.random.random(self.bits)
        self.add([bool(bit != (draw < 1 / self.bits)) for bit, draw in zip(child, draws, strict=True)])


@pytest.mark.parametrize("cost", ["ncp_published", "classification"])
@pytest.mark.parametrize(("seed", "allowed"), [(1, 0), (2, 0), (3, 9), (4, 60)])
def test_it_is_the_plain_algorithm(cost: str, seed: int, allowed: int) -> None:
    table = people(seed)
    target = "income" if cost == "classification" else None
    read = prepared(table, KAnonymity(4))
    chromosomes = Chromosomes(read.counts, read.requirements, allowed, 31, target)
    mine = Breeding(chromosomes, 8, np.random.default_rng(seed))
    plain = Plain(table, 4, allowed, cost, 8, seed)
    for _ in range(150):
        assert [one.chromosome for one in mine.population] == [text for _, text in plain.population]
        assert [one.cost for one in mine.population] == pytest.approx([value for value, _ in plain.population])
        mine.breed()
        plain.breed()


@pytest.mark.parametrize("cost", ["ncp_published", "classification"])
@pytest.mark.parametrize("limit", [0.0, 0.2])
def test_the_cost_is_that_of_the_metric(cost: Any, limit: float) -> None:
    read = prepared(people(7), KAnonymity(5), LDiversity(2, "ill"))
    method = Genetic(cost=cost, suppression_limit=limit, iterations=300)
    recoding = method.fit_counts(read.counts, read.requirements, seed=3)
    assert recoding.facts["value"] == pytest.approx(METRICS[cost].function(read.counts, recoding))
    assert recoding.lost <= limit * 60


def test_weights_enter_the_loss() -> None:
    schema = Schema(quasi=["age", "town"], hierarchies={"town": TREE}, weights={"age": 5}, others="drop")
    read = prepared(people(8), KAnonymity(5), schema=schema)
    recoding = Genetic(iterations=300).fit_counts(read.counts, read.requirements, seed=1)
    assert recoding.facts["value"] == pytest.approx(METRICS["ncp_published"].function(read.counts, recoding))


def test_the_loss_of_dates_missing_values_and_ordered_categories_is_that_of_the_metric() -> None:
    random = np.random.default_rng(4)
    born = np.datetime64("1980-01-01") + random.integers(0, 9, 50) * 40
    size = random.choice(["S", "M", "L", "XL"], 50)
    table = pa.table(
        {
            "born": pa.array(born),
            "size": [None if at % 9 == 0 else value for at, value in enumerate(size.tolist())],
            "pay": [None if at % 7 == 0 else at % 5 * 1.5 for at in range(50)],
        }
    )
    schema = Schema(quasi=["born", "size", "pay"], kinds={"size": ["S", "M", "L", "XL"]})
    read = prepared(table, KAnonymity(3), schema=schema)
    for seed in range(5):
        recoding = Genetic(iterations=200).fit_counts(read.counts, read.requirements, seed=seed)
        assert recoding.facts["value"] == pytest.approx(METRICS["ncp_published"].function(read.counts, recoding))


def test_the_best_never_gets_worse() -> None:
    read = prepared(people(5), KAnonymity(4))
    breeding = Breeding(Chromosomes(read.counts, read.requirements, 0, 31, None), 10, np.random.default_rng(0))
    costs = [breeding.best.cost]
    for _ in range(400):
        breeding.breed()
        costs.append(breeding.best.cost)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]
    assert len(breeding.population) == 10


def test_a_seed_decides_everything() -> None:
    table = people(6)
    releases = [Genetic(k=4, iterations=200).anonymize(table, SCHEMA, random_state=seed) for seed in (1, 1, 2)]
    facts = [release.facts for release in releases]
    assert facts[0] == facts[1]
    assert facts[0] != facts[2]
    assert releases[0].audit.k >= 4


def test_every_taxonomy_has_a_valid_cut() -> None:
    """A parent that is closed closes what is below it."""
    read = prepared(people(5), KAnonymity(4))
    chromosomes = Chromosomes(read.counts, read.requirements, 0, 31, None)
    random = np.random.default_rng(0)
    tree = read.counts.hierarchies["town"]
    for _ in range(50):
        bits = chromosomes.repaired(random.random(chromosomes.bits) < 0.5)
        nodes = chromosomes.cuts(bits)[1]
        assert isinstance(nodes, np.ndarray)
        covered = [leaf for node in set(nodes.tolist()) for leaf in range(tree.first_leaf[node], tree.last_leaf[node])]
        assert sorted(covered) == list(range(5))


def test_nothing_is_lost_if_a_requirement_compares_with_the_table() -> None:
    read = prepared(people(5), KAnonymity(4), TCloseness(0.4, "ill"))
    method = Genetic(suppression_limit=0.5, iterations=200)
    assert method.fit_counts(read.counts, read.requirements, seed=0).lost == 0


def test_it_refuses_what_no_recoding_meets() -> None:
    read = prepared(people(5), KAnonymity(4))
    with pytest.raises(Infeasible, match="Not even one class"):
        Genetic(iterations=5).fit_counts(read.counts, [KAnonymity(61)], seed=0)
