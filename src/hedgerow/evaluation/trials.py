"""Runs a trial: anonymizes a training part, writes it for every learner, trains, and scores."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather as feather

from hedgerow.engines import FrameRows
from hedgerow.errors import BadInput, HedgerowError, Infeasible, InternalError, MissingExtra, required
from hedgerow.evaluation.analyses.base import Analysis, Material
from hedgerow.evaluation.cells import Cell, Treatment, Trial
from hedgerow.evaluation.scores import scores_of
from hedgerow.evaluation.tables import EvaluatedTable, OpenedTable
from hedgerow.evaluation.ways import Written
from hedgerow.io.values import SUPPRESSED_TEXT
from hedgerow.release import Release

__all__ = ["Stage", "anonymized", "attempt", "result_of"]

_DIGITS: Final = 6  # of scores, since thousands of results are stored

T = TypeVar("T", bound=OpenedTable)


@dataclass(frozen=True, eq=False)
class Stage(Generic[T]):
    """A table on disk, from which worker processes read it."""

    path: Path
    empty: T
    random_state: int

    @classmethod
    def of(cls, table: T, folder: Path, random_state: int) -> Stage[T]:
        """Write a table out."""
        path = folder / f"{table.digest}.arrow"
        if not path.exists():
            feather.write_feather(table.table, path, compression="uncompressed")
        return cls(path, replace(table, table=table.table.slice(0, 0)), random_state)

    @property
    def table(self) -> T:
        """The table."""
        return replace(self.empty, table=_read(self.path))


@lru_cache(maxsize=4)
def _read(path: Path) -> pa.Table:
    return feather.read_table(path, memory_map=True)


def attempt(stage: Stage[OpenedTable], trial: Trial) -> list[dict[str, Any]]:
    """The results of all cells of a trial, as JSON."""
    table = stage.table
    part = replace(table, table=table.table.take(pa.array(trial.split.train)))
    tests = table.table.take(pa.array(trial.split.test))
    seed = _seed(stage, trial)
    began = time.perf_counter()
    try:
        _refuse_few(part, trial.treatment.k)
        release = None if trial.treatment.method is None else anonymized(part, trial.treatment, seed)
    except Infeasible as reason:
        return [result_of(cell, "infeasible", {"reason": str(reason)}) for cell in trial.cells]
    about = {} if release is None else _about(release, time.perf_counter() - began)
    rows = _suppressed(part) if trial.treatment.suppressed else part.table
    return [_tried(cell, Tried(part, rows, release, tests, seed), about) for cell in trial.cells]


def _suppressed(part: OpenedTable) -> pa.Table:
    """The rows of a part, with every quasi-identifier suppressed."""
    stars = pa.array([SUPPRESSED_TEXT]).take(pa.array(np.zeros(part.table.num_rows, dtype=np.int64)))
    table = part.table
    for name in part.roles.quasi:
        table = table.set_column(table.column_names.index(name), name, stars)
    return table


def _seed(stage: Stage[OpenedTable], trial: Trial) -> int:
    """The seed of a part, common to all treatments, so that they differ in nothing else."""
    state = np.random.SeedSequence([stage.random_state, trial.split.repetition, trial.split.fold])
    return int(state.generate_state(1)[0])


def _refuse_few(part: OpenedTable, k: int | None) -> None:
    """A part with fewer rows or people than k is infeasible. It is not an error, since several k may be requested."""
    units = part.table.num_rows if part.people is None else len(np.unique(part.people))
    if k is not None and units < k:
        what = "rows" if part.people is None else "people"
        raise Infeasible(f"The training part has {units:,} {what}, fewer than k = {k:,}.")


def anonymized(part: OpenedTable, treatment: Treatment, seed: int) -> Release:
    """The release of a training part, with its rows in an order that depends only on their cells."""
    release = required(treatment.method, "a method").anonymize(
        part.table,
        part.schema,
        k=treatment.k,
        require=treatment.require,
        random_state=seed,
        **(treatment.parameters or {}),
    )
    # A release is shuffled by the operating system's random numbers, on which results must not depend.
    return replace(release, rows=FrameRows(_sorted(release.table, part.columns)))


def _sorted(table: pa.Table, by: Sequence[str]) -> pa.Table:
    """The rows in an order that depends only on these columns."""
    columns = [table.column(name) for name in by]
    plain = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column for column in columns
    ]
    keys = pa.table(plain, names=[f"c{at}" for at in range(len(by))])
    return table.take(pc.sort_indices(keys, [(name, "ascending") for name in keys.column_names]))


@dataclass(frozen=True, eq=False)
class Tried:
    """A training part with what was made of it: its release or, for a baseline, the rows in the place of one."""

    part: OpenedTable
    rows: pa.Table
    release: Release | None
    tests: pa.Table
    seed: int


def _tried(cell: Cell, tried: Tried, about: dict[str, Any]) -> dict[str, Any]:
    release = tried.release
    if release is not None and cell.way.needs_recoding and release.recoding.router is None:
        reason = f"A recoding by {release.recoding.method} cannot recode rows that it has not seen."
        return result_of(cell, "impossible", {"reason": reason})
    began = time.perf_counter()
    try:
        scores = _measured(cell, tried)
    except HedgerowError as reason:
        if isinstance(reason, BadInput | MissingExtra):  # every other cell would fail too
            raise
        return result_of(cell, "failed", {"reason": str(reason)})
    rounded = {name: None if score is None else round(score, _DIGITS) for name, score in scores.items()}
    return result_of(cell, "done", {**rounded, **about, "learning_seconds": round(time.perf_counter() - began, 4)})


def _measured(cell: Cell, tried: Tried) -> Mapping[str, float | None]:
    """The scores of an analysis, or of what a learner predicts."""
    part, release, seed = tried.part, tried.release, tried.seed
    if isinstance(cell.learner, Analysis):
        readable = tried.rows if release is None else release
        return cell.learner.measure(Material(part, tried.tests, readable, cell.way, seed))
    if not isinstance(part, EvaluatedTable):
        raise InternalError("a learner has no target to predict")
    written = _raw(part) if release is None else cell.way.write(release, part, seed)
    fitted = cell.learner.fit(
        written.features, written.target, task=part.task, random_state=seed, missing=part.schema.missing
    )
    predicted = fitted.predict(written.test(tried.tests))
    return scores_of(predicted, tried.tests.column(part.target), part.task)


def _raw(part: EvaluatedTable) -> Written:
    rows = part.table
    return Written(rows.select(part.features), rows.column(part.target), lambda tests: tests.select(part.features))


def _about(release: Release, seconds: float) -> dict[str, Any]:
    """The losses of a release, with the digits of a manifest, and further figures."""
    losses = release.audit.losses
    return {
        "ncp_published": losses.get("ncp_published"),
        "prec": losses.get("prec"),
        "suppressed": losses.get("suppression"),
        "classes": release.audit.classes.number,
        "k_reached": release.audit.k,
        "anonymizing_seconds": round(seconds, 4),
    }


def result_of(cell: Cell, status: str, figures: dict[str, Any]) -> dict[str, Any]:
    """The stored result of a cell."""
    return {"key": cell.key, **cell.names, "status": status, **figures}
