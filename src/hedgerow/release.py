"""The release: the published table with its audit and manifest, and how it is written to disk."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from hedgerow._version import __version__
from hedgerow.engines.csv_text import read_header
from hedgerow.engines.files import copy_options, csv_scan, file_format, refuse_alike
from hedgerow.engines.scratch import Scratch
from hedgerow.engines.sql import file_literal, identifier, literal
from hedgerow.errors import BadInput
from hedgerow.frames import open_frame
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.proportions import Proportions, proportions_path
from hedgerow.recoding import Recoding, appearing, check_place
from hedgerow.risk import Audit

__all__ = ["Release", "Staged", "check_destination", "manifest_path"]


@dataclass(frozen=True, eq=False)
class Staged:
    """Published rows in a file of a temporary folder, which lives as long as this object."""

    path: Path
    folder: Scratch


@dataclass(frozen=True, eq=False)
class Release:
    """A verified release.

    Attributes
    ----------
    recoding : Recoding
        How original values became published ones: a secret.
    audit : Audit
        What the table gives away and what it lost.
    facts : mapping
        What the manifest says beyond the audit.
    markers : mapping of column to str
        How a missing value of a quasi-identifier is written in a CSV.
    proportions : Proportions, optional
        How the people of every class are divided among the values of each column, if they were asked for.
    hierarchies : mapping of column to EncodedHierarchy
        How the quasi-identifiers generalize.
    """

    rows: Any
    recoding: Recoding
    audit: Audit
    facts: Mapping[str, Any]
    markers: Mapping[str, str] = field(default_factory=dict)
    proportions: Proportions | None = None
    hierarchies: Mapping[str, EncodedHierarchy] = field(default_factory=dict)

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.recoding.quasi

    @property
    def target(self) -> str | None:
        """The class to be learnt, if the schema names one."""
        name: str | None = self.facts["columns"]["target"]
        return name

    @property
    def table(self) -> Any:
        """The published rows: the dataframe type that came in; for a file, a DuckDB relation over the release."""
        if not isinstance(self.rows, Staged):
            return self.rows
        relation = duckdb.connect().sql(f"SELECT * FROM {_scan(self.rows.path)}")
        # The rows stay readable even if the release itself is no longer used.
        self.rows.folder.keep_for(relation)
        return relation

    @property
    def manifest(self) -> dict[str, Any]:
        """What a reader of the release may know about how it was made; no value of the input is in it."""
        return {
            "hedgerow": __version__,
            **self.facts,
            "versions": _versions(),
            "audit": self.audit.to_dict(),
        }

    def save(self, path: str | Path) -> Path:
        """Write the table (``.csv``, ``.csv.gz`` or ``.parquet``) and, beside it, its manifest and its proportions.

        All appear whole or not at all: they are written under another name and then renamed. A table never stands
        beside the manifest or the proportions of another one: older ones go before their table is replaced.
        """
        path = Path(path)
        check_destination(path)
        with appearing(path) as staged:
            if isinstance(self.rows, Staged) and _same_format(self.rows.path, path):
                _link_or_copy(self.rows.path, staged)
            else:
                self._write(staged)
            manifest = {**self.manifest, "output": {"file": path.name, "sha256": _sha256(staged)}}
            replaces = path.exists()
            proportions_path(path).unlink(missing_ok=True)
            if replaces:
                manifest_path(path).unlink(missing_ok=True)
            else:
                self._write_beside(path, manifest)
        if replaces:
            self._write_beside(path, manifest)
        return path

    def _write_beside(self, path: Path, manifest: dict[str, Any]) -> None:
        """Write what stands beside the table, the manifest last: it says what there is."""
        if self.proportions is not None:
            written = self.proportions.save(proportions_path(path))
            manifest = {**manifest, "proportions": {"file": written.name, "sha256": _sha256(written)}}
        _write_manifest(path, manifest)

    def _write(self, staged: Path) -> None:
        try:
            self._copy(staged)
        except duckdb.Error:
            raise BadInput(
                f"DuckDB cannot write the release as {file_format(staged)}. Is the disk full, or does a column hold "
                "something that such a file cannot?"
            ) from None

    def _copy(self, staged: Path) -> None:
        with duckdb.connect() as connection:
            if isinstance(self.rows, Staged):
                connection.execute(f"CREATE VIEW release AS SELECT * FROM {_scan(self.rows.path)}")
            else:
                table = open_frame(self.rows).frame.to_arrow()
                refuse_alike(table.column_names)
                connection.register("release", table)
            if file_format(staged) == "csv" and self.markers:
                marked = ", ".join(
                    f"coalesce(CAST({identifier(name)} AS VARCHAR), {literal(marker)}) AS {identifier(name)}"
                    for name, marker in self.markers.items()
                )
                query = f"SELECT * REPLACE ({marked}) FROM release"
            else:
                query = "SELECT * FROM release"
            connection.execute(f"COPY ({query}) TO {literal(str(staged))} ({copy_options(staged)})")


def check_destination(path: Path) -> None:
    """Refuse a place that a release cannot be written to, before any work is done."""
    file_format(path)
    check_place(path)


def _write_manifest(path: Path, manifest: dict[str, Any]) -> None:
    with appearing(manifest_path(path)) as beside:
        beside.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def manifest_path(path: Path) -> Path:
    """Where the manifest of a release stands."""
    return path.with_name(path.name + ".manifest.json")


def _same_format(one: Path, other: Path) -> bool:
    return one.suffix.lower() == other.suffix.lower() and file_format(one) == file_format(other)


def _link_or_copy(source: Path, target: Path) -> None:
    """Give a file a second name where the file system can, else copy it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _scan(path: Path) -> str:
    """DuckDB's expression for reading staged rows; nothing of a CSV is guessed."""
    if file_format(path) == "parquet":
        return f"read_parquet({file_literal(path)}, hive_partitioning = false)"
    return csv_scan(path, read_header(path, "utf-8", ","), ",")


def _sha256(path: Path) -> str:
    with path.open("rb") as written:
        return hashlib.file_digest(written, "sha256").hexdigest()


def _versions() -> dict[str, str]:
    packages = ("numpy", "numba", "pyarrow", "duckdb", "narwhals")
    return {
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in packages},
    }
