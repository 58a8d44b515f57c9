"""Archives that would fill the disk: told by what they say of themselves, before anything is unpacked."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from hedgerow.errors import BadInput

__all__ = ["refuse_bomb"]

# Text packs ten times, a table of few different lines perhaps a hundred times; only bombs come near deflate's 1032.
_HIGHEST_RATIO: Final = 200
_HARMLESS: Final = 1 << 26  # so many bytes may be packed as tightly as they like


def refuse_bomb(members: Iterable[zipfile.ZipInfo], archive: Path, name: str, folder: Path) -> None:
    """Refuse an archive whose members are far larger than it, or than the free space of a folder.

    ``zipfile`` never unpacks more than the size that a member declares, so that size can be trusted as a bound.
    """
    size = sum(member.file_size for member in members)
    if size <= _HARMLESS:
        return
    if size > _HIGHEST_RATIO * archive.stat().st_size:
        raise BadInput(
            f"The archive {name!r} would unpack to more than {_HIGHEST_RATIO} times its size. If you trust it, unpack "
            "it yourself."
        )
    if size > shutil.disk_usage(folder).free:
        raise BadInput(f"The archive {name!r} unpacks to {size:,} bytes, more than the temporary folder has room for.")
