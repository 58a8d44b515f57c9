"""Bags that go up from leaves that are not in memory: they hold what the kernel's bags hold, record by record."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow._internal.arrays import Ints
from hedgerow.anonymizers.suppression import _out_of_core as out_of_core
from hedgerow.anonymizers.suppression._out_of_core import PrunedOutOfCore, prune_out_of_core
from hedgerow.anonymizers.suppression._pruning import PrunedTree, Reading, pruned
from hedgerow.anonymizers.trees.nodes.paths import PathTree
from hedgerow.anonymizers.trees.out_of_core import induce_c45_in_parts
from hedgerow.core.counts import FrequencyTable, LargeTable
from hedgerow.engines import FileSource
from hedgerow.engines import _files as files
from hedgerow.engines.source_file import File
from hedgerow.engines.workspace import Shares
from hedgerow.requirements import AlphaK, KAnonymity, LDiversity, Requirement, TCloseness
from hedgerow.schema import Schema

Held = Counter[tuple[int, ...]]
MOST = 60
SCHEMA = Schema(quasi=["town", "age", "job"], sensitive=["ill"], target="class")
REQUIREMENTS: dict[str, list[Requirement]] = {
    "k": [],
    "l": [LDiversity(2, "ill")],
    "t": [TCloseness(0.45, "ill")],
    "alpha": [AlphaK(0.7, 2, "ill")],
}


def people(seed: int) -> pa.Table:
    """Many towns with few people, some with many, of which some are ill in one way only."""
    random = np.random.default_rng(seed)
    rows = 300
    town = np.minimum(random.geometric(random.choice([0.1, 0.25]), rows), 18)
    age, job = random.integers(0, 5, rows), random.choice(list("uvw"), rows)
    label = np.where(random.random(rows) < 0.15, random.integers(0, 2, rows), (town + (job == "u") * (age > 2)) % 2)
    ill = np.where((town % 3 == 0) & (random.random(rows) < 0.9), 0, random.integers(0, 3, rows))
    columns = {"town": town, "age": age, "job": job, "ill": ill, "class": label}
    return pa.table({name: [f"{one:>02}" for one in values.tolist()] for name, values in columns.items()})


def counted(path: Path, most: int) -> FrequencyTable | LargeTable:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "divided", lambda _limit: Shares(10**9, 10**9))
        patch.setattr(Shares, "most_tuples", lambda _self, _columns: most)
        source = FileSource(File(path))
        return source.count(SCHEMA, SCHEMA.resolve(source.columns)).counted


def codes_of(counts: FrequencyTable) -> Ints:
    """The codes of every cell."""
    others = [counts.values_of(name) for name in ("class", "ill")]
    return np.column_stack([counts.tuples[counts.cell_tuple], *others])


def in_memory(outcome: PrunedTree, counts: FrequencyTable) -> Held:
    nodes = np.flatnonzero(outcome.released)
    entry, owner = outcome.entries(nodes)
    found: Held = Counter()
    codes = codes_of(counts)[outcome.bags.cell[entry]]
    for node, cell, size in zip(nodes[owner].tolist(), codes.tolist(), outcome.bags.size[entry].tolist(), strict=True):
        found[node, *cell] += size
    return found


def in_parts(outcome: PrunedOutOfCore, large: LargeTable) -> Held:
    found: Held = Counter()
    parts = [counts for _, counts in large.chunks(0, large.cells)]
    codes = np.concatenate([codes_of(counts) for counts in parts]).tolist()
    sizes = np.concatenate([counts.cell_sizes for counts in parts])
    moved = outcome.moved
    for cell, node, size in zip(moved.cell.tolist(), moved.group.tolist(), moved.size.tolist(), strict=True):
        assert size > 0
        found[node, *codes[cell]] += size
    leaf = np.searchsorted(outcome.starts, np.arange(large.cells), side="right") - 1
    for cell in np.setdiff1d(np.arange(large.cells), moved.cell).tolist():
        found[int(leaf[cell]), *codes[cell]] += int(sizes[cell])
    return found


def assert_same(
    table: pa.Table, folder: Path, most: int, requirements: list[Requirement], seed: int
) -> PrunedOutOfCore:
    """Hand up from parts what is handed up in memory."""
    pq.write_table(table, folder / "people.parquet")
    counts, large = (counted(folder / "people.parquet", room) for room in (10**6, most))
    assert isinstance(counts, FrequencyTable)
    assert isinstance(large, LargeTable)
    grown = induce_c45_in_parts(large, "class", 2)
    tree = PathTree.from_classification(grown, [large.domains[name] for name in large.quasi])
    expected = pruned(tree, counts, requirements, Reading(keep_all=True), seed)
    found = prune_out_of_core(tree, large, requirements, seed)
    assert found.released.tolist() == expected.released.tolist()
    assert found.borrowed.tolist() == expected.borrowed.tolist()
    assert in_parts(found, large) == in_memory(expected, counts)
    assert sum(in_parts(found, large).values()) == counts.rows
    return found


@pytest.mark.parametrize("require", REQUIREMENTS)
@pytest.mark.parametrize("k", [4, 9, 25])
def test_bags_are_the_same(k: int, require: str, tmp_path: Path) -> None:
    for seed in range(4):
        assert_same(people(seed), tmp_path, MOST, [KAnonymity(k), *REQUIREMENTS[require]], seed)


@pytest.mark.parametrize(("donors", "borrowed"), [(12, 0), (13, 3), (14, 3)])
def test_siblings_that_can_spare_just_enough(donors: int, borrowed: int, tmp_path: Path) -> None:
    """Of ten that are required seven are there; what cannot be lent goes up to the root, which has enough to choose."""
    rows = [("a", "u", "yes")] * donors + [("b", "u", "no")] * 7 + [("a", "v", "maybe")] * 40
    town, job, label = zip(*rows, strict=True)
    ill = [str(number % 3) for number in range(len(rows))]
    table = pa.table({"town": town, "age": ["1"] * len(rows), "job": job, "ill": ill, "class": label})
    found = assert_same(table, tmp_path, 4, [KAnonymity(10)], 1)
    assert found.borrowed[1:].sum() == borrowed
    assert found.borrowed.sum() == 3


def grouped(*groups: tuple[str, str, str, str]) -> pa.Table:
    """So many rows as there are signs in what they are ill of: town, job, class, and one sign for each row."""
    rows = [(town, "1", job, ill, label) for town, job, label, ills in groups for ill in ills]
    return pa.table(dict(zip(("town", "age", "job", "ill", "class"), zip(*rows, strict=True), strict=True)))


def test_a_leaf_that_has_lent_goes_to_the_root(tmp_path: Path) -> None:
    """Four of one illness are left there, and neither lending nor the first group that joins them is enough."""
    table = grouped(
        *(("a", "u", "yes", "1212121212121"), ("b", "u", "no", "0000000")),
        *(("a", "v", "maybe", "121212121212121"), ("a", "w", "rare", "0000")),
    )
    found = assert_same(table, tmp_path, 4, [KAnonymity(10), AlphaK(0.75, 2, "ill")], 1)
    assert (found.borrowed.sum(), found.released.sum()) == (3, 2)


def test_a_donor_that_would_not_comply_any_more_lends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others lend what it does not, each record of theirs as likely as any: what the one could spare counts no more.

    It holds as many of one illness as it may, so that it mostly refuses.
    """
    table = grouped(
        *(("a", "u", "yes", "1112" * 6), ("b", "u", "no", "0")),
        *(("c", "u", "rare", "12" * 10), ("d", "u", "last", "12" * 8)),
    )
    refused = 0
    plain = out_of_core._Bags._can_lend

    def can_lend(self: out_of_core._Bags, loan: out_of_core._Loan) -> bool:
        nonlocal refused
        refused += not plain(self, loan)
        return plain(self, loan)

    monkeypatch.setattr(out_of_core._Bags, "_can_lend", can_lend)
    for seed in range(8):
        found = assert_same(table, tmp_path, 4, [KAnonymity(10), AlphaK(0.75, 2, "ill")], seed)
        assert found.borrowed.sum() == 9
    assert refused >= 3
