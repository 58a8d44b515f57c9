"""Releases in folders: what is written, read back, refused, and noticed."""

from __future__ import annotations

import json
import threading
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.engines import _folders as folder_writing
from hedgerow.errors import BadInput, NotAnonymous
from hedgerow.io import atomic as places
from hedgerow.io.atomic import digest, manifest_path
from hedgerow.io.parquet_folder import files_in, folder_name
from hedgerow.release import Guarantee

SECRET = "Zebulon"
ROWS = 600
GENERATOR = np.random.default_rng(3)
PEOPLE = pa.table(
    {
        "name": [f"{SECRET}{number}" for number in range(ROWS)],
        "age": GENERATOR.integers(20, 60, ROWS),
        "sex": GENERATOR.choice(["F", "M"], ROWS),
        "town": pa.array(GENERATOR.choice(["Ulm/Donau", "50%", "ü'", "x"], ROWS).tolist()),
        "ill": pa.array([None if one == "none" else one for one in GENERATOR.choice(["flu", "a=b", "none"], ROWS)]),
        "ward": GENERATOR.integers(1, 4, ROWS),
        "day": [date(2020, 1, int(one)) for one in GENERATOR.integers(1, 4, ROWS)],
        "dose": GENERATOR.integers(1, 4, ROWS) / 2,
    }
)
SCHEMA = hr.Schema(
    quasi=["age", "sex", "town"],
    target="ill",
    identifying=["name"],
    insensitive=["ward", "day", "dose"],
    hierarchies={"town": "flat", "sex": "flat"},
)
QUASI = ["age", "sex", "town"]


def rows_of(table: Any) -> Counter[tuple[Any, ...]]:
    """The rows as a multiset, by the names of the columns."""
    frame = nw.from_native(table)
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    columns = sorted(eager.columns)
    return Counter(tuple(row[name] for name in columns) for row in eager.to_arrow().to_pylist())


def released(**options: Any) -> hr.Release:
    return hr.anonymize(PEOPLE, SCHEMA, **{"k": 10, **options})


def sizes(folder: Path) -> list[int]:
    return [pq.read_metadata(folder / name).num_rows for name in files_in(folder)]


@pytest.fixture(scope="module")
def release() -> hr.Release:
    return released(publish_proportions=True)


@pytest.fixture(params=["arrow", "pandas", "polars", "parquet", "csv", "staged"])
def anyhow(request: pytest.FixtureRequest, tmp_path: Path) -> hr.Release:
    """The release of a table that comes as anything."""
    (tmp_path / "in").mkdir()
    if request.param in ("parquet", "staged"):
        pq.write_table(PEOPLE, tmp_path / "in/people.parquet")
        place = f"{tmp_path}/out/" if request.param == "staged" else None
        return hr.anonymize(tmp_path / "in/people.parquet", SCHEMA, k=10, destination=place)
    if request.param == "csv":
        PEOPLE.to_pandas().to_csv(tmp_path / "in/people.csv", index=False)
        return hr.anonymize(tmp_path / "in/people.csv", SCHEMA, k=10)
    frame = nw.from_native(PEOPLE)
    native = {"arrow": PEOPLE, "pandas": PEOPLE.to_pandas(), "polars": frame.to_polars()}[request.param]
    return hr.anonymize(native, SCHEMA, k=10)


def test_a_release_of_anything_to_a_folder_and_back(anyhow: hr.Release, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert anyhow.save(f"{out}/", rows_per_file=250) == out
    assert (files_in(out), sizes(out)) == ([f"part-0000{number}.parquet" for number in range(3)], [250, 250, 100])
    assert rows_of(ds.dataset(out).to_table()) == rows_of(anyhow.table), "read by Arrow"
    loaded = hr.Release.load(out)
    assert rows_of(loaded.table) == rows_of(anyhow.table)
    assert (loaded.audit.k, loaded.guarantee.columns) == (anyhow.audit.k, anyhow.guarantee.columns)
    assert hr.audit(out, quasi=QUASI).manifest == "fits"
    said = json.loads((tmp_path / "out.manifest.json").read_text())["output"]
    assert (said["folder"], list(said["files"]), said["sha256"]) == ("out", files_in(out), digest(out))
    seen = sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("."))
    assert seen == ["in", "out", "out.manifest.json"], "what is hidden is staged for the release, and goes with it"
    anyhow.save(tmp_path / "again", partition_by=["sex"])
    assert rows_of(hr.Release.load(tmp_path / "again").table) == rows_of(anyhow.table)


def test_without_a_number_there_is_one_file(release: hr.Release, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    release.save(tmp_path / "out")
    assert sizes(tmp_path / "out") == [ROWS]
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o755


def test_a_release_staged_in_its_folder_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files are copied as they were counted; written in another form they are counted again."""
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    staged = hr.anonymize(tmp_path / "people.parquet", SCHEMA, k=10, destination=f"{tmp_path / 'out'}/")
    counted: list[Any] = []
    count = Guarantee._count

    def counting(guarantee: Guarantee, artefact: Any, people: Any = None) -> Any:
        counted.append(artefact)
        return count(guarantee, artefact, people)

    monkeypatch.setattr(Guarantee, "_count", counting)
    staged.save(f"{tmp_path / 'out'}/")
    assert counted == []
    staged.save(tmp_path / "other", rows_per_file=100)
    assert len(counted) == 1


@pytest.mark.parametrize("columns", [["sex"], ["town", "ill"], ["ward"], ["day", "sex"]])
def test_folders_by_columns(columns: list[str], release: hr.Release, tmp_path: Path) -> None:
    """Every kind of column reads back as what it was, by us and by others."""
    out = tmp_path / "out"
    release.save(out, partition_by=columns, rows_per_file=90)
    names = files_in(out)
    assert all([one.split("=")[0] for one in name.split("/")[:-1]] == columns for name in names)
    assert max(sizes(out)) <= 90
    assert not set(pq.read_schema(out / names[0]).names) & set(columns), "only in the names"
    loaded = hr.Release.load(out)
    assert rows_of(loaded.table) == rows_of(release.table)
    assert tuple(loaded.table.columns) == release.guarantee.columns
    found = hr.audit(out, quasi=QUASI, sensitive=["ill"])
    assert (found.k, found.manifest, found.rows) == (release.audit.k, "fits", ROWS)
    read = duckdb.execute(
        f"SELECT {', '.join(columns)}, count(*) FROM read_parquet('{out}/**/*.parquet', hive_partitioning = true, "
        "hive_types_autocast = false) GROUP BY ALL"
    ).fetchall()
    expected = Counter(tuple(row[name] for name in columns) for row in release.table.to_pylist())
    texts = {tuple(None if one is None else str(one) for one in key): number for key, number in expected.items()}
    assert {tuple(row[:-1]): row[-1] for row in read} == texts, "read by DuckDB"
    anew = hr.anonymize(out, hr.Schema(quasi=columns, others="drop"), k=2)
    assert anew.audit.rows == ROWS, "as the table of another release"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["tonw"], r"no published column 'tonw'. Did you mean 'town'"),
        (["name"], "no published column 'name'"),
        (["age", "sex", "town", "ill", "ward", "day"], "would have fewer than 10 rows"),
        (["dose"], "'dose': its values are neither text, whole numbers nor days"),
        (["age", "sex", "town", "ill", "ward", "day", "dose"], "by all columns"),
    ],
)
def test_columns_that_folders_cannot_tell(
    columns: list[str], message: str, release: hr.Release, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=message):
        release.save(tmp_path / "out", partition_by=columns)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["", "x"], "holds empty text"),
        (["__HIVE_DEFAULT_PARTITION__", "x"], "holds empty text"),
        (["é" * 200, "x"], "name of a folder would have 40"),
    ],
)
def test_values_that_names_cannot_tell(values: list[str], message: str, tmp_path: Path) -> None:
    table = pa.table({"age": [30, 40] * 20, "note": values * 20})
    release = hr.anonymize(table, hr.Schema(quasi=["age"], insensitive=["note"], accept=["note"]), k=5)
    with pytest.raises(BadInput, match=message) as caught:
        release.save(tmp_path / "out", partition_by="note")
    assert "é" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_pseudonyms_and_people(tmp_path: Path) -> None:
    table = pa.table(
        {"id": [f"p{n // 2}" for n in range(200)], "age": [20 + n % 5 for n in range(200)], "x": [1] * 200}
    )
    schema = hr.Schema(quasi=["age"], pseudonymize=["id"], insensitive=["x"])
    with pytest.raises(BadInput, match="a pseudonym belongs to one person"):
        hr.anonymize(table, schema, k=5).save(tmp_path / "out", partition_by="id")
    schema = hr.Schema(quasi=["age"], entity="id", insensitive=["x"])
    for data in (table, tmp_path / "in.parquet"):
        pq.write_table(table, tmp_path / "in.parquet")
        release = hr.anonymize(data, schema, k=5, destination=f"{tmp_path}/out/")
        with pytest.raises(BadInput, match="only quasi-identifiers"):
            release.save(tmp_path / "out", partition_by="x", overwrite=True)
        release.save(tmp_path / "out", partition_by="age", overwrite=True)
        release.save(tmp_path / "plain", rows_per_file=60, overwrite=True)
        assert sum(sizes(tmp_path / "plain")) == sum(sizes(tmp_path / "out")) == 200


def test_too_many_files(release: hr.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.release.saving._MOST_FILES", 100)
    monkeypatch.setattr("hedgerow.release.saving._MOST_FOLDERS", 3)
    with pytest.raises(BadInput, match="more than 100 files"):
        release.save(tmp_path / "out", rows_per_file=5)
    with pytest.raises(BadInput, match=r"among 6 folders\. At most 3"):
        release.save(tmp_path / "out", partition_by=["sex", "ward"])


@pytest.mark.parametrize(
    ("change", "told"),
    [("changed", "1 changed"), ("removed", "1 missing"), ("added", "1 added"), ("moved", "1 missing")],
)
def test_a_change_is_noticed(change: str, told: str, release: hr.Release, tmp_path: Path) -> None:
    out = tmp_path / "out"
    release.save(out, partition_by=["sex"], rows_per_file=200)
    first = out / files_in(out)[0]
    match change:
        case "changed":
            pq.write_table(pq.read_table(first, partitioning=None).slice(1), first)
        case "removed":
            first.unlink()
        case "added":
            (first.parent / "part-00009.parquet").write_bytes(first.read_bytes())
        case "moved":
            first.rename(first.with_name("part-00009.parquet"))
    with pytest.raises(BadInput, match=rf"not the one that its manifest describes \(of its files: .*{told}"):
        hr.Release.load(out)
    found = hr.audit(out, quasi=QUASI)
    assert found.manifest == "differs"
    assert any(told in warning for warning in found.warnings)


def test_marks_of_other_programs_are_no_change(release: hr.Release, tmp_path: Path) -> None:
    release.save(tmp_path / "out", partition_by="sex")
    (tmp_path / "out/_SUCCESS").touch()
    (tmp_path / "out/.part-00000.parquet.crc").touch()
    assert hr.Release.load(tmp_path / "out").audit.rows == ROWS
    release.save(tmp_path / "out", overwrite=True)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["part-00000.parquet"]


def test_an_older_one_is_replaced_as_a_whole(release: hr.Release, tmp_path: Path) -> None:
    out = tmp_path / "out"
    release.save(out, rows_per_file=50, redrawn=1)
    beside = {"out", "out.manifest.json", "out.proportions.json", "out.redrawn", "out.redrawn.manifest.json"}
    assert {path.name for path in tmp_path.iterdir()} == beside
    assert hr.audit(tmp_path / "out.redrawn", quasi=QUASI).manifest == "fits"
    with pytest.raises(BadInput, match="is not empty"):
        release.save(out)
    released(k=50).save(out, overwrite=True, partition_by="sex")
    assert {path.name for path in tmp_path.iterdir()} == {"out", "out.manifest.json"}
    assert hr.Release.load(out).audit.k >= 50
    assert all(name.startswith("sex=") for name in files_in(out))


def test_a_folder_of_something_else_is_not_replaced(release: hr.Release, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/thesis.tex").write_text("mine")
    with pytest.raises(BadInput, match="something other than a release"):
        release.save(tmp_path / "out", overwrite=True)
    assert (tmp_path / "out/thesis.tex").read_text() == "mine"


def test_the_table_that_is_read_is_not_replaced(tmp_path: Path) -> None:
    released().save(tmp_path / "data", rows_per_file=100)
    anew = hr.anonymize(tmp_path / "data", hr.Schema(quasi=["sex"], others="drop"), k=5)
    with pytest.raises(BadInput, match="files that are read"):
        anew.save(tmp_path / "data", overwrite=True)


def test_writers_that_meet(tmp_path: Path) -> None:
    """Several at once: every one of them waits for its turn, and the last one is there as a whole."""
    releases = [released(k=k) for k in (5, 20)]
    threads = [
        threading.Thread(
            target=releases[n % 2].save, args=(tmp_path / "out",), kwargs={"rows_per_file": 70, "overwrite": True}
        )
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hr.audit(tmp_path / "out", quasi=QUASI).manifest == "fits"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.manifest.json"]


def test_what_was_written_is_counted_again(
    release: hr.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that spoils the name of one folder: nothing takes its name."""
    spoilt = ["town"]

    def spoiling(name: str, value: str | None) -> str:
        if name in spoilt:
            spoilt.remove(name)
            value = f"{value}x"
        return folder_name(name, value)

    monkeypatch.setattr(folder_writing, "folder_name", spoiling)
    with pytest.raises(NotAnonymous, match=r"does not meet 10-anonymity|would differ from the release"):
        release.save(tmp_path / "out", partition_by=["ward", "town"])
    assert list(tmp_path.iterdir()) == []


def test_files_hold_only_the_columns(tmp_path: Path) -> None:
    """Nothing of pandas' index or of Arrow's schema; zstd; and no cell of the input in any name."""
    frame = PEOPLE.to_pandas().set_index(pd.Index([f"{SECRET}-{n}" for n in range(ROWS)], name="key"))
    hr.anonymize(frame, SCHEMA, k=10).save(tmp_path / "out", partition_by="sex", rows_per_file=100)
    for name in files_in(tmp_path / "out"):
        said = pq.read_metadata(tmp_path / "out" / name)
        assert said.metadata is None
        assert said.row_group(0).column(0).compression == "ZSTD"
        assert SECRET not in name
        assert SECRET.encode() not in (tmp_path / "out" / name).read_bytes()
    assert SECRET not in manifest_path(tmp_path / "out").read_text()


@pytest.mark.parametrize("options", [{"rows_per_file": 1_000}, {"partition_by": "sex", "rows_per_file": 500}])
@pytest.mark.parametrize("source", ["frame", "file"])
def test_files_tell_nothing_of_the_order(source: str, options: dict[str, Any], tmp_path: Path) -> None:
    """Rows are numbered in the order of the input: in the files the numbers are as mixed as chance would have it."""
    rows = 4_000
    table = pa.table({"age": [30] * rows, "sex": ["F", "M"] * (rows // 2), "number": np.arange(rows)})
    pq.write_table(table, tmp_path / "in.parquet")
    schema = hr.Schema(quasi=["age", "sex"], insensitive=["number"], accept=["number"])
    data = table if source == "frame" else tmp_path / "in.parquet"
    release = hr.anonymize(data, schema, k=5, destination=f"{tmp_path / 'out'}/")
    release.save(tmp_path / "out", **options)
    for name in files_in(tmp_path / "out"):
        numbers = pq.read_table(tmp_path / "out" / name, partitioning=None)["number"].to_numpy()
        expected = 1 / np.sqrt(len(numbers))
        assert abs(np.corrcoef(np.arange(len(numbers)), numbers)[0, 1]) < 6 * expected
        assert abs(numbers.mean() / rows - 0.5) < 6 * 0.29 * expected


@pytest.mark.parametrize("stop_at", ["out.manifest.json", "out.proportions.json", "out"])
def test_a_stop_between_two_renames_is_told_by_the_audit(
    stop_at: str, release: hr.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder takes its name last: the older one is there as a whole beside a manifest that is not its own."""
    out = tmp_path / "out"
    released(k=50, publish_proportions=True).save(out, rows_per_file=100)
    older = digest(out)
    rename = places._rename

    def stopping(source: Path, target: Path) -> None:
        if target.name == stop_at:
            raise KeyboardInterrupt
        rename(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(places, "_rename", stopping)
        with pytest.raises(KeyboardInterrupt):
            release.save(out, rows_per_file=100, overwrite=True)
    assert digest(out) == older
    assert hr.audit(out, quasi=QUASI).manifest == ("fits" if stop_at == "out.manifest.json" else "differs")
    release.save(out, rows_per_file=50, overwrite=True)
    assert hr.audit(out, quasi=QUASI).manifest == "fits"
