"""Downcoding: a leak that was planted is found, and neither regions nor global recoding have it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.attacks._downcoding import Downcoding
from hedgerow.attacks.outcome import Claims, Outcome

pytestmark = pytest.mark.usefixtures("made_up_people")

Knowing = Literal["release", "class"]


def villages(seed: int, people: int = 600) -> pl.DataFrame:
    """Whoever lives in a village has one of many jobs, by chance: small classes name jobs that one person has."""
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "village": [f"v{at:02}" for at in random.integers(0, 40, people)],
            "job": [f"j{at:02}" for at in random.integers(0, 60, people)],
            "age": random.integers(20, 80, people),
        }
    )


def attacked(knowing: Knowing, **options: Any) -> Downcoding:
    members, others = villages(1), villages(2)
    schema = hr.Schema(quasi=["village", "job", "age"])
    release = hr.anonymize(members, schema, k=4, random_state=0, **options)
    return hr.attacks.downcoding(release, members, others, knowing=knowing)


@pytest.mark.parametrize("method", ["mondrian", "k-member"])
@pytest.mark.parametrize("knowing", ["release", "class"])
def test_a_planted_leak_is_found(method: str, knowing: Knowing) -> None:
    found = attacked(knowing, method=method)
    assert found.works
    assert found.members.precision is not None
    assert found.members.precision.value > 0.9
    assert set(found.columns) == {"village", "job", "age"}
    assert found.excess.value == max(one.excess.value for one in found.columns.values())


@pytest.mark.parametrize("knowing", ["release", "class"])
@pytest.mark.parametrize(
    "options", [{"method": "mondrian", "cells": "region"}, {"method": "optimal", "suppression_limit": 0.1}], ids=str
)
def test_regions_and_global_recoding_do_not_have_it(knowing: Knowing, options: dict[str, Any]) -> None:
    found = attacked(knowing, **options)
    assert not found.works, repr(found)


def test_by_hand() -> None:
    """Two classes of three: the jobs of the first are all different, in the second two people share one."""
    people = pa.table({"sex": ["F"] * 3 + ["M"] * 3, "job": ["a", "b", "c", "d", "d", "e"]})
    release = hr.anonymize(people, hr.Schema(quasi=["sex", "job"]), method="mondrian", k=3)
    assert set(release.table["job"].to_pylist()) == {"{a|b|c}", "{d|e}"}
    found = hr.attacks.downcoding(release, people, people, knowing="class", column="job", sure=1.0)
    # Each of a, b, c and e is held by one person; who has d has it as another one has.
    assert found.members == Claims(people=6, claimed=4, right=4)
    assert found.columns["job"].members == found.members
    # The attacker who has only the release knows the class by the sex. Of the men two in three have d by chance; both
    # jobs are held, so that they are 5 in 9.
    sure = hr.attacks.downcoding(release, people, people, column="job", sure=0.55)
    assert sure.members == Claims(people=6, claimed=3, right=2)
    assert hr.attacks.downcoding(release, people, people, column="job", sure=0.56).members == Claims(6, 0, 0)
    assert hr.attacks.downcoding(release, people, people, column="sex", sure=1.0).members == Claims(6, 6, 6)


def test_the_worst_column_has_an_interval_for_all() -> None:
    one, other = (Outcome.of("downcoding", "x", Claims(400, 100, right), Claims(400, 90, 36)) for right in (90, 40))
    alone, worst = Downcoding.over({"a": one}), Downcoding.over({"b": other, "a": one}, "and more")
    assert alone.excess.low == pytest.approx(one.excess.low)
    assert worst.excess.value == one.excess.value
    assert worst.excess.low < one.excess.low < one.excess.high < worst.excess.high
    assert worst.remarks == ("the worst of 2 columns, by an interval for all of them", "and more")
    assert alone.remarks == ()


def test_a_saved_release_is_attacked_as_well(tmp_path: Any) -> None:
    members, others = villages(1), villages(2)
    release = hr.anonymize(members, hr.Schema(quasi=["village", "job", "age"]), method="mondrian", k=4, random_state=0)
    path = release.save(tmp_path / "out.csv")
    assert hr.attacks.downcoding(path, members, others).works


def test_proportions_are_left_out_and_that_is_said() -> None:
    members, others = villages(1), villages(2)
    release = hr.anonymize(
        members, hr.Schema(quasi=["village", "age"], others="drop"), method="mondrian", k=4, publish_proportions=True
    )
    assert "without the proportions" in repr(hr.attacks.downcoding(release, members, others))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"knowing": "all"}, "The 'knowing' parameter of downcoding must be 'release' or 'class'. Got 'all' instead."),
        ({"sure": 0}, "The 'sure' parameter of downcoding must be a number above 0 and up to 1. Got 0 instead."),
        ({"random_state": -1}, "must be None, a numpy Generator or an int >= 0"),
        ({"column": "jobs"}, "There is no quasi-identifier 'jobs'. Did you mean 'job'?"),
    ],
)
def test_wrong_parameters(given: dict[str, Any], message: str) -> None:
    people = villages(1, 60)
    release = hr.anonymize(people, hr.Schema(quasi=["village", "job"], others="drop"), method="mondrian", k=4)
    with pytest.raises(hr.BadInput, match=message.replace("?", r"\?")):
        hr.attacks.downcoding(release, people, people, **given)
    with pytest.raises(hr.BadInput, match="The 'release' parameter of downcoding must be a Release"):
        hr.attacks.downcoding(people, people, people)  # type: ignore[arg-type]  # a table is no release


def test_who_knows_the_class_needs_everybody() -> None:
    people = villages(1, 60)
    release = hr.anonymize(people, hr.Schema(quasi=["village", "job"], others="drop"), method="mondrian", k=4)
    with pytest.raises(hr.BadInput, match="the release has 60 rows, and there are 59 members"):
        hr.attacks.downcoding(release, people[:59], people, knowing="class")
    stranger = pl.DataFrame({"village": ["nowhere"], "job": ["none"]})
    with pytest.raises(hr.BadInput, match="None of the non-members fits a single class"):
        hr.attacks.downcoding(release, people, stranger, knowing="class")
