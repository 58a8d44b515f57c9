"""Counts the equivalence classes of any table: a dataframe, a DuckDB relation, a Spark table or a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import duckdb
import narwhals as nw
import numpy as np

from hedgerow.errors import BadInput, listing
from hedgerow.io.readers import SparkFiles
from hedgerow.schema import Schema
from hedgerow.verifier._exact import exact_frame, numbered
from hedgerow.verifier._files import SparkTable, TableFile
from hedgerow.verifier._grouping import (
    Distinct,
    Grouped,
    copied,
    fewest_alike,
    group_foreign,
    group_frame,
    has_repeats,
    incomparable,
    open_database,
)
from hedgerow.verifier.classes import (
    Bools,
    Cells,
    ClassCounts,
    Codes,
    Integers,
    encode_quasi,
    encode_values,
    text_of,
)

__all__ = ["RowOwners", "count_classes", "group_columns", "k_of_all", "open_table", "repeats"]

Opened: TypeAlias = TableFile | SparkTable | duckdb.DuckDBPyRelation | nw.DataFrame[Any]


class RowOwners(NamedTuple):
    """The person of each row, where the table itself does not name the person any more.

    Attributes
    ----------
    entity : str
        The column that named the person.
    people : int array (rows,)
        The person of each row, as a number.
    """

    entity: str
    people: Integers


def count_classes(
    table: Any,
    quasi: Sequence[str],
    *,
    sensitive: Sequence[str] = (),
    entity: str | RowOwners | None = None,
    linking: Sequence[str] = (),
    missing: Sequence[str] = (),
    determined: Mapping[str, Sequence[str]] | None = None,
) -> ClassCounts:
    """Count the rows, or the people, that share each combination of quasi-identifier values.

    Parameters
    ----------
    table : dataframe, DuckDB relation, table of Spark, path, or what :func:`open_table` returned
        A dataframe of pandas, polars or pyarrow, or any path that :class:`hedgerow.File` reads. Files are counted out
        of core. To name the encoding, the delimiter or the sheet of a file, open it with :func:`open_table`.
    quasi : sequence of str
        The quasi-identifiers.
    sensitive : sequence of str
        The columns whose values are counted in each class.
    entity : str or RowOwners, optional
        The column that identifies the person, or the person of each row where the table does not have that column. Then
        different people are counted instead of rows; all rows without a person count as one person.
    linking : sequence of str
        Columns that may link the rows of a person. They are kept beside the classes, except columns of nested values,
        which cannot be compared.
    missing : sequence of str
        Texts that mean "no value", besides null and NaN. Missing is a value of its own. In a quasi-identifier each
        spelling of it is, because a reader can tell them apart.
    determined : mapping of column to sequence of str, optional
        Further columns, each with the quasi-identifiers that determine it. Requirements are also verified over the
        classes of the quasi-identifiers and these columns together.

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
    determined = determined or {}
    named, people = entity if isinstance(entity, RowOwners) else (entity, None)
    person = (entity,) if isinstance(entity, str) else ()
    every = (*quasi, *determined) if determined else quasi
    schema = Schema(quasi=every, sensitive=sensitive, identifying=person, others="drop")
    opened = open_table(table)
    schema.resolve(opened.columns)
    quasi = tuple(every)
    names = (*quasi, *sensitive, *person)
    names += comparable(opened, linking, names)
    grouped = _group(opened, names, len(quasi), people)
    if not len(grouped.rows):
        raise BadInput("The table has no rows. There is nothing to count.")
    missing = _missing_texts(opened, missing)
    columns = dict(zip(names, grouped.columns, strict=False))
    encoded = [encode_quasi(columns[name], name, missing) for name in quasi]
    cells = Cells(
        rows=grouped.rows,
        sensitive={name: encode_values(columns[name], missing) for name in sensitive},
        people=_people(grouped, columns, entity, missing),
        linking={name: columns[name].at for name in names if name in linking},
        missing_link={name: _missing_in(columns[name], missing) for name in names if name in linking},
    )
    return ClassCounts.build(quasi, encoded, cells, named, tuple(opened.columns)).with_determined(determined)


def _people(
    grouped: Grouped, columns: Mapping[str, Distinct], entity: str | RowOwners | None, missing: Sequence[str]
) -> Codes | None:
    """A code of the person of each combination, where people are counted."""
    if isinstance(entity, str):
        return encode_values(columns[entity], missing).codes
    return None if entity is None else grouped.columns[-1].at


def _missing_in(column: Distinct, missing: Sequence[str]) -> Bools:
    """Which rows of a grouped table have no value of a column."""
    texts = [text_of(value) for value in column.values]
    return np.array([text is None or text in missing for text in texts], dtype=bool)[column.at]


def _missing_texts(opened: Opened, missing: Sequence[str]) -> tuple[str, ...]:
    if isinstance(missing, str):
        raise BadInput.parameter("missing", "the table", "a list of texts", missing)
    # A CSV has no null. Its empty cells are what other tables call missing.
    return (*missing, "") if isinstance(opened, TableFile) and opened.is_csv else tuple(missing)


def open_table(
    table: Any, *, encoding: str | None = None, delimiter: str | None = None, sheet: str | None = None
) -> Opened:
    """Open a table. An opened table is returned as it is, because standard input can be opened only once.

    Parameters
    ----------
    table : dataframe, DuckDB relation, table of Spark or path
    encoding : str, optional
        Of text files. If it is not given, it is recognized by the first bytes, else UTF-8.
    delimiter : str, optional
        Of text files. If it is not given, it is recognized from the header.
    sheet : str, optional
        Of a workbook.
    """
    if isinstance(table, TableFile | SparkTable | duckdb.DuckDBPyRelation):
        return table
    if isinstance(table, str | Path):
        return TableFile(table, encoding, delimiter, sheet)
    # A dataframe of Spark is recognized without importing PySpark.
    kinds = [kind.__module__ for kind in type(table).__mro__ if kind.__name__ == "DataFrame"]
    if isinstance(table, SparkFiles) or any(module.startswith("pyspark.sql.") for module in kinds):
        return SparkTable(table)
    try:
        frame = nw.from_native(table)
    except TypeError:
        raise BadInput(
            "A table must be a pandas, polars or pyarrow dataframe, a DuckDB relation or the path of a "
            f"CSV or Parquet file. Got {type(table).__name__} instead."
        ) from None
    except nw.exceptions.DuplicateError:
        raise BadInput("The table has several columns of the same name. Rename them.") from None
    return frame.collect() if isinstance(frame, nw.LazyFrame) else frame


def k_of_all(table: Any, *, entity: str | None = None) -> int | None:
    """The fewest rows, or people, that share the values of all columns.

    Parameters
    ----------
    table : dataframe, DuckDB relation, path, or what :func:`open_table` returned
    entity : str, optional
        The column that identifies the person. It is not compared.

    Returns
    -------
    int or None
        ``None`` if the table has columns of objects that cannot be compared.
    """
    opened = open_table(table)
    names = [name for name in opened.columns if name != entity]
    if isinstance(opened, SparkTable):
        return opened.fewest_alike(names, entity)
    try:
        fewest = _fewest(opened, names, entity, hashed=True)
        # Values with the same hash may differ.
        return fewest if fewest <= 1 else _fewest(opened, names, entity, hashed=False)
    except (duckdb.Error, TypeError, ValueError, OverflowError):
        return None


def repeats(table: Any, column: str) -> bool:
    """Whether several rows of a table have the same value of a column. Missing cells have no value.

    >>> import pyarrow as pa
    >>> repeats(pa.table({"who": ["a", "b", "a"]}), "who"), repeats(pa.table({"who": ["a", "b", None]}), "who")
    (True, False)
    """
    opened = open_table(table)
    if isinstance(opened, SparkTable | TableFile):
        return opened.repeats(column)
    with open_database() as connection:
        rows = _exact_rows(connection, opened, [column])
        return has_repeats(rows, rows.columns[0])


def comparable(opened: Opened, columns: Sequence[str], besides: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns, of those named, that hold plain values; without those of ``besides``."""
    if not columns:
        return ()
    if isinstance(opened, TableFile | SparkTable):
        nested = opened.nested(columns)
    elif isinstance(opened, nw.DataFrame):
        nested = {name for name in columns if not _is_plain(opened, name)}
    else:
        nested = incomparable(opened, columns)
    return tuple(name for name in columns if name not in nested and name not in besides)


def _is_plain(frame: nw.DataFrame[Any], name: str) -> bool:
    """Whether a column of a dataframe holds values that can be grouped."""
    try:
        exact_frame(frame, [name], 0)
    except BadInput:
        return False
    return True


def _fewest(
    opened: TableFile | duckdb.DuckDBPyRelation | nw.DataFrame[Any],
    names: Sequence[str],
    entity: str | None,
    *,
    hashed: bool,
) -> int:
    if isinstance(opened, TableFile):
        return opened.fewest_alike(names, entity, hashed=hashed)
    every = [*names, *([] if entity is None else [entity])]
    with open_database() as connection:
        rows = _exact_rows(connection, opened, every, nested_too=True)
        person = None if entity is None else rows.columns[-1]
        return fewest_alike(rows, rows.columns[: len(names)], person, hashed=hashed)


def _exact_rows(
    connection: duckdb.DuckDBPyConnection,
    opened: duckdb.DuckDBPyRelation | nw.DataFrame[Any],
    columns: Sequence[str],
    *,
    nested_too: bool = False,
) -> duckdb.DuckDBPyRelation:
    """Rows of a table in memory, or of somebody else's connection, as exact values on our own connection."""
    if isinstance(opened, nw.DataFrame):
        return connection.from_arrow(numbered(exact_frame(opened, columns, 0, nested_too=nested_too)))
    return copied(connection, opened, columns, nested_too=nested_too).relation


def group_columns(opened: Opened, names: Sequence[str], people: Integers | None = None) -> Grouped:
    """Group a table by some columns, of which the first is taken exactly as it is written, and by people."""
    return _group(opened, names, 1, people)


def _group(opened: Opened, names: Sequence[str], quasi: int, people: Integers | None) -> Grouped:
    """Group a table by some of its columns, of which the first ``quasi`` are quasi-identifiers, and by people."""
    if isinstance(opened, TableFile):
        return opened.group(names, people)
    if isinstance(opened, SparkTable):
        return opened.group(names)
    if isinstance(opened, nw.DataFrame):
        return group_frame(opened, names, quasi, people)
    spellings = Counter(name.casefold() for name in opened.columns)
    alike = [name for name in opened.columns if spellings[name.casefold()] > 1]
    if alike:
        raise BadInput(f"The relation's columns {listing(alike)} differ only in case. Rename them.")
    try:
        return group_foreign(opened, names, people)
    except duckdb.Error:
        pass  # its message quotes cells, also as the context of another error
    raise BadInput("DuckDB could not evaluate the relation. Check the query it comes from.")
