"""Blocks of a large table, and what is published of the classes found in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KACA, Greedy, KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.boxes.layout import described
from hedgerow.anonymizers.merge._blocks import Block, merge_blocks
from hedgerow.anonymizers.partition import cuts as blocks
from hedgerow.core.recoding import Publish, Recoding, shown_as
from hedgerow.release import pipeline


@pytest.fixture
def job() -> pipeline.Prepared:
    draw = np.random.default_rng(3)
    table = pa.table(
        {
            "age": draw.integers(18, 90, 600),
            "town": draw.choice([f"t{at}" for at in range(30)], 600),
            "ill": draw.choice(["flu", "cold", "ulcer"], 600),
        }
    )
    schema = Schema(quasi=["age", "town"], sensitive=["ill"])
    return pipeline.prepare(table, schema, [KAnonymity(4), LDiversity(2, "ill")], random_state=0)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "EXACT", 100)
    monkeypatch.setattr(blocks, "_BLOCK", 40)


def groups_of_tuples(job: pipeline.Prepared, recoding: Recoding) -> list[int]:
    assert recoding.pieces is not None
    return [
        int(recoding.pieces.group[at])
        for at in np.searchsorted(job.counts.cell_tuple, np.arange(len(job.counts.tuples)))
    ]


def merged(job: pipeline.Prepared, classes: Any, publish: Publish = "label") -> Recoding:
    shown = shown_as(job.counts, publish)
    whole = described(job.counts, "ncp", shown)
    return merge_blocks("own", job.counts, job.requirements, whole, classes, improve=False, shown=shown)


def test_few_rows_are_one_block(job: pipeline.Prepared) -> None:
    parts: list[Block] = []

    def all_in_one(part: Block) -> Any:
        parts.append(part)
        return np.zeros(len(part.tuples), dtype=np.int64)

    recoding = merged(job, all_in_one)
    assert recoding.sizes.tolist() == [600]
    assert recoding.facts == {"blocks": 1}
    assert parts[0].tuples.tolist() == list(range(len(job.counts.tuples)))


@pytest.mark.usefixtures("small_blocks")
def test_blocks_hold_every_tuple_once_with_its_own_records(job: pipeline.Prepared) -> None:
    parts: list[Block] = []

    def one_class(part: Block) -> Any:
        parts.append(part)
        return np.full(len(part.tuples), 7, dtype=np.int64)

    recoding = merged(job, one_class, "interval")
    counts = job.counts
    assert len(parts) == recoding.facts["blocks"] > 3
    assert sorted(at for part in parts for at in part.tuples.tolist()) == list(range(len(counts.tuples)))
    groups = groups_of_tuples(job, recoding)
    assert all(len({groups[at] for at in part.tuples}) == 1 for part in parts)
    assert len(recoding.sizes) == len(parts)
    shape, boxes, _, _ = described(counts, "ncp", shown_as(counts, "interval")).whole()
    for part in parts:
        assert part.boxes.ends.tolist() == boxes.ends[part.tuples].tolist()
        # Two tuples share a bit where they share a value, whose bit depends on the block.
        shared, here = (
            np.bitwise_and.outer(bits, bits) > 0 for bits in (boxes.bits[part.tuples, 0], part.boxes.bits[:, 0])
        )
        assert here.tolist() == shared.tolist()
        for unit, number in enumerate(part.tuples.tolist()):
            cells = slice(part.units.cells[unit], part.units.cells[unit + 1])
            own = counts.cell_tuple == number
            assert part.units.weight[unit] == counts.tuple_sizes[number]
            assert part.units.cell_size[cells].tolist() == counts.cell_sizes[own].tolist()
            assert part.units.values[cells, 0].tolist() == counts.values_of("ill")[own].tolist()
    assert shape.scale.tolist() == parts[0].shape.scale.tolist()


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("parameters", [{}, {"improve": True}, {"metric": "ncp", "publish": "interval"}], ids=str)
def test_merging_in_blocks_keeps_the_requirements(job: pipeline.Prepared, parameters: dict[str, Any]) -> None:
    """The verifier says so; no two groups are published alike, though blocks meet in the same labels."""
    recoding = Greedy(**parameters).fit_counts(job.counts, job.requirements)
    release = pipeline.finish(job, recoding, {})
    assert release.facts["blocks"] > 3
    assert release.audit.k >= 4
    rows = {tuple(row) for row in recoding.groups.tolist()}
    assert len(rows) == len(recoding.groups) == release.audit.classes.number


@pytest.mark.usefixtures("small_blocks")
def test_classes_do_not_depend_on_the_cores(job: pipeline.Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    several = [
        groups_of_tuples(job, method.fit_counts(job.counts, job.requirements, seed=5)) for method in (Greedy(), KACA())
    ]
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    one = [
        groups_of_tuples(job, method.fit_counts(job.counts, job.requirements, seed=5)) for method in (Greedy(), KACA())
    ]
    assert one == several


def test_groups_are_numbered_by_their_first_tuple_whatever_the_kernel_calls_them(job: pipeline.Prepared) -> None:
    half = len(job.counts.tuples) // 2
    late = np.arange(len(job.counts.tuples)) >= half
    recoding = merged(job, lambda _: np.where(late, 10, 90), "interval")
    assert groups_of_tuples(job, recoding) == late.tolist()
    assert recoding.sizes.tolist() == [int(job.counts.tuple_sizes[late == at].sum()) for at in (False, True)]


def test_groups_that_are_written_alike_are_one(job: pipeline.Prepared) -> None:
    """Every second tuple: both groups have all towns and ages between them, and are hidden by their hierarchies."""
    recoding = merged(job, lambda part: np.arange(len(part.tuples)) % 2)
    assert recoding.sizes.tolist() == [600]
    assert [column.texts[value] for column, value in zip(recoding.columns, recoding.groups[0], strict=True)] == [
        "*",
        "*",
    ]
