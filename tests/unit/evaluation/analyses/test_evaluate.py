"""``hr.evaluate`` with other tasks: baselines, keys, determinism, and what is refused."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.evaluation.analyses import ANALYSES, Apriori, Counts, KMeans
from hedgerow.evaluation.scores import SCORES

SCHEMA = hr.Schema(quasi=["age", "sex", "education"], target="income", others="drop")
TASKS = ("clustering", "association", "queries")


@pytest.fixture(scope="module")
def census() -> pa.Table:
    return hr.datasets.make_census(300, random_state=1)


def short(data: Any, task: str, **options: Any) -> Any:
    given: dict[str, Any] = {"methods": "mondrian", "k": [5, 60], "protocol": "holdout", "workers": 1}
    return hr.evaluate(data, options.pop("schema", SCHEMA), task=task, **{**given, **options})


def without_seconds(found: Any) -> list[dict[str, Any]]:
    return [{name: value for name, value in one.items() if not name.endswith("seconds")} for one in found.results]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("train", ["redrawn", "published"])
def test_a_release_is_between_its_baselines_and_always_the_same(task: str, train: str, census: pa.Table) -> None:
    found = short(census, task, train=train)
    assert found.task == task
    (row,) = found.table().to_pylist()
    assert list(row) == ["learner", "train", "test", "method", "no-information", "unanonymized", "k=5", "k=60"]
    assert {one["method"] for one in found.results} == {"unanonymized", "no-information", "mondrian"}
    assert {one["status"] for one in found.results} == {"done"}
    worst, best = row["no-information"], row["unanonymized"]
    if train == "redrawn" or task != "clustering":
        assert abs(row["k=5"] - best) < abs(worst - best)
    assert (worst, best) != (None, None)
    assert set(SCORES[task]) <= set(found.frame.column_names)  # type: ignore[index]
    assert without_seconds(short(census, task, train=train)) == without_seconds(found)


def test_the_best_and_the_worst(census: pa.Table) -> None:
    rules = {one["method"]: one for one in short(census, "association").results}
    assert (rules["unanonymized"]["rules_f1"], rules["unanonymized"]["rules_invented"]) == (1, 0)
    queries = {one["method"]: one for one in short(census, "queries").results}
    assert queries["unanonymized"]["mean_error"] == 0 < queries["no-information"]["mean_error"]
    clusters = {one["method"]: one for one in short(census, "clustering").results}
    assert clusters["no-information"]["adjusted_rand"] == 0 < clusters["unanonymized"]["adjusted_rand"]


@pytest.mark.parametrize("task", TASKS)
def test_no_target_is_needed(task: str, census: pa.Table) -> None:
    schema = hr.Schema(quasi=["age", "sex", "education"], others="drop")
    found = short(census, task, schema=schema, methods=None, k=5)
    assert found.methods == ("mondrian", "datafly")
    assert {one["status"] for one in found.results} == {"done"}


def test_clusters_learn_from_encoders_too(census: pa.Table) -> None:
    for train in (hr.learning.ProportionalEncoder(), hr.learning.OneClassEncoder()):
        found = short(census, "clustering", train=train, k=5)
        assert found.table()["train"].to_pylist() == [type(train).__name__]
        assert -0.5 <= found.table()["k=5"].to_pylist()[0] <= 1


def test_the_task_is_a_part_of_the_key_and_finished_cells_are_found(census: pa.Table, tmp_path: Path) -> None:
    cache = tmp_path / "cells.jsonl"
    for task in TASKS:
        short(census, task, cache=cache)
    keys = [json.loads(line)["key"] for line in cache.read_text().splitlines()]
    assert len(set(keys)) == len(keys) == 3 * 4
    short(census, "queries", cache=cache)
    assert len(cache.read_text().splitlines()) == len(keys), "nothing was run twice"
    short(census, "queries", cache=cache, learners=Counts(number=50))
    assert len(cache.read_text().splitlines()) == len(keys) + 4, "other parameters are other cells"


def test_tests_and_charts(census: pa.Table) -> None:
    found = short(census, "queries", methods=["mondrian", "kactus"], protocol="5x2cv", learners=Counts(number=50))
    tests = found.tests()
    assert (tests.score, len(tests.contrasts)) == ("median_error", 6)
    assert {line["k"] for line in found.results} == {None, 5, 60}
    assert found.ks == [5, 60]
    drawn = json.dumps(found.plot().to_dict())
    assert "Median relative error" in drawn
    assert "no-information" in drawn


def test_several_analyses(census: pa.Table) -> None:
    found = short(census, "clustering", learners=["k-means", "agglomerative"], k=5)
    assert found.table()["learner"].to_pylist() == ["k-means", "agglomerative"]
    assert None not in found.table()["no-information"].to_pylist()


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("query", {}, "The 'task' parameter of evaluate must be 'classification' or .* Got 'query' instead"),
        ("queries", {"learners": "c45"}, r"There is no analysis 'c45'\. Known: 'counts'\. The task is 'queries'\."),
        ("clustering", {"learners": "kmeans"}, "There is no analysis 'kmeans'. Did you mean 'k-means'"),
        ("clustering", {"learners": Apriori()}, "The analysis 'apriori' is one of association, and the task is"),
        ("queries", {"learners": Counts}, "for task='queries'. Got 'ABCMeta' instead"),
        ("queries", {"learners": []}, "No analysis is given. Name at least one, such as 'counts'"),
        ("clustering", {"learners": [KMeans(), KMeans(clusters=3)]}, "Two analyses have the same name"),
        ("queries", {"test": "recoded"}, "The task 'queries' counts rows: .* Choose train='redrawn'"),
        ("association", {"train": hr.learning.OneClassEncoder()}, "The task 'association' counts rows"),
        ("classification", {"learners": "counts"}, "There is no learner 'counts'"),
    ],
    ids=str,
)
def test_bad_input(task: str, options: dict[str, Any], message: str, census: pa.Table) -> None:
    with pytest.raises(hr.BadInput, match=message):
        short(census, task, **options)


def test_a_report_takes_an_evaluation_of_learners_only(census: pa.Table, tmp_path: Path) -> None:
    release = hr.anonymize(census, SCHEMA, k=5)
    with pytest.raises(hr.BadInput, match=r"an evaluation of learners .* Got 'queries' instead"):
        release.report(tmp_path / "r.html", evaluation=short(census, "queries", learners=Counts(number=10)))


@pytest.mark.parametrize("name", ANALYSES)
def test_every_analysis_is_spelled_and_travels(name: str) -> None:
    made = ANALYSES[name]()
    assert made.spelled() == {"name": name, "results": made.results_version}
    assert pickle.loads(pickle.dumps(made)) == made


def test_nothing_heavy_is_imported_until_something_is_measured() -> None:
    program = (
        "import sys\n"
        "from hedgerow.evaluation.analyses import ANALYSES\n"
        "[kind().spelled() for kind in ANALYSES.values()]\n"
        "print(sorted({'sklearn', 'numba', 'scipy.sparse', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
