"""Whether there is room for a release, told by what is read before any work is done.

How long a release gets is not known before. What is known is how little it could be: columns that are published as they
are hold what they held, and a generalized cell is at least a sign. The bounds here are far below what releases take, so
that nothing is refused that might fit; a disk that is full after all ends the work with a sentence.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from hedgerow.errors import BadInput

__all__ = ["check_copy", "check_room", "in_words", "least_written"]

_HARMLESS: Final = 1 << 20
# Of the bytes that columns take in what is read. Text may be compressed on the way in or out.
_CLEAR: Final = {"text": 1 / 2, "packed": 1 / 20}
_QUASI: Final = {"text": 1 / 25, "packed": 1 / 100}


def least_written(clear: int, quasi: int, destination: Path | None) -> int:
    """How many bytes a release takes at the least.

    Parameters
    ----------
    clear : int
        The bytes of columns that are published as they are, in the files that are read.
    quasi : int
        The same of quasi-identifiers.
    destination : Path, optional
        Where the release goes; its name tells the format.
    """
    kind = "text" if destination is not None and destination.name.lower().endswith(".csv") else "packed"
    return int(clear * _CLEAR[kind] + quasi * _QUASI[kind])


def check_room(least: int, aside: int, destination: Path | None, temp: Path) -> None:
    """Refuse to begin where a disk has less room than is surely needed.

    Parameters
    ----------
    least : int
        How many bytes the release takes at the least.
    aside : int
        How many bytes of temporary files there will be at the least.
    destination : Path, optional
        Where the release is staged and then saved, so that it stands there twice for a moment; if not given, it is
        staged with other temporary files.
    temp : Path
        The folder of temporary files.
    """
    place, needed = (temp, least) if destination is None else (destination.absolute().parent, 2 * least)
    if place.stat().st_dev == temp.stat().st_dev:
        needed += aside
    else:
        _refuse_lack(aside, temp, "Temporary files take", "name a folder on another disk (--temp, File(temp=…))")
    what = "The release and temporary files take" if aside else "The release takes"
    _refuse_lack(needed, place, what, "name a place on another disk")


def check_copy(size: int, temp: Path) -> None:
    """Refuse to copy so many bytes of a release to the folder of temporary files if that has less room."""
    _refuse_lack(size, temp, "A copy of the release takes", "let TMPDIR name a folder on another disk")


def _refuse_lack(needed: int, place: Path, what: str, advice: str) -> None:
    free = shutil.disk_usage(place).free
    if needed > max(free, _HARMLESS):
        raise BadInput(
            f"{what} at least about {in_words(needed)} of the disk of {str(place)!r}, by what is read, and "
            f"{in_words(free)} are free. Free some room, or {advice}."
        )


def in_words(size: int) -> str:
    """A number of bytes, rounded.

    >>> in_words(1_234_567), in_words(70_000_000_000)
    ('1.2 MB', '70 GB')
    """
    for unit, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB")):
        if size >= unit:
            return f"{size / unit:.2g} {name}" if size < 100 * unit else f"{size // unit} {name}"
    return f"{size // 1000} kB"
