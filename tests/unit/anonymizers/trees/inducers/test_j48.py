"""What reaches Weka, and what is said where it is not there; tests/conformance runs the real one."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path

import numpy as np
import pytest

from hedgerow import MissingExtra
from hedgerow.anonymizers.trees import Attribute, ByThreshold, ByValue, CodedColumn, Leaf, TrainingTable
from hedgerow.anonymizers.trees.inducers.j48 import _nodes, induce_j48, write_arff

SKY = CodedColumn(Attribute("the sky", ("blue,", "'grey", "{x}")), np.array([0, 1, 2], dtype=np.int32))
WIND = CodedColumn(Attribute("wind", ("0.1", "1e+300"), np.array([0.1, 1e300])), np.array([0, -1, 1], dtype=np.int32))
LABELS = np.array([0, 1, 1], dtype=np.int32)


def table(*weights: float) -> TrainingTable:
    return TrainingTable((SKY, WIND), LABELS, ("it's dry", "rain"), np.array(weights))


def arff(training: TrainingTable) -> list[str]:
    file = io.StringIO()
    write_arff(training, file)
    return file.getvalue().splitlines()


def test_records_are_written_without_any_text_of_the_table() -> None:
    assert arff(table(1, 2, 1)) == [
        "@relation table",
        "@attribute a0 {v0,v1,v2}",
        "@attribute a1 numeric",
        "@attribute class {v0,v1}",
        "@data",
        "v0,0.1,v0",
        "v1,?,v1",
        "v1,?,v1",
        "v2,1e+300,v1",
    ]


def test_weights_that_are_not_whole_are_weights_of_instances() -> None:
    assert arff(table(1, 2.5, 1))[-3:] == ["v0,0.1,v0,{1.0}", "v1,?,v1,{2.5}", "v2,1e+300,v1,{1.0}"]


def test_the_answer_is_read_as_a_tree() -> None:
    answer = [[0, 1e308, 1, 3], [], [1, 0.1, 4, 2], [], [], []]
    assert _nodes(answer, table(1, 1, 1)) == ByValue(
        "the sky", {"blue,": Leaf(), "'grey": ByThreshold("wind", 0.1, Leaf(), Leaf()), "{x}": Leaf()}
    )


def test_the_missing_category_is_not_the_text_that_reads_like_it() -> None:
    sky = CodedColumn(Attribute("sky", ("\\N", "blue", "\\N")), np.array([0, 1, 2], dtype=np.int32))
    training = TrainingTable((sky,), LABELS, ("dry", "rain"), np.ones(3))
    tree = _nodes([[0, 1e308, 1, 3], [], [], []], training)
    assert tree == ByValue("sky", {"\\N": Leaf(), "blue": Leaf(), None: Leaf()})


def test_without_weka_the_line_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"python-weka-wrapper3.*pip install 'hedgerow\[weka\]'"):
        induce_j48(table(1, 1, 1))


def test_without_java_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("weka")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(MissingExtra, match="needs Java"):
        induce_j48(table(1, 1, 1))
