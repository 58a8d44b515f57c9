"""Metrics on the papers' worked tables: papers/002 (figures 6, 9, 10, 19) and papers/004 (table I).

``metrics.json`` holds, for each example, the distinct input rows with their counts, the taxonomies, and for each
release the published row of every input row.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from hedgerow.core.cells import PublishedKind
from hedgerow.core.counts import FrequencyTable, encode_column
from hedgerow.core.metrics import (
    all_losses,
    classification,
    discernibility,
    distortion,
    nllm,
    prec,
    row_ratio,
    suppression,
)
from hedgerow.core.recoding import Pieces, PublishedColumn, Recoding
from hedgerow.hierarchies import taxonomy
from hedgerow.schema import Schema

EXAMPLES: dict[str, Any] = json.loads(Path(__file__).with_name("metrics.json").read_text(encoding="utf-8"))
SEARCH = EXAMPLES["heuristicmin_section_4_3"]
CASE = EXAMPLES["heuristicmin_case_3"]
MERGE = EXAMPLES["proportional_table_1"]


def counted(example: dict[str, Any]) -> tuple[FrequencyTable, NDArray[np.int32]]:
    """The example as a frequency table, and the cell of each input row."""
    names = example["columns"]
    rows = example["rows"]
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    roles = Schema(quasi=names, target="class").resolve([*names, "class"])
    columns["class"] = example.get("classes", ["one"] * len(rows))
    encoded = {name: encode_column(name, pa.array(cells)) for name, cells in columns.items()}
    weights = np.array([row[-1] for row in rows], dtype=np.int64)
    counts, row_cell = FrequencyTable.from_columns(roles, encoded, weights, len(rows))
    hierarchies = {name: taxonomy(example["taxonomies"][name]).encode(counts.domains[name]) for name in names}
    return replace(counts, hierarchies=hierarchies), row_cell


def published(example: dict[str, Any], release: dict[str, Any]) -> tuple[FrequencyTable, Recoding]:
    """A recoding with one group per input row, which publishes the nodes that the paper prints."""
    counts, row_cell = counted(example)
    groups = np.empty((len(row_cell), len(counts.quasi)), dtype=np.int32)
    columns = []
    for at, name in enumerate(counts.quasi):
        labels = sorted({row[at] for row in release["rows"]})
        columns.append(nodes_of(counts, name, labels))
        groups[:, at] = [labels.index(row[at]) for row in release["rows"]]
    group_of_cell = np.argsort(row_cell).astype(np.int32)
    pieces = Pieces.whole(group_of_cell, counts.cell_sizes)
    sizes = counts.cell_sizes[row_cell]
    return counts, Recoding("as printed", counts.quasi, tuple(columns), groups, sizes, pieces)


def nodes_of(counts: FrequencyTable, name: str, labels: list[str]) -> PublishedColumn:
    hierarchy = counts.hierarchies[name]
    nodes = [hierarchy.labels.index(label) for label in labels]
    kinds: list[PublishedKind] = [
        "suppressed" if label == "*" else "label" if hierarchy.level[node] else "value"
        for label, node in zip(labels, nodes, strict=True)
    ]
    covered = hierarchy.codes_below(np.array(nodes))
    return PublishedColumn(counts.domains[name], tuple(labels), tuple(kinds), covered, np.array(nodes, dtype=np.int32))


def class_sizes_squared(release: dict[str, Any]) -> int:
    return sum(size**2 for size in release["sizes"])


@pytest.mark.parametrize(("name", "printed"), [("T9", 0.95), ("T10", 0.92), ("T1", 0.89)])
def test_precision_of_the_three_optimal_methods(name: str, printed: float) -> None:
    """papers/002, figure 6 (MinGen's T9 and T10) and figure 10(c) (AllMin's and HeuristicMin's T1)."""
    release = SEARCH["releases"][name]
    assert release["prec"] == printed
    assert round(prec(*published(SEARCH, release)), 2) == printed


def test_distortion_of_mingen_is_the_printed_sum() -> None:
    """papers/002, section 5.1.1: 1/120 (6 × 1/3 + 4 × 2/2)."""
    release = SEARCH["releases"]["T9"]
    assert distortion(*published(SEARCH, release)) == pytest.approx(release["distortion_sum"])
    assert prec(*published(SEARCH, release)) == pytest.approx(1 - release["distortion_sum"])


@pytest.mark.parametrize("name", ["T1", "T8", "T9", "T10"])
def test_rows_that_look_alike_are_one_class(name: str) -> None:
    """papers/002, figures 5 and 6: the printed rows and their counts."""
    release = SEARCH["releases"][name]
    counts, recoding = published(SEARCH, release)
    assert row_ratio(counts, recoding) == len(release["sizes"]) / 7
    assert release.get("rows_number", len(release["sizes"])) == len(release["sizes"])
    assert discernibility(counts, recoding) == class_sizes_squared(release)
    assert suppression(counts, recoding) == 0.0


@pytest.mark.parametrize("name", ["HM", "TDS", "BUG"])
def test_heuristicmin_tds_and_bug(name: str) -> None:
    """papers/002, figure 19 and the table of case 3: rows out/in, Prec, and the classes behind the accuracies."""
    release = CASE["releases"][name]
    counts, recoding = published(CASE, release)
    assert round(prec(counts, recoding), 2) == release["prec"]
    rows_out, rows_in = release["o_i_rows"]
    assert row_ratio(counts, recoding) == rows_out / rows_in
    assert discernibility(counts, recoding) == class_sizes_squared(release)
    assert classification(counts, recoding) == pytest.approx(release["minority"] / 83)


@pytest.mark.parametrize("name", ["table_1b", "greedy_increase"])
def test_lost_leaves(name: str) -> None:
    """papers/004, table I(b), and the groups that greedy merging with NLLM gives."""
    release = MERGE["releases"][name]
    assert nllm(*published(MERGE, release)) == pytest.approx(release["nllm"], abs=5e-7)


def test_losses_of_a_printed_table_are_those_of_the_functions() -> None:
    counts, recoding = published(MERGE, MERGE["releases"]["table_1b"])
    losses = all_losses(counts, recoding, k=3)
    assert losses["nllm"] == nllm(counts, recoding)
    assert losses["c_avg"] == 1.0
    assert losses["suppression"] == 0.5
