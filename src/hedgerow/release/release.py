"""The release: the published table with its audit and manifest, and how it is written to disk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow._version import __version__
from hedgerow.engines import Published, Wishes, file_format
from hedgerow.errors import BadInput, translated
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.paths import absolute, refuse_overwriting
from hedgerow.places import check_place, locked, manifest_path, proportions_path, put, refuse_existing, sha256
from hedgerow.proportions import Proportions
from hedgerow.recoding import Recoding
from hedgerow.release.guarantee import Guarantee
from hedgerow.release.manifest import digits_shown, public_facts, versions
from hedgerow.risk import Audit
from hedgerow.scratch import Scratch
from hedgerow.verifier import ClassCounts

__all__ = ["Release", "check_destination"]


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
        How it was made: roles, requirements, parameters, and what the method says of its result. They are exact;
        the manifest rounds what was computed from original values.
    markers : mapping of column to str
        How a missing value of a quasi-identifier is written in a CSV.
    proportions : Proportions, optional
        How the people of every class are divided among the values of each column, if they were asked for.
    hierarchies : mapping of column to EncodedHierarchy
        How the quasi-identifiers generalize.
    reads : tuple of Path
        The files that the table came from, which are never written over.
    losses : mapping of metric name to float
        What was lost, exactly. Keep them to yourself: the audit shows fewer digits, because exact losses would let
        whoever knows all rows but one find that row by trying.
    """

    rows: Published = field(repr=False)
    classes: ClassCounts = field(repr=False)
    guarantee: Guarantee = field(repr=False)
    recoding: Recoding
    audit: Audit
    facts: Mapping[str, Any]
    markers: Mapping[str, str] = field(default_factory=dict)
    proportions: Proportions | None = None
    hierarchies: Mapping[str, EncodedHierarchy] = field(default_factory=dict)
    reads: tuple[Path, ...] = ()
    losses: Mapping[str, float] = field(default_factory=dict)

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
        """The published rows: the dataframe type that came in; for a file, a DuckDB relation over the release.

        It is yours: what you change in it is neither kept nor saved.
        """
        return self.rows.table

    @property
    def manifest(self) -> dict[str, Any]:
        """What a reader of the release may know about how it was made; no value of the input is in it."""
        own = public_facts(self.recoding.facts, digits_shown(self.facts["rows_in"]))
        return {"hedgerow": __version__, **self.facts, **own, "versions": versions(), "audit": self.audit.to_dict()}

    def save(self, path: str | Path, *, escape_formulas: bool = False, overwrite: bool = False) -> Path:
        """Write the table (``.csv``, ``.csv.gz`` or ``.parquet``) and, beside it, its manifest and its proportions.

        Parameters
        ----------
        path : str or Path
        escape_formulas : bool
            Whether cells of a CSV that a spreadsheet would take for formulas get an apostrophe in front.
        overwrite : bool
            Whether a file that stands there already may be written over.

        Notes
        -----
        What was written is counted again from the file before it takes its name. All files are staged first and then
        renamed, the table last: whatever stops the program, a table never stands half written, without its manifest,
        or beside one that ``hedgerow audit`` would take for its own.
        """
        place = absolute(path)
        check_destination(place)
        for written in (place, manifest_path(place), proportions_path(place)):
            refuse_overwriting(written, self.reads, "The release's")
        if not overwrite:
            refuse_existing(place)
        full = BadInput(f"The file {str(path)!r} cannot be written. Is the disk full?")
        with translated(OSError, into=full):
            escape_formulas = escape_formulas and file_format(place) == "csv"
            self._stage_and_put(place, escape_formulas=escape_formulas, overwrite=overwrite)
        return Path(path)

    def _stage_and_put(self, path: Path, *, escape_formulas: bool, overwrite: bool) -> None:
        with Scratch(path) as folder:
            table, manifest = folder / path.name, folder / manifest_path(path).name
            counted = (*self.guarantee.quasi, *self.guarantee.counted)
            self.rows.write(table, Wishes(self.markers, counted, self.guarantee.missing, escape_formulas))
            digest = sha256(table)
            if not self.rows.wrote(digest):
                self.guarantee.count_again(table, self.classes, escaped=escape_formulas)
            said = {**self.manifest, "output": {"file": path.name, "sha256": digest}}
            if escape_formulas:
                said["formulas_escaped"] = True
            staged, gone = [(manifest, manifest_path(path))], [proportions_path(path)]
            if self.proportions is not None:
                beside = folder / gone.pop().name
                beside.write_text(json.dumps(self.proportions.to_dict(), ensure_ascii=False), encoding="utf-8")
                said["proportions"] = {"file": beside.name, "sha256": sha256(beside)}
                staged.append((beside, proportions_path(path)))
            manifest.write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            with locked(path):
                if not overwrite:
                    refuse_existing(path)  # somebody else may have written meanwhile
                put([*staged, (table, path)], gone)


def check_destination(path: Path) -> None:
    """Refuse a place that a release cannot be written to, before any work is done."""
    file_format(path)
    check_place(path)
