"""Weka's J48 in a process of its own: reads a job as JSON from standard input, writes what J48 says as JSON.

A job is the path of an ARFF file, whose last attribute is the class, and a list of ``[confidence, min_objects]``.
"""

from __future__ import annotations

import json
import sys
from typing import Any

# Weka is imported where it is used: pytest imports this file too, on machines that have no Weka.


def grown(data: Any, confidence: float, min_objects: int) -> dict[str, Any]:
    """One tree: its leaves, its size, and the class it gives to each training row."""
    from weka.classifiers import Classifier

    options = ["-C", str(confidence), "-M", str(min_objects)]
    j48 = Classifier(classname="weka.classifiers.trees.J48", options=options)
    j48.build_classifier(data)
    return {
        "leaves": int(j48.jobject.measureNumLeaves()),
        "size": int(j48.jobject.measureTreeSize()),
        "predictions": [data.class_attribute.value(int(j48.classify_instance(row))) for row in data],
    }


def main() -> None:
    """Do the job."""
    import weka.core.jvm as jvm

    job = json.load(sys.stdin)
    jvm.start(packages=False)
    try:
        from weka.core.converters import Loader

        data = Loader(classname="weka.core.converters.ArffLoader").load_file(job["arff"])
        data.class_is_last()
        trees = [grown(data, *setting) for setting in job["settings"]]
    finally:
        jvm.stop()
    json.dump(trees, sys.stdout)


if __name__ == "__main__":
    main()
