"""Tables of Spark: what is refused, what is kept away, and how rows come out."""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.engines import WriteOptions, open_source
from hedgerow.errors import BadInput, Disclosing

pytestmark = pytest.mark.spark

SCHEMA = hr.Schema(quasi=["age"], others="drop")


def people(rows: int = 40) -> pa.Table:
    return pa.table({"age": [20 + n % 4 for n in range(rows)], "note": [f"note {n % 5}" for n in range(rows)]})


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder that can be looked into."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_disk_that_is_full_is_no_fault_of_the_text(
    spark: Any, scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text is written to Parquet before Spark reads it: here to a folder that is not there."""
    from hedgerow.engines.spark import SparkFileSource
    from hedgerow.engines.spark import _files as files

    (tmp_path / "a.csv").write_text("age,note\n" + "20,Smith-Jones\n" * 5000)
    monkeypatch.setattr(files, "place_literal", lambda _path: f"'{tmp_path / 'gone' / 'table.parquet'}'")
    with pytest.raises(BadInput, match=r"cannot be written for Spark.*Is the disk full") as caught:
        SparkFileSource(hr.File(tmp_path / "a.csv"), spark)
    assert "Smith" not in str(caught.value)
    del caught  # its traceback knows the source
    gc.collect()
    assert not list(scratch.iterdir())


def test_nothing_is_left_when_a_release_is_no_longer_used(
    spark: Any, monkeypatch: pytest.MonkeyPatch, scratch: Path, tmp_path: Path
) -> None:
    with monkeypatch.context() as elsewhere:  # where the databases of this process spill, as long as it lives
        elsewhere.setattr(tempfile, "tempdir", None)
        hr.anonymize(people(), SCHEMA, k=4).save(tmp_path / "first.csv")
    release = hr.anonymize(spark.createDataFrame(people()), SCHEMA, k=4)
    assert len(list(scratch.iterdir())) == 1, "the release; what it was made of is gone"
    release.save(tmp_path / "out.csv")
    del release
    gc.collect()
    assert list(scratch.iterdir()) == []


def test_nothing_is_left_by_a_failure(spark: Any, scratch: Path) -> None:
    """Here rows are written, and then found to disclose too much."""
    table = people().append_column("passport", pa.array([f"{n}" for n in range(40)]))
    with pytest.raises(Disclosing, match="passport"):
        hr.anonymize(spark.createDataFrame(table), hr.Schema(quasi=["age"], others="insensitive"), k=4)
    gc.collect()
    assert list(scratch.iterdir()) == []


def test_a_table_that_was_handed_out_can_be_read_on(spark: Any) -> None:
    """Also what was made of it, when release and table are forgotten."""
    few = hr.anonymize(spark.createDataFrame(people()), SCHEMA, k=4).table.where("age IS NOT NULL")
    gc.collect()
    assert few.count() == 40


def test_the_order_is_another_each_time(spark: Any) -> None:
    """Though seed and rows are the same: it comes from the operating system."""
    schema = hr.Schema(quasi=["age"], insensitive=["note"], accept=["note"])
    table = spark.createDataFrame(people(400)).coalesce(1)
    orders = [
        hr.anonymize(table, schema, k=4, random_state=7).table.toArrow().column("note").to_pylist() for _ in range(2)
    ]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != people(400).column("note").to_pylist()


def test_what_is_noted_of_a_column_stays_behind(spark: Any, tmp_path: Path) -> None:
    """Spark's own learners note the values of a column beside it."""
    table = spark.createDataFrame(people())
    noted = table.select(
        table["age"].alias("age", metadata={"values": ["Zebulon"]}),
        table["note"].alias("note", metadata={"values": ["Zebulon"]}),
    )
    schema = hr.Schema(quasi=["age"], insensitive=["note"], accept=["note"])
    release = hr.anonymize(noted, schema, k=4)
    assert [field.metadata for field in release.table.schema.fields] == [{}, {}]
    assert not any(b"Zebulon" in part.read_bytes() for part in release.rows.native.parts)


def test_a_table_that_changes_is_noticed(spark: Any) -> None:
    """A query that asks for the time is another table each time it is looked at."""
    table = spark.createDataFrame(people()).selectExpr("unix_micros(current_timestamp()) AS age")
    with pytest.raises(BadInput, match="Did the table change meanwhile"):
        hr.anonymize(table, SCHEMA, k=4)


@pytest.mark.parametrize("kind", ["array(1)", "struct(1 AS a)", "map('a', 1)", "INTERVAL '1' DAY"])
def test_types_that_are_not_carried(spark: Any, kind: str) -> None:
    table = spark.createDataFrame(people()).selectExpr("age", f"{kind} AS odd")
    with pytest.raises(BadInput, match=r"The column 'odd' is of Spark's type .* which is not carried"):
        hr.anonymize(table, hr.Schema(quasi=["age"], others="insensitive"), k=4)
    assert hr.anonymize(table, SCHEMA, k=4).audit.k == 10, "a column that is dropped may be anything"


@pytest.mark.parametrize("kind", [pa.timestamp("ns"), pa.time64("us"), pa.duration("us")])
def test_types_of_files_that_spark_does_not_hold(spark: Any, tmp_path: Path, kind: pa.DataType) -> None:
    from hedgerow.engines.spark import SparkFileSource

    pq.write_table(people().append_column("odd", pa.array([1] * 40, kind)), tmp_path / "odd.parquet")
    with pytest.raises(BadInput, match=r"The column 'odd' holds .* which Spark does not"):
        SparkFileSource(hr.File(tmp_path / "odd.parquet"), spark)


def test_people_are_not_counted(spark: Any) -> None:
    schema = hr.Schema(quasi=["age"], identifying=["note"], entity="note")
    with pytest.raises(BadInput, match="Spark counts rows, not people"):
        hr.anonymize(spark.createDataFrame(people()), schema, k=2)


def test_a_memory_limit_is_refused(spark: Any, tmp_path: Path) -> None:
    from hedgerow.engines.spark import SparkFileSource

    pq.write_table(people(), tmp_path / "a.parquet")
    with pytest.raises(BadInput, match="memory limit"):
        SparkFileSource(hr.File(tmp_path / "a.parquet", memory_limit="2GB"), spark)


def test_files_are_called_damaged_only_if_they_are(spark: Any, tmp_path: Path) -> None:
    """Spark may fail for other reasons. Here the file is another one when it is read again."""
    from hedgerow.engines.spark import SparkFileSource

    pq.write_table(people(), tmp_path / "a.parquet")
    source = SparkFileSource(hr.File(tmp_path / "a.parquet"), spark)
    counted = source.count(SCHEMA, SCHEMA.resolve(source.columns))
    counts = counted.counts
    (tmp_path / "a.parquet").unlink()
    pq.write_table(people(41), tmp_path / "a.parquet")
    recoding = hr.anonymize(people(), SCHEMA, k=4).recoding
    assert counts.rows == 40
    with pytest.raises(BadInput, match=r"Spark could not finish its work|Did the table change"):
        counted.apply(recoding, "7")


def test_names_that_differ_only_in_case(spark: Any) -> None:
    with pytest.raises(BadInput, match="differ only in case"):
        open_source(spark.createDataFrame([(1, 2)], "age int, AGE int"))


def test_an_empty_table(spark: Any) -> None:
    with pytest.raises(BadInput, match="no rows"):
        hr.anonymize(spark.createDataFrame(people()).where("age > 99"), SCHEMA, k=2)


def test_values_that_cannot_be_read_have_no_place(spark: Any, tmp_path: Path) -> None:
    """Rows of a table have none; lines of a file have."""
    from hedgerow.engines.spark import SparkFileSource

    schema = hr.Schema(quasi=["age"], kinds={"age": "number"})
    with pytest.raises(BadInput, match="The column 'age'") as caught:
        hr.anonymize(spark.createDataFrame([("1",), ("Zebulon",)], "age string"), schema, k=1)
    assert "Zebulon" not in str(caught.value)
    assert "first at" not in str(caught.value)
    (tmp_path / "a.csv").write_text("age,n\n1,1\nZebulon,2\n")
    with pytest.raises(BadInput, match="first at line 3"):
        hr.anonymize(
            SparkFileSource(hr.File(tmp_path / "a.csv"), spark),
            hr.Schema(quasi=["age"], kinds={"age": "number"}, others="drop"),
            k=1,
        )


def test_pseudonyms_and_odd_names(spark: Any) -> None:
    table = pa.table(
        {
            "a `b`.c": ["x", "x", "y", "y"],
            "who": ["Ann", None, "Ann", "Bob"],
            "sco.re": [-0.0, 0.0, 1.5, None],
        }
    )
    schema = hr.Schema(
        quasi=["a `b`.c"],
        pseudonymize=["who"],
        insensitive=["sco.re"],
        accept=["sco.re"],
        missing=("",),
        rows_are_people=True,
    )
    rows = hr.anonymize(spark.createDataFrame(table), schema, k=2).table.toArrow().to_pylist()
    names = [row["who"] for row in rows]
    assert names.count(None) == 1
    assert "Ann" not in names
    assert len(set(names)) == 3
    assert all(len(name) == 16 for name in names if name is not None)
    assert sorted(str(row["sco.re"]) for row in rows) == ["-0.0", "0.0", "1.5", "None"]


def test_people_are_told_apart_by_their_pseudonyms(spark: Any) -> None:
    table = pa.table({"who": [f"P{at // 5}" for at in range(40)], "age": [20 + at // 5 for at in range(40)]})
    with pytest.raises(hr.Infeasible, match=r"holds for rows, but not for people: .* k of people is 1"):
        hr.anonymize(spark.createDataFrame(table), hr.Schema(quasi=["age"], pseudonymize=["who"]), k=5)
    table = pa.table({"who": [f"P{at % 8}" for at in range(16)], "age": [20] * 16})
    release = hr.anonymize(spark.createDataFrame(table), hr.Schema(quasi=["age"], pseudonymize=["who"]), k=5)
    assert (release.audit.k, release.audit.linked) == (8, (8, 8))


@pytest.mark.parametrize("most", [50_000, 300])
def test_rows_are_not_counted_where_a_column_tells_people_apart(
    most: int, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgerow.release.pipeline._MOST_ROWS", most)
    visits = hr.datasets.make_hospital(2_000, random_state=7).select(["patient_id", "born", "sex", "postcode"])
    with pytest.raises(hr.Disclosing, match=r"'patient_id' identifies people .* 1\.[789] on average"):
        hr.anonymize(spark.createDataFrame(visits), hr.Schema(quasi=["born", "sex", "postcode"], others="drop"), k=5)


def test_a_zero_has_no_sign_where_it_is_counted(spark: Any) -> None:
    """-0.0 counts as 0.0, so it must look like it: as a quasi-identifier, a target and a name."""
    table = pa.table({"score": [-0.0, 0.0, 1.5, 1.5], "won": [0.0, -0.0, 0.0, -0.0], "who": [0.0, -0.0, 1.0, 2.0]})
    schema = hr.Schema(quasi=["score"], target="won", pseudonymize=["who"], rows_are_people=True)
    rows = hr.anonymize(spark.createDataFrame(table), schema, k=2).table.toArrow()
    assert sorted(map(str, rows["score"].to_pylist())) == ["0.0", "0.0", "1.5", "1.5"]
    assert set(map(str, rows["won"].to_pylist())) == {"0.0"}
    assert len(set(rows["who"].to_pylist())) == 3


def test_cells_that_a_spreadsheet_would_compute(spark: Any, tmp_path: Path) -> None:
    notes = ["=1+1", "+5", "-x\n", "@a", "'=b", "-7.5e3", "-7\n", None, "plain", "\tq"] * 4
    table = people().set_column(1, "note", pa.array(notes))
    schema = hr.Schema(quasi=["age"], insensitive=["note"], accept=["note"])
    counted = []
    for data in (table, spark.createDataFrame(table)):
        release = hr.anonymize(data, schema, k=4)
        counted.append(release.rows.formulas(["note", "age"]))
        release.save(tmp_path / f"{len(counted)}.csv", escape_formulas=True)
    assert counted[0] == counted[1] == {"note": 24}
    one, other = (sorted((tmp_path / f"{n}.csv").read_bytes().splitlines()) for n in (1, 2))
    assert one == other


def test_a_csv_that_cannot_tell_missing_from_empty(spark: Any, tmp_path: Path) -> None:
    table = pa.table({"town": ["", "", None, None]})
    release = hr.anonymize(spark.createDataFrame(table), hr.Schema(quasi=["town"], missing=()), k=2)
    with pytest.raises(BadInput, match="a CSV cannot tell apart"):
        release.save(tmp_path / "out.csv")
    release.rows.write(tmp_path / "out.parquet", WriteOptions({}, ()))
    assert pq.read_metadata(tmp_path / "out.parquet").num_rows == 4
