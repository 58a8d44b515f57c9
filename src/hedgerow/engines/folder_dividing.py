"""Rows divided among folders by the values of some columns: in one pass, in little memory, in their order.

Rows are held until they are many, put in the order of their folders and laid aside, compressed, in a file that nobody
sees. When all have come, those of each folder are fetched from there. So no more than a portion is in memory, nothing
is sorted as a whole, and any number of folders needs one open file. Inside a folder the rows come in the order they
came in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Final

import numpy as np
import pyarrow as pa

from hedgerow.arrays import Ints, Longs
from hedgerow.counts import tabulate

__all__ = ["DividedRows"]

_HELD: Final = 32 << 20  # bytes of rows; for a moment there are two copies of them
_PACKED: Final = "zstd"

Values = tuple[str | None, ...]


@dataclass(frozen=True)
class _Portion:
    """Rows that were laid aside together.

    Attributes
    ----------
    starts : int array (folders + 1,)
        Where those of each folder begin in the file, and where the last ones end. Of folders that came later there are
        none.
    sizes : int array (folders,)
        How many bytes they have when they are unpacked.
    """

    starts: Longs
    sizes: Longs


class DividedRows:
    """Rows that are given batch by batch, and then fetched folder by folder.

    Parameters
    ----------
    schema : pa.Schema
        Of the rows, with the columns.
    columns : sequence of str
        The columns whose values, which are text, tell the folder of a row. They are not in what is fetched.
    aside : file
        Where rows are laid aside.
    """

    def __init__(self, schema: pa.Schema, columns: Sequence[str], aside: IO[bytes]) -> None:
        self._columns, self._file = columns, aside
        self._kept = [name for name in schema.names if name not in columns]
        self.schema = pa.schema([schema.field(name) for name in self._kept])
        self._folders: dict[Values, int] = {}
        self._held: list[tuple[Ints, pa.RecordBatch]] = []
        self._bytes = 0
        self._portions: list[_Portion] = []

    def add(self, batch: pa.RecordBatch) -> None:
        """Give some rows."""
        self._held.append((self._number(batch), batch.select(self._kept)))
        self._bytes += batch.nbytes
        if self._bytes >= _HELD:
            self._lay_aside()

    def _number(self, batch: pa.RecordBatch) -> Ints:
        """The number of each row's folder; one that is new gets the next."""
        encoded = [batch.column(name).dictionary_encode(null_encoding="encode") for name in self._columns]
        texts = [one.dictionary.to_pylist() for one in encoded]
        codes = [one.indices.to_numpy() for one in encoded]
        distinct, index = tabulate(codes, [len(known) for known in texts], batch.num_rows)
        found = (tuple(known[at] for known, at in zip(texts, row, strict=True)) for row in distinct.tolist())
        numbers = [self._folders.setdefault(values, len(self._folders)) for values in found]
        folders: Ints = np.array(numbers, dtype=np.int32)[index]
        return folders

    def _lay_aside(self) -> None:
        """Write the rows that are held, folder after folder."""
        numbers = np.concatenate([number for number, _ in self._held])
        rows = pa.Table.from_batches([batch for _, batch in self._held], self.schema).combine_chunks()
        self._held, self._bytes = [], 0
        rows = rows.take(pa.array(np.argsort(numbers, kind="stable")))
        ends = np.cumsum(np.bincount(numbers, minlength=len(self._folders)))
        starts, sizes = [self._file.tell()], []
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            written = _serialized(rows.slice(start, end - start)) if end > start else b""
            if written:
                self._file.write(pa.compress(written, _PACKED, asbytes=True))
            starts.append(self._file.tell())
            sizes.append(len(written))
        self._portions.append(_Portion(np.array(starts), np.array(sizes)))

    def folders(self) -> Iterator[tuple[Values, Iterator[pa.RecordBatch]]]:
        """The values of each folder, and its rows; those of one must be fetched before the next."""
        if self._held:
            self._lay_aside()
        for values, number in self._folders.items():
            yield values, self._fetched(number)

    def _fetched(self, number: int) -> Iterator[pa.RecordBatch]:
        for portion in self._portions:
            if number < len(portion.sizes) and portion.sizes[number]:
                start, end = portion.starts[number : number + 2].tolist()
                self._file.seek(start)
                packed = self._file.read(end - start)
                with pa.ipc.open_stream(pa.decompress(packed, int(portion.sizes[number]), _PACKED)) as rows:
                    yield from rows


def _serialized(rows: pa.Table) -> pa.Buffer:
    """Rows as Arrow's own stream of bytes, which has all types."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as out:
        out.write_table(rows)
    return sink.getvalue()
