"""The files behind what was typed: one file, a folder, a pattern, or standard input."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hedgerow.errors import BadInput, listing
from hedgerow.paths import absolute

__all__ = ["ENDINGS", "STANDARD_INPUT", "Found", "ending_of", "find_table"]

STANDARD_INPUT: Final = "-"

_TEXTS: Final = (".csv", ".tsv", ".txt")
_SEVERAL: Final = (*_TEXTS, *(f"{text}.gz" for text in _TEXTS), ".parquet")
_PACKED: Final = (".zip", ".xlsx")
ENDINGS: Final = (*_SEVERAL, *_PACKED)
_REDIRECTED: Final = Path("/dev/stdin")  # where the system has it, the very file that a shell lets be read
_ADVICE: Final = "Known are .csv, .tsv and .txt, each also with .gz, .parquet, .zip and .xlsx."


@dataclass(frozen=True)
class Found:
    """The files that make up a table.

    Attributes
    ----------
    name : str
        What was typed.
    files : tuple of Path
        Absolute, sorted by name; none for standard input.
    names : tuple of str
        What messages call each of them.
    ending : str
        What all their names end in, such as ``".csv.gz"``.
    """

    name: str
    files: tuple[Path, ...]
    names: tuple[str, ...]
    ending: str

    @property
    def reads(self) -> tuple[Path, ...]:
        """The files that must not be written over; also the one that standard input may come from."""
        return self.files or tuple(path for path in (_REDIRECTED,) if path.exists())

    @property
    def is_packed(self) -> bool:
        """Whether the table must be written out before it can be read."""
        return not self.files or self.ending in _PACKED


def find_table(given: str | os.PathLike[str]) -> Found:
    """Find the files of a table, or say why it cannot be read.

    Parameters
    ----------
    given : str or path
        A file; a folder with files of one format; a pattern such as ``"data/*.parquet"``, unless a file has that very
        name; or ``"-"`` as text, which is standard input.
    """
    if given == STANDARD_INPUT:
        return Found("standard input", (), (), "")
    place = absolute(given)
    shown = str(given)
    if place.is_dir():
        return _in_folder(place, shown)
    if not place.exists() and glob.has_magic(shown):
        return _of_pattern(shown)
    ending = ending_of(place.name)
    if not place.exists():
        raise BadInput(f"There is no file {shown!r}. Check the path.")
    if not place.is_file():
        raise BadInput(f"{shown!r} is not a file. Name a file, or a folder of files.")
    return Found(shown, (place,), (place.name,), ending)


def ending_of(name: str) -> str:
    """What a file's name ends in, if that is known.

    >>> ending_of("People.CSV.GZ")
    '.csv.gz'
    """
    found = next((ending for ending in ENDINGS if name.lower().endswith(ending)), None)
    if found is None:
        raise BadInput(f"The ending of the file {name!r} is not that of a table. {_ADVICE}")
    return found


def _in_folder(folder: Path, shown: str) -> Found:
    """The files that lie in a folder. Hidden ones and marks of other programs (``_SUCCESS``) are no tables."""
    inside = sorted(one for one in folder.iterdir() if not one.name.startswith((".", "_")))
    if any(one.is_dir() for one in inside):
        raise BadInput(
            f"The folder {shown!r} has folders in it. Name the files by a pattern, such as 'folder/**/*.parquet'."
        )
    if not inside:
        raise BadInput(f"The folder {shown!r} is empty. Name a folder with files of one format.")
    return _together(shown, inside, [one.name for one in inside])


def _of_pattern(pattern: str) -> Found:
    absolute(pattern)  # refuses what is no path at all
    # As a text, so that a pattern may begin at the root and names stay as they were typed.
    fitting = glob.glob(pattern, recursive=True)  # noqa: PTH207
    names = sorted(name for name in fitting if Path(name).is_file())
    if not names:
        raise BadInput(f"There is no file that fits the pattern {pattern!r}. Check the path.")
    return _together(pattern, [absolute(name) for name in names], names)


def _together(shown: str, files: Sequence[Path], names: Sequence[str]) -> Found:
    """Files that are read as one table. One ending for all: a table and its copy in another format are no two parts."""
    endings = Counter(map(ending_of, names))
    if len(endings) > 1:
        raise BadInput(f"{shown!r} has files of several formats: {listing(list(endings))}. Name those of one format.")
    ending = next(iter(endings))
    if ending in _PACKED and len(files) > 1:
        raise BadInput(f"{shown!r} has {len(files):,} files that end in {ending}. Name one of them.")
    return Found(shown, tuple(files), tuple(names), ending)
