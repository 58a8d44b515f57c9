"""The attack on membership: it finds people who can be told, and nobody where all look alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.attacks import membership
from hedgerow.attacks._membership import _scores, _threshold
from hedgerow.attacks._people import read_valued
from hedgerow.errors import BadInput

pytestmark = pytest.mark.usefixtures("made_up_people")

QUASI = ["age", "sex", "zip", "education"]
SCHEMA = hr.Schema(quasi=QUASI, target="income")


@pytest.fixture(scope="module")
def census() -> tuple[pa.Table, pa.Table]:
    people = hr.datasets.make_census(4000, random_state=5).select([*QUASI, "income"])
    return people[:2000], people[2000:]


def towns(*names: str, **more: Any) -> pa.Table:
    return pa.table({"town": list(names), **more})


def test_tight_boxes_tell_who_is_in_the_table(census: tuple[pa.Table, pa.Table]) -> None:
    found = membership(hr.anonymize(census[0], SCHEMA, k=5, random_state=0), *census)
    assert found.works
    assert found.excess.low > 0.3
    assert (found.members.people, found.control.people) == (2000, 2000)
    assert (found.members.right, found.control.right) == (found.members.claimed, 0)
    shares = found.members.claimed / 2000, found.control.claimed / 2000
    assert found.excess.value == pytest.approx(shares[0] - shares[1])
    assert found.excess.low < found.excess.value < found.excess.high


def test_large_classes_tell_less_than_small_ones(census: tuple[pa.Table, pa.Table]) -> None:
    small, large = (membership(hr.anonymize(census[0], SCHEMA, k=k, random_state=0), *census) for k in (3, 200))
    assert large.excess.value < small.excess.value / 2


def test_where_all_look_alike_nothing_is_claimed(census: tuple[pa.Table, pa.Table]) -> None:
    schema = hr.Schema(quasi=QUASI, target="income", hierarchies=dict.fromkeys(QUASI, "flat"))
    hidden = hr.anonymize(census[0], schema, method="datafly", k=2000)
    found = membership(hidden, *census)
    assert found.members.claimed == found.control.claimed == 0
    assert not found.works
    assert "nothing is claimed of anybody" in found.remarks


def test_a_global_recoding_that_everybody_fits_tells_nothing_beyond_chance(
    census: tuple[pa.Table, pa.Table],
) -> None:
    """Classes of hundreds: how many of those who fit one are in it is nearly the same everywhere."""
    schema = hr.Schema(quasi=["age", "sex"], target="income", others="drop", hierarchies={"age": "intervals:30,60"})
    release = hr.anonymize(census[0], schema, method="optimal", k=100)
    assert 1 < len(release.classes.sizes) < 12
    found = membership(release, *census)
    assert found.members.claimed > 0
    assert not found.works
    assert found.excess.low <= 0 <= found.excess.high
    assert "fit a class: 100% of members, 100% of others" in found.remarks


def test_how_full_a_class_is_and_who_must_be_in_it() -> None:
    """Two of four are in the class. One of them is from Bonn, where the register has one person only."""
    members, others = towns("Bonn", "Ulm"), towns("Ulm", "Ulm", "Kiel")
    release = hr.anonymize(members, hr.Schema(quasi=["town"]), k=2)
    assert release.table["town"].to_pylist() == ["{Bonn|Ulm}"] * 2
    scores, index = _scores(read_valued(release, members, others, ()))
    full, edges = scores[index].T
    assert full.tolist() == pytest.approx([0.5, 0.5, 0.5, 0.5, 0])
    assert edges.tolist() == pytest.approx([1, 4 / 7, 4 / 7, 4 / 7, 0])


def test_the_ends_of_a_range_are_somebodys() -> None:
    members, others = pa.table({"age": [20, 29]}), pa.table({"age": [25, 25]})
    release = hr.anonymize(members, hr.Schema(quasi=["age"]), k=2)
    scores, index = _scores(read_valued(release, members, others, ()))
    full, edges = scores[index].T
    assert full.tolist() == pytest.approx([0.5] * 4)
    assert edges[0] == pytest.approx(1)
    assert edges[2] == pytest.approx(0.5)


def test_proportions_tell_what_a_star_hides() -> None:
    members, others = towns(*["Bonn", "Ulm"] * 20), towns(*["Kiel"] * 40)
    schema = hr.Schema(quasi=["town"], hierarchies={"town": "flat"})
    stars, strict, told = (
        hr.anonymize(members, schema, method="datafly", k=40, **more)
        for more in ({}, {"publish_proportions": True}, {"publish_proportions": True, "min_support": 20})
    )
    assert all(set(one.table["town"].to_pylist()) == {"*"} for one in (stars, strict, told))
    assert membership(stars, members, others).excess.value == 0
    # No town has forty people, so that none is named.
    assert membership(strict, members, others).excess.value == 0
    assert membership(told, members, others).excess.value == 1


def test_who_knows_the_label_knows_more() -> None:
    """In every town the table has the one label, and people who are not in it have the other."""
    members = towns(*["Bonn", "Ulm"] * 20, ill=["no", "yes"] * 20)
    others = towns(*["Bonn", "Ulm"] * 20, ill=["yes", "no"] * 20)
    release = hr.anonymize(members, hr.Schema(quasi=["town"], target="ill"), k=20)
    assert membership(release, members, others).excess.value == 0
    assert membership(release, members, others, knowing="ill").excess.value == 1
    unknown = others.set_column(1, "ill", pa.array(["never published"] * 40))
    assert membership(release, members, unknown, knowing=["ill"]).excess.value == 1


def test_people_who_are_alike_are_claimed_alike(census: tuple[pa.Table, pa.Table]) -> None:
    """So nobody is judged by what is known of somebody with the same values."""
    release = hr.anonymize(census[0], SCHEMA, k=5, random_state=0)
    found = membership(release, census[0], census[0])
    assert found.members.claimed == found.control.claimed
    assert not found.works


def test_one_seed_one_result_whatever_the_order_of_rows(census: tuple[pa.Table, pa.Table], tmp_path: Path) -> None:
    first, second = (hr.anonymize(census[0], SCHEMA, k=10, random_state=0) for _ in range(2))
    found = membership(first, *census, random_state=3)
    assert membership(second, *census, random_state=3) == found
    assert membership(first.save(tmp_path / "out.csv"), *census, random_state=3) == found


def test_a_threshold_that_gains_nothing_claims_nothing() -> None:
    assert _threshold(np.array([0.5, 0.5]), np.array([True, False])) == (0.0, np.inf)


def test_few_people_teach_nothing() -> None:
    one = towns("Bonn")
    assert membership(hr.anonymize(one, hr.Schema(quasi=["town"]), k=1), one, one).members.claimed == 0


def test_it_is_shown_without_a_cell(census: tuple[pa.Table, pa.Table]) -> None:
    shown = repr(membership(hr.anonymize(census[0], SCHEMA, k=5, random_state=0), *census))
    assert shown.startswith("membership: is in the table\n  works: excess ")
    assert "50K" not in shown


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"knowing": "shoe"}, "There is no column 'shoe'. Known: 'ill'. Only a column that is published unchanged"),
        ({"knowing": ["town"]}, "There is no column 'town'"),
        ({"knowing": 3}, "The 'knowing' parameter of membership must be a column or a list"),
        ({"random_state": -1}, "The 'random_state' parameter of membership must be None"),
    ],
)
def test_bad_parameters(given: dict[str, Any], message: str) -> None:
    people = towns("Bonn", "Ulm", ill=["no", "yes"])
    release = hr.anonymize(people, hr.Schema(quasi=["town"], target="ill"), k=2)
    with pytest.raises(BadInput, match=message):
        membership(release, people, people, **given)


def test_bad_people_and_releases() -> None:
    people = towns("Bonn", "Ulm", ill=["no", "yes"])
    release = hr.anonymize(people, hr.Schema(quasi=["town"], target="ill"), k=2)
    with pytest.raises(BadInput, match="The 'release' parameter of membership must be a Release"):
        membership(people, people, people)
    with pytest.raises(BadInput, match="The non-members lack columns of the release: 'ill'"):
        membership(release, people, people.select(["town"]), knowing="ill")
