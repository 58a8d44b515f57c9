"""The rows that the Spark engine publishes: Parquet files in a hidden folder that all workers share."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hedgerow.engines._base import Groups, WriteOptions
from hedgerow.engines._rows import write_staged
from hedgerow.engines.formulas import FORMULA_PATTERN, NUMBER_PATTERN
from hedgerow.engines.spark._exchange import fetch, read_parquet
from hedgerow.engines.sql import file_literals
from hedgerow.engines.workspace import Workspace
from hedgerow.errors import BadInput
from hedgerow.io.parquet_folder import Layout, digest_of_all, part_name, sha256
from hedgerow.io.readers import SparkFiles
from hedgerow.io.readers.spark import DataFrame, own_words, types
from hedgerow.io.readers.spark import functions as F
from hedgerow.io.scratch import Scratch

__all__ = ["SparkRows"]

_UNREADABLE: Final = BadInput("The files of the release cannot be read by Spark. Is its folder shared by all workers?")


@dataclass(frozen=True, eq=False)
class SparkRows:
    """Rows in files of a hidden folder, which lives as long as this object or a table that the user got.

    ``digest`` is that of the files as a folder, where they will be saved as they are.
    """

    native: SparkFiles
    folder: Scratch
    digest: str | None = None
    people: None = None

    @classmethod
    def of(cls, files: SparkFiles, folder: Scratch, *, as_they_are: bool) -> SparkRows:
        """Take the digest before the files are counted: the saved files must have the same."""
        if not as_they_are:
            return cls(files, folder)
        named = {part_name(number): sha256(part) for number, part in enumerate(files.parts)}
        return cls(files, folder, digest_of_all(named))

    @property
    def table(self) -> DataFrame:
        """The rows as a table of Spark, over the files that were verified."""
        # Tables derived from this one keep its session, but not this object.
        self.folder.keep_for(self.native.session)
        return self._rows()

    def _rows(self) -> DataFrame:
        with own_words(self.native.session, _UNREADABLE):
            return read_parquet(self.native.session, self.native.parts)

    def group(self, columns: Sequence[str]) -> Groups:
        """The distinct combinations of some columns, and how many rows have each."""
        rows = self._rows()
        with own_words(self.native.session, _UNREADABLE):
            keys = [rows[_quoted(name)].alias(f"c{at}") for at, name in enumerate(columns)]
            return Groups.of(fetch(rows.groupBy(*keys).count()))

    def formulas(self, columns: Sequence[str]) -> dict[str, int]:
        """How many cells of some columns a spreadsheet would take for formulas."""
        rows = self._rows()
        kinds = {field.name: field.dataType for field in rows.schema.fields}
        texts = [name for name in columns if isinstance(kinds[name], types.StringType)]
        if not texts:
            return {}
        counted = []
        for name in texts:
            cell = rows[_quoted(name)]
            # Java's \r and others end a line for $, but \z is the end of the text as it is to DuckDB.
            formula = cell.rlike(FORMULA_PATTERN) & ~cell.rlike(NUMBER_PATTERN)
            counted.append(F.count_if(formula))
        with own_words(self.native.session, _UNREADABLE):
            totals = rows.agg(*counted).first()
        return {name: int(number) for name, number in zip(texts, totals, strict=True) if number}

    def write(self, target: Path, options: WriteOptions) -> None:
        """Copy the files to a folder, or write their rows in another form. That is done here, by one writer."""
        if options.layout == Layout():
            target.mkdir()
            for number, part in enumerate(self.native.parts):
                shutil.copyfile(part, target / part_name(number))
            return
        scan = f"SELECT * FROM read_parquet({file_literals(self.native.parts)}, hive_partitioning = false)"
        write_staged(Workspace(self.folder.path), lambda database: database.sql(scan), target, options)

    def wrote(self, digest: str) -> bool:
        """Whether the bytes are those that the verifier counted; what is written anew is counted anew."""
        return digest == self.digest


def _quoted(name: str) -> str:
    """A name of a column that Spark takes for nothing else."""
    return "`" + name.replace("`", "``") + "`"
