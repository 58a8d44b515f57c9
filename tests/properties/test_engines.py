"""Random tables and recodings: both engines publish the same rows, and no more than there were."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.core.cells import PublishedKind
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, PublishedColumn, Recoding, publish_groups, shown_as
from hedgerow.engines import CountedSource, Source, open_source
from hedgerow.io.domains import CodeSets
from hedgerow.schema import Schema

SCHEMA = Schema(quasi=["a", "b"], sensitive=["s"], insensitive=["free", "number"], missing=("", "?"))

text = st.text(st.characters(exclude_characters="\0\r", codec="utf-8"), max_size=4)
row = st.fixed_dictionaries(
    {
        "a": st.one_of(st.none(), st.sampled_from(["x", "y", "?", "{x|y}", "*"])),
        "b": st.integers(-2, 3),
        "s": st.one_of(st.none(), st.sampled_from(["p", "q"])),
        "free": st.one_of(st.none(), text),
        "number": st.one_of(st.none(), st.integers(-5, 5)),
    }
)
tables = st.lists(row, min_size=1, max_size=25).filter(lambda rows: any(one["a"] not in (None, "?") for one in rows))


def as_arrow(rows: list[dict[str, Any]]) -> pa.Table:
    kinds = {"a": pa.string(), "b": pa.int64(), "s": pa.string(), "free": pa.string(), "number": pa.int64()}
    return pa.table({name: pa.array([one[name] for one in rows], kind) for name, kind in kinds.items()})


def count(source: Source) -> CountedSource:
    return source.count(SCHEMA, SCHEMA.resolve(source.columns))


def recoding_of(counts: FrequencyTable, dealt: int, groups: int) -> Recoding:
    """Deal the records of every cell to groups, and lose some, by a fixed rule."""
    cell = np.repeat(np.arange(len(counts.cell_sizes)), counts.cell_sizes)
    # Every group gets a record, so that each has something to publish; group -1 is lost.
    group = np.concatenate([np.arange(groups), (np.arange(len(cell)) * dealt) % (groups + 1) - 1])[: len(cell)]
    groups = int(group.max()) + 1
    pairs, sizes = np.unique(np.stack([cell, group], axis=1), axis=0, return_counts=True)
    pieces = Pieces(pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32), sizes.astype(np.int64))
    (first, second), values = publish_groups(counts, pieces, groups, shown_as(counts, "set"))
    kinds: tuple[PublishedKind, ...] = tuple("label" for _ in range(groups))
    numbered = PublishedColumn(
        second.domain,
        tuple(f"group {number}" for number in range(groups)),
        kinds,
        CodeSets.of(np.arange(groups + 1), np.zeros(groups, dtype=np.int32)),
    )
    values[:, 1] = np.arange(groups)
    sizes_of_groups = np.bincount(group[group >= 0], minlength=groups)
    return Recoding("by hand", counts.quasi, (first, numbered), values, sizes_of_groups, pieces)


def multiset(table: pa.Table) -> Counter[str]:
    return Counter(str(one) for one in table.to_pylist())


@examples(60)
@given(tables, st.integers(1, 7), st.integers(1, 4), st.randoms(use_true_random=False), st.integers(0, 9))
def test_both_engines_publish_the_same_rows(
    rows: list[dict[str, Any]], dealt: int, groups: int, random: Any, seed: int
) -> None:
    memory = count(open_source(as_arrow(rows)))
    shuffled = random.sample(rows, len(rows))
    recoding = recoding_of(memory.counts, dealt, groups)
    published = memory.apply(recoding, str(seed)).table
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        pq.write_table(as_arrow(shuffled), path)
        file = count(open_source(path))
        staged = file.apply(recoding_of(file.counts, dealt, groups), str(seed), Path(folder) / "out.parquet")
        assert multiset(pq.read_table(staged.native)) == multiset(published)
    assert published.num_rows == len(rows) - recoding.lost
    # What is published as it was is a part of what came in.
    kept = ("s", "free", "number")
    came = Counter(tuple(one[name] for name in kept) for one in rows)
    went = Counter(tuple(one[name] for name in kept) for one in published.to_pylist())
    assert went <= came
    sizes = Counter(one["b"] for one in published.to_pylist())
    assert sizes == {f"group {at}": size for at, size in enumerate(recoding.sizes.tolist()) if size}
