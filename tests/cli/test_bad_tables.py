"""Tables that must be refused: exit status 2, one sentence without a cell, nothing written."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from leaks import SECRET

HEADER = "name,age,sex,zip,ill,income\n"
LINE = f"{SECRET},20,M,10000,flu,low\n"
TABLE = (HEADER + LINE * 4).encode()
NAN, INFINITY = float("nan"), float("inf")


def parquet(**columns: Any) -> bytes:
    """Four people as Parquet, some columns replaced."""
    plain: dict[str, Any] = {
        "name": [SECRET] * 4,
        "age": [20, 21, 22, 23],
        "sex": ["M", "F", "M", "F"],
        "zip": ["10000"] * 4,
        "ill": ["flu", "cold"] * 2,
        "income": ["low", "low", "high", "high"],
    }
    out = io.BytesIO()
    pq.write_table(pa.table({**plain, **columns}), out)
    return out.getvalue()


NO_ROWS = {name: pa.array([], pa.string()) for name in HEADER.strip().split(",")}

BAD_TABLES: dict[str, tuple[str, bytes, tuple[str, ...], tuple[str, ...]]] = {
    # name: file, content, further options, words of the sentence
    "empty file": ("people.csv", b"", (), ("'people.csv'", "empty")),
    "header only": ("people.csv", HEADER.encode(), (), ("no rows",)),
    "header without line end": ("people.csv", HEADER.strip().encode(), (), ("no rows",)),
    "duplicate header": ("people.csv", TABLE.replace(b"zip", b"age"), (), ("several columns", "'age'")),
    "column without a name": ("people.csv", TABLE.replace(b"zip", b""), (), ("without a name", "number 4")),
    "short line": ("people.csv", TABLE + f"{SECRET},20\n".encode(), (), ("Line 6", "2 fields", "header has 6")),
    "long line": ("people.csv", TABLE + (LINE.strip() + f",{SECRET}\n").encode(), (), ("Line 6", "7 fields")),
    "undecodable": ("people.csv", TABLE + b"Zebulon\xe9,20,M,1,flu,low\n", (), ("utf-8", "line 6", "--encoding")),
    "UTF-16 as UTF-8": (
        "people.csv",
        TABLE.decode().encode("utf-16"),
        ("--encoding", "utf-8"),
        ("utf-8", "line 1", "--encoding"),
    ),
    "UTF-16, cut": ("people.csv", TABLE.decode().encode("utf-16")[:-1], (), ("utf-16", "line 5", "--encoding")),
    "UTF-8 as ASCII": (
        "people.csv",
        TABLE + "Zebulonë,20,M,1,flu,low\n".encode(),
        ("--encoding", "ascii"),
        ("ascii", "line 6"),
    ),
    "all cells empty": ("people.csv", TABLE.replace(b",20,", b",,"), (), ("'age'", "every cell is missing")),
    "all cells marked": (
        "people.csv",
        TABLE.replace(b",20,", b",?,"),
        ("--missing", "?"),
        ("'age'", "every cell is missing"),
    ),
    "numbers and text": (
        "people.csv",
        TABLE + b"x,Zebulon,M,1,flu,low\n",
        ("--kind", "age=number"),
        ("'age'", "is to be numbers", "line 6"),
    ),
    "NaN as text": (
        "people.csv",
        TABLE + b"x,NaN,M,1,flu,low\n",
        ("--kind", "age=number"),
        ("'age'", "is to be numbers", "line 6"),
    ),
    "no date": ("people.csv", TABLE, ("--kind", "sex=date"), ("'sex'", "is to be dates", "line 2")),
    "not in the order": ("people.csv", TABLE, ("--kind", "sex=F,X"), ("'sex'", "its order does not have", "line 2")),
    "unterminated quote": ("people.csv", TABLE + b'"Zebulon,20,M,1,flu,low\n', (), ("quote", "line 6")),
    "text behind a quote": ("people.csv", TABLE + b'"Zebulon"x,20,M,1,flu,low\n', (), ("quote", "line 6")),
    "unterminated quote in the header": ("people.csv", b'"' + TABLE, (), ("'people.csv'", "first line")),
    "blank first line": ("people.csv", b"\n" + TABLE, (), ("'people.csv'", "column")),
    "names that differ in case": ("people.csv", TABLE.replace(b"zip", b"Age"), (), ("'age'", "'Age'", "case")),
    "numbers and text in Latin-1": (
        "people.csv",
        TABLE + b"\xe9,Zebulon,M,1,flu,low\n",
        ("--encoding", "latin-1", "--kind", "age=number"),
        ("'age'", "is to be numbers", "line 6"),
    ),
    "UTF-8 as UTF-16": ("people.csv", TABLE, ("--encoding", "utf-16"), ("'people.csv'", "utf-16", "--encoding")),
    "NUL in a number": ("people.csv", TABLE + b"x,2\x000,M,1,flu,low\n", (), ("'age'", "line 6")),
    "NUL in the header": ("people.csv", TABLE.replace(b"name", b"na\0me"), (), ("no column 'name'",)),
    "other delimiter": ("people.csv", TABLE.replace(b",", b";"), ("--delimiter", ","), ("--delimiter ';'",)),
    "named delimiter is another": ("people.csv", TABLE, ("--delimiter", ";"), ("--delimiter ','",)),
    "truncated gzip": ("people.csv.gz", gzip.compress(TABLE)[:-20], (), ("'people.csv.gz'", "damaged")),
    "gzip with a wrong byte": (
        "people.csv.gz",
        gzip.compress(TABLE)[:40] + b"\xff\xff" + gzip.compress(TABLE)[42:],
        (),
        ("'people.csv.gz'", "damaged"),
    ),
    "not gzip": ("people.csv.gz", TABLE, (), ("'people.csv.gz'", "cannot be read")),
    "empty gzip": ("people.csv.gz", b"", (), ("'people.csv.gz'", "empty")),
    "not Parquet": ("people.parquet", b"Zebulon" * 50, (), ("'people.parquet'", "Parquet")),
    "truncated Parquet": ("people.parquet", parquet()[:-30], (), ("'people.parquet'", "Parquet")),
    "empty Parquet": ("people.parquet", b"", (), ("'people.parquet'", "Parquet")),
    "Parquet without rows": ("people.parquet", parquet(**NO_ROWS), (), ("no rows",)),
    "NaN": ("people.parquet", parquet(age=[1.0, 2.0, NAN, 3.0]), (), ("'age'", "NaN", "row 3")),
    "infinite": ("people.parquet", parquet(age=[1.0, INFINITY, 2.0, 3.0]), (), ("'age'", "infinite", "row 2")),
    "minus infinite": ("people.parquet", parquet(age=[-INFINITY, 1.0, 2.0, 3.0]), (), ("'age'", "infinite", "row 1")),
    "NaN in the target": ("people.parquet", parquet(income=[1.0, 2.0, 3.0, NAN]), (), ("'income'", "NaN", "row 4")),
    "lists": ("people.parquet", parquet(age=[[1], [2], [3], [4]]), (), ("'age'", "nested")),
    "bytes": ("people.parquet", parquet(sex=[b"Zebulon"] * 4), (), ("'sex'", "binary")),
    "a document": ("people.doc", TABLE, (), ("'people.doc'", ".csv", ".parquet")),
    "no workbook": ("people.xlsx", TABLE, (), ("'people.xlsx'", "Excel workbook")),
    "no archive": ("people.zip", TABLE, (), ("'people.zip'", "damaged")),
    "a sheet of a CSV": ("people.csv", TABLE, ("--sheet", "one"), ("'people.csv'", "not an .xlsx")),
    "many columns": (
        "people.csv",
        (",".join(f"n{at}" for at in range(100_000)) + "\n").encode() + TABLE,
        (),
        ("100,000 columns", "10,000"),
    ),
    "long header": ("people.csv", b"n" * 80_000_000, (), ("Line 1", "longer than 2,000,000")),
    "long last line": ("people.csv", TABLE + LINE.encode() * 2 + b"Zebulon" * 5_000_000, (), ("Line 8", "longer than")),
    "an empty field too many": ("people.csv", TABLE + LINE.strip().encode() + b",\n", (), ("Line 6", "7 fields")),
}

TOO_FEW = {
    "one row": (HEADER + LINE, (), ("2-anonymity", "at least 2 rows", "has 1")),
    "k above the rows": (TABLE.decode(), ("-k", "5"), ("5-anonymity", "at least 5 rows", "has 4")),
    "a shield's k above the rows": (TABLE.decode(), ("--require", "k=5@sex"), ("5-anonymity", "at least 5 rows")),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_refused(case: str, refused: Any, roles: tuple[str, ...], tmp_path: Path) -> None:
    file, content, options, words = BAD_TABLES[case]
    (tmp_path / file).write_bytes(content)

    refused("anonymize", file, *roles, "-k", "2", "--output", "out.csv", *options, words=words)


@pytest.mark.parametrize("case", TOO_FEW)
def test_what_so_few_rows_cannot_meet(case: str, refused: Any, roles: tuple[str, ...], tmp_path: Path) -> None:
    content, options, words = TOO_FEW[case]
    (tmp_path / "people.csv").write_text(content)
    k = () if "-k" in options else ("-k", "2")
    refused("anonymize", "people.csv", *roles, *k, "--output", "out.csv", *options, words=words, status=3)


AUDIT_REFUSES = {
    "empty file": ("people.csv", b"", ("empty",)),
    "header only": ("people.csv", HEADER.encode(), ("no rows",)),
    "short line": ("people.csv", TABLE + f"{SECRET},20\n".encode(), ("'people.csv'", "line 6")),
    "undecodable": ("people.csv", TABLE + b"x,20,Zebulon\xe9,1,flu,low\n", ("'people.csv'", "utf-8")),
    "duplicate header": ("people.csv", TABLE.replace(b"zip", b"age"), ("several columns", "'age'")),
    "not Parquet": ("people.parquet", b"Zebulon" * 50, ("'people.parquet'", "Parquet")),
    "wrong ending": ("people.doc", TABLE, ("'people.doc'", ".csv", ".parquet")),
    "no workbook": ("people.xlsx", TABLE, ("'people.xlsx'", "Excel workbook")),
    "truncated gzip": ("people.csv.gz", gzip.compress(TABLE)[:-20], ("'people.csv.gz'",)),
}


@pytest.mark.parametrize("case", AUDIT_REFUSES)
def test_audit_refuses(case: str, refused: Any, tmp_path: Path) -> None:
    file, content, words = AUDIT_REFUSES[case]
    (tmp_path / file).write_bytes(content)

    refused("audit", file, "--quasi", "age,sex", "-k", "2", words=words)
