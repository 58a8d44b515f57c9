"""How a release is written to disk: staged, counted again as it was written, and only then given its names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.destinations import Destination
from hedgerow.engines import Wishes, file_format
from hedgerow.engines.formulas import formula_names
from hedgerow.errors import BadInput, listing, translated, unwritable
from hedgerow.folders import digest_of_all, digests, flush, sha256
from hedgerow.paths import is_same_file
from hedgerow.places import locked, manifest_path, proportions_path, put, redrawn_path
from hedgerow.release.partitioning import check_folders, check_partition
from hedgerow.risk.beside import older_redrawn
from hedgerow.scratch import Scratch

if TYPE_CHECKING:
    from hedgerow.release.redrawn import Redrawn
    from hedgerow.release.release import Release

__all__ = ["Beside", "check_destination", "save"]


Beside = Callable[[Mapping[str, Any]], Sequence[tuple[Path, Path]]]
"""Stages what takes its name together with the release, and is told its manifest: where each file is, and its name."""


def save(
    release: Release,
    destination: Destination,
    *,
    escape_formulas: bool,
    overwrite: bool,
    redrawn: int | Redrawn | None,
    beside: Beside | None = None,
) -> None:
    """Write a release; see :meth:`hedgerow.Release.save`. If ``beside`` fails, nothing is written."""
    tables = [destination] if redrawn is None else [destination, destination.redrawn]
    for table in tables:
        table.refuse_overwriting(release.reads, "The release's")
        check_destination(table)
        table.refuse_existing(overwrite=overwrite)
    if destination.layout is not None:
        check_partition(destination.layout, release.guarantee.columns, release.facts["columns"])
        check_folders(release.rows, destination.layout, release.guarantee)
    drawn = _drawn(release, redrawn)
    what = "file" if destination.layout is None else "folder"
    full = unwritable(f"The {what} {destination.shown!r} cannot be written")
    escaped = escape_formulas and destination.layout is None and file_format(destination.path) == "csv"
    if escaped and (names := formula_names(release.guarantee.columns)):
        raise BadInput(
            f"A spreadsheet would take the names of the columns {listing(names)} for formulas. Names are not escaped, "
            "because readers find the columns by them: rename these columns in the table."
        )
    with translated(OSError, into=full):
        _stage_and_put(release, destination, drawn, beside, escape_formulas=escaped, overwrite=overwrite)


def check_destination(destination: Destination) -> None:
    """Refuse a place that a release cannot be written to, before any work is done."""
    if destination.layout is None:
        file_format(destination.path)
    destination.check()


def _drawn(release: Release, redrawn: object) -> Redrawn | None:
    """The rows that shall stand beside the release."""
    from hedgerow.release.redrawn import Redrawn, draw

    if redrawn is None:
        return None
    if not isinstance(redrawn, Redrawn):
        return draw(release, redrawn, name="redrawn", owner="Release.save")
    if redrawn.release is not release:
        raise BadInput("The rows were drawn from another release. Draw them from this one: redrawn=release.redraw(3).")
    return redrawn


def _stage_and_put(
    release: Release,
    destination: Destination,
    drawn: Redrawn | None,
    beside: Beside | None,
    *,
    escape_formulas: bool,
    overwrite: bool,
) -> None:
    path, guarantee = destination.path, release.guarantee
    with Scratch(path) as folder:
        table, manifest = folder / path.name, folder / manifest_path(path).name
        counted = (*guarantee.quasi, *guarantee.counted)
        wishes = Wishes(release.markers, counted, guarantee.missing, escape_formulas, destination.layout)
        release.rows.write(table, wishes)
        output = _output(table, destination, guarantee.columns)
        if not release.rows.wrote(output["sha256"]):
            guarantee.count_again(table, release.classes, escaped=escape_formulas)
        said = {**release.manifest, "types": release.column_types, "output": output}
        if escape_formulas:
            said["formulas_escaped"] = True
        staged, gone = [(manifest, manifest_path(path))], [proportions_path(path)]
        if release.proportions is not None:
            proportions = folder / gone.pop().name
            proportions.write_text(json.dumps(release.proportions.to_dict(), ensure_ascii=False), encoding="utf-8")
            said["proportions"] = {"file": proportions.name, "sha256": sha256(proportions)}
            staged.append((proportions, proportions_path(path)))
        if drawn is not None:
            said["redrawn"] = _stage_drawn(drawn, folder, destination.redrawn, wishes, said)
            written = (manifest_path(redrawn_path(path)), redrawn_path(path))
            staged += [(folder / one.name, one) for one in written]
        elif overwrite:
            read = [above for one in release.reads for above in (one, *one.parents)]
            gone += [one for one in older_redrawn(path) if not any(is_same_file(one, other) for other in read)]
        _write_manifest(manifest, said)
        if beside is not None:
            staged += beside(said)
        staged.append((table, path))
        for one, _ in staged:
            flush(one)  # takes long: others need not wait for it
        with locked(path):
            # Somebody else may have written meanwhile.
            for place in (destination,) if drawn is None else (destination, destination.redrawn):
                place.refuse_existing(overwrite=overwrite)
            put(staged, gone)


def _stage_drawn(
    drawn: Redrawn, folder: Path, destination: Destination, wishes: Wishes, said: Mapping[str, Any]
) -> dict[str, Any]:
    """Write drawn rows and their manifest to hidden names, and return what the manifest of the release says."""
    place = folder / destination.path.name
    drawn.write(place, replace(wishes, layout=destination.layout))
    output = _output(place, destination, ())
    _write_manifest(manifest_path(place), drawn.manifest(said, output))
    return {**_named(output), "repeats": drawn.repeats}


def _output(written: Path, destination: Destination, columns: tuple[str, ...]) -> dict[str, Any]:
    """What a manifest says of a table that was written: its name and digest; of a folder also those of its files."""
    layout = destination.layout
    if layout is None:
        return {"file": written.name, "sha256": sha256(written)}
    files = digests(written)
    said: dict[str, Any] = {"folder": written.name, "sha256": digest_of_all(files), "files": files}
    if layout.partition_by:
        # In the files they come without those that stand in the names of folders.
        said |= {"partition_by": list(layout.partition_by), "columns": list(columns)}
    return said


def _named(output: Mapping[str, Any]) -> dict[str, Any]:
    """The name and the digest of a table."""
    return {name: output[name] for name in ("file", "folder", "sha256") if name in output}


def _write_manifest(path: Path, said: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
