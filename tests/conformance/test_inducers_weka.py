"""The inducer ``"j48"``, which is the real Weka, against ``"c45"``: the same paths for every record.

Both read the same training table, so this says that the tables reach Weka whole and the trees come back whole;
``test_weka`` compares C4.5 with what Weka reads from the files itself.
"""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from hedgerow import HedgerowError, Schema
from hedgerow.anonymizers.trees import Attribute, ByThreshold, CodedColumn, Leaf, TrainingTable
from hedgerow.anonymizers.trees.inducers.inducer import grow
from hedgerow.anonymizers.trees.inducers.j48 import induce_j48
from hedgerow.anonymizers.trees.nodes.custom_trees import path_tree
from hedgerow.anonymizers.trees.training import training_table
from hedgerow.core.counts import FrequencyTable
from hedgerow.engines import open_source

# Files, classes, and the columns of crx that are numbers with zeros in front.
REAL = {
    "adult": ("adult/adult_train.csv.gz", "salary-class", ()),
    "crx": ("crx/crx.csv", "class", ("A11", "A14")),
    "german": ("german/german.csv", "class", ()),
}


pytestmark = pytest.mark.usefixtures("weka")


def counted(table: Any, target: str, names: list[str]) -> FrequencyTable:
    schema = Schema(quasi=[name for name in names if name != target], target=target, others="drop")
    source = open_source(table)
    return source.count(schema, schema.resolve(source.columns)).counts


def real(name: str, folder: Path) -> tuple[pd.DataFrame, str]:
    file, target, padded = REAL[name]
    path = folder / file
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        frame = pd.read_csv(lines, na_values="?", keep_default_na=False, dtype=dict.fromkeys(padded, float))
    return frame, target


def same(one: NDArray[np.int32], other: NDArray[np.int32]) -> bool:
    return len({*zip(one.tolist(), other.tolist(), strict=True)}) == len({*one.tolist()}) == len({*other.tolist()})


def agree(counts: FrequencyTable, min_objects: int) -> int:
    """Compare the trees; returns how many leaves they have."""
    weka, ours = (grow(word, counts, min_objects, "KActus") for word in ("j48", "c45"))
    assert (weka.size, weka.n_leaves) == (ours.size, ours.n_leaves)
    assert same(weka.leaves_of(counts), ours.leaves_of(counts))
    return weka.n_leaves


@pytest.mark.parametrize(("name", "min_objects"), [("adult", 2), ("crx", 10), ("german", 2)])
def test_real_tables(name: str, min_objects: int, data_folder: Path) -> None:
    frame, target = real(name, data_folder)
    assert agree(counted(frame, target, frame.columns.tolist()), min_objects) > 10


def test_rows_that_stand_for_many_records(data_folder: Path) -> None:
    # Few columns, so that the same combination is common: J48 must count records, not rows.
    frame, target = real("adult", data_folder)
    counts = counted(frame, target, ["education", "marital-status", "workclass", "age", target])
    assert len(counts.tuples) < counts.rows / 2
    assert agree(counts, 10) > 10


def test_names_and_categories_of_any_kind() -> None:
    table = pa.table(
        {
            "it's {the} sky, % @data": ["a,b", "'", '"', "{1}", "?", "\\N", None, " ", "ä\n"] * 6,
            "wind": [0.1 + 0.2, 1e-300, -5e17, 1e22, 3, None, 7, 8, 9] * 6,
            "class": ["?", "'", "{", "?", "'", "{", "x y", "?", "'"] * 6,
        }
    )
    assert agree(counted(table, "class", table.column_names), 2) > 3


def test_a_threshold_keeps_all_its_digits() -> None:
    low, high = 0.1234567890123456, 0.1234789012345678
    column = CodedColumn(Attribute("x", ("low", "high"), np.array([low, high])), np.array([0, 1], dtype=np.int32))
    table = TrainingTable((column,), np.array([0, 1], dtype=np.int32), ("no", "yes"), np.array([5.0, 5.0]))
    assert induce_j48(table) == ByThreshold("x", low, Leaf(), Leaf())


def test_weights_that_are_not_whole() -> None:
    # Two rows of each value: 2.2 records are enough for a branch, 1.8 are not, and J48 counts four rows in both.
    column = CodedColumn(Attribute("x", ("1", "2"), np.array([1.0, 2.0])), np.array([0, 0, 1, 1], dtype=np.int32))
    table = TrainingTable((column,), np.array([0, 0, 1, 1], dtype=np.int32), ("no", "yes"), np.array([9, 9, 1.1, 1.1]))
    assert induce_j48(table) == ByThreshold("x", 1.0, Leaf(), Leaf())
    assert induce_j48(replace(table, weights=np.array([9, 9, 0.9, 0.9]))) == Leaf()


def test_a_table_from_which_nothing_can_be_learnt() -> None:
    counts = counted(pa.table({"sky": ["blue"] * 3, "class": ["dry", "dry", "rain"]}), "class", ["sky"])
    assert path_tree(induce_j48(training_table(counts, 2, "KActus")), counts, "KActus").size == 1


def test_a_failure_says_nothing_of_what_weka_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "--no-such-option")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "--no-such-option")
    counts = counted(pa.table({"sky": ["blue", "grey"] * 3, "class": ["dry", "rain"] * 3}), "class", ["sky"])
    with pytest.raises(HedgerowError) as caught:
        grow("j48", counts, 2, "KActus")
    assert str(caught.value).startswith("Weka's J48 ended with status ")
    assert "option" not in str(caught.value)
    assert caught.value.__cause__ is None
