"""Random COUNT queries, answered from a release: how many people meet one to four conditions?

The measure of K. LeFevre, D. J. DeWitt, R. Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006, section
5.3, and of X. Xiao, Y. Tao, "Anatomy: Simple and Effective Privacy Preservation", VLDB 2006, section 6.1, from which
the form of the conditions comes: if a query has q conditions and a selectivity s is wanted, a condition on a column
with d values holds for about d · s^(1/q) of them. The error of a query is |answer − truth| / max(truth, bound · rows);
the bound keeps queries that hardly anybody meets from deciding the mean (M. Garofalakis, P. B. Gibbons, "Wavelet
Synopses with Error Guarantees", SIGMOD 2002).

**Deviations**: a condition on a column of numbers or dates is a range of neighbouring values, as in Mondrian's paper,
and not a random set, as in Anatomy's. The number of conditions is drawn anew for every query.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow._internal.arrays import Floats
from hedgerow.errors import check_int, required
from hedgerow.evaluation.analyses.base import Analysis, Material, check_between
from hedgerow.evaluation.analyses.spread import Condition, SpreadColumn, original_rows, spread_rows
from hedgerow.io.domains import Domain

__all__ = ["Counts", "answers", "random_queries", "relative_errors"]

Query = tuple[Condition, ...]
"""Conditions on different columns, all of which have to hold."""


@dataclass(frozen=True, kw_only=True)
class Counts(Analysis):
    """Random COUNT queries on the features and the target.

    The truth is counted in the original training rows. The answer is the sum of the parts of published rows that meet
    all conditions: by uniform spread from published cells, and by counting from redrawn rows, which follow the
    published proportions.

    Parameters
    ----------
    number : int
        How many queries are drawn.
    predicates : int
        The most conditions of a query; it has one at least.
    selectivity : float
        The share of all combinations of values that a query asks for.
    bound : float
        The sanity bound, as a share of all rows.
    draws : int
        How often rows are redrawn; the answer is the mean of all.
    """

    name = "counts"
    task = "queries"

    number: int = 1000
    predicates: int = 4
    selectivity: float = 0.05
    bound: float = 0.001
    draws: int = 10

    def __post_init__(self) -> None:
        for name in ("number", "predicates", "draws"):
            check_int(name, "Counts", getattr(self, name), 1)
        check_between("selectivity", "Counts", self.selectivity)
        check_between("bound", "Counts", self.bound)

    def measure(self, material: Material) -> Mapping[str, float | None]:
        original = original_rows(material.part)
        queries = random_queries([column.domain for column in original.values()], self, material.random_state)
        if not queries:
            return {"median_error": None, "mean_error": None}
        truth = answers(original, queries)
        found = answers(spread_rows(material, self.draws, original), queries) / material.copies(self.draws)
        errors = relative_errors(found, truth, self.bound * material.part.table.num_rows)
        return {"median_error": float(np.median(errors)), "mean_error": float(errors.mean())}


def random_queries(domains: Sequence[Domain], wanted: Counts, random_state: int) -> list[Query]:
    """Random queries on columns with at least two values; the same for the same seed."""
    random = np.random.default_rng([random_state, 1])
    varying = sorted((domain for domain in domains if len(domain.labels) > 1), key=lambda domain: domain.name)
    if not varying:
        return []
    return [_query(varying, wanted, random) for _ in range(wanted.number)]


def _query(domains: list[Domain], wanted: Counts, random: np.random.Generator) -> Query:
    number = int(random.integers(1, min(wanted.predicates, len(domains)), endpoint=True))
    chosen = random.choice(len(domains), number, replace=False)
    part = wanted.selectivity ** (1 / number)
    return tuple(_condition(domains[at], part, random) for at in sorted(chosen.tolist()))


def _condition(domain: Domain, part: float, random: np.random.Generator) -> Condition:
    size = len(domain.labels)
    held = math.ceil(size * part)
    if domain.numbers is None:
        labels = domain.labels[random.choice(size, held, replace=False)]
        return Condition(domain.name, labels=frozenset(labels.tolist()))
    first = int(random.integers(size - held, endpoint=True))
    values = required(domain.numbers, "the numbers of a column")
    return Condition(domain.name, low=float(values[first]), high=float(values[first + held - 1]))


def answers(columns: Mapping[str, SpreadColumn], queries: list[Query]) -> Floats:
    """The number of rows that meet each query, counting parts of rows."""
    return np.array([_answer(columns, query) for query in queries])


def _answer(columns: Mapping[str, SpreadColumn], query: Query) -> float:
    parts = columns[query[0].column].of_rows(query[0])
    for condition in query[1:]:
        parts = parts * columns[condition.column].of_rows(condition)
    return float(parts.sum())


def relative_errors(found: Floats, truth: Floats, bound: float) -> Floats:
    """The error of each answer as a share of the truth, or of the bound if that is more.

    >>> relative_errors(np.array([8.0, 3.0]), np.array([10.0, 0.0]), 2.0).tolist()
    [0.2, 1.5]
    """
    return np.asarray(np.abs(found - truth) / np.maximum(truth, bound))
