"""Count the equivalence classes of any table: dataframe, DuckDB relation or file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
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
    encoding: str = "utf-8",
    delimiter: str | None = None,
) -> ClassCounts:
    """Count the rows, or the people, that share each combination of quasi-identifier values.

    Parameters
    ----------
    table : dataframe, DuckDB relation or path
        pandas, polars or pyarrow; or the path of a ``.csv``, ``.csv.gz`` or ``.parquet`` file, which is
        counted out of core.
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
    encoding : str
        Of a CSV file.
    delimiter : str, optional
        Of a CSV file; guessed from the header if not given.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"age": ["[20,30)", "[20,30)", None], "disease": ["flu", "cold", "flu"]})
    >>> counts = count_classes(table, ["age"], sensitive=["disease"])
    >>> sorted(counts.sizes.tolist()), counts.labels[0].tolist()
    ([1, 2], ['[20,30)', None])
    """
    wanted = _Columns(quasi, sensitive, entity, encoding, delimiter)
    grouped = wanted.group(table)
    if grouped.num_rows == 0:
        raise BadInput("The table has no rows. There is nothing to count.")
    if isinstance(missing, str):
        raise BadInput.parameter("missing", "the table", "a list of texts", missing)
    width = len(wanted.quasi)
    # A CSV has no null: its empty cells are what other tables call missing.
    absent = (*missing, "") if wanted.empty_is_missing else tuple(missing)
    encoded = [encode(grouped.column(i), name, absent, quasi=i < width) for i, name in enumerate(wanted.names)]
    cells = Cells(
        rows=np.asarray(grouped.column("n").to_numpy(), dtype=np.int64),
        sensitive=dict(zip(wanted.sensitive, encoded[width:], strict=False)),
        people=None if entity is None else encoded[-1].codes,
    )
    return ClassCounts.build(wanted.quasi, encoded[:width], cells, entity, wanted.found)


class _Columns:
    """The columns to group by, in order: quasi-identifiers, sensitive ones, the person."""

    def __init__(
        self,
        quasi: Sequence[str],
        sensitive: Sequence[str],
        entity: str | None,
        encoding: str,
        delimiter: str | None,
    ) -> None:
        if quasi is None:
            raise BadInput("No quasi-identifier is named. Name the columns by which a person could be found.")
        person = () if entity is None else (entity,)
        self._schema = Schema(quasi=quasi, sensitive=sensitive, identifying=person, others="drop")
        self.quasi = tuple(quasi)
        self.sensitive = tuple(sensitive)
        self.names = (*self.quasi, *self.sensitive, *person)
        self.found: tuple[str, ...] = ()
        self.empty_is_missing = False
        self._encoding = encoding
        self._delimiter = delimiter

    def _resolve(self, found: Sequence[str]) -> None:
        self._schema.resolve(found)
        self.found = tuple(found)

    def group(self, table: Any) -> Any:
        """Group a table of any kind, after a look at its column names, which are kept in ``found``."""
        if is_path(table):
            return self._group_file(table)
        if isinstance(table, duckdb.DuckDBPyRelation):
            return self._group_relation(table)
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
        eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
        self._resolve(eager.columns)
        return group_frame(eager, self.names, len(self.quasi))

    def _group_file(self, path: str | Path) -> Any:
        file = TableFile(path, self._encoding, self._delimiter)
        self.empty_is_missing = file.is_csv
        self._resolve(file.names)
        return file.group(self.names, len(self.quasi))

    def _group_relation(self, relation: duckdb.DuckDBPyRelation) -> Any:
        self._resolve(relation.columns)
        spellings = Counter(name.casefold() for name in relation.columns)
        alike = [name for name in relation.columns if spellings[name.casefold()] > 1]
        if alike:
            raise BadInput(f"The relation's columns {listing(alike)} differ only in case. Rename them.")
        try:
            return group_relation(relation, self.names, self.names, len(self.quasi))
        except duckdb.Error:
            pass  # its message quotes cells, also as the context of another error
        raise BadInput("DuckDB could not evaluate the relation. Check the query it comes from.")
