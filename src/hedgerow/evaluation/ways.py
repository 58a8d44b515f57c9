"""The ways of writing training rows and test rows for a learner, which are part of a result's name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from hedgerow.core.proportions import RESULTS_VERSION
from hedgerow.errors import BadInput
from hedgerow.evaluation.learners.base import as_json
from hedgerow.evaluation.tables import OpenedTable
from hedgerow.release import Release

__all__ = ["RAW", "Way", "Written"]

_TRAIN = ("published", "redrawn")
_TEST = ("raw", "recoded")


@dataclass(frozen=True, eq=False)
class Written:
    """Training rows, with a target if there is one, and the function that writes test rows in the same way."""

    features: pa.Table
    target: pa.ChunkedArray | None
    test: Callable[[pa.Table], pa.Table]


@dataclass(frozen=True)
class Way:
    """A way of writing rows.

    Parameters
    ----------
    train : {"published", "redrawn"} or encoder
        ``"published"``: the published cells. ``"redrawn"``: original values drawn from them by
        :func:`hedgerow.learning.redraw`. An unfitted encoder of :mod:`hedgerow.learning`: its features of the release.
    test : {"raw", "recoded"} or encoder
        ``"raw"``: unchanged, which needs only the release. ``"recoded"``: generalized like the release, which needs its
        private recoding. An encoder, if training rows are encoded too: recoded, then its features.
    owner : str
        The function with these parameters, for messages.
    """

    train: Any = "redrawn"
    test: Any = "raw"
    owner: str = field(default="evaluate", compare=False)

    def __post_init__(self) -> None:
        if self.train == "raw" and self.test == "raw":  # without a release
            return
        if not (self.train in _TRAIN if isinstance(self.train, str) else _is_encoder(self.train)):
            raise BadInput.parameter("train", self.owner, "'published', 'redrawn' or an encoder", _named(self.train))
        if not (self.test in _TEST if isinstance(self.test, str) else _is_encoder(self.test)):
            raise BadInput.parameter("test", self.owner, "'raw', 'recoded' or an encoder", _named(self.test))
        if not isinstance(self.test, str) and isinstance(self.train, str):
            raise BadInput("Test rows are encoded, but training rows are not. Give an encoder as train=, too.")

    @property
    def names(self) -> tuple[str, str]:
        """The names of both in tables."""
        return _named(self.train), _named(self.test)

    def spelled(self) -> dict[str, Any]:
        """Both with all parameters, as JSON."""
        version = {"proportions": RESULTS_VERSION} if self.needs_proportions else {}
        return {"train": as_json(self.train), "test": as_json(self.test), **version}

    @property
    def needs_proportions(self) -> bool:
        """Whether published proportions are used."""
        if isinstance(self.train, str):
            return self.train == "redrawn"
        return any(type(encoder).__name__ == "ProportionalEncoder" for encoder in (self.train, self.test))

    @property
    def needs_recoding(self) -> bool:
        """Whether test rows are recoded."""
        return not (isinstance(self.test, str) and self.test == "raw")

    def rows(self, release: Release, random_state: int, draws: int = 1) -> pa.Table:
        """The rows of a release, redrawn several times if they are redrawn."""
        from hedgerow.learning import redraw

        return redraw(release, draws, random_state=random_state) if self.train == "redrawn" else release.table

    def write(self, release: Release, table: OpenedTable, random_state: int) -> Written:
        """Write the rows of a release for a learner.

        Parameters
        ----------
        release : Release
            The release of the training rows, which were an Arrow table.
        table : OpenedTable
            Names the features and the target.
        random_state : int
            Seed of redrawing.
        """
        names, target = table.features, table.schema.target
        rows = self.rows(release, random_state)
        labels = None if target is None else rows.column(target)

        def reach(tests: pa.Table) -> pa.Table:
            tests = tests.select(names)
            return release.recoding.transform(tests).select(names) if self.needs_recoding else tests

        if isinstance(self.train, str):
            return Written(rows.select(names), labels, reach)
        training = _fitted(self.train, release)
        testing = training if isinstance(self.test, str) else _fitted(self.test, release)
        return Written(_features(training, release), labels, lambda tests: _features(testing, reach(tests)))


RAW: Final = Way("raw", "raw")
"""Original rows."""


def _is_encoder(given: object) -> bool:
    return not isinstance(given, type) and all(hasattr(given, verb) for verb in ("fit", "transform", "get_params"))


def _named(given: object) -> str:
    return given if isinstance(given, str) else type(given).__name__


def _fitted(encoder: Any, release: Release) -> Any:
    from sklearn.base import clone

    return clone(encoder).fit(release)


def _features(encoder: Any, rows: pa.Table | Release) -> pa.Table:
    matrix = encoder.transform(rows)
    matrix = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return pa.table({str(name): matrix[:, at] for at, name in enumerate(encoder.get_feature_names_out())})
