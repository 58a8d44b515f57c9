"""Compares a table with the manifest beside it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from hedgerow.errors import BadInput, translated
from hedgerow.io.atomic import digest, manifest_path, proportions_path, redrawn_path
from hedgerow.io.parquet_folder import digests, sha256
from hedgerow.io.readers import STANDARD_INPUT
from hedgerow.io.readers.sizes import read_json
from hedgerow.requirements import Requirement, restored, withheld
from hedgerow.verifier import Levels

__all__ = [
    "Fit",
    "StatedRoles",
    "determined_beside",
    "determined_columns",
    "differences",
    "is_dropped",
    "levels_beside",
    "levels_in",
    "manifest_fit",
    "mismatches",
    "pseudonyms_beside",
    "older_redrawn",
    "read_manifest",
    "stated_beside",
]

_LARGEST_MANIFEST: Final = 1 << 27  # bytes; a manifest names every file of a folder
Fit = Literal["fits", "differs"]

_ROWS_INSTEAD: Final = (
    "The release counted people, and its table does not name them: this audit counts rows, of which a person may have "
    "several. The manifest holds the figures of people."
)
_ADVICE = (
    "It was changed after it was written, or writing was interrupted. Do not trust the manifest; write the table again."
)


def read_manifest(path: Path) -> dict[str, Any] | None:
    """Read the manifest beside a table; ``None`` if there is none.

    Raises
    ------
    BadInput
        If it cannot be read, or does not hold the digest of the table.
    """
    beside = manifest_path(path)
    if not beside.exists():
        return None
    unreadable = BadInput(f"The manifest beside {path.name!r} cannot be read.")
    with translated(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, into=unreadable):
        manifest: dict[str, Any] = read_json(beside, _LARGEST_MANIFEST)
        output = manifest["output"]
        sections = (manifest.get("proportions", {}), manifest.get("redrawn", {}), output.get("files", {}))
        if not isinstance(output["sha256"], str) or not all(isinstance(section, dict) for section in sections):
            raise TypeError
    return manifest


def determined_columns(manifest: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The columns in clear that quasi-identifiers determine, each with these. Older manifests have none."""
    return {str(name): tuple(map(str, by)) for name, by in manifest["columns"].get("determined", {}).items()}


def levels_in(manifest: Mapping[str, Any]) -> dict[str, Levels]:
    """The limits on levels that a release or its manifest records; older ones have none."""
    return {
        str(name): Levels(int(one["finest"]), int(one["coarsest"]), tuple(one["labels"]))
        for name, one in manifest.get("allowed_levels", {}).items()
    }


def levels_beside(table: object) -> dict[str, Levels]:
    """The same from the manifest beside a table that is the path of a file."""
    if not isinstance(table, str | Path) or table == STANDARD_INPUT or not Path(table).exists():
        return {}
    with suppress(BadInput):  # the audit remarks on a manifest that cannot be read
        unreadable = BadInput(f"The manifest beside {Path(table).name!r} cannot be read.")
        with translated(KeyError, TypeError, AttributeError, ValueError, into=unreadable):
            return levels_in(read_manifest(Path(table).absolute()) or {})
    return {}


def determined_beside(table: str | Path) -> dict[str, tuple[str, ...]]:
    """The same from the manifest beside a table. Rows that were drawn from a release have none."""
    manifest = read_manifest(Path(table).absolute())
    if manifest is None or "columns" not in manifest:
        return {}
    unreadable = BadInput(f"The manifest beside {Path(table).name!r} cannot be read.")
    with translated(KeyError, TypeError, AttributeError, into=unreadable):
        return determined_columns(manifest)


@dataclass(frozen=True)
class StatedRoles:
    """What the manifest of a table says about it, for an audit.

    Attributes
    ----------
    quasi, sensitive : tuple of str
    target : str, optional
    entity : str, optional
        The published column that identifies people.
    missing : tuple of str
        Texts that mean "no value".
    requirements : tuple of Requirement
        The requirements that the release met.
    withheld : tuple of Requirement
        Those of them that the manifest does not hold completely.
    dropped : tuple of str
        Columns that are not published.
    remarks : tuple of str
        Notes for the auditor.
    min_people : int, optional
        How many people hold every value.
    """

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    target: str | None
    entity: str | None
    missing: tuple[str, ...]
    requirements: tuple[Requirement, ...]
    withheld: tuple[Requirement, ...]
    dropped: tuple[str, ...]
    remarks: tuple[str, ...]
    min_people: int | None = None


def stated_beside(table: object) -> StatedRoles | None:
    """Read the roles and requirements in the manifest beside a table; ``None`` if there are none, as of drawn rows.

    Raises
    ------
    BadInput
        If the table is not the one that the manifest describes: somebody may have changed either.
    """
    fit, wrong = manifest_fit(table)
    if fit is None or not isinstance(table, str | Path):
        return None
    if fit == "differs":
        raise BadInput(f"{wrong[0]} To audit it nevertheless, name its quasi-identifiers (quasi=, --quasi).")
    path = Path(table).absolute()
    manifest = read_manifest(path) or {}
    if "drawn_from" in manifest:
        return None
    unreadable = BadInput(f"The manifest beside {path.name!r} cannot be read.")
    with translated(KeyError, TypeError, AttributeError, ValueError, into=unreadable):
        roles = manifest["columns"]
        read = [(restored(one), set(withheld(one)) - {"tree"}) for one in manifest.get("require", ())]
        return StatedRoles(
            quasi=tuple(roles["quasi"]),
            sensitive=tuple(roles["sensitive"]),
            target=roles["target"],
            entity=_published_entity(manifest),
            missing=tuple(manifest["missing"]),
            requirements=tuple(requirement for requirement, _ in read),
            withheld=tuple(requirement for requirement, hidden in read if hidden),
            dropped=tuple(roles["dropped"]),
            remarks=(_ROWS_INSTEAD,) if roles["entity"] in roles["dropped"] else (),
            min_people=manifest.get("min_people"),
        )


def _published_entity(manifest: Mapping[str, Any]) -> str | None:
    """The published column that identifies people: the entity, or else pseudonyms, unless every row is a person."""
    roles = manifest["columns"]
    if roles["entity"] is not None:
        return None if roles["entity"] in roles["dropped"] else str(roles["entity"])
    pseudonyms = () if manifest.get("rows_are_people") else roles["pseudonymized"]
    return next(map(str, pseudonyms), None)


def is_dropped(table: str | Path, column: str) -> bool:
    """Whether the manifest beside a table says that a column was left out of it."""
    manifest = read_manifest(Path(table).absolute())
    columns = {} if manifest is None else manifest.get("columns", {})
    return isinstance(columns, dict) and column in columns.get("dropped", ())


def pseudonyms_beside(table: str | Path) -> tuple[str, ...]:
    """The columns of pseudonyms, from the manifest beside a table."""
    manifest = read_manifest(Path(table).absolute()) or {}
    unreadable = BadInput(f"The manifest beside {Path(table).name!r} cannot be read.")
    with translated(KeyError, TypeError, AttributeError, into=unreadable):
        return tuple(manifest.get("columns", {}).get("pseudonymized", ()))


def mismatches(path: Path, manifest: Mapping[str, Any], table: Path, proportions: Path) -> list[str]:
    """Describe what in a saved release does not fit its manifest.

    The digests of the table and of its proportions are compared. Proportions that the manifest does not mention, or
    that are gone, do not fit either.

    Parameters
    ----------
    path : Path
        Where the release was saved; messages name it.
    manifest : mapping
    table, proportions : Path
        The files that are read, or copies of them.
    """
    wrong = []
    if manifest["output"]["sha256"] != digest(table):
        which = _other_files(manifest["output"].get("files", {}), table) if table.is_dir() else ""
        wrong.append(f"The table {path.name!r} is not the one that its manifest describes{which}. {_ADVICE}")
    expected = manifest.get("proportions", {}).get("sha256")
    if expected != (sha256(proportions) if proportions.exists() else None):
        wrong.append(f"The proportions of {path.name!r} are not those that its manifest describes. {_ADVICE}")
    return wrong


def _other_files(expected: Mapping[str, str], folder: Path) -> str:
    """The numbers of files in a folder that differ from those in its manifest."""
    written = digests(folder)
    counts = {
        "changed": sum(name in written and written[name] != sha for name, sha in expected.items()),
        "missing": len(set(expected) - set(written)),
        "added": len(set(written) - set(expected)),
    }
    differing = ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)
    return f" (of its files: {differing})" if differing else ""


def differences(path: Path) -> list[str] | None:
    """Describe what in a saved release does not fit its manifest; ``None`` if there is no manifest."""
    try:
        manifest = read_manifest(path)
    except BadInput as unreadable:
        return [str(unreadable)]
    if manifest is None:
        return None
    wrong = mismatches(path, manifest, path, proportions_path(path))
    drawn, expected = redrawn_path(path), manifest.get("redrawn", {}).get("sha256")
    # Drawn rows may be published without the release, and the release without them.
    if expected is not None and drawn.exists() and expected != digest(drawn):
        wrong.append(f"The rows in {drawn.name!r} are not those that were drawn from {path.name!r}. {_ADVICE}")
    return wrong


def older_redrawn(path: Path) -> list[Path]:
    """The files of rows that were drawn from a release of this name; none that something else wrote."""
    rows = redrawn_path(path)
    try:
        manifest = read_manifest(rows)
    except BadInput:
        return []
    return [] if manifest is None or "drawn_from" not in manifest else [rows, manifest_path(rows)]


def manifest_fit(table: object) -> tuple[Fit | None, list[str]]:
    """Whether a table that is the path of a file fits its manifest, and remarks for the auditor."""
    if not isinstance(table, str | Path) or table == STANDARD_INPUT or not Path(table).exists():
        return None, []
    path = Path(table).absolute()
    wrong = differences(path)
    if wrong is None:
        return None, []
    return ("differs", wrong) if wrong else ("fits", _drawn(path))


def _drawn(path: Path) -> list[str]:
    """A remark on drawn rows."""
    if "drawn_from" not in (read_manifest(path) or {}):
        return []
    return [
        "According to the manifest, these rows were drawn from a release and belong to nobody, so small classes among "
        "them reveal nothing that the release does not. Audit the release."
    ]
