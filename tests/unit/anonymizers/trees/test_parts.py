"""Trees of tables that do not fit into memory: node by node those that are grown in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.anonymizers.trees import out_of_core as pruning
from hedgerow.anonymizers.trees.inducers.c45 import induce_c45
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.anonymizers.trees.out_of_core import OpenTree, induce_c45_in_parts
from hedgerow.anonymizers.trees.training import Least, training_table
from hedgerow.core.counts import FrequencyTable, LargeTable
from hedgerow.engines import FileSource
from hedgerow.engines import _files as files
from hedgerow.engines.source_file import File
from hedgerow.engines.workspace import Shares
from hedgerow.schema import Schema


def noisy(seed: int, rows: int, noise: float) -> pa.Table:
    """Labels that depend on the columns, with noise: nodes of all kinds, of which some are raised."""
    random = np.random.default_rng(seed)
    age, hours = random.integers(0, random.integers(2, 40), rows), random.integers(0, 12, rows)
    town = random.choice(list("abcdef"), rows, p=[0.4, 0.3, 0.1, 0.1, 0.05, 0.05])
    job = random.choice(list("uvwxyz"), rows, p=[0.4, 0.3, 0.2, 0.06, 0.03, 0.01])
    score = (age > 12) + 2 * np.isin(town, ["a", "b"]) * (hours > 5) + (job == "u") * (age > 20)
    label = np.where(random.random(rows) < noise, random.integers(0, 3, rows), score % 3)
    return pa.table({"age": age, "town": town, "hours": hours, "job": job, "one": ["x"] * rows, "class": label})


def counted(path: Path, most: int, quasi: list[str]) -> FrequencyTable | LargeTable:
    shares = Shares(10**9, 10**9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "divided", lambda _limit: shares)
        patch.setattr(Shares, "most_tuples", lambda _self, _columns: most)
        source = FileSource(File(path))
        schema = Schema(quasi=quasi, target="class", kinds={"class": "text"})
        return source.count(schema, schema.resolve(source.columns)).counted


def both(table: pa.Table, folder: Path, most: int, least: int | Least) -> tuple[ClassificationTree, ClassificationTree]:
    """The tree from memory, and that from parts."""
    pq.write_table(table, folder / "people.parquet")
    quasi = [name for name in table.column_names if name != "class"]
    counts = counted(folder / "people.parquet", 10**6, quasi)
    large = counted(folder / "people.parquet", most, quasi)
    assert isinstance(counts, FrequencyTable)
    assert isinstance(large, LargeTable)
    rows = training_table(counts, least, "a test")
    whole = induce_c45(rows.columns, rows.labels, rows.classes, rows.weights, min_objects=least)
    return whole, induce_c45_in_parts(large, "class", least)


def assert_same(whole: ClassificationTree, parts: ClassificationTree) -> None:
    assert parts.export_text() == whole.export_text()
    assert np.array_equal(parts.nodes.links, whole.nodes.links)
    assert np.array_equal(parts.nodes.counts, whole.nodes.counts)
    assert np.array_equal(parts.nodes.bag, whole.nodes.bag)


@pytest.mark.parametrize("noise", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("seed", range(5))
def test_trees_are_the_same(seed: int, noise: float, tmp_path: Path) -> None:
    for most, least in ((12, 1), (40, 2), (40, 7)):
        assert_same(*both(noisy(seed, 400, noise), tmp_path, most, least))


@pytest.mark.parametrize("node", [30, 90])
def test_small_nodes_are_leaves_in_both(node: int, tmp_path: Path) -> None:
    """With at most 40 cells in memory, first nodes and parts are both below and above these sizes."""
    whole, parts = both(noisy(3, 400, 0.3), tmp_path, 40, Least(1, node))
    assert_same(whole, parts)
    inner = whole.nodes.column >= 0
    assert whole.nodes.counts[inner].sum(axis=1).min() >= node
    assert len(both(noisy(3, 400, 0.3), tmp_path, 40, 1)[0].nodes) > len(whole.nodes)


def test_all_ways_of_pruning_are_met(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the test above compares: first nodes become leaves, are raised, and what was raised is pruned again."""
    met: dict[str, int] = {}
    pruning_first_nodes: list[bool] = []
    prune_first_nodes = pruning.prune_first_nodes

    def counting(owner: Any, name: str) -> None:
        plain = getattr(owner, name)

        def counted(*arguments: Any) -> Any:
            if pruning_first_nodes:
                met[name] = met.get(name, 0) + 1
            return plain(*arguments)

        monkeypatch.setattr(owner, name, counted)

    def observed(*arguments: Any) -> None:
        pruning_first_nodes.append(True)
        prune_first_nodes(*arguments)
        pruning_first_nodes.clear()

    monkeypatch.setattr(pruning, "prune_first_nodes", observed)
    counting(pruning._Pruning, "decide")
    counting(pruning._Pruning, "_prune_raised")
    counting(pruning, "raise_and_prune")
    counting(OpenTree, "graft")
    for seed in range(8):
        both(noisy(seed, 400, 0.6), tmp_path, 12, 1)
    assert set(met) == {"decide", "_prune_raised", "raise_and_prune", "graft"}
    assert met["_prune_raised"] > met["raise_and_prune"], "some of what is raised does not fit either"


def test_a_first_node_with_branches_of_the_same_size(tmp_path: Path) -> None:
    """Of branches with equally many records the last one is raised, if it is."""
    found = 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        rows = 240
        side = np.repeat(["a", "b"], rows // 2)
        x, y = random.integers(0, 9, rows), random.integers(0, 9, rows)
        label = np.where(random.random(rows) < 0.25, side == "a", (x > 4) ^ ((side == "b") & (y > 6)))
        whole, parts = both(pa.table({"side": side, "x": x, "y": y, "class": label.astype(int)}), tmp_path, 20, 2)
        assert_same(whole, parts)
        found += len(whole.nodes.links) > 1
    assert found > 6
