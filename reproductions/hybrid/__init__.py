"""Table 3 of the paper on hybrid kACTUS: accuracy on three tables, six k, with C4.5 and naive Bayes.

Its protocol is not stated. The six accuracies on original tables are those of Weka's ten-fold cross-validation with
seed 1. The anonymized ones are read in two ways, with Weka's folds both times: the whole table is anonymized and the
result cross-validated, so that test rows have had a say in how they are altered; or each training part is anonymized,
and tested on the other rows as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from hedgerow.evaluation.jobs import Job, Measurement
from reproductions.base import Page, Reproduction, Result
from reproductions.hybrid.found import ALL, STATED
from reproductions.hybrid.measuring import (
    APART,
    GUARANTEED,
    KS,
    METHODS,
    PUBLISHED,
    QUASI,
    TARGETS,
    WHOLE,
    anonymized,
    original,
)
from reproductions.hybrid.page import write
from reproductions.tables import digest_of_data, has, read_set

__all__ = ["REPRODUCTION"]

_SEEDS: Final = 10
_QUICK_SEEDS: Final = 3
_QUICK_KS: Final = (5, 15)


class _Hybrid(Reproduction):
    name = "hybrid"
    needs_weka = True
    data = tuple(TARGETS)
    title = "Hybrid kACTUS: table 3"
    paper = (
        "P. Israni et al.: Privacy Preserving Using Anonymization and Perturbation in Classification, Indian J. Sci. "
        "Res. 17(1), 2017."
    )

    def jobs(self, *, quick: bool) -> list[Job]:
        seeds, ks = (_QUICK_SEEDS, _QUICK_KS) if quick else (_SEEDS, KS)
        cases = [*STATED.items(), *(case for case in ALL.items() if case not in STATED.items())]
        if not quick:
            cases += [(table, quasi) for table in TARGETS for quasi in QUASI[table] if (table, quasi) not in cases]
        data = {table: digest_of_data(read_set(table, target)) for table, target in TARGETS.items() if has(table)}
        return [job for seed in range(1, seeds + 1) for job in _of_seed(seed, cases, ks, data)]

    def write(self, page: Page, results: Sequence[Result]) -> None:
        write(page, results)


def _of_seed(
    seed: int, cases: Sequence[tuple[str, str]], ks: Sequence[int], data: Mapping[str, str]
) -> Iterator[Measurement]:
    for table in data:
        arguments: dict[str, Any] = {"table": table, "seed": seed}
        yield Measurement("hybrid: original", original, arguments, data[table], weka=True, repetition=seed - 1)
    for (table, quasi), method, reading, k in product(cases, (PUBLISHED, GUARANTEED), (WHOLE, APART), ks):
        if table not in data:
            continue
        arguments = {"table": table, "quasi": quasi, "method": method, "reading": reading, "k": k, "seed": seed}
        yield Measurement(
            "hybrid: anonymized",
            anonymized,
            arguments,
            data[table],
            method=METHODS[method],
            weka=True,
            repetition=seed - 1,
        )


REPRODUCTION: Final = _Hybrid()
