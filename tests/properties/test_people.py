"""People with several rows: k different ones in every class, by any engine, method and way of saving."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.core.counts import draw_representatives, first_rows, tabulate
from hedgerow.errors import Infeasible

rows_of_people = st.lists(
    st.tuples(st.integers(0, 9), st.integers(20, 26), st.sampled_from("FM"), st.sampled_from("abc")),
    min_size=12,
    max_size=40,
)
NAMES = ("person", "age", "sex", "ill")
SCHEMA = hr.Schema(quasi=["age", "sex"], sensitive=["ill"], insensitive=["row"], accept=["row", "ill"], entity="person")


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    columns = {name: list(cells) for name, cells in zip(NAMES, zip(*rows, strict=True), strict=True)}
    return pa.table({**columns, "row": [f"r{at}" for at in range(len(rows))]})


def fewest_people(published: list[dict[str, Any]], rows: list[tuple[Any, ...]]) -> int:
    people: dict[tuple[Any, ...], set[int]] = {}
    for row in published:
        people.setdefault((row["age"], row["sex"]), set()).add(rows[int(row["row"][1:])][0])
    return min(map(len, people.values()))


@pytest.mark.parametrize("engine", ["memory", "csv", "parquet"])
@examples(25)
@given(rows=rows_of_people, seed=st.integers(0, 5))
def test_every_class_has_k_people_in_every_engine(
    rows: list[tuple[Any, ...]], seed: int, engine: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    table = table_of(rows)
    data: Any = table
    if engine != "memory":
        data = tmp_path_factory.mktemp("people") / f"people.{engine}"
        (pyarrow.csv.write_csv if engine == "csv" else pq.write_table)(table, data)
    if len({row[0] for row in rows}) < 3:
        with pytest.raises((Infeasible, hr.BadInput)):
            hr.anonymize(data, SCHEMA, k=3, random_state=seed)
        return
    release = hr.anonymize(data, SCHEMA, k=3, random_state=seed)
    published = release.table if engine == "memory" else release.table.to_arrow_table()
    assert release.audit.k == fewest_people(published.to_pylist(), rows) >= 3
    assert release.classes.people == len({row[0] for row in rows})
    assert "person" not in published.column_names
    same = hr.anonymize(table, SCHEMA, k=3, random_state=seed).table.to_pylist()
    shown = Counter((str(row["age"]), row["sex"], row["ill"], row["row"]) for row in published.to_pylist())
    assert shown == Counter((str(row["age"]), row["sex"], row["ill"], row["row"]) for row in same)


@examples(60)
@given(rows=rows_of_people, seed=st.integers(0, 5))
def test_rows_at_home_are_one_for_each_person_where_they_have_rows(rows: list[tuple[Any, ...]], seed: int) -> None:
    _, person = tabulate([np.array([row[0] for row in rows], dtype=np.int32)], [10], len(rows))
    cell = np.array([row[1] - 20 for row in rows], dtype=np.int32)
    pairs, _ = tabulate([person, cell], [10, 7], len(rows))
    homes = draw_representatives(pairs, np.random.default_rng(seed))
    assert {(at, home) for at, home in enumerate(homes.tolist())} <= set(
        zip(person.tolist(), cell.tolist(), strict=True)
    )
    is_representative = first_rows(person, cell == homes[person], lambda some: some[::-1])
    assert Counter(person[is_representative].tolist()) == dict.fromkeys(person.tolist(), 1)
    assert (cell[is_representative] == homes[person[is_representative]]).all()


def visits(people: int, each: int) -> pa.Table:
    rows = [
        (p, 20 + (p * 3 + v * 5) % 30, "FM"[(p + v) % 2], "abc"[(p * v) % 3])
        for p in range(people)
        for v in range(each)
    ]
    return table_of(rows)


@pytest.mark.parametrize("method", ["optimal", "incognito", "datafly", "allmin"])
def test_a_lattice_method_finds_a_release_whose_linked_rows_are_shared(method: str) -> None:
    schema = hr.Schema(quasi=["age", "sex"], sensitive=["ill"], entity="person", pseudonymize=["person"], others="drop")
    release = hr.anonymize(visits(60, 3), schema, method=method, k=4)
    sets: dict[str, set[Any]] = {}
    times: dict[str, Counter[Any]] = {}
    for row in release.table.to_pylist():
        sets.setdefault(row["person"], set()).add((row["age"], row["sex"]))
        times.setdefault(row["person"], Counter())[row["age"], row["sex"]] += 1
    fewest = min(Counter(map(frozenset, sets.values())).values())
    often = min(Counter(frozenset(one.items()) for one in times.values()).values())
    assert release.audit.linked == (fewest, often)
    assert fewest >= 4


def test_linked_rows_are_generalized_also_in_columns_that_no_shield_names() -> None:
    table = pa.table({"zip": ["10012", "10012"], "age": [30, 40], "person": ["p", "q"]})
    schema = hr.Schema(quasi=["zip", "age"], entity="person", pseudonymize=["person"])
    release = hr.anonymize(table, schema, method="datafly", require=[hr.KAnonymity(2, ["zip"])])
    assert release.audit.linked == (2, 2)


def test_a_local_method_that_cannot_promise_it_says_so() -> None:
    draw = random.Random(3)
    table = table_of([(person, draw.randrange(20, 50), "F", "a") for person in range(60) for _ in range(3)])
    schema = hr.Schema(quasi=["age", "sex"], entity="person", insensitive=["person"], others="drop")
    with pytest.raises(Infeasible, match=r"'person' links the rows of a person, and the smallest group .* has \d"):
        hr.anonymize(table, schema, method="mondrian", k=4)
    dropped = hr.anonymize(table, hr.Schema(quasi=["age", "sex"], entity="person", others="drop"), k=4)
    assert dropped.audit.linked is None


# The fewest people who share something, exactly: that is what a release promises.
FEWEST = {"k", "reached", "k_all", "wildcard_k", "highest"}


def without(said: Any, names: set[str]) -> Any:
    if isinstance(said, dict):
        return {name: without(inside, names) for name, inside in said.items() if name not in names}
    return [without(inside, names) for inside in said] if isinstance(said, list) else said


@pytest.mark.parametrize("method", ["mondrian", "optimal"])
def test_nobody_learns_from_a_manifest_whether_a_row_is_of_somebody_known(method: str, tmp_path: Path) -> None:
    """The same rows, but one of them is of a new person, of one with the same illness there, or of another there."""
    schema = hr.Schema(quasi=["age", "sex"], sensitive=["ill"], entity="person", others="drop")
    table = visits(300, 2)
    told = []
    for at, person in enumerate([299, 1_000, 269, 239]):
        owners = [*table["person"].to_pylist()[:-1], person]
        changed = table.set_column(0, "person", pa.array(owners))
        path = tmp_path / f"{at}.csv"
        hr.anonymize(changed, schema, method=method, k=4, random_state=1).save(path)
        manifest = json.loads((tmp_path / f"{at}.csv.manifest.json").read_text(encoding="utf-8"))
        told.append(without(manifest, {"output", *FEWEST}))
    assert told[0]["audit"]["people"] == 300
    assert told[0] == told[1] == told[2] == told[3]


def test_a_table_is_audited_in_both_readings() -> None:
    table = pa.table({"who": [1, 1, 2, 2, 3, 3], "age": [5, 6, 5, 6, 5, 5]})
    audit = hr.audit(table, quasi=["age"], entity="who")
    assert (audit.k, audit.people, audit.linked) == (2, 3, (1, 1))
    assert "by the set of their classes" in audit.render()


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.csv.gz"])
@pytest.mark.parametrize("from_file", [True, False])
def test_a_release_of_people_is_saved(name: str, from_file: bool, tmp_path: Path) -> None:
    data: Any = visits(60, 2)
    if from_file:
        data = tmp_path / "people.parquet"
        pq.write_table(visits(60, 2), data)
    release = hr.anonymize(data, SCHEMA, k=4, require=["l=2@ill"])
    assert release.save(tmp_path / name).exists()
    assert release.manifest["columns"]["entity"] == "person"


def test_people_cannot_be_fewer_than_k_whatever_their_rows() -> None:
    with pytest.raises(hr.BadInput, match="needs at least 5 rows"):
        hr.anonymize(visits(4, 20), SCHEMA, k=5)


def test_shares_that_hold_of_rows_but_not_of_people_are_told() -> None:
    """One person brings half of the rows, all with one illness: of rows it is frequent, of people rare."""
    rows = [(0, 30, "F", "a")] * 10 + [(p, 30, "F", "b") for p in range(1, 11)]
    schema = hr.Schema(quasi=["age", "sex"], sensitive=["ill"], entity="person", others="drop")
    with pytest.raises(Infeasible, match=r"cannot meet .* reach only a share of 0\.9"):
        hr.anonymize(table_of(rows), schema, require=[hr.AlphaK(0.5, 2, "ill")])


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"quasi": ["age"], "entity": "who"}, "There is no column 'who'"),
        ({"quasi": ["person"], "entity": "person"}, "named in another role"),
        ({"quasi": ["age"], "entity": 3}, "a column name"),
    ],
)
def test_wrong_entities(schema: dict[str, Any], said: str) -> None:
    with pytest.raises(hr.BadInput, match=said):
        hr.anonymize(visits(9, 2), hr.Schema(**schema, others="drop"), k=2)


def test_proportions_are_of_people_each_counted_once() -> None:
    release = hr.anonymize(visits(60, 3), SCHEMA, method="mondrian", k=5, publish_proportions=True, random_state=0)
    assert release.proportions is not None
    assert int(release.proportions.sizes.sum()) == 60
    assert int(release.proportions.sizes.min()) >= 5
    assert release.audit.singled_out == 0
    drawn = hr.learning.redraw(release, random_state=0)
    assert len(drawn) == 180
