"""Exporting releases and published tables; ARFF is read back by the real Weka."""

from __future__ import annotations

import csv
import gzip
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import BadInput
from hedgerow.io.atomic import manifest_path, proportions_path
from hedgerow.learning.export import export

FrameType = Callable[[pa.Table], Any]

PUBLISHED = pa.table(
    {
        "age": ["[20,30)", "41", "*", None, "{50|51|\\N}"],
        "city": ["{Bern|Ulm}", "Ulm", "*", None, "a|b"],
        "ill": ["n", "y", "*", "y", "n"],
        "weight": pa.array([70.5, None, 80.0, 90.0, 60.0]),
    }
)

# Reads ARFF files with Weka: for each its attributes and its rows, nominal cells as text and missing ones as null.
READER = """
import json, sys
import weka.core.jvm as jvm
from weka.core.converters import Loader

jvm.start(packages=False)
try:
    tables = []
    for path in json.load(sys.stdin):
        rows = Loader(classname="weka.core.converters.ArffLoader").load_file(path)
        attributes = [
            (str(one.name), list(map(str, one.values)) if one.is_nominal else str(one.type_str()))
            for one in rows.attributes()
        ]
        nominal = [one.is_nominal for one in rows.attributes()]
        cells = [
            [
                None if row.is_missing(at) else str(row.get_string_value(at)) if named else float(row.get_value(at))
                for at, named in enumerate(nominal)
            ]
            for row in rows
        ]
        tables.append([str(rows.relationname), attributes, cells])
finally:
    jvm.stop()
json.dump(tables, sys.stdout)
"""
# Whatever a cell may hold: quotes, escapes, signs of ARFF itself, ends of lines, and characters beyond ASCII.
AWKWARD = [
    "it's", 'say "so"', "back\\slash", "\\", "\\\\'", "a\\nb", "per%cent", "%", "?", "*", "{*}", " lead", "trail ", " ",
    "a,b", "{a|b\\|c|\\N}", "[20,30)", "new\nline", "cr\rx", "tab\there", "é", "日本", "🦔", "\x0b", "\x1e", "\x85",
    "\u2028", "\\u0041", "@data", "0x10", "NaN", "nan", "007", "'", "''", "a  b",
]  # fmt: skip


@pytest.fixture(scope="module")
def read_by_weka(weka: None) -> Callable[..., list[Any]]:
    """Real Weka's reading of ARFF files."""

    def read(*paths: Path) -> list[Any]:
        done = subprocess.run(
            [sys.executable, "-c", READER],
            input=json.dumps(list(map(str, paths))),
            capture_output=True,
            text=True,
            check=False,
            # Before version 18 Java reads files in the encoding of the machine.
            env={**os.environ, "JAVA_TOOL_OPTIONS": "-Dfile.encoding=UTF-8"},
        )
        assert done.returncode == 0, done.stderr
        tables: list[Any] = json.loads(done.stdout)
        return tables

    return read


def read_csv(path: Path) -> list[list[str]]:
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return list(csv.reader(raw.decode().splitlines()))


def test_csv_keeps_what_is_published(frame_type: FrameType, tmp_path: Path) -> None:
    path = export(frame_type(PUBLISHED), tmp_path / "out.csv", target="ill")
    assert path == tmp_path / "out.csv"
    head, *rows = read_csv(path)
    assert head == PUBLISHED.column_names
    assert [row[:3] for row in rows] == [["" if cell is None else cell for cell in row] for row in _texts(PUBLISHED)]
    assert [float(row[3]) if row[3] else None for row in rows] == PUBLISHED["weight"].to_pylist()


def _texts(table: pa.Table) -> list[tuple[str | None, ...]]:
    return list(zip(*(table[name].to_pylist() for name in ("age", "city", "ill")), strict=True))


@pytest.mark.parametrize("written", ["*", "?", ""])
@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "OUT.CSV"])
def test_csv_writes_suppressed_cells_as_wanted(written: Any, name: str, tmp_path: Path) -> None:
    rows = read_csv(export(PUBLISHED, tmp_path / name, suppressed=written, target="ill"))
    assert rows[3][:3] == [written, written, "*"], "the target is no published value"


def test_intervals_in_two_columns(frame_type: FrameType, tmp_path: Path) -> None:
    head, *rows = read_csv(export(frame_type(PUBLISHED), tmp_path / "out.csv", intervals="columns"))
    assert head == ["age_low", "age_high", "city", "ill", "weight"]
    assert [row[:2] for row in rows] == [["20", "30"], ["41", "41"], ["", ""], ["", ""], ["50", "51"]]


def test_fractions_in_two_columns(tmp_path: Path) -> None:
    table = pa.table({"x": ["[0.5,2)", "{-1|3}", "7.25"]})
    _, *rows = read_csv(export(table, tmp_path / "out.csv", intervals="columns"))
    assert [list(map(float, row)) for row in rows] == [[0.5, 2], [-1, 3], [7.25, 7.25]]


def test_only_columns_of_numbers_with_intervals_or_sets_are_split(tmp_path: Path) -> None:
    table = pa.table(
        {
            "plain": ["1", "2", "*"],
            "mixed": ["[1,2)", "3", "old"],
            "names": ["{a|1}", "1", "2"],
            "set": ["{1|2}", "", "3"],
        }
    )
    assert read_csv(export(table, tmp_path / "out.csv", intervals="columns"))[0] == [
        "plain", "mixed", "names", "set_low", "set_high",
    ]  # fmt: skip


def test_weka_reads_any_text(read_by_weka: Callable[..., list[Any]], tmp_path: Path) -> None:
    table = pa.table({"it's a, {name}": AWKWARD, "n": list(range(len(AWKWARD))), "%": ["x"] * len(AWKWARD)})
    path = export(table, tmp_path / "a 'b'.arff", suppressed="*")
    ((relation, attributes, rows),) = read_by_weka(path)
    assert relation == "a 'b'"
    assert [name for name, _ in attributes] == table.column_names
    assert attributes[0][1] == sorted(AWKWARD)
    assert attributes[1][1] == "numeric"
    assert rows == [[text, n, "x"] for n, text in enumerate(AWKWARD)]


def test_weka_reads_what_is_published(read_by_weka: Callable[..., list[Any]], tmp_path: Path) -> None:
    paths = [
        export(PUBLISHED, tmp_path / "text.arff", target="ill"),
        export(PUBLISHED, tmp_path / "columns.arff", target="ill", intervals="columns"),
        export(PUBLISHED.slice(0, 0), tmp_path / "empty.arff"),
    ]
    text, columns, empty = read_by_weka(*paths)
    assert text[1] == [
        ["age", ["41", "[20,30)", "{50|51|\\N}"]],
        ["city", ["Ulm", "a|b", "{Bern|Ulm}"]],
        ["weight", "numeric"],
        ["ill", ["*", "n", "y"]],
    ]
    assert text[2] == [
        ["[20,30)", "{Bern|Ulm}", 70.5, "n"],
        ["41", "Ulm", None, "y"],
        [None, None, 80.0, "*"],
        [None, None, 90.0, "y"],
        ["{50|51|\\N}", "a|b", 60.0, "n"],
    ]
    assert [name for name, _ in columns[1]] == ["age_low", "age_high", "city", "weight", "ill"]
    assert [row[:2] for row in columns[2]] == [[20, 30], [41, 41], [None, None], [None, None], [50, 51]]
    assert empty[2] == []


def test_a_suppressed_cell_may_be_a_value_of_its_own_in_arff(tmp_path: Path) -> None:
    table = pa.table({"x": ["1", "*"], "y": ["1", None]})
    missing = export(table, tmp_path / "a.arff").read_text()
    own = export(table, tmp_path / "b.arff", suppressed="*").read_text()
    assert "@attribute 'x' numeric" in missing
    assert missing.endswith("\n1,1\n?,?\n")
    assert "@attribute 'x' {'*','1'}" in own
    assert own.endswith("\n'1',1\n'*',?\n")


def test_categories_stay_such_when_some_are_suppressed(tmp_path: Path) -> None:
    table = pa.table({"x": pa.array(["1", "2", "*"]).dictionary_encode()})
    assert "@attribute 'x' {'1','2'}" in export(table, tmp_path / "a.arff").read_text()


@pytest.fixture(scope="module")
def release() -> hr.Release:
    """A release with an insensitive column whose stars and intervals are not published values."""
    generator = np.random.default_rng(0)
    table = pa.table(
        {
            "ill": generator.choice(["n", "y"], 60),
            "age": generator.integers(20, 60, 60),
            "city": generator.choice(["Bern", "Ulm", "Thun"], 60),
            "note": ["*", "[1,2)"] * 30,
        }
    )
    schema = hr.Schema(quasi=["age", "city"], target="ill", insensitive=["note"], accept=["note"])
    return hr.anonymize(table, schema, k=5, random_state=0, publish_proportions=True)


def test_a_release_knows_its_target_and_what_it_publishes(
    release: hr.Release, read_by_weka: Callable[..., list[Any]], tmp_path: Path
) -> None:
    path = export(release, tmp_path / "out.arff", intervals="columns")
    ((_, attributes, rows),) = read_by_weka(path)
    assert [name for name, _ in attributes] == ["age_low", "age_high", "city", "note", "ill"]
    assert Counter(row[3] for row in rows) == {"*": 30, "[1,2)": 30}
    cities = Counter(row[2] for row in rows)
    assert cities == Counter(cell if cell != "*" else None for cell in release.table["city"].to_pylist())
    assert Counter(row[4] for row in rows) == Counter(release.table["ill"].to_pylist())
    assert read_csv(export(release, tmp_path / "out.csv"))[0] == ["ill", "age", "city", "note"]


def test_an_older_file_is_replaced_and_what_spoke_of_it_goes(release: hr.Release, tmp_path: Path) -> None:
    path = release.save(tmp_path / "out.csv")
    assert manifest_path(path).exists()
    assert proportions_path(path).exists()
    export(PUBLISHED, path)
    assert [file.name for file in tmp_path.iterdir()] == ["out.csv"]
    assert read_csv(path)[0] == PUBLISHED.column_names


def test_a_release_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("age,ill\n20,n\n21,y\n20,y\n21,n\n")
    release = hr.anonymize(tmp_path / "in.csv", hr.Schema(quasi=["age"], target="ill"), k=4)
    rows = read_csv(export(release, tmp_path / "out.csv", intervals="columns"))
    assert sorted(rows) == [["20", "21", "n"]] * 2 + [["20", "21", "y"]] * 2 + [["age_low", "age_high", "ill"]]


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("out.txt", {}, "neither .arff, .csv nor .csv.gz"),
        ("out.parquet", {}, "neither .arff, .csv nor .csv.gz"),
        ("none/out.csv", {}, "There is no folder"),
        ("folder.csv", {}, "is a folder"),
        ("out.arff", {"suppressed": ""}, r"'suppressed' parameter of export must be one of '\?', '\*' for .arff"),
        ("out.csv", {"suppressed": "NA"}, r"'suppressed' parameter of export must be one of '\*', '\?', '' for .csv"),
        ("out.csv", {"intervals": "both"}, "'intervals' parameter of export must be 'text' or 'columns'"),
        ("out.arff", {"target": "i1l"}, "There is no column 'i1l'. Did you mean 'ill'?"),
    ],
)
def test_refused(name: str, parameters: dict[str, Any], message: str, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(BadInput, match=message):
        export(PUBLISHED, tmp_path / name, **parameters)
    assert [file.name for file in tmp_path.iterdir()] == ["folder.csv"]


@pytest.mark.parametrize("order", [["age", "age_high"], ["age_high", "age"]])
def test_names_that_are_taken_are_refused(order: list[str], tmp_path: Path) -> None:
    table = pa.table({"age": ["[20,30)"], "age_high": ["1"]}).select(order)
    with pytest.raises(BadInput, match="There is a column 'age_high' already"):
        export(table, tmp_path / "out.csv", intervals="columns")
    export(table, tmp_path / "out.csv")


def test_a_failure_leaves_the_older_file_and_quotes_no_cell(tmp_path: Path) -> None:
    (tmp_path / "out.arff").write_text("older")
    table = pa.table({"x": ["Soglio\0"], "y": ["a"]})
    with pytest.raises(BadInput, match="'x' holds text with a NUL character") as caught:
        export(table, tmp_path / "out.arff")
    assert "Soglio" not in str(caught.value)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["older"]


def test_names_that_differ_in_case_are_refused_in_a_csv(tmp_path: Path) -> None:
    table = pa.table({"Age": ["1"], "age": ["2"]})
    with pytest.raises(BadInput, match="differ only in case"):
        export(table, tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())
    export(table, tmp_path / "out.arff")


def test_a_table_without_columns(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no columns"):
        export(pa.table({}), tmp_path / "out.csv")
