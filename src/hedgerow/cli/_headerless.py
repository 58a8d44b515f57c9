"""Tables without a header: a warning before the work begins, and no cell of the first line in any message.

Messages name columns. If the first line holds a person's values, these names are the values of a person. Whatever error
ends a command, names from all such tables that the command opened are hidden in it, unless you typed them yourself.
This is done in one place, so that no command can forget it.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import typer

from hedgerow.errors import HedgerowError
from hedgerow.io.readers import STANDARD_INPUT, find_table, open_parts
from hedgerow.io.readers.parts import BROKEN_ARCHIVE, OPENED, CsvRecords, Part

__all__ = ["forget_tables", "looks_headerless", "watched", "without_first_lines"]

_LOOKED_AT: Final = 50
_LONGEST: Final = 2_000_000  # characters of a record; longer records are refused when the table is read
_TEXT: Final = (".csv", ".tsv", ".txt")
_WARNING: Final = (
    "hedgerow: warning: the first line of {!r} looks like a person's values, not like names of columns. If so, write a "
    "line of names above it, because the first line is published and named in messages."
)
_HIDDEN: Final = "'…'"
_WORD: Final = re.compile(r"[^,;=@:|{}\s]+")
_TYPED: Final[set[str]] = set()
_NUMBER: Final = re.compile(r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?")
_DATE: Final = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}([ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?Z?)?")


def looks_headerless(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first line of a table is probably a record like the others.

    It is if its cells are numbers or dates in every column of numbers or dates, or if several of its cells occur again
    in later rows of their columns. Names that count up, such as 0, 1, 2 or years, are names.

    >>> looks_headerless(["age", "sex"], [["34", "M"], ["35", "F"]])
    False
    >>> looks_headerless(["33", "F"], [["34", "M"], ["35", "F"]])
    True
    """
    columns = list(zip(*(row for row in rows if len(row) == len(first)), strict=True))
    names = [name.strip() for name in first]
    if not columns or _count_up(list(filter(_is_figure, names))):
        return False
    measured = [name for name, cells in zip(names, columns, strict=True) if _are_figures(cells)]
    if measured and all(map(_is_figure, measured)):
        return True
    repeated = sum(name in cells for name, cells in zip(first, columns, strict=True))
    # A header that occurs again further down, because files were joined, is a header.
    return repeated >= min(2, len(first)) and list(first) not in map(list, rows)


def _are_figures(cells: Sequence[str]) -> bool:
    return all(_is_figure(cell.strip()) for cell in cells if cell)


def _is_figure(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text) or _DATE.fullmatch(text))


def _count_up(names: Sequence[str]) -> bool:
    numbers = [int(name) for name in names if name.isdecimal()]
    steps = [later - earlier for earlier, later in itertools.pairwise(numbers)]
    return len(numbers) == len(names) > 1 and set(steps) == {1}


@contextmanager
def watched(
    table: str, *, encoding: str | None, delimiter: str | None, typed: Sequence[str | None] = ()
) -> Iterator[None]:
    """Warn of a table without a header.

    Parameters
    ----------
    table : str
        The path that was typed. Only the beginning of a text file is examined, no packed file or standard input.
    encoding, delimiter : str, optional
    typed : sequence of str
        Names that were typed elsewhere than in the command. Messages may repeat them.
    """
    _TYPED.update(name for name in typed if name is not None)
    name, first, rows = _beginning(table, encoding, delimiter)
    if looks_headerless(first, rows):
        typer.echo(_WARNING.format(name), err=True)
    yield


def forget_tables() -> None:
    """Forget the tables that earlier commands of this process opened, and the names typed for them."""
    OPENED.clear()
    _TYPED.clear()


def without_first_lines(message: str, arguments: Sequence[str]) -> str:
    """Hide in a message the first lines of all opened tables without a header.

    Words that you typed, in ``arguments``, may be repeated.
    """
    typed = _TYPED.union(arguments, *(_WORD.findall(argument) for argument in arguments))
    for part in tuple(OPENED):
        if part.format != "csv":
            continue
        first, rows = _first_records(part)
        if looks_headerless(first, rows):
            for cell in sorted({*first} - typed, key=len, reverse=True):
                message = message.replace(repr(cell), _HIDDEN)
    return message


def _beginning(table: str, encoding: str | None, delimiter: str | None) -> tuple[str, list[str], list[list[str]]]:
    """The name, the first record and some more; no records if they cannot be read, which is reported elsewhere."""
    try:
        files = find_table(table)
        if table == STANDARD_INPUT or not files.ending.startswith(_TEXT):
            return table, [], []
        part = open_parts(files, None, encoding=encoding, delimiter=delimiter)[0]
    except (HedgerowError, UnicodeError, LookupError, csv.Error, *BROKEN_ARCHIVE):
        return table, [], []
    return part.name, *_first_records(part)


def _first_records(part: Part) -> tuple[list[str], list[list[str]]]:
    """The first record and some more, as far as they can be read."""
    try:
        with part.open_text() as text:
            records = itertools.islice(CsvRecords(text, part.delimiter, _LONGEST), 1 + _LOOKED_AT)
            first, *rows = [record for record in records if record] or [[]]
    except (OSError, UnicodeError, LookupError, csv.Error, *BROKEN_ARCHIVE):
        return [], []
    return first, rows
