"""The files of a table: a single file, those of a folder or a pattern, or standard input."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from hedgerow.errors import BadInput, listing, translated
from hedgerow.io.paths import absolute, refuse_address

__all__ = [
    "ENDINGS",
    "TableFiles",
    "NO_VALUE",
    "Partition",
    "STANDARD_INPUT",
    "ending_of",
    "find_table",
    "is_hidden",
    "masked",
]


# --------------------------------------------------------------------------------------------------
# Columns in the names of folders, such as ``sex=F/part-0.parquet``, as Hive, Spark and DuckDB write them.
#
# The value in such a name is a cell of the table, so messages show only the column.


NO_VALUE: Final = "__HIVE_DEFAULT_PARTITION__"
"""The missing value in the name of a folder."""

Partition = tuple[tuple[str, str | None], ...]
"""The columns and values in the names of the folders above a file, starting with the outermost."""


def _is_partition(folder: str) -> bool:
    """Whether the name of a folder states a column and its value.

    >>> _is_partition("sex=F"), _is_partition("old"), _is_partition("=F")
    (True, False, False)
    """
    return folder.find("=") > 0


def is_hidden(name: str) -> bool:
    """Whether a file or folder is hidden or the mark of another program, and so not part of a table.

    >>> is_hidden("_SUCCESS"), is_hidden(".part-0.crc"), is_hidden("_sex=F"), is_hidden("part-0")
    (True, True, False, False)
    """
    return name.startswith(".") or (name.startswith("_") and not _is_partition(name))


def _partition_of(folders: Sequence[str]) -> Partition:
    """The columns and values in the names of folders, unescaped.

    >>> _partition_of(["sex=F", "town=Ulm%2FDonau", f"age={NO_VALUE}"])
    (('sex', 'F'), ('town', 'Ulm/Donau'), ('age', None))
    """
    cells = []
    for folder in folders:
        column, _, value = folder.partition("=")
        cells.append((_unescaped(column), None if value == NO_VALUE else _unescaped(value)))
    return tuple(cells)


def masked(folders: Sequence[str]) -> str:
    """The names of folders for messages, without their values.

    >>> masked(["sex=F", "town=Ulm"])
    'sex=*/town=*/'
    """
    return "".join(f"{folder.partition('=')[0]}=*/" for folder in folders)


def _partition_columns(shown: str, partitions: Sequence[Partition]) -> tuple[str, ...]:
    """The columns in the names of the folders, which must be the same, in the same order, for all files."""
    columns = tuple(name for name, _ in partitions[0])
    for partition in partitions[1:]:
        if tuple(name for name, _ in partition) != columns:
            raise BadInput(
                f"The folders in {shown!r} do not all name the same columns in the same order. Files that are read "
                "together need folders such as 'sex=…/age=…' at the same depth."
            )
    if len(set(columns)) < len(columns):
        raise BadInput(f"The folders in {shown!r} name a column twice. Rename one of them.")
    return columns


def _unescaped(text: str) -> str:
    broken = BadInput("The name of a folder for a column and its value is not well-formed: check its % signs.")
    with translated(UnicodeDecodeError, into=broken):
        return unquote(text, errors="strict")


STANDARD_INPUT: Final = "-"

_TEXTS: Final = (".csv", ".tsv", ".txt")
_COMPRESSED: Final = (".gz", ".zst")
_SEVERAL: Final = (*_TEXTS, *(f"{text}{packed}" for text in _TEXTS for packed in _COMPRESSED), ".parquet")
_PACKED: Final = (".zip", ".xlsx")
ENDINGS: Final = (*_SEVERAL, *_PACKED)
_REDIRECTED: Final = Path("/dev/stdin")  # on some systems, the file that the shell redirects to standard input
_ADVICE: Final = "Known are .csv, .tsv and .txt, each also with .gz or .zst, .parquet, .zip and .xlsx."


@dataclass(frozen=True)
class TableFiles:
    """The files that make up a table.

    Attributes
    ----------
    name : str
        The table as the user named it.
    files : tuple of Path
        Absolute paths, sorted by name; none for standard input.
    names : tuple of str
        The name of each file in messages.
    ending : str
        The common ending of their names, such as ``".csv.gz"``. If only some text files are compressed, the ending
        without the compression.
    partitions : tuple of Partition
        The columns in the names of each file's folders; empty if there are no such folders.
    """

    name: str
    files: tuple[Path, ...]
    names: tuple[str, ...]
    ending: str
    partitions: tuple[Partition, ...] = ()

    @property
    def reads(self) -> tuple[Path, ...]:
        """The files that must not be overwritten, including the file that standard input may come from."""
        return self.files or tuple(path for path in (_REDIRECTED,) if path.exists())

    @property
    def is_packed(self) -> bool:
        """Whether the table must be unpacked or copied before it can be read."""
        return not self.files or self.ending in _PACKED


def find_table(given: str | os.PathLike[str]) -> TableFiles:
    """Find the files of a table, or raise an error that explains why it cannot be read.

    Parameters
    ----------
    given : str or path
        A file; a folder with files of one format, whose inner folders, such as ``sex=F``, state a column and its value;
        a pattern such as ``"data/*.parquet"``, unless a file has exactly that name; or the text ``"-"`` for standard
        input.
    """
    if given == STANDARD_INPUT:
        return TableFiles("standard input", (), (), "")
    place = absolute(given)
    shown = str(given)
    if place.is_dir():
        return _in_folder(place, shown)
    if not place.exists():
        refuse_address(shown)
    if not place.exists() and glob.has_magic(shown):
        return _of_pattern(shown)
    if not place.exists():
        raise BadInput(f"There is no file {shown!r}. Check the path.")
    ending = ending_of(place.name)
    if not place.is_file():
        raise BadInput(f"{shown!r} is not a file. Name a file, or a folder of files.")
    return TableFiles(shown, (place,), (place.name,), ending)


def ending_of(name: str) -> str:
    """The ending of a table's file name, in lower case; an error if it is unknown.

    >>> ending_of("People.CSV.GZ")
    '.csv.gz'
    """
    ending = next((ending for ending in ENDINGS if name.lower().endswith(ending)), None)
    if ending is None:
        raise BadInput(f"The ending of the file {name!r} is not that of a table. {_ADVICE}")
    return ending


def _in_folder(folder: Path, shown: str) -> TableFiles:
    """The files in a folder, and in its inner folders that state a column and its value."""
    places: list[tuple[str, ...]] = []
    _collect(folder, (), shown, places)
    if not places:
        raise BadInput(f"The folder {shown!r} is empty. Name a folder with files of one format.")
    files = [folder.joinpath(*place) for place in places]
    return _together(shown, files, [place[-1] for place in places], [place[:-1] for place in places])


def _collect(folder: Path, above: tuple[str, ...], shown: str, places: list[tuple[str, ...]]) -> None:
    """Collect files in order of their names, without hidden files and marks of other programs (``_SUCCESS``)."""
    for path in sorted(path for path in folder.iterdir() if not is_hidden(path.name)):
        if not path.is_dir():
            places.append((*above, path.name))
        elif _is_partition(path.name):
            _collect(path, (*above, path.name), shown, places)
        else:
            raise BadInput(
                f"The folder {shown!r} has folders in it. Name the files by a pattern, such as 'folder/**/*.parquet'."
            )


def _of_pattern(pattern: str) -> TableFiles:
    absolute(pattern)  # refuses text that cannot be a path
    # As text, so that a pattern may begin at the root and names stay as the user typed them.
    fitting = glob.glob(pattern, recursive=True)  # noqa: PTH207
    names = sorted(name for name in fitting if Path(name).is_file() and not is_hidden(Path(name).name))
    if not names:
        raise BadInput(f"There is no file that fits the pattern {pattern!r}. Check the path.")
    files = [absolute(name) for name in names]
    # Only folders that the pattern matches belong to the table, not those that the user typed in full.
    typed = next(at for at, part in enumerate(Path(pattern).parts) if glob.has_magic(part))
    folders = [tuple(filter(_is_partition, Path(name).parts[typed:-1])) for name in names]
    shown = [name if not below else masked(below) + Path(name).name for name, below in zip(names, folders, strict=True)]
    return _together(pattern, files, shown, folders)


def _together(
    shown: str, files: Sequence[Path], names: Sequence[str], folders: Sequence[tuple[str, ...]]
) -> TableFiles:
    """Several files that are read as one table."""
    ending = _common_ending(shown, files, names)
    if ending in _PACKED and len(files) > 1:
        raise BadInput(f"{shown!r} has {len(files):,} files that end in {ending}. Name one of them.")
    partitions = [_partition_of(below) for below in folders]
    if not _partition_columns(shown, partitions):
        return _without_empty(TableFiles(shown, tuple(files), tuple(names), ending))
    called = [
        f"{masked(below)}{Path(name).name} (file {at:,} of {len(files):,})"
        for at, (name, below) in enumerate(zip(names, folders, strict=True), start=1)
    ]
    return _without_empty(TableFiles(shown, tuple(files), tuple(called), ending, tuple(partitions)))


def _common_ending(shown: str, files: Sequence[Path], names: Sequence[str]) -> str:
    """The ending of all files, which must have one format: a copy of a table in another format is no part of it."""
    endings = Counter(map(ending_of, names))
    first = next(iter(endings))
    if len(endings) == 1:
        return first
    stems = Counter(str(file)[: -len(ending_of(file.name))] for file in files)
    if len({_uncompressed(ending) for ending in endings}) > 1 or stems.most_common(1)[0][1] > 1:
        raise BadInput(f"{shown!r} has files of several formats: {listing(list(endings))}. Name those of one format.")
    return _uncompressed(first)


def _without_empty(files: TableFiles) -> TableFiles:
    """Drop empty text files if there are others: Spark writes such a file for a part without rows."""
    kept = [at for at, file in enumerate(files.files) if files.ending == ".parquet" or file.stat().st_size]
    if not kept or len(kept) == len(files.files):
        return files
    return replace(
        files,
        files=tuple(files.files[at] for at in kept),
        names=tuple(files.names[at] for at in kept),
        partitions=tuple(files.partitions[at] for at in kept) if files.partitions else (),
    )


def _uncompressed(ending: str) -> str:
    """An ending without that of the compression.

    >>> _uncompressed(".csv.gz"), _uncompressed(".parquet")
    ('.csv', '.parquet')
    """
    return next((ending.removesuffix(packed) for packed in _COMPRESSED if ending.endswith(packed)), ending)
