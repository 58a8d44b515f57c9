"""Hierarchies from files: ARX's CSV form and TOML.

A hierarchy file is the user's own, but its entries may be values of the table: errors name lines, never
entries.
"""

from __future__ import annotations

import csv
import io
import re
import tomllib
from pathlib import Path
from typing import Any, Final

from hedgerow.errors import BadInput, plural, translated
from hedgerow.hierarchies.encoded import LevelTree, NotNestedError, tree_of_levels
from hedgerow.hierarchies.entries import DEEPEST, too_deep
from hedgerow.hierarchies.taxonomies import Taxonomy, misplaced_labels, taxonomy
from hedgerow.io.readers.sizes import read_at_most

__all__ = ["parse_toml", "read_arx", "read_toml"]

_LONGEST_CELL: Final = 131_072
_LARGEST_TOML: Final = 4_000_000  # bytes
_LARGEST_CSV: Final = 256_000_000
_KEPT_PARTS: Final = 5_000_000  # of the beginnings of keys

# Texts, comments, parts of keys, dots, spaces, and any other sign.
_TOML_TOKENS: Final = re.compile(
    r'''"""(?:[^\\]|\\.)*?"{3,5}|\'{3}.*?\'{3,5}|"(?:[^"\\\n]++|\\.)*+"|\'[^\'\n]*+\'|\#[^\n]*+'''
    r"|[A-Za-z0-9_-]++|\.|[ \t]++|.",
    re.DOTALL,
)


def read_arx(path: str | Path, *, delimiter: str = ";", encoding: str = "utf-8") -> Taxonomy:
    """Read a hierarchy in ARX's form: a line per value, the value and then its labels, up to the root.

    There is no header, every line has equally many columns, and the last column is the same throughout
    (``*`` in ARX's own files). A label may repeat along a line (``White;White;*``).

    Parameters
    ----------
    path : str or Path
        The file.
    delimiter : str
        What separates the columns.
    encoding : str
        How the text is encoded; a byte order mark is skipped.
    """
    path = Path(path)
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise BadInput.parameter("delimiter", "read_arx", "one character", delimiter)
    rows, lines = _read_rows(path, _read_text(path, encoding), delimiter)
    if len(rows[0]) > DEEPEST:
        raise BadInput(f"The lines of {_called(path)} have more than {DEEPEST} columns. Give it fewer levels.")
    values, *levels = zip(*rows, strict=True)
    first_line: dict[str, int] = {}
    for value, line in zip(values, lines, strict=True):
        if value in first_line:
            raise BadInput(
                f"Line {line} of {_called(path)} lists the same value as line {first_line[value]}. "
                "List each value once."
            )
        first_line[value] = line
    roots = levels.pop()
    for root, line in zip(roots, lines, strict=True):
        if root != roots[0]:
            raise BadInput(
                f"Line {line} of {_called(path)} ends in another label than line {lines[0]}. The last column "
                "must be the same throughout, the root; the file has no header."
            )
    with translated(NotNestedError, into=lambda two: _two_parents(path, lines[two.row], lines[two.earlier])):
        built = tree_of_levels(values, levels, roots[0])
    _check_places(path, built, lines)
    return Taxonomy(built.tree, f"hierarchy {path.name}")


def read_toml(path: str | Path) -> Taxonomy:
    """Read a hierarchy written as nested TOML tables that end in arrays of values; see :func:`taxonomy`.

    The only table at the top is the root; several get the root ``*``::

        [Any]
        School = ["9th", "10th"]
        University = ["BSc", "MSc", "PhD"]
    """
    path = Path(path)
    deep = f"more than {DEEPEST} levels deep. Give it fewer levels"
    nested = parse_toml(_read_text(path, "utf-8", _LARGEST_TOML), _called(path), deep)
    if not nested:
        raise BadInput(f"There is nothing in {_called(path)}. Write values and their labels into it.")
    with translated(BadInput, into=lambda error: BadInput(f"In {_called(path)}: {error}")):
        return Taxonomy(taxonomy(nested).tree, f"hierarchy {path.name}")


def parse_toml(text: str, called: str, deep: str) -> dict[str, Any]:
    """Read a TOML text; ``called`` names it in messages, ``deep`` is their end if it is nested too deeply."""
    too_many = BadInput(f"The TOML of {called} is nested {deep}.")

    def wrong(error: ValueError) -> BadInput:
        # Of the TOML, or of a number with too many digits. The parser's own message may quote the text.
        line = re.search(r"at line (\d+)", str(error))
        where = f"line {line[1]}" if line else "its end"
        return BadInput(f"The TOML of {called} is wrong at {where}. Correct it there.")

    if _has_long_keys(text):
        raise too_many
    with translated(RecursionError, into=too_many), translated(ValueError, into=wrong):
        nested = tomllib.loads(text)
    if too_deep(nested):
        raise too_many
    return nested


def _has_long_keys(text: str) -> bool:
    """Whether keys have so many parts that reading them would take gigabytes.

    ``tomllib`` keeps all beginnings of each dotted key, below those of the table it stands in.
    """
    parts = longest = kept = 0
    dotted = False
    for token in _TOML_TOKENS.finditer(text):
        sign = token[0][0]
        if sign == ".":
            dotted = parts > 0
        elif sign in "\"'" and len(token[0]) == 1:
            break  # a text that does not end: the parser comes no further
        elif sign.isalnum() or sign in "_-\"'":
            parts = parts * dotted + 1
            dotted = False
            longest = max(longest, parts)
            kept += longest * (parts > 1)
            if parts > DEEPEST or kept > _KEPT_PARTS:
                return True
        elif sign not in " \t":
            parts, dotted = 0, False
    return False


def _called(path: Path) -> str:
    return f"the hierarchy file {str(path)!r}"


def _read_text(path: Path, encoding: str, most: int = _LARGEST_CSV) -> str:
    """Read and decode a file, without its byte order mark."""

    def unreadable(error: OSError) -> BadInput:
        return BadInput(f"Cannot read {_called(path)}: {error.strerror or 'it cannot be opened'}. Check the path.")

    def undecodable(error: UnicodeDecodeError) -> BadInput:
        return BadInput(
            f"Cannot read {_called(path)}: byte {error.start} is not {encoding}. "
            "Save the file as UTF-8, or read it with read_arx(path, encoding=...)."
        )

    unknown = BadInput.parameter("encoding", "read_arx", "the name of a text encoding", encoding)
    with (
        translated(OSError, into=unreadable),
        translated(UnicodeDecodeError, into=undecodable),
        translated(LookupError, into=unknown),
    ):
        content = read_at_most(path, most)
        if content is None:
            raise BadInput(f"There are more than {most:,} bytes in {_called(path)}. Give it fewer values.")
        return content.decode(encoding).removeprefix("\ufeff")


def _read_rows(path: Path, text: str, delimiter: str) -> tuple[list[list[str]], list[int]]:
    """Split the text into rows of one width, with the line each begins at; empty lines are skipped."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows: list[list[str]] = []
    lines: list[int] = []
    line = 1

    def improper(_error: csv.Error) -> BadInput:
        return BadInput(f"Line {line} of {_called(path)} is not proper CSV. Check its quotes and length.")

    with translated(csv.Error, into=improper):
        for row in reader:
            # The limit of the csv module is global to the program, and other code may have lifted it.
            if any(len(cell) > _LONGEST_CELL for cell in row):
                raise improper(csv.Error())
            if row:
                rows.append(row)
                lines.append(line)
                if len(row) != len(rows[0]):
                    raise BadInput(
                        f"Line {line} of {_called(path)} has {plural(len(row), 'columns')} where line {lines[0]} has "
                        f"{len(rows[0])}. Give every line the same number of levels."
                    )
            line = reader.line_num + 1
    if not rows:
        raise BadInput(f"There is nothing in {_called(path)}. Write a line per value into it.")
    if len(rows[0]) < 2:
        other = next((sign for sign in ",\t|;" if sign != delimiter and all(sign in row[0] for row in rows)), None)
        instead = "" if other is None else f" instead of {other!r}"
        raise BadInput(
            f"The lines of {_called(path)} have one column. Write {delimiter!r}{instead} between a value and its "
            "labels."
        )
    return rows, lines


def _check_places(path: Path, built: LevelTree, lines: list[int]) -> None:
    """Refuse a label that stands at two places of the tree."""
    for earlier, node in misplaced_labels(built.tree):
        raise _two_parents(path, lines[built.first_row[node]], lines[built.first_row[earlier]])


def _two_parents(path: Path, line: int, earlier: int) -> BadInput:
    """Name the two lines that disagree, in the order of the file."""
    first, second = sorted((line, earlier))
    return BadInput(
        f"Line {second} of {_called(path)} puts a label below another parent than line {first} does. "
        "Give each label one place, or different names to different groups."
    )
