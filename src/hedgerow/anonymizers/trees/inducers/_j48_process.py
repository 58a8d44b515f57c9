"""Weka's J48 as a separate process: ``_j48_process.py table.arff min_objects tree.json``.

It writes a list with one entry per node, a node before its branches: ``[attribute, threshold, first branch, number of
branches]``, or ``[]`` for a leaf.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

# Weka is imported where it is used, because this file is also imported where Weka is not installed.


def questions_of(j48: Any) -> list[list[float]]:
    """Read a tree from Weka's objects, since its text has only some digits of a threshold."""
    # Only the root has no public accessor.
    root = j48.getClass().getDeclaredField("m_root")
    root.setAccessible(True)
    trees = [root.get(j48)]
    questions: list[list[float]] = []
    for tree in trees:  # the list grows in the loop
        if tree.isLeaf():
            questions.append([])
            continue
        split, sons = tree.getLocalModel(), tree.getSons()
        questions.append([int(split.attIndex()), float(split.splitPoint()), len(trees), len(sons)])
        trees.extend(sons)
    return questions


def main(arff: str, min_objects: str, answer: str) -> None:
    """Grow a tree and write it."""
    import weka.core.jvm as jvm

    jvm.start(packages=False)
    try:
        from weka.classifiers import Classifier
        from weka.core.converters import Loader

        rows = Loader(classname="weka.core.converters.ArffLoader").load_file(arff)
        rows.class_is_last()
        j48 = Classifier(classname="weka.classifiers.trees.J48", options=["-M", min_objects])
        j48.build_classifier(rows)
        Path(answer).write_text(json.dumps(questions_of(j48.jobject)), encoding="ascii")
    finally:
        jvm.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
