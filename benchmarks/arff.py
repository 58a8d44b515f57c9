"""Writing polars frames as ARFF, the format that Weka reads.

Numbers are numeric attributes, everything else is nominal with its values in sorted order. Null and a suppressed cell
(``*``) are missing values.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

SUPPRESSED = "*"
Categories = Mapping[str, list[str] | None]


def categories(*frames: pl.DataFrame) -> dict[str, list[str] | None]:
    """What to declare for each column: the categories that any of the frames has, or None for numbers.

    A column is one of numbers if it is so in all frames, or has no value there.
    """
    declared: dict[str, list[str] | None] = {}
    for name in frames[0].columns:
        columns = [frame[name] for frame in frames]
        if all(column.dtype.is_numeric() or column.dtype == pl.Null for column in columns):
            declared[name] = None
        else:
            values = pl.concat([column.cast(pl.String) for column in columns]).drop_nulls().unique()
            declared[name] = sorted(set(values.to_list()) - {SUPPRESSED})
    return declared


def write(path: Path, frame: pl.DataFrame, declared: Categories) -> None:
    """Write the declared columns of a frame; a category that is not declared is a missing value."""
    head = ["@relation benchmark"]
    cells = []
    for name, values in declared.items():
        if values is None:
            head.append(f"@attribute {quoted(name)} numeric")
            cells.append(frame[name].cast(pl.Float64).cast(pl.String).fill_null("?"))
        else:
            head.append(f"@attribute {quoted(name)} {{{','.join(map(quoted, values))}}}")
            text = frame[name].cast(pl.String)
            cells.append(text.replace_strict(values, list(map(quoted, values)), default="?", return_dtype=pl.String))
    with path.open("wb") as file:
        file.write("\n".join([*head, "@data", ""]).encode())
        pl.DataFrame(cells).write_csv(file, include_header=False, quote_style="never")


def quoted(text: str) -> str:
    """A name or value as ARFF writes it, whatever characters it has."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
