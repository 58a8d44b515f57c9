"""Weka in a process of its own: reads a job as JSON from standard input, writes what classifiers say as JSON.

A job has ``splits``, pairs of ARFF files (the rows to train on, the rows to classify) with the class as last
attribute, and ``learners``, pairs of a class of Weka and its options. The answer has for each split and learner the
distribution and the predicted label of every row.
"""

from __future__ import annotations

import json
import sys
from typing import Any

# Weka is imported where it is used: pytest imports this file too, on machines that have no Weka.


def read(path: str) -> Any:
    """Rows as Weka reads them, the class last."""
    from weka.core.converters import Loader

    rows = Loader(classname="weka.core.converters.ArffLoader").load_file(path)
    rows.class_is_last()
    return rows


def said(train: Any, test: Any, classname: str, options: list[str]) -> dict[str, Any]:
    """What one classifier says, row by row."""
    from weka.classifiers import Classifier

    model = Classifier(classname=classname, options=options)
    model.build_classifier(train)
    # Java's own objects: wrapping each row takes longer than classifying it.
    own, classes = model.jobject, train.class_attribute.values
    rows = [test.jobject.instance(at) for at in range(test.jobject.numInstances())]
    return {
        "distributions": [list(map(float, own.distributionForInstance(row))) for row in rows],
        "labels": [classes[int(own.classifyInstance(row))] for row in rows],
    }


def main() -> None:
    """Do the job."""
    import weka.core.jvm as jvm

    job = json.load(sys.stdin)
    jvm.start(packages=False)
    try:
        answers = []
        for files in job["splits"]:
            train, test = map(read, files)
            answers.append([said(train, test, *learner) for learner in job["learners"]])
    finally:
        jvm.stop()
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
