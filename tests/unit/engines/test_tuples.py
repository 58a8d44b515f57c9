"""Cells that DuckDB keeps: what it is asked about them, beside the same cells in memory."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.core.counts import FirstCuts, LargeTable, Sets
from hedgerow.engines import FileSource
from hedgerow.engines import _coding as coding
from hedgerow.engines import _files as files
from hedgerow.engines._tuples import _smallest
from hedgerow.engines.source_file import File
from hedgerow.engines.workspace import Shares
from hedgerow.schema import Schema

ROWS = 4_000
TOWNS = 150  # as a set they take more than two words
RANDOM = np.random.default_rng(4)
CODES = np.stack([RANDOM.integers(0, TOWNS, ROWS), RANDOM.integers(0, 6, ROWS), RANDOM.integers(0, 3, ROWS)], axis=1)
ORDERS = [RANDOM.permutation(TOWNS).astype(np.int32), np.arange(6, dtype=np.int32)]
SCHEMA = Schema(quasi=["town", "job"], target="class")
# town ≤ 70, then town = 20, job ≤ 2 | job = 3: five leaves from left to right.
CUTS = FirstCuts([0, 0, 1, 1], [70, 20, 2, 3], [False, True, False, True], [1, -1, -2, -4], [3, 2, -3, -5])


@pytest.fixture(params=[1, 2], ids=["one key", "two keys"])
def large(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LargeTable:
    monkeypatch.setattr(coding, "_LARGEST_KEY", 2**62 if request.param == 1 else 1000)
    monkeypatch.setattr(files, "divided", lambda _limit: Shares(10**9, 10**9))
    monkeypatch.setattr(Shares, "most_tuples", lambda _self, _columns: 50)
    names = ("town", "job", "class")
    texts = {name: [f"{code:03}" for code in CODES[:, at]] for at, name in enumerate(names)}
    pq.write_table(pa.table(texts), tmp_path / "people.parquet")
    source = FileSource(File(tmp_path / "people.parquet"))
    counts = source.count(SCHEMA, SCHEMA.resolve(source.columns)).counted
    assert isinstance(counts, LargeTable)
    return counts


def cells() -> tuple[Ints, Longs]:
    """The distinct cells by their codes, in order, and how many records they have."""
    found, sizes = np.unique(CODES, axis=0, return_counts=True)
    return found.astype(np.int32), sizes.astype(np.int64)


def ranks(codes: Ints) -> Ints:
    return np.stack([order[codes[:, at]] for at, order in enumerate(ORDERS)], axis=1)


def leaves(codes: Ints) -> Ints:
    town, job = ranks(codes).T
    left = np.where(town == 20, 0, np.where(job <= 2, 1, 2))
    return np.where(town <= 70, left, np.where(job == 3, 3, 4))


@pytest.mark.parametrize("column", [0, 1])
@pytest.mark.parametrize("wanted", [[0, 1, 2, 3, 4], [1, 4], [3]])
def test_tallies(large: LargeTable, column: int, wanted: list[int]) -> None:
    large.kept.rank(ORDERS)
    found, sizes = cells()
    sets = Sets((0, 1), (3, 3 + TOWNS), 3)
    tally = large.kept.tally(CUTS, wanted, column, [0, 1], sets)
    values = large.kept.tally_values(CUTS, wanted, column, "class")
    keys = np.stack([leaves(found), ranks(found)[:, column]], axis=1)
    expected = [tuple(key) for key in np.unique(keys, axis=0).tolist() if key[0] in wanted]
    assert list(zip(tally.leaf.tolist(), tally.rank.tolist(), strict=True)) == expected
    of_values = {}
    for row, key in enumerate(expected):
        here = (keys == key).all(axis=1)
        assert (tally.cells[row], tally.records[row]) == (here.sum(), sizes[here].sum())
        assert tally.low[row].tolist() == ranks(found)[here].min(axis=0).tolist()
        assert tally.high[row].tolist() == ranks(found)[here].max(axis=0).tolist()
        bits = {3 + one for one in ranks(found)[here, 0]} | {3 + TOWNS + one for one in ranks(found)[here, 1]}
        words = sum(int(word) << 64 * at for at, word in enumerate(tally.words[row]))
        assert words == sum(1 << int(bit) for bit in bits)
        for code in np.unique(found[here, 2]).tolist():
            of_values[(*key, code)] = sizes[here & (found[:, 2] == code)].sum()
    told = zip(values.leaf.tolist(), values.rank.tolist(), values.code.tolist(), strict=True)
    assert dict(zip(told, values.records.tolist(), strict=True)) == of_values


def test_cells_in_the_order_of_leaves_and_of_groups(large: LargeTable) -> None:
    """They have numbers then, and are handed out and given groups by these."""
    found, sizes = cells()
    large.kept.rank(ORDERS)
    starts = large.kept.divide(CUTS, 5)
    order = np.lexsort((*found.T[::-1], leaves(found)))
    assert starts.tolist() == np.searchsorted(leaves(found)[order], np.arange(6)).tolist()
    held = large.part(int(starts[1]), int(starts[3]))
    here = order[starts[1] : starts[3]]
    assert np.array_equal(held.tuples[held.cell_tuple], found[here, :2])
    assert np.array_equal(held.cell_sizes, sizes[here])
    groups = RANDOM.integers(0, 4, len(found)).astype(np.int32)
    groups[groups == 2] = 3  # one has none
    large.kept.assign(0, groups[:300])
    large.kept.assign(300, groups[300:])
    assert large.kept.assigned(290, 310).tolist() == groups[290:310].tolist()
    again = large.kept.arrange(5)
    arranged = np.lexsort((*found[order].T[::-1], groups))
    assert again.tolist() == np.searchsorted(groups[arranged], np.arange(6)).tolist()
    some = np.array([300, 7, 7, 0, len(found) - 1])
    assert np.array_equal(large.kept.codes(some), found[order][arranged][some])
    assert len(large.kept.assigned(0, len(found))) == 0


def test_one_leaf(large: LargeTable) -> None:
    """Without a cut all cells are one leaf."""
    large.kept.rank([np.arange(TOWNS, dtype=np.int32), ORDERS[1]])
    nothing = FirstCuts([], [], [], [], [])
    tally = large.kept.tally(nothing, [0], 1, [], Sets((), (), 0))
    assert (tally.rank.tolist(), tally.cells.sum(), tally.records.sum()) == ([*range(6)], large.cells, ROWS)
    assert large.kept.divide(nothing, 1).tolist() == [0, large.cells]
    found, sizes = cells()
    chunks = [part.tuples[part.cell_tuple] for _, part in large.chunks(0, large.cells)]
    assert np.array_equal(np.concatenate(chunks), found[:, :2])
    assert max(map(len, chunks)) <= large.most
    for one, other in pairwise(chunks):
        assert tuple(one[-1]) != tuple(other[0]), "the cells of a tuple stay together"
    assert large.histogram("class").tolist() == np.bincount(found[:, 2], sizes).tolist()


@pytest.mark.parametrize(
    ("values", "kind"),
    [(1, "UTINYINT"), (256, "UTINYINT"), (257, "USMALLINT"), (2**16, "USMALLINT"), (2**16 + 1, "UINTEGER")],
)
def test_the_smallest_type(values: int, kind: str) -> None:
    assert _smallest(values) == kind
