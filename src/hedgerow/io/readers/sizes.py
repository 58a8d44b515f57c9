"""Files that would fill the disk or the memory: found out before they are unpacked or parsed."""

from __future__ import annotations

import importlib
import json
import shutil
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from hedgerow.errors import BadInput

__all__ = ["HARMLESS", "HIGHEST_RATIO", "read_at_most", "read_json", "refuse_bomb", "refuse_size"]

# Text packs ten times, a table of few different lines perhaps a hundred times; only bombs come near deflate's 1032.
HIGHEST_RATIO: Final = 200
HARMLESS: Final = 1 << 26  # so many bytes may be packed as tightly as they like


def refuse_bomb(members: Iterable[zipfile.ZipInfo], archive: Path, name: str, folder: Path) -> None:
    """Refuse an archive whose members are far larger than it, or than the free space of a folder.

    ``zipfile`` never unpacks more than the size that a member declares, so that size can be trusted as a bound.
    """
    size = sum(member.file_size for member in members)
    if size <= HARMLESS:
        return
    if size > HIGHEST_RATIO * archive.stat().st_size:
        raise BadInput(
            f"The archive {name!r} would unpack to more than {HIGHEST_RATIO} times its size. If you trust it, unpack "
            "it yourself."
        )
    if size > shutil.disk_usage(folder).free:
        raise BadInput(f"The archive {name!r} unpacks to {size:,} bytes, more than the temporary folder has room for.")


def refuse_size(size: int, what: str, advice: str) -> None:
    """Refuse what would take more memory than the process may have, where that is limited.

    Libraries in other languages end the process then, instead of raising an error.
    """
    with suppress(ImportError):
        resource = importlib.import_module("resource")  # Windows has none
        for kind in ("RLIMIT_DATA", "RLIMIT_AS"):
            most, _ = resource.getrlimit(getattr(resource, kind))
            if most != resource.RLIM_INFINITY and size > most:
                raise BadInput(
                    f"{what} takes {size >> 20:,} MB of memory, more than there may be. {advice}, or raise the limit "
                    "(--memory-limit)."
                )


def read_json(path: Path, most: int = 1 << 30) -> Any:
    """Read a file of JSON; what is too large, or no JSON, is a ``ValueError``, and too deep a ``RecursionError``."""
    content = read_at_most(path, most)
    if content is None:
        raise ValueError("the file is too large")
    return json.loads(content.decode("utf-8"))


def read_at_most(path: Path, most: int) -> bytes | None:
    """Read a small file whole; ``None`` if it has more bytes than that, however many they are."""
    with path.open("rb") as file:
        content = file.read(most + 1)
    return None if len(content) > most else content
