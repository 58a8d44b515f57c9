"""Job files, and what is typed beside them."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from hedgerow.cli._job import assemble, read_job
from hedgerow.errors import BadInput


def test_what_is_typed_wins_and_paths_begin_at_the_job(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text('input = "in.csv"\nquasi = "age,sex"\nk = 5\ndrop = ["name"]\n[set]\ncut = "wide"\nrelaxed = true')
    job = assemble({"k": 7, "set": {"cut": "median"}}, str(path))
    assert (job.k, job.quasi, job.identifying) == (7, ["age", "sex"], ["name"])
    assert job.set == {"cut": "median", "relaxed": True}
    assert job.input == str(tmp_path / "in.csv")


def test_what_only_a_person_knows_stands_in_tables(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text(
        'report = "out.html"\nreport-edition = "public"\n[context]\nrecipient = "a university"\n'
        "[governance]\nexpiry = 2027-05-01\n"
    )
    job = assemble({}, str(path))
    assert (job.report, job.report_edition) == (str(tmp_path / "out.html"), "public")
    assert job.context == {"recipient": "a university"}
    assert job.governance == {"expiry": datetime.date(2027, 5, 1)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("k = 5\nquasi =\n", "wrong at line 2"),
        ("a = " + "[" * 250 + "]" * 250, "nested too deeply for a job"),
        ('drop = ["a"]\nidentifying = ["b"]', "'identifying' is in the job file .* twice"),
        ("kk = 2", "no field 'kk'"),
        ('report-edition = "secret"', "must be 'internal' or 'public'"),
        ('context = "research"', "'context' parameter of the job file .* must be a table"),
        ('k = "two"', "'k' parameter of the job file .* must be a whole number"),
    ],
)
def test_what_is_wrong_with_a_job(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text(content)
    with pytest.raises(BadInput, match=message):
        read_job(tmp_path / "job.toml")
