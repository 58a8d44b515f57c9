"""Compile the kernels that most tests need, once: processes that test side by side would each compile them.

python tests/reference/compile_kernels.py 0 2    # every second method, from the first
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import hedgerow as hr

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "mondrian": [{}, {"improve": True}, {"cut": "widest"}, {"relaxed": True}],
    "greedy": [{}, {"improve": True}],
}


def main() -> None:
    """Run methods on a small table, with and without a formula to check; the first of several learns from a release."""
    first, step = map(int, sys.argv[1:])
    table, schema = hr.datasets.make_census(300, random_state=0), hr.datasets.census_schema()
    for method in [one["name"] for one in hr.methods()][first::step]:
        for parameters in VARIANTS.get(method, [{}]):
            for require in ((), ("l=2@disease",)):
                with suppress(hr.HedgerowError):
                    hr.anonymize(table, schema, method=method, k=5, require=require, random_state=0, **parameters)
    if first:
        return
    release = hr.anonymize(table, schema, method="mondrian", k=5, random_state=0, publish_proportions=True)
    hr.learning.redraw(release, random_state=0)
    for learner in (hr.learning.C45Classifier(fractional=True), hr.learning.GeneralizedID3Classifier()):
        learner.fit(release)


if __name__ == "__main__":
    main()
