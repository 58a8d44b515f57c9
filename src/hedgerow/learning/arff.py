"""Writing ARFF, the format of Weka: a head that declares every attribute, and a line per row.

Attributes are ``numeric``, dates, or nominal with the list of their values. Names and nominal values are quoted, so
that sets such as ``{a|b}`` and any other text read back as they were; a missing value is ``?`` without quotes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.arrays import Ints
from hedgerow.counts import BadValues, EncodedColumn, encode_column
from hedgerow.domains import Domain
from hedgerow.errors import translated

__all__ = ["write_arff"]

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
        Text, numbers, booleans or dates. Text that is all numbers is numeric, unless it is a dictionary; null and
        empty text are missing.
    nominal : sequence of str
        Columns that are nominal whatever they hold, such as the labels.
    declared : mapping of name to values, optional
        The values of nominal columns, where another table has them too: all of these are declared, in this order, and
        any other is missing.

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
    told = declared or {}
    attributes = [
        _told_attribute(name, values, told[name]) if name in told else _attribute(name, values, name in nominal)
        for name, values in columns.items()
    ]
    head = [f"@relation {_quoted(relation)}", "", *(one.declaration for one in attributes), "", "@data", ""]
    rows = len(attributes[0].codes)
    with path.open("wb") as out:
        out.write("\n".join(head).encode())
        for start in range(0, rows, _ROWS_AT_ONCE):
            # The lines of an Arrow array stand one after the other in memory, as they do in the file.
            cells = [one.cells.take(pa.array(one.codes[start : start + _ROWS_AT_ONCE])) for one in attributes]
            separator, nothing, end = (pa.scalar(text, pa.large_string()) for text in (",", "", "\n"))
            lines = pc.binary_join_element_wise(pc.binary_join_element_wise(*cells, separator), nothing, end)
            _, _, text = lines.buffers()
            out.write(memoryview(text)[: pc.sum(pc.binary_length(lines)).as_py()])


@dataclass(frozen=True, eq=False)
class _Attribute:
    """How a column is declared, its distinct cells as they are written, and which of them each row has."""

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


def _told_attribute(name: str, values: pa.ChunkedArray, labels: Sequence[str]) -> _Attribute:
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
    """What ARFF calls numbers and days; nothing for categories."""
    if domain.kind == "number" or not labels:
        return "numeric"
    days = domain.kind == "date" and all(len(label) == _LENGTH_OF_A_DAY for label in labels)
    return 'date "yyyy-MM-dd"' if days else ""


def _quoted(text: str) -> str:
    return f"'{text.translate(_ESCAPES)}'"
