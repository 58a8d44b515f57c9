"""One trial: what learners are given, what is told of a release, and what cannot be done."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.evaluation.api import trials_of
from hedgerow.evaluation.cells import Treatment
from hedgerow.evaluation.learners import Learner, learner
from hedgerow.evaluation.learners.base import Fitted, Training
from hedgerow.evaluation.tables import OpenedTable, open_table
from hedgerow.evaluation.trials import Stage, attempt
from hedgerow.evaluation.ways import Way

SCHEMA = hr.Schema(quasi=["age", "sex", "education"], target="income", others="drop")


def results(treatments: list[Treatment], ways: list[Way], learners: list[str], folder: Path, **options: Any) -> Any:
    data = options.pop("data", None) or hr.datasets.make_census(200, random_state=2)
    table = open_table(data, options.pop("schema", SCHEMA))
    trials = trials_of(table, "holdout", 0, treatments, ways, [learner(name) for name in learners])
    stage = Stage.of(table, folder, 0)
    found = [attempt(pickle.loads(pickle.dumps(stage)), pickle.loads(pickle.dumps(trial))) for trial in trials]
    return [one for results in found for one in results]


def test_every_way_is_tried_on_one_release_beside_the_baselines(tmp_path: Path) -> None:
    ways = [Way("published", "raw"), Way("published", "recoded"), Way("redrawn", "raw")]
    found = results([Treatment("mondrian", hr.Mondrian(), 5)], ways, ["c45", "naive-bayes"], tmp_path)
    assert [(one["method"], one["train"], one["test"], one["learner"]) for one in found] == [
        ("unanonymized", "raw", "raw", "majority"),
        ("unanonymized", "raw", "raw", "c45"),
        ("unanonymized", "raw", "raw", "naive-bayes"),
        *(("mondrian", *way.names, name) for way in ways for name in ("c45", "naive-bayes")),
    ]
    assert {one["status"] for one in found} == {"done"}
    assert all(0 <= one["accuracy"] <= 1 for one in found)
    released = [one for one in found if one["method"] == "mondrian"]
    assert len({(one["ncp_published"], one["classes"], one["k_reached"]) for one in released}) == 1
    assert released[0]["k_reached"] >= 5
    assert "ncp_published" not in found[0]


def test_the_same_seed_gives_the_same_scores_whatever_order_rows_come_out_in(tmp_path: Path) -> None:
    def scores() -> list[Any]:
        treatment = Treatment("mondrian", hr.Mondrian(), 5)
        found = results([treatment], [Way()], ["c45", "boosting"], tmp_path)
        return [{name: value for name, value in one.items() if not name.endswith("seconds")} for one in found]

    assert scores() == scores()


@pytest.mark.parametrize(
    ("treatment", "reason"),
    [
        (Treatment("mondrian", hr.Mondrian(), 200), "133 rows"),
        (Treatment("mondrian", hr.Mondrian(), 5, ("l=3@income",)), "income"),
    ],
    ids=["k", "l"],
)
def test_what_is_infeasible_is_told_and_no_error(treatment: Treatment, reason: str, tmp_path: Path) -> None:
    schema = hr.Schema(quasi=["age", "sex", "education"], target="income", sensitive=["income"], others="drop")
    failed = results([treatment], [Way()], ["c45"], tmp_path, schema=schema)[-1]
    assert (failed["status"], failed["method"], failed["learner"]) == ("infeasible", "mondrian", "c45")
    assert reason in failed["reason"]
    assert "accuracy" not in failed


def test_a_part_with_fewer_people_than_k(tmp_path: Path) -> None:
    data = pa.table({"who": [f"p{at % 15}" for at in range(60)], "age": list(range(60)), "ill": ["y", "n"] * 30})
    schema = hr.Schema(quasi=["age"], target="ill", entity="who")
    failed = results([Treatment("mondrian", hr.Mondrian(), 12)], [Way()], ["c45"], tmp_path, data=data, schema=schema)
    assert (failed[-1]["status"], failed[-1]["reason"]) == (
        "infeasible",
        "The training part has 10 people, fewer than k = 12.",
    )


def test_a_method_that_cannot_recode_new_rows(tmp_path: Path) -> None:
    ways = [Way("published", "recoded"), Way("redrawn", "raw")]
    found = results([Treatment("kaca", hr.KACA(), 5)], ways, ["c45"], tmp_path)
    assert [one["status"] for one in found[-2:]] == ["impossible", "done"]
    assert "cannot recode rows" in found[-2]["reason"]


def test_numbers_are_learnt_with_a_target_in_bins(tmp_path: Path) -> None:
    schema = hr.Schema(quasi=["sex", "education", "marital-status"], target="age", others="drop")
    treatment = Treatment("kactus", hr.KActus(), 5, (), {"target_bins": 3})
    found = results([treatment], [Way()], ["linear"], tmp_path, schema=schema)
    assert [set(one) >= {"r2", "mae"} for one in found] == [True, True, True]


def test_dictionaries_and_missing_values_pass(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    data = pa.table(
        {
            "town": pa.array(["a" if at % 3 else None if at % 2 else "b" for at in range(80)]).dictionary_encode(),
            "age": pa.array([None if at % 9 == 0 else int(at % 30) for at in range(80)]),
            "ill": random.choice(["y", "n"], 80).tolist(),
        }
    )
    schema = hr.Schema(quasi=["town", "age"], target="ill")
    found = results(
        [Treatment("mondrian", hr.Mondrian(), 4)], [Way(), Way("published", "recoded")], ["c45", "logistic"], tmp_path,
        data=data, schema=schema,
    )  # fmt: skip
    assert {one["status"] for one in found} == {"done"}


def test_columns_that_disclose_stop_the_evaluation(tmp_path: Path) -> None:
    schema = hr.Schema(quasi=["age", "sex"], target="income", insensitive=["name"], others="drop")
    with pytest.raises(hr.Disclosing):
        results([Treatment("mondrian", hr.Mondrian(), 5)], [Way()], ["c45"], tmp_path, schema=schema)


class Failing(Learner):
    """Fails as Weka does without memory, or by a mistake of whoever asked for it."""

    name = "failing"
    tasks = frozenset({"classes"})

    def __init__(self, error: type[hr.HedgerowError]) -> None:
        self.error = error

    def _fit(self, training: Training) -> Fitted:
        raise self.error("It cannot be done.")


def test_a_learner_that_fails_ends_one_cell_and_not_the_run(tmp_path: Path) -> None:
    table = open_table(hr.datasets.make_census(120, random_state=2), SCHEMA)
    stage: Stage[OpenedTable] = Stage.of(table, tmp_path, 0)
    for error in (hr.HedgerowError, hr.BadInput, hr.MissingExtra):
        (trial,) = trials_of(table, "holdout", 0, [], [], [Failing(error)])
        if error is hr.HedgerowError:
            _, failed = attempt(stage, trial)
            assert (failed["status"], failed["reason"]) == ("failed", "It cannot be done.")
        else:
            with pytest.raises(error):
                attempt(stage, trial)
