"""Weka in a process of its own, because a Java machine cannot be started twice in one process.

``learn`` is for callers: it starts this file as a script, which reads jobs as JSON from standard input and writes what
Weka says as JSON. What Weka prints is not passed on: it may quote cells.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LEARNERS = {"J48": "weka.classifiers.trees.J48", "NaiveBayes": "weka.classifiers.bayes.NaiveBayes"}


@dataclass(frozen=True)
class Job:
    """A classifier to train on one ARFF file and to test on others; the class is the last attribute.

    ``runs`` is how often to train it, for the time; the first run also warms Java up.
    """

    learner: str
    train: Path
    tests: tuple[Path, ...] = ()
    options: tuple[str, ...] = ()
    runs: int = 1


@dataclass(frozen=True)
class Learned:
    """What became of a job.

    Attributes
    ----------
    seconds : float
        Of ``buildClassifier`` alone, the fastest run.
    leaves, size : int or None
        Of a tree.
    predictions : list of lists of int
        For each test file and row, which of the sorted classes; -1 if none.
    correct : list of int
        For each test file, in how many rows that is the class.
    """

    seconds: float
    leaves: int | None
    size: int | None
    predictions: list[list[int]]
    correct: list[int]


def learn(jobs: Sequence[Job], *, heap: str = "4g") -> list[Learned]:
    """Do the jobs, one after the other, in one Java machine with so much memory."""
    order = {"heap": heap, "jobs": [dataclasses.asdict(job) for job in jobs]}
    done = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps(order, default=str),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit("Weka failed. Is Java there, and python-weka-wrapper3 (pip install 'hedgerow[weka]')?")
    return [Learned(**answer) for answer in json.loads(done.stdout)]


def main() -> None:
    """Do the jobs of standard input."""
    from weka.core import jvm

    order = json.load(sys.stdin)
    jvm.start(packages=False, max_heap_size=order["heap"])
    try:
        answers = [dataclasses.asdict(done(job)) for job in order["jobs"]]
    finally:
        jvm.stop()
    json.dump(answers, sys.stdout)


@functools.cache
def read(path: str) -> Any:
    """An ARFF file as Weka's instances, the class last."""
    from weka.core.converters import Loader

    rows = Loader(classname="weka.core.converters.ArffLoader").load_file(path)
    rows.class_is_last()
    return rows


def done(job: dict[str, Any]) -> Learned:
    """Train and test."""
    from weka.classifiers import Classifier

    train = read(job["train"])
    seconds = math.inf
    for _ in range(job["runs"]):
        classifier = Classifier(classname=LEARNERS[job["learner"]], options=list(job["options"]))
        start = time.perf_counter()
        classifier.build_classifier(train)
        seconds = min(seconds, time.perf_counter() - start)
    tree = job["learner"] == "J48"
    predictions, correct = [], []
    for path in job["tests"]:
        test = read(path)
        given = [whole(classifier.classify_instance(one)) for one in test]
        predictions.append(given)
        correct.append(sum(map(int.__eq__, given, (whole(one.get_value(one.class_index)) for one in test))))
    return Learned(
        seconds,
        int(classifier.jobject.measureNumLeaves()) if tree else None,
        int(classifier.jobject.measureTreeSize()) if tree else None,
        predictions,
        correct,
    )


def whole(value: float) -> int:
    """A class as Weka gives it, -1 for none."""
    return -1 if math.isnan(value) else int(value)


if __name__ == "__main__":
    main()
