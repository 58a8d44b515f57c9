"""What is refused above the budget of distinct tuples, and how it is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.engines import _files as files
from hedgerow.engines.workspace import Shares


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with 60 distinct tuples of the counted columns, of which 50 fit."""
    monkeypatch.setattr(files, "divided", lambda _limit: Shares(10**9, 10**9))
    monkeypatch.setattr(Shares, "most_tuples", lambda _self, _columns: 50)
    number = np.arange(120)
    columns = {"age": number % 60, "town": number % 3, "pay": number % 2, "who": number // 2, "note": number % 5}
    pq.write_table(pa.table({name: values.astype(str) for name, values in columns.items()}), tmp_path / "p.parquet")
    return tmp_path / "p.parquet"


@pytest.mark.parametrize(
    ("schema", "options", "words"),
    [
        ({}, {"relaxed": True}, "relaxed=True"),
        ({}, {"improve": True}, "improve=True"),
        ({}, {"cut": "widest"}, "cut='widest' is not possible, only cut='loss'"),
        ({}, {"suppression_limit": 0.1}, "suppression_limit"),
        ({}, {"method": "k-member"}, "KMember cannot be used"),
        ({}, {"method": "optimal"}, "cannot be used"),
        ({"entity": "who"}, {}, "people cannot be counted"),
    ],
)
def test_what_needs_all_tuples_at_once_is_refused(
    people: Path, schema: dict[str, Any], options: dict[str, Any], words: str
) -> None:
    asked = hr.Schema(quasi=["age", "town"], target="pay", others="drop", **schema)
    with pytest.raises(hr.BadInput, match="60 distinct tuples of the counted columns, and 50 of them fit") as caught:
        hr.anonymize(people, asked, k=3, **options)
    assert words in str(caught.value)
    assert "--memory-limit" in str(caught.value)


def test_a_target_in_bins_is_refused(tmp_path: Path, people: Path) -> None:
    table = pq.read_table(people)
    pay = pa.array(np.arange(120) % 40)
    pq.write_table(table.set_column(2, "pay", pay), tmp_path / "numbers.parquet")
    asked = hr.Schema(quasi=["age", "town"], target="pay", others="drop")
    with pytest.raises(hr.BadInput, match="cannot be cut into bins"):
        hr.anonymize(tmp_path / "numbers.parquet", asked, k=3, target_bins=4)


def test_columns_in_clear_are_examined(people: Path) -> None:
    """Their rows are sampled with the number of their cell, of which the tuples are then asked for."""
    asked = hr.Schema(quasi=["age", "town"], target="pay", insensitive=["note"], accept=["note"], others="drop")
    release = hr.anonymize(people, asked, k=3, random_state=1)
    assert release.audit.clear["note"].gives_away["age"] > 0.5
    parts = release.recoding.parts
    assert parts is not None
    for (start, end), (counts, _) in zip(parts.bounds, parts, strict=True):
        cells = np.arange(start, end)[::-2]
        assert np.array_equal(parts.large.quasi_codes(cells), counts.quasi_codes(cells - start))


def test_a_release_in_parts_is_saved_and_has_no_originals(people: Path, tmp_path: Path) -> None:
    release = hr.anonymize(people, hr.Schema(quasi=["age", "town"], target="pay", others="drop"), k=3)
    release.save(tmp_path / "out.parquet")
    assert pq.read_metadata(tmp_path / "out.parquet").num_rows == 120
    assert release.originals is None
    assert "pieces" not in release.recoding.to_dict()
    assert hr.Release.load(tmp_path / "out.parquet").audit.k == release.audit.k


def test_a_hierarchy_that_lacks_values_is_refused(people: Path) -> None:
    asked = hr.Schema(quasi=["age", "town"], target="pay", others="drop", hierarchies={"town": {"*": ["0", "1"]}})
    with pytest.raises(hr.BadInput, match="town"):
        hr.anonymize(people, asked, k=3)
