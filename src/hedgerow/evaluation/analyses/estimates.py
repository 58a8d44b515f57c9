"""The estimates of planned analyses: crosstabs, means and regressions, as ``hr.analyses`` compares them."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from hedgerow.errors import BadInput, check_int
from hedgerow.evaluation.analyses.base import Analysis, Material
from hedgerow.evaluation.estimates.api import compare_rows, open_original, readings_of, refuse_unpublished
from hedgerow.evaluation.estimates.notation import parse_all
from hedgerow.evaluation.tables import OpenedTable
from hedgerow.release import Release

__all__ = ["Estimates"]


@dataclass(frozen=True, kw_only=True)
class Estimates(Analysis):
    """The analyses that recipients plan, on the training rows and on their release.

    Parameters
    ----------
    planned : tuple of str
        The analyses, as in :func:`hedgerow.analyses`.
    draws : int
        How many times rows are redrawn.
    """

    name = "estimates"
    task = "estimates"

    planned: tuple[str, ...] = ()
    draws: int = 5

    def __post_init__(self) -> None:
        if self.planned:
            parse_all(self.planned, "Estimates")
        check_int("draws", "Estimates", self.draws, 2)

    def check_table(self, table: OpenedTable) -> None:
        if not self.planned:
            raise BadInput(
                "No analysis is given. Name those that recipients plan (analyses=['mean days by ward'], "
                "--analysis 'mean days by ward')."
            )
        parsed = parse_all(self.planned)
        schema = table.schema
        open_original(table, parsed, missing=tuple(schema.missing), kinds=schema.kinds, entity=table.roles.entity)
        refuse_unpublished(parsed, table.roles.published)

    def measure(self, material: Material) -> Mapping[str, float | None]:
        part, release, parsed = material.part, material.release, parse_all(self.planned)
        schema = part.schema
        missing, entity = tuple(schema.missing), part.roles.entity
        # A part may lack a value that the table has; the analysis then fails, and not the run.
        original = open_original(part, parsed, missing=missing, kinds=schema.kinds, entity=entity, checked=True)
        rows = release if isinstance(release, Release) else release.select(part.roles.published)
        draws = self.draws if material.way.train == "redrawn" else 0
        readings = readings_of(rows, original.plain, parsed, draws=draws, random_state=material.random_state)
        results = [compare_rows(original.plain, readings[-1], analysis) for analysis in parsed]
        overlaps = [result.overlap for result in results if result.overlap is not None]
        errors = [result.error for result in results if result.error is not None]
        return {
            "overlap": statistics.fmean(overlaps) if overlaps else None,
            "estimate_error": statistics.fmean(errors) if errors else None,
        }
