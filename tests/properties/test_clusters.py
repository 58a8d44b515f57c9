"""k-member against one written anew on lists of records, with exact fractions; and what both methods keep."""

from __future__ import annotations

import math
import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st
from weights import even_weights

from hedgerow import OKA, Infeasible, KAnonymity, KMember, LDiversity, Schema, TCloseness
from hedgerow.anonymizers.merge import k_member as module
from hedgerow.anonymizers.merge._clusters import cluster_blocks
from hedgerow.anonymizers.merge.k_member import grown_from
from hedgerow.core.metrics import ncp
from hedgerow.core.recoding import Recoding
from hedgerow.release import pipeline
from hedgerow.requirements import Requirement

PLAIN = os.environ.get("NUMBA_DISABLE_JIT") == "1"
some = examples(20 if PLAIN else 150, suppress_health_check=[HealthCheck.too_slow])

Record = tuple[Any, ...]
Group = Counter[Record]


@dataclass(frozen=True)
class Table:
    """Records, the last entry of each the illness; the columns as their values in order, missing last."""

    columns: tuple[tuple[Any, ...], ...]
    records: tuple[Record, ...]
    weights: tuple[Fraction, ...]

    def loss(self, records: Sequence[Record]) -> Fraction:
        """What one record loses in the box around some."""
        total = Fraction(0)
        for at, (values, weight) in enumerate(zip(self.columns, self.weights, strict=True)):
            held = {record[at] for record in records}
            if len(held) < 2:
                continue
            known = [value for value in values if value is not None]
            if isinstance(known[0], str):
                total += weight * Fraction(len(held) - 1, len(values) - 1)
            elif None in held:
                total += weight
            else:
                total += weight * Fraction(max(held) - min(held), known[-1] - known[0])
        return total

    def place(self, record: Record) -> list[int]:
        """By which records are in order."""
        return [*(values.index(value) for values, value in zip(self.columns, record, strict=False)), ord(record[-1])]


def holds(requirements: Sequence[Requirement], group: Group, table: Table) -> bool:
    return all(_holds(one, group, table) for one in requirements)


def _holds(requirement: Requirement, group: Group, table: Table) -> bool:
    size = group.total()
    if isinstance(requirement, KAnonymity):
        return size >= requirement.k
    ill: Counter[str] = Counter()
    for record, count in group.items():
        ill[record[-1]] += count
    if isinstance(requirement, TCloseness):
        overall = Counter(record[-1] for record in table.records)
        gaps = (abs(ill[value] / size - count / len(table.records)) for value, count in overall.items())
        return sum(gaps) / 2 <= requirement.t + 1e-12
    assert isinstance(requirement, LDiversity)
    if requirement.kind == "distinct":
        return len(ill) >= requirement.l
    return -sum(count / size * math.log(count / size) for count in ill.values()) >= math.log(requirement.l) - 1e-12


def reference(table: Table, requirements: Sequence[Requirement], start: Record) -> list[Group]:
    """k-member, record by record; the requirements must be such that further records break none."""
    k = max(one.minimal_size for one in requirements)
    left = Counter(table.records)
    held = [Counter(record[at] for record in table.records) for at in range(len(table.columns))]
    rare = {one: sum(Fraction(1, held[at][one[at]]) for at in range(len(held))) for one in left}
    in_order = sorted(left, key=table.place)
    order = sorted(in_order, key=lambda one: -rare[one])
    groups: list[Group] = []
    for row in dict.fromkeys(record[:-1] for record in in_order):
        equal = Counter({record: count for record, count in left.items() if record[:-1] == row})
        if holds(requirements, equal, table):
            groups.append(equal)
            left -= equal
    assume(left.total() > 0)
    last = start
    while left.total() >= k:
        group: Group = Counter()
        taken = max((one for one in order if left[one]), key=lambda one: table.loss([last, one]))
        while True:
            number = min(left[taken], max(k - group.total(), 1))
            group[taken] += number
            left[taken] -= number
            last = taken
            if holds(requirements, group, table) or not left.total():
                break
            taken = min((one for one in order if left[one]), key=lambda one: table.loss([*group, one]))
        if not holds(requirements, group, table):
            left += group
            break
        groups.append(group)
    if not groups:
        return [+left]
    for one in (record for record in order for _ in range(left[record])):
        min(groups, key=lambda group: increase(table, group, one))[one] += 1
    return groups


def increase(table: Table, group: Group, record: Record) -> Fraction:
    return (group.total() + 1) * table.loss([*group, record]) - group.total() * table.loss(list(group))


@st.composite
def tables(draw: st.DrawFn, most: int) -> Table:
    """Every value occurs, and one less than their number is a power of two: losses are exact, and ties are ties."""
    columns = []
    for _ in range(draw(st.integers(1, 3))):
        size = draw(st.sampled_from((1, 2, 3, 5, 9)))
        numeric, missing = draw(st.booleans()), draw(st.booleans()) and size > 1
        known = list(range(size)) if numeric else [f"v{at}" for at in range(size - missing)]
        columns.append((*known, *([None] if missing else [])))
    chance = random.Random(draw(st.integers(0, 2**32)))
    rows = draw(st.integers(max(map(len, columns)), most))
    filled = []
    for values in columns:
        cells = [*values, *chance.choices(values, k=rows - len(values))]
        chance.shuffle(cells)
        filled.append(cells)
    ill = [chance.choice("abc") for _ in range(rows)]
    records = list(zip(*filled, ill, strict=True))
    records += chance.choices(records, k=draw(st.integers(0, rows)))
    return Table(tuple(columns), tuple(records), draw(even_weights(len(columns))))


def counted(table: Table, requirements: Sequence[Requirement]) -> pipeline.Prepared:
    names = [f"q{at}" for at in range(len(table.columns))]
    columns = {name: [record[at] for record in table.records] for at, name in enumerate([*names, "ill"])}
    weights = {name: float(weight) for name, weight in zip(names, table.weights, strict=True)}
    schema = Schema(quasi=names, sensitive=["ill"], weights=weights)
    try:
        return pipeline.prepare(pa.table(columns), schema, requirements, random_state=0)
    except Infeasible:
        assume(False)
        raise


def groups_of(table: Table, job: pipeline.Prepared, recoding: Recoding) -> list[Group]:
    counts, pieces = job.counts, recoding.pieces
    assert pieces is not None
    ill = counts.domains["ill"].labels[counts.values_of("ill")].tolist()
    groups: list[Group] = [Counter() for _ in recoding.sizes]
    for cell, group, size in zip(pieces.cell.tolist(), pieces.group, pieces.size, strict=True):
        codes = counts.tuples[counts.cell_tuple[cell]]
        row = [values[code] for values, code in zip(table.columns, codes, strict=True)]
        groups[group][(*row, ill[cell])] += int(size)
    return groups


@some
@given(tables(16), st.integers(1, 5), st.sampled_from([0, 2, 3]), st.sampled_from([0, 1, 3, 256]), st.data())
def test_k_member_is_the_reference(table: Table, k: int, diversity: int, at_hand: int, data: st.DataObject) -> None:
    """However few candidates are kept at hand."""
    requirements = [KAnonymity(k), *([LDiversity(diversity, "ill")] if diversity else [])]
    assume(len(table.records) >= max(k, diversity))
    job = counted(table, requirements)
    units = sorted(set(table.records), key=table.place)
    start = data.draw(st.integers(0, len(units) - 1))
    expected = reference(table, requirements, units[start])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CANDIDATES", at_hand)
        recoding = cluster_blocks(
            "k-member",
            job.counts,
            job.requirements,
            lambda block, _: grown_from(block, start),
            seed=0,
            improve=False,
            publish="auto",
        )
    assert sorted(map(str, map(_sorted, groups_of(table, job, recoding)))) == sorted(map(str, map(_sorted, expected)))


def _sorted(group: Group) -> list[tuple[str, int]]:
    return sorted((str(record), count) for record, count in group.items() if count)


@st.composite
def requirement_lists(draw: st.DrawFn) -> list[Requirement]:
    further: list[Requirement] = [
        LDiversity(draw(st.integers(2, 3)), "ill"),
        LDiversity(draw(st.sampled_from([1.5, 2, 2.5])), "ill", "entropy"),
        TCloseness(draw(st.sampled_from([0.2, 0.35, 0.5])), "ill"),
    ]
    return [
        KAnonymity(draw(st.integers(1, 6))),
        *draw(st.lists(st.sampled_from(further), max_size=2, unique_by=type)),
    ]


@some
@given(tables(24), requirement_lists(), st.sampled_from([KMember, OKA]), st.integers(0, 5))
def test_every_class_satisfies_every_requirement_and_no_record_is_lost(
    table: Table, requirements: list[Requirement], method: Any, seed: int
) -> None:
    assume(len(table.records) >= max(one.minimal_size for one in requirements))
    job = counted(table, requirements)
    losses = []
    for improve in (False, True):
        recoding = method(improve=improve).fit_counts(job.counts, job.requirements, seed=seed)
        groups = groups_of(table, job, recoding)
        assert all(holds(requirements, group, table) for group in groups)
        assert sum(groups, Counter()) == Counter(table.records)
        assert [group.total() for group in groups] == recoding.sizes.tolist()
        losses.append(ncp(job.counts, recoding))
    assert losses[1] <= losses[0] + 1e-9


@some
@given(tables(24), st.integers(2, 6), st.integers(0, 5))
def test_clusters_of_k_member_have_k_records_but_for_equal_ones_and_the_rest(table: Table, k: int, seed: int) -> None:
    """With k alone, fewer than k records are left over, and only clusters of equal ones have more than k besides."""
    assume(k <= len(table.records))
    job = counted(table, [KAnonymity(k)])
    groups = groups_of(table, job, KMember().fit_counts(job.counts, job.requirements, seed=seed))
    equal = Counter(record[:-1] for record in table.records)
    beyond = sum(max(count - k, 0) for count in equal.values() if count >= k)
    assert sum(group.total() - k for group in groups) - beyond < k
    assert np.min([group.total() for group in groups]) >= k
