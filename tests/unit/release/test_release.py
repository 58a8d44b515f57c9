"""Releases: what they hold, and how they are saved."""

from __future__ import annotations

import csv
import gc
import gzip
import hashlib
import io
import json
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.engines import _rows as rows_module
from hedgerow.errors import BadInput, NotAnonymous
from hedgerow.io import atomic as places
from hedgerow.io.atomic import manifest_path, sha256
from hedgerow.io.destinations import Destination
from hedgerow.release import saving

FrameType = Callable[[pa.Table], Any]
RowsOf = Callable[[Any], list[dict[str, Any]]]

SCHEMA = hr.Schema(
    quasi=["age", "city"], target="income", identifying=["name"], insensitive=["note"], accept=["note"], missing=("?",)
)
PEOPLE = pa.table(
    {
        "name": [f"Person-{n}" for n in range(12)],
        "age": [20, 20, 20, 41, 41, 42, 42, 43, 43, 87654, 20, 20],
        "city": ["?", "?", "?", "Bern", "Bern", "Bern", "Ulm", "Ulm", "Ulm", "Soglio", "?", "?"],
        "income": ["low", "high"] * 6,
        "note": [f'0{n}, "q"\nx' for n in range(12)],
    }
)
NAMES = ["out.csv", "out.csv.gz", "out.parquet", "OUT.CSV"]


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a saved release, missing ones as null."""
    if path.name.lower().endswith("parquet"):
        return _rows(pq.read_table(path))
    raw = gzip.decompress(path.read_bytes()) if path.name.endswith("gz") else path.read_bytes()
    frame = pd.read_csv(io.BytesIO(raw), dtype=str, keep_default_na=False, na_values=["?"])
    return _rows(pa.Table.from_pandas(frame))


def _rows(table: pa.Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def multiset(rows: list[dict[str, Any]]) -> Counter[str]:
    return Counter(str(row) for row in rows)


@pytest.fixture
def people_file(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "people.csv"
    PEOPLE.to_pandas().to_csv(path, index=False)
    return path


@pytest.mark.parametrize("name", NAMES)
def test_saving_a_frame(name: str, frame_type: FrameType, rows_of: RowsOf, tmp_path: Path) -> None:
    release = hr.anonymize(frame_type(PEOPLE), SCHEMA, k=3)
    path = release.save(tmp_path / name)
    assert path == tmp_path / name
    assert multiset(read(path)) == multiset(rows_of(release.table))
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([name, f"{name}.manifest.json"])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("told", [None, Path, str])
def test_saving_from_a_file(
    name: str, told: type[Path | str] | None, people_file: Path, tmp_path: Path, rows_of: RowsOf
) -> None:
    """With the destination told beforehand or not, and in every format."""
    out = tmp_path / "out"
    out.mkdir()
    release = hr.anonymize(people_file, SCHEMA, k=3, destination=None if told is None else told(out / name))
    release.save(out / name)
    expected = multiset(rows_of(hr.anonymize(PEOPLE, SCHEMA, k=3, random_state=1).table))
    rows = [{key: None if cell == "?" else cell for key, cell in row.items()} for row in read(out / name)]
    assert multiset(rows) == expected
    del release
    gc.collect()
    assert sorted(file.name for file in out.iterdir()) == sorted([name, f"{name}.manifest.json"])


def test_saving_in_another_format_than_told(people_file: Path, tmp_path: Path) -> None:
    release = hr.anonymize(people_file, SCHEMA, k=3, destination=tmp_path / "out.csv")
    release.save(tmp_path / "out.csv")
    release.save(tmp_path / "out.csv.gz")
    release.save(tmp_path / "out.parquet")
    assert multiset(read(tmp_path / "out.csv")) == multiset(read(tmp_path / "out.csv.gz"))


def test_missing_values_are_written_as_they_were_marked(tmp_path: Path, people_file: Path) -> None:
    hr.anonymize(PEOPLE, SCHEMA, k=3).save(tmp_path / "frame.csv")
    hr.anonymize(people_file, SCHEMA, k=3).save(tmp_path / "file.csv")
    for name in ("frame.csv", "file.csv"):
        frame = pd.read_csv(tmp_path / name, dtype=str, keep_default_na=False)
        assert (frame["city"] == "?").sum() == 5


def test_the_manifest(tmp_path: Path) -> None:
    path = hr.anonymize(PEOPLE, SCHEMA, k=3, random_state=5).save(tmp_path / "out.csv")
    text = manifest_path(path).read_text()
    manifest = json.loads(text)
    assert manifest["output"] == {"file": "out.csv", "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    assert manifest["method"] == "mondrian"
    assert manifest["rows_in"] == 12
    assert manifest["seed_given"] is True
    assert manifest["columns"]["dropped"] == ["name"]
    assert manifest["versions"]["duckdb"]
    for secret in ("Person-", "Soglio", "87654", '0{n}, \\"q'):
        assert secret not in json.dumps(
            {key: value for key, value in manifest.items() if key not in ("versions", "output")}
        )


def test_a_release_can_be_saved_over_an_older_one(tmp_path: Path) -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=3)
    (tmp_path / "out.csv").write_text("older")
    with pytest.raises(BadInput, match=r"out\.csv' exists already.*--force, overwrite=True"):
        release.save(tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "older"
    release.save(tmp_path / "out.csv", overwrite=True)
    assert "older" not in (tmp_path / "out.csv").read_text()


def test_a_file_that_appears_while_a_release_is_saved_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else writes between the first look and the last moment."""
    release = hr.anonymize(PEOPLE, SCHEMA, k=3)

    def digest(path: Path) -> str:
        (tmp_path / "out.csv").write_text("theirs")
        return sha256(path)

    monkeypatch.setattr("hedgerow.release.saving.sha256", digest)
    with pytest.raises(BadInput, match="exists already"):
        release.save(tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "theirs"


@pytest.mark.parametrize("stop_at", ["out.csv.manifest.json", "out.csv.proportions.json", "out.csv"])
def test_a_stop_between_two_renames_is_told_by_the_audit(
    stop_at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table takes its name last, so that it never stands beside a manifest that seems to be its own."""
    path = tmp_path / "out.csv"
    hr.anonymize(PEOPLE, SCHEMA, k=2, publish_proportions=True).save(path)
    older = path.read_bytes()
    release = hr.anonymize(PEOPLE, SCHEMA, k=3, publish_proportions=True)
    replace = Path.replace

    def stopped(self: Path, target: Path) -> Path:
        if target.name == stop_at:
            raise KeyboardInterrupt
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", stopped)
    with pytest.raises(KeyboardInterrupt):
        release.save(path, overwrite=True)
    assert path.read_bytes() == older
    audit = hr.audit(path, quasi=["age", "city"])
    assert audit.manifest == ("fits" if stop_at == "out.csv.manifest.json" else "differs")
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(
        ["out.csv", "out.csv.manifest.json", "out.csv.proportions.json"]
    )


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_a_failure_leaves_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=3)
    monkeypatch.setattr(rows_module, "copy_options", lambda _path: "FORMAT csv, NONSENSE 'Soglio'")
    with pytest.raises(BadInput, match="cannot write the release") as caught:
        release.save(tmp_path / name)
    assert caught.value.__context__ is None
    assert "Soglio" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_the_older_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=3)
    (tmp_path / "out.csv").write_text("older")

    def full(_path: Path) -> str:
        raise OSError("No space left on device")

    monkeypatch.setattr(saving, "sha256", full)
    with pytest.raises(BadInput, match="cannot be written"):
        release.save(tmp_path / "out.csv", overwrite=True)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["older"]


@pytest.mark.parametrize("name", NAMES)
def test_what_was_written_is_counted_again(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that spoils one cell: the file never takes its name."""
    release = hr.anonymize(PEOPLE.to_pandas(), SCHEMA, k=3)
    copy = rows_module._copy

    def spoiling(connection: Any, rows: Any, *rest: Any) -> None:
        spoilt = "SELECT * REPLACE (CASE WHEN row_number() OVER () = 1 THEN 'x' ELSE city END AS city) FROM rows"
        copy(connection, rows.query("rows", spoilt), *rest)

    monkeypatch.setattr(rows_module, "_copy", spoiling)
    with pytest.raises(NotAnonymous, match="does not meet 3-anonymity"):
        release.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_a_staged_file_that_was_changed_is_not_published(name: str, people_file: Path, tmp_path: Path) -> None:
    """Whoever can write to the staging folder cannot make a release of it."""
    release = hr.anonymize(people_file, SCHEMA, k=3, destination=tmp_path / name)
    staged = release.rows.native
    frame = pd.read_csv(staged, dtype=str) if name == "out.csv" else pd.read_parquet(staged)
    frame.loc[0, "city"] = "Soglio"
    frame.to_csv(staged, index=False) if name == "out.csv" else frame.to_parquet(staged, index=False)
    with pytest.raises(NotAnonymous):
        release.save(tmp_path / name)
    assert not (tmp_path / name).exists()
    assert not manifest_path(tmp_path / name).exists()


def test_saving_never_makes_a_link(people_file: Path, tmp_path: Path) -> None:
    release = hr.anonymize(people_file, SCHEMA, k=3, destination=tmp_path / "out.csv")
    saved = release.save(tmp_path / "out.csv")
    assert saved.stat().st_nlink == 1
    assert saved.read_bytes() == release.rows.native.read_bytes()


def test_what_is_done_to_the_table_is_not_saved(frame_type: FrameType, tmp_path: Path, rows_of: RowsOf) -> None:
    release = hr.anonymize(frame_type(PEOPLE), SCHEMA, k=3)
    before = multiset(rows_of(release.table))
    table = release.table
    assert release.table is table or not isinstance(table, pd.DataFrame), "one copy, not one for each look"
    if isinstance(table, pd.DataFrame):
        table.loc[0, "city"] = "Soglio"
        table["name"] = "Person-0"
    elif hasattr(table, "insert_column"):
        table.insert_column(0, table["city"].alias("name"))
    assert multiset(read(release.save(tmp_path / "out.csv"))) == before


@pytest.mark.parametrize(("absent", "missing"), [(None, ()), ("?", ("?",))])
@pytest.mark.parametrize("from_file", [False, True])
def test_missing_values_and_empty_text_that_would_become_one(
    absent: str | None, missing: tuple[str, ...], from_file: bool, tmp_path: Path
) -> None:
    """Two diseases in the table, one in the CSV: l-diversity would hold in memory only."""
    table = pa.table({"age": [1] * 4, "ill": [absent, "", absent, ""]})
    data = _written(table, tmp_path / "in.parquet") if from_file else table
    schema = hr.Schema(quasi=["age"], sensitive=["ill"], missing=missing)
    out = tmp_path / "out"
    out.mkdir()
    release = hr.anonymize(data, schema, k=2, require=[hr.LDiversity(2, "ill")], destination=out / "out.csv")
    with pytest.raises(BadInput, match="'ill' holds both missing values and empty text"):
        release.save(out / "out.csv")
    assert not [path for path in out.iterdir() if not path.name.startswith(".")]
    assert len(read(release.save(out / "out.parquet"))) == 4


@pytest.mark.parametrize("entity", [None, "who"])
@pytest.mark.parametrize("from_file", [False, True])
def test_empty_text_that_a_requirement_knows_is_not_written_as_missing(
    from_file: bool, entity: str | None, tmp_path: Path
) -> None:
    """In the tree, empty text stands beside flu; a missing value would stand alone under the root."""
    table = pa.table({"age": [1, 2, 3], "ill": ["flu", "flu", ""], "who": ["a", "b", "c"]})
    data = _written(table, tmp_path / "in.parquet") if from_file else table
    tree = {"any": {"lung": ["flu", ""], "skin": ["rash"]}}
    require = hr.TCloseness(0.5, "ill", distance="hierarchical", tree=tree)
    schema = hr.Schema(quasi=["age"], sensitive=["ill"], missing=(), entity=entity, others="drop")
    release = hr.anonymize(data, schema, require=[require], destination=tmp_path / "out.csv")
    with pytest.raises(BadInput, match="cannot show empty text"):
        release.save(tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()
    assert len(read(release.save(tmp_path / "out.parquet"))) == 3


def test_a_missing_and_an_empty_quasi_identifier_keep_their_proportions_apart(tmp_path: Path) -> None:
    table = pa.table({"city": [None, ""]})
    data = _written(table, tmp_path / "in.parquet")
    release = hr.anonymize(
        data, hr.Schema(quasi=["city"], missing=()), k=1, publish_proportions=True, destination=tmp_path / "out.csv"
    )
    with pytest.raises(BadInput, match="'city' holds both missing values and empty text"):
        release.save(tmp_path / "out.csv")


def test_one_column_keeps_its_missing_rows(tmp_path: Path) -> None:
    """An empty line would be no record to most readers."""
    table = pa.table({"city": ["Bern", "Bern", None, None]})
    for data in (table, _written(table, tmp_path / "in.parquet")):
        path = hr.anonymize(data, hr.Schema(quasi=["city"]), k=2).save(tmp_path / "out.csv", overwrite=True)
        with path.open(newline="") as text:
            assert sorted(csv.reader(text)) == [[""], [""], ["Bern"], ["Bern"], ["city"]]


def test_names_that_hold_other_delimiters(tmp_path: Path) -> None:
    """The commas are ours: nothing is guessed from a header that has more of another sign."""
    table = pa.table({"a;b;c|d": [1, 1], 'say "x"\ttab\nline': ["y", "y"]})
    for data in (table, _written(table, tmp_path / "in.parquet")):
        release = hr.anonymize(data, hr.Schema(), k=2, destination=tmp_path / "out.csv")
        path = release.save(tmp_path / "out.csv", overwrite=True)
        with path.open(newline="") as text:
            assert next(csv.reader(text)) == table.column_names


def _written(table: pa.Table, path: Path) -> Path:
    pq.write_table(table, path)
    return path


def test_the_input_is_never_written_over(people_file: Path, tmp_path: Path) -> None:
    before = people_file.read_bytes()
    release = hr.anonymize(people_file, SCHEMA, k=3)
    (tmp_path / "link.csv").symlink_to(people_file)
    (tmp_path / "hard.csv").hardlink_to(people_file)
    for place in (people_file, tmp_path / "link.csv", tmp_path / "hard.csv"):
        with pytest.raises(BadInput, match="is a file that is read"):
            release.save(place)
    assert people_file.read_bytes() == before


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("told", [False, True])
def test_formulas_are_told_and_escaped_on_request(name: str, told: bool, people_file: Path, tmp_path: Path) -> None:
    notes = ["=1+1", "@x", "-5"] * 4
    table = PEOPLE.set_column(4, "note", pa.array(notes))
    file = _written(table, tmp_path / "in" / "people.parquet")
    for data in (table, file):
        release = hr.anonymize(data, SCHEMA, k=3, destination=tmp_path / name if told else None)
        assert [warning for warning in release.audit.warnings if "8 cells of 'note'" in warning]
        rows = read(release.save(tmp_path / name, overwrite=True))
        assert Counter(row["note"] for row in rows) == Counter(notes)
        rows = read(release.save(tmp_path / name, escape_formulas=True, overwrite=True))
        shown = Counter(notes) if "parquet" in name else Counter(["'=1+1", "'@x", "-5"] * 4)
        assert Counter(row["note"] for row in rows) == shown


def test_formulas_are_told_of_columns_of_every_role(tmp_path: Path) -> None:
    """Some are counted by the verifier, the others looked for: the warning names all."""
    cells = ["=a", "b"] * 3
    table = pa.table({"town": cells, "ill": cells, "job": cells, "note": cells, "age": [-1, -2] * 3})
    schema = hr.Schema(quasi=["town", "age"], sensitive=["ill"], target="job", others="insensitive")
    for data in (table, _written(table, tmp_path / "people.parquet")):
        release = hr.anonymize(data, schema, k=3)
        told = [warning for warning in release.audit.warnings if "spreadsheet" in warning]
        named = ", ".join(f"3 cells of '{name}'" for name in ("town", "ill", "job", "note"))
        assert [warning.split(" begin as")[0] for warning in told] == [named]


def test_an_escaped_column_keeps_its_requirements(tmp_path: Path) -> None:
    """The order of the values is that of their texts without the apostrophe."""
    table = pa.table({"age": [1, 1, 1, 2, 2, 2], "ill": ["=a", "b", "-c"] * 2})
    schema = hr.Schema(quasi=["age"], sensitive=["ill"])
    release = hr.anonymize(table, schema, k=3, require=["t=0.1:ordered@ill", "l=3@ill"])
    rows = read(release.save(tmp_path / "out.csv", escape_formulas=True))
    assert Counter(row["ill"] for row in rows) == {"'=a": 2, "b": 2, "'-c": 2}


def test_two_writers_never_mix_their_files(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    releases = [hr.anonymize(PEOPLE, SCHEMA, k=k, publish_proportions=k == 3) for k in (2, 3)]

    def write(release: hr.Release) -> None:
        for _ in range(8):
            release.save(path, overwrite=True)

    writers = [threading.Thread(target=write, args=(release,)) for release in releases]
    for writer in writers:
        writer.start()
    fits = []
    while any(writer.is_alive() for writer in writers):
        if path.exists():
            with places.locked(path):
                fits.append(hr.audit(path, quasi=["age", "city"]).manifest)
    assert set(fits) == {"fits"}
    assert hr.audit(path, quasi=["age", "city"]).manifest == "fits"


def test_a_frame_whose_names_differ_in_case_is_not_saved_under_other_names(tmp_path: Path) -> None:
    table = pa.table({"Age": [1, 1], "age": [2, 2]})
    release = hr.anonymize(table, hr.Schema(quasi=["Age", "age"]), k=2)
    assert release.table.column_names == ["Age", "age"]
    with pytest.raises(BadInput, match="differ only in case"):
        release.save(tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("out.txt", "neither .csv, .csv.gz nor .parquet"),
        ("out", "neither"),
        ("none/out.csv", "There is no folder"),
        ("folder.csv", "is a folder"),
    ],
)
def test_bad_destinations(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    release = hr.anonymize(PEOPLE, SCHEMA, k=3)
    with pytest.raises(BadInput, match=message):
        release.save(tmp_path / name)
    with pytest.raises(BadInput, match=message):
        hr.anonymize(PEOPLE, SCHEMA, k=3, destination=tmp_path / name)


@pytest.mark.parametrize("name", ["a*.csv", "[1].csv", "it's.csv", "a?.parquet"])
def test_destinations_with_awkward_names(name: str, people_file: Path, tmp_path: Path) -> None:
    for data in (people_file, PEOPLE):
        hr.anonymize(data, SCHEMA, k=3, destination=tmp_path / name).save(tmp_path / name, overwrite=True)
        assert len(read(tmp_path / name)) == 12


def test_the_table_of_a_file_outlives_its_release(
    people_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    for destination in (None, temporary / "out.csv"):
        table = hr.anonymize(people_file, SCHEMA, k=3, destination=destination).table
        gc.collect()
        assert len(table.fetchall()) == 12
        assert table.columns == ["age", "city", "income", "note"]
        del table
        gc.collect()
        assert not list(temporary.iterdir())


def test_proportions_stand_beside_the_table(tmp_path: Path) -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=3, publish_proportions=True)
    path = release.save(tmp_path / "out.csv")
    beside = tmp_path / "out.csv.proportions.json"
    said = json.loads(manifest_path(path).read_text())
    assert said["proportions"] == {"file": beside.name, "sha256": hashlib.sha256(beside.read_bytes()).hexdigest()}
    assert release.proportions is not None
    assert json.loads(beside.read_text()) == release.proportions.to_dict()


def test_a_table_never_stands_beside_the_proportions_of_another(tmp_path: Path) -> None:
    hr.anonymize(PEOPLE, SCHEMA, k=3, publish_proportions=True).save(tmp_path / "out.csv")
    path = hr.anonymize(PEOPLE, SCHEMA, k=3).save(tmp_path / "out.csv", overwrite=True)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out.csv", "out.csv.manifest.json"]
    assert "proportions" not in json.loads(manifest_path(path).read_text())


def test_a_release_knows_its_columns() -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=3)
    assert (release.quasi, release.target) == (("age", "city"), "income")
    assert set(release.hierarchies) == {"age", "city"}


def test_a_preview_is_a_few_published_rows_of_the_same_type(frame_type: FrameType, rows_of: RowsOf) -> None:
    release = hr.anonymize(frame_type(PEOPLE), SCHEMA, k=3)
    shown = release.preview(4)
    assert type(shown) is type(release.table)
    rows = rows_of(shown)
    assert len(rows) == 4
    assert all(row in rows_of(release.table) for row in rows)
    assert len(rows_of(release.preview(50))) == len(PEOPLE)
    with pytest.raises(BadInput, match="'rows' parameter of"):
        release.preview(0)


def test_a_preview_of_a_file(people_file: Path, rows_of: RowsOf) -> None:
    assert len(rows_of(hr.anonymize(people_file, SCHEMA, k=3).preview())) == 5


def test_what_stands_beside_a_release_appears_with_it_or_neither_does(tmp_path: Path) -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=3)
    place = Destination.of(tmp_path / "out.csv")
    staged, page = tmp_path / "staged", tmp_path / "page"
    told = []

    def stage(manifest: Any) -> list[tuple[Path, Path]]:
        told.append(manifest["output"]["sha256"])
        staged.write_text("a page")
        return [(staged, page)]

    def fail(_manifest: Any) -> list[tuple[Path, Path]]:
        raise BadInput("It cannot be drawn.")

    wishes: dict[str, Any] = {"escape_formulas": False, "overwrite": False, "redrawn": None}
    with pytest.raises(BadInput, match="drawn"):
        saving.save(release, place, **wishes, beside=fail)
    assert not list(tmp_path.iterdir())
    saving.save(release, place, **wishes, beside=stage)
    assert told == [sha256(tmp_path / "out.csv")]
    assert page.read_text() == "a page"
