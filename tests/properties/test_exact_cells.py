"""The verifier against brute force, over cells that are easily taken for one another, in every kind of table."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.verifier import count_classes, k_of_all

# The cells of a kind all differ to whoever reads the table.
CELLS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "text": (
        pa.string(),
        [
            "a",
            "A",
            "a ",
            " a",
            "á",
            "a\u0301",
            "ß",
            "ss",
            "ı",
            "i",
            "*",
            "1",
            "1.0",
            "01",
            "x" * 9000,
            "x" * 8999 + "y",
        ],
    ),
    "text or nothing": (pa.large_string(), ["", None, "None", "nan", "\u200b", "ﬁ", "fi"]),
    "text with NUL": (pa.string(), ["a", "a\0", "a\0b", None]),
    "views of text": (pa.string_view(), ["a", "A", "long enough for a buffer", "long enough for a Buffer", None]),
    "categories": (pa.dictionary(pa.int8(), pa.string()), ["a", "A", "a ", None]),
    "bytes": (pa.binary(), [b"", b"a", b"A", b"a\0", b"\xff", b"\\xFF", None]),
    "truth": (pa.bool_(), [True, False, None]),
    "whole": (pa.int64(), [0, 1, -1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), None]),
    "large whole": (pa.uint64(), [0, 2**63, 2**63 + 1, 2**64 - 1, None]),
    "float": (pa.float64(), [0.0, -0.0, 1.0, 0.1, math.nextafter(0.1, 1), 5e-324, 1e16, 1e16 + 2, math.inf, -math.inf]),
    "float with NaN": (pa.float64(), [0.0, -0.0, math.nan]),
    "short float": (pa.float32(), [0.0, -0.0, 0.5, 16777216.0, 16777218.0, math.inf]),
    "half a float": (pa.float16(), [0.0, -0.0, 0.5, 65504.0]),
    "decimal": (pa.decimal128(38, 10), [Decimal("0.0000000001"), Decimal(0), Decimal(10) ** 27, Decimal(-1), None]),
    "long decimal": (
        pa.decimal256(50, 1),
        [*map(Decimal, ("1" + "0" * 40, "1" + "0" * 39 + "1", "1" + "0" * 40 + ".1")), None],
    ),
    "date": (pa.date32(), [dt.date(1, 1, 1), dt.date(2024, 2, 29), dt.date(9999, 12, 31), None]),
    "moment": (pa.timestamp("us"), [0, 1, 10**6, -1, 253402300799999999, None]),
    "fine moment": (pa.timestamp("ns"), [0, 1, 999, 1000, None]),
    # In the last two the clocks show the same: summer time ends in between.
    "zoned moment": (pa.timestamp("us", "Europe/Berlin"), [0, 1, 1698539400000000, 1698543000000000, None]),
    "fine zoned moment": (pa.timestamp("ns", "Europe/Berlin"), [0, 1, 999, 1000, None]),
    "time": (pa.time64("ns"), [0, 1, 999, 1000, 86_399_999_999_999, None]),
    "duration": (pa.duration("ns"), [0, 1, 999, 1000, -1, None]),
    "months and days": (pa.month_day_nano_interval(), [(1, 0, 0), (0, 30, 0), (0, 0, 2_592_000_000_000_000), None]),
}
# What these kinds of table do not hold, or hold less exactly than Arrow before the verifier sees them.
_NOT_IN_DUCKDB = {"half a float", "long decimal", "duration", "months and days"}
_NOT_IN_POLARS = {"long decimal", "months and days"}
_TEXT = {"text"}


def as_relation(table: pa.Table, _: Path) -> duckdb.DuckDBPyRelation:
    """On a connection with a collation, and with macros that have the names of functions."""
    connection = duckdb.connect()
    connection.execute("CREATE MACRO signbit(x) AS false; CREATE MACRO hash(x) AS 1; CREATE MACRO count() AS 1000")
    relation = connection.from_arrow(table)
    connection.execute("SET default_collation = 'NOCASE.NOACCENT'")
    return relation


def as_csv(table: pa.Table, folder: Path) -> Path:
    pyarrow.csv.write_csv(table, folder / "cells.csv")
    return folder / "cells.csv"


def as_parquet(table: pa.Table, folder: Path) -> Path:
    pq.write_table(table, folder / "cells.parquet", store_schema=table.num_rows % 2 == 0)
    return folder / "cells.parquet"


def as_objects(table: pa.Table, _: Path) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(table.column(name).to_pylist(), dtype=object) for name in table.column_names})


Maker = Callable[[pa.Table, Path], Any]
SOURCES: dict[str, tuple[Maker, set[str]]] = {
    "pyarrow": (lambda table, _: table, set(CELLS)),
    "pandas": (lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype), set(CELLS)),
    "objects of pandas": (
        as_objects,
        {"text", "text or nothing", "bytes", "truth", "whole", "float", "decimal", "date"},
    ),
    "polars": (lambda table, _: pl.from_arrow(table), set(CELLS) - _NOT_IN_POLARS),
    "DuckDB": (as_relation, set(CELLS) - _NOT_IN_DUCKDB),
    "Parquet": (as_parquet, set(CELLS) - {"months and days"}),
    "CSV": (as_csv, _TEXT),
}
CASES = [(source, kind) for source, (_, kinds) in SOURCES.items() for kind in CELLS if kind in kinds]
# Names that are patterns to some libraries, or differ only in what a pattern calls equal.
NAMES = ("^q.*$", "*")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cells")


@pytest.mark.parametrize(("source", "kind"), CASES)
@examples(20)
@given(data=st.data())
def test_cells_are_the_same_only_to_a_reader(source: str, kind: str, data: st.DataObject, folder: Path) -> None:
    kind_of_cells, cells = CELLS[kind]
    places = st.integers(0, len(cells) - 1)
    rows = data.draw(st.lists(st.tuples(places, places), min_size=1, max_size=24), label="rows")
    columns = [pa.array([cells[row[at]] for row in rows], kind_of_cells) for at in (0, 1)]
    table = pa.table([*columns, pa.array(["q"] * len(rows))], names=[*NAMES, "q"])
    opened = SOURCES[source][0](table, folder)
    assert sorted(count_classes(opened, NAMES).sizes.tolist()) == sorted(Counter(rows).values())
    first = Counter(row[0] for row in rows)
    assert sorted(count_classes(opened, NAMES[:1], sensitive=["q"]).sizes.tolist()) == sorted(first.values())
    assert k_of_all(opened) == min(Counter(rows).values())
