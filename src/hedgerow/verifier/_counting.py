"""Count the equivalence classes of any table: dataframe, DuckDB relation, table of Spark or file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import narwhals as nw

from hedgerow.errors import BadInput, listing
from hedgerow.schema import Schema
from hedgerow.verifier._exact import exact_frame, numbered
from hedgerow.verifier._files import TableFile, is_path
from hedgerow.verifier._grouping import (
    Grouped,
    copied,
    fewest_alike,
    group_foreign,
    group_frame,
    has_repeats,
    incomparable,
    open_database,
)
from hedgerow.verifier._spark_tables import SparkTable, is_spark_table
from hedgerow.verifier.classes import Cells, ClassCounts, Integers, encode

__all__ = ["count_classes", "k_of_all", "open_table", "repeats"]


def count_classes(
    table: Any,
    quasi: Sequence[str],
    *,
    sensitive: Sequence[str] = (),
    entity: str | None = None,
    people: Integers | None = None,
    linking: Sequence[str] = (),
    missing: Sequence[str] = (),
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    determined: Mapping[str, Sequence[str]] | None = None,
) -> ClassCounts:
    """Count the rows, or the people, that share each combination of quasi-identifier values.

    Parameters
    ----------
    table : dataframe, DuckDB relation, table of Spark or path
        pandas, polars or pyarrow; or whatever files :class:`hedgerow.File` reads, which are counted out of core.
    quasi : sequence of str
        The quasi-identifiers.
    sensitive : sequence of str
        The columns whose values are counted in each class.
    entity : str, optional
        The column that tells people apart. Then different people are counted instead of rows; rows without
        a person count as one person altogether.
    people : array of int, optional
        Whose each row is, as a number, where the table itself does not say it any more; ``entity`` is then the name of
        the column that did.
    linking : sequence of str
        Columns that may link the rows of a person: they are kept beside the classes. Those of nested values are left
        out, which cannot be compared.
    missing : sequence of str
        Texts that mean "no value", besides null and NaN. Missing is a value of its own; in a quasi-identifier each
        spelling of it is, because a reader can tell them apart.
    encoding : str, optional
        Of text files; recognised by their first bytes if not given, else UTF-8.
    delimiter : str, optional
        Of text files; recognised from the header if not given.
    sheet : str, optional
        Of a workbook.
    determined : mapping of column to sequence of str, optional
        Further columns that whoever knows one of these quasi-identifiers knows, too: requirements are verified over
        the classes of both.

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
    known = {} if determined is None else determined
    person = () if entity is None or people is not None else (entity,)
    schema = Schema(quasi=(*quasi, *known) if known else quasi, sensitive=sensitive, identifying=person, others="drop")
    quasi = (*quasi, *known)
    names = (*quasi, *sensitive, *person)
    opened = open_table(table, encoding=encoding, delimiter=delimiter, sheet=sheet)
    found = tuple(opened.names if isinstance(opened, TableFile | SparkTable) else opened.columns)
    schema.resolve(found)
    further = [name for name in comparable(opened, linking) if name not in names]
    grouped = _group(opened, (*names, *further), len(quasi), people)
    if not len(grouped.rows):
        raise BadInput("The table has no rows. There is nothing to count.")
    if isinstance(missing, str):
        raise BadInput.parameter("missing", "the table", "a list of texts", missing)
    width = len(quasi)
    # A CSV has no null: its empty cells are what other tables call missing.
    absent = (*missing, "") if isinstance(opened, TableFile) and opened.is_csv else tuple(missing)
    encoded = [encode(grouped.columns[i], name, absent, quasi=i < width) for i, name in enumerate(names)]
    who = None if entity is None else encoded[-1].codes
    if people is not None:
        who = grouped.columns[-1].at
    cells = Cells(
        rows=grouped.rows,
        sensitive=dict(zip(sensitive, encoded[width:], strict=False)),
        people=who,
        linking={name: grouped.columns[at].at for at, name in enumerate((*names, *further)) if name in {*linking}},
    )
    return ClassCounts.build(quasi, encoded[:width], cells, entity, found).with_determined(known)


def open_table(
    table: Any, *, encoding: str | None = None, delimiter: str | None = None, sheet: str | None = None
) -> TableFile | SparkTable | duckdb.DuckDBPyRelation | nw.DataFrame[Any]:
    """Open a table; what was opened already is itself. Standard input can be opened only once."""
    if isinstance(table, TableFile | SparkTable):
        return table
    if is_spark_table(table):
        return SparkTable(table)
    return TableFile(table, encoding, delimiter, sheet) if is_path(table) else _opened(table)


def k_of_all(table: Any, *, entity: str | None = None) -> int | None:
    """How many rows, or people, share the values of all columns, where these are fewest.

    Parameters
    ----------
    table : dataframe, DuckDB relation, path, or what :func:`open_table` gave
    entity : str, optional
        The column that tells people apart; it is not compared.

    Returns
    -------
    int or None
        ``None`` if the table has columns of objects that cannot be compared.
    """
    opened = open_table(table)
    known = opened.names if isinstance(opened, TableFile | SparkTable) else opened.columns
    names = [name for name in known if name != entity]
    if isinstance(opened, SparkTable):
        return opened.fewest_alike(names, entity)
    try:
        found = _fewest(opened, names, entity, hashed=True)
        # What a hash has joined may differ.
        return found if found <= 1 else _fewest(opened, names, entity, hashed=False)
    except (duckdb.Error, TypeError, ValueError, OverflowError):
        return None


def repeats(table: Any, column: str) -> bool:
    """Whether several rows of a table have the same value of a column; missing ones are no values.

    >>> import pyarrow as pa
    >>> repeats(pa.table({"who": ["a", "b", "a"]}), "who"), repeats(pa.table({"who": ["a", "b", None]}), "who")
    (True, False)
    """
    opened = open_table(table)
    if isinstance(opened, SparkTable | TableFile):
        return opened.repeats(column)
    with open_database() as connection:
        if isinstance(opened, nw.DataFrame):
            rows = connection.from_arrow(numbered(exact_frame(opened, [column], 0)))
        else:
            rows = copied(connection, opened, [column]).relation
        return has_repeats(rows, rows.columns[0])


def comparable(
    opened: TableFile | SparkTable | duckdb.DuckDBPyRelation | nw.DataFrame[Any], columns: Sequence[str]
) -> list[str]:
    """Those of some columns that hold plain values."""
    if not columns:
        return []
    if isinstance(opened, TableFile | SparkTable):
        nested = opened.nested(columns)
    elif isinstance(opened, nw.DataFrame):
        nested = {name for name in columns if not _is_plain(opened, name)}
    else:
        nested = incomparable(opened, columns)
    return [name for name in columns if name not in nested]


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
        if isinstance(opened, nw.DataFrame):
            rows = connection.from_arrow(numbered(exact_frame(opened, every, 0, nested_too=True)))
        else:
            rows = copied(connection, opened, every, nested_too=True).relation
        person = None if entity is None else rows.columns[-1]
        return fewest_alike(rows, rows.columns[: len(names)], person, hashed=hashed)


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
    return frame.collect() if isinstance(frame, nw.LazyFrame) else frame


def _group(
    opened: TableFile | SparkTable | duckdb.DuckDBPyRelation | nw.DataFrame[Any],
    names: Sequence[str],
    quasi: int,
    people: Integers | None,
) -> Grouped:
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
