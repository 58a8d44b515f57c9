"""``hedgerow anonymize`` on tables it must take: what is written and what is said."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import stat
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr

SECRET = "Zebulon"


def read(path: Path) -> list[dict[str, str]]:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))


def manifest_of(path: Path) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(path.with_name(path.name + ".manifest.json").read_text(encoding="utf-8"))
    return stored


def smallest_class(rows: list[dict[str, str]], *quasi: str) -> int:
    sizes: dict[tuple[str, ...], int] = {}
    for row in rows:
        key = tuple(row[name] for name in quasi)
        sizes[key] = sizes.get(key, 0) + 1
    return min(sizes.values())


def test_release_summary_and_manifest(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    outcome = run("anonymize", people.name, *roles, "-k", "2", "--require", "l=2@ill", "--output", "out.csv")

    assert (outcome.status, outcome.err) == (0, "")
    out = people.parent / "out.csv"
    rows = read(out)
    assert list(rows[0]) == ["age", "sex", "ill", "income"]
    assert len(rows) == 8
    assert smallest_class(rows, "age", "sex") >= 2
    assert sorted(row["income"] for row in rows) == ["high"] * 4 + ["low"] * 4

    manifest = manifest_of(out)
    assert manifest["output"] == {"file": "out.csv", "sha256": hashlib.sha256(out.read_bytes()).hexdigest()}
    assert manifest["requirements"] == ["2-anonymity", "2-diversity of ill"]
    assert manifest["seed_given"] is False

    for words in (
        "8 of 8 rows",
        "mondrian",
        "2-anonymity: verified",
        "2-diversity of ill: verified",
        "classes",
        "k reached",
        "ncp",
        "automatic",
        "age (",
        "sex (flat)",
        "out.csv.manifest.json",
        "Rows are counted",
    ):
        assert words in outcome.out
    for secret in (SECRET, "flu", "cold", "10000"):
        assert secret not in outcome.out
        assert secret not in json.dumps(manifest)
    assert sorted(path.name for path in people.parent.iterdir()) == ["out.csv", "out.csv.manifest.json", "people.csv"]


def test_what_is_worth_nothing_is_said_first(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    one = run("anonymize", people.name, *roles, "-k", "1", "-o", "one.csv")
    assert one.out.startswith("1-anonymity promises nothing: every table has it")
    assert "verified" not in one.out
    assert manifest_of(people.parent / "one.csv")["audit"]["warnings"][0].startswith("1-anonymity promises nothing")

    all_of_them = run("anonymize", people.name, *roles, "-k", "8", "--set", "publish=label", "-o", "all.csv")
    assert all_of_them.out.startswith("The table keeps nothing of its quasi-identifiers: every cell")
    assert all_of_them.out.count("keeps nothing") == 1
    assert {(row["age"], row["sex"]) for row in read(people.parent / "all.csv")} == {("*", "*")}

    wide = run("anonymize", people.name, *roles, "-k", "8", "--set", "publish=interval", "-o", "wide.csv")
    assert wide.out.startswith("The table keeps next to nothing of its quasi-identifiers: 95% or more")

    kept = run("anonymize", people.name, *roles, "-k", "2", "-o", "two.csv")
    assert kept.out.startswith("Released 8 of 8 rows")


def test_a_target_of_numbers_is_cut_into_bins(run: Any, refused: Any, tmp_path: Path) -> None:
    lines = [f"{'AB'[at // 20]},{'FM'[at % 2]},{at + 100}" for at in range(40)]
    (tmp_path / "wages.csv").write_text("\n".join(["town,sex,wage", *lines]) + "\n")
    job = ("anonymize", "wages.csv", "--quasi", "town,sex", "--target", "wage", "--method", "kactus", "-k", "4")
    refused(*job, "-o", "out.csv", words=("'wage' holds 40 different numbers", "--target-bins 4"))
    refused(*job, "-o", "out.csv", "--target-bins", "1", words=("'target-bins'", "a whole number >= 2", "Got 1"))

    assert run(*job, "--target-bins", "2", "-o", "out.csv").status == 0
    rows = read(tmp_path / "out.csv")
    assert sorted(row["wage"] for row in rows) == [str(at + 100) for at in range(40)]
    assert {row["town"] for row in rows} == {"A", "B"}
    assert manifest_of(tmp_path / "out.csv")["target_bins"] == 2


def test_quiet_says_nothing_and_an_output_is_replaced_by_force(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    out = people.parent / "out.csv"
    out.write_text("what stood here before")

    outcome = run("anonymize", people.name, *roles, "-k", "2", "--quiet", "-o", "out.csv", "--force")

    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    assert len(read(out)) == 8


def test_seed_gives_the_same_rows(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    options = ("-k", "3", "--set", "relaxed=yes", "--set", "cut=widest", "--seed", "7", "-q")
    for name in ("one.csv", "two.csv"):
        assert run("anonymize", people.name, *roles, *options, "-o", name).status == 0

    one, two = (sorted(map(str, read(people.parent / name))) for name in ("one.csv", "two.csv"))
    assert one == two
    manifest = manifest_of(people.parent / "one.csv")
    assert manifest["seed_given"] is True
    assert manifest["parameters"]["relaxed"] is True
    assert manifest["parameters"]["cut"] == "widest"


def test_pseudonyms_are_one_to_one_and_say_nothing(run: Any, people: Path) -> None:
    text = people.read_text()
    people.write_text(text + text.splitlines()[1] + "\n")

    options = ("--quasi", "age,sex", "--pseudonymize", "name", "--others", "insensitive", "-k", "2", "-o", "out.csv")
    assert run("anonymize", people.name, *options).status == 0

    rows = read(people.parent / "out.csv")
    assert len(rows) == 9
    assert len({row["name"] for row in rows}) == 8
    assert SECRET not in (people.parent / "out.csv").read_text()


def test_recoding_is_private(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    outcome = run("anonymize", people.name, *roles, "-k", "2", "-o", "out.csv", "--recoding", "recoding.json")

    assert outcome.status == 0
    assert "private: do not publish" in outcome.out
    recoding = people.parent / "recoding.json"
    assert stat.S_IMODE(recoding.stat().st_mode) == 0o600
    assert json.loads(recoding.read_text())["private"] is True


def test_a_recoding_that_cannot_be_written_leaves_no_release(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    """No hidden file can stand beside a name that is as long as names can be."""
    before = sorted(people.parent.iterdir())
    outcome = run("anonymize", people.name, *roles, "-k", "2", "-o", "out.csv", "--recoding", "r" * 250)
    assert outcome.status == 2
    assert "The recoding cannot be written" in outcome.err
    assert sorted(people.parent.iterdir()) == before


def test_a_suppression_limit_of_0_is_one(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    outcome = run("anonymize", people.name, *roles, "-k", "2", "-o", "out.csv", "--suppression-limit", "0")
    assert outcome.status == 0
    assert manifest_of(people.parent / "out.csv")["parameters"]["suppression_limit"] == 0


@pytest.mark.parametrize(
    ("kind", "ending"), [("csv.gz", "csv.gz"), ("csv.gz", "parquet"), ("parquet", "csv"), ("parquet", "parquet")]
)
def test_formats_in_and_out(kind: str, ending: str, run: Any, people: Path, roles: tuple[str, ...]) -> None:
    rows = read(people)
    file = people.parent / f"table.{kind}"
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist([{**row, "age": int(row["age"])} for row in rows]), file)
    else:
        file.write_bytes(gzip.compress(people.read_bytes()))

    outcome = run("anonymize", file.name, *roles, "--others", "insensitive", "-k", "2", "-o", f"out.{ending}")

    assert outcome.status == 0, outcome.err
    out = people.parent / f"out.{ending}"
    published = pq.read_table(out).to_pylist() if ending == "parquet" else read(out)
    assert smallest_class(published, "age", "sex") >= 2
    assert sorted(row["zip"] for row in published) == sorted(row["zip"] for row in rows)
    assert manifest_of(out)["output"]["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()


GOOD_TEXTS = {
    "byte order mark": ("utf-8-sig", "x", ()),
    "Latin-1": ("latin-1", "Zoë", ("--encoding", "latin-1")),
    "Windows-1252": ("cp1252", "Zoë €", ("--encoding", "cp1252")),
    "UTF-16": ("utf-16", "Zoë", ("--encoding", "utf-16")),
    "quoted line end": ("utf-8", '"one\ntwo, ""three"""', ()),
    "quoted delimiter": ("utf-8", '"one, two"', ()),
    "carriage return and line feed": ("utf-8", "crlf", ()),
}


@pytest.mark.parametrize("case", GOOD_TEXTS)
def test_texts_come_out_as_they_were(case: str, run: Any, people: Path) -> None:
    encoding, note, options = GOOD_TEXTS[case]
    lines = ["age,sex,note", *(f"{20 + i % 2},{'MF'[i % 2]},{note}" for i in range(4))]
    end = "\r\n" if note == "crlf" else "\n"
    people.write_bytes((end.join(lines) + end).encode(encoding))

    arguments = ("--quasi", "age,sex", "--insensitive", "note", "-k", "2", "-o", "out.csv", *options)
    outcome = run("anonymize", people.name, *arguments)

    assert outcome.status == 0, outcome.err
    expected = next(csv.reader([note])) if '"' not in note else ['one\ntwo, "three"' if "three" in note else "one, two"]
    assert {row["note"] for row in read(people.parent / "out.csv")} == set(expected)


def test_tab_can_be_typed(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    people.write_text(people.read_text().replace(",", "\t"))

    outcome = run("anonymize", people.name, *roles, "-k", "2", "--delimiter", r"\t", "-o", "out.csv")

    assert outcome.status == 0, outcome.err
    assert len(read(people.parent / "out.csv")) == 8


def test_two_thousand_columns(run: Any, people: Path) -> None:
    header = ",".join(["age", *(f"c{i}" for i in range(1_999))])
    line = ",".join(["30", *["1"] * 1_999])
    people.write_text("\n".join([header, *[line] * 4]) + "\n")

    outcome = run("anonymize", people.name, "--quasi", "age", "--others", "drop", "-k", "2", "-o", "out.csv")

    assert outcome.status == 0, outcome.err
    assert read(people.parent / "out.csv") == [{"age": "30"}] * 4


def test_names_with_commas_and_repeated_options(run: Any, people: Path) -> None:
    people.write_text('"born, year",sex,x\n' + "1990,M,1\n1990,F,2\n" * 2)

    options = ("--quasi", '"born, year"', "--quasi", "sex", "--drop", "x", "-k", "2", "-o", "out.csv")
    assert run("anonymize", people.name, *options).status == 0

    assert list(read(people.parent / "out.csv")[0]) == ["born, year", "sex"]


def test_empty_cells_stay_missing_beside_a_marker(run: Any, people: Path) -> None:
    # In Parquet an empty text and a null are two things; in a CSV they cannot be told apart.
    table = pa.table({"age": ["?", "", None, "", "30", "30"], "sex": ["M"] * 4 + ["F"] * 2})
    pq.write_table(table, people.parent / "table.parquet")

    outcome = run("anonymize", "table.parquet", "--quasi", "age,sex", "--missing", "?", "-k", "2", "-o", "out.csv")

    assert outcome.status == 0, outcome.err
    rows = sorted((row["age"], row["sex"]) for row in read(people.parent / "out.csv"))
    assert rows == [("30", "F")] * 2 + [("?", "M")] * 4


def test_hierarchies_from_a_folder(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    folder = people.parent / "hierarchies"
    folder.mkdir()
    (folder / "sex.csv").write_text("M;person\nF;person\n")
    (folder / "age.toml").write_text('["any age"]\nyoung = ["20", "21"]\nold = ["22", "23"]\n')
    (folder / "zip.csv").write_text("this column is dropped, its file is not read")
    (folder / "README.md").write_text("no hierarchy")

    options = ("-k", "4", "--hierarchies", "hierarchies", "--set", "publish=label", "-o", "out.csv")
    outcome = run("anonymize", people.name, *roles, *options)

    assert outcome.status == 0, outcome.err
    assert "automatic" not in outcome.out
    assert "In the folder 'hierarchies', 'zip.csv' belongs to no column whose hierarchy is used. Check" in outcome.out
    assert "README.md" not in outcome.out
    assert "zip.csv" not in json.dumps(manifest_of(people.parent / "out.csv"))
    rows = read(people.parent / "out.csv")
    assert {row["age"] for row in rows} <= {"20", "21", "22", "23", "young", "old", "any age"}
    assert {row["sex"] for row in rows} <= {"M", "F", "person"}
    assert smallest_class(rows, "age", "sex") >= 4


def test_hierarchical_closeness_takes_the_sensitive_column_from_the_folder(
    run: Any, refused: Any, people: Path, roles: tuple[str, ...]
) -> None:
    folder = people.parent / "hierarchies"
    folder.mkdir()
    (folder / "ill.csv").write_text("flu;lung;*\ncold;lung;*\nulcer;stomach;*\n")
    rule = ("--require", "t=0.3:hierarchical@ill", "--hierarchies", "hierarchies")

    outcome = run("anonymize", people.name, *roles, "-k", "2", *rule, "-o", "out.csv")
    assert outcome.status == 0, outcome.err
    # One step of two: flu and cold are 0.5 apart, so a class of only one of them is 0.25 from the table.
    assert "0.3-closeness (hierarchical) of ill: verified" in outcome.out
    assert "belong" not in outcome.out

    assert run("audit", "out.csv", "--quasi", "age,sex", *rule).status == 0
    (folder / "ill.csv").write_text("flu;*\nulcer;*\n")
    refused("audit", "out.csv", "--quasi", "age,sex", *rule, words=("'ill'", "1 of them"))


def test_infeasible_diversity_writes_nothing(refused: Any, people: Path, roles: tuple[str, ...]) -> None:
    options = ("-k", "2", "--require", "l=3@ill", "--output", "out.csv")

    refused("anonymize", people.name, *roles, *options, words=("cannot meet 3-diversity of ill", "8 records"), status=3)


@pytest.mark.parametrize(("limit", "lost"), [("25%", 2), ("0.25", 2), ("2", 2), ("1", 0), ("10%", 0)])
def test_rows_may_be_lost_within_a_limit(run: Any, people: Path, limit: str, lost: int) -> None:
    people.write_text("age,income\n" + "".join(f"{age},low\n" for age in (20, 20, 20, 21, 21, 21, 80, 95)))
    roles = ("--quasi", "age", "--target", "income", "--hierarchy", "age=intervals:10,100", "-q")
    outcome = run(
        "anonymize", people.name, *roles, "-k", "3", "--method", "datafly", "--suppression-limit", limit, "-o", "o.csv"
    )
    assert (outcome.status, outcome.err) == (0, "")
    manifest = manifest_of(people.parent / "o.csv")
    assert (manifest["rows_in"], manifest["rows_lost"]) == (8, lost)
    assert len(read(people.parent / "o.csv")) == 8 - lost


def test_a_limit_in_a_job_file(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    for written, limit in ('"25%"', 0.25), ("0.25", 0.25), ("2", 2):
        (people.parent / "job.toml").write_text(f"suppression-limit = {written}\n")
        assert (
            run(
                "anonymize", people.name, *roles, "-k", "2", "--job", "job.toml", "-q", "--force", "-o", f"{limit}.csv"
            ).status
            == 0
        )
        assert manifest_of(people.parent / f"{limit}.csv")["parameters"]["suppression_limit"] == limit


def test_job_file_and_options_that_win(run: Any, people: Path) -> None:
    folder = people.parent / "jobs"
    folder.mkdir()
    (folder / "job.toml").write_text(
        'input = "../people.csv"\noutput = "from_job.csv"\nquasi = "age,sex"\ntarget = "income"\n'
        'sensitive = ["ill"]\ndrop = ["name"]\nothers = "drop"\nk = 4\nrequire = ["l=2@ill"]\nseed = 7\n'
        'memory-limit = "1GB"\n[set]\ncut = "widest"\nrelaxed = true\n'
    )

    assert run("anonymize", "--job", "jobs/job.toml").status == 0
    manifest = manifest_of(folder / "from_job.csv")
    assert manifest["requirements"] == ["4-anonymity", "2-diversity of ill"]
    assert manifest["parameters"]["cut"] == "widest"
    assert manifest["parameters"]["relaxed"] is True

    typed = ("-k", "2", "--set", "cut=loss", "-o", "typed.csv", "--quasi", "age", "--insensitive", "sex")
    assert run("anonymize", "--job", "jobs/job.toml", *typed).status == 0
    manifest = manifest_of(people.parent / "typed.csv")
    assert manifest["requirements"] == ["2-anonymity", "2-diversity of ill"]
    assert manifest["parameters"]["cut"] == "loss"
    assert manifest["parameters"]["relaxed"] is True
    assert manifest["columns"]["quasi"] == ["age"]
    assert manifest["columns"]["insensitive"] == ["sex"]


def test_proportions_are_saved_and_their_disclosure_is_said(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    outcome = run("anonymize", people.name, *roles, "-k", "2", "-o", "out.csv", "--publish-proportions")
    assert (outcome.status, outcome.err) == (0, "")
    told = json.loads((people.parent / "out.csv.proportions.json").read_text())
    assert sum(told["sizes"]) == 8
    assert min(told["sizes"]) >= 2
    manifest = manifest_of(people.parent / "out.csv")
    assert manifest["proportions"]["file"] == "out.csv.proportions.json"
    assert set(manifest["audit"]["proportions"]) == {"age", "sex"}
    assert "the surest guess of a hidden value" in outcome.out


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
def test_what_the_command_wrote_is_loaded_in_python(run: Any, people: Path, roles: tuple[str, ...], name: str) -> None:
    words = ("-k", "2", "--require", "l=2@ill", "--publish-proportions", "-o", name)
    assert run("anonymize", people.name, *roles, *words).status == 0
    release = hr.Release.load(people.parent / name)
    assert release.audit.to_dict() == {**manifest_of(people.parent / name)["audit"], "manifest": "fits"}
    assert [str(one) for one in release.guarantee.requirements] == ["2-anonymity", "2-diversity of ill"]
    assert release.proportions is not None


def test_a_small_support_is_written_only_if_weak_is_allowed(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    words = [
        "anonymize",
        people.name,
        *roles,
        "-k",
        "3",
        "-o",
        "out.csv",
        "--publish-proportions",
        "--min-support",
        "2",
    ]
    refused = run(*words)
    assert refused.status == 2
    assert "--min-support 2, below the 3 records" in refused.err
    assert not (people.parent / "out.csv").exists()
    written = run(*words, "--allow-weak")
    assert (written.status, written.err) == (0, "")
    manifest = manifest_of(people.parent / "out.csv")
    assert (manifest["min_support"], manifest["proportions_guaranteed"], manifest["guaranteed"]) == (2, False, True)
    assert "weak" in written.out


def test_a_larger_support_and_none_at_all(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    (people.parent / "job.toml").write_text("publish-proportions = true\nmin-support = 4\n")
    words = ["anonymize", people.name, *roles, "-k", "3", "-o", "out.csv"]
    outcome = run(*words, "--job", "job.toml")
    assert (outcome.status, outcome.err) == (0, "")
    assert "nobody is singled out" in outcome.out
    assert json.loads((people.parent / "out.csv.proportions.json").read_text())["min_support"] == 4
    alone = run(*words, "--min-support", "4")
    assert alone.status == 2
    assert "--publish-proportions" in alone.err
    assert run(*words, "--publish-proportions", "--min-support", "0").status == 2


def test_the_recoding_is_not_written_over_the_proportions(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    outcome = run(
        "anonymize", people.name, *roles, "-k", "2", "-o", "out.csv", "--recoding", "out.csv.proportions.json"
    )
    assert outcome.status == 2
    assert "private" in outcome.err


def test_formulas_are_told_and_escaped(run: Any, tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("age,note\n" + "20,=1+1\n20,@x\n" * 3, encoding="utf-8")
    arguments = (
        "anonymize",
        "notes.csv",
        "--quasi",
        "age",
        "--others",
        "insensitive",
        "-k",
        "3",
        "--output",
        "out.csv",
    )
    told = run(*arguments)
    assert told.status == 0
    assert "6 cells of 'note'" in told.out
    assert sorted((tmp_path / "out.csv").read_text().split()[1:]) == ["20,=1+1"] * 3 + ["20,@x"] * 3
    assert run(*arguments, "--escape-formulas", "--force").status == 0
    assert sorted((tmp_path / "out.csv").read_text().split()[1:]) == ["20,'=1+1"] * 3 + ["20,'@x"] * 3


def test_kinds_and_hierarchies_are_typed(run: Any, tmp_path: Path) -> None:
    lines = ["plz;born;triage;size", *["01067;1980-03-01;green;1,5", "01069;1980-05-02;red;2,5"] * 3]
    (tmp_path / "visits.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
    arguments = ["anonymize", "visits.csv", "--delimiter", ";", "--decimal", ",", "--quasi", "plz,born,triage,size"]
    arguments += ["-k", "6", "--kind", "triage=green,yellow,red", "--hierarchy", "plz=masking:1,2"]
    arguments += ["--hierarchy", "born=dates:month,year", "--output", "out.csv"]
    assert run(*arguments).status == 0
    with (tmp_path / "out.csv").open(encoding="utf-8") as file:
        (row,) = {tuple(row) for row in list(csv.reader(file))[1:]}
    assert row == ("0106*", "1980", "{green|red}", "[1.5,2.5]")


def test_intervals_with_open_ends_are_typed(run: Any, tmp_path: Path) -> None:
    ages = [3, 9, 17, 19, 21, 22, 38, 39, 85, 86, 88, 90, 91, 104]
    (tmp_path / "ages.csv").write_text("\n".join(["age", *map(str, ages)]) + "\n")
    job = ("anonymize", "ages.csv", "--quasi", "age", "-k", "3", "--method", "optimal", "-o", "out.csv")

    outcome = run(*job, "--hierarchy", "age=intervals:5,10,40,<18,>=90")
    assert outcome.status == 0, outcome.err
    assert {row["age"] for row in read(tmp_path / "out.csv")} == {"<18", "[18,40)", "[80,90)", "≥90"}
    assert manifest_of(tmp_path / "out.csv")["hierarchies"]["age"].endswith("open below 18 and from 90 on")
    assert run("audit", "out.csv", "--quasi", "age", "-k", "3", "--population", "ages.csv").status == 0


def test_kinds_and_hierarchies_of_a_job_file(run: Any, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("zip,age\n" + "01067,20\n01069,25\n" * 3, encoding="utf-8")
    (tmp_path / "job.toml").write_text(
        'input = "people.csv"\noutput = "out.csv"\nquasi = ["zip", "age"]\nk = 6\n'
        '[kinds]\nage = "text"\n[hierarchy]\nzip = "prefix:2,4"\nage = "flat"\n',
        encoding="utf-8",
    )
    assert run("anonymize", "--job", "job.toml", "--hierarchy", "age=masking").status == 0
    # What is typed wins: as numbers the ages would be an interval, and flat they would be suppressed.
    assert set((tmp_path / "out.csv").read_text(encoding="utf-8").split()[1:]) == {"0106*,2*"}


def test_weights_are_typed_and_stand_in_job_files(run: Any, tmp_path: Path) -> None:
    """Every zip stands with every age: one of the columns is given up, the lighter one."""
    lines = [f"{zip_code},{age}\n" for zip_code in ("A", "B") for age in ("x", "y")] * 2
    (tmp_path / "people.csv").write_text("zip,age\n" + "".join(lines), encoding="utf-8")
    arguments = ["anonymize", "people.csv", "--quasi", "zip,age", "-k", "4", "--output", "out.csv", "--force"]
    out = tmp_path / "out.csv"
    assert run(*arguments, "--weights", "zip=2,age=1").status == 0
    assert {(row["zip"], row["age"]) for row in read(out)} == {("A", "{x|y}"), ("B", "{x|y}")}
    assert manifest_of(out)["weights"] == {"zip": 2, "age": 1}
    (tmp_path / "job.toml").write_text("[weights]\nzip = 2\nage = 0.5\n", encoding="utf-8")
    assert run(*arguments, "--job", "job.toml").status == 0
    assert {row["zip"] for row in read(out)} == {"A", "B"}
    # What is typed wins, column by column.
    assert run(*arguments, "--job", "job.toml", "--weights", "age=3").status == 0
    assert {row["age"] for row in read(out)} == {"x", "y"}
    assert manifest_of(out)["weights"] == {"zip": 2, "age": 3}
    outcome = run(*arguments, "--weights", "zip=2", "--method", "heuristicmin")
    assert outcome.status == 0
    assert "HeuristicMin does not choose by the losses of columns" in " ".join(outcome.out.split())


def test_a_preset_sets_parameters_and_those_typed_win(run: Any, people: Path, roles: tuple[str, ...]) -> None:
    words = ["anonymize", people.name, *roles, "-k", "3", "-o", "out.csv", "--set", "publish=interval"]
    assert run(*words, "--preset", "paper").err == ""
    typed = manifest_of(people.parent / "out.csv")["parameters"]
    assert (typed["cut"], typed["order"], typed["publish"]) == ("widest", "alphabetical", "interval")
    (people.parent / "job.toml").write_text('preset = "paper"\n')
    assert run(*words, "--force", "--job", "job.toml").err == ""
    assert manifest_of(people.parent / "out.csv")["parameters"] == typed
    assert run(*words, "--force").err == ""
    assert manifest_of(people.parent / "out.csv")["parameters"]["cut"] == "loss"


LEVELS = ("people.csv", "--quasi", "zip,age", "-k", "3", "--hierarchy", "zip=masking:1,2", "--output", "out.csv")


def with_zips(folder: Path) -> None:
    zips = ["13053", "13068", "13051", "14850", "14853", "14851", "90210"]
    rows = [f"{code},{20 + at % 3}\n" for at, code in enumerate(zips[:6] * 2 + zips[6:])]
    (folder / "people.csv").write_text("zip,age\n" + "".join(rows), encoding="utf-8")


def test_levels_are_typed_and_stand_in_job_files(run: Any, tmp_path: Path) -> None:
    with_zips(tmp_path)
    out = tmp_path / "out.csv"
    arguments = ("anonymize", *LEVELS, "--suppression-limit", "1", "--force")
    assert run(*arguments, "--level", "zip=2").status == 0
    assert {row["zip"] for row in read(out)} == {"130**", "148**"}
    assert manifest_of(out)["allowed_levels"] == {"zip": {"finest": 2, "coarsest": 2, "labels": ["130**", "148**"]}}
    (tmp_path / "job.toml").write_text('[levels]\nzip = "1:2"\n', encoding="utf-8")
    assert run(*arguments, "--job", "job.toml").status == 0
    assert manifest_of(out)["allowed_levels"]["zip"]["finest"] == 1
    # What is typed wins.
    assert run(*arguments, "--job", "job.toml", "--level", "zip=2:").status == 0
    assert manifest_of(out)["allowed_levels"]["zip"]["coarsest"] == 3
    (tmp_path / "job.toml").write_text("[levels]\nzip = 2\n", encoding="utf-8")
    assert run(*arguments, "--job", "job.toml").status == 0
    assert manifest_of(out)["allowed_levels"]["zip"]["coarsest"] == 2


def test_levels_that_cannot_be_kept_write_nothing(run: Any, tmp_path: Path) -> None:
    with_zips(tmp_path)
    outcome = run("anonymize", *LEVELS, "--level", "zip=1:2")
    assert outcome.status == 3
    assert "'zip' at most at level 2" in outcome.err
    assert "--level zip=1:3" in outcome.err
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("zip=3:2", "The coarsest level of 'zip' is finer than the finest. Type --level zip=2:3."),
        ("zip=a", "The levels of 'zip' are not readable"),
        ("zip=5", "has the levels 0 to 3"),
        ("age=1:2", "has no hierarchy"),
        ("town=1", "town"),
        ("zip", "--level"),
    ],
)
def test_wrong_levels(run: Any, tmp_path: Path, typed: str, message: str) -> None:
    with_zips(tmp_path)
    outcome = run("anonymize", *LEVELS, "--level", typed)
    assert outcome.status == 2
    assert message in " ".join(outcome.err.split())
    assert not (tmp_path / "out.csv").exists()


def test_an_audit_finds_a_cell_outside_the_levels(run: Any, tmp_path: Path) -> None:
    with_zips(tmp_path)
    assert run("anonymize", *LEVELS, "--level", "zip=2", "--suppression-limit", "1").status == 0
    outcome = run("audit", "out.csv", "--quasi", "zip,age")
    assert outcome.status == 0
    assert "level 2 of 'zip'" in outcome.out
    out = tmp_path / "out.csv"
    out.write_text(out.read_text(encoding="utf-8").replace("148**", "14***", 1), encoding="utf-8")
    outcome = run("audit", "out.csv", "--quasi", "zip,age")
    assert outcome.status == 3
    assert "FAILS" in outcome.out


def test_masking_more_than_there_is(run: Any, tmp_path: Path) -> None:
    with_zips(tmp_path)
    outcome = run("anonymize", *LEVELS[:-4], "--hierarchy", "zip=masking:9", "--output", "out.csv")
    assert outcome.status == 2
    assert "masks at least 9 characters, and its longest value has 5" in " ".join(outcome.err.split())
