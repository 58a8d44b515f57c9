"""Tables between us and Spark: recodings go there as Parquet files, counts come back through Arrow.

They are files, not literals or collections, because Spark shows plans in its logs and on its pages, and sends
collections along with every task. The files are in a folder that all workers share.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.errors import BadInput, translated, unwritable
from hedgerow.io.readers.spark import FAULTS, DataFrame, StorageLevel, own_words
from hedgerow.io.readers.spark import functions as F
from hedgerow.io.scratch import Scratch

__all__ = [
    "Send",
    "Workers",
    "fetch",
    "is_local",
    "is_readable",
    "kept_by_workers",
    "near",
    "read_parquet",
    "send",
    "shared_folder",
    "store",
    "url",
    "write_parts",
]

Send = Callable[[str, pa.Table], DataFrame]
"""Sends a table to Spark under a name."""


@dataclass(frozen=True)
class Workers:
    """A session of Spark, and the folder where the driver and its workers exchange files.

    Attributes
    ----------
    session : SparkSession
    folder : Scratch
    words : callable
        Translates faults of Spark into messages of ours, which quote no cell.
    """

    session: Any
    folder: Scratch
    words: Callable[[], own_words]

    def send(self, name: str, table: pa.Table) -> DataFrame:
        """Send a table to Spark under a name."""
        return send(self.session, self.folder.path, name, table)


BROADCAST_BYTES: Final = 1 << 25
"""A table up to this size goes to every worker; a larger one is joined by a shuffle of both sides."""

ROW_GROUP: Final = 1 << 22
"""Bytes of rows that are read together, at least, from files that the workers have written for the driver."""

_SIGNS: Final = re.compile(r"([\[\]{}*?\\])")  # of Hadoop's patterns

TEMP_SETTING: Final = "spark.hedgerow.temp"


def url(path: Path) -> str:
    """A path as Spark writes to it, whatever its default file system is."""
    return f"file://{path}"


def read_parquet(session: Any, paths: Iterable[Path]) -> DataFrame:
    """Read Parquet files by their exact names, never as patterns."""
    return session.read.option("mergeSchema", "false").parquet(*(_SIGNS.sub(r"\\\1", url(path)) for path in paths))


def is_readable(path: Path) -> bool:
    """Whether Spark can read a file of that name: it fails on colons, and ignores files that it considers hidden."""
    return ":" not in str(path) and not path.name.startswith(("_", "."))


def write_parts(rows: DataFrame, folder: Path) -> None:
    """Let the workers write rows to files, some of which the driver will read."""
    rows.write.option("parquet.block.size", ROW_GROUP).parquet(url(folder))


def store(folder: Path, name: str, table: pa.Table) -> Path:
    """Write a table for Spark, and return its place."""
    path = folder / f"{name}.parquet"
    with translated(OSError, into=unwritable(f"The recoding cannot be sent to Spark through {str(folder)!r}")):
        # Spark trusts its metadata of columns more than the columns.
        pq.write_table(table.replace_schema_metadata(None), path)
    return path


def send(session: Any, folder: Path, name: str, table: pa.Table) -> DataFrame:
    """Send a table to Spark."""
    return near(read_parquet(session, [store(folder, name, table)]), table.nbytes)


def near(table: DataFrame, size: int) -> DataFrame:
    """Choose how a table is joined: a small table is sent to every worker."""
    return F.broadcast(table) if size <= BROADCAST_BYTES else table.hint("merge")


def fetch(table: DataFrame) -> pa.Table:
    """A small result; moments with a zone come in UTC, not in that of the session."""
    fetched: pa.Table = table.toArrow()
    utc = pa.timestamp("us", "UTC")
    zoned = [field.name for field in fetched.schema if pa.types.is_timestamp(field.type) and field.type.tz is not None]
    for name in zoned:
        fetched = fetched.set_column(fetched.column_names.index(name), name, fetched.column(name).cast(utc))
    return fetched


@contextmanager
def kept_by_workers(table: DataFrame) -> Iterator[DataFrame]:
    """Let workers keep the rows of a table on their disks during a ``with`` block, so that they are computed once."""
    kept = table.persist(StorageLevel.DISK_ONLY)
    try:
        yield kept
    finally:
        with suppress(*FAULTS):
            kept.unpersist()


def is_local(session: Any) -> bool:
    """Whether the driver on this machine does all the work."""
    master = str(session.sparkContext.master)
    return master == "local" or master.startswith("local[")


def shared_folder(session: Any, temp: Path | None, destination: Path | None) -> Scratch:
    """A hidden folder on storage that all workers share, removed when it is no longer used.

    It is in ``temp`` or, if the session names one, in the folder of its setting ``spark.hedgerow.temp``; else beside
    the destination; else, if there are no other machines, in the system's temporary folder.
    """
    named = session.conf.get(TEMP_SETTING, None)
    place = Path(named).absolute() if temp is None and named else temp
    if place is not None:
        if not place.is_dir():
            raise BadInput(f"There is no folder {str(place)!r}. Spark needs one that all workers share.")
        return _without_colon(None, place)
    if destination is None and not is_local(session):
        raise BadInput(
            "Where may the release lie until it is verified? Name a folder that the driver and all workers share: "
            f"spark.conf.set('{TEMP_SETTING}', '/shared/folder'), or --temp."
        )
    return _without_colon(destination, None)


def _without_colon(destination: Path | None, within: Path | None) -> Scratch:
    folder = Scratch(destination, within=within)
    if ":" in str(folder.path):
        raise BadInput("Spark cannot read files whose path has a colon in it. Name another folder (--temp).")
    return folder
