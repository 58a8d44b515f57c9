"""Whether a table is the one that the manifest beside it speaks of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from hedgerow.intake import STANDARD_INPUT
from hedgerow.places import manifest_path, proportions_path, sha256

__all__ = ["Fit", "differences", "manifest_fit"]

Fit = Literal["fits", "differs"]

_ADVICE = (
    "It was changed after it was written, or writing it was interrupted. Do not trust its manifest; write it anew."
)


def differences(path: Path) -> list[str] | None:
    """Say what of a saved release does not fit its manifest; ``None`` if there is no manifest.

    Compared are the digests of the table and of its proportions. Proportions that the manifest does not know of, or
    that are gone, do not fit either.
    """
    beside = manifest_path(path)
    if not beside.exists():
        return None
    try:
        said: Any = json.loads(beside.read_text(encoding="utf-8"))
        told = said["output"]["sha256"]
        shares = said.get("proportions", {}).get("sha256")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return [f"The manifest beside {path.name!r} cannot be read."]
    found = []
    if told != sha256(path):
        found.append(f"The table {path.name!r} is not the one that its manifest speaks of. {_ADVICE}")
    proportions = proportions_path(path)
    if shares != (sha256(proportions) if proportions.exists() else None):
        found.append(f"The proportions of {path.name!r} are not those that its manifest speaks of. {_ADVICE}")
    return found


def manifest_fit(table: object) -> tuple[Fit | None, list[str]]:
    """Tell whether a table that is given as the path of a file fits its manifest, and what does not."""
    if not isinstance(table, str | Path) or table == STANDARD_INPUT or not Path(table).is_file():
        return None, []
    found = differences(Path(table).absolute())
    if found is None:
        return None, []
    return ("differs" if found else "fits"), found
