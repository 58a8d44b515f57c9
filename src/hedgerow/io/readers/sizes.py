"""Limits of size: files that would fill the disk or the memory are refused before they are unpacked or parsed."""

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

# Text shrinks to a tenth, a table of few distinct lines perhaps to a hundredth; only bombs approach deflate's 1/1032.
HIGHEST_RATIO: Final = 200
HARMLESS: Final = 1 << 26  # up to this many bytes any ratio is allowed


def refuse_bomb(members: Iterable[zipfile.ZipInfo], archive: Path, name: str, folder: Path) -> None:
    """Refuse an archive whose members are far larger than itself, or larger than the free space of a folder.

    ``zipfile`` never unpacks more than the declared size of a member, so the declared size is a reliable bound.
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
    """Refuse input that needs more memory than the limit of the process, if there is a limit.

    Beyond the limit, libraries in other languages end the process instead of raising an error.
    """
    with suppress(ImportError):
        resource = importlib.import_module("resource")  # not on Windows
        for kind in ("RLIMIT_DATA", "RLIMIT_AS"):
            most, _ = resource.getrlimit(getattr(resource, kind))
            if most != resource.RLIM_INFINITY and size > most:
                raise BadInput(
                    f"{what} takes {size >> 20:,} MB of memory, more than the limit allows. {advice}, or raise the "
                    "limit (--memory-limit)."
                )


def read_json(path: Path, most: int = 1 << 30) -> Any:
    """Read a JSON file. A file that is too large or not JSON raises ``ValueError``, deep nesting ``RecursionError``."""
    content = read_at_most(path, most)
    if content is None:
        raise ValueError("the file is too large")
    return json.loads(content.decode("utf-8"))


def read_at_most(path: Path, most: int) -> bytes | None:
    """Read a whole file; ``None`` if it has more bytes than the limit."""
    with path.open("rb") as file:
        content = file.read(most + 1)
    return None if len(content) > most else content
