"""Count the equivalence classes of any table: dataframe, DuckDB relation or file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import duckdb
import narwhals as nw
import numpy as np

from hedgerow.errors import BadInput, listing
from hedgerow.schema import Schema
from hedgerow.verifier.classes import Cells, ClassCounts
from hedgerow.verifier.files import TableFile, is_path
from hedgerow.verifier.grouping import group_frame, group_relation
from hedgerow.verifier.labels import encode

__all__ = ["count_classes"]


def count_classes(
    table: Any,
    quasi: Sequence[str],
    *,
    sensitive: Sequence[str] = (),
    entity: str | None = None,
    missing: Sequence[str] = (),
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> ClassCounts:
    """Count the rows, or the people, that share each combination of quasi-identifier values.

    Parameters
    ----------
    table : dataframe, DuckDB relation or path
        pandas, polars or pyarrow; or whatever files :class:`hedgerow.File` reads, which are counted out of core.
    quasi : sequence of str
        The quasi-identifiers.
    sensitive : sequence of str
        The columns whose values are counted in each class.
    entity : str, optional
        The column that tells people apart. Then different people are counted instead of rows; rows without
        a person count as one person altogether.
    missing : sequence of str
        Texts that mean "no value", besides null and NaN. Missing is a value of its own; in a quasi-identifier each
        spelling of it is, because a reader can tell them apart.
    encoding : str, optional
        Of text files; recognised by their first bytes if not given, else UTF-8.
    delimiter : str, optional
        Of text files; recognised from the header if not given.
    sheet : str, optional
        Of a workbook.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"age": ["[20,30)", "[20,30)", None], "disease": ["flu", "cold", "flu"]})
    >>> counts = count_classes(table, ["age"], sensitive=["disease"])
    >>> sorted(counts.sizes.tolist()), counts.labels[0].tolist()
    ([1, 2], ['[20,30)', None])
    """
    if quasi is None:
        raise BadInput("No quasi-identifier is named. Name the columns by which a person could be found.")
    person = () if entity is None else (entity,)
    schema = Schema(quasi=quasi, sensitive=sensitive, identifying=person, others="drop")
    names = (*quasi, *sensitive, *person)
    opened = TableFile(table, encoding, delimiter, sheet) if is_path(table) else _opened(table)
    found = tuple(opened.names if isinstance(opened, TableFile) else opened.columns)
    schema.resolve(found)
    grouped = _group(opened, names, len(quasi))
    if grouped.num_rows == 0:
        raise BadInput("The table has no rows. There is nothing to count.")
    if isinstance(missing, str):
        raise BadInput.parameter("missing", "the table", "a list of texts", missing)
    width = len(quasi)
    # A CSV has no null: its empty cells are what other tables call missing.
    absent = (*missing, "") if isinstance(opened, TableFile) and opened.is_csv else tuple(missing)
    encoded = [encode(grouped.column(i), name, absent, quasi=i < width) for i, name in enumerate(names)]
    cells = Cells(
        rows=np.asarray(grouped.column("n").to_numpy(), dtype=np.int64),
        sensitive=dict(zip(sensitive, encoded[width:], strict=False)),
        people=None if entity is None else encoded[-1].codes,
    )
    return ClassCounts.build(tuple(quasi), encoded[:width], cells, entity, found)


def _opened(table: Any) -> duckdb.DuckDBPyRelation | nw.DataFrame[Any]:
    """A table that is no file, as DuckDB or narwhals knows it."""
    if isinstance(table, duckdb.DuckDBPyRelation):
        return table
    try:
        frame = nw.from_native(table)
    except TypeError:
        raise BadInput(
            "A table must be a pandas, polars or pyarrow dataframe, a DuckDB relation or the path of a "
            f"CSV or Parquet file. Got {type(table).__name__} instead."
        ) from None
    except nw.exceptions.DuplicateError:
        raise BadInput("The table has several columns of the same name. Rename them.") from None
    if frame.implementation.is_spark_like():
        raise BadInput("Tables of Spark cannot be read yet. Write the table to a Parquet file and name that.")
    return frame.collect() if isinstance(frame, nw.LazyFrame) else frame


def _group(opened: TableFile | duckdb.DuckDBPyRelation | nw.DataFrame[Any], names: Sequence[str], quasi: int) -> Any:
    """Group a table by some of its columns, of which the first ``quasi`` are quasi-identifiers."""
    if isinstance(opened, TableFile):
        return opened.group(names, quasi)
    if isinstance(opened, nw.DataFrame):
        return group_frame(opened, names, quasi)
    spellings = Counter(name.casefold() for name in opened.columns)
    alike = [name for name in opened.columns if spellings[name.casefold()] > 1]
    if alike:
        raise BadInput(f"The relation's columns {listing(alike)} differ only in case. Rename them.")
    try:
        return group_relation(opened, names, names, quasi)
    except duckdb.Error:
        pass  # its message quotes cells, also as the context of another error
    raise BadInput("DuckDB could not evaluate the relation. Check the query it comes from.")
