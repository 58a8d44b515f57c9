"""What protects the guarantee raises, also where Python leaves out its assertions."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import hedgerow
from hedgerow.anonymizers.trees.nodes.paths import PathTree
from hedgerow.anonymizers.trees.sets import CellReader, SetAttribute
from hedgerow.core.cells import SUPPRESSED
from hedgerow.errors import InternalError

SOURCES = sorted(Path(hedgerow.__file__).parent.rglob("*.py"))

BROKEN_METHOD = """
import sys
import numpy as np, pyarrow as pa
from dataclasses import replace
import hedgerow as hr
from hedgerow.release import pipeline
from hedgerow.engines import FrameRows
from hedgerow.core.recoding import Pieces, Recoding, publish_groups, shown_as
assert False, "assertions are off"
people = pa.table({"age": [20, 23, 27, 25, 27, 29], "row": list(range(6))})
schema = hr.Schema(quasi=["age"], insensitive=["row"], accept=["row"])
for fault in sys.argv[1:]:
    ready = pipeline.prepare(people, schema, [hr.KAnonymity(3)], random_state=0)
    group = np.array([0, 0, 0, 1, 1] if fault != "too small" else [0, 0, 0, 1, 2], dtype=np.int32)
    pieces = Pieces.whole(group, ready.counts.cell_sizes)
    columns, values = publish_groups(ready.counts, pieces, int(group.max()) + 1, shown_as(ready.counts, "set"))
    recoding = Recoding("by hand", ready.counts.quasi, columns, values, np.bincount(group), pieces)
    if fault == "rows vanish":
        apply = ready.source.apply
        ready.source.apply = lambda *arguments: FrameRows(apply(*arguments).table.slice(0, 5))
    if fault == "other columns":
        ready = replace(ready, roles=replace(ready.roles, columns=("row", "age")))
    try:
        print(pipeline.finish(ready, recoding, {}).audit.k)
    except hr.HedgerowError as error:
        print(type(error).__name__, error.exit_status)
"""


def test_guards_hold_without_assertions() -> None:
    endings = {
        "nothing": "3",
        "too small": "NotAnonymous 3",
        "rows vanish": "InternalError 1",
        "other columns": "InternalError 1",
    }
    done = subprocess.run([sys.executable, "-O", "-c", BROKEN_METHOD, *endings], capture_output=True, text=True)
    assert done.stdout.splitlines() == list(endings.values()), done.stderr


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_no_code_relies_on_assertions(source: Path) -> None:
    """``python -O`` removes them."""
    statements = ast.walk(ast.parse(source.read_text(encoding="utf-8")))
    assert not [node.lineno for node in statements if isinstance(node, ast.Assert)]


def test_a_record_that_reaches_no_leaf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PathTree, "leaves_of", lambda _, counts: np.full(len(counts.tuples), -1))
    table = pa.table({"color": ["red", "blue"] * 4, "class": ["x", "y"] * 4})
    schema = hedgerow.Schema(quasi=["color"], target="class")
    with pytest.raises(InternalError, match="a record reaches no leaf of the tree"):
        hedgerow.anonymize(table, schema, method="kactus", k=2)


def test_a_suppressed_cell_that_is_read_as_numbers() -> None:
    reader = CellReader(SetAttribute("age", ("20", "30"), np.array([20.0, 30.0])), training=True)
    with pytest.raises(InternalError, match="read as numbers"):
        reader._numbers(np.array([20.0, 30.0]), None, SUPPRESSED)
