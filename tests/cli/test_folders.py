"""Tables and releases in folders, temporary files on a chosen disk, and disks that are full: by the command."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.datasets import make_census
from hedgerow.io.parquet_folder import files_in

SECRET = "Zebulon"
ROLES = ("--quasi", "age,sex", "--target", "income", "--others", "drop", "-k", "5", "--quiet")


def census(folder: Path, rows: int = 2_000) -> pd.DataFrame:
    table: pd.DataFrame = make_census(rows, random_state=1).to_pandas()
    table["name"] = [f"{SECRET}{number}" for number in range(rows)]
    table.to_csv(folder / "people.csv", index=False)
    return table


@pytest.fixture
def people(tmp_path: Path) -> pd.DataFrame:
    return census(tmp_path)


def total(folder: Path) -> int:
    return sum(pq.read_metadata(folder / name).num_rows for name in files_in(folder))


def test_a_folder_in_and_a_folder_out(real: Any, people: pd.DataFrame, tmp_path: Path) -> None:
    """Partitioned by another program, compressed, with its marks; and out again in the same form."""
    with duckdb.connect() as other:
        other.register("people", people)
        options = "FORMAT parquet, COMPRESSION gzip, PARTITION_BY (sex, income)"
        other.execute(f"COPY people TO '{tmp_path}/in' ({options})")
    (tmp_path / "in/_SUCCESS").touch()
    done = real(
        *("anonymize", "in/", *ROLES, "-o", "out/", "--partition-by", "sex", "--rows-per-file", "600"),
        *("--publish-proportions", "--redraw", "1"),
    )
    assert (done.status, done.err) == (0, "")
    assert total(tmp_path / "out") == total(tmp_path / "out.redrawn") == len(people)
    assert {name.split("/")[0] for name in files_in(tmp_path / "out")} == {"sex=Female", "sex=Male"}
    audited = real("audit", "out", "--quasi", "age,sex", "-k", "5", "--json")
    assert (audited.status, json.loads(audited.out)["manifest"]) == (0, "fits")
    everything = sorted(path.name for path in tmp_path.iterdir())
    assert everything == [
        *("in", "out", "out.manifest.json", "out.proportions.json", "out.redrawn", "out.redrawn.manifest.json"),
        "people.csv",
    ]


def test_a_job(real: Any, people: pd.DataFrame, tmp_path: Path) -> None:
    (tmp_path / "jobs/scratch").mkdir(parents=True)
    (tmp_path / "jobs/job.toml").write_text(
        'input = "../people.csv"\noutput = "out/"\nrows-per-file = 1500\npartition-by = "sex"\ntemp = "scratch"\n'
    )
    assert real("anonymize", "--job", "jobs/job.toml", *ROLES).status == 0
    assert len(files_in(tmp_path / "jobs/out")) == 2
    assert list((tmp_path / "jobs/scratch").iterdir()) == []
    (tmp_path / "jobs/job.toml").write_text('input = "../people.csv"\noutput = "single/"\n')
    assert real("anonymize", "--job", "jobs/job.toml", *ROLES).status == 0
    assert files_in(tmp_path / "jobs/single") == ["part-00000.parquet"]


MISTAKES = {
    "no number": (("-o", "out/", "--rows-per-file", "0"), ("rows-per-file", ">= 1")),
    "a file": (("-o", "out.csv", "--rows-per-file", "5"), ("'out.csv' has the name of a file", "'out/'")),
    "a file of another kind": (
        (
            "-o",
            "out.parquet/",
        ),
        ("'out.parquet/' has the name of a file",),
    ),
    "no ending": (("-o", "out"), (".csv", "or name a folder: 'out/'")),
    "not empty": (("-o", "full/"), ("'full/' is not empty", "--force")),
    "not empty, forced": (("-o", "full/", "--force"), ("something other than a release",)),
    "what is read": (("-o", ".", "--force"), ("files that are read",)),
    "no folder above": (("-o", "no/where/"), ("no folder 'no'",)),
    "an unknown column": (("-o", "out/", "--partition-by", "sxe"), ("no published column 'sxe'", "'sex'")),
    "a column that is dropped": (("-o", "out/", "--partition-by", "name"), ("no published column 'name'",)),
    "no column": (("-o", "out/", "--partition-by", "sex,"), ("--partition-by",)),
    "twice": (("-o", "out/", "--partition-by", "sex,sex"), ("'sex' is named twice",)),
    "no temp": (("-o", "out/", "--temp", "nowhere"), ("no folder 'nowhere' for temporary files",)),
    "the recoding in the release": (
        ("-o", "empty/", "--recoding", "empty/recoding.json"),
        ("--recoding names the release",),
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake: str, refused: Any, people: pd.DataFrame, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/thesis.tex").write_text("mine")
    (tmp_path / "empty").mkdir()
    arguments, words = MISTAKES[mistake]
    refused("anonymize", "people.csv", *ROLES, *arguments, words=words)


def damaged(folder: Path, ending: str) -> None:
    """Eight files with the secret in all cells; the sixth is cut off, or has a line too long."""
    folder.mkdir()
    for number in range(8):
        table = pd.DataFrame({"age": [number % 3] * 500, "sex": ["M", "F"] * 250, "income": [SECRET] * 500})
        path = folder / f"part-{number}.{ending}"
        if ending == "csv":
            table.to_csv(path, index=False)
        else:
            table.to_parquet(path, index=False)
    path = folder / f"part-5.{ending}"
    raw = path.read_bytes()
    path.write_bytes(raw + f"1,M,{SECRET},{SECRET}\n".encode() if ending == "csv" else raw[: len(raw) // 2])


@pytest.mark.parametrize("command", ["anonymize", "audit"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_damaged_file_among_many_is_named(ending: str, command: str, refused: Any, tmp_path: Path) -> None:
    damaged(tmp_path / "in", ending)
    rest = ("--quasi", "age,sex,income") if command == "audit" else (*ROLES, "-o", "out/")
    refused(command, "in", *rest, words=(f"'part-5.{ending}'",))


def test_temporary_files_go_where_they_should(started: Any, people: pd.DataFrame, tmp_path: Path) -> None:
    """Seen while the command works, only for its owner; stopped, it leaves none."""
    census(tmp_path, 60_000)
    (tmp_path / "scratch").mkdir()
    arguments = ("anonymize", "people.csv", *ROLES, "-o", "out/", "--rows-per-file", "99", "--temp", "scratch")
    command = started(*arguments)
    seen: list[int] = []
    while command.poll() is None and not seen:
        seen = [path.stat().st_mode & 0o777 for path in (tmp_path / "scratch").iterdir() if path.is_dir()]
        time.sleep(0.01)
    assert set(seen) == {0o700}
    time.sleep(0.3)
    command.send_signal(signal.SIGTERM)
    assert command.wait() in (128 + signal.SIGTERM, 0)
    assert list((tmp_path / "scratch").iterdir()) == []
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    assert list((tmp_path.parent / f"{tmp_path.name}-scratch").iterdir()) == []


FULL: dict[str, tuple[str, ...]] = {
    "a file": ("-o", "out.csv"),
    "a folder": ("-o", "out/"),
    "many files": ("-o", "out/", "--rows-per-file", "35000"),
    "by a column": ("-o", "out/", "--partition-by", "sex"),
}


@pytest.mark.parametrize("form", FULL)
def test_a_disk_that_gets_full(form: str, tmp_path: Path) -> None:
    """A file may not become longer than so many bytes: to a writer that is as if the disk were full."""
    rows = 40_000
    notes = [f"{SECRET}{os.urandom(12).hex()}" for _ in range(rows)]
    table = pa.table({"age": [n % 7 for n in range(rows)], "sex": ["M", "F"] * (rows // 2), "note": notes})
    pq.write_table(table, tmp_path / "people.parquet")
    command = [sys.executable, "-m", "hedgerow", "anonymize", "people.parquet", "--quasi", "age,sex", "-k", "5"]
    (tmp_path / "scratch").mkdir()
    done = subprocess.run(
        [*command, "--insensitive", "note", "--accept", "note", *FULL[form]],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "scratch"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000)),
    )
    assert done.returncode == 2, done.stderr
    assert "cannot be written" in done.stderr
    assert done.stderr.count("\n") == 1
    assert SECRET not in done.stderr + done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "scratch"]
    assert list((tmp_path / "scratch").iterdir()) == []


def test_kills_while_a_folder_is_written(
    tmp_path: Path, people: pd.DataFrame, started: Callable[..., subprocess.Popen[bytes]], run: Any
) -> None:
    """The real command is killed twice while rows are staged; the next one removes what was left."""
    arguments = ("anonymize", "people.csv", *ROLES, "-o", "out/", "--rows-per-file", "20", "--force")
    for _ in range(2):
        command = started(*arguments)
        while command.poll() is None and not list(tmp_path.glob(".out.hedgerow-*/out/part-00003.parquet")):
            time.sleep(0.001)
        command.kill()
        command.wait()
        if (tmp_path / "out").exists():
            assert total(tmp_path / "out") == len(people)
    assert started(*arguments).wait() == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.manifest.json", "people.csv"]
    assert (total(tmp_path / "out"), run("audit", "out/", "--quasi", "age,sex", "-k", "5").status) == (2_000, 0)
