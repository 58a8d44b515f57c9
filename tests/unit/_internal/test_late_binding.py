"""What objects offer though folders above them do the work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput


@pytest.fixture(scope="module")
def release() -> hr.Release:
    people = pa.table({"age": [20, 23, 27, 25, 27, 29], "sex": ["M", "M", "F", "F", "F", "M"]})
    return hr.anonymize(people, hr.Schema(quasi=["age"], target="sex"), k=3)


def test_nothing_that_draws_is_imported_before_it_is_asked_for() -> None:
    program = (
        "import sys, pyarrow as pa, hedgerow as hr\n"
        "release = hr.anonymize(pa.table({'age': [20, 23, 27]}), hr.Schema(quasi=['age']), k=3)\n"
        "repr(release), release.manifest\n"
        "print({'altair', 'jinja2', 'vl_convert', 'hedgerow.report'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("edition", ["internal", "public"])
def test_a_release_and_an_audit_write_reports(edition: str, release: hr.Release, tmp_path: Path) -> None:
    for name, subject in (("release", release), ("audit", release.audit)):
        place = subject.report(tmp_path / f"{name}.html", edition=edition)  # type: ignore[arg-type]  # a list of texts
        assert place == tmp_path / f"{name}.html"
        page = place.read_text(encoding="utf-8")
        assert f"{edition} edition" in page
        assert "anonymous" not in page.lower(), "no legal claim"


def test_what_a_report_is_told(release: hr.Release, tmp_path: Path) -> None:
    place = release.report(
        tmp_path / "out.html",
        context={"recipient": "the <university>", "release-model": "non-public"},
        governance=hr.report.Governance(signatory="A. Steward"),
    )
    page = place.read_text(encoding="utf-8")
    assert "the &lt;university&gt;" in page
    assert "A. Steward" in page


def test_a_file_that_is_there_is_kept(release: hr.Release, tmp_path: Path) -> None:
    place = tmp_path / "out.html"
    place.write_text("mine")
    with pytest.raises(BadInput, match="exists already"):
        release.report(place)
    assert place.read_text() == "mine"
    assert release.report(place, overwrite=True).read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"path": "out.txt"}, "ends in .html"),
        ({"path": "none/out.html"}, "no folder 'none'"),
        ({"edition": "secret"}, "'internal' or 'public'"),
        ({"context": {"recipent": "x"}}, "Did you mean 'recipient'"),
        ({"context": {"release-model": "free"}}, "release_model"),
        ({"governance": "A. Steward"}, "a table of fields or a Governance"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(
    told: dict[str, str], message: str, release: hr.Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=message):
        release.report(**{"path": "out.html", **told})  # type: ignore[arg-type]  # wrong on purpose
    assert not list(tmp_path.iterdir())
