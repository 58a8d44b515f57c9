"""Associations before and after, where they are known."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.release import Release
from hedgerow.report.facts import gather
from hedgerow.report.facts._association import MOST_COLUMNS
from hedgerow.report.facts.figures import Edition
from hedgerow.report.facts.sections import Association

EDITIONS: tuple[Edition, ...] = ("internal", "public")


def found(release: Release, edition: Edition = "internal") -> Association:
    facts = gather(release, edition=edition).association
    assert facts is not None
    return facts


def people(rows: int = 4_000) -> pa.Table:
    """Sex tells the job; age has nothing to do with either; income follows age."""
    random = np.random.default_rng(5)
    sex, age = random.integers(0, 2, rows), random.integers(20, 60, rows)
    return pa.table(
        {
            "sex": np.where(sex, "F", "M"),
            "job": np.where(sex, "nurse", "smith"),
            "age": age,
            "income": np.where(age < 40, "low", "high"),
        }
    )


def test_what_is_published_as_it_was_goes_together_as_it_did() -> None:
    release = hr.anonymize(people(), hr.Schema(quasi=["sex", "job"], target="income", others="drop"), k=5)
    (sex_job, sex_income, job_income) = found(release).pairs
    assert (sex_job.before, sex_job.after, sex_job.change) == (1.0, 1.0, 0.0)
    assert (sex_income.before, sex_income.after) == (0.0, 0.0)
    assert job_income.change == 0
    mean = found(release).mean_change
    assert mean is not None
    assert mean.value == 0


@pytest.mark.parametrize("edition", EDITIONS)
def test_what_is_hidden_goes_with_nothing(edition: Edition) -> None:
    """Jobs are hidden altogether; sex is shown."""
    schema = hr.Schema(quasi=["sex", "job"], hierarchies={"sex": "flat", "job": "flat"}, others="drop")
    table = people(400)
    table = table.set_column(1, "job", pa.array([f"job {at}" for at in range(400)]))
    (pair,) = found(hr.anonymize(table, schema, method="datafly", k=50), edition).pairs
    assert pair.after == 0


@pytest.mark.parametrize("edition", EDITIONS)
def test_ranges_keep_what_is_between_them(edition: Edition) -> None:
    """Ages are ranges that do not cross 40 much: income still follows age, and sex still does not."""
    schema = hr.Schema(quasi=["sex", "age"], target="income", others="drop")
    release = hr.anonymize(people(), schema, k=100)
    pairs = {(one.first, one.second): one for one in found(release, edition).pairs}
    assert pairs["age", "income"].after > 0.8
    assert pairs["sex", "age"].after < 0.1
    assert pairs["sex", "income"].after < 0.1
    if edition == "internal":
        assert (pairs["age", "income"].before or 0) > 0.9  # 40 lies inside a group


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_partition_makes_no_association_up(edition: Edition) -> None:
    """Two columns that have nothing to do with each other: their ranges depend on each other, their values do not."""
    random = np.random.default_rng(7)
    table = pa.table({"a": random.integers(0, 1_000, 3_000), "b": random.integers(0, 1_000, 3_000)})
    (pair,) = found(hr.anonymize(table, hr.Schema(quasi=["a", "b"]), k=10), edition).pairs
    assert pair.after <= 0.05


def test_sets_and_means_and_missing_values() -> None:
    random = np.random.default_rng(3)
    towns = random.choice(["Ulm", "Bern", "Kiel", "Nice"], 600)
    ages: list[int | None] = [int(age) for age in random.integers(20, 60, 600)]
    ages[::7] = [None] * len(ages[::7])
    table = pa.table({"town": towns, "age": pa.array(ages), "ill": np.where(towns == "Ulm", "y", "n")})
    schema = hr.Schema(quasi=["town", "age"], target="ill")
    for method in ("mondrian", "kactus", "greedy"):
        for edition in EDITIONS:
            pairs = found(hr.anonymize(table, schema, method=method, k=5, random_state=1), edition).pairs
            assert all(0 <= one.after <= 1 for one in pairs)
            assert len(pairs) == 3


def test_a_heatmap_has_so_many_columns_at_most() -> None:
    table = pa.table({f"c{at}": ["x", "y"] * 10 for at in range(MOST_COLUMNS + 3)} | {"t": ["p", "q"] * 10})
    schema = hr.Schema(quasi=[f"c{at}" for at in range(MOST_COLUMNS + 3)], target="t")
    facts = found(hr.anonymize(table, schema, k=5))
    assert len(facts.columns) == MOST_COLUMNS
    assert facts.columns[-1] == "t"
    assert facts.measure.endswith("4 further columns are not shown.")


def test_one_column_goes_with_no_other() -> None:
    facts = gather(hr.anonymize(pa.table({"a": ["x"] * 6}), hr.Schema(quasi=["a"]), k=3))
    assert (facts.association, facts.absent["association"]) == (None, "There is only one column to look at.")
