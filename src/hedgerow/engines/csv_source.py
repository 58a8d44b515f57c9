"""CSV files as something that DuckDB can scan: every record of them, and every character.

A file that looks regular is scanned as it is, by as many threads as that allows. Any other one is read by Python's csv,
strictly, into Parquet: slower, and exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.engines import csv_text
from hedgerow.engines.base import first_places
from hedgerow.engines.csv_shape import look_at
from hedgerow.engines.folder_columns import folder_columns, split_columns
from hedgerow.engines.sql import file_literals, literal
from hedgerow.errors import BadInput, InternalError
from hedgerow.intake import Part, refuse_other_columns, with_folder_columns

__all__ = ["CsvFiles", "ReadyCsv", "csv_scan", "open_csv", "scan_all"]

_CELLS: Final = 1 << 18  # in one batch that is rewritten
_SAMPLE: Final = 1_000  # records that tell how long cells are


class CsvFiles:
    """The CSV files of a table, all with the same columns.

    Parameters
    ----------
    name : str
        What messages call the table.
    parts : sequence of Part
    folder : Path
        Where files are written in another form if DuckDB cannot read them as they are.
    """

    untyped: Final = True

    def __init__(self, name: str, parts: Sequence[Part], folder: Path) -> None:
        self._name = name
        self._parts = parts
        self._folder = folder

    def names(self) -> list[str]:
        """The names of the columns."""
        first, *others = self._parts
        names = csv_text.read_header(first)
        for part in others:
            refuse_other_columns(first.name, names, part.name, csv_text.first_record(part))
        return with_folder_columns(first, names)

    def zone(self, column: int) -> None:
        """None: each text says its own."""

    def open(self, columns: Sequence[str]) -> tuple[str, int]:
        """DuckDB's query for all rows, and how many records it must find."""
        ready = []
        own, _ = split_columns(self._parts[0], columns)
        for number, part in enumerate(self._parts):
            folder = self._folder / f"part{number}"
            folder.mkdir(exist_ok=True)
            ready.append(open_csv(part, own, folder))
        return scan_all(ready, columns), sum(one.records for one in ready)

    def bytes_of(self, columns: Sequence[int]) -> int:
        """About how many bytes of the files some columns take, by the first records."""
        first, size = self._parts[0], sum(part.path.stat().st_size for part in self._parts)
        with closing(csv_text.records(first)) as found:
            # One more of each cell: what stands between them.
            cells = [[len(cell) + 1 for cell in record] for _, record in islice(found, 1, _SAMPLE)]
        taken = sum(sum(record[at] for at in columns if at < len(record)) for record in cells)
        return int(size * taken / max(1, sum(map(sum, cells))))

    def bytes_aside(self) -> int:
        """How many bytes will at least be written: text in another encoding becomes UTF-8, which is denser."""
        return sum(part.path.stat().st_size for part in self._parts if not part.is_utf8) // 4

    def fault(self) -> BadInput:
        """Say what is wrong with files that DuckDB refused, and where, without quoting them."""
        found = (csv_text.find_fault(part) for part in self._parts)
        return next((one for one in found if one is not None), None) or csv_text.no_fault_found(self._name)

    def locate(
        self, wrong: Callable[[object], bool], column: int, _fetch: Callable[[str], pa.Table], most: int = 1
    ) -> str:
        """Where the first wrong values of a column stand."""
        own = len(csv_text.first_record(self._parts[0]))
        for part in self._parts:
            if column >= own:
                if wrong(part.partition[column - own][1]):
                    return f"the folder of {part.name!r}"
                continue
            lines = csv_text.first_lines(part, column, wrong, most)
            if lines:
                place = first_places("line", lines)
                return place if len(self._parts) == 1 else f"{place} of {part.name!r}"
        raise InternalError("a value that was wrong cannot be found again")


@dataclass(frozen=True)
class ReadyCsv:
    """A CSV that DuckDB reads as it should.

    Attributes
    ----------
    part : Part
        The file itself, or one with the same records in another form.
    records : int
        How many DuckDB must find in it.
    parallel : bool
        Whether several threads may read it.
    """

    part: Part
    records: int
    parallel: bool = False


def open_csv(part: Part, columns: Sequence[str], folder: Path) -> ReadyCsv:
    """Make a CSV ready for DuckDB.

    Parameters
    ----------
    part : Part
    columns : sequence of str
        What the columns are called inside DuckDB.
    folder : Path
        Where the file is written in another form if DuckDB cannot read it as it is.
    """
    readable = part
    if not part.is_utf8:
        readable = replace(part, path=folder / "utf8.csv", encoding="utf-8")
        csv_text.transcode(part, readable.path)
    shape = look_at(readable, len(columns))
    if shape.plain:
        return ReadyCsv(readable, shape.records, parallel=not shape.spans_lines)
    rewritten = replace(part, path=folder / "records.parquet", format="parquet")
    return ReadyCsv(rewritten, _rewrite(part, columns, rewritten.path))


def scan_all(files: Sequence[ReadyCsv], columns: Sequence[str]) -> str:
    """DuckDB's query for the rows of all files; those that are read alike share one scan, since each takes a while."""
    alike: dict[tuple[object, ...], list[ReadyCsv]] = {}
    for one in files:
        alike.setdefault((one.part.format, one.part.delimiter, one.part.compression, one.parallel), []).append(one)
    return " UNION ALL ".join(_scan(group, columns) for group in alike.values())


def _scan(files: Sequence[ReadyCsv], columns: Sequence[str]) -> str:
    first, parts = files[0], [one.part for one in files]
    own, told = split_columns(first.part, columns)
    if first.part.format == "parquet":
        scan = f"read_parquet({file_literals(part.path for part in parts)}, hive_partitioning = false)"
    else:
        scan = csv_scan(parts, own, parallel=first.parallel)
    return f"SELECT *{folder_columns(parts, told)} FROM {scan}"


def csv_scan(parts: Sequence[Part], columns: Sequence[str], *, parallel: bool = False) -> str:
    """DuckDB's expression for reading CSV files of one form, all of it as text and with nothing guessed.

    Where a field may hold a line end, a file must be read from its beginning, not by several threads.
    """
    types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in columns)
    compression = parts[0].compression or "none"
    return (
        f"read_csv({file_literals(part.path for part in parts)}, columns = {{{types}}}, "
        f"delim = {literal(parts[0].delimiter)}, "
        "quote = '\"', escape = '\"', comment = '', header = true, skip = 0, auto_detect = false, "
        f"null_padding = false, strict_mode = true, parallel = {'true' if parallel else 'false'}, "
        f"hive_partitioning = false, compression = {literal(compression)})"
    )


def _rewrite(part: Part, columns: Sequence[str], target: Path) -> int:
    """Read a CSV by Python's csv and write its records to Parquet, all as text; returns how many there are."""
    schema = pa.schema([(name, pa.large_string()) for name in columns])
    rows = _rows(part, len(columns))
    number = 0
    with pq.ParquetWriter(target, schema) as out:
        while batch := list(islice(rows, max(1, _CELLS // len(columns)))):
            arrays = [
                pa.array([cell or None for cell in cells], pa.large_string()) for cells in zip(*batch, strict=True)
            ]
            out.write_batch(pa.record_batch(arrays, schema=schema))
            number += len(batch)
    return number


def _rows(part: Part, width: int) -> Iterator[list[str]]:
    """The cells of each record; a blank line is one only where there is one column, as it is to DuckDB."""
    records = csv_text.records(part)
    next(records)
    for line, record in records:
        cells = record or [""] * (width == 1)
        if cells and len(cells) != width:
            raise csv_text.wrong_width(part, line, len(cells), width)
        if cells:
            yield cells
