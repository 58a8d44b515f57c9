"""People who are given to attacks: read as the table was, checked, and counted once each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

import hedgerow as hr
from hedgerow.attacks._people import Given
from hedgerow.errors import BadInput

QUASI = ["age", "sex", "zip"]
SCHEMA = hr.Schema(quasi=QUASI)


@pytest.fixture(scope="module")
def census() -> tuple[pa.Table, pa.Table]:
    people = hr.datasets.make_census(1200, random_state=3).select(QUASI)
    return people[:600], people[600:]


@pytest.fixture(scope="module")
def release(census: tuple[pa.Table, pa.Table]) -> hr.Release:
    return hr.anonymize(census[0], SCHEMA, k=5, random_state=0)


def shuffled(table: pa.Table) -> pa.Table:
    return table.take(np.random.default_rng(0).permutation(table.num_rows))


def test_other_people_of_the_same_population_are_taken(release: hr.Release, census: tuple[pa.Table, pa.Table]) -> None:
    assert Given.of(release, *census).counted.all()


@pytest.mark.parametrize("part", [1.0, 0.2])
def test_a_control_that_holds_members_is_refused(
    part: float, release: hr.Release, census: tuple[pa.Table, pa.Table]
) -> None:
    members, others = census
    few = members[: int(part * len(members))]
    with pytest.raises(BadInput, match="too much like the members"):
        Given.of(release, few, shuffled(members))
    with pytest.raises(BadInput, match="too much like the members"):
        Given.of(release, few, shuffled(pa.concat_tables([members, others])))


def test_members_are_found_among_others_though_a_number_tells_rows_apart(
    release: hr.Release, census: tuple[pa.Table, pa.Table]
) -> None:
    """By all columns no row is like another one; by those that the release publishes half of them are."""
    whole = pa.concat_tables(census)
    numbered = whole.append_column("id", pa.array(range(5_000, 5_000 + len(whole))))
    with pytest.raises(BadInput, match="in 3 columns"):
        Given.of(release, census[0].append_column("id", pa.array(range(len(census[0])))), numbered)


@pytest.mark.parametrize("values", [2, 12, 400])
def test_populations_with_few_rows_that_differ_are_alike_by_chance(values: int) -> None:
    """Nobody of 40 pairs of samples is refused, however many rows they share."""
    for seed in range(40):
        drawn = np.random.default_rng(seed).integers(values, size=600)
        people = pa.table({"town": [f"T{one}" for one in drawn]})
        release = hr.anonymize(people[:300], hr.Schema(quasi=["town"]), k=2)
        Given.of(release, people[:300], people[300:])


def test_the_same_table_is_refused_whatever_it_is(tmp_path: Path) -> None:
    people = pa.table({"sex": ["F", "M"] * 20})
    release = hr.anonymize(people, hr.Schema(quasi=["sex"]), k=2)
    pa_csv.write_csv(people, tmp_path / "people.csv")
    for one in (people, tmp_path / "people.csv", hr.File(tmp_path / "people.csv")):
        with pytest.raises(BadInput, match="are the same table"):
            Given.of(release, one, one)


def test_members_who_were_read_in_another_way_are_refused(
    release: hr.Release, census: tuple[pa.Table, pa.Table]
) -> None:
    members, others = census
    strange = members.set_column(0, "age", pa.array([f"{age},5" for age in members["age"].to_pylist()]))
    loaded = hr.anonymize(members.select(["sex", "zip"]), hr.Schema(quasi=["sex", "zip"]), k=5)
    with pytest.raises(BadInput, match=r"do not look like the rows that this release was made of.*--decimal"):
        Given.of(release, strange, others)
    with pytest.raises(BadInput, match="0% of them fit a class, and 100% of the rows were published"):
        Given.of(loaded, members.set_column(2, "zip", pa.array(["?"] * len(members))), others)


def test_lost_rows_need_not_fit() -> None:
    """A tenth of the rows are lost, and nine in ten members fit: fewer than that are refused."""
    people = pa.table({"town": ["Ulm"] * 90 + [f"T{at}" for at in range(10)]})
    schema = hr.Schema(quasi=["town"], hierarchies={"town": "flat"})
    release = hr.anonymize(people, schema, method="datafly", k=20, suppression_limit=0.1)
    assert release.facts["rows_lost"] == 10
    others = pa.table({"town": ["Ulm"] * 44 + ["Bonn"] * 6})
    Given.of(release, people, others)
    with pytest.raises(BadInput, match="80% of them fit a class, and 90% of"):
        Given.of(release, people.set_column(0, "town", pa.array(["Ulm"] * 80 + ["Kiel"] * 20)), others)


@pytest.mark.parametrize("numbers", ["median", "mean"])
def test_numbers_that_stand_for_groups_fit_their_people_in_a_loaded_release(tmp_path: Path, numbers: str) -> None:
    people = hr.datasets.make_census(2000, random_state=3).select(["age", "sex", "education", "income"])
    schema = hr.Schema(quasi=["age", "sex", "education"], target="income")
    release = hr.anonymize(people[:1000], schema, method="kactus", k=5, random_state=0, numbers=numbers)
    loaded = hr.Release.load(release.save(tmp_path / "out.csv"))
    Given.of(loaded, people[:1000], people[1000:])


@pytest.fixture(scope="module")
def visits() -> tuple[pa.Table, pa.Table]:
    """One person of each side has 300 of 500 visits."""
    generator = np.random.default_rng(4)
    sides = []
    for start in (0, 1_000):
        pid = np.concatenate([np.full(300, start), start + 1 + np.arange(200)])
        age = np.concatenate([np.full(300, 40), generator.integers(20, 80, 200)])
        sides.append(pa.table({"pid": pid, "age": age, "sex": generator.choice(["F", "M"], 500)}))
    return sides[0], sides[1]


@pytest.fixture(scope="module")
def of_visits(visits: tuple[pa.Table, pa.Table]) -> hr.Release:
    return hr.anonymize(visits[0], hr.Schema(quasi=["age", "sex"], entity="pid"), k=5, random_state=0)


def test_people_are_counted_and_not_their_visits(of_visits: hr.Release, visits: tuple[pa.Table, pa.Table]) -> None:
    found = hr.attack(of_visits, *visits, ["downcoding", "membership", "inference", "linkability"])
    assert {one.members.people for one in found} == {201}
    assert {one.control.people for one in found} == {201}
    assert found.remarks == ("People are counted, not their rows: one random row of each person is judged.",)


def test_nobody_may_be_on_both_sides(of_visits: hr.Release, visits: tuple[pa.Table, pa.Table]) -> None:
    both = visits[1].set_column(0, "pid", visits[0]["pid"])
    with pytest.raises(BadInput, match="201 people of the members are among the non-members too, by the column 'pid'"):
        Given.of(of_visits, visits[0], both)


def test_the_column_of_the_person_is_needed(of_visits: hr.Release, visits: tuple[pa.Table, pa.Table]) -> None:
    with pytest.raises(BadInput, match=r"The members lack columns of the release: 'pid'.*which identifies people"):
        Given.of(of_visits, visits[0].drop_columns(["pid"]), visits[1])


def test_files_are_read_as_they_are_described(tmp_path: Path, census: tuple[pa.Table, pa.Table]) -> None:
    """Decimal commas, a mark for what is missing, and digits that are text: the same figures as of the dataframe."""
    plain = [one.set_column(0, "age", pa.array([age / 2 for age in one["age"].to_pylist()])) for one in census]
    release = hr.anonymize(plain[0], SCHEMA, k=5, random_state=0)
    files: list[Any] = []
    for at, one in enumerate(plain):
        path = tmp_path / f"{at}.csv"
        texts = pa.array([str(age).replace(".", ",") for age in one["age"].to_pylist()])
        pa_csv.write_csv(one.set_column(0, "age", texts), path, pa_csv.WriteOptions(delimiter=";"))
        files.append(hr.File(path, delimiter=";", decimal=","))
    expected = hr.attack(release, plain[0], plain[1], "membership")
    assert repr(hr.attack(release, files[0], files[1], "membership", kinds={"zip": "text"})) == repr(expected)


def test_where_nobody_fits_nobodys_class_is_known(
    release: hr.Release, census: tuple[pa.Table, pa.Table], made_up_people: None
) -> None:
    nobody = pa.table({"age": [1_000] * 5, "sex": ["X"] * 5, "zip": ["?"] * 5})
    every = pa.concat_tables([nobody] * 200).cast(census[0].schema)
    with pytest.raises(BadInput, match="Nobody fits a class"):
        hr.attacks.downcoding(release, every, every, knowing="class")


def test_proportions_of_nodes_are_refused(census: tuple[pa.Table, pa.Table]) -> None:
    """Where levels are limited, pools are nodes of the hierarchy, and no person holds a node."""
    limited = hr.Schema(quasi=QUASI, hierarchies={"zip": "masking:2,3,4"}, levels={"zip": (2, None)})
    told = hr.anonymize(census[0], limited, k=5, publish_proportions=True, random_state=0)
    with pytest.raises(BadInput, match="hierarchy nodes in 'zip'"):
        hr.attack(told, *census)
    assert hr.attack(hr.anonymize(census[0], limited, k=5, random_state=0), *census, attacks=["downcoding"])
