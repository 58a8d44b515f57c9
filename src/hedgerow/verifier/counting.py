"""Count the equivalence classes of any table: dataframe, DuckDB relation, table of Spark or file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import duckdb
import narwhals as nw

from hedgerow.errors import BadInput, listing
from hedgerow.schema import Schema
from hedgerow.verifier.classes import Cells, ClassCounts, Integers
from hedgerow.verifier.files import TableFile, is_path
from hedgerow.verifier.grouping import Grouped, fewest_alike, group_frame, grouped_relation, open_database
from hedgerow.verifier.labels import encode
from hedgerow.verifier.spark_tables import SparkTable, is_spark_table

__all__ = ["count_classes", "k_of_all", "open_table"]


def count_classes(
    table: Any,
    quasi: Sequence[str],
    *,
    sensitive: Sequence[str] = (),
    entity: str | None = None,
    people: Integers | None = None,
    missing: Sequence[str] = (),
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
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
    person = () if entity is None or people is not None else (entity,)
    schema = Schema(quasi=quasi, sensitive=sensitive, identifying=person, others="drop")
    names = (*quasi, *sensitive, *person)
    opened = open_table(table, encoding=encoding, delimiter=delimiter, sheet=sheet)
    found = tuple(opened.names if isinstance(opened, TableFile | SparkTable) else opened.columns)
    schema.resolve(found)
    grouped = _group(opened, names, len(quasi), people)
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
        who = grouped.columns[len(names)].at
    cells = Cells(
        rows=grouped.rows,
        sensitive=dict(zip(sensitive, encoded[width:], strict=False)),
        people=who,
    )
    return ClassCounts.build(tuple(quasi), encoded[:width], cells, entity, found)


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


def _fewest(
    opened: TableFile | duckdb.DuckDBPyRelation | nw.DataFrame[Any],
    names: Sequence[str],
    entity: str | None,
    *,
    hashed: bool,
) -> int:
    if isinstance(opened, TableFile):
        return opened.fewest_alike(names, entity, hashed=hashed)
    if not isinstance(opened, nw.DataFrame):
        return fewest_alike(opened, names, entity, hashed=hashed)
    # Called by their numbers: DuckDB does not tell names apart that differ only in case.
    short = {name: f"c{at}" for at, name in enumerate(names)} | ({} if entity is None else {entity: "person"})
    arrow = opened.select(nw.col(name).alias(alias) for name, alias in short.items()).to_arrow()
    with open_database() as connection:
        person = None if entity is None else "person"
        return fewest_alike(connection.from_arrow(arrow), [short[name] for name in names], person, hashed=hashed)


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
        return opened.group(names, quasi, people)
    if isinstance(opened, SparkTable):
        return opened.group(names, quasi)
    if isinstance(opened, nw.DataFrame):
        return group_frame(opened, names, quasi, people)
    if people is not None:
        # Rows of a relation have no numbers, but those that were fetched have.
        return group_frame(nw.from_native(opened.to_arrow_table(), eager_only=True), names, quasi, people)
    spellings = Counter(name.casefold() for name in opened.columns)
    alike = [name for name in opened.columns if spellings[name.casefold()] > 1]
    if alike:
        raise BadInput(f"The relation's columns {listing(alike)} differ only in case. Rename them.")
    try:
        return grouped_relation(opened, names, names, quasi)
    except duckdb.Error:
        pass  # its message quotes cells, also as the context of another error
    raise BadInput("DuckDB could not evaluate the relation. Check the query it comes from.")
