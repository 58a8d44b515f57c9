"""Runs a trial: anonymizes a training part, writes it for every learner, trains, and scores."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather as feather

from hedgerow.engines import FrameRows
from hedgerow.errors import BadInput, HedgerowError, Infeasible, MissingExtra, required
from hedgerow.evaluation.cells import Cell, Treatment, Trial
from hedgerow.evaluation.scores import scores_of
from hedgerow.evaluation.tables import EvaluatedTable, OpenedTable
from hedgerow.evaluation.ways import Written
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


def attempt(stage: Stage[EvaluatedTable], trial: Trial) -> list[dict[str, Any]]:
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
    return [_tried(cell, part, release, tests, about, seed) for cell in trial.cells]


def _seed(stage: Stage[EvaluatedTable], trial: Trial) -> int:
    """The seed of a part, common to all treatments, so that they differ in nothing else."""
    state = np.random.SeedSequence([stage.random_state, trial.split.repetition, trial.split.fold])
    return int(state.generate_state(1)[0])


def _refuse_few(part: EvaluatedTable, k: int | None) -> None:
    """A part with fewer rows or people than k is infeasible. It is not an error, since several k may be requested."""
    units = part.table.num_rows if part.people is None else len(np.unique(part.people))
    if k is not None and units < k:
        what = "rows" if part.people is None else "people"
        raise Infeasible(f"The training part has {units:,} {what}, fewer than k = {k:,}.")


def anonymized(part: EvaluatedTable, treatment: Treatment, seed: int) -> Release:
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
    return replace(release, rows=FrameRows(_sorted(release.table, [*part.features, part.target])))


def _sorted(table: pa.Table, by: Sequence[str]) -> pa.Table:
    """The rows in an order that depends only on these columns."""
    columns = [table.column(name) for name in by]
    plain = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column for column in columns
    ]
    keys = pa.table(plain, names=[f"c{at}" for at in range(len(by))])
    return table.take(pc.sort_indices(keys, [(name, "ascending") for name in keys.column_names]))


def _tried(
    cell: Cell, part: EvaluatedTable, release: Release | None, tests: pa.Table, about: dict[str, Any], seed: int
) -> dict[str, Any]:
    if release is not None and cell.way.needs_recoding and release.recoding.router is None:
        reason = f"A recoding by {release.recoding.method} cannot recode rows that it has not seen."
        return result_of(cell, "impossible", {"reason": reason})
    began = time.perf_counter()
    written = _raw(part) if release is None else cell.way.write(release, part, seed)
    try:
        fitted = cell.learner.fit(
            written.features, written.target, task=part.task, random_state=seed, missing=part.schema.missing
        )
        scores = scores_of(fitted.predict(written.test(tests)), tests.column(part.target), part.task)
    except HedgerowError as reason:
        if isinstance(reason, BadInput | MissingExtra):  # every other cell would fail too
            raise
        return result_of(cell, "failed", {"reason": str(reason)})
    rounded = {name: None if score is None else round(score, _DIGITS) for name, score in scores.items()}
    return result_of(cell, "done", {**rounded, **about, "learning_seconds": round(time.perf_counter() - began, 4)})


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
