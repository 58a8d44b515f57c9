"""The interface of analyses: compare what a reader finds in a release with what the original rows show."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import pyarrow as pa

from hedgerow.errors import BadInput
from hedgerow.evaluation.learners.base import changed, defaults_of
from hedgerow.evaluation.tables import AnalysisTask, OpenedTable
from hedgerow.evaluation.ways import Way, Written
from hedgerow.release import Release

__all__ = ["Analysis", "Material", "check_between"]


@dataclass(frozen=True, eq=False)
class Material:
    """What an analysis compares.

    Attributes
    ----------
    part : OpenedTable
        The original training rows.
    tests : Table
        Original rows that no method has seen.
    release : Release or Table
        The release of the training rows; for a baseline a table that its reader has instead.
    way : Way
        How a reader writes the rows of the release.
    random_state : int
        The seed of the part, common to all treatments.
    """

    part: OpenedTable
    tests: pa.Table
    release: Release | pa.Table
    way: Way
    random_state: int

    def written(self) -> Written:
        """The features of the release, and the function that writes test rows for them."""
        if isinstance(self.release, Release):
            return self.way.write(self.release, self.part, self.random_state)
        names = self.part.features
        return Written(self.release.select(names), None, lambda tests: tests.select(names))

    def rows(self, draws: int) -> pa.Table:
        """All rows of the release with features and target: several times, one after the other, if they are redrawn."""
        if not isinstance(self.release, Release):
            return self.release.select(self.part.columns)
        return self.way.rows(self.release, self.random_state, draws).select(self.part.columns)

    def copies(self, draws: int) -> int:
        """How often :meth:`rows` contains each row."""
        return draws if isinstance(self.release, Release) and self.way.train == "redrawn" else 1


class Analysis(ABC):
    """The base class of analyses. A subclass is a frozen dataclass of its parameters, and compares in ``measure``.

    Attributes
    ----------
    name : str
        Its name in tables and charts.
    task : {"clustering", "association", "queries", "estimates"}
    results_version : int
        Raised when a default or the results of the analysis change; stored results are then stale.
    """

    name: ClassVar[str]
    task: ClassVar[AnalysisTask]
    results_version: ClassVar[int] = 1

    def spelled(self) -> dict[str, Any]:
        """The name, the version of its results, and the parameters that differ from their defaults, as JSON."""
        own: Any = self  # a dataclass
        given = {field.name: getattr(self, field.name) for field in fields(own)}
        return {"name": self.name, "results": self.results_version, **changed(given, defaults_of(type(self)))}

    def check(self, way: Way) -> None:
        """Refuse a way of writing rows that the analysis cannot read."""
        if not isinstance(way.train, str) or way.test != "raw":
            raise BadInput(
                f"The task {self.task!r} counts rows: it reads neither the features of encoders nor recoded test rows. "
                "Choose train='redrawn' or train='published', and test='raw'."
            )

    def check_table(self, table: OpenedTable) -> None:  # noqa: B027 - most analyses fit every table
        """Refuse a table that the analysis does not fit."""

    @abstractmethod
    def measure(self, material: Material) -> Mapping[str, float | None]:
        """The scores of the task; ``None`` for an undefined score."""


def check_between(name: str, owner: str, value: object) -> None:
    """Refuse a parameter that is not a number above 0 and at most 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise BadInput.parameter(name, owner, "a number above 0, and 1 at most", value)
