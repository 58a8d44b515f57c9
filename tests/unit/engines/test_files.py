"""The engine for files: reading, refusing, rewriting."""

from __future__ import annotations

import csv
import gc
import gzip
import os
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, Recoding, publish_groups, shown_as
from hedgerow.engines import File, FileSource, WriteOptions, open_source, workspace
from hedgerow.engines import _files as files
from hedgerow.engines._csv import read_header
from hedgerow.engines._files import CountedFiles
from hedgerow.engines.workspace import Shares
from hedgerow.errors import BadInput, InternalError
from hedgerow.io.connections import open_database
from hedgerow.io.readers import written_here
from hedgerow.schema import Schema

SECRET = "Smith-Jones"
AGE = Schema(quasi=["age"], others="insensitive")


def one_group(counts: FrequencyTable) -> Recoding:
    pieces = Pieces.whole(np.zeros(len(counts.cell_sizes), dtype=np.int32), counts.cell_sizes)
    columns, values = publish_groups(counts, pieces, 1, shown_as(counts, "set"))
    return Recoding("by hand", counts.quasi, columns, values, np.array([counts.rows]), pieces)


def halves(counts: FrequencyTable) -> Recoding:
    """Every cell dealt half and half to two groups."""
    cell = np.repeat(np.arange(len(counts.cell_sizes)), counts.cell_sizes)
    pairs, sizes = np.unique(np.stack([cell, np.arange(len(cell)) % 2], 1), axis=0, return_counts=True)
    pieces = Pieces(pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32), sizes)
    columns, values = publish_groups(counts, pieces, 2, shown_as(counts, "set"))
    return Recoding("by hand", counts.quasi, columns, values, sizes, pieces)


def as_they_are(counts: FrequencyTable) -> Recoding:
    """Every tuple is a group of its own."""
    pieces = Pieces.whole(counts.cell_tuple, counts.cell_sizes)
    columns, values = publish_groups(counts, pieces, len(counts.tuples), shown_as(counts, "set"))
    return Recoding("by hand", counts.quasi, columns, values, counts.tuple_sizes, pieces)


def count(file: Path | File, schema: Schema = AGE) -> tuple[CountedFiles, FrequencyTable]:
    source = open_source(file)
    assert isinstance(source, FileSource)
    counted = source.count(schema, schema.resolve(source.columns))
    return counted, counted.counts


def rewrite(
    file: Path | File,
    schema: Schema,
    folder: Path,
    name: str = "out.csv",
    recode: Callable[[FrequencyTable], Recoding] = one_group,
) -> Path:
    counted, counts = count(file, schema)
    counted.apply(recode(counts), "1", folder / name).write(folder / name, WriteOptions({}, ()))
    return folder / name


def written(folder: Path, content: str | bytes, name: str = "people.csv") -> Path:
    path = folder / name
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(raw) if name.lower().endswith(".gz") else raw)
    return path


def rows_of(path: Path) -> list[str]:
    """The lines after the header, sorted: the order is random."""
    return sorted(path.read_text().splitlines()[1:])


def labels(counts: FrequencyTable, name: str = "age") -> list[str]:
    result: list[str] = counts.domains[name].labels.tolist()
    return result


def test_characters_are_kept(tmp_path: Path) -> None:
    lines = ['1,01234,1.50, spaces ,"a ""b"", c","x\ny",Zoë', "2,007,-0.0,,1e5,'q',{a|b}"]
    header = "age,zip,price,text,quotes,lines,unicode"
    path = written(tmp_path, "\n".join([header, *lines]) + "\n")
    out = rewrite(path, AGE, tmp_path)
    assert read_header(written_here(out)) == header.split(",")
    body = out.read_text().partition("\n")[2]
    for line in lines:
        assert line.partition(",")[2] in body
    assert rows_of(out)[0].startswith("y")
    assert body.count("{1|2}") == 2


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (b"\xef\xbb\xbfage,city\n1,Z\xc3\xbcrich\n", "utf-8"),
        (b"\xef\xbb\xbfage,city\n1,Z\xc3\xbcrich\n", "utf-8-sig"),
        ("age,city\n1,Zürich\n".encode("latin-1"), "latin-1"),
        ("age,city\n1,Zürich\n".encode("utf-16"), "utf-16"),
        ("age,city\n1,Zürich\n".encode("cp1252"), "cp1252"),
        (b"age,city\r\n1,Z\xc3\xbcrich\r\n", "UTF8"),
        (b'"age","city"\n\n1,"Z\xc3\xbcrich"', "utf_8"),
    ],
)
@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz", "PEOPLE.CSV.GZ"])
def test_encodings_and_line_ends(content: bytes, encoding: str, name: str, tmp_path: Path) -> None:
    schema = Schema(quasi=["age", "city"])
    _, counts = count(File(written(tmp_path, content, name), encoding=encoding), schema)
    assert (labels(counts), labels(counts, "city")) == (["1"], ["Zürich"])


def test_another_delimiter(tmp_path: Path) -> None:
    path = written(tmp_path, "age;note\n1;a,b\n")
    assert rows_of(rewrite(File(path, delimiter=";"), AGE, tmp_path)) == ['1,"a,b"']


def test_quoted_line_ends(tmp_path: Path) -> None:
    _, counts = count(written(tmp_path, '"age","a\nb"\n1,"x\ny"\n2,"x\r\ny"\n'))
    assert counts.rows == 2


def test_a_blank_line_is_a_missing_value_where_there_is_one_column(tmp_path: Path) -> None:
    _, counts = count(written(tmp_path, "age\n1\n\n2\n"), Schema(quasi=["age"]))
    assert (counts.rows, counts.domains["age"].has_missing) == (3, True)


@pytest.mark.parametrize("name", ["a*.csv", "a[1].csv", "it's.csv", "a?.parquet", "a[1].parquet"])
def test_a_name_is_no_pattern(name: str, tmp_path: Path) -> None:
    written(tmp_path, "age\n5\n", "a1.csv")
    pq.write_table(pa.table({"age": [5]}), tmp_path / "a1.parquet")
    path = tmp_path / name
    if name.endswith("csv"):
        written(tmp_path, "age\n1\n", name)
    else:
        pq.write_table(pa.table({"age": [1]}), path)
    assert labels(count(path)[1]) == ["1"]


@pytest.mark.parametrize("name", ["people.csv", "people.parquet"])
def test_a_folder_is_no_partition(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "year=2020"
    folder.mkdir()
    if name.endswith("csv"):
        written(folder, "age,n\n1,2\n", name)
    else:
        pq.write_table(pa.table({"age": [1], "n": [2]}), folder / name)
    counted, _ = count(folder / name)
    assert list(counted.source.columns) == ["age", "n"]


NAMES = [
    'a "quoted" name', "with, comma", "select", "hedgerow cell", "hedgerow group", "cell", "group_number", "c0", "c1",
    "first", "past", "since", "source", "located", "published", "shuffled", "records", "Größe", " spaced ", "it's",
]  # fmt: skip


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_no_column_name_is_in_the_way(name: str, tmp_path: Path) -> None:
    """Also where cells are split between groups."""
    table = pa.table({"quasi": ["q"] * 10, **{name: [f"{name} {n}" for n in range(10)] for name in NAMES}})
    pq.write_table(table, tmp_path / "people.parquet")
    out = rewrite(tmp_path / "people.parquet", Schema(quasi=["quasi"], others="insensitive"), tmp_path, name, halves)
    if name.endswith("csv"):
        assert read_header(written_here(out)) == table.column_names
    else:
        rows = pq.read_table(out)
        assert rows.column_names == table.column_names
        for row in rows.to_pylist():
            assert len({row[name].rpartition(" ")[2] for name in NAMES}) == 1, "a row was torn apart"


@pytest.mark.parametrize("file", ["people.csv", "people.parquet"])
def test_quasi_identifiers_with_such_names(file: str, tmp_path: Path) -> None:
    table = pa.table({name: [f"v {n % 2}" for n in range(4)] for name in NAMES})
    path = tmp_path / file
    if file.endswith("csv"):
        table.to_pandas().to_csv(path, index=False)
    else:
        pq.write_table(table, path)
    out = rewrite(path, Schema(quasi=NAMES), tmp_path, "out.parquet")
    assert pq.read_table(out).to_pylist() == [dict.fromkeys(NAMES, "{v 0|v 1}")] * 4


def test_names_that_differ_in_case_are_refused(tmp_path: Path) -> None:
    """DuckDB would write the second as ``age_1``."""
    pq.write_table(pa.table([[1], [2]], names=["Age", "age"]), tmp_path / "people.parquet")
    for path in (written(tmp_path, "Age,age\n1,2\n"), tmp_path / "people.parquet"):
        with pytest.raises(BadInput, match="'Age', 'age' differ only in case"):
            open_source(path)


def test_ten_thousand_columns(tmp_path: Path) -> None:
    names = [f"column {n}" for n in range(10_000)]
    path = written(tmp_path, "\n".join([",".join(names), ",".join(["1"] * 10_000), ",".join(["2"] * 10_000)]))
    out = rewrite(path, Schema(quasi=["column 7"], others="insensitive"), tmp_path)
    assert read_header(written_here(out)) == names
    assert len(rows_of(out)) == 2


def test_rows_are_shuffled(tmp_path: Path) -> None:
    path = written(tmp_path, "age,n\n" + "".join(f"1,{n}\n" for n in range(5000)))
    orders = []
    for _ in range(2):
        out = rewrite(path, AGE, tmp_path)
        orders.append([int(line.split(",")[1]) for line in out.read_text().splitlines()[1:]])
    assert sorted(orders[0]) == list(range(5000))
    assert orders[0] != orders[1]
    for order in orders:
        # In a shuffled row about half of the neighbours rise; in runs of the input all do.
        rising = sum(a < b for a, b in pairwise(order))
        assert 2200 < rising < 2800


def test_pseudonyms(tmp_path: Path) -> None:
    path = written(tmp_path, "age,who,n\n1,Ann,0\n1,Bob,1\n1,Ann,2\n1,,3\n")
    schema = Schema(quasi=["age"], pseudonymize=["who"], insensitive=["n"])
    runs = []
    for _ in range(2):
        out = rewrite(path, schema, tmp_path)
        rows = {line.split(",")[2]: line.split(",")[1] for line in rows_of(out)}
        assert rows["0"] == rows["2"] != rows["1"]
        assert len(rows["0"]) == 16
        assert rows["3"] == ""
        runs.append(rows["0"])
    assert runs[0] != runs[1]


def test_identifying_columns_are_dropped(tmp_path: Path) -> None:
    path = written(tmp_path, f"name,age\n{SECRET},1\n{SECRET},2\n")
    out = rewrite(path, Schema(quasi=["age"], identifying=["name"]), tmp_path)
    assert out.read_text() == "age\n{1|2}\n{1|2}\n"


def test_missing_is_written_as_it_was_marked(tmp_path: Path) -> None:
    path = written(tmp_path, "age,n\n?,1\n?,2\n")
    schema = Schema(quasi=["age", "n"], missing=("?",), hierarchies={"age": "flat"})
    source = open_source(written(tmp_path, "age,n\n?,1\n5,2\n"))
    counted = source.count(schema, schema.resolve(source.columns))
    counts = counted.counts
    group = counts.cell_tuple.copy()
    pieces = Pieces.whole(group, counts.cell_sizes)
    columns, values = publish_groups(counts, pieces, 2, shown_as(counts, "set"))
    recoding = Recoding("by hand", counts.quasi, columns, values, counts.tuple_sizes, pieces)
    assert rows_of(counted.apply(recoding, "1", path.with_name("out.csv")).native) == ["5,2", "?,1"]
    parquet = counted.apply(recoding, "1", path.with_name("out.parquet"))
    assert Counter(pq.read_table(parquet.native).column("age").to_pylist()) == {"5": 1, None: 1}


BAD: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "is empty"),
    "blank first line": ("\nage\n1\n", "column without a name"),
    "header only": ("age,n\n", "no rows"),
    "header without line end": ("age,n", "no rows"),
    "too many fields": (f"age,n\n1,2\n1,{SECRET},3\n", "Line 3 of 'people.csv' has 3 fields, the header has 2"),
    "too few fields": (f"age,n\n{SECRET}\n", "Line 2 of 'people.csv' has 1 field,"),
    "after a quoted line end": (f'age,n\n1,"a\nb"\n{SECRET}\n', "Line 4 of"),
    "open quote": (f'age,n\n1,2\n1,"{SECRET}\n3,4\n', "broken quote in the record on line 3"),
    "text after a quote": (f'age,n\n1,"{SECRET}"x\n', "broken quote in the record on line 2"),
    "open quote in the header": ('age,"n\n1,2\n', "its first line is broken"),
    "not UTF-8": (f"age,n\n1,2\n1,{SECRET}".encode() + b"\xff\n", r"not utf-8 text \(line 3\)"),
    "header not UTF-8": (b"age,\xff\n1,2\n", r"not utf-8 text \(line 1\)"),
    "two columns of one name": ("age,n,age\n1,2,3\n", "several columns called 'age'"),
    "a column without a name": ("age,,n\n1,2,3\n", "column without a name, number 2"),
    "mixed line ends": (f"age,n\r\n1,2\n{SECRET},2\r\n", "Line 2 of 'people.csv' ends.* all lines end alike"),
    "mixed line ends after a quoted one": (f'age,n\n1,"{SECRET}\n"\n1,2\r3,4\n', "Line 4 of 'people.csv' ends"),
    "an empty field too many": (f"age,n\n1,{SECRET}\n1,2,\n", "Line 3 of 'people.csv' has 3 fields"),
    "a space behind a quote": (f'age,n\n1,"{SECRET}" \n', "broken quote in the record on line 2"),
    "a long line of two bytes each": (
        "age,n\n1,2\n1," + "é" * 1_500_000 + "\n",
        "Line 3 of 'people.csv' is longer than",
    ),
    "a long last line": (b"age,n\n1,2\n1," + b"x" * 34_000_000, "Line 3 of 'people.csv' is longer than"),
    "a quote that is never closed": (f'age,n\n1,"{SECRET}\n' + "3,4\n" * 600_000, "Line 2 of 'people.csv' is longer"),
    "a long header": (b"age," + b"n" * 70_000_000, "Line 1 of 'people.csv' is longer than"),
    "many columns": (",".join(f"n{at}" for at in range(100_000)) + "\n1\n", "has 100,000 columns. At most 10,000"),
    "a long line": ("age,n\n1," + "x" * 3_000_000 + "\n", "Line 2 of 'people.csv' is longer than"),
    "all missing": ("age,n\n,1\n,2\n", "has no value at all"),
    "NUL": (f"age,n\n{SECRET}\0,1\n", "NUL character, first at line 2"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz"])
def test_a_bad_csv(case: str, name: str, tmp_path: Path) -> None:
    content, message = BAD[case]
    with pytest.raises(BadInput, match=message.replace("people.csv", name)) as caught:
        count(written(tmp_path, content, name))
    told(caught.value)


def told(error: BaseException) -> None:
    """The message quotes no cell, and no other error hangs on it that would."""
    assert SECRET not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None


def test_text_among_what_is_said_to_be_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, f"age,n\n1,2\n\n2,x\n{SECRET},3\n")
    with pytest.raises(BadInput, match=r"'age' is to be numbers, and 1 of.* first at line 5") as caught:
        count(path, schema=Schema(quasi=["age"], others="insensitive", kinds={"age": "number"}))
    told(caught.value)


def test_kinds_of_a_csv_are_derived(tmp_path: Path) -> None:
    text = "age,zip,born,size,odd\n20,01067,2024-01-01,1.5,1\n,80331,,2,x\n"
    source = FileSource(File(written(tmp_path, text)))
    schema = Schema(quasi=source.columns)
    domains = source.count(schema, schema.resolve(source.columns)).counts.domains
    assert [one.kind for one in domains.values()] == ["number", "text", "date", "number", "text"]


def test_a_decimal_comma(tmp_path: Path) -> None:
    source = FileSource(File(written(tmp_path, "size\n1,5\n2\n"), delimiter=";", decimal=","))
    schema = Schema(quasi=["size"])
    assert source.count(schema, schema.resolve(["size"])).counts.domains["size"].values.tolist() == [1.5, 2.0]
    with pytest.raises(BadInput, match=r"'decimal' parameter of File must be '\.' or ','"):
        File(tmp_path / "people.csv", decimal=";")


def test_a_column_of_text_that_is_nearly_numbers_is_remarked_on(tmp_path: Path) -> None:
    path = written(tmp_path, "age\n" + "20\n" * 19 + f"{SECRET}\n")
    source = FileSource(File(path))
    counts = source.count(Schema(quasi=["age"]), Schema(quasi=["age"]).resolve(["age"])).counts
    (remark,) = counts.remarks
    assert "'age' is read as text: at least 90% of its records are numbers" in remark
    assert "--kind age=number" in remark
    assert SECRET not in remark


def test_a_bad_value_in_another_encoding(tmp_path: Path) -> None:
    text = f"age,n\n1,é\n2,é\n{SECRET}\0,3\n"
    for encoding in ("latin-1", "utf-16"):
        path = written(tmp_path, text.encode(encoding))
        with pytest.raises(BadInput, match="first at line 4"):
            count(File(path, encoding=encoding))


@pytest.mark.parametrize(
    ("content", "encoding", "place"),
    [
        ("age\n1\n".encode("utf-16-le") + b"\x00\xd8\n\x00", "utf-16-le", r" \(line 3\)"),
        (b"age\n1\n\x81\n", "cp1252", r" \(line 3\)"),
        (b"age\n\xc3\xa9\n", "ascii", r" \(line 2\)"),
        ("age\nä".encode("utf-16-le"), "utf-16", ""),
    ],
)
def test_undecodable_in_another_encoding(content: bytes, encoding: str, place: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=f"is not {encoding} text{place}"):
        count(File(written(tmp_path, content), encoding=encoding))


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz"])
def test_a_fault_behind_the_first_block_in_ascii(name: str, tmp_path: Path) -> None:
    content = "age,n\n" + "1,2\n" * 10_000 + "1,é\n"
    with pytest.raises(BadInput, match=r"is not ascii text \(line 10002\)"):
        count(File(written(tmp_path, content, name), encoding="ascii"))


def test_spaces_and_quotes_are_characters(tmp_path: Path) -> None:
    """DuckDB would read the first two as one."""
    path = written(tmp_path, 'sex,n\n "F",1\nF,2\n"F",3\n F,4\nF"x",5\n')
    _, counts = count(path, Schema(quasi=["sex"], others="drop"))
    assert labels(counts, "sex") == [' "F"', " F", "F", 'F"x"']
    assert counts.tuple_sizes.tolist() == [1, 1, 2, 1]
    out = rewrite(path, Schema(quasi=["n"], others="insensitive"), tmp_path)
    with out.open(newline="", encoding="utf-8") as text:
        assert sorted(row[0] for row in csv.reader(text)) == sorted(["sex", ' "F"', "F", "F", " F", 'F"x"'])


def test_a_bomb_of_a_header(tmp_path: Path) -> None:
    """A few kilobytes that unpack to a header of gigabytes are refused after the first megabytes."""
    block = b"n" * (1 << 20)
    with gzip.open(tmp_path / "people.csv.gz", "wb", compresslevel=1) as out:
        for _ in range(300):
            out.write(block)
    with pytest.raises(BadInput, match=r"Line 1 of 'people\.csv\.gz' is longer than"):
        open_source(tmp_path / "people.csv.gz")


def test_parquet_of_many_columns(tmp_path: Path) -> None:
    pq.write_table(pa.table({f"n{at}": [1] for at in range(10_001)}), tmp_path / "people.parquet")
    with pytest.raises(BadInput, match="has 10,001 columns"):
        open_source(tmp_path / "people.parquet")


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz", "people.parquet"])
def test_every_record_is_counted(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If DuckDB reads fewer records than the file has, nothing comes of it."""
    if name.endswith("parquet"):
        pq.write_table(pa.table({"age": [1, 2]}), tmp_path / name)
        scan = "read_parquet"
    else:
        written(tmp_path, "age\n1\n2\n", name)
        scan = "read_csv"
    view = duckdb.DuckDBPyConnection.execute

    def lossy(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyConnection:
        shorter = f"{query} LIMIT 1" if scan in query else query
        return view(connection, shorter)

    class Lossy:
        def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
            self.connection = connection

        def __getattr__(self, name: str) -> Any:
            return getattr(self.connection, name)

        def execute(self, query: str) -> Any:
            return lossy(self.connection, query)

    monkeypatch.setattr(workspace, "open_database", lambda **settings: Lossy(open_database(**settings)))
    with pytest.raises(BadInput, match="1 of the 2 records of"):
        count(tmp_path / name)


def test_every_record_is_written(tmp_path: Path) -> None:
    counted, counts = count(written(tmp_path, "age,n\n1,2\n2,3\n"))
    written(tmp_path, "age,n\n1,2\n")
    with pytest.raises(BadInput, match=r"1 of the 2 records of 'people\.csv' were read\. Did the file change"):
        counted.apply(one_group(counts), "1", tmp_path / "out.csv")


@pytest.mark.parametrize("out", ["out.csv", "out.parquet"])
def test_zeros_have_no_sign(out: str, tmp_path: Path) -> None:
    """DuckDB counts -0.0 and 0.0 as one value; a reader of the file would count two."""
    zeros = [0.0, -0.0, -0.0, None]
    table = pa.table({"q": zeros, "f": pa.array(zeros, pa.float32()), "t": zeros, "note": zeros})
    pq.write_table(table, tmp_path / "people.parquet")
    schema = Schema(quasi=["q", "f"], target="t", insensitive=["note"])
    path = rewrite(tmp_path / "people.parquet", schema, tmp_path, out, as_they_are)
    if out.endswith("csv"):
        with path.open(newline="", encoding="utf-8") as text:
            rows = [tuple(row) for row in csv.reader(text)][1:]
        assert Counter(row[:3] for row in rows) == {("0.0",) * 3: 3, ("",) * 3: 1}
        assert Counter(row[3] for row in rows) == {"0.0": 1, "-0.0": 2, "": 1}
    else:
        rows = pq.read_table(path)
        assert rows.schema.types == table.schema.types
        assert Counter(map(str, rows.drop_columns("note").to_pylist())).most_common(1)[0][1] == 3
        assert "-0.0" not in str(rows.drop_columns("note").to_pylist())


def test_pseudonyms_of_zeros(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [1, 1], "who": [0.0, -0.0]}), tmp_path / "people.parquet")
    out = rewrite(tmp_path / "people.parquet", Schema(quasi=["age"], pseudonymize=["who"]), tmp_path, "out.parquet")
    assert len(set(pq.read_table(out).column("who").to_pylist())) == 1


def test_a_missing_value_alone_in_a_line_is_a_record(tmp_path: Path) -> None:
    out = rewrite(written(tmp_path, "age\n1\n\n"), Schema(quasi=["age"]), tmp_path, recode=as_they_are)
    assert rows_of(out) == ['""', "1"]


@pytest.mark.parametrize("typed", ["~/people.csv", "file:people.csv", "file:/people.csv", "s3:/people.csv"])
def test_a_path_means_the_same_to_all(typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB would take ``~`` for the home folder and ``file:`` for a scheme; and the program may change its folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / typed
    path.parent.mkdir(exist_ok=True)
    path.write_text("age\n1\n2\n")
    source = open_source(typed)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    counted = source.count(Schema(quasi=["age"]), Schema(quasi=["age"]).resolve(source.columns))
    counts = counted.counts
    assert counts.rows == 2
    assert source.reads == (path,)
    assert counted.apply(one_group(counts), "1", Path("out.csv")).native.parent.parent == tmp_path / "elsewhere"


def test_other_columns_than_the_published_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "columns_written", lambda path: ("name", "age"))
    with pytest.raises(InternalError, match="other columns"):
        rewrite(written(tmp_path, "age\n1\n"), Schema(quasi=["age"]), tmp_path)


def test_the_order_of_the_verbs(tmp_path: Path) -> None:
    counted, counts = count(written(tmp_path, "age\n1\n"), Schema(quasi=["age"]))
    assert counted.apply(one_group(counts), "1").native.name == "release.parquet"
    assert not hasattr(open_source(tmp_path / "people.csv"), "apply"), "only what was counted can be published"


@pytest.mark.parametrize("name", ["people.csv.gz", "people.parquet"])
@pytest.mark.parametrize("damage", ["cut", "garbled", "no such format"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_damaged_file(name: str, damage: str, encoding: str, tmp_path: Path) -> None:
    draw = random.Random(3)
    rows = [f"{SECRET} {draw.random()}" for _ in range(20_000)]
    path = tmp_path / name
    if name.endswith("gz"):
        written(tmp_path, "age,n\n" + "".join(f"1,{row}\n" for row in rows), name)
    else:
        pq.write_table(pa.table({"age": ["1"] * len(rows), "n": rows}), path)
    raw = bytearray(path.read_bytes())
    if damage == "cut":
        raw = raw[: len(raw) // 2]
    elif damage == "garbled":
        raw[len(raw) // 3 : len(raw) // 2] = bytes(len(raw) // 2 - len(raw) // 3)
    else:
        raw = bytearray(f"age\n{SECRET}\n".encode())
    path.write_bytes(raw)
    with pytest.raises(BadInput, match=r"damaged|cannot be read|has \d+ fields") as caught:
        rewrite(File(path, encoding=encoding), Schema(quasi=["age", "n"]), tmp_path)
    told(caught.value)


@pytest.mark.parametrize("entity", [None, "id"])
def test_a_column_in_clear_that_is_damaged(entity: str | None, tmp_path: Path) -> None:
    """It is read when rows are published, and no disk is full."""
    path = tmp_path / "people.parquet"
    rows = 20_000
    columns = {"age": [1] * rows, "id": list(range(rows)), "note": [f"{SECRET} {n}" for n in range(rows)]}
    pq.write_table(pa.table(columns), path, use_dictionary=False)
    note = pq.read_metadata(path).row_group(0).column(2)
    raw = bytearray(path.read_bytes())
    middle = note.data_page_offset + note.total_compressed_size // 2
    raw[middle : middle + 500] = b"\xff" * 500
    path.write_bytes(raw)
    schema = Schema(quasi=["age"], insensitive=["note"], identifying=["id"], entity=entity)
    with pytest.raises(BadInput, match=r"'people\.parquet' is damaged") as caught:
        rewrite(path, schema, tmp_path, "out.parquet")
    told(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "klingon"}, "'encoding' parameter of File"),
        ({"encoding": "base64"}, "'encoding' parameter of File"),
        ({"encoding": "undefined"}, "'encoding' parameter of File"),
        ({"delimiter": ""}, "'delimiter' parameter of File"),
        ({"delimiter": "::"}, "'delimiter' parameter of File"),
        ({"delimiter": '"'}, "'delimiter' parameter of File"),
        ({"memory_limit": "much"}, "'memory_limit' parameter of File must be a size such as '2GB'"),
        ({"memory_limit": "0.9GB"}, "'memory_limit' parameter of File must be at least '1GB'"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = written(tmp_path, "age\n1\n")
    with pytest.raises(BadInput, match=message):
        open_source(File(path, **options))


def test_wrong_paths(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no file"):
        open_source(str(tmp_path / "none.csv"))
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(BadInput, match="is not a file"):
        open_source(tmp_path / "pipe.csv")
    with pytest.raises(BadInput, match=r"'people\.doc' is not that of a table"):
        open_source(written(tmp_path, "age\n1\n", "people.doc"))


def test_nan_in_parquet(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [1.0, 2.0, float("nan")]}), tmp_path / "people.parquet")
    with pytest.raises(BadInput, match="NaN or infinite numbers, first at row 3") as caught:
        count(tmp_path / "people.parquet")
    told(caught.value)


def test_parquet_keeps_types(tmp_path: Path) -> None:
    table = pa.table(
        {"age": [1, 1], "score": pa.array([1.5, None], pa.float32()), "day": pa.array([1, 2], pa.date32())}
    )
    pq.write_table(table, tmp_path / "people.parquet")
    published = pq.read_table(rewrite(tmp_path / "people.parquet", AGE, tmp_path, "out.parquet"))
    assert published.schema.types == table.schema.types


def test_a_small_memory_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are larger than the memory that sorting them may use: DuckDB spills and goes on."""
    monkeypatch.setattr(files, "divided", lambda _limit: Shares(120 * 10**6, 10**9))
    path = tmp_path / "people.csv"
    note = "repeat(md5(range::VARCHAR), 4) AS note"
    duckdb.connect().sql(f"SELECT range % 7 AS age, {note} FROM range(1200000)").write_csv(str(path))
    assert path.stat().st_size > 150e6
    out = rewrite(File(path), AGE, tmp_path, "out.parquet")
    assert pq.read_metadata(out).num_rows == 1_200_000


def test_a_column_with_more_values_than_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "divided", lambda _limit: Shares(10**9, 3_000))
    path = written(tmp_path, "age,n\n" + "".join(f"1,{SECRET}{number}\n" for number in range(11)))
    with pytest.raises(BadInput, match="'n' has 11 distinct values, and 10 fit into the memory limit") as caught:
        count(path, Schema(quasi=["age", "n"]))
    told(caught.value)


def test_too_small_a_memory_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "divided", lambda _limit: Shares(10**6, 10**9))
    path = tmp_path / "people.csv"
    duckdb.connect().sql("SELECT md5(range::VARCHAR) AS age FROM range(200000)").write_csv(str(path))
    with pytest.raises(BadInput, match="memory limit is too small") as caught:
        rewrite(File(path), Schema(quasi=["age"]), tmp_path)
    told(caught.value)


def test_too_little_memory_to_look_at_columns_in_clear(tmp_path: Path) -> None:
    """No file is called damaged for that."""
    path = tmp_path / "people.parquet"
    duckdb.connect().sql("SELECT range % 7 AS age, md5(range::VARCHAR) AS note FROM range(300000)").write_parquet(
        str(path)
    )
    counted, counts = count(path)
    counted.apply(one_group(counts), "1", tmp_path / "out.parquet")
    counted._work.restrict(2 * 10**6)
    with pytest.raises(BadInput, match="memory limit is too small") as caught:
        counted.in_clear(np.zeros(1, dtype=np.int32), np.ones(1, dtype=bool))
    told(caught.value)


def test_what_writes_rows_anew_has_the_share_of_the_verifier(tmp_path: Path) -> None:
    path = written(tmp_path, "age,n\n1,a\n1,b\n")
    counted, counts = count(File(path, memory_limit="1GB"))
    rows = counted.apply(one_group(counts), "1", tmp_path / "out.csv")
    assert counted.source.shares is not None
    assert rows.memory == counted.source.shares.verifier


def test_a_failure_while_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted, counts = count(written(tmp_path, f"age,n\n1,{SECRET}\n"))
    monkeypatch.setattr(files, "place_literal", lambda path: f"'{path.parent / 'no such folder' / path.name}'")
    with pytest.raises(BadInput, match="cannot be written") as caught:
        counted.apply(one_group(counts), "1", tmp_path / "out.csv")
    told(caught.value)


def test_temporary_folders_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    counted, _ = count(File(written(tmp_path, "age\n1\n".encode("utf-16")), encoding="utf-16"))
    assert list((tmp_path / "temporary").iterdir())
    del counted
    gc.collect()
    assert not list((tmp_path / "temporary").iterdir())
