"""kACTUS: accuracy against k on nine sets, beside TDS, TDR, kADET and Mondrian on Adult, and time against rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hedgerow.evaluation.jobs import Job
from reproductions.base import Page, Reproduction, Result
from reproductions.effort import identities

__all__ = ["REPRODUCTION", "KActusPaper"]


class KActusPaper(Reproduction):
    """The experiments of section 5."""

    name = "kactus"
    needs_weka = True
    data = ("haberman", "heart-statlog", "glass", "sonar", "crx", "tic-tac-toe", "german", "waveform", "adult")
    parts = ("small", "adult", "scale")
    title = "kACTUS: suppression along a classification tree"
    paper = (
        "S. Kisilevich, L. Rokach, Y. Elovici, B. Shapira: Efficient Multidimensional Suppression for K-Anonymity, "
        "IEEE TKDE 22(3), 2010."
    )

    def jobs(self, *, quick: bool) -> list[Job]:
        """Small sets, then Adult with quick learners, then with slow ones."""
        from reproductions.kactus.experiments import full_jobs, quick_jobs

        return quick_jobs() if quick else full_jobs()

    def part_of(self, job: Job) -> str:
        """Sets other than Adult, Adult, or the tables that are timed."""
        told = identities(job)[0][1]
        return "scale" if "dataset" not in told else "adult" if told["dataset"] == "adult" else "small"

    def write(self, page: Page, results: Sequence[Result]) -> None:
        """Claims first, then how they were reached, then the tables."""
        from reproductions.kactus.page import write_page

        write_page(page, results)


REPRODUCTION: Final = KActusPaper()
