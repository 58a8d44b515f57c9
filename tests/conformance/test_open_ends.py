"""Open ends of intervals, from the hierarchy to everything that reads a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

import hedgerow as hr
from hedgerow.core.recoding import Recoding
from hedgerow.learning.export import export

AGES = np.random.default_rng(5).integers(1, 105, 300)
TABLE = pa.table({"age": AGES, "sex": ["F", "M"] * 150, "old": np.where(AGES < 60, "no", "yes")})
GIVEN = hr.hierarchies.intervals(width=5, levels=[10, 40], bottom=18, top=90)
SCHEMA = hr.Schema(quasi=["age", "sex"], target="old", hierarchies={"age": GIVEN})
METHODS = ("mondrian", "optimal", "greedy", "tds", "kadet", "bug")


def released(method: str, **keywords: Any) -> hr.Release:
    return hr.anonymize(TABLE, SCHEMA, method=method, k=5, random_state=0, **keywords)


def cells(release: hr.Release) -> set[str]:
    return set(map(str, release.table["age"].to_pylist()))


@pytest.mark.parametrize("method", METHODS)
def test_a_release_is_counted_and_its_people_are_found(method: str) -> None:
    release = released(method)
    assert {"<18", "≥90"} <= cells(release)
    assert release.audit.k >= 5
    result = hr.audit(release.table, quasi=["age", "sex"], population=TABLE)
    assert not any("fewer people" in warning for warning in result.warnings)
    if method in ("optimal", "tds", "bug"):  # global recodings: exactly the people of a class fit it
        assert result.risks.journalist.average == result.risks.prosecutor.average


def test_an_open_node_loses_up_to_the_end_of_the_column() -> None:
    people = pa.table({"age": [0, 5, 10, 20, 25, 30, 90, 95, 100]})
    given = hr.hierarchies.intervals(width=20, start=0, bottom=15, top=90)
    release = hr.anonymize(people, hr.Schema(quasi=["age"], hierarchies={"age": given}), method="optimal", k=3)
    assert cells(release) == {"<15", "[20,40)", "≥90"}
    # <15 spans 15 of the column's 100, [20,40) 20, and ≥90 what is left of it, 10.
    assert release.losses["ncp_published"] == pytest.approx((0.15 + 0.2 + 0.1) / 3)
    assert release.losses["ncp"] == pytest.approx((0.1 + 0.1 + 0.1) / 3)


def test_files_and_frames_publish_the_same(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    pa_csv.write_csv(TABLE, source)
    in_memory = released("optimal")
    out = hr.anonymize(source, SCHEMA, method="optimal", k=5, random_state=0).save(tmp_path / "out.csv")
    written = pa_csv.read_csv(out)
    assert sorted(written["age"].to_pylist()) == sorted(in_memory.table["age"].to_pylist())
    assert hr.audit(out, quasi=["age", "sex"], k=5).verdict.holds  # type: ignore[union-attr]  # k was asked for


def test_unseen_rows_go_to_the_open_ends(tmp_path: Path) -> None:
    recoding = released("optimal").recoding
    new = pa.table({"age": [-3, 3, 90, 300], "sex": ["F"] * 4})
    kept = Recoding.load(recoding.save(tmp_path / "recoding.json"))
    for one in (recoding, kept):
        assert one.transform(new)["age"].to_pylist() == ["<18", "<18", "≥90", "≥90"]


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_learners_read_finite_numbers(method: str, told: bool) -> None:
    release = released(method, publish_proportions=told)
    features, labels = release.table.drop_columns(["old"]), np.array(release.table["old"].to_pylist())
    encoders: list[Any] = [
        hr.learning.OneClassEncoder(),
        hr.learning.FillParentEncoder(),
        hr.learning.FillChildEncoder(),
    ]
    encoders += [hr.learning.ProportionalEncoder(shares=one) for one in ("uniform", "frequency")]
    for encoder in encoders:
        for data in (release, features):
            encoded = encoder.fit(data).transform(data)
            dense = encoded.toarray() if hasattr(encoded, "toarray") else np.asarray(encoded)
            assert np.isfinite(dense.astype(np.float64)).all()
            raw = encoder.transform(TABLE.drop_columns(["old"]))
            dense = raw.toarray() if hasattr(raw, "toarray") else np.asarray(raw)
            assert np.isfinite(dense.astype(np.float64)).all()
    for tree in (hr.learning.C45Classifier(), hr.learning.GeneralizedID3Classifier(), hr.learning.KADETClassifier(k=3)):
        fitted = tree.fit(features, labels)
        assert (fitted.predict(features) == labels).mean() > 0.8
    drawn = np.array(hr.learning.redraw(release, random_state=0)["age"].to_pylist(), dtype=np.float64)
    assert len(drawn) == TABLE.num_rows
    assert np.isfinite(drawn).all()
    assert (drawn >= 0).all()


def test_redrawn_numbers_lie_where_their_cells_say() -> None:
    table = pa.table({"age": ["<18"] * 50 + ["[18,20)"] * 50 + ["≥90"] * 50})
    drawn = hr.learning.redraw(table, quasi=["age"], random_state=0)["age"].to_pylist()
    assert {number < 18 for number in drawn[:50]} == {True}
    assert {number >= 90 for number in drawn[100:]} == {True}
    assert all(isinstance(number, int) for number in drawn)


def test_a_value_of_text_that_looks_open_stays_text() -> None:
    groups = ["<18", "18 to 64", "≥65"]
    people = pa.table({"group": groups * 4, "sex": ["F", "M"] * 6})
    release = hr.anonymize(people, hr.Schema(quasi=["group", "sex"]), k=2, random_state=0)
    assert set(release.table["group"].to_pylist()) <= set(groups)
    assert set(hr.learning.redraw(release, random_state=0)["group"].to_pylist()) <= set(groups)
    wide = hr.anonymize(people, hr.Schema(quasi=["group", "sex"]), k=4, publish="set", random_state=0)
    assert set(hr.learning.redraw(wide, random_state=0)["group"].to_pylist()) <= set(groups)


def test_an_exported_open_end_is_empty(tmp_path: Path) -> None:
    table = pa.table({"age": ["<18", "[18,20)", "≥90", "40"]})
    out = export(table, tmp_path / "out.csv", intervals="columns")
    lines = out.read_text(encoding="utf-8").split()
    assert lines == ["age_low,age_high", ",18", "18,20", "90,", "40,40"]
