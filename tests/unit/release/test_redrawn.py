"""Rows that are drawn from a release: what they are, what is written beside them, and when nothing is."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow import BadInput
from hedgerow.core.cells import Interval
from hedgerow.io.atomic import manifest_path, redrawn_path, sha256
from hedgerow.release import Redrawn

FrameType = Callable[[pa.Table], Any]
RowsOf = Callable[[Any], list[dict[str, Any]]]

SCHEMA = hr.Schema(
    quasi=["age", "city"], target="ill", identifying=["name"], insensitive=["note"], accept=["note"], missing=("?",)
)
PEOPLE = pa.table(
    {
        "name": [f"Person-{n}" for n in range(24)],
        "age": [20, 21, 22, 25, 41, 42, 43, 44, 61, 62, 63, 64] * 2,
        "city": ["?", "Bern", "Ulm", "Bern", "Ulm", "Ulm", "Bern", "Nice", "Kiel", "Soglio", "Bern", "Ulm"] * 2,
        "ill": list("yynn") * 6,
        "note": [f"0{n}" for n in range(24)],
    }
)
NAMES = ["out.csv", "out.csv.gz", "out.parquet", "OUT.CSV", ".csv"]


def released(data: Any = PEOPLE, schema: hr.Schema = SCHEMA, **parameters: Any) -> hr.Release:
    return hr.anonymize(data, schema, **{"k": 4, "publish_proportions": True, **parameters})


def read(path: Path) -> list[dict[str, Any]]:
    if path.name.lower().endswith("parquet"):
        rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
        return rows
    raw = gzip.decompress(path.read_bytes()) if path.name.endswith("gz") else path.read_bytes()
    return list(csv.DictReader(io.StringIO(raw.decode())))


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def beside(name: str) -> list[str]:
    drawn = redrawn_path(Path(name)).name
    return sorted([name, f"{name}.manifest.json", f"{name}.proportions.json", drawn, f"{drawn}.manifest.json"])


@pytest.mark.parametrize("name", NAMES)
def test_saving_drawn_rows_beside_a_release(name: str, frame_type: FrameType, tmp_path: Path, rows_of: RowsOf) -> None:
    release = released(frame_type(PEOPLE))
    release.save(tmp_path / name, redrawn=3)
    assert files(tmp_path) == beside(name)
    drawn = read(tmp_path / redrawn_path(Path(name)))
    published = rows_of(release.table)
    assert Counter((row["ill"], row["note"]) for row in drawn) == Counter(
        {(row["ill"], row["note"]): 3 for row in published}
    )
    assert {str(row["age"]) for row in drawn} <= {str(age) for age in range(100)}


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
@pytest.mark.parametrize("told", [False, True])
def test_saving_drawn_rows_of_a_file(name: str, told: bool, tmp_path: Path) -> None:
    PEOPLE.to_pandas().to_csv(tmp_path / "people.csv", index=False)
    out = tmp_path / "out"
    out.mkdir()
    release = released(tmp_path / "people.csv", min_support=1, destination=out / name if told else None)
    release.save(out / name, redrawn=2)
    drawn = read(out / redrawn_path(Path(name)))
    # Exact proportions: every column has twice its values.
    for column in ("age", "city", "ill"):
        held = Counter(str(value) for value in PEOPLE[column].to_pylist())
        assert Counter("?" if row[column] is None else str(row[column]) for row in drawn) == Counter(
            {value: 2 * times for value, times in held.items()}
        )


def test_rows_are_a_function_of_the_release_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has only the files, and the same random numbers, draws the very same rows."""
    real = np.random.default_rng
    release = released(random_state=5)
    release.save(tmp_path / "out.parquet")
    monkeypatch.setattr(np.random, "default_rng", lambda _seed=None: real(7))
    loaded = hr.Release.load(tmp_path / "out.parquet")
    monkeypatch.setattr("os.urandom", real(9).bytes)
    drawn = release.redraw(3).table
    monkeypatch.setattr("os.urandom", real(9).bytes)
    assert loaded.redraw(3).table.to_arrow_table().to_pylist() == drawn.to_pylist()
    monkeypatch.setattr(np.random, "default_rng", lambda _seed=None: real(8))
    assert release.redraw(3).table.to_pylist() != drawn.to_pylist()


def test_the_seed_of_the_release_decides_nothing() -> None:
    """Neither alone nor with the state of numpy's own generator; the rows of one release are in one order."""
    release = released(random_state=5)
    drawn = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002 - nothing may follow from it
        drawn.append(sorted(map(str, release.redraw(3).table.to_pylist())))
    assert drawn[0] != drawn[1]


@pytest.mark.parametrize("from_file", [False, True])
def test_every_drawn_row_is_one_of_its_class(from_file: bool, tmp_path: Path) -> None:
    """Labels stand for the values below them, also where a bin has others too; the notes tell whose class it is."""
    tree = {"*": {"south": ["Bern", "Nice", "Soglio"], "north": ["Ulm", "Kiel"]}}
    below = {"south": {"Bern", "Nice", "Soglio"}, "north": {"Ulm", "Kiel"}}
    below["*"] = below["south"] | below["north"]
    table = PEOPLE.set_column(2, "city", pa.array(["Bern", "Nice", "Soglio", "Bern", "Ulm", "Ulm", "Kiel", "Ulm"] * 3))
    schema = hr.Schema(
        quasi=["age", "city"], hierarchies={"city": tree}, insensitive=["note"], accept=["note"], others="drop"
    )
    table.to_pandas().to_csv(tmp_path / "people.csv", index=False)
    release = released(tmp_path / "people.csv" if from_file else table, schema, publish="label", destination=None)
    assert release.proportions is not None
    published = release.table.to_arrow_table() if from_file else release.table
    said = {row["note"]: row for row in published.to_pylist()}
    # Otherwise nothing would depend on the hierarchy.
    assert {row["city"] for row in said.values()} == {"south", "north"}
    drawn = release.redraw(20).table
    for row in (drawn.to_arrow_table() if from_file else drawn).to_pylist():
        of_class = said[row["note"]]
        assert row["city"] in below[of_class["city"]]
        ages = hr.parse(of_class["age"])
        assert not isinstance(ages, Interval) or row["age"] in ages


def test_rows_are_shuffled() -> None:
    release = released()
    published = [row["note"] for row in release.table.to_pylist()]
    drawn = [row["note"] for row in release.redraw(2).table.to_pylist()]
    assert drawn != published * 2
    assert sorted(drawn) == sorted(published * 2)


def test_nothing_is_drawn_that_the_release_does_not_name(tmp_path: Path) -> None:
    """Neither who was dropped, nor who was lost with the only ones that had a value."""
    table = PEOPLE.to_pandas()
    table.loc[0, ["age", "city"]] = [87654, "Timbuktu"]
    release = released(pa.Table.from_pandas(table), suppression_limit=1, method="mondrian")
    assert release.audit.rows == 23
    release.save(tmp_path / "out.csv", redrawn=20)
    told = (tmp_path / "out.csv").read_text() + (tmp_path / "out.csv.proportions.json").read_text()
    assert "Timbuktu" not in told
    for row in read(tmp_path / "out.redrawn.csv"):
        assert row["city"] in told
        assert int(row["age"]) < 100
    text = (tmp_path / "out.redrawn.csv").read_text()
    assert "Person-" not in text
    assert "Timbuktu" not in text
    assert "87654" not in text


def test_the_manifest_of_drawn_rows(tmp_path: Path) -> None:
    path = released(random_state=5).save(tmp_path / "out.csv", redrawn=3)
    said = json.loads(manifest_path(tmp_path / "out.redrawn.csv").read_text())
    of_release = json.loads(manifest_path(path).read_text())
    assert said["output"] == {"file": "out.redrawn.csv", "sha256": sha256(tmp_path / "out.redrawn.csv")}
    assert of_release["redrawn"] == {**said["output"], "repeats": 3}
    assert said["drawn_from"] == {**of_release["output"], "proportions": of_release["proportions"]}
    assert (said["repeats"], said["rows"]) == (3, 72)
    assert said["columns"] == {"drawn": ["age", "city"], "as_published": ["ill", "note"]}
    for words in ("drawn at random from a release", "a function of it alone, and reveal nothing more", "nobody's rows"):
        assert words in said["what"]
    assert "operating system" in said["randomness"]
    # No figure that was computed from original rows is in a file.
    assert "equal" not in " ".join([*said, *of_release])
    assert said.keys() == {
        *("hedgerow", "what", "drawn_from", "repeats", "rows", "columns", "randomness", "warnings", "types", "output")
    }


def test_the_manifest_says_what_labels_were_read_by(tmp_path: Path) -> None:
    tree = {"*": {"south": ["Bern", "Nice", "Soglio"], "north": ["Ulm", "Kiel"]}}
    schema = hr.Schema(quasi=["age", "city"], hierarchies={"city": tree}, missing=("?",), others="drop")
    released(schema=schema).save(tmp_path / "out.csv", redrawn=1)
    what = json.loads(manifest_path(tmp_path / "out.redrawn.csv").read_text())["what"]
    assert "hierarchies that say what the labels of 'city' stand for" in what
    assert "a function of the release and these hierarchies alone" in what
    assert "Soglio" not in what


def test_missing_values_are_written_as_they_were_marked(tmp_path: Path) -> None:
    released(min_support=1).save(tmp_path / "out.csv", redrawn=2)
    assert sum(row["city"] == "?" for row in read(tmp_path / "out.redrawn.csv")) == 4


def test_formulas_are_told_or_escaped(tmp_path: Path) -> None:
    """What a set hides from a spreadsheet, a drawn value does not."""
    table = pa.table({"age": [20, 21, 22, 23] * 2, "sum": ["=1+1", "b"] * 4})
    release = released(table, hr.Schema(quasi=["age", "sum"]), min_support=1)
    drawn = release.redraw(2)
    release.save(tmp_path / "out.csv", redrawn=drawn)
    said = json.loads(manifest_path(tmp_path / "out.redrawn.csv").read_text())
    assert said["warnings"] == list(drawn.warnings)
    assert drawn.warnings[0].startswith("8 cells of 'sum' begin as formulas do (with =")
    release.save(tmp_path / "safe.csv", redrawn=drawn, escape_formulas=True)
    said = json.loads(manifest_path(tmp_path / "safe.redrawn.csv").read_text())
    assert (said["warnings"], said["formulas_escaped"]) == ([], True)
    assert {row["sum"] for row in read(tmp_path / "safe.redrawn.csv")} == {"'=1+1", "b"}


def test_rows_that_were_drawn_before_are_those_that_are_saved(tmp_path: Path) -> None:
    release = released()
    drawn = release.redraw(2)
    assert isinstance(drawn, Redrawn)
    release.save(tmp_path / "out.parquet", redrawn=drawn)
    assert read(tmp_path / "out.redrawn.parquet") == drawn.table.to_pylist()
    assert repr(drawn) == "Redrawn(48 rows, 2 for each published one; drawn 'age', 'city')"


@pytest.mark.parametrize("redrawn", [0, -1, 1.5, True, "3"])
def test_what_is_no_number_of_repeats(redrawn: Any, tmp_path: Path) -> None:
    release = released()
    with pytest.raises(BadInput, match=r"'redrawn' parameter of Release\.save must be an int >= 1"):
        release.save(tmp_path / "out.csv", redrawn=redrawn)
    with pytest.raises(BadInput, match=r"'repeats' parameter of Release\.redraw must be an int >= 1"):
        release.redraw(redrawn)
    assert not files(tmp_path)


def test_without_proportions_it_says_what_to_do(tmp_path: Path) -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=4)
    with pytest.raises(BadInput, match=r"publish_proportions=True \(--publish-proportions\)"):
        release.save(tmp_path / "out.csv", redrawn=3)
    assert not files(tmp_path)


def test_rows_of_another_release_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="drawn from another release"):
        released().save(tmp_path / "out.csv", redrawn=released().redraw(1))
    assert not files(tmp_path)


def test_nothing_is_written_over_unless_that_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = released()
    (tmp_path / "out.redrawn.csv").write_text("older")
    with monkeypatch.context() as patched:
        patched.setattr("hedgerow.release._redrawn.draw", None)  # it is refused before any row is drawn
        with pytest.raises(BadInput, match=r"out\.redrawn\.csv' exists already"):
            release.save(tmp_path / "out.csv", redrawn=1)
    assert files(tmp_path) == ["out.redrawn.csv"]
    release.save(tmp_path / "out.csv", redrawn=1, overwrite=True)
    assert files(tmp_path) == beside("out.csv")
    assert "older" not in (tmp_path / "out.redrawn.csv").read_text()


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = released()

    def digest(path: Path) -> str:
        (tmp_path / "out.redrawn.csv").write_text("theirs")
        return sha256(path)

    monkeypatch.setattr("hedgerow.release.saving.sha256", digest)
    with pytest.raises(BadInput, match="exists already"):
        release.save(tmp_path / "out.csv", redrawn=1)
    assert files(tmp_path) == ["out.redrawn.csv"]
    assert (tmp_path / "out.redrawn.csv").read_text() == "theirs"


def test_rows_of_an_older_release_do_not_stay_beside_a_new_one(tmp_path: Path) -> None:
    release = released()
    release.save(tmp_path / "out.csv", redrawn=1)
    release.save(tmp_path / "out.csv", overwrite=True)
    assert files(tmp_path) == ["out.csv", "out.csv.manifest.json", "out.csv.proportions.json"]


@pytest.mark.parametrize("manifest", [None, "{}", '{"output": {"sha256": "0"}}'])
def test_a_file_of_that_name_that_was_not_drawn_stays(manifest: str | None, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("older")
    (tmp_path / "out.redrawn.csv").write_text("mine")
    if manifest is not None:
        (tmp_path / "out.redrawn.csv.manifest.json").write_text(manifest)
    released().save(tmp_path / "out.csv", overwrite=True)
    assert (tmp_path / "out.redrawn.csv").read_text() == "mine"


def test_drawn_rows_that_are_read_are_neither_written_over_nor_removed(tmp_path: Path) -> None:
    released().save(tmp_path / "out.csv", redrawn=2)
    rows = (tmp_path / "out.redrawn.csv").read_bytes()
    again = released(tmp_path / "out.redrawn.csv", hr.Schema(quasi=["age", "city"], others="drop"))
    with pytest.raises(BadInput, match="is a file that is read"):
        again.save(tmp_path / "out.csv", redrawn=1, overwrite=True)
    again.save(tmp_path / "out.csv", overwrite=True)
    assert (tmp_path / "out.redrawn.csv").read_bytes() == rows


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = released()

    def full(*_: Any) -> None:
        raise OSError("Soglio")

    monkeypatch.setattr(Redrawn, "write", full)
    with pytest.raises(BadInput, match="cannot be written") as caught:
        release.save(tmp_path / "out.csv", redrawn=1)
    assert "Soglio" not in str(caught.value)
    assert not files(tmp_path)


@pytest.mark.parametrize("stop_at", ["out.redrawn.csv.manifest.json", "out.redrawn.csv", "out.csv"])
def test_a_stop_between_two_renames_is_told_by_the_audit(
    stop_at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = released(k=3).save(tmp_path / "out.csv", redrawn=1)
    older = path.read_bytes()
    replace = Path.replace

    def stopped(self: Path, target: Path) -> Path:
        if target.name == stop_at:
            raise KeyboardInterrupt
        return replace(self, target)

    release = released()
    monkeypatch.setattr(Path, "replace", stopped)
    with pytest.raises(KeyboardInterrupt):
        release.save(path, redrawn=1, overwrite=True)
    assert path.read_bytes() == older
    assert hr.audit(path, quasi=["age", "city"]).manifest == "differs"
    assert files(tmp_path) == beside("out.csv")


def test_a_release_is_loaded_without_its_drawn_rows(tmp_path: Path) -> None:
    path = released().save(tmp_path / "out.csv", redrawn=2)
    loaded = hr.Release.load(path)
    assert "redrawn" not in loaded.manifest
    loaded.save(tmp_path / "copy.csv", redrawn=1)
    assert len(read(tmp_path / "copy.redrawn.csv")) == 24
    (tmp_path / "out.redrawn.csv").unlink()
    assert hr.Release.load(path).audit.k == loaded.audit.k


def test_drawn_rows_are_no_release(tmp_path: Path) -> None:
    released().save(tmp_path / "out.csv", redrawn=2)
    with pytest.raises(BadInput, match=r"out\.redrawn\.csv' were drawn from a release and are not a release"):
        hr.Release.load(tmp_path / "out.redrawn.csv")


def test_the_audit_knows_drawn_rows(tmp_path: Path) -> None:
    path = released().save(tmp_path / "out.csv", redrawn=2)
    audit = hr.audit(tmp_path / "out.redrawn.csv", quasi=["age", "city"])
    assert audit.manifest == "fits"
    assert any("drawn from a release" in warning for warning in audit.warnings)
    assert not any("drawn from a release" in warning for warning in hr.audit(path, quasi=["age", "city"]).warnings)


def test_the_audit_of_a_release_sees_that_its_drawn_rows_were_changed(tmp_path: Path) -> None:
    path = released().save(tmp_path / "out.csv", redrawn=2)
    with (tmp_path / "out.redrawn.csv").open("a") as rows:
        rows.write("99,Ulm,y,01\n")
    for table, words in ((path, "not those that were drawn"), (tmp_path / "out.redrawn.csv", "not the one that its")):
        audit = hr.audit(table, quasi=["age", "city"])
        assert audit.manifest == "differs"
        assert any(words in warning for warning in audit.warnings)
    (tmp_path / "out.redrawn.csv").unlink()
    assert hr.audit(path, quasi=["age", "city"]).manifest == "fits"


class TestEqualRows:
    """Drawn rows beside those of people who were in the table, and of others."""

    def brute(self, drawn: list[dict[str, Any]], rows: list[dict[str, Any]]) -> tuple[float, float]:
        def keys(some: list[dict[str, Any]]) -> list[tuple[str, ...]]:
            return [
                tuple("?" if row[name] is None else str(row[name]) for name in ("age", "city", "ill")) for row in some
            ]

        one, other = keys(drawn), keys(rows)
        return sum(key in other for key in one) / len(one), sum(key in one for key in other) / len(other)

    def test_of_a_frame(self, frame_type: FrameType, rows_of: RowsOf) -> None:
        others = PEOPLE.slice(5, 9).set_column(1, "age", pa.array([44, 42, 20, 99, 61, 62, 63, 41, 20]))
        drawn = released(frame_type(PEOPLE), min_support=1).redraw(2)
        found = drawn.equal_rows(frame_type(others))
        rows = [{**row, "age": None if row["age"] is None else int(row["age"])} for row in rows_of(drawn.table)]
        assert (found.drawn, found.table) == self.brute(rows, PEOPLE.to_pylist())
        assert found.holdout == self.brute(rows, others.to_pylist())[1]
        assert drawn.equal_rows().holdout is None

    @pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
    def test_of_a_file(self, kind: str, tmp_path: Path, rows_of: RowsOf) -> None:
        PEOPLE.to_pandas().to_csv(tmp_path / "people.csv", index=False)
        others = PEOPLE.slice(5, 9)
        others.to_pandas().to_csv(tmp_path / "others.csv", index=False)
        pq.write_table(others, tmp_path / "others.parquet")
        drawn = released(tmp_path / "people.csv", min_support=1).redraw(2)
        found = drawn.equal_rows(others if kind == "frame" else tmp_path / f"others.{kind}")
        rows = rows_of(drawn.table)
        assert (found.drawn, found.table) == self.brute(rows, PEOPLE.to_pylist())
        assert found.holdout == self.brute(rows, others.to_pylist())[1]

    def test_everybody_alike(self) -> None:
        """Where classes publish what all their people have, every row is somebody's, and nobody else's."""
        towns = pa.table({"town": ["Ulm"] * 5 + ["Bern"] * 5})
        drawn = released(towns, hr.Schema(quasi=["town"])).redraw(2)
        found = drawn.equal_rows(pa.table({"town": ["Nice", "Ulm", "Nice", "Nice"]}))
        assert (found.drawn, found.table, found.holdout) == (1, 1, 1 / 4)

    def test_a_file_is_read_as_the_table_was(self, tmp_path: Path) -> None:
        """Where the table has text that looks like numbers in the holdout, and the other way round."""
        table = pa.table({"zip": ["01", "2", "2", "01"] * 3, "age": [20, 21, 20, 21] * 3})
        (tmp_path / "others.csv").write_text("age,zip\n20.0,2\n21,2\n99,2\n")
        drawn = released(table, hr.Schema(quasi=["zip", "age"]), k=3, min_support=1).redraw(5)
        assert drawn.equal_rows(tmp_path / "others.csv").holdout == 2 / 3

    def test_a_target_with_decimal_commas(self, tmp_path: Path) -> None:
        (tmp_path / "in.csv").write_text("age;cost\n" + "".join(f"20;{n % 2},50\n" for n in range(12)))
        schema = hr.Schema(quasi=["age"], target="cost")
        drawn = released(hr.File(tmp_path / "in.csv", decimal=","), schema).redraw(1)
        found = drawn.equal_rows(hr.File(tmp_path / "in.csv", decimal=","))
        assert (found.drawn, found.table, found.holdout) == (1, 1, 1)

    def test_a_drawn_column_without_any_value(self, monkeypatch: pytest.MonkeyPatch) -> None:
        drawn = released(min_support=1).redraw(1)
        empty = drawn.table.set_column(1, "city", pa.nulls(24, pa.string()))
        monkeypatch.setitem(drawn.__dict__, "table", empty)
        assert drawn.equal_rows().drawn < 1

    def test_of_people_with_several_rows(self) -> None:
        table = PEOPLE.append_column("person", pa.array([n // 2 for n in range(24)]))
        schema = hr.Schema(quasi=["age", "city"], target="ill", entity="person", missing=("?",), others="drop")
        drawn = released(table, schema, min_support=1, k=2).redraw(2)
        rows = drawn.table.to_pylist()
        found = drawn.equal_rows(table)
        assert (found.drawn, found.table) == self.brute(rows, PEOPLE.to_pylist())
        assert found.holdout == found.table

    @pytest.mark.parametrize(
        ("others", "words"),
        [
            (PEOPLE.drop_columns(["city", "ill"]), "lacks 'city', 'ill'. It must have the quasi-identifiers"),
            (PEOPLE.slice(0, 0), "no rows"),
            (PEOPLE.set_column(1, "age", pa.array(["Zebulon"] * 24)), "'age' is to be numbers, and 1 of its distinct"),
            (PEOPLE.set_column(1, "age", pa.nulls(24, pa.int64())), "'age' has no value at all"),
            (17, "Got int instead"),
            ("nowhere.csv", "There is no file 'nowhere.csv'"),
        ],
    )
    def test_a_holdout_that_does_not_fit(self, others: Any, words: str) -> None:
        with pytest.raises(BadInput, match="The holdout cannot be compared") as caught:
            released().redraw(1).equal_rows(others)
        assert words in str(caught.value)
        assert "Zebulon" not in str(caught.value)
        assert caught.value.__context__ is None

    def test_a_release_that_was_loaded_has_no_original_rows(self, tmp_path: Path) -> None:
        drawn = hr.Release.load(released().save(tmp_path / "out.csv")).redraw(1)
        with pytest.raises(BadInput, match="original rows are not in it"):
            drawn.equal_rows()

    def test_exact_figures_are_not_shown(self) -> None:
        drawn = released(min_support=1).redraw(2)
        found = drawn.equal_rows(PEOPLE)
        assert str(found.drawn) not in repr(found)
        assert "about" in repr(found)
        assert isinstance(pd.DataFrame([vars(found)]).loc[0, "drawn"], float)
