"""``hr.evaluate`` from end to end, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.evaluation.api import named_methods

SCHEMA = hr.Schema(quasi=["age", "sex", "education"], target="income", others="drop")


@pytest.fixture(scope="module")
def census() -> pa.Table:
    return hr.datasets.make_census(240, random_state=1)


def short(data: Any, **options: Any) -> Any:
    given: dict[str, Any] = {"methods": "mondrian", "k": 5, "learners": "naive-bayes", "protocol": "holdout"}
    return hr.evaluate(data, options.pop("schema", SCHEMA), workers=1, **{**given, **options})


def test_tables_come_in_the_type_that_the_data_had(census: pa.Table, tmp_path: Path) -> None:
    kinds = {pd.DataFrame: census.to_pandas(), pl.DataFrame: pl.from_arrow(census), pa.Table: census}
    found = {kind: short(data) for kind, data in kinds.items()}
    for kind, evaluation in found.items():
        assert isinstance(evaluation.table(), kind)
        assert isinstance(evaluation.frame, kind)
    census.to_pandas().to_csv(tmp_path / "people.csv", index=False)
    from_file = short(tmp_path / "people.csv")
    assert isinstance(from_file.table(), pa.Table)
    assert from_file.table().equals(found[pa.Table].table())


def test_the_baselines_are_always_there(census: pa.Table) -> None:
    frame = short(census, learners=["naive-bayes", "c45"]).frame.to_pandas()
    raw = frame[frame["method"] == "unanonymized"]
    assert sorted(raw["learner"]) == ["c45", "majority", "naive-bayes"]
    assert set(frame["status"]) == {"done"}


def test_people_are_not_parted() -> None:
    table = hr.datasets.make_hospital(400, random_state=1)
    schema = hr.Schema(quasi=["sex", "postcode"], target="triage", entity="patient_id", others="drop")
    found = short(table, schema=schema, k=3)
    assert set(found.frame.column("status").to_pylist()) == {"done"}


def test_finished_cells_are_kept_and_new_ones_added(census: pa.Table, tmp_path: Path) -> None:
    cache = tmp_path / "cells.jsonl"
    first = short(census, cache=cache)
    lines = cache.read_text().splitlines()
    again = short(census, cache=str(cache), k=[5, 8])
    assert cache.read_text().splitlines()[: len(lines)] == lines
    assert len(cache.read_text().splitlines()) == len(lines) + 1
    assert again.table().select(["k=5"]).equals(first.table().select(["k=5"]))


def test_a_finished_cell_is_found_under_another_name(census: pa.Table, tmp_path: Path) -> None:
    first = short(census, methods={"old": hr.Mondrian()}, cache=tmp_path / "cells.jsonl")
    again = short(census, methods={"new": hr.Mondrian()}, cache=tmp_path / "cells.jsonl")
    assert again.table().column("method").to_pylist() == ["new"]
    assert again.table().column("k=5").to_pylist() == first.table().column("k=5").to_pylist() != [None]


def test_any_estimator_and_method_of_others(census: pa.Table) -> None:
    from sklearn.tree import DecisionTreeClassifier

    methods = {"plain": hr.KActus(), "printed": hr.KActus(numbers="mean")}
    found = short(census, methods=methods, learners=[DecisionTreeClassifier(max_depth=2)])
    assert found.table().column("method").to_pylist() == ["plain", "printed"]
    assert found.table().column("learner").to_pylist() == ["DecisionTreeClassifier"] * 2


def test_requirements_without_k(census: pa.Table) -> None:
    schema = hr.Schema(quasi=["age", "sex"], target="income", sensitive=["disease"], others="drop")
    found = short(census, schema=schema, k=None, require="k=4")
    assert found.table().column_names[-1] == "as required"
    assert found.frame.column("k_reached").to_pylist()[-1] >= 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": "mondrain"}, "There is no method 'mondrain'. Did you mean 'mondrian'"),
        ({"methods": []}, "No method is given"),
        ({"methods": [hr.Mondrian]}, "names of methods, or Anonymizers"),
        ({"methods": ["mondrian", "mondrian"]}, "given twice"),
        ({"learners": "c54"}, "There is no learner 'c54'. Did you mean 'c45'"),
        ({"learners": []}, "No learner is given"),
        ({"learners": ["c45", "c45"]}, "the same name"),
        ({"learners": ["linear"]}, "the target holds classes"),
        ({"k": 0}, "an int >= 1, or a list of these"),
        ({"k": "5"}, "an int >= 1, or a list of these"),
        ({"k": []}, "No k is given"),
        ({"k": None}, "No k is given, and nothing else is required"),
        ({"protocol": "2x5cv"}, "'5x2cv', 'holdout'"),
        ({"train": "raw", "test": "recoded"}, "'published', 'redrawn' or an encoder"),
        ({"random_state": -1}, "an int >= 0"),
        ({"workers": 0}, "an int >= 1"),
    ],
    ids=str,
)
def test_bad_input(options: dict[str, Any], message: str, census: pa.Table) -> None:
    given: dict[str, Any] = {"protocol": "holdout", "workers": 1, **options}
    with pytest.raises(hr.BadInput, match=message):
        hr.evaluate(census, SCHEMA, **given)


def test_what_methods_are_called() -> None:
    found = named_methods(["mondrian", hr.Mondrian(relaxed=True), hr.KActus(k=None)])
    assert list(found) == ["mondrian", "mondrian(relaxed=True)", "kactus"]
