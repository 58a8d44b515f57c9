"""Hedge, our own method: what it was to reach on Adult, what it gives away, and how it stands on the shared sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hedgerow.evaluation.jobs import Job
from reproductions.base import Page, Reproduction, Result

__all__ = ["REPRODUCTION"]


class _Hedge(Reproduction):
    name = "hedge"
    data = ("adult", "german", "crx", "tic-tac-toe", "haberman", "heart-statlog", "glass", "sonar", "waveform")
    title = "Hedge: groups in the space of a teacher, told as proportions"
    paper = (
        "Our own method. There is no paper: what it was to reach was written down before it was measured, and stands "
        "beside what came out."
    )

    def jobs(self, *, quick: bool) -> list[Job]:
        """The train and the test file of Adult first, then small sets, then Adult by five times two halves."""
        from reproductions.hedge.experiments import full_jobs, quick_jobs

        return quick_jobs() if quick else full_jobs()

    def write(self, page: Page, results: Sequence[Result]) -> None:
        """Claims first, then the tables."""
        from reproductions.hedge.page import write_page

        write_page(page, results)


REPRODUCTION: Final = _Hedge()
