"""``--engine spark``: the same releases, quietly, and nothing of a cell in what goes wrong."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from leaks import SECRET

import hedgerow as hr

from .conftest import Refused, Run, environment, snapshot

pytestmark = pytest.mark.spark

ROLES = ("--quasi", "age,sex", "--target", "income", "--drop", "name", "--insensitive", "note", "--accept", "note")
SPARK = ("--engine", "spark", "--master", "local[2]")


def table(rows: int = 60) -> pa.Table:
    """People whose names hold the secret."""
    numbers = range(rows)
    return pa.table(
        {
            "name": [f"{SECRET} {n}" for n in numbers],
            "age": pa.array([None if n % 13 == 0 else 20 + n * 7 % 9 for n in numbers]),
            "sex": ["MF"[n * 5 % 7 % 2] for n in numbers],
            "note": [f"{SECRET} {n % 4}" for n in numbers],
            "income": [("low", "high")[n * 3 % 5 % 2] for n in numbers],
        }
    )


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    """The people in three files of a folder."""
    folder = tmp_path / "people"
    folder.mkdir()
    for number in range(3):
        pq.write_table(table().slice(number * 20, 20), folder / f"part {number}.parquet")
    return folder


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_release_is_that_of_duckdb(spark: Any, called: Run, parquet: Path, tmp_path: Path, ending: str) -> None:
    asked = ("anonymize", "people", *ROLES, "-k", "4", "--seed", "7", "--set", "relaxed=true", "--quiet")
    assert called(*asked, "--engine", "spark", "-o", f"a.{ending}").err == ""
    assert called(*asked, "--engine", "duckdb", "-o", f"b.{ending}").err == ""
    if ending == "csv":
        texts = ((tmp_path / f"{name}.csv").read_text().splitlines() for name in "ab")
        found, expected = (sorted(csv.reader(lines)) for lines in texts)
        assert found == expected
    else:
        keys = [(name, "ascending") for name in ("age", "sex", "note", "income")]
        one, other = (pq.read_table(tmp_path / f"{name}.parquet").sort_by(keys) for name in "ab")
        assert one.to_pylist() == other.to_pylist()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["people", *(f"{name}.{ending}{beside}" for name in "ab" for beside in ("", ".manifest.json"))]
    )


@pytest.mark.parametrize("divided", [(), ("--rows-per-file", "7"), ("--partition-by", "income")])
def test_a_folder(spark: Any, called: Run, parquet: Path, tmp_path: Path, divided: tuple[str, ...]) -> None:
    """Undivided, its files are those that Spark wrote and the verifier counted."""
    (tmp_path / "temp").mkdir()
    asked = ("anonymize", "people", *ROLES, "-k", "4", "--seed", "7", "--quiet", *divided)
    assert called(*asked, "--engine", "spark", "--temp", "temp", "-o", "a/").err == ""
    assert called(*asked, "-o", "b/").err == ""
    one, other = (hr.Release.load(tmp_path / name).table.order("ALL").fetchall() for name in "ab")
    assert one == other
    assert len(one) == 60
    assert all(path.name.startswith("part-") for path in (tmp_path / "a").rglob("*.parquet"))
    # Those of Spark say so in their footers.
    by_spark = [b"org.apache.spark" in path.read_bytes() for path in (tmp_path / "a").rglob("*.parquet")]
    assert set(by_spark) == {not divided}
    assert list((tmp_path / "temp").iterdir()) == []


def test_the_demo(spark: Any, called: Run, tmp_path: Path) -> None:
    outcome = called("demo", "--engine", "spark", "--rows", "500", "-k", "5")
    assert outcome.status == 0
    assert outcome.err == ""
    assert "All requirements hold." in outcome.out
    assert (tmp_path / "demo" / "release.csv").exists()


def damage(path: Path) -> None:
    """Turn bytes in the middle of a file's cells, which its footer does not tell."""
    column = pq.read_metadata(path).row_group(0).column(0)
    at = column.data_page_offset
    cells = bytearray(path.read_bytes())
    for place in range(at, at + column.total_compressed_size):
        cells[place] ^= 0x5A
    path.write_bytes(bytes(cells))


def test_a_damaged_file_among_many_is_named(spark: Any, refused: Refused, parquet: Path, tmp_path: Path) -> None:
    damage(parquet / "part 1.parquet")
    asked = ("anonymize", "people", "--quasi", "age,sex,name", "--others", "drop", "-k", "4", "--output", "out.parquet")
    refused(*asked, "--engine", "spark", words=("part 1.parquet", "damaged"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--memory-limit", "2GB", *SPARK), ("--memory-limit", "spark.driver.memory")),
        (("--entity", "name", *SPARK), ("rows, not people",)),
        (("--redraw", "2", "--publish-proportions", *SPARK), ("--redraw",)),
        (("--master", "local[2]"), ("--engine spark",)),
        (("--engine", "sparc"), ("'engine'", "'duckdb' or 'spark'")),
    ],
)
def test_what_spark_does_not_do_is_refused(
    refused: Refused, parquet: Path, options: tuple[str, ...], words: tuple[str, ...]
) -> None:
    refused("anonymize", "people", *ROLES, "-k", "4", "--output", "out.csv", *options, words=words)


def test_a_master_that_is_none(pyspark: None, real: Run, parquet: Path, tmp_path: Path) -> None:
    before = snapshot(tmp_path)
    asked = ("anonymize", "people", *ROLES, "-k", "4", "--output", "out.csv")
    outcome = real(*asked, "--engine", "spark", "--master", "lokal")
    assert outcome.status == 2
    assert outcome.err == (
        "hedgerow: Spark cannot be started on 'lokal'. Check --master, and that it can be reached from here.\n"
    )
    assert snapshot(tmp_path) == before


def test_without_java(pyspark: None, parquet: Path, tmp_path: Path) -> None:
    nowhere = {**environment(tmp_path), "PATH": "/nowhere"}
    nowhere.pop("JAVA_HOME", None)
    command = [sys.executable, "-m", "hedgerow", "anonymize", "people", *ROLES, "-k", "4", "-o", "out.csv", *SPARK]
    done = subprocess.run(command, cwd=tmp_path, env=nowhere, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "hedgerow: Spark needs Java 17 or newer, which is not here. Type: sudo apt install openjdk-17-jre-headless\n"
    )


def test_without_pyspark(parquet: Path, tmp_path: Path) -> None:
    script = "import sys; sys.modules['pyspark'] = None; from hedgerow.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", script, "anonymize", "people", *ROLES, "-k", "4", "-o", "out.csv", *SPARK]
    done = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "hedgerow: This needs pyspark, which is not installed. Type: pip install 'hedgerow[spark]'\n"
    )


def test_pandas_is_there_for_pyspark(pyspark: None, tmp_path: Path) -> None:
    """A command does without it, but PySpark wants it where workers run Python."""
    script = """
import sys
from hedgerow.cli import main
main()
try:
    import pandas
except ModuleNotFoundError:
    import pyspark
    import pandas
    print(pandas.__name__)
"""
    command = [sys.executable, "-c", script, "--version"]
    done = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["pandas"]
