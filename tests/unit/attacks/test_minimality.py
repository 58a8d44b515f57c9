"""The attack on minimality: the example of its paper, exact counts, and nothing where k alone decided."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.attacks import minimality
from hedgerow.attacks._minimality import _bound, _Divisions
from hedgerow.attacks._people import read_valued
from hedgerow.errors import BadInput

pytestmark = pytest.mark.usefixtures("made_up_people")

SCHEMA = hr.Schema(quasi=["town", "street"], sensitive=["ill"], accept=["ill"])
HALF_ILL = hr.AlphaK(0.5, 2, "ill", value="yes")


def people(ill: list[str], towns: int = 30) -> pa.Table:
    """Seven people in each town, two of them in Elm Street, five in Oak Street; who of them are ill."""
    return pa.table(
        {
            "town": [f"t{town:02}" for town in range(towns) for _ in range(7)],
            "street": (["Elm"] * 2 + ["Oak"] * 5) * towns,
            "ill": ill,
        }
    )


PLANTED = people((["yes"] * 2 + ["no"] * 5) * 30)


def drawn(seed: int, towns: int = 30) -> pa.Table:
    """The same people, of whom everybody is as likely to be ill."""
    ill = np.random.default_rng(seed).random(7 * towns) < 2 / 7
    return people(np.where(ill, "yes", "no").tolist(), towns)


@pytest.fixture(scope="module")
def planted() -> hr.Release:
    release = hr.anonymize(PLANTED, SCHEMA, require=HALF_ILL)
    assert set(release.table["street"].to_pylist()) == {"{Elm|Oak}"}
    return release


def test_the_example_of_the_paper(planted: hr.Release) -> None:
    """Wong et al., table 1: a class is larger than k asks only if both who are ill live in the same two houses."""
    found = minimality(planted, PLANTED, drawn(1))
    assert found.works
    assert (found.members.people, found.members.claimed, found.members.right) == (210, 210, 210)
    assert found.control.right < found.control.claimed == 210
    assert "100% by minimality" in found.remarks[-1]


def test_it_is_what_the_release_tells_that_counts_not_the_prior(planted: hr.Release) -> None:
    """Where others are ill in the same houses, the same is found out of them: nothing of the table's own people."""
    found = minimality(planted, PLANTED, PLANTED)
    assert found.members.right == found.control.right
    assert not found.works


def test_where_k_alone_decided_nothing_is_told() -> None:
    """Each town has one person who is ill at most, so that streets are told apart wherever k allows it."""
    healthy = people((["no"] * 2 + ["yes"] + ["no"] * 4) * 30)
    found = minimality(hr.anonymize(healthy, SCHEMA, require=HALF_ILL), healthy, drawn(2))
    assert found.members.claimed == found.control.claimed == 0
    assert found.remarks == ("no class is coarser than for k alone, or chance explains it",)


@pytest.mark.parametrize("method", ["mondrian", "optimal", "kactus"])
def test_a_synthetic_census_tells_nothing_beyond_chance(method: str) -> None:
    census = hr.datasets.make_census(1600, random_state=4)
    schema = hr.Schema(quasi=["age", "sex"], sensitive=["disease"], target="income", others="drop")
    release = hr.anonymize(census[:800], schema, method=method, k=5, require="l=3@disease", random_state=0)
    found = minimality(release, census[:800], census[800:])
    assert not found.works
    stands_in = any("mondrian stands in" in remark for remark in found.remarks)
    assert stands_in == (method == "kactus")


def test_a_method_that_generalizes_whole_columns_is_run_on_all() -> None:
    """One table of seven: the streets are hidden everywhere, because of one of them."""
    schema = hr.Schema(quasi=["street"], sensitive=["ill"], others="drop", hierarchies={"street": "flat"})
    one = people(["yes"] * 2 + ["no"] * 5, towns=1)
    release = hr.anonymize(one, schema, method="optimal", require=HALF_ILL)
    assert set(release.table["street"].to_pylist()) == {"*"}
    found = minimality(release, one, one)
    assert (found.members.claimed, found.members.right) == (7, 7)


def test_ways_are_counted_as_by_hand(planted: hr.Release) -> None:
    """Two ill among five, in groups of two and three: both in the first (1 of 10 ways), or both in the second (3)."""
    (bound,) = _bound(read_valued(planted, PLANTED, PLANTED, ["ill"]), [HALF_ILL])
    found = _Divisions.of(np.array([3, 2]), np.array([2, 3]), [bound], np.random.default_rng(0))
    assert found is not None
    assert found.broken == pytest.approx(0.4, abs=0.05)
    assert found.where_broken[:, 1].tolist() == pytest.approx([1 / 4, 1 / 2], abs=0.06)
    assert found.elsewhere[:, 1].tolist() == pytest.approx([1 / 2, 1 / 3], abs=0.06)
    together = found.given(0.2, together=True)[:, 1]
    assert together.tolist() == pytest.approx([3 / 8, 5 / 12], abs=0.06)


def test_what_hardly_ever_breaks_is_left_alone(planted: hr.Release) -> None:
    (bound,) = _bound(read_valued(planted, PLANTED, PLANTED, ["ill"]), [HALF_ILL])
    assert _Divisions.of(np.array([90, 10]), np.array([50, 50]), [bound], np.random.default_rng(0)) is None


def test_what_a_class_tells_by_itself_is_not_claimed(planted: hr.Release) -> None:
    """Five of seven are healthy: who is content with that much certainty needs no minimality for them."""
    found = minimality(planted, PLANTED, drawn(1), sure=0.7)
    assert found.members.claimed == 60


def test_one_seed_one_result_and_a_saved_release(tmp_path: Path) -> None:
    members = drawn(7)
    release = hr.anonymize(members, SCHEMA, k=2, require="l=2@ill", random_state=0)
    found = minimality(release, members, drawn(8), random_state=2)
    assert minimality(release.save(tmp_path / "out.parquet"), members, drawn(8), random_state=2) == found


def test_others_go_to_the_group_that_is_nearest() -> None:
    """Ages that no member has count as the next younger one; the control is attacked as well as members are."""
    members = pa.table({"age": [20] * 2 + [50] * 5, "ill": ["yes"] * 2 + ["no"] * 5})
    release = hr.anonymize(members, hr.Schema(quasi=["age"], sensitive=["ill"]), require=HALF_ILL)
    others = pa.table({"age": [22, 40, 49, 50, 50], "ill": ["yes", "yes", "no", "no", "no"]})
    found = minimality(release, members, others)
    assert (found.members.claimed, found.members.right) == (7, 7)
    assert (found.control.claimed, found.control.right) == (5, 4)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"column": "street"}, "Nothing is required of 'street'. Name a column with a requirement: 'ill'"),
        ({"sure": 2}, "The 'sure' parameter of minimality must be a number above 0 and up to 1"),
        ({"random_state": "x"}, "The 'random_state' parameter of minimality must be None"),
    ],
)
def test_bad_parameters(planted: hr.Release, given: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        minimality(planted, PLANTED, PLANTED, **given)


def test_bad_people_and_releases(planted: hr.Release) -> None:
    with pytest.raises(BadInput, match="so minimality cannot reveal anything"):
        minimality(hr.anonymize(PLANTED, SCHEMA, k=2), PLANTED, PLANTED)
    with pytest.raises(BadInput, match="100 members are given, and the release was made of 210 rows"):
        minimality(planted, PLANTED[:100], PLANTED)
    with pytest.raises(BadInput, match="The members lack columns of the release: 'ill'"):
        minimality(planted, PLANTED.select(["town", "street"]), PLANTED)
