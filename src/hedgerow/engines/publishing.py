"""What the published rows are made of, for DuckDB: a table of what each group publishes, and an expression per cell."""

from __future__ import annotations

import secrets
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hedgerow.engines import csv_text
from hedgerow.engines.formats import file_format
from hedgerow.engines.placing import GROUP, CountedFile
from hedgerow.engines.sql import identifier, literal
from hedgerow.folders import part_name
from hedgerow.intake import written_here
from hedgerow.recoding import Recoding

__all__ = ["columns_written", "published_columns", "published_groups"]


def published_groups(recoding: Recoding, counted: CountedFile, staging: Path) -> pa.Table:
    """One row per group with what it publishes; in a CSV a missing value is written as it was marked."""
    missing = counted.schema.missing
    marker = missing[0] if missing and staging.name.lower().endswith((".csv", ".csv.gz")) else None
    columns: dict[str, Any] = {GROUP: np.arange(len(recoding.groups), dtype=np.int32)}
    for at, (name, column) in enumerate(zip(recoding.quasi, recoding.columns, strict=True)):
        of_group = pa.array(recoding.groups[:, at])
        if column.numeric:
            columns[counted.inside[name]] = pa.array(column.numbers, type=pa.float64()).take(of_group)
        else:
            # Many groups publish the same long text: it is held once.
            texts = pa.array([marker if text is None else text for text in column.texts], type=pa.large_string())
            columns[counted.inside[name]] = pa.DictionaryArray.from_arrays(of_group, texts)
    return pa.table(columns)


def published_columns(recoding: Recoding, counted: CountedFile, *, never_null: bool) -> str:
    """The columns of the rows ``shuffled``, joined with the table ``published`` of groups, as a query selects them.

    Parameters
    ----------
    recoding : Recoding
    counted : CountedFile
    never_null : bool
        Null alone in a line of a CSV would be an empty line, which is no record to most readers; empty text is quoted.
    """
    cells = {name: _expression(recoding, counted, name) for name in counted.roles.published}
    if never_null and len(cells) == 1:
        cells = {name: f"coalesce(CAST({cell} AS VARCHAR), '')" for name, cell in cells.items()}
    return ", ".join(f"{cell} AS {identifier(name)}" for name, cell in cells.items())


def _expression(recoding: Recoding, counted: CountedFile, name: str) -> str:
    inner = identifier(counted.inside[name])
    if name in counted.roles.pseudonymized:
        # A random key that nobody keeps makes the hash of a name a random pseudonym; null stays null.
        key = literal(secrets.token_hex(32))
        return f"substr(sha256({key} || CAST(shuffled.{inner} AS VARCHAR)), 1, 16)"
    if name in recoding.quasi and name not in recoding.unchanged(counted.respelled):
        return f"published.{inner}"
    return f"shuffled.{inner}"


def columns_written(path: Path) -> tuple[str, ...]:
    """The columns of a file, or a folder of them, that was written here."""
    if path.is_dir():
        path /= part_name(0)
    if file_format(path) == "parquet":
        return tuple(pq.read_schema(path).names)
    with closing(csv_text.records(written_here(path))) as records:
        return tuple(next(records)[1])
