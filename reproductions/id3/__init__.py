"""ID3 learnt from Mondrian's sets: accuracy on Adult against k and against the number of quasi-identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hedgerow.evaluation.jobs import Job
from reproductions.base import Page, Reproduction, Result

__all__ = ["REPRODUCTION", "ID3Paper"]


class ID3Paper(Reproduction):
    """The experiments of section V."""

    name = "id3"
    data = ("adult",)
    title = "ID3 on anonymized tables"
    paper = "J. Shao, J. Beckford: Learning Decision Trees from Anonymized Data (Cardiff University), section V."

    def jobs(self, *, quick: bool) -> list[Job]:
        """The paper's own way first, run by run; then the other ways and the other partitions."""
        from reproductions.id3.experiments import full_jobs, quick_jobs

        return [] if self.absent else quick_jobs() if quick else full_jobs()

    def write(self, page: Page, results: Sequence[Result]) -> None:
        """Claims first, then the tables behind them, then how it was run."""
        from reproductions.id3.page import write_page

        write_page(page, results)


REPRODUCTION: Final = ID3Paper()
