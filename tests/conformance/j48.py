"""Weka's J48 in a process of its own: reads a job as JSON from standard input, writes what J48 says as JSON.

A job has ``splits``, pairs of ARFF files (the rows to train on, the rows to classify) with the class as last
attribute, and ``settings``, pairs of confidence and least number of records in a branch. The answer has a list for
each split, with a tree for each setting.
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


def grown(train: Any, test: Any, confidence: float, min_objects: int) -> dict[str, Any]:
    """One tree: its leaves, its size, and the class it gives to each row of the test."""
    from weka.classifiers import Classifier

    options = ["-C", str(confidence), "-M", str(min_objects)]
    j48 = Classifier(classname="weka.classifiers.trees.J48", options=options)
    j48.build_classifier(train)
    # Java's own objects: wrapping each of Adult's rows takes longer than classifying it.
    classify, rows = j48.jobject.classifyInstance, test.jobject
    classes = train.class_attribute.values
    return {
        "leaves": int(j48.jobject.measureNumLeaves()),
        "size": int(j48.jobject.measureTreeSize()),
        "predictions": [classes[int(classify(rows.instance(at)))] for at in range(rows.numInstances())],
    }


def main() -> None:
    """Do the job."""
    import weka.core.jvm as jvm

    job = json.load(sys.stdin)
    jvm.start(packages=False)
    try:
        trees = []
        for train_file, test_file in job["splits"]:
            train, test = read(train_file), read(test_file)
            trees.append([grown(train, test, *setting) for setting in job["settings"]])
    finally:
        jvm.stop()
    json.dump(trees, sys.stdout)


if __name__ == "__main__":
    main()
