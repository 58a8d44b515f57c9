"""HeuristicMin beside MinGen, AllMin, TDS and BUG: the worked cases, and Adult as rows and columns are added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hedgerow.evaluation.jobs import Job
from reproductions.base import Page, Reproduction, Result

__all__ = ["REPRODUCTION", "HeuristicMinPaper"]


class HeuristicMinPaper(Reproduction):
    """The examples of sections 4.3 and 5, and the same methods on a real table, which the paper does not try."""

    name = "heuristicmin"
    data = ("adult",)
    title = "HeuristicMin and other searches for the least generalization"
    paper = "S. Arca, R. Hewett: Data privacy with heuristic anonymisation, sections 4.3 and 5."

    def jobs(self, *, quick: bool) -> list[Job]:
        """The worked cases first, then Adult."""
        from reproductions.heuristicmin.experiments import full_jobs, quick_jobs

        return quick_jobs() if quick else full_jobs()

    def write(self, page: Page, results: Sequence[Result]) -> None:
        """Claims first, then the figures of the paper, then Adult."""
        from reproductions.heuristicmin.page import write_page

        write_page(page, results)


REPRODUCTION: Final = HeuristicMinPaper()
