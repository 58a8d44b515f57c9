"""Merging on the first table of the paper on the proportional representation, section II-A, table I."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from box_kernels import enclose

from hedgerow import KAnonymity, Schema
from hedgerow.anonymizers.boxes.layout import described
from hedgerow.anonymizers.merge._blocks import merge_blocks
from hedgerow.anonymizers.merge.greedy import Greedy
from hedgerow.core.metrics import nllm
from hedgerow.core.recoding import Recoding, shown_as
from hedgerow.release import pipeline

TABLE_1: dict[str, Any] = json.loads((Path(__file__).parent / "proportional_table_1.json").read_text(encoding="utf-8"))
NAMES = TABLE_1["columns"]


@pytest.fixture
def job() -> pipeline.Prepared:
    table = pa.table({name: [row[at] for row in TABLE_1["rows"]] for at, name in enumerate(NAMES)})
    schema = Schema(quasi=NAMES, hierarchies=TABLE_1["taxonomies"])
    return pipeline.prepare(table, schema, [KAnonymity(TABLE_1["k"])], random_state=0)


def tuple_numbers(job: pipeline.Prepared) -> list[int]:
    """The tuple of each printed row."""
    labels = [
        [str(job.counts.domains[name].labels[code]) for name, code in zip(NAMES, codes, strict=True)]
        for codes in job.counts.tuples
    ]
    return [labels.index(row) for row in TABLE_1["rows"]]


def released(job: pipeline.Prepared, recoding: Recoding) -> dict[tuple[str | None, ...], list[int]]:
    """Which printed rows are published as what."""
    assert recoding.pieces is not None
    group = recoding.pieces.group
    found: dict[tuple[str | None, ...], list[int]] = {}
    for row, number in enumerate(tuple_numbers(job), start=1):
        values = recoding.groups[group[number]]
        texts = tuple(column.texts[value] for column, value in zip(recoding.columns, values, strict=True))
        found.setdefault(texts, []).append(row)
    return found


def written(stated: dict[str, Any]) -> dict[tuple[str, ...], list[int]]:
    return {tuple(values): group for values, group in zip(stated["values"], stated["groups"], strict=True)}


def printed_groups(job: pipeline.Prepared) -> list[int]:
    """The printed group of each tuple."""
    groups = TABLE_1["printed"]["groups"]
    by_tuple = {number: row for row, number in enumerate(tuple_numbers(job), start=1)}
    return [next(at for at, group in enumerate(groups) if by_tuple[number] in group) for number in sorted(by_tuple)]


def test_merging_the_printed_groups_gives_table_1b(job: pipeline.Prepared) -> None:
    """Table Ib: the first three rows become (*, mammals), the others (*, cetaceans)."""
    shown = shown_as(job.counts, "label")
    whole = described(job.counts, "nllm", shown)
    groups = np.array(printed_groups(job), dtype=np.int64)
    recoding = merge_blocks(
        "printed",
        job.counts,
        job.requirements,
        whole,
        lambda _: groups,
        improve=False,
        shown=shown,
    )
    assert released(job, recoding) == written(TABLE_1["printed"])
    assert nllm(job.counts, recoding) == pytest.approx(TABLE_1["derived"]["nllm_of_printed"], abs=1e-6)


def test_boxes_meet_where_table_1b_says(job: pipeline.Prepared) -> None:
    """Table Ib, as the kernels find it: box around box, whichever comes first."""
    numbers = tuple_numbers(job)
    for group, values in zip(TABLE_1["printed"]["groups"], TABLE_1["printed"]["values"], strict=True):
        for turned in (group, group[::-1]):
            shape, boxes, _, _ = described(job.counts, "nllm", shown_as(job.counts, "label")).whole()
            first, *others = (numbers[row - 1] for row in turned)
            for other in others:
                enclose(shape, boxes, first, boxes, other)
            hierarchies = [job.counts.hierarchies[name] for name in NAMES]
            # The nodes of a hierarchy are numbered after those of the one before.
            before = np.cumsum([0, *(len(one.parent) for one in hierarchies[:-1])])
            nodes = boxes.nodes[first] - before
            labels = [one.labels[node] for one, node in zip(hierarchies, nodes, strict=True)]
            assert labels == values


def test_greedy_finds_the_best_partition(job: pipeline.Prepared) -> None:
    """Algorithm 1 with the increase of the lost leaves as cost, worked out by hand: NLLM 0.5, which is the optimum."""
    stated = TABLE_1["derived"]["greedy_increase"]
    recoding = Greedy(preset="paper").fit_counts(job.counts, job.requirements)
    assert released(job, recoding) == written(stated)
    assert nllm(job.counts, recoding) == pytest.approx(stated["nllm"])
