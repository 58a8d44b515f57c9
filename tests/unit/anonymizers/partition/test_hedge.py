"""Hedge from outside: what it learns from, what it publishes, and what does not depend on chance."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from hedgerow import BadInput, Hedge, KAnonymity, LDiversity, Release, Schema
from hedgerow.core.recoding import AxisRouter, CutTree, Recoding

CHANCE = np.random.default_rng(0)
PEOPLE = pa.table(
    {
        "age": CHANCE.integers(20, 70, 120),
        "job": CHANCE.choice(["baker", "clerk", "nurse", "tailor"], 120),
        "height": CHANCE.normal(170, 9, 120).round(1),
        "ill": CHANCE.choice(["cold", "flu", "gout"], 120),
        "name": [f"name-{at // 2}" for at in range(120)],
    }
)
AGE, JOB = PEOPLE["age"].to_numpy(), np.array(PEOPLE["job"].to_pylist())
QUASI = ["age", "job", "height"]
LABELLED = PEOPLE.append_column("y", pa.array(np.where((AGE > 45) ^ (JOB == "clerk"), "yes", "no")))
NUMBERED = PEOPLE.append_column("y", pa.array(AGE * 1.5 + (JOB == "nurse") * 20.25))


def released(table: pa.Table = LABELLED, *, k: int = 6, schema: dict[str, Any] | None = None, **given: Any) -> Release:
    # The numbers of the target follow from the age.
    roles = Schema(quasi=QUASI, target="y", others="drop", accept=["y"], **(schema or {}))
    return Hedge(**{"k": k, "random_state": 0, **given}).anonymize(table, roles)


def rows_of(release: Release) -> list[str]:
    return sorted(map(repr, release.table.to_pylist()))


@pytest.mark.parametrize("shape", ["auto", "box", "axis"])
def test_a_release_is_verified_and_singles_nobody_out(shape: str) -> None:
    release = released(shape=shape)
    assert release.audit.k is not None
    assert release.audit.k >= 6
    assert release.audit.singled_out == 0
    assert release.recoding.lost == 0
    assert release.proportions is not None
    assert release.proportions.min_support == 6
    assert isinstance(release.recoding.router, AxisRouter if shape == "axis" else CutTree)


def test_groups_know_what_only_two_columns_together_tell() -> None:
    """The label is the XOR of two columns, a third one is noise: boxes keep to the first two, and are pure."""
    chance = np.random.default_rng(1)
    left, right = chance.integers(0, 100, 400), chance.choice(["n", "y"], 400)
    table = pa.table(
        {"left": left, "right": right, "noise": chance.integers(0, 100, 400), "y": (left >= 50) ^ (right == "y")}
    )
    release = Hedge(k=20, random_state=0).anonymize(table, Schema(quasi=["left", "right", "noise"], target="y"))
    groups: dict[tuple[str, ...], list[bool]] = {}
    for row in release.table.to_pylist():
        groups.setdefault((row["left"], row["right"], row["noise"]), []).append(row["y"])
    right_guesses = sum(max(labels.count(True), labels.count(False)) for labels in groups.values())
    assert right_guesses >= 0.97 * 400


def test_numbers_are_a_target_too() -> None:
    release = released(NUMBERED)
    groups: dict[tuple[str, ...], list[float]] = {}
    for row in release.table.to_pylist():
        groups.setdefault(tuple(row[name] for name in QUASI), []).append(row["y"])
    within = sum(float(np.var(one)) * len(one) for one in groups.values()) / 120
    assert within < 0.2 * float(np.var(NUMBERED["y"].to_numpy()))


def test_numbers_in_bins() -> None:
    release = released(NUMBERED, target_bins=3)
    assert release.audit.singled_out == 0
    assert sorted(release.table["y"].to_pylist()) == sorted(NUMBERED["y"].to_pylist())


@pytest.mark.parametrize(
    ("teacher", "table"),
    [
        (LogisticRegression(max_iter=500), LABELLED),
        (DecisionTreeClassifier(max_features=1), LABELLED),
        (KNeighborsClassifier(), LABELLED),
        (RandomForestRegressor(n_estimators=4), NUMBERED),
    ],
    ids=lambda one: type(one).__name__,
)
def test_anybody_may_teach(teacher: Any, table: pa.Table) -> None:
    """What a teacher leaves to chance is decided by our seed, and the teacher itself is not fitted."""
    release = released(table, teacher=teacher)
    assert release.facts["parameters"]["teacher"] == type(teacher).__name__
    assert rows_of(release) == rows_of(released(table, teacher=clone(teacher)))
    assert not [name for name in vars(teacher) if name.endswith("_")]


def test_a_wrong_teacher_is_refused() -> None:
    with pytest.raises(BadInput, match="The 'teacher' parameter of Hedge must be 'boosting' or a regressor"):
        released(NUMBERED, teacher=LogisticRegression())
    with pytest.raises(BadInput, match="The 'teacher' parameter of Hedge must be"):
        released(teacher="somebody")


def test_the_column_that_tells_is_kept_where_tuples_are_few() -> None:
    """Four tuples: if only one of the two columns can be published, it is the one that determines the label."""
    chance = np.random.default_rng(0)
    random, informative = chance.choice(list("cd"), 600), chance.choice(list("ab"), 600)
    label = np.where((informative == "a") ^ (chance.random(600) < 0.1), "no", "yes")
    table = pa.table({"random": random, "informative": informative, "y": label})
    release = Hedge(k=200, random_state=0).anonymize(table, Schema(quasi=["random", "informative"], target="y"))
    assert set(release.table["informative"].to_pylist()) == {"a", "b"}
    assert set(release.table["random"].to_pylist()) == {"{c|d}"}


# People, weights, missing values, other requirements


@pytest.mark.parametrize("shape", ["box", "axis"])
def test_people_are_counted_and_not_rows(shape: str) -> None:
    release = released(k=5, shape=shape, schema={"identifying": ["name"], "entity": "name"})
    assert release.audit.k is not None
    assert release.audit.k >= 5
    assert len(release.recoding.sizes) > 3


@pytest.mark.parametrize("shape", ["box", "axis"])
def test_further_requirements_hold(shape: str) -> None:
    release = released(k=4, require=[LDiversity(3, "ill")], shape=shape, schema={"sensitive": ["ill"]})
    groups: dict[tuple[str, ...], set[str]] = {}
    for row in release.table.to_pylist():
        groups.setdefault(tuple(row[name] for name in QUASI), set()).add(row["ill"])
    assert {len(one) for one in groups.values()} == {3}
    assert len(groups) > 5


@pytest.mark.parametrize("shape", ["box", "axis"])
def test_missing_values_dates_and_orders(shape: Any) -> None:
    days = pa.array(AGE.astype(np.int32) * 300, pa.int32()).cast(pa.date32())
    size = np.array(["S", "M", "L"])[AGE % 3].tolist()
    table = pa.table(
        {
            "born": days,
            "size": size,
            "job": [None if age % 7 == 0 else job for age, job in zip(AGE, JOB, strict=True)],
            "height": [
                None if age % 5 == 0 else one for age, one in zip(AGE, PEOPLE["height"].to_pylist(), strict=True)
            ],
            "y": LABELLED["y"],
        }
    )
    schema = Schema(quasi=["born", "size", "job", "height"], target="y", kinds={"size": ["S", "M", "L"]})
    release = Hedge(k=6, shape=shape, random_state=0).anonymize(table, schema)
    assert release.audit.singled_out == 0
    recoded = release.recoding.transform(table.drop(["y"]))
    published = {tuple(row.values()) for row in release.table.drop(["y"]).to_pylist()}
    assert {tuple(row.values()) for row in recoded.to_pylist()} <= published


def test_columns_that_nobody_cares_for_are_not_cut() -> None:
    release = released(shape="box", schema={"weights": {"job": 0, "height": 0}})
    router = release.recoding.router
    assert isinstance(router, CutTree)
    assert set(router.column.tolist()) == {0}


def test_a_budget_is_a_limit() -> None:
    release = released(suppression_limit=5)
    assert release.recoding.lost <= 5
    assert release.audit.k is not None
    assert release.audit.k >= 6


def test_exact_proportions_are_marked_as_weak() -> None:
    release = released(min_support=1)
    assert any("weak" in warning for warning in release.audit.warnings)


def test_proportions_are_published_unless_nobody_wants_them() -> None:
    assert released(publish_proportions=False).proportions is None


# Chance


@pytest.mark.parametrize("shape", ["box", "axis"])
def test_neither_the_order_of_the_rows_nor_another_run_changes_a_release(shape: str) -> None:
    first = rows_of(released(shape=shape))
    assert rows_of(released(shape=shape)) == first
    mixed = LABELLED.take(np.random.default_rng(5).permutation(120))
    assert rows_of(released(mixed, shape=shape)) == first


@pytest.mark.parametrize("seed", [None, 0, 2**32, 2**70])
def test_any_seed_will_do(seed: int | None) -> None:
    assert released(random_state=seed).audit.singled_out == 0


def test_an_estimator_is_copied_with_its_teacher() -> None:
    method = Hedge(k=6, teacher=KNeighborsClassifier(3), random_state=0)
    copies = [clone(method), pickle.loads(pickle.dumps(method))]
    assert all(one.get_params()["teacher"].n_neighbors == 3 for one in copies)
    schema = Schema(quasi=QUASI, target="y", others="drop")
    expected = rows_of(method.anonymize(LABELLED, schema))
    assert all(rows_of(one.anonymize(LABELLED, schema)) == expected for one in copies)


# What comes with a release


@pytest.mark.parametrize("shape", ["box", "axis"])
def test_a_recoding_is_read_as_it_was_saved(shape: str, tmp_path: Path) -> None:
    release = released(shape=shape)
    read = Recoding.load(release.recoding.save(tmp_path / "recoding.json"))
    unseen = pa.table({"age": [19, 40, 99], "job": ["baker", "sailor", None], "height": [150.0, None, 172.25]})
    for rows in (LABELLED.select(QUASI), unseen):
        assert read.transform(rows).to_pylist() == release.recoding.transform(rows).to_pylist()


def test_boxes_send_every_row_to_its_own_group() -> None:
    release = released(shape="box")
    recoded = release.recoding.transform(LABELLED.select([*QUASI, "y"]))
    assert sorted(map(repr, recoded.to_pylist())) == rows_of(release)


def test_groups_along_axes_have_no_public_form(tmp_path: Path) -> None:
    stored = json.loads(released(shape="axis").recoding.save(tmp_path / "public.json", public=True).read_text())
    assert stored["router"] is None


def test_the_facts_of_a_release_hold_no_cell_of_the_table() -> None:
    """What the method adds to the manifest is a word of its own."""
    secret = [f"secret{at}" for at in range(120)]
    table = pa.table({"code": secret, "age": AGE + 7000.125, "y": ["hidden-a", "hidden-b"] * 60})
    release = Hedge(k=6, random_state=0).anonymize(table, Schema(quasi=["code", "age"], target="y"))
    facts = json.dumps(dict(release.facts), default=str)
    assert release.facts["groups by"] in ("space", "teacher", "label")
    assert not any(text in facts for text in ("secret", "hidden", "7000.125", ".125"))


# Odd tables


@pytest.mark.parametrize("shape", ["auto", "axis"])
@pytest.mark.parametrize("label", ["text", "numbers"])
@pytest.mark.parametrize(
    ("ages", "k", "groups"),
    [([7], 1, 1), ([7] * 6, 2, 1), ([1, 2, 3, 4], 4, 1), ([1, 1, 2, 2], 2, 2)],
    ids=["one row", "equal rows", "k = n", "two tuples"],
)
def test_tables_with_little_to_learn(ages: list[int], k: int, groups: int, label: str, shape: Any) -> None:
    target = [0.5 + at for at in range(len(ages))] if label == "numbers" else (["a", "b"] * 3)[: len(ages)]
    table = pa.table({"age": ages, "y": target})
    release = Hedge(shape=shape).anonymize(table, Schema(quasi=["age"], target="y"), require=[KAnonymity(k)])
    assert len(release.recoding.sizes) == groups


def test_constant_columns_and_one_label() -> None:
    table = pa.table({"age": AGE, "town": ["Bonn"] * 120, "y": ["a"] * 120})
    release = Hedge(k=10).anonymize(table, Schema(quasi=["age", "town"], target="y"))
    assert len(release.recoding.sizes) > 5
    assert set(release.table["town"].to_pylist()) == {"Bonn"}


def test_far_dates_and_large_numbers_are_drawn_as_they_are_read() -> None:
    far = pa.array([220_000_000_000_000_000 + 86_400_000_000 * int(age) + 1_000_000 for age in AGE], pa.timestamp("us"))
    table = pa.table({"at": far, "large": 2**60 + AGE, "huge": AGE * 2.5e306 - 1e308, "y": LABELLED["y"]})
    release = Hedge(k=6).anonymize(table, Schema(quasi=["at", "large", "huge"], target="y", rows_are_people=True))
    assert release.audit.singled_out == 0


@pytest.mark.parametrize("shape", ["box", "axis"])
def test_empty_text_may_be_a_value(shape: str) -> None:
    table = pa.table({"note": ["", "x", None] * 20, "age": AGE[:60], "y": ["a", "b"] * 30})
    schema = Schema(quasi=["note", "age"], target="y", missing=())
    release = Hedge(k=3, shape=shape, random_state=0).anonymize(table, schema)  # type: ignore[arg-type]  # a word
    assert "" in release.table["note"].to_pylist()


def test_more_than_a_thousand_categories() -> None:
    table = pa.table({"name": [f"v{at % 1100:04}" for at in range(1200)], "y": ["a", "b", "b"] * 400})
    release = Hedge(k=20, random_state=0).anonymize(table, Schema(quasi=["name"], target="y"))
    assert len(release.recoding.sizes) > 20
