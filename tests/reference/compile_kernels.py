"""Compile the kernels that most tests need, once: processes that test side by side would each compile them.

python tests/reference/compile_kernels.py 0 2    # every second method, from the first
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import hedgerow as hr

METHODS: dict[str, type[hr.Anonymizer]] = {method["name"]: getattr(hr, method["class"]) for method in hr.methods()}


def main() -> None:
    """Run methods on a small table, with each value of their parameters; the first of several learns from releases."""
    first, step = map(int, sys.argv[1:])
    table, schema = hr.datasets.make_census(300, random_state=0), hr.datasets.census_schema()
    for method, parameters in _variants(list(METHODS)[first::step]):
        for require in ((), ("l=2@disease",)):
            for more in ({}, {"suppression_limit": 0.02}):
                with suppress(hr.HedgerowError):
                    chosen: dict[str, Any] = {"method": method, **parameters, **more}
                    hr.anonymize(table, schema, k=5, require=require, random_state=0, **chosen)
    if not first:
        _learn(table, schema)


def _variants(names: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in names:
        if name == "heuristicmin":
            yield name, {"max_states": 20}  # it compiles nothing more while it searches long
            continue
        yield name, {}
        for own, parameter in METHODS[name].parameters().items():
            for value in parameter.trials:
                yield name, {own: value}


def _learn(table: Any, schema: hr.Schema) -> None:
    release = hr.anonymize(table, schema, method="mondrian", k=5, random_state=0, publish_proportions=True)
    hr.learning.redraw(release, random_state=0)
    features, target = table.select(schema.quasi), table["income"].to_pylist()
    for learner in (
        hr.learning.C45Classifier(fractional=True),
        hr.learning.C45Classifier(),
        hr.learning.GeneralizedID3Classifier(),
    ):
        learner.fit(release).predict(release)
        learner.fit(features, target).predict(features)


if __name__ == "__main__":
    main()
