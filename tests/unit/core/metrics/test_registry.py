"""The list of metrics and all losses at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics import METRICS, Metric, all_losses, register
from hedgerow.core.metrics import _losses as registry
from hedgerow.core.recoding import Recoding
from hedgerow.errors import BadInput

Build = Callable[..., tuple[FrequencyTable, Recoding]]

PEOPLE = pa.table({"age": ["20", "20", "30", "30"], "sex": ["F", "M", "F", "M"]})
NAMES = [
    "prec", "ncp", "ncp_published", "nllm", "discernibility", "c_avg", "distortion", "loss", "non_uniform_entropy",
    "classification", "row_ratio", "suppression", "kl",
]  # fmt: skip


def test_names_are_the_contract() -> None:
    assert list(METRICS) == NAMES
    assert [metric.name for metric in METRICS.values()] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_says_what_it_is(name: str) -> None:
    metric = METRICS[name]
    assert metric.meaning
    assert metric.direction == ("higher" if name in ("prec", "row_ratio") else "lower")
    assert ".. math::" in (metric.function.__doc__ or "")


def test_all_losses_are_those_of_the_functions(build: Build) -> None:
    release = build({"job": list("aabc"), "age": [1, 2, 3, 3]}, [0, 0, 1, 1], target=list("yyny"))
    losses = all_losses(*release, k=1)
    assert list(losses) == NAMES
    assert losses == {name: METRICS[name].function(*release) for name in NAMES} | {"c_avg": 2.0}
    assert all_losses(*release)["c_avg"] == 1.0


@pytest.mark.parametrize("publish", ["set", "interval", "label"])
@pytest.mark.parametrize("name", NAMES)
def test_a_weighted_metric_is_the_mean_of_those_of_single_columns(build: Build, name: str, publish: str) -> None:
    """With all the weight on one column a metric is the column's own; the others do not know weights."""
    columns = {"age": [20, 20, 31, 35, None, 62, 62, 70], "job": list("aaabcdda"), "town": list("xxxyyyzy")}

    def value(**weights: float) -> float:
        counts, recoding = build(
            columns, [0, 0, 0, 1, 1, 1, -1, 1], publish=publish, target=list("yynnyynn"), weights=weights
        )
        return METRICS[name].function(counts, recoding)

    alone = [value(**{one: float(one == own) for one in columns}) for own in columns]
    expected = (5 * alone[0] + 2 * alone[1] + alone[2]) / 8
    assert value(age=5, job=2) == pytest.approx(expected)
    assert value(age=4, job=4, town=4) == value()
    assert (len(set(alone)) > 1) is METRICS[name].weighted


def test_what_is_not_defined_is_left_out(build: Build) -> None:
    release = build({"job": list("aabc")}, [0, 0, 1, 1])
    assert list(all_losses(*release)) == [name for name in NAMES if name != "classification"]
    counts, recoding = release
    without = {"prec", "nllm", "distortion", "loss", "classification"}
    assert set(all_losses(replace(counts, hierarchies={}), recoding)) == set(NAMES) - without


def test_a_release_of_nothing(build: Build) -> None:
    """All records lost: everything that has a scale is at its worst end."""
    losses = all_losses(*build({"job": list("aabc"), "age": [1, 2, 3, 3]}, [-1] * 4, target=list("yyny")))
    assert "c_avg" not in losses
    assert losses["prec"] == losses["row_ratio"] == 0.0
    for name in ("ncp", "ncp_published", "nllm", "loss", "distortion", "classification", "suppression"):
        assert losses[name] == 1.0, name
    assert losses["discernibility"] == 16.0


@pytest.mark.parametrize("name", [name for name in NAMES if METRICS[name].monotone])
@pytest.mark.parametrize("publish", ["set", "interval", "label"])
def test_monotone_metrics_do_not_improve_when_groups_merge(build: Build, name: str, publish: str) -> None:
    columns = {"age": [20, 20, 31, 35, None, 62, 62, 70], "job": list("abbacdda")}
    worse = 1.0 if METRICS[name].direction == "lower" else -1.0
    before = -float("inf")
    for groups in ([0, 1, 2, 3, 4, 5, 6, 7], [0, 0, 1, 1, 2, 3, 3, 4], [0, 0, 0, 0, 1, 1, 1, 1], [0] * 8):
        release = build(columns, groups, publish=publish, target=list("yynyynny"))
        value = worse * all_losses(*release, k=1)[name]
        assert value >= before - 1e-12
        before = value


@pytest.mark.parametrize("column", ["age", "sex"])
def test_a_metric_of_another_package(column: str) -> None:
    """Once registered it stands in the losses of every release, and a search is judged by it."""

    def stars(counts: FrequencyTable, recoding: Recoding) -> float:
        at = recoding.quasi.index(column)
        texts = recoding.columns[at].texts
        return float(sum(texts[value] == "*" for value in recoding.groups[:, at]))

    toy = Metric("stars", stars, "lower", False, f"groups that publish no {column}")
    register(toy)
    try:
        release = hr.anonymize(PEOPLE, hr.Schema(quasi=["age", "sex"]), k=2, method="optimal", metric="stars")
        with pytest.raises(BadInput, match="There already is a metric called 'stars'"):
            register(toy)
    finally:
        registry._KNOWN.pop("stars")

    other = {"age": "sex", "sex": "age"}[column]
    assert release.losses["stars"] == 0.0
    assert sorted(release.table[column].to_pylist()) == sorted(PEOPLE[column].to_pylist())
    assert set(release.table[other].to_pylist()) == {"*"}
    with pytest.raises(BadInput, match="The 'metric' parameter of OptimalLattice must be"):
        hr.anonymize(PEOPLE, hr.Schema(quasi=["age", "sex"]), k=2, method="optimal", metric="stars")
