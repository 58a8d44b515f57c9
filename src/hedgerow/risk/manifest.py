"""Whether a table is the one that the manifest beside it speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from hedgerow.errors import BadInput, translated
from hedgerow.io.atomic import digest, manifest_path, proportions_path, redrawn_path
from hedgerow.io.parquet_folder import digests, sha256
from hedgerow.io.readers import STANDARD_INPUT
from hedgerow.io.readers.sizes import read_json

__all__ = [
    "Fit",
    "determined_beside",
    "determined_columns",
    "differences",
    "manifest_fit",
    "mismatches",
    "older_redrawn",
    "read_manifest",
]

_LARGEST_MANIFEST: Final = 1 << 27  # bytes; it names every file of a folder
Fit = Literal["fits", "differs"]

_ADVICE = (
    "It was changed after it was written, or writing it was interrupted. Do not trust its manifest; write it anew."
)


def read_manifest(path: Path) -> dict[str, Any] | None:
    """What the manifest beside a table says; ``None`` if there is none.

    Raises
    ------
    BadInput
        If it cannot be read, or names no digest of the table.
    """
    beside = manifest_path(path)
    if not beside.exists():
        return None
    unreadable = BadInput(f"The manifest beside {path.name!r} cannot be read.")
    with translated(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, into=unreadable):
        said: dict[str, Any] = read_json(beside, _LARGEST_MANIFEST)
        if not isinstance(said["output"]["sha256"], str) or not all(
            isinstance(one, dict)
            for one in (said.get("proportions", {}), said.get("redrawn", {}), said["output"].get("files", {}))
        ):
            raise TypeError
    return said


def determined_columns(said: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The columns in clear that quasi-identifiers determine, and by which, as a manifest says; none in older ones."""
    return {str(name): tuple(map(str, by)) for name, by in said["columns"].get("determined", {}).items()}


def determined_beside(table: str | Path) -> dict[str, tuple[str, ...]]:
    """The same of the manifest beside a table that fits it; none beside rows that were drawn from a release."""
    said = read_manifest(Path(table).absolute())
    if said is None or "columns" not in said:
        return {}
    unreadable = BadInput(f"The manifest beside {Path(table).name!r} cannot be read.")
    with translated(KeyError, TypeError, AttributeError, into=unreadable):
        return determined_columns(said)


def mismatches(path: Path, said: Mapping[str, Any], table: Path, proportions: Path) -> list[str]:
    """Say what of a saved release does not fit what its manifest says.

    Compared are the digests of the table and of its proportions. Proportions that the manifest does not know of, or
    that are gone, do not fit either.

    Parameters
    ----------
    path : Path
        Where the release was saved; messages name it.
    said : mapping
        The manifest.
    table, proportions : Path
        The files that are read, or copies of them.
    """
    found = []
    if said["output"]["sha256"] != digest(table):
        which = _other_files(said["output"].get("files", {}), table) if table.is_dir() else ""
        found.append(f"The table {path.name!r} is not the one that its manifest speaks of{which}. {_ADVICE}")
    told = said.get("proportions", {}).get("sha256")
    if told != (sha256(proportions) if proportions.exists() else None):
        found.append(f"The proportions of {path.name!r} are not those that its manifest speaks of. {_ADVICE}")
    return found


def _other_files(told: Mapping[str, str], folder: Path) -> str:
    """How many files of a folder are not those that its manifest names."""
    found = digests(folder)
    counts = {
        "changed": sum(name in found and found[name] != one for name, one in told.items()),
        "missing": len(set(told) - set(found)),
        "added": len(set(found) - set(told)),
    }
    said = ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)
    return f" (of its files: {said})" if said else ""


def differences(path: Path) -> list[str] | None:
    """Say what of a saved release does not fit its manifest; ``None`` if there is no manifest."""
    try:
        said = read_manifest(path)
    except BadInput as unreadable:
        return [str(unreadable)]
    if said is None:
        return None
    found = mismatches(path, said, path, proportions_path(path))
    drawn, told = redrawn_path(path), said.get("redrawn", {}).get("sha256")
    # They may be published without the others, and the others without them.
    if told is not None and drawn.exists() and told != digest(drawn):
        found.append(f"The rows in {drawn.name!r} are not those that were drawn from {path.name!r}. {_ADVICE}")
    return found


def older_redrawn(path: Path) -> list[Path]:
    """The files of rows that were drawn from a release of this name; none that something else wrote."""
    rows = redrawn_path(path)
    try:
        said = read_manifest(rows)
    except BadInput:
        return []
    return [] if said is None or "drawn_from" not in said else [rows, manifest_path(rows)]


def manifest_fit(table: object) -> tuple[Fit | None, list[str]]:
    """Tell whether a table that is given as the path of a file fits its manifest, and what is to be known of it."""
    if not isinstance(table, str | Path) or table == STANDARD_INPUT or not Path(table).exists():
        return None, []
    place = Path(table).absolute()
    found = differences(place)
    if found is None:
        return None, []
    return ("differs", found) if found else ("fits", _drawn(place))


def _drawn(path: Path) -> list[str]:
    """What an auditor of drawn rows should know."""
    if "drawn_from" not in (read_manifest(path) or {}):
        return []
    return [
        "By its manifest these rows were drawn from a release and are nobody's, so that small classes of them tell "
        "nothing that the release does not. Audit the release."
    ]
