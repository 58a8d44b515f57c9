"""Keys of people are found by their values: hashes, numbers, codes that repeat; and nothing else is taken for one."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.core.counts import encode_column
from hedgerow.risk.dependencies import KeyColumn, given_once, keys_of_people

VISITS = hr.datasets.make_hospital(3_000, random_state=7).drop_columns(["name", "note"])
QUASI = ("born", "sex", "postcode", "admitted")
FORMS: dict[str, Callable[[int, str], object]] = {
    "SHA-256": lambda _, old: hashlib.sha256(old.encode()).hexdigest(),
    "16 hex digits": lambda _, old: hashlib.sha256(old.encode()).hexdigest()[:16],
    "UUID": lambda _, old: str(uuid.UUID(hashlib.md5(old.encode(), usedforsecurity=False).hexdigest())),
    "counted": lambda at, _: at + 1,
    "numbers": lambda _, old: int(old[1:]),
    "prefix": lambda at, _: f"KH-{at:06}",
}


def columns(table: pa.Table) -> dict[str, KeyColumn]:
    encoded = {
        name: encode_column(name, table[name], kind="derived" if table[name].type == pa.string() else "typed")
        for name in table.column_names
    }
    return {name: KeyColumn(one.codes, one.domain) for name, one in encoded.items()}


def keys(table: pa.Table, among: tuple[str, ...] | None = None) -> list[str]:
    return [one.name for one in keys_of_people(columns(table), among or tuple(table.column_names))]


def with_ids(form: Callable[[int, str], object], missing: float = 0.0) -> pa.Table:
    old = VISITS["patient_id"].to_pylist()
    new = {one: form(at, one) for at, one in enumerate(dict.fromkeys(old))}
    draw = np.random.default_rng(7)
    return VISITS.set_column(1, "who", pa.array([None if draw.random() < missing else new[one] for one in old]))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("among", [QUASI, ("birth_year", "sex"), ("born", "sex")])
def test_ids_of_patients_are_keys(form: str, among: tuple[str, ...]) -> None:
    assert keys(with_ids(FORMS[form]), among) == ["who"]


def test_so_are_those_with_missing_values() -> None:
    assert keys(with_ids(FORMS["SHA-256"], missing=0.1), QUASI) == ["who"]


def test_so_are_those_of_patients_whose_birth_date_was_typed_wrongly_now_and_then() -> None:
    table, draw = with_ids(FORMS["counted"]), np.random.default_rng(7)
    born = table["born"].to_numpy().copy()
    wrong = np.flatnonzero(draw.random(len(born)) < 0.02)
    born[wrong] = draw.permutation(born)[: len(wrong)]
    assert keys(table.set_column(2, "born", pa.array(born)), QUASI) == ["who"]


def test_a_key_names_columns_that_have_nothing_to_do_with_each_other() -> None:
    (key,) = keys_of_people(columns(with_ids(FORMS["UUID"])), ("born", "birth_year", "sex"))
    assert key.determines == ("born", "sex")
    assert key.rows == pytest.approx(1.8, abs=0.2)
    assert keys(with_ids(FORMS["UUID"]), ("born", "birth_year")) == []


def once(table: pa.Table) -> pa.Table:
    _, first = np.unique(np.array(table["patient_id"].to_pylist()), return_index=True)
    return table.take(pa.array(first))


def with_much_of_few(form: Callable[[int, str], object], people: int, visits: int) -> pa.Table:
    """Everybody has one visit, but a few people have many, with what belongs to the visit drawn from all visits."""
    table = once(with_ids(FORMS["numbers"]).append_column("patient_id", VISITS["patient_id"]))
    rows, draw = np.arange(table.num_rows), np.random.default_rng(7)
    person = np.concatenate([rows, np.repeat(rows[:people], visits - 1)])
    visit = np.concatenate([rows, draw.choice(rows, people * (visits - 1))])
    old = table["patient_id"].to_pylist()
    columns = {
        name: table[name].take(pa.array(person if name in ("born", "sex", "postcode") else visit))
        for name in table.column_names
        if name not in ("who", "patient_id")
    }
    return pa.table({"who": [form(at, old[at]) for at in person.tolist()], **columns})


@pytest.mark.parametrize("form", ["SHA-256", "UUID", "counted", "numbers", "prefix"])
@pytest.mark.parametrize(("people", "visits"), [(1, 300), (3, 12), (9, 4)])
def test_so_are_those_of_a_few_patients_with_many_visits(form: str, people: int, visits: int) -> None:
    table = with_much_of_few(FORMS[form], people, visits)
    assert keys(table, QUASI) == ["who"]
    (key,) = keys_of_people(columns(table), QUASI)
    assert key.most == {300: 300, 12: 10, 4: 4}[visits]  # one digit


def test_a_few_values_on_many_rows_that_have_nothing_in_common_are_no_keys() -> None:
    table, draw = with_much_of_few(FORMS["SHA-256"], 3, 100), np.random.default_rng(7)
    for name in ("born", "sex", "postcode"):
        at = table.column_names.index(name)
        table = table.set_column(at, name, table[name].take(pa.array(draw.permutation(table.num_rows))))
    assert keys(table, QUASI) == []


PLAIN = {
    "census": hr.datasets.make_census(3_000, random_state=7),
    "small census": hr.datasets.make_census(200, random_state=7),
    "voters": hr.datasets.make_voters(3_000, random_state=7),
    "one visit each": once(VISITS),
    "visits without ids": VISITS.drop_columns(["patient_id"]),
    "towns": pa.table(
        {
            "postcode": [f"{at % 400:05}" for at in range(4_000)],
            "town": [f"town {at % 400 // 4}" for at in range(4_000)],
            "county": [f"county {at % 400 // 40}" for at in range(4_000)],
            "sex": np.random.default_rng(7).choice(["F", "M"], 4_000),
        }
    ),
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_tables_have_no_keys(name: str) -> None:
    assert keys(PLAIN[name]) == []


@pytest.mark.parametrize("name", ["census", "small census", "voters", "visits without ids"])
@pytest.mark.parametrize("share", [0.05, 0.3, 1.0])
def test_numbers_are_no_keys_because_rows_are_duplicates(name: str, share: float) -> None:
    table = PLAIN[name].drop_columns([one for one in ("name", "case") if one in PLAIN[name].column_names])
    draw = np.random.default_rng(7)
    weight = pa.array(draw.integers(0, 10**6, table.num_rows))
    table = table.append_column("weight", weight)
    again = table.take(pa.array(draw.integers(0, table.num_rows, int(share * table.num_rows))))
    assert keys(pa.concat_tables([table, again])) == []


def test_a_unique_number_that_looks_like_a_date_is_given_and_a_date_of_birth_is_not() -> None:
    days = np.random.default_rng(7).permutation(20_000)[:3_000].astype("datetime64[D]")
    (given,) = columns(pa.table({"case": days})).values()
    born = columns(pa.table({"born": VISITS["born"]}))["born"]
    assert given_once(given.domain)
    assert not given_once(born.domain)
