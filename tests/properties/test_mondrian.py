"""Mondrian's kernel against one written anew on lists of rows, with exact fractions; and what relaxed cuts promise."""

from __future__ import annotations

import math
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from examples import examples
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st
from weights import even_weights

from hedgerow import Infeasible, KAnonymity, LDiversity, Mondrian, Schema, TCloseness
from hedgerow.core.recoding import CutTree, Recoding
from hedgerow.release import pipeline
from hedgerow.requirements import Requirement

PLAIN = os.environ.get("NUMBA_DISABLE_JIT") == "1"
some = examples(20 if PLAIN else 200, suppress_health_check=[HealthCheck.too_slow])
few = examples(2 if PLAIN else 12, suppress_health_check=[HealthCheck.too_slow])

Row = tuple[Any, ...]
MOST_COUNTED = 512  # a longer list of categories is measured by the span of its ranks


@dataclass(frozen=True)
class Column:
    """The values of a quasi-identifier in their order, missing last."""

    values: tuple[Any, ...]
    numeric: bool

    def loss(self, held: set[Any]) -> Fraction:
        """NCP: the span of numbers, or how many of the categories; 1 for numbers beside a missing one."""
        if len(held) < 2:
            return Fraction(0)
        if not self.numeric and len(self.values) <= MOST_COUNTED:
            return Fraction(len(held) - 1, len(self.values) - 1)
        if None in held:
            return Fraction(1)
        known = [value for value in self.values if value is not None]
        place = {value: value if self.numeric else at for at, value in enumerate(known)}
        reached = [place[value] for value in held]
        return Fraction(max(reached) - min(reached), place[known[-1]] - place[known[0]])


@dataclass(frozen=True)
class Table:
    """Rows of quasi-identifiers, the last entry of each the sensitive value."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    weights: tuple[Fraction, ...]

    @property
    def names(self) -> list[str]:
        return [f"q{at}" for at in range(len(self.columns))]

    def losses(self, rows: Sequence[Row]) -> list[Fraction]:
        """What one record loses in each column, whatever the column weighs."""
        return [column.loss({row[at] for row in rows}) for at, column in enumerate(self.columns)]

    def loss(self, rows: Sequence[Row]) -> Fraction:
        each = zip(self.weights, self.losses(rows), strict=True)
        return len(rows) * sum((weight * lost for weight, lost in each), Fraction(0))


@dataclass(frozen=True)
class Candidate:
    """A cut: ``rank <= threshold``, or ``== threshold``, goes left."""

    column: int
    threshold: int
    single: bool
    left: list[Row]
    right: list[Row]


def cut_at(table: Table, rows: Sequence[Row], column: int, threshold: int, single: bool) -> Candidate:
    rank = {value: at for at, value in enumerate(table.columns[column].values)}
    goes_left = [rank[row[column]] == threshold if single else rank[row[column]] <= threshold for row in rows]
    left = [row for row, goes in zip(rows, goes_left, strict=True) if goes]
    right = [row for row, goes in zip(rows, goes_left, strict=True) if not goes]
    return Candidate(column, threshold, single, left, right)


def all_cuts(table: Table, rows: Sequence[Row]) -> Iterator[Candidate]:
    """Every threshold of every column, and before it, for categories, its value against the rest."""
    for column, values in enumerate(table.columns):
        held = {row[column] for row in rows}
        present = [at for at, value in enumerate(values.values) if value in held]
        for at, rank in enumerate(present[:-1]):
            if not values.numeric and len(present) > 2 and at > 0:
                yield cut_at(table, rows, column, rank, single=True)
            yield cut_at(table, rows, column, rank, single=False)


def median_cuts(table: Table, rows: Sequence[Row]) -> Iterator[Candidate]:
    """The widest column at its median, the median left and then right; then the next column."""
    spans = table.losses(rows)
    for column in sorted(range(len(spans)), key=lambda at: -spans[at] * table.weights[at]):
        if spans[column]:
            rank = {value: at for at, value in enumerate(table.columns[column].values)}
            ordered = sorted(rank[row[column]] for row in rows)
            median = ordered[(len(ordered) - 1) // 2]
            yield cut_at(table, rows, column, median, single=False)
            before = [place for place in ordered if place < median]
            if before:
                yield cut_at(table, rows, column, before[-1], single=False)


def holds(requirement: Requirement, rows: Sequence[Row], table: Table) -> bool:
    found = Counter(row[-1] for row in rows)
    if isinstance(requirement, KAnonymity):
        return len(rows) >= requirement.k
    shares = {value: count / len(rows) for value, count in found.items()}
    if isinstance(requirement, TCloseness):
        overall = Counter(row[-1] for row in table.rows)
        gaps = (abs(shares.get(value, 0) - count / len(table.rows)) for value, count in overall.items())
        return sum(gaps) / 2 <= requirement.t + 1e-12
    assert isinstance(requirement, LDiversity)
    if requirement.kind == "distinct":
        return len(found) >= requirement.l
    return -sum(share * math.log(share) for share in shares.values()) >= math.log(requirement.l) - 1e-12


def allowed(cut: Candidate, requirements: Sequence[Requirement], table: Table) -> bool:
    return all(bool(side) and holds(one, side, table) for one in requirements for side in (cut.left, cut.right))


def reference(table: Table, rows: Sequence[Row], requirements: Sequence[Requirement], cut: str) -> list[set[Row]]:
    """The groups from left to right, each as its different tuples."""
    candidates = all_cuts if cut == "loss" else median_cuts
    possible = [one for one in candidates(table, rows) if allowed(one, requirements, table)]
    if not possible:
        return [{row[:-1] for row in rows}]
    best = min(possible, key=lambda one: table.loss(one.left) + table.loss(one.right)) if cut == "loss" else possible[0]
    return [group for side in (best.left, best.right) for group in reference(table, side, requirements, cut)]


# Tables


def column_of(numeric: bool, size: int, missing: bool) -> Column:
    """A column of so many values, a missing one among them if wanted."""
    known = [at if numeric else f"v{at:03}" for at in range(size - missing)]
    return Column((*known, *([None] if missing else [])), numeric)


@st.composite
def tables(draw: st.DrawFn, sizes: Sequence[int], most_rows: int) -> Table:
    """Tables in which every value of every column occurs."""
    columns = []
    for _ in range(draw(st.integers(1, 3))):
        numeric, missing = draw(st.booleans()), draw(st.booleans())
        size = draw(st.sampled_from(sizes))
        # A missing value is one of the categories, but lies beside the numbers.
        columns.append(column_of(numeric, size + (numeric and missing), missing and size > 1))
    chance = random.Random(draw(st.integers(0, 2**32)))
    rows = draw(st.integers(max(len(column.values) for column in columns), most_rows))
    filled = []
    for column in columns:
        cells = [*column.values, *chance.choices(column.values, k=rows - len(column.values))]
        chance.shuffle(cells)
        filled.append(cells)
    sensitive = [chance.choice("abcd") for _ in range(rows)]
    twice = draw(st.integers(1, 3))
    weights = draw(even_weights(len(columns)))
    return Table(tuple(columns), tuple(zip(*filled, sensitive, strict=True)) * twice, weights)


# One less than each is a power of two: losses are then exact in floats, and ties are ties.
EXACT = (1, 2, 3, 5, 9)
EQUAL = (Fraction(1), Fraction(1))


@st.composite
def requirement_lists(draw: st.DrawFn) -> list[Requirement]:
    k = KAnonymity(draw(st.integers(1, 6)))
    further: list[Requirement] = [
        LDiversity(draw(st.integers(2, 3)), "ill"),
        LDiversity(draw(st.sampled_from([1.5, 2, 2.5])), "ill", "entropy"),
        TCloseness(draw(st.sampled_from([0.2, 0.35, 0.5])), "ill"),
    ]
    return [k, *draw(st.lists(st.sampled_from(further), max_size=2, unique_by=type))]


def fitted(table: Table, requirements: Sequence[Requirement], **parameters: Any) -> tuple[Recoding, list[list[Row]]]:
    """A recoding, and the records (tuple and sensitive value) of each of its groups."""
    names = [*table.names, "ill"]
    arrow = pa.table({name: [row[at] for row in table.rows] for at, name in enumerate(names)})
    weights = {name: float(weight) for name, weight in zip(table.names, table.weights, strict=True)}
    schema = Schema(quasi=table.names, sensitive=["ill"], weights=weights, rows_are_people=True)
    try:
        prepared = pipeline.prepare(arrow, schema, requirements, random_state=0)
    except Infeasible:
        assume(False)
        raise
    counts = prepared.counts
    recoding = Mondrian(**parameters)._fit(counts, prepared.requirements, 0)
    assert recoding.pieces is not None
    groups: list[list[Row]] = [[] for _ in recoding.sizes]
    ill = counts.domains["ill"].labels[counts.values_of("ill")].tolist()
    for cell, group, size in zip(recoding.pieces.cell, recoding.pieces.group, recoding.pieces.size, strict=True):
        codes = counts.tuples[counts.cell_tuple[cell]]
        values = [column.values[code] for column, code in zip(table.columns, codes, strict=True)]
        groups[group] += [(*values, ill[cell])] * int(size)
    return recoding, groups


def tuples(groups: Sequence[Sequence[Row]]) -> list[set[Row]]:
    return [{row[:-1] for row in group} for group in groups]


# Strict cuts


@some
@given(tables(EXACT, 24), requirement_lists(), st.sampled_from(["loss", "widest"]))
def test_strict_partition_is_the_reference(table: Table, requirements: list[Requirement], cut: str) -> None:
    assume(len(table.rows) >= max(one.minimal_size for one in requirements))
    _, groups = fitted(table, requirements, cut=cut)
    assert tuples(groups) == reference(table, table.rows, requirements, cut)


@few
@given(tables((65, 129), 140), st.integers(12, 30), st.sampled_from(["loss", "widest"]))
def test_strict_partition_with_categories_of_several_words(table: Table, k: int, cut: str) -> None:
    requirements = [KAnonymity(k)]
    assert tuples(fitted(table, requirements, cut=cut)[1]) == reference(table, table.rows, requirements, cut)


@pytest.mark.parametrize("cut", ["loss", "widest"])
@pytest.mark.parametrize("missing", [False, True], ids=["known", "missing"])
def test_strict_partition_with_more_categories_than_are_counted(cut: str, missing: bool) -> None:
    """Beyond 512 categories the span of the ranks is the loss; a missing one makes it 1."""
    chance = random.Random(7)
    columns = (column_of(False, 513 + missing, missing), column_of(True, 9, False))
    rows = tuple((value, chance.randrange(9), "a") for value in columns[0].values)
    rows = (*((row[0], at % 9, "a") for at, row in enumerate(rows[:9])), *rows[9:])
    table = Table(columns, rows, EQUAL)
    requirements = [KAnonymity(90)]
    assert tuples(fitted(table, requirements, cut=cut)[1]) == reference(table, rows, requirements, cut)


@some
@given(tables((1, 2, 3, 4, 6, 7), 24), requirement_lists())
def test_no_cut_is_better_than_the_one_chosen(table: Table, requirements: list[Requirement]) -> None:
    """On any table, up to rounding: the tree takes a cheapest allowed cut, and ends where there is none."""
    assume(len(table.rows) >= max(one.minimal_size for one in requirements))
    recoding, groups = fitted(table, requirements, cut="loss")
    tree = recoding.router
    assert isinstance(tree, CutTree)

    def walk(node: int, rows: Sequence[Row]) -> None:
        possible = [one for one in all_cuts(table, rows) if allowed(one, requirements, table)]
        if node < 0:
            assert not possible
            assert {row[:-1] for row in rows} == tuples(groups)[-1 - node]
            return
        taken = cut_at(table, rows, int(tree.column[node]), int(tree.threshold[node]), bool(tree.single[node]))
        assert allowed(taken, requirements, table)
        cheapest = min(table.loss(one.left) + table.loss(one.right) for one in possible)
        assert table.loss(taken.left) + table.loss(taken.right) <= cheapest + Fraction(1, 10**9)
        walk(int(tree.left[node]), taken.left)
        walk(int(tree.right[node]), taken.right)

    walk(0 if len(tree.column) else -1, table.rows)


def test_ties_go_to_the_first_column_and_the_lowest_value() -> None:
    """Two columns that are alike, and cuts that cost the same: the first column, the lowest threshold."""
    column = column_of(False, 3, False)
    rows = tuple((value, value, "a") for value in column.values for _ in range(2))
    table = Table((column, column), rows, EQUAL)
    # By loss the lowest threshold; at the median, the median's records left.
    for cut, thresholds in (("loss", [0, 1]), ("widest", [1, 0])):
        recoding, groups = fitted(table, [KAnonymity(2)], cut=cut)
        assert isinstance(recoding.router, CutTree)
        assert recoding.router.column.tolist() == [0, 0]
        assert recoding.router.threshold.tolist() == thresholds
        assert tuples(groups) == [{(value, value)} for value in column.values]


# Relaxed cuts


@some
@given(tables((1, 2, 3, 4, 6), 30), requirement_lists(), st.sampled_from(["loss", "widest"]), st.booleans())
def test_every_group_satisfies_every_requirement(
    table: Table, requirements: list[Requirement], cut: str, relaxed: bool
) -> None:
    assume(len(table.rows) >= max(one.minimal_size for one in requirements))
    _, groups = fitted(table, requirements, cut=cut, relaxed=relaxed)
    assert all(holds(one, group, table) for group in groups for one in requirements)
    assert Counter(row for group in groups for row in group) == Counter(table.rows)


@some
@given(tables((1, 2, 3, 4, 6), 30), st.integers(1, 8))
def test_relaxed_groups_are_smaller_than_2k_unless_all_their_records_are_equal(table: Table, k: int) -> None:
    """With k alone every group of at least 2k records that are not all equal is halved."""
    assume(k <= len(table.rows))
    _, groups = fitted(table, [KAnonymity(k)], cut="widest", relaxed=True)
    for group in groups:
        assert len(group) >= k
        assert len(group) < 2 * k or len({row[:-1] for row in group}) == 1


@some
@given(tables((2, 3, 4, 6), 30), st.integers(1, 8))
def test_relaxed_cuts_halve(table: Table, k: int) -> None:
    """The two sides of a relaxed cut differ by at most one record, and the left one is not the larger."""
    assume(2 * k <= len(table.rows))
    recoding, groups = fitted(table, [KAnonymity(k)], cut="widest", relaxed=True)
    tree = recoding.router
    assert isinstance(tree, CutTree)

    def size(node: int) -> int:
        if node < 0:
            return len(groups[-1 - node])
        left, right = size(int(tree.left[node])), size(int(tree.right[node]))
        assert right - left in (0, 1)
        return left + right

    assert size(0 if len(tree.column) else -1) == len(table.rows)
