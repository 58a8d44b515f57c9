"""Spark tables, grouped by Spark with a plan of the verifier's own.

Files that the engine wrote are opened again here. Their rows are counted twice: by the groups, and from the footers of
the files, which Arrow reads. So a fault of Spark's reader or writer that loses rows is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet

from hedgerow.errors import BadInput, HedgerowError
from hedgerow.io.readers import SparkFiles
from hedgerow.verifier._exact import nested
from hedgerow.verifier._grouping import Grouped, as_plain_cells

if TYPE_CHECKING:
    from hedgerow.io.readers.spark import own_words

__all__ = ["SparkTable"]


_NESTED: Final = ("array", "map", "struct", "variant")
# Types that are compared as text, and the types that Arrow reads that text as.
_SPELLED: Final = {
    "float": "float",
    "double": "double",
    **dict.fromkeys(("string", "char", "varchar"), pyarrow.large_string()),
}


class SparkTable:
    """A Spark table whose column names are known.

    Parameters
    ----------
    table : DataFrame or SparkFiles
    """

    def __init__(self, table: Any) -> None:
        self._session = table.session if isinstance(table, SparkFiles) else table.sparkSession
        self._footers = None
        with self._own_words():
            if isinstance(table, SparkFiles):
                self._footers = sum(int(pyarrow.parquet.read_metadata(part).num_rows) for part in table.parts)
                table = self._session.read.parquet(*map(_place, table.parts))
            self.columns = tuple(table.columns)
            self._kinds = [field.dataType.typeName() for field in table.schema.fields]
            # Columns are used by position, so that no name is looked up.
            self._table = table.toDF(*(f"f{at}" for at in range(len(self.columns))))
        if len({name.lower() for name in self.columns}) < len(self.columns):
            raise BadInput("The table has columns whose names differ only in case. Rename them.")

    def group(self, columns: Sequence[str]) -> Grouped:
        """Group the rows by some of the columns."""
        from pyspark.sql import functions

        for name in columns:
            if self._kind(name) in _NESTED:
                raise nested(name)
        cells = [self._compared(name).alias(f"c{at}") for at, name in enumerate(columns)]
        with self._own_words():
            found = self._table.groupBy(*cells).agg(functions.count(functions.lit(1)).alias("n")).toArrow()
        rows = sum(found.column("n").to_pylist())
        if self._footers is not None and rows != self._footers:
            raise HedgerowError(f"Spark read {rows:,} rows of files that hold {self._footers:,}.")
        for at, name in enumerate(columns):
            if (kind := self._kind(name)) in _SPELLED:
                found = found.set_column(at, f"c{at}", _spelled_out(found.column(at), _SPELLED[kind], name))
        return as_plain_cells(found, columns)

    def _kind(self, name: str) -> str:
        return str(self._kinds[self.columns.index(name)])

    def _compared(self, name: str) -> Any:
        """A column in a form that Spark compares exactly. Spark has collations, and takes -0.0 for 0.0."""
        cell, kind = self._table[f"f{self.columns.index(name)}"], self._kind(name)
        if kind in ("float", "double"):
            return cell.cast("string")
        return cell.cast("string").cast("binary") if kind in ("string", "char", "varchar") else cell

    def nested(self, columns: Sequence[str]) -> set[str]:
        """The columns, of those named, that hold lists or structures."""
        return {name for name in columns if self._kind(name) in _NESTED}

    def repeats(self, column: str) -> bool:
        """Whether several rows have the same value of a column."""
        from pyspark.sql import functions

        held = self._compared(column)
        with self._own_words():
            known, distinct = self._table.agg(functions.count(held), functions.count_distinct(held)).first()
        return bool(known > distinct)

    def fewest_alike(self, columns: Sequence[str], person: str | None) -> int:
        """The fewest rows, or people, that share the values of some columns; 0 without rows."""
        from pyspark.sql import functions

        cells = [self._compared(name).alias(f"c{at}") for at, name in enumerate(columns)]
        counted = functions.count(functions.lit(1))
        if person is not None:
            who = self._compared(person)
            # All rows without a person count as one person.
            counted = functions.count_distinct(who) + functions.max(who.isNull().cast("int"))
        with self._own_words():
            grouped = self._table.groupBy(*cells).agg(counted.alias("n"))
            return int(grouped.agg(functions.coalesce(functions.min("n"), functions.lit(0))).first()[0])

    def _own_words(self) -> own_words:
        from hedgerow.io.readers.spark import own_words

        return own_words(
            self._session, BadInput("Spark could not evaluate the table. Check the query it comes from, or its files.")
        )


def _spelled_out(column: Any, kind: Any, name: str) -> Any:
    try:
        return column.cast(kind)
    except pyarrow.ArrowInvalid:
        pass  # its message may quote a cell, also as the context of another error
    raise BadInput(f"The column {name!r} holds text that is not UTF-8. Write it as that.")


def _place(path: Path) -> str:
    """The URL of a file, with the signs escaped that Spark would read as a pattern."""
    return "file:" + "".join(f"\\{sign}" if sign in "[]{}*?\\" else sign for sign in str(path))
