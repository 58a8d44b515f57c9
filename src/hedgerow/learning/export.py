"""Writes a release for other programs: ARFF for Weka, CSV for others; intervals as text or as two columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import duckdb
import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hedgerow._internal.arrays import Floats, Ints
from hedgerow.core.cells import Interval, Suppressed, ValueSet, parse, read, stands_for
from hedgerow.core.counts import BadValues, EncodedColumn, dictionary_of, encode_column, is_text, number_of
from hedgerow.engines.source_file import copy_options
from hedgerow.engines.sql import place_literal
from hedgerow.errors import BadInput, translated, unwritable
from hedgerow.io.atomic import appearing, check_place, manifest_path, proportions_path
from hedgerow.io.connections import open_database
from hedgerow.io.domains import Domain
from hedgerow.io.frames import as_arrow, open_frame, refuse_alike
from hedgerow.io.values import SUPPRESSED_TEXT
from hedgerow.learning._inputs import loaded
from hedgerow.release import Release

__all__ = ["export", "write_arff"]


# --------------------------------------------------------------------------------------------------
# ARFF, the format of Weka: a header that declares every attribute, and a line per row.
#
# Attributes are ``numeric``, dates, or nominal with a list of values. Names and nominal values are quoted, so that any
# text, such as a set ``{a|b}``, reads back unchanged. A missing value is ``?`` without quotes.


_ABSENT: Final = "?"
_ROWS_AT_ONCE: Final = 16_384
_LENGTH_OF_A_DAY: Final = len("2024-03-31")
_ESCAPES: Final = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def write_arff(
    path: Path,
    relation: str,
    columns: Mapping[str, pa.ChunkedArray],
    nominal: Sequence[str] = (),
    *,
    declared: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write a table.

    Parameters
    ----------
    path : Path
    relation : str
        The name of the table.
    columns : mapping of name to Arrow array
        Text, numbers, booleans or dates. Text that consists of numbers is numeric, unless it is a dictionary. Null and
        empty text are missing.
    nominal : sequence of str
        Columns that are always nominal, such as the labels.
    declared : mapping of name to values, optional
        The values of nominal columns that another table shares. All of them are declared, in this order; any other
        value is missing.

    Examples
    --------
    >>> import tempfile
    >>> table = {"age": pa.chunked_array([["{20|21}", None]]), "weight": pa.chunked_array([["70.0", "82.5"]])}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_arff(Path(folder) / "people.arff", "people", table)
    ...     print((Path(folder) / "people.arff").read_text())
    @relation 'people'
    <BLANKLINE>
    @attribute 'age' {'{20|21}'}
    @attribute 'weight' numeric
    <BLANKLINE>
    @data
    '{20|21}',70
    ?,82.5
    <BLANKLINE>
    """
    known = declared or {}
    attributes = [
        _declared_attribute(name, values, known[name]) if name in known else _attribute(name, values, name in nominal)
        for name, values in columns.items()
    ]
    declarations = [attribute.declaration for attribute in attributes]
    head = [f"@relation {_quoted(relation)}", "", *declarations, "", "@data", ""]
    rows = len(attributes[0].codes)
    with path.open("wb") as out:
        out.write("\n".join(head).encode())
        for start in range(0, rows, _ROWS_AT_ONCE):
            # In memory the lines of an Arrow array follow each other as in the file.
            rows_here = slice(start, start + _ROWS_AT_ONCE)
            cells = [attribute.cells.take(pa.array(attribute.codes[rows_here])) for attribute in attributes]
            separator, nothing, end = (pa.scalar(text, pa.large_string()) for text in (",", "", "\n"))
            lines = pc.binary_join_element_wise(pc.binary_join_element_wise(*cells, separator), nothing, end)
            _, _, text = lines.buffers()
            out.write(memoryview(text)[: pc.sum(pc.binary_length(lines)).as_py()])


@dataclass(frozen=True, eq=False)
class _Attribute:
    """The declaration of a column, its distinct cells as text, and the code of the cell of each row."""

    declaration: str
    cells: pa.Array
    codes: Ints


def _attribute(name: str, values: pa.ChunkedArray, nominal: bool) -> _Attribute:
    nominal = nominal or pa.types.is_dictionary(values.type)
    encoded = _encoded(name, values, as_text=nominal)
    domain = encoded.domain
    labels: list[str] = domain.labels.tolist()
    kind = "" if nominal else _kind(domain, labels)
    if not kind:
        return _nominal(name, labels, encoded.codes)
    return _Attribute(
        f"@attribute {_quoted(name)} {kind}", pa.array([*labels, _ABSENT], pa.large_string()), encoded.codes
    )


def _declared_attribute(name: str, values: pa.ChunkedArray, labels: Sequence[str]) -> _Attribute:
    texts = values.cast(pa.large_string())
    codes = pc.index_in(texts, pa.array(labels, texts.type)).fill_null(len(labels))
    return _nominal(name, labels, codes.to_numpy())


def _nominal(name: str, labels: Sequence[str], codes: Ints) -> _Attribute:
    cells = [_quoted(label) for label in labels]
    declaration = f"@attribute {_quoted(name)} {{{','.join(cells)}}}"
    return _Attribute(declaration, pa.array([*cells, _ABSENT], pa.large_string()), codes)


def _encoded(name: str, values: pa.ChunkedArray, *, as_text: bool) -> EncodedColumn:
    with translated(BadValues, into=lambda bad: bad.in_rows(values)):
        return encode_column(name, values, kind="typed" if as_text else "derived")


def _kind(domain: Domain, labels: list[str]) -> str:
    """The ARFF type of numbers and days; empty for categories."""
    if domain.kind == "number" or not labels:
        return "numeric"
    days = domain.kind == "date" and all(len(label) == _LENGTH_OF_A_DAY for label in labels)
    return 'date "yyyy-MM-dd"' if days else ""


def _quoted(text: str) -> str:
    return f"'{text.translate(_ESCAPES)}'"


_MARKS: Final = {"arff": ("?", SUPPRESSED_TEXT), "csv": (SUPPRESSED_TEXT, "?", "")}
"""The marks that may replace a suppressed cell in each format; the first is the default."""


def export(
    release: Any,
    path: str | Path,
    *,
    suppressed: Literal["*", "?", ""] | None = None,
    intervals: Literal["text", "columns"] = "text",
    target: str | None = None,
) -> Path:
    """Write a published table for another program.

    The file appears complete or not at all. It replaces an older file of the same name, whose manifest and proportions
    are removed.

    Parameters
    ----------
    release : Release, path or dataframe
        A release, the path of a saved release, or a published dataframe (pandas, polars, pyarrow or a DuckDB relation).
    path : str or Path
        ``.arff``, ``.csv`` or ``.csv.gz``.
    suppressed : {"*", "?", ""}, optional
        The text of a suppressed cell. In a CSV the default is ``*``, and ``""`` leaves the cell empty like a missing
        value. In ARFF the default is missing (``?``), and ``*`` makes it a separate value.
    intervals : {"text", "columns"}
        ``"columns"`` splits a column of intervals or sets of numbers in two: ``age_low`` and ``age_high``. They are
        equal for a plain number, and empty for a suppressed or missing cell.
    target : str, optional
        The column of labels; by default that of the release. In ARFF it is nominal and the last attribute. Its values
        are not interpreted: a label ``*`` stays a label.

    Returns
    -------
    Path

    Notes
    -----
    In a release, only the quasi-identifiers are read as published values; in a dataframe, all columns except the
    target. In ARFF a column of numbers is numeric, a column of days a date, any other column nominal.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pyarrow as pa
    >>> published = pa.table({"age": ["[20,30)", "41", "*"], "ill": ["n", "y", "y"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = export(published, Path(folder) / "people.csv", intervals="columns")
    ...     print(written.read_text())
    age_low,age_high,ill
    20,30,n
    41,41,y
    ,,y
    <BLANKLINE>
    """
    path = Path(path)
    kind = _format(path)
    check_place(path)
    mark = _mark(suppressed, kind)
    if intervals not in ("text", "columns"):
        raise BadInput.parameter("intervals", "export", "'text' or 'columns'", intervals)
    release = loaded(release)
    frame = open_frame(release.table if isinstance(release, Release) else release).frame
    if not frame.columns:
        raise BadInput("The table has no columns to write.")
    if target is None and isinstance(release, Release):
        target = release.target
    if target is not None and target not in frame.columns:
        raise BadInput.unknown("column", target, frame.columns, "It is named as target.")
    published = set(release.quasi if isinstance(release, Release) else frame.columns) - {target}
    columns: dict[str, pa.ChunkedArray] = {}
    for name in frame.columns:
        columns |= _written(frame, name, published, mark, intervals)
    _write(path, kind, columns, target)
    return path


def _mark(suppressed: str | None, kind: Literal["arff", "csv"]) -> str | None:
    """The text of a suppressed cell, ``None`` if it is written as a missing value."""
    if suppressed is not None and suppressed not in _MARKS[kind]:
        must = f"one of {', '.join(map(repr, _MARKS[kind]))} for .{kind}"
        raise BadInput.parameter("suppressed", "export", must, suppressed)
    mark = _MARKS[kind][0] if suppressed is None else suppressed
    return None if mark == "" or (mark == "?" and kind == "arff") else mark


def _format(path: Path) -> Literal["arff", "csv"]:
    name = path.name.lower()
    if name.endswith(".arff"):
        return "arff"
    if name.endswith((".csv", ".csv.gz")):
        return "csv"
    raise BadInput(f"The file {path.name!r} is neither .arff, .csv nor .csv.gz. Give it one of these endings.")


def _written(
    frame: nw.DataFrame[Any], name: str, published: Collection[str | None], mark: str | None, intervals: str
) -> dict[str, pa.ChunkedArray]:
    """A column for the file. A published column may become two, with the ends of its numbers."""
    if name not in published:
        return {name: as_arrow(frame[name])}
    columns = _published(name, as_arrow(frame[name]), mark, intervals)
    taken = [column for column in columns if column != name and column in frame.columns]
    if taken:
        raise BadInput(f"There is a column {taken[0]!r} already, beside the intervals of {name!r}. Rename one.")
    return columns


def _published(name: str, values: pa.ChunkedArray, mark: str | None, intervals: str) -> dict[str, pa.ChunkedArray]:
    if not is_text(values.type.value_type if pa.types.is_dictionary(values.type) else values.type):
        return {name: values}
    codes, distinct = dictionary_of(name, values)
    at = pa.array(codes, mask=codes < 0)
    texts: list[str | None] = distinct.to_pylist()
    if intervals == "columns":
        ends = _ends(texts)
        if ends is not None:
            low, high = (_taken(pa.array(some, from_pandas=True), at) for some in ends)
            return {f"{name}_low": low, f"{name}_high": high}
    if SUPPRESSED_TEXT in texts:
        texts = [mark if text == SUPPRESSED_TEXT else text for text in texts]
        marked = _taken(pa.array(texts, pa.large_string()), at)
        # Categories remain categories, even if they look like numbers.
        return {name: marked.dictionary_encode() if pa.types.is_dictionary(values.type) else marked}
    return {name: values}


def _taken(values: pa.Array, at: pa.Array) -> pa.ChunkedArray:
    return pa.chunked_array([values.take(at)])


def _ends(texts: list[str | None]) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """The smallest and largest number of each cell, if all are numbers and some are intervals or sets of numbers."""
    if not any(isinstance(parse(text), Interval | ValueSet) for text in texts):
        return None
    ends = [_ends_of_cell(text) for text in texts]
    if None in ends:
        return None
    low, high = np.array(ends).T
    return _plain(low), _plain(high)


def _ends_of_cell(text: str | None) -> tuple[float, float] | None:
    """The smallest and largest number that a cell stands for, nan where unknown; ``None`` if it is not a number."""
    possible = stands_for(read(text or None))
    if isinstance(possible, Interval):
        low, high = (end if np.isfinite(end) else np.nan for end in (possible.low, possible.high))
        return low, high
    members = frozenset((None,)) if isinstance(possible, Suppressed) else possible
    numbers = [number_of(member) for member in members if member is not None]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return None
    return (min(known), max(known)) if known else (np.nan, np.nan)


def _plain(numbers: Floats) -> NDArray[Any]:
    """Numbers without a decimal point if all are whole."""
    known = ~np.isnan(numbers)
    if (np.abs(numbers[known]) < 2.0**53).all() and (numbers[known] % 1 == 0).all():
        whole = [int(number) if is_known else None for number, is_known in zip(numbers, known, strict=True)]
        return np.array(whole, dtype=object)
    return numbers


def _write(path: Path, kind: str, columns: dict[str, pa.ChunkedArray], target: str | None) -> None:
    if kind == "arff" and target is not None:
        columns[target] = columns.pop(target)
    with appearing(path) as staged:
        if kind == "arff":
            write_arff(staged, path.stem, columns, () if target is None else (target,))
        else:
            _write_csv(staged, columns)
        # They describe the table that is being replaced.
        manifest_path(path).unlink(missing_ok=True)
        proportions_path(path).unlink(missing_ok=True)


def _write_csv(staged: Path, columns: dict[str, pa.ChunkedArray]) -> None:
    refuse_alike(list(columns))
    question = "Does a column hold something that such a file cannot?"
    failed = unwritable("DuckDB cannot write the table as CSV", otherwise=question)
    with translated(duckdb.Error, into=failed), open_database() as database:
        database.register("published", pa.table(columns))
        database.execute(f"COPY published TO {place_literal(staged)} ({copy_options(staged)})")
