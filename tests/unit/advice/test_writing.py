"""The job file: comments for every decision, and whatever a column is called, TOML."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.advice._advice import toml_text
from hedgerow.cli._job import read_job
from hedgerow.errors import BadInput

STRANGE = (
    'quo"te', "back\\slash", "new\nline", "tab\tand\x7f", "true", "quasi", "[hierarchy]", "a.b", "# no", "=", "ä 😀",
    " x ", "'''", '"""', "\x1b[31m", "\u2028",
)  # fmt: skip


@pytest.mark.parametrize("text", [*STRANGE, ""])
def test_texts(text: str) -> None:
    assert tomllib.loads(f"{toml_text(text)} = {toml_text(text)}") == {text: text}


@pytest.mark.parametrize("name", STRANGE)
def test_a_column_may_be_called_anything(name: str, tmp_path: Path) -> None:
    table = pa.table({name: [f"{n % 20:05}" for n in range(200)], "sex": ["M", "F"] * 100, "town": ["A", "B"] * 100})
    advice = hr.advise(table, trial=False)
    job = read_job(advice.save(tmp_path / "job.toml"))

    listed = [*job.quasi, *job.identifying, *job.sensitive, *job.insensitive, job.target, job.entity]
    assert sorted(filter(None, listed)) == sorted([name, "sex", "town"])
    assert set(job.hierarchy) <= {name, "sex", "town"}
    assert job.output == str(tmp_path / "release.csv")


def test_every_line_is_a_comment_a_field_or_part_of_a_list(tmp_path: Path) -> None:
    hospital = hr.datasets.make_hospital(1500, random_state=7)
    text = hr.advise(hospital, trial=False).job()
    assert text.count("\n# ") > 8
    for line in text.splitlines():
        stripped = line.lstrip("# ")
        assert not stripped or line.startswith(("#", "    ", "]", "[")) or " = " in line
    assert tomllib.loads(text)["entity"] == "patient_id"
    assert '# input = "people.csv"' in text


def test_tables_are_named_from_the_folder_of_the_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "jobs").mkdir()
    (tmp_path / "data" / "people.csv").write_text(
        "age;town\n" + "".join(f"{20 + n % 40};T{n % 3}\n" for n in range(90))
    )
    monkeypatch.chdir(tmp_path)
    file = hr.File("data/people.csv", encoding="latin-1", delimiter=";")
    path = hr.advise(file, trial=False).save("jobs/job.toml")
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    assert (read["input"], read["output"]) == ("../data/people.csv", "people-release.csv")
    assert (read["encoding"], read["delimiter"]) == ("latin-1", ";")
    assert "hedgerow anonymize --job job.toml" in path.read_text(encoding="utf-8")
    assert Path(read_job(path).input or "").samefile("data/people.csv")


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    advice = hr.advise(hr.datasets.make_voters(300, random_state=7), trial=False)
    path = advice.save(tmp_path / "job.toml")
    with pytest.raises(BadInput, match="exists already"):
        advice.save(path)
    assert advice.save(path, overwrite=True) == path
    with pytest.raises(BadInput, match="no folder"):
        advice.save(tmp_path / "none" / "job.toml")


def test_hierarchies_for_a_lattice_are_given_and_for_others_are_a_choice() -> None:
    voters = hr.datasets.make_voters(2000, random_state=7)
    few = hr.advise(voters.select(["zip", "gender", "birth_year"]), trial=False)
    assert few.method.value == "optimal"
    assert set(tomllib.loads(few.job())["hierarchy"]) == {"zip", "gender", "birth_year"}
    several = hr.advise(voters, trial=False)
    assert several.method.value == "mondrian"
    assert set(tomllib.loads(several.job())["hierarchy"]) == {"zip"}
    assert '\n# birth_year = "intervals:' in several.job()
