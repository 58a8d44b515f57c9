"""Weka's J48 as an inducer: C4.5 (Quinlan 1993) as the authors of kACTUS used it.

Weka runs in a separate process, because a process can start a Java machine only once. It reads an ARFF file from a
folder that only this user can read. Columns, categories and labels are numbered in it, so no text of the table reaches
Weka. The tree comes back as numbers, with all digits of a threshold.

**Deviations.** A row that stands for several records is written several times, because J48 counts rows where it should
count records: to decide which attributes have too many values, and whether enough numbers are known. Weights that are
not whole numbers become instance weights of J48. J48 sends a record with a missing number down both branches; here, it
has a separate leaf.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import IO

import numpy as np

from hedgerow.anonymizers.trees.nodes.custom_trees import ByThreshold, ByValue, Leaf, Node, category_name
from hedgerow.anonymizers.trees.training import CodedColumn, TrainingTable
from hedgerow.errors import HedgerowError, MissingExtra
from hedgerow.io.scratch import Scratch

__all__ = ["check_weka", "induce_j48", "write_arff"]


# --------------------------------------------------------------------------------------------------
# Checking that Weka and Java are installed.


def check_weka(feature: str, alternative: str) -> None:
    """Raise an error if the Python package of Weka or Java is not installed.

    Parameters
    ----------
    feature : str
        The feature that needs Weka, for the message.
    alternative : str
        A sentence that names an alternative without Weka.
    """
    if importlib.util.find_spec("weka") is None:
        raise MissingExtra.for_extra("python-weka-wrapper3", "weka")
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        raise MissingExtra(
            f"{feature} needs Java, which was not found. Install it (sudo apt install default-jre-headless) "
            f"or set JAVA_HOME. {alternative}"
        )


_WITHOUT_JAVA = "The inducer 'c45' grows the same trees without Java."


def induce_j48(table: TrainingTable) -> Node:
    """Grow a tree with Weka's J48, with its default confidence and ``table.min_objects`` records in a branch.

    Parameters
    ----------
    table : TrainingTable

    Examples
    --------
    A table with one label does not need Weka:

    >>> import numpy as np
    >>> from hedgerow.anonymizers.trees import Attribute, CodedColumn
    >>> sky = CodedColumn(Attribute("sky", ("blue", "grey")), np.array([0, 1], np.int32))
    >>> induce_j48(TrainingTable((sky,), np.array([0, 0], np.int32), ("dry",), np.array([4.0, 3.0])))
    Leaf()
    """
    if len(table.classes) < 2:
        return Leaf()  # J48 refuses a table with one label
    check_weka("Weka's J48", _WITHOUT_JAVA)
    with Scratch() as folder:
        arff, answer = folder / "table.arff", folder / "tree.json"
        with arff.open("w", encoding="ascii") as file:
            write_arff(table, file)
        done = subprocess.run(
            # -P: modules beside the script must not shadow others of the same name.
            [sys.executable, "-P", _script(), str(arff), str(table.min_objects), str(answer)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # Weka quotes cells in its messages
            check=False,
        )
        if done.returncode or not answer.exists():
            raise HedgerowError(
                f"Weka's J48 ended with status {done.returncode} and without a tree. "
                f"Java may be too old, or lack memory. {_WITHOUT_JAVA}"
            )
        questions: list[list[float]] = json.loads(answer.read_text(encoding="ascii"))
    return _nodes(questions, table)


def write_arff(table: TrainingTable, file: IO[str]) -> None:
    """Write a training table in Weka's format, with numbers instead of all names and categories.

    >>> import numpy as np
    >>> from hedgerow.anonymizers.trees import Attribute, CodedColumn
    >>> age = CodedColumn(Attribute("age", ("20", "30.5"), np.array([20.0, 30.5])), np.array([1, -1], np.int32))
    >>> sky = CodedColumn(Attribute("sky", ("blue", "grey")), np.array([0, 1], np.int32))
    >>> table = TrainingTable((age, sky), np.array([1, 0], np.int32), ("dry", "rain"), np.array([1.0, 2.0]))
    >>> write_arff(table, sys.stdout)
    @relation table
    @attribute a0 numeric
    @attribute a1 {v0,v1}
    @attribute class {v0,v1}
    @data
    30.5,v0,v1
    ?,v1,v0
    ?,v1,v0
    """
    head = ["@relation table"]
    for at, column in enumerate(table.columns):
        numeric = column.attribute.numeric
        head.append(f"@attribute a{at} {'numeric' if numeric else _declared(len(column.attribute.labels))}")
    head += [f"@attribute class {_declared(len(table.classes))}", "@data"]
    cells = [*map(_cells, table.columns), [f"v{label}" for label in table.labels.tolist()]]
    whole = bool((table.weights == np.floor(table.weights)).all())
    file.write("\n".join(head) + "\n")
    for weight, *row in zip(table.weights.tolist(), *cells, strict=True):
        line = ",".join(row)
        file.write(f"{line}\n" * int(weight) if whole else f"{line},{{{weight!r}}}\n")


def _declared(values: int) -> str:
    return "{" + ",".join(f"v{value}" for value in range(values)) + "}"


def _cells(column: CodedColumn) -> list[str]:
    numbers = column.attribute.numbers
    if numbers is None:
        return [f"v{code}" for code in column.codes.tolist()]
    # The last entry is for the code -1, a missing number.
    written = [*map(repr, numbers.tolist()), "?"]
    return [written[code] for code in column.codes.tolist()]


def _script() -> str:
    return str(Path(__file__).with_name("_j48_process.py"))


def _nodes(questions: list[list[float]], table: TrainingTable) -> Node:
    """Build the tree from the last question to the first, since a question comes before its branches."""
    made: list[Node] = [Leaf()] * len(questions)
    for place in range(len(questions) - 1, -1, -1):
        if not questions[place]:
            continue
        column, at_most, first, branches = questions[place]
        attribute = table.columns[int(column)].attribute
        below = made[int(first) : int(first) + int(branches)]
        if attribute.numeric:
            made[place] = ByThreshold(attribute.name, at_most, *below)
        else:
            made[place] = ByValue(
                attribute.name, {category_name(attribute, code): child for code, child in enumerate(below)}
            )
    return made[0]
