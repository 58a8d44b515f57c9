"""A release says itself what its audit has to be told of any other table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import BadInput

PEOPLE = pa.table(
    {
        "age": [20, 20, 21, 40, 41, 41, 60, 60, 61, 61],
        "city": ["Ulm", None, "Ulm", "Bern", "Bern", "Bern", "?", "?", "?", "?"],
        "ill": ["flu", "pox"] * 5,
        "rich": ["y", "n", "n", "y", "n"] * 2,
    }
)
SCHEMA = hr.Schema(quasi=["age", "city"], sensitive=["ill"], target="rich", missing=("?",))


@pytest.fixture(params=["frame", "file", "loaded"])
def release(request: pytest.FixtureRequest, tmp_path: Path) -> hr.Release:
    data: Any = PEOPLE
    if request.param == "file":
        PEOPLE.to_pandas().to_csv(tmp_path / "people.csv", index=False)
        data = tmp_path / "people.csv"
    made = hr.anonymize(data, SCHEMA, k=3, require="l=2@ill", publish_proportions=True)
    return hr.Release.load(made.save(tmp_path / "out.csv")) if request.param == "loaded" else made


def test_it_needs_no_roles(release: hr.Release) -> None:
    found = hr.audit(release)
    known = release.audit
    assert (found.k, found.l, found.t, found.rows) == (known.k, known.l, known.t, known.rows)
    assert found.columns == ("age", "city")
    assert found.sensitive == known.sensitive
    assert found.label_homogeneity == known.label_homogeneity
    assert found.losses == known.losses
    assert found.verdict == known.verdict
    assert found.proportions == known.proportions
    assert found.singled_out == 0


def test_what_is_given_goes_before(release: hr.Release) -> None:
    found = hr.audit(release, quasi=["age"], sensitive=["rich"], k=4)
    assert found.columns == ("age",)
    assert set(found.sensitive) == {"rich"}
    assert found.verdict is not None
    assert [one.requirement for one in found.verdict.findings] == ["4-anonymity"]
    assert found.risks.prosecutor.threshold == 1 / 4


def test_a_release_may_be_the_population(release: hr.Release) -> None:
    found = hr.audit(release, population=release)
    assert found.risks.journalist.highest == found.risks.prosecutor.highest


def test_it_is_counted_anew(frame_type: Callable[[pa.Table], Any]) -> None:
    """What the verifier finds, not what the release says of itself."""
    from dataclasses import replace

    from hedgerow.engines import FrameRows

    release = hr.anonymize(frame_type(PEOPLE), SCHEMA, k=3)
    spoilt = replace(release, rows=FrameRows(frame_type(PEOPLE)))
    assert hr.audit(release).k >= 3
    assert hr.audit(spoilt).k == 1
    assert not getattr(hr.audit(spoilt).verdict, "holds", True)


def test_any_other_table_must_be_told(tmp_path: Path) -> None:
    path = hr.anonymize(PEOPLE, SCHEMA, k=3).save(tmp_path / "out.csv")
    assert hr.audit(path).k == hr.audit(str(path)).k == 3  # its manifest names the columns
    path.with_name(f"{path.name}.manifest.json").unlink()
    for table in (PEOPLE, path, str(path)):
        with pytest.raises(BadInput, match="No quasi-identifier is named"):
            hr.audit(table)
