"""The evaluated table: in memory, with typed columns, and the target as labels or as numbers."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Ints
from hedgerow.core.counts import BadValues, EncodedColumn, encode_column, holds_classes, tabulate
from hedgerow.engines import File, FileSource, open_source
from hedgerow.errors import BadInput, translated
from hedgerow.io.frames import as_arrow, open_frame
from hedgerow.schema import Roles, Schema

__all__ = [
    "AnalysisTask",
    "AnyTask",
    "EvaluatedTable",
    "OpenedTable",
    "Task",
    "backend_of",
    "check_schema",
    "digest_of",
    "open_rows",
    "open_table",
]

Task = Literal["classes", "numbers"]
"""What learners predict."""

AnalysisTask = Literal["clustering", "association", "queries", "estimates"]
"""What analyses do."""

AnyTask = Task | AnalysisTask

_ROWS_OF_A_CLASS: Final = 4  # the least average: two for training, two for testing


@dataclass(frozen=True, eq=False)
class OpenedTable:
    """A table in memory, with the roles of its columns.

    Attributes
    ----------
    table : Arrow table
    schema : Schema
    """

    table: pa.Table
    schema: Schema

    @cached_property
    def roles(self) -> Roles:
        """The roles of the columns."""
        return self.schema.resolve(self.table.column_names, coded=True)

    @property
    def features(self) -> list[str]:
        """The columns for learners: all published columns except the target and those that identify a person."""
        hidden = {self.schema.target, self.roles.entity, *self.roles.pseudonymized}
        return [name for name in self.roles.published if name not in hidden]

    @property
    def columns(self) -> list[str]:
        """The features, and the target if there is one."""
        return [*self.features, *([] if self.schema.target is None else [self.schema.target])]

    def encoded(self, name: str) -> EncodedColumn:
        """A column as codes of its domain, by the kind that the schema gives it."""
        return _encoded(self.table, name, self.schema, kind=self.schema.kinds.get(name, "derived"))

    @cached_property
    def labels(self) -> Ints | None:
        """The class of each row as a code, if the table has a target of classes."""
        return None

    @cached_property
    def people(self) -> Ints | None:
        """The person of each row as a code, if there is an entity."""
        return None if self.roles.entity is None else self._codes(self.roles.entity)

    def _codes(self, name: str) -> Ints:
        column = _encoded(self.table, name, self.schema)
        return tabulate([column.codes], [column.domain.size], self.table.num_rows)[1]

    @cached_property
    def digest(self) -> str:
        """The digest of the table."""
        return digest_of(self.table)


@dataclass(frozen=True, eq=False)
class EvaluatedTable(OpenedTable):
    """A table with a target: text if the task is classes, floating-point numbers otherwise.

    Attributes
    ----------
    task : {"classes", "numbers"}
    """

    task: Task

    @property
    def target(self) -> str:
        """The target column."""
        return str(self.schema.target)

    @cached_property
    def labels(self) -> Ints | None:
        """The class of each row as a code, if the task is classes."""
        if self.task == "numbers":
            return None
        return self._codes(self.target)


def digest_of(table: pa.Table) -> str:
    """A digest of the names, types and cells of a table's columns."""
    digest = hashlib.sha256()
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        digest.update(f"{name}\0{column.type}\0{len(column)}\0".encode())
        with pa.BufferOutputStream() as sink:
            with pa.ipc.new_stream(sink, pa.schema([("column", column.type)])) as writer:
                writer.write_batch(pa.record_batch([column], names=["column"]))
            digest.update(sink.getvalue())
    return digest.hexdigest()


def open_table(data: Any, schema: Schema) -> EvaluatedTable:
    """Open a dataframe, a relation or a file for evaluation; an already opened table is returned."""
    if isinstance(data, EvaluatedTable):
        return data
    check_schema(schema, "evaluate")
    if schema.target is None:
        raise BadInput("No target is named. Name the column that learners are to predict (target=, --target).")
    opened = open_rows(data, schema)
    return _with_target(opened.table, schema)


def check_schema(schema: object, owner: str) -> None:
    """Refuse anything but a schema."""
    if not isinstance(schema, Schema):
        raise BadInput.parameter("schema", owner, "a hedgerow.Schema", type(schema).__name__)


def open_rows(data: Any, schema: Schema) -> OpenedTable:
    """Open a dataframe, a relation or a file, with or without a target; an already opened table is returned."""
    if isinstance(data, OpenedTable):
        return data
    source = open_source(data) if isinstance(data, str | File) or hasattr(data, "__fspath__") else None
    if isinstance(source, FileSource):
        table = _typed(source, schema)
    else:
        frame = open_frame(data).frame
        table = pa.table({name: as_arrow(frame[name]) for name in frame.columns})
    if not table.num_rows:
        raise BadInput("The table has no rows.")
    # Whether hierarchies of columns in clear are used, the methods know.
    schema.resolve(table.column_names, coded=True)
    return OpenedTable(table, schema)


def _typed(source: FileSource, schema: Schema) -> pa.Table:
    """The rows of a file; the text cells of a CSV are converted to the types that they plainly have."""
    table = source.rows()
    if not source.untyped:
        return table
    columns = {}
    for name in table.column_names:
        kind, decimal = schema.kinds.get(name, "derived"), source.decimal
        columns[name] = _values(_encoded(table, name, schema, kind=kind, decimal_point=decimal))
    return pa.table(columns)


def _encoded(table: pa.Table, name: str, schema: Schema, **reading: Any) -> EncodedColumn:
    values = table.column(name)
    with translated(BadValues, into=lambda bad: bad.in_rows(values)):
        return encode_column(name, values, missing=schema.missing, **reading)


def _values(encoded: EncodedColumn) -> pa.Array:
    """A column as numbers or text, with null for missing values."""
    domain = encoded.domain
    if domain.kind == "number":
        whole = bool((domain.values == np.floor(domain.values)).all() and (np.abs(domain.values) < 2**53).all())
        values = pa.array(domain.values).cast(pa.int64()) if whole else pa.array(domain.values)
    elif domain.kind == "date":
        values = pa.array(domain.labels.tolist(), pa.string()).cast(pa.timestamp("us"))
    else:
        values = pa.array(domain.labels.tolist(), pa.string())
    codes = encoded.codes.astype(np.int64)
    return values.take(pa.array(codes, mask=codes == domain.missing_code if domain.has_missing else None))


def _with_target(table: pa.Table, schema: Schema) -> EvaluatedTable:
    target = str(schema.target)
    encoded = _encoded(table, target, schema, kind="valued")
    if encoded.domain.has_missing:
        missing = int((encoded.codes == encoded.domain.missing_code).sum())
        raise BadInput(
            f"The target {target!r} has no value in {missing:,} of {table.num_rows:,} rows. Leave these rows out: "
            "predictions for them cannot be judged."
        )
    if len(encoded.domain.labels) < 2:
        raise BadInput(f"The target {target!r} has the same value in all rows, so there is nothing to learn.")
    if holds_classes(encoded.domain) and len(encoded.domain.labels) > table.num_rows / _ROWS_OF_A_CLASS:
        raise BadInput(
            f"The target {target!r} has {len(encoded.domain.labels):,} different values in {table.num_rows:,} rows, "
            "too many to be learnt as classes. Name a column with fewer."
        )
    task: Task = "classes" if holds_classes(encoded.domain) else "numbers"
    values = pa.array(encoded.domain.labels.tolist()) if task == "classes" else pa.array(encoded.domain.values)
    column = values.take(pa.array(encoded.codes))
    return EvaluatedTable(table.set_column(table.column_names.index(target), target, column), schema, task)


def backend_of(data: Any) -> Literal["pandas", "polars", "pyarrow"]:
    """The dataframe library of the input; pyarrow for files and relations."""
    name = type(data).__module__.split(".")[0]
    return "pandas" if name == "pandas" else "polars" if name == "polars" else "pyarrow"
