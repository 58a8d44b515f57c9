"""Write a release to disk: stage its files, count the table again as it was written, then give them their names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from hedgerow.engines import Published, WriteOptions, file_format
from hedgerow.engines.formulas import formula_names
from hedgerow.errors import BadInput, listing, translated, unwritable
from hedgerow.io.atomic import locked, manifest_path, proportions_path, put, redrawn_path
from hedgerow.io.destinations import Destination
from hedgerow.io.parquet_folder import LONGEST_NAME, Layout, digest_of_all, digests, flush, folder_name, sha256
from hedgerow.io.paths import is_same_file
from hedgerow.io.readers import NO_VALUE
from hedgerow.io.scratch import Scratch
from hedgerow.release._guarantee import Guarantee
from hedgerow.risk.manifest import older_redrawn

if TYPE_CHECKING:
    from hedgerow.release._redrawn import Redrawn
    from hedgerow.release._release import Release

__all__ = ["Beside", "check_destination", "check_folders", "check_partition", "save"]


# --------------------------------------------------------------------------------------------------
# Which values may become names of folders: those that enough people share, in columns that are published.
#
# The names reveal nothing beyond the table. But they are visible where the table is not: in listings, logs and the
# manifest. So each folder must have at least as many rows as a class. Folders by quasi-identifiers alone hold whole
# classes.


_MOST_FOLDERS: Final = 10_000
_MOST_FILES: Final = 100_000


def check_partition(layout: Layout, published: Sequence[str], roles: Mapping[str, Any]) -> None:
    """Refuse columns that cannot divide the rows, before any work is done.

    Parameters
    ----------
    layout : Layout
    published : sequence of str
        The columns that are published.
    roles : mapping
        As in the manifest: the pseudonymized columns, the quasi-identifiers, and the entity if there is one.
    """
    for name in layout.partition_by:
        if name not in published:
            raise BadInput.unknown("published column", name, published, "The rows are to be divided by it.")
        if name in roles["pseudonymized"]:
            raise BadInput(
                f"The rows cannot be divided by {name!r}: a pseudonym belongs to one person. Name another column."
            )
        if roles.get("entity") is not None and name not in roles["quasi"]:
            raise BadInput(
                f"The rows cannot be divided by {name!r}: where people are counted, only quasi-identifiers guarantee "
                "that enough of them share a folder. Name one of these."
            )
        if name.startswith("."):
            raise BadInput(f"The rows cannot be divided by {name!r}: folders that begin with a dot are hidden.")
    if layout.partition_by and set(published) <= set(layout.partition_by):
        raise BadInput("The rows would be divided by all columns, which leaves none for the files. Name fewer columns.")


def check_folders(rows: Published, layout: Layout, guarantee: Guarantee) -> None:
    """Refuse folders whose names would reveal few people or could not be written."""
    files = 1 if layout.rows_per_file is None else -(-guarantee.rows // layout.rows_per_file)
    if layout.partition_by:
        files += _check_values(rows, layout.partition_by, guarantee)
    if files > _MOST_FILES:
        raise BadInput(f"The rows would be divided among more than {_MOST_FILES:,} files. Raise --rows-per-file.")


def _check_values(rows: Published, columns: Sequence[str], guarantee: Guarantee) -> int:
    named = listing(list(columns))
    grouped = rows.group(columns)
    if len(grouped.rows) > _MOST_FOLDERS:
        raise BadInput(
            f"By {named} the rows would be divided among {len(grouped.rows):,} folders. At most {_MOST_FOLDERS:,} are "
            "possible: name columns with fewer values."
        )
    demanded = max((int(requirement.minimal_size) for requirement in guarantee.requirements), default=1)
    few = int((grouped.rows < demanded).sum())
    if few:
        raise BadInput(
            f"By {named} {few:,} of {len(grouped.rows):,} folders would have fewer than {demanded:,} rows, and their "
            "names would reveal few people. Name columns with fewer values, or quasi-identifiers."
        )
    for name, cells in zip(columns, grouped.cells, strict=True):
        _check_column(name, cells)
    return len(grouped.rows)


def _check_column(name: str, cells: pa.Array) -> None:
    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    types = pa.types
    if not any(
        fits(kind)
        for fits in (
            types.is_string,
            types.is_large_string,
            types.is_integer,
            types.is_boolean,
            types.is_date,
            types.is_null,
        )
    ):
        raise BadInput(f"The rows cannot be divided by {name!r}: its values are neither text, whole numbers nor days.")
    texts = [None if value is None else _text(value) for value in set(cells.to_pylist())]
    if "" in texts or NO_VALUE in texts:
        raise BadInput(
            f"The rows cannot be divided by {name!r}: it holds empty text, which in the name of a folder looks like a "
            "missing value."
        )
    longest = max(len(folder_name(name, text).encode()) for text in texts)
    if longest > LONGEST_NAME:
        raise BadInput(
            f"The rows cannot be divided by {name!r}: the name of a folder would have {longest:,} bytes, and at most "
            f"{LONGEST_NAME} are possible."
        )


def _text(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


Beside = Callable[[Mapping[str, Any]], Sequence[tuple[Path, Path]]]
"""Stages files that take their names together with the release: from its manifest to pairs of hidden path and name."""


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
    for table in _tables(destination, redrawn):
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
    """Refuse a destination that cannot hold a release, before any work is done."""
    if destination.layout is None:
        file_format(destination.path)
    destination.check()


def _drawn(release: Release, redrawn: object) -> Redrawn | None:
    """The drawn rows to save beside the release."""
    from hedgerow.release._redrawn import Redrawn, draw

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
        options = WriteOptions(release.markers, counted, guarantee.missing, escape_formulas, destination.layout)
        release.rows.write(table, options)
        output = _output(table, destination, guarantee.columns)
        if not release.rows.wrote(output["sha256"]):
            guarantee.count_again(table, release.classes, escaped=escape_formulas)
        content = {**release.manifest, "types": release.column_types, "output": output}
        if escape_formulas:
            content["formulas_escaped"] = True
        staged, gone = [(manifest, manifest_path(path))], [proportions_path(path)]
        if release.proportions is not None:
            proportions = folder / gone.pop().name
            proportions.write_text(json.dumps(release.proportions.to_dict(), ensure_ascii=False), encoding="utf-8")
            content["proportions"] = {"file": proportions.name, "sha256": sha256(proportions)}
            staged.append((proportions, proportions_path(path)))
        if drawn is not None:
            content["redrawn"] = _stage_drawn(drawn, folder, destination.redrawn, options, content)
            written = (manifest_path(redrawn_path(path)), redrawn_path(path))
            staged += [(folder / place.name, place) for place in written]
        elif overwrite:
            gone += _redrawn_before(path, release.reads)
        _write_manifest(manifest, content)
        if beside is not None:
            staged += beside(content)
        staged.append((table, path))
        for hidden, _ in staged:
            flush(hidden)  # takes long: others need not wait for it
        with locked(path):
            # Somebody else may have written meanwhile.
            for place in _tables(destination, drawn):
                place.refuse_existing(overwrite=overwrite)
            put(staged, gone)


def _tables(destination: Destination, drawn: object) -> list[Destination]:
    """Where the tables go: the release, and rows that are drawn from it."""
    return [destination] if drawn is None else [destination, destination.redrawn]


def _redrawn_before(path: Path, reads: Sequence[Path]) -> list[Path]:
    """The files of rows that were drawn from an older release of that name, unless the release was read from them."""
    read = [place for file in reads for place in (file, *file.parents)]
    return [older for older in older_redrawn(path) if not any(is_same_file(older, other) for other in read)]


def _stage_drawn(
    drawn: Redrawn, folder: Path, destination: Destination, options: WriteOptions, said: Mapping[str, Any]
) -> dict[str, Any]:
    """Write drawn rows and their manifest to hidden names; returns their entry in the manifest of the release."""
    place = folder / destination.path.name
    drawn.write(place, replace(options, layout=destination.layout))
    output = _output(place, destination, ())
    _write_manifest(manifest_path(place), drawn.manifest(said, output))
    return {**_named(output), "repeats": drawn.repeats}


def _output(written: Path, destination: Destination, columns: tuple[str, ...]) -> dict[str, Any]:
    """The entry of a written table in its manifest: its name and digest, and those of the files of a folder."""
    layout = destination.layout
    if layout is None:
        return {"file": written.name, "sha256": sha256(written)}
    files = digests(written)
    entry: dict[str, Any] = {"folder": written.name, "sha256": digest_of_all(files), "files": files}
    if layout.partition_by:
        # The files lack the columns that are in the names of folders.
        entry |= {"partition_by": list(layout.partition_by), "columns": list(columns)}
    return entry


def _named(output: Mapping[str, Any]) -> dict[str, Any]:
    """The name and the digest of a table."""
    return {name: output[name] for name in ("file", "folder", "sha256") if name in output}


def _write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
