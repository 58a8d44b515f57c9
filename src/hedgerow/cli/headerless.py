"""Tables whose first line is no header but a person: said before the work begins, and no cell of it is told.

Messages name columns. Where the first line is a person's, these names are that person's values; so in the messages of a
table that looks so, every name is hidden that was not typed.
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
from hedgerow.intake import STANDARD_INPUT, find_table, open_parts
from hedgerow.intake.parts import BROKEN_ARCHIVE

__all__ = ["looks_headerless", "watched"]

_LOOKED_AT: Final = 50
_TEXT: Final = (".csv", ".tsv", ".txt")
_WARNING: Final = (
    "hedgerow: warning: the first line of {!r} looks like a person's values, not like names of columns; if it is, "
    "write a line of names above it, since whatever stands there is published and named in messages."
)
_HIDDEN: Final = "'…'"
_NUMBER: Final = re.compile(r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?")
_DATE: Final = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}([ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?Z?)?")


def looks_headerless(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first line of a table is probably a record like the others.

    It is if its cells are numbers or dates wherever those of the other rows are, or if several of them stand in later
    rows of their columns, too. Names that count up, as 0, 1, 2 or years do, are names.

    >>> looks_headerless(["age", "sex"], [["34", "M"], ["35", "F"]])
    False
    >>> looks_headerless(["33", "F"], [["34", "M"], ["35", "F"]])
    True
    """
    columns = list(zip(*(row for row in rows if len(row) == len(first)), strict=True))
    if not columns:
        return False
    plain = [name.strip() for name in first]
    figures = [name for name in plain if _is_figure(name)]
    if _count_up(figures):
        return False
    measured = [
        name for name, cells in zip(plain, columns, strict=True) if all(_is_figure(one.strip()) for one in cells if one)
    ]
    if measured and all(map(_is_figure, measured)):
        return True
    again = sum(name in cells for name, cells in zip(first, columns, strict=True))
    # A header that stands once more further down, as where files were put together, is a header.
    return again >= min(2, len(first)) and list(first) not in [list(row) for row in rows]


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
    """Warn of a table without a header, and hide its first line in the errors of what is done within.

    Parameters
    ----------
    table : str
        What was named. Only the beginning of a text file is looked at; what is packed or comes from standard input is
        not.
    encoding, delimiter : str, optional
    typed : sequence of str
        Names that were typed, and may be repeated.
    """
    name, first, rows = _beginning(table, encoding, delimiter)
    if not looks_headerless(first, rows):
        yield
        return
    typer.echo(_WARNING.format(name), err=True)
    try:
        yield
    except HedgerowError as error:
        message = str(error)
        for cell in sorted({*first} - {*typed}, key=len, reverse=True):
            message = message.replace(repr(cell), _HIDDEN)
        if message == str(error):
            raise
        error.args = (message,)
        raise


def _beginning(table: str, encoding: str | None, delimiter: str | None) -> tuple[str, list[str], list[list[str]]]:
    """The name, the first record and some further ones; none if they cannot be read: that others tell."""
    try:
        found = find_table(table)
        if table == STANDARD_INPUT or not found.ending.startswith(_TEXT):
            return table, [], []
        part = open_parts(found, None, encoding=encoding, delimiter=delimiter)[0]
        with part.open_text() as text:
            lines = itertools.islice(csv.reader(text, delimiter=part.delimiter, strict=True), 1 + _LOOKED_AT)
            first, *rows = [record for record in lines if record] or [[]]
    except (HedgerowError, UnicodeError, LookupError, csv.Error, *BROKEN_ARCHIVE):
        return table, [], []
    return part.name, first, rows
