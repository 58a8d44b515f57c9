"""Tables of Spark, grouped by Spark with a plan of the verifier's own.

Files that the engine wrote are opened here anew, and their rows are counted twice: by the groups, and by the footers of
the files, which Arrow reads. A fault of Spark's reader or writer that loses rows does not pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet

from hedgerow.errors import BadInput, HedgerowError
from hedgerow.intake import SparkFiles
from hedgerow.verifier.grouping import Grouped, as_plain_cells, refuse_nested

if TYPE_CHECKING:
    from hedgerow.intake.spark.words import own_words

__all__ = ["SparkTable", "is_spark_table"]


_NESTED: Final = ("array", "map", "struct", "binary", "variant")


class SparkTable:
    """A table of Spark whose column names are known.

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
            self._table = table
            self.names = tuple(table.columns)
        if len({name.lower() for name in self.names}) < len(self.names):
            raise BadInput("The table has columns whose names differ only in case. Rename them.")

    def group(self, columns: Sequence[str], quasi: int) -> Grouped:
        """Group the rows by some of the columns, of which the first ``quasi`` are quasi-identifiers."""
        from pyspark.sql import functions

        kinds = {field.name: field.dataType.typeName() for field in self._table.schema.fields}
        refuse_nested([name for name in columns if kinds[name] in _NESTED])
        floats = {at: kinds[name] for at, name in enumerate(columns[:quasi]) if kinds[name] in ("float", "double")}
        cells = []
        for at, name in enumerate(columns):
            cell = self._table[_quoted(name)]
            # Spark takes -0.0 for 0.0; a reader does not, who sees them as they are written.
            cells.append((cell.cast("string") if at in floats else cell).alias(f"c{at}"))
        with self._own_words():
            found = self._table.groupBy(*cells).agg(functions.count(functions.lit(1)).alias("n")).toArrow()
        rows = sum(found.column("n").to_pylist())
        if self._footers is not None and rows != self._footers:
            raise HedgerowError(f"Spark read {rows:,} rows of files that hold {self._footers:,}.")
        for at, kind in floats.items():
            found = found.set_column(at, f"c{at}", found.column(at).cast(kind))
        return as_plain_cells(found, columns)

    def fewest_alike(self, columns: Sequence[str], person: str | None) -> int:
        """How many rows, or people, share the values of some columns, where these are fewest; 0 without rows."""
        from pyspark.sql import functions

        cells = [self._table[_quoted(name)].alias(f"c{at}") for at, name in enumerate(columns)]
        counted = functions.count(functions.lit(1))
        if person is not None:
            who = self._table[_quoted(person)]
            # Rows without a person are one person altogether.
            counted = functions.count_distinct(who) + functions.max(who.isNull().cast("int"))
        with self._own_words():
            grouped = self._table.groupBy(*cells).agg(counted.alias("n"))
            return int(grouped.agg(functions.coalesce(functions.min("n"), functions.lit(0))).first()[0])

    def _own_words(self) -> own_words:
        from hedgerow.intake.spark.words import own_words

        return own_words(
            self._session, BadInput("Spark could not evaluate the table. Check the query it comes from, or its files.")
        )


def is_spark_table(table: object) -> bool:
    """Tell a table of Spark without importing PySpark."""
    modules = [kind.__module__ for kind in type(table).__mro__ if kind.__name__ == "DataFrame"]
    return isinstance(table, SparkFiles) or any(module.startswith("pyspark.sql.") for module in modules)


def _place(path: Path) -> str:
    """A file by its name, of which Spark would take some for patterns."""
    return "file:" + "".join(f"\\{sign}" if sign in "[]{}*?\\" else sign for sign in str(path))


def _quoted(name: str) -> str:
    """A name of a column that Spark takes for nothing else."""
    return "`" + name.replace("`", "``") + "`"
