"""The base of all methods: the estimator's own parameters, and ``fit_resample``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import Anonymizer, BadInput, Greedy, HeuristicMin, KActus, Mondrian, OptimalLattice, Schema
from hedgerow.anonymizers.base import CELLS_TELL
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Recoding
from hedgerow.requirements import Requirement

AGES = [20, 23, 27, 25, 27, 29]
SEXES = ["M", "M", "F", "F", "F", "M"]


def test_the_schema_of_the_estimator_is_used_unless_another_is_given() -> None:
    people = pa.table({"age": AGES, "sex": SEXES})
    own = Mondrian(k=3, schema=Schema(quasi=["age"], insensitive=["sex"], accept=["sex"]))
    assert own.anonymize(people).recoding.quasi == ("age",)
    assert own.anonymize(people, Schema(quasi=["sex"], insensitive=["age"], accept=["age"])).recoding.quasi == ("sex",)
    assert Mondrian(k=3).anonymize(people).recoding.quasi == ("age", "sex")


def test_the_seed_of_the_call_goes_before_the_estimators() -> None:
    table = pa.table({"age": [1] * 9 + [2] * 2, "note": [f"n{row}" for row in range(11)]})
    schema = Schema(quasi=["age"], insensitive=["note"], accept=["note"])

    def rows(own: int | None, given: int | None) -> list[tuple[str, str]]:
        method = Mondrian(k=5, relaxed=True, cut="widest", random_state=own)
        return sorted(
            tuple(row.values()) for row in method.anonymize(table, schema, random_state=given).table.to_pylist()
        )

    assert rows(1, None) == rows(None, 1) == rows(2, 1)
    assert any(rows(seed, None) != rows(0, None) for seed in range(1, 5))


def test_wrong_parameters_are_found_before_the_table_is_read() -> None:
    with pytest.raises(BadInput, match="'order' parameter of Mondrian must be 'auto', 'alphabetical' or 'hierarchy'"):
        Mondrian(k=3, order="reverse").anonymize(object())  # type: ignore[arg-type]  # what is to be refused


def test_a_name_that_the_registry_does_not_know_is_no_error() -> None:
    class Own(Mondrian):
        name = "own"

        def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
            return Mondrian(cut=self.cut).fit_counts(counts, requirements, seed=seed)

    release = Own(k=3, cut="widest").anonymize(pa.table({"age": AGES}), Schema(quasi=["age"]))
    assert release.facts["parameters"]["cut"] == "widest"


def test_an_own_method_must_be_written() -> None:
    class Empty(Anonymizer):
        name = "empty"

    with pytest.raises(BadInput, match="has no '_fit'"):
        Empty(k=3).anonymize(pa.table({"age": AGES}), Schema(quasi=["age"]))


CLASSES: dict[str, Any] = {
    "text": ["a", "b", "a", "b", "a", "b"],
    "numbers": np.array([0, 1, 2, 0, 1, 2]),
    "fractions": np.array([0.5, 1, 2, 0.5, 1, 2]),
    "flags": np.array([True, False] * 3),
    "objects": np.array(["a", "b"] * 3, dtype=object),
    "series": pd.Series(["a", "b"] * 3, index=range(6, 0, -1)),
    "categories": pd.Series(["a", "b"] * 3, dtype="category"),
    "polars": pl.Series(["a", "b"] * 3),
}


@pytest.mark.parametrize("classes", CLASSES.values(), ids=list(CLASSES))
@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_fit_resample_keeps_classes_of_any_type_beside_their_rows(backend: str, classes: Any) -> None:
    table = pa.table({"age": AGES, "row": list(range(6))})
    features: Any = {"pandas": table.to_pandas(), "polars": pl.from_arrow(table), "pyarrow": table}[backend]
    if backend == "pandas":
        features.index = [9, 9, 3, 4, 5, 6]
    X, y = Mondrian(k=3, schema=Schema(quasi=["age"], insensitive=["row"], accept=["row"])).fit_resample(
        features, classes
    )
    assert type(X) is type(features)
    given = classes if isinstance(classes, pd.Series | pl.Series) else np.asarray(classes)
    assert (type(y), y.dtype) == (type(given), given.dtype)
    order = np.asarray(X["row"])
    assert list(y) == np.asarray(classes)[order].tolist()


def test_fit_resample_takes_a_free_name_for_the_class() -> None:
    X, y = Mondrian(k=3).fit_resample(pa.table({"target": AGES, "target_": SEXES}), [0, 1, 0, 1, 0, 1])
    assert X.column_names == ["target", "target_"]
    assert sorted(y.tolist()) == [0, 0, 0, 1, 1, 1]


def test_fit_resample_protects_the_class_where_it_is_asked_to() -> None:
    schema = Schema(quasi=["age"], target="class", sensitive=["class"])
    method = Mondrian(k=2, require="l=2@class", schema=schema)
    X, y = method.fit_resample(pa.table({"age": AGES}), list("aabbcc"))
    ages = X["age"].to_pylist()
    assert all(len({c for age, c in zip(ages, y, strict=True) if age == one}) >= 2 for one in ages)


def test_fit_resample_keeps_the_release() -> None:
    method = Mondrian(k=3)
    X, _ = method.fit_resample(pa.table({"age": AGES}), SEXES)
    assert method.release_.audit.k == 3
    assert method.release_.table["age"].equals(X["age"])


def test_fit_resample_refuses_what_is_no_dataframe() -> None:
    with pytest.raises(BadInput, match="A table must be a pandas, polars or pyarrow dataframe"):
        Mondrian(k=3).fit_resample({"age": AGES}, SEXES)


@pytest.mark.parametrize("classes", [SEXES[:5], [SEXES], np.zeros((6, 2))], ids=["short", "nested", "wide"])
def test_fit_resample_refuses_classes_that_do_not_fit(classes: Any) -> None:
    with pytest.raises(BadInput, match="y must hold one class for each of the 6 rows of X"):
        Mondrian(k=3).fit_resample(pa.table({"age": AGES}), classes)


def test_fit_resample_refuses_a_schema_of_another_type() -> None:
    schema: Any = {"quasi": ["age"]}
    with pytest.raises(BadInput, match="The 'schema' parameter of Mondrian must be a hedgerow"):
        Mondrian(k=3, schema=schema).fit_resample(pa.table({"age": AGES}), SEXES)


@pytest.mark.parametrize("require", [5, None])
def test_requirements_that_are_no_list_are_refused(require: Any) -> None:
    people = pa.table({"age": AGES})
    with pytest.raises(BadInput, match="The 'require' parameter of Mondrian must be a list of requirements"):
        Mondrian(k=3, require=require).anonymize(people)
    with pytest.raises(BadInput, match="The 'require' parameter of anonymize must be a list of requirements"):
        Mondrian(k=3).anonymize(people, require=require)


def test_fit_resample_on_a_lazy_frame() -> None:
    X, y = Mondrian(k=3).fit_resample(pl.LazyFrame({"age": AGES, "sex": SEXES}), SEXES)
    assert isinstance(X, pl.LazyFrame)
    assert X.collect().height == len(y) == 6


@pytest.mark.parametrize(
    ("method", "weighs"),
    [
        (Mondrian(k=3), True),
        (OptimalLattice(k=3), True),
        (OptimalLattice(k=3, metric="discernibility"), False),
        (Greedy(k=3, metric="discernibility"), False),
        (Greedy(k=3, metric="discernibility", improve=True), True),
        (KActus(k=3), False),
        (KActus(k=3, expand=True), True),
        (HeuristicMin(k=3), False),
    ],
    ids=repr,
)
def test_weights_that_change_no_choice_are_remarked_on(method: Anonymizer, weighs: bool) -> None:
    people = pa.table({"age": AGES, "sex": SEXES, "ill": ["yes", "no"] * 3})
    schema = Schema(quasi=["age", "sex"], target="ill")

    def remarked(**weights: float) -> bool:
        release = method.anonymize(people, replace(schema, weights=weights))
        assert release.manifest["weights"] == weights
        name = type(method).__name__
        return any(f"{name} does not choose by the losses of columns" in one for one in release.audit.warnings)

    assert remarked(age=2) is not weighs
    assert not remarked()
    assert not remarked(age=2, sex=2)


@pytest.mark.parametrize(
    ("method", "parameters", "told"),
    [
        ("mondrian", {}, True),
        ("k-member", {}, True),
        ("mondrian", {"cells": "region"}, False),
        ("mondrian", {"publish": "label"}, False),
        ("optimal", {}, False),
    ],
)
def test_the_audit_says_where_cells_name_what_people_hold(
    method: str, parameters: dict[str, Any], told: bool, tmp_path: Path
) -> None:
    """There attackers are known to succeed. The remark is also in the manifest, for who loads the release."""
    people = pa.table({"age": list(range(20, 32)), "sex": ["F", "M"] * 6})
    release = hr.anonymize(people, hr.Schema(quasi=["age", "sex"]), method=method, k=4, **parameters)
    loaded = hr.Release.load(release.save(tmp_path / "out.csv"))
    assert (CELLS_TELL in release.audit.warnings) is (CELLS_TELL in loaded.audit.warnings) is told


@pytest.mark.parametrize(("limit", "noted"), [(2, True), (100, True), (0.02, False), (200, False), (None, False)])
def test_a_small_number_of_rows_is_not_taken_for_a_share(limit: float | None, noted: bool) -> None:
    people = hr.datasets.make_census(300, random_state=1)
    schema = Schema(quasi=["age", "sex"], others="drop")
    release = hr.anonymize(people, schema, k=5, suppression_limit=limit)
    words = f"At most {limit} rows may be lost (suppression_limit={limit}). For a share, give "
    assert any(warning.startswith(words) for warning in release.audit.warnings) == noted
