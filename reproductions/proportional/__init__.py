"""Figures 3 to 5 of the paper on the proportional representation of k-anonymous tables for neural networks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final

from hedgerow.evaluation.jobs import Job, Measurement
from reproductions.base import Page, Reproduction, Result
from reproductions.proportional.measuring import (
    AFTER,
    BEFORE,
    KS,
    METHOD,
    ROWS,
    SCORES,
    TRAININGS,
    digest_of_table,
    tested,
)
from reproductions.proportional.page import write
from reproductions.tables import has

__all__ = ["REPRODUCTION"]

_SEEDS: Final = 10
_QUICK_SEEDS: Final = 3
_QUICK_ROWS: Final = 3000
_QUICK_KS: Final = (10, 100, 1000)


class _Proportional(Reproduction):
    name = "proportional"
    data = ("adult",)
    title = "Proportional representation: figures 3 to 5"
    paper = (
        "The paper on the proportional representation of k-anonymous tables for neural networks, sections III and IV."
    )

    def jobs(self, *, quick: bool) -> list[Job]:
        seeds, rows, ks = (_QUICK_SEEDS, _QUICK_ROWS, _QUICK_KS) if quick else (_SEEDS, ROWS, KS)
        # Voters are synthetic.
        data = {table: digest_of_table(table, rows) for table in SCORES if table == "voters" or has(table)}
        return [
            Measurement(
                "proportional: tested",
                tested,
                {"table": table, "order": order, "training": training, "rows": rows, "ks": list(ks), "seed": seed},
                data[table],
                method=METHOD,
                proportions=True,
                repetition=seed - 1,
            )
            for seed, table, order, training in product(range(1, seeds + 1), data, (BEFORE, AFTER), TRAININGS)
        ]

    def write(self, page: Page, results: Sequence[Result]) -> None:
        write(page, results)


REPRODUCTION: Final = _Proportional()
