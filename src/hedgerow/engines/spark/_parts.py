"""Work on the parts of a large table by the workers, if they have the same version of Hedgerow.

The input of the work is sent as one file, and the results come back as one file for each part. If a worker is lost,
another one repeats its part and writes the same result.
"""

from __future__ import annotations

import pickle
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.version import __version__
from hedgerow.core.counts import EncodedColumn, FrequencyTable, Grouped
from hedgerow.core.counts.large import Work
from hedgerow.engines._coding import CELL, GROUP, RECORDS, Keys
from hedgerow.engines.spark._exchange import fetch
from hedgerow.engines.spark._leaves import LEAF
from hedgerow.errors import MissingExtra
from hedgerow.io.readers.spark import DataFrame, cloudpickle, own_words
from hedgerow.schema import Roles

__all__ = ["Job", "can_work", "found_by", "worked_on"]

_JOB: Final = "job"


@dataclass(frozen=True, eq=False)
class Job:
    """A counted table, and the work that the workers do on each of its parts."""

    roles: Roles
    encoded: Mapping[str, EncodedColumn]
    keys: Keys
    work: Work

    def counts(self, cells: pa.Table) -> FrequencyTable:
        """The cells of a part, which are in order."""
        codes = np.concatenate([self.keys.codes(batch) for batch in cells.combine_chunks().to_batches()])
        records = cells.column(RECORDS).to_numpy()
        return FrequencyTable.from_cells(self.roles, self.encoded, [(codes, records)], len(codes))


def can_work(session: Any, folder: Path, job: Job) -> bool:
    """Send a job to the workers, and return whether they have Python, Arrow, this version of Hedgerow and all else.

    A requirement or a hierarchy of the user may come from a module that the workers lack.
    """
    folder.mkdir()
    try:
        (folder / _JOB).write_bytes(cloudpickle.dumps(job))
    except (pickle.PicklingError, TypeError, AttributeError):
        return False
    tasks = session.sparkContext.defaultParallelism

    def version(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _version(folder, batches)

    try:
        with _without_warnings(), own_words(session, MissingExtra("The workers of Spark have no Hedgerow.")):
            found = fetch(session.range(0, tasks, 1, tasks).mapInArrow(version, "version string"))
    except MissingExtra:
        return False
    return set(found.column(0).to_pylist()) == {__version__}


def worked_on(cells: DataFrame, keys: Keys, folder: Path) -> DataFrame:
    """Do the job in a folder on cells, and return each cell with its group within its leaf.

    Other results of the leaves go to that folder.
    """
    kinds = [*(f"{name} long" for name in keys.names), f"{RECORDS} long", f"{CELL} int", f"{LEAF} int", f"{GROUP} int"]

    def worked(part: pa.Table) -> pa.Table:
        return _worked(folder, part)

    with _without_warnings():
        return cells.groupBy(LEAF).applyInArrow(worked, ", ".join(kinds))


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Ignore PySpark's warning about pandas 3, which is not used here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield


def found_by(folder: Path, leaf: int) -> tuple[int, Any]:
    """The number of groups of a leaf, and the other results for it."""
    number, found = pickle.loads(_told(folder, leaf).read_bytes())
    return number, found


def _version(folder: Path, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    _job(folder)
    for _ in batches:
        yield pa.record_batch({"version": [__version__]})


def _worked(folder: Path, cells: pa.Table) -> pa.Table:
    """Do the work on one part."""
    job = _job(folder)
    cells = cells.sort_by(CELL)
    done: Grouped = job.work(job.counts(cells.select([*job.keys.names, RECORDS])))
    # The file appears at once or not at all, whichever worker writes it.
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        file.write(pickle.dumps((done.number, done.found)))
    Path(file.name).replace(_told(folder, cells.column(LEAF)[0].as_py()))
    names = [*job.keys.names, RECORDS, CELL, LEAF]
    return cells.select(names).append_column(GROUP, pa.array(done.groups, pa.int32()))


@lru_cache(maxsize=1)
def _job(folder: Path) -> Job:
    job: Job = pickle.loads((folder / _JOB).read_bytes())
    return job


def _told(folder: Path, leaf: int) -> Path:
    return folder / f"leaf-{leaf}"
