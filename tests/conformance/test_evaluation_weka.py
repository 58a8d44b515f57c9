"""The learners that are Weka, against Weka that reads the text of the files itself, row by row, in another process."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from real_tables import MISSING, TABLES, declarations, write_arff

import hedgerow as hr
from hedgerow import HedgerowError
from hedgerow.evaluation.learners import learner
from hedgerow.evaluation.learners.base import Learner, Prediction
from hedgerow.evaluation.learners.weka import J48, WekaLogistic, WekaNaiveBayes

pytestmark = pytest.mark.usefixtures("weka")

LEARNERS: list[tuple[Learner, str, list[str]]] = [
    (J48(), "weka.classifiers.trees.J48", []),
    (J48(min_objects=10, confidence=0.1, laplace=True), "weka.classifiers.trees.J48", ["-M", "10", "-C", "0.1", "-A"]),
    (J48(pruned=False), "weka.classifiers.trees.J48", ["-U"]),
    (learner("part"), "weka.classifiers.rules.PART", []),
    (learner("part", pruned=False, min_objects=5), "weka.classifiers.rules.PART", ["-U", "-M", "5"]),
    (WekaNaiveBayes(), "weka.classifiers.bayes.NaiveBayes", []),
    (WekaNaiveBayes(numbers="kernel"), "weka.classifiers.bayes.NaiveBayes", ["-K"]),
    (WekaNaiveBayes(numbers="discretize"), "weka.classifiers.bayes.NaiveBayes", ["-D"]),
    (WekaLogistic(), "weka.classifiers.functions.Logistic", []),
    (WekaLogistic(ridge=1.0, max_iter=3), "weka.classifiers.functions.Logistic", ["-R", "1.0", "-M", "3"]),
]
NAMES = ["j48", "part", "weka-naive-bayes", "weka-logistic"]


@dataclass(frozen=True)
class Halves:
    """A real table in two: what a learner takes, and as files that Weka takes."""

    train: pa.Table
    target: pa.Array
    test: pa.Table
    files: tuple[Path, Path]


def halves(name: str, data_folder: Path, folder: Path, *, as_text: bool = False) -> Halves:
    """Columns of numbers are floats, or text as it stands in the file."""
    names, rows = TABLES[name].read(data_folder)
    random.Random(2).shuffle(rows)
    train, test = rows[::2], rows[1::2]
    declared = [
        None if whole is None else half for whole, half in zip(declarations(rows), declarations(train), strict=True)
    ]
    files = (folder / "train.arff", folder / "test.arff")
    for part, file in zip((train, test), files, strict=True):
        write_arff(file, names, declared, part)

    def table(part: list[list[str]]) -> pa.Table:
        columns = {}
        for column, categories, cells in zip(names, declared, zip(*part, strict=True), strict=True):
            typed = categories is None and not as_text
            columns[column] = [None if cell in MISSING else float(cell) for cell in cells] if typed else list(cells)
        return pa.table(columns)

    return Halves(table(train).drop(names[-1:]), pa.array([row[-1] for row in train]), table(test), files)


def weka_says(files: tuple[Path, Path], learners: list[tuple[str, list[str]]]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("weka_run.py"))],
        input=json.dumps({"splits": [list(map(str, files))], "learners": learners}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (answers,) = json.loads(done.stdout)
    found: list[dict[str, Any]] = answers
    return found


def learnt(one: Learner, train: pa.Table, target: pa.Array, test: pa.Table) -> Prediction:
    return one.fit(train, target, task="classes", random_state=0, missing=MISSING).predict(test)


@pytest.mark.parametrize("name", ["heart-statlog", "crx", "german", "glass"])
def test_every_answer_is_that_of_weka(name: str, data_folder: Path, tmp_path: Path) -> None:
    parts = halves(name, data_folder, tmp_path)
    says = weka_says(parts.files, [(classname, options) for _, classname, options in LEARNERS])
    for (one, _, _), expected in zip(LEARNERS, says, strict=True):
        found = learnt(one, parts.train, parts.target, parts.test)
        assert found.labels == tuple(sorted(set(parts.target.to_pylist())))
        assert found.predicted.tolist() == expected["labels"], one
        wanted = np.array(expected["distributions"])
        assert found.probabilities == pytest.approx(wanted / wanted.sum(axis=1, keepdims=True)), one
        assert found.probabilities.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["heart-statlog", "crx", "german", "glass", "tic-tac-toe", "waveform"])
def test_c45_is_j48_on_raw_rows(name: str, data_folder: Path, tmp_path: Path) -> None:
    parts = halves(name, data_folder, tmp_path)
    for given in ({}, {"min_objects": 10, "confidence": 0.1}, {"pruned": False}):
        ours, weka = (learnt(learner(who, **given), parts.train, parts.target, parts.test) for who in ("c45", "j48"))
        assert ours.predicted.tolist() == weka.predicted.tolist()
        assert ours.probabilities == pytest.approx(weka.probabilities)


@pytest.mark.parametrize("name", NAMES)
def test_numbers_as_text_are_numbers(name: str, data_folder: Path, tmp_path: Path) -> None:
    typed, text = (halves("heart-statlog", data_folder, tmp_path, as_text=as_text) for as_text in (False, True))
    one, other = (learnt(learner(name), part.train, part.target, part.test) for part in (typed, text))
    assert one.probabilities.tolist() == other.probabilities.tolist()


def published(rows: int = 60) -> tuple[pa.Table, pa.Array]:
    """Cells as a release publishes them, some of which no file should have to quote; and columns of nothing."""
    generator = np.random.default_rng(0)
    kind = generator.integers(0, 3, rows)
    label = (kind + (generator.random(rows) < 0.1)) % 3
    table = pa.table(
        {
            "it's {the} age, %": ["*" if at % 7 == 0 else None if at % 9 == 0 else str(3 * at) for at in range(rows)],
            "@data": [["{a|b}", "?", 'é\n"\\,'][one] for one in kind],
            "none": pa.nulls(rows),
            "stars": ["*"] * rows,
            "empty": pa.array([None] * rows, pa.float64()),
            "same": [1.5] * rows,
        }
    )
    return table, pa.array([["no'", "{yes}", " "][one] for one in label])


@pytest.mark.parametrize("name", NAMES)
def test_published_cells_and_columns_of_nothing(name: str) -> None:
    table, target = published()
    found = learner(name).fit(table, target, task="classes", random_state=0).predict(table)
    assert found.labels == (" ", "no'", "{yes}")
    assert (found.predicted == np.array(target.to_pylist(), dtype=object)).mean() > 0.8


@pytest.mark.parametrize("name", NAMES)
def test_unseen_and_suppressed_cells_are_missing(name: str) -> None:
    table, target = published()
    fitted = learner(name).fit(table, target, task="classes", random_state=0)
    # A single row, columns in another order.
    null = pa.table({one: pa.nulls(1) for one in reversed(table.column_names)})
    expected = fitted.predict(null)
    assert expected.probabilities.shape == (1, 3)
    for cell in ("*", "never seen", "[20,30)", "{a|c}"):
        row = pa.table({one: [cell] for one in table.column_names})
        assert fitted.predict(row).probabilities.tolist() == expected.probabilities.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_few_rows(name: str) -> None:
    table = pa.table({"x": [1, 2], "c": ["a", "b"]})
    found = learner(name).fit(table, pa.array(["q", "p"]), task="classes", random_state=0).predict(table.slice(0, 1))
    assert found.labels == ("p", "q")
    assert found.probabilities.sum() == pytest.approx(1)


@dataclass(frozen=True, kw_only=True)
class Unfit(WekaNaiveBayes):
    """A learner of Weka that learns no classes."""

    weka_class = "weka.classifiers.functions.LinearRegression"


def test_a_failure_says_nothing_of_what_weka_said(monkeypatch: pytest.MonkeyPatch) -> None:
    table, target = published()
    with pytest.raises(HedgerowError, match=r"Weka could not learn with 'weka-naive-bayes'\.") as caught:
        Unfit().fit(table, target, task="classes", random_state=0)
    assert "class!" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None

    fitted: Any = J48().fit(table, target, task="classes", random_state=0)
    object.__setattr__(fitted, "model", type(fitted.model)())  # one that was never trained
    with pytest.raises(HedgerowError, match=r"Weka could not predict with 'j48'\.") as caught:
        fitted.predict(table)
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_learners_work_in_other_processes_each_with_a_java_machine_of_its_own() -> None:
    table = hr.datasets.make_census(200, random_state=1)
    schema = hr.Schema(quasi=["age", "sex", "education"], target="income", others="drop")

    def found(workers: int) -> Any:
        learners = ["j48", "weka-naive-bayes"]
        return hr.evaluate(
            table, schema, methods="mondrian", k=[3, 5], learners=learners, protocol="holdout", workers=workers
        ).table()

    assert found(2).equals(found(1))


PROGRAM = """
import logging, os, signal, tempfile, time
import pyarrow as pa
from hedgerow import HedgerowError
from hedgerow.evaluation.learners import learner

def learnt(name):
    table, target = pa.table({"x": list(range(8))}), pa.array(list("aaaabbbb"))
    fitted = learner(name).fit(table, target, task="classes", random_state=0)
    return fitted, fitted.predict(pa.table({"x": [2, 6]})).predicted.tolist()

handlers = list(logging.root.handlers)
answers = [learnt(name)[1] for name in ("j48", "part", "weka-naive-bayes", "weka-logistic")]
print(answers == [["a", "b"]] * 4, logging.root.handlers == handlers, os.listdir(tempfile.gettempdir()))

fitted, _ = learnt("j48")
from weka.core import jvm
jvm.start()  # of somebody who does not know that it runs
print(jvm.started)

for again in (lambda: learnt("j48"), lambda: fitted.predict(pa.table({"x": [2]}))):
    child = os.fork()
    if not child:
        try:
            again()
        except HedgerowError as error:
            os._exit(7 if "forked" in str(error) else 8)
        os._exit(9)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(20)
    print("waited")
except KeyboardInterrupt:
    print("interrupted")
"""


def test_java_is_a_quiet_guest(tmp_path: Path) -> None:
    """Nothing printed, no file left, no handler of logging, no hanging in a fork, and Ctrl-C is still Python's."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", PROGRAM],  # newer Pythons warn of forks
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["True True []", "True", "7", "7", "interrupted"]
