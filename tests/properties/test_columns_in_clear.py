"""A column that identifies is never published unless it is accepted, whatever the table and the engine."""

from __future__ import annotations

import datetime as dt
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.errors import Disclosing, required
from hedgerow.risk import Audit
from hedgerow.verifier import Finding

values = st.lists(st.sampled_from(["a", "b", "c", "d", None, *(f"id {i}" for i in range(40))]), min_size=8, max_size=60)


def alone(notes: list[str | None]) -> float:
    return sum(number == 1 for number in Counter(notes).values()) / len(notes)


@examples(40)
@given(values)
def test_it_is_refused_exactly_if_enough_people_have_a_value_of_their_own(notes: list[str | None]) -> None:
    table = pa.table({"age": [at % 3 for at in range(len(notes))], "note": notes})
    schema = hr.Schema(quasi=["age"], insensitive=["note"])
    if alone(notes) >= 0.05:
        with pytest.raises(Disclosing, match="'note' holds a value that nobody else has"):
            hr.anonymize(table, schema, k=2)
    else:
        assert hr.anonymize(table, schema, k=2).audit.clear["note"].alone == alone(notes)
    accepted = hr.anonymize(table, hr.Schema(quasi=["age"], insensitive=["note"], accept=["note"]), k=2)
    assert accepted.audit.clear["note"].accepted
    rows = Counter(tuple(row.values()) for row in accepted.table.to_pylist())
    assert accepted.audit.k_all == accepted.audit.clear["note"].k == min(rows.values())


@examples(40)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from("pqrs")), min_size=2))
def test_k_over_all_columns_stands_in_every_audit(rows: list[tuple[str, ...]]) -> None:
    table = pa.table(dict(zip(("age", "note", "who"), map(list, zip(*rows, strict=True)), strict=True)))
    assert hr.audit(table, quasi=["age"]).k_all == min(Counter(rows).values())
    people: dict[tuple[str, ...], set[str]] = {}
    for age, note, who in rows:
        people.setdefault((age, note), set()).add(who)
    assert hr.audit(table, quasi=["age"], entity="who").k_all == min(map(len, people.values()))
    assert hr.audit(table, quasi=["age"], sensitive=["note", "who"]).k_all == min(Counter(rows).values())


def table_of(size: int) -> pa.Table:
    ages = [20 + at % 40 for at in range(size)]
    return pa.table({"age": ages, "born": [1990 - age for age in ages], "ill": ["ab"[at % 2] for at in range(size)]})


@pytest.mark.parametrize("kind", ["frame", "parquet"])
def test_a_column_that_tells_a_quasi_identifier_is_refused(kind: str, tmp_path: Path) -> None:
    data: Any = table_of(400)
    if kind == "parquet":
        data = tmp_path / "people.parquet"
        pq.write_table(table_of(400), data)
    schema = hr.Schema(quasi=["age"], sensitive=["ill"], insensitive=["born"])
    with pytest.raises(Disclosing, match=r"'born' reveals what the release hides: (9\d|100)% of 'age'") as caught:
        hr.anonymize(data, schema, k=50)
    assert "--accept born" in str(caught.value)


def test_what_is_accepted_is_recorded(tmp_path: Path) -> None:
    schema = hr.Schema(quasi=["age"], sensitive=["ill"], insensitive=["born"], accept=["born"])
    release = hr.anonymize(table_of(400), schema, k=50)
    assert release.manifest["columns"]["accepted"] == ["born"]
    assert release.manifest["audit"]["clear"]["born"]["accepted"] is True
    assert "ACCEPTED" in release.audit.render()
    assert release.audit.clear["ill"].role == "sensitive"


def test_a_sensitive_column_that_is_a_copy_of_a_quasi_identifier_is_refused() -> None:
    """An attacker does not know it, but every reader of the table sees what the release hides."""
    table = table_of(4000).drop_columns(["ill"])
    schema = hr.Schema(quasi=["age"], sensitive=["born"])
    with pytest.raises(Disclosing, match=r"'born' reveals what the release hides: \d+% of 'age'"):
        hr.anonymize(table, schema, k=500)
    accepted = hr.anonymize(table, replace(schema, accept=["born"]), k=500)
    assert accepted.audit.clear["born"].most[0] == "age"
    assert accepted.audit.clear["born"].most[1] > 0.9
    assert accepted.audit.clear["born"].excused


PEOPLE = 600


def with_column(values: list[Any], **roles: Any) -> tuple[pa.Table, hr.Schema]:
    ages = [20 + at * 7 % 50 for at in range(len(values))]
    sexes = ["FM"[at * 11 // 7 % 2] for at in range(len(values))]
    return pa.table({"age": ages, "sex": sexes, "it": values}), hr.Schema(quasi=["age", "sex"], **roles)


ROLES: list[dict[str, Any]] = [{"sensitive": ["it"]}, {"target": "it"}, {"insensitive": ["it"]}]


@pytest.mark.parametrize("roles", ROLES)
@pytest.mark.parametrize(
    "values",
    [
        [f"123-45-{at:04}" for at in range(PEOPLE)],
        [at * 7919 % PEOPLE for at in range(PEOPLE)],
        [123_450_000 + at * 7919 % PEOPLE * 31 for at in range(PEOPLE)],
        [(at % 880 * 101 % 880 + 1) * 1_000_000 + at * 7919 % 1_000_000 for at in range(PEOPLE)],
        ["none"] * (PEOPLE * 9 // 10) + [f"note {at}" for at in range(PEOPLE // 10)],
    ],
    ids=["text", "serial number", "long code", "leading zeros were lost", "a tenth of the notes"],
)
def test_a_code_that_identifies_is_refused_in_every_role(values: list[Any], roles: dict[str, Any]) -> None:
    table, schema = with_column(values, **roles)
    with pytest.raises(Disclosing, match="'it' holds a value that nobody else has") as caught:
        hr.anonymize(table, schema, k=5)
    assert "--accept it" in str(caught.value)
    release = hr.anonymize(table, replace(schema, accept=["it"]), k=5)
    assert release.manifest["columns"]["accepted"] == ["it"]
    assert "ACCEPTED" in release.audit.render()


@pytest.mark.parametrize("roles", ROLES[:2])
def test_a_salary_is_not_refused_for_being_continuous(roles: dict[str, Any]) -> None:
    draw = random.Random(5)
    table, schema = with_column([round(draw.gauss(40_000, 9_000), 2) for _ in range(PEOPLE)], **roles)
    column = hr.anonymize(table, schema, k=5).audit.clear["it"]
    assert column.alone > 0.9
    assert not column.discloses
    whole, schema = with_column([round(draw.gauss(40_000, 9_000)) for _ in range(PEOPLE)], **roles)
    assert not hr.anonymize(whole, schema, k=5).audit.clear["it"].discloses


DRAW = random.Random(11)
BORN = [dt.date(1940, 1, 1) + dt.timedelta(days=DRAW.randrange(21_900)) for _ in range(1_500)]
VISITS = [*range(1_500), *(DRAW.randrange(1_500) for _ in range(1_089))]


def hospital(**clear: Callable[[dt.date], Any]) -> pa.Table:
    born = [BORN[who] for who in VISITS]
    return pa.table(
        {
            "pid": [f"p{who}" for who in VISITS],
            "born": born,
            "sex": ["FM"[who % 2] for who in VISITS],
            "ill": [("flu", "cold", "gout")[at * 7 // 3 % 3] for at in range(len(VISITS))],
            **{name: [of(day) for day in born] for name, of in clear.items()},
        }
    )


def findings_of(audit: Audit) -> tuple[Finding, ...]:
    return required(audit.verdict, "a verdict").findings


HOSPITAL = hr.Schema(quasi=["born", "sex"], sensitive=["ill"], entity="pid", others="insensitive")


@pytest.mark.parametrize(
    "of",
    [
        lambda day: day.year,
        lambda day: str(day.year),
        lambda day: float(day.year),
        lambda day: None if day.day == 5 else day.year,
        lambda day: "" if day.day == 5 else str(day.year),
        lambda day: day.year + (day.toordinal() % 97 == 0),
        lambda day: (day.year * 37) % 101,
        lambda day: day.year // 10,
        lambda day: f"Q{(day.month + 2) // 3}",
    ],
    ids=["number", "text", "float", "null", "empty", "noise", "another number", "decade", "quarter"],
)
def test_what_the_quasi_identifiers_determine_counts_as_one(of: Callable[[dt.date], Any]) -> None:
    with pytest.raises(Disclosing, match=r"'it' is known to anyone who knows 'born'|'it' reveals") as caught:
        hr.anonymize(hospital(it=of), HOSPITAL, k=5, random_state=0)
    assert "--accept it" in str(caught.value)


def test_what_is_accepted_does_not_count_and_stands_in_manifest_audit_and_report(tmp_path: Path) -> None:
    table = hospital(year=lambda day: day.year)
    release = hr.anonymize(table, replace(HOSPITAL, accept=["year"]), k=5, random_state=0)
    assert release.manifest["columns"]["accepted"] == ["year"]
    assert release.manifest["columns"]["determined"] == {}
    assert release.manifest["audit"]["clear"]["year"]["determined_by"] == ["born"]
    assert release.audit.k_determined is None
    assert "ACCEPTED, known from born" in release.audit.render()
    page = release.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Accepted; known from born" in " ".join(page.split()).replace("</span>", "")


def test_a_release_that_keeps_them_apart_is_verified_with_them_and_again_when_it_is_loaded(tmp_path: Path) -> None:
    """Whole years as classes: to know the year besides tells nothing."""
    table = hospital(year=lambda day: day.year)
    schema = replace(HOSPITAL, quasi=["born"], hierarchies={"born": "dates:year"}, insensitive=["sex"])
    release = hr.anonymize(table, schema, method="optimal", k=5, random_state=0)
    assert release.audit.determined == {"year": ("born",)}
    assert release.manifest["columns"]["determined"] == {"year": ["born"]}
    rows = release.table.to_pylist()
    people = {(row["born"], row["year"]) for row in rows}
    assert len(people) == len({row["born"] for row in rows})
    assert [one.determined for one in findings_of(release.audit)] == [(), ("year",)]
    place = release.save(tmp_path / "out.csv")
    loaded = hr.Release.load(place)
    assert loaded.audit.determined == {"year": ("born",)}
    assert hr.audit(loaded).determined == {"year": ("born",)}
    assert hr.audit(place, quasi=["born"], k=5).k_determined == hr.audit(place, quasi=["born", "year"]).k
    assert hr.audit(place, quasi=["sex"]).determined == {}


def test_an_audit_of_a_saved_release_refuses_what_only_the_manifest_knows(tmp_path: Path) -> None:
    """A table that holds over the quasi-identifiers, and not with the column that its manifest names."""
    schema = hr.Schema(quasi=["age"], insensitive=["part"], accept=["part"])
    table = pa.table({"age": [at // 20 for at in range(200)], "part": [at // 2 for at in range(200)]})
    place = hr.anonymize(table, schema, k=20).save(tmp_path / "out.parquet")
    assert all(one.holds for one in findings_of(hr.audit(place, quasi=["age"], k=20)))
    manifest = tmp_path / "out.parquet.manifest.json"
    said = json.loads(manifest.read_text())
    said["columns"]["determined"] = {"part": ["age"]}
    manifest.write_text(json.dumps(said))
    assert not all(one.holds for one in findings_of(hr.audit(place, quasi=["age"], k=20)))
    with pytest.raises(Disclosing, match="'part' is known to anyone who knows 'age'"):
        hr.Release.load(place)


def test_a_shield_counts_what_its_own_columns_determine() -> None:
    """Who knows only the sex does not know the year of birth, and who knows the birth date does."""
    table = hospital(year=lambda day: day.year)
    released = hr.anonymize(table, HOSPITAL, require=["k=20@sex"], random_state=0)
    assert [one.determined for one in findings_of(released.audit)] == [()]
    with pytest.raises(Disclosing, match="With 'year' 20-anonymity of born does not hold"):
        hr.anonymize(table, HOSPITAL, require=["k=20@born"], random_state=0)


def test_columns_that_spell_a_date_together_are_refused_by_name() -> None:
    draw = random.Random(3)
    born = [dt.date(1940, 1, 1) + dt.timedelta(days=draw.randrange(22_000)) for _ in range(4_000)]
    table = pa.table(
        {
            "born": born,
            "sex": [draw.choice("FM") for _ in born],
            "month": [day.month for day in born],
            "day": [day.day for day in born],
            "other": [draw.choice("abc") for _ in born],
        }
    )
    schema = hr.Schema(quasi=["born", "sex"], insensitive=["month", "day", "other"])
    with pytest.raises(
        Disclosing, match=r"'(day|month)', '(month|day)' together reveal 9\d% of what the release hides of 'born'"
    ):
        hr.anonymize(table, schema, k=10, random_state=0)


def test_a_target_that_tells_more_than_half_alone_is_judged_with_other_columns() -> None:
    """It may tell so much alone, as the target, and then a single bit beside it tells the rest."""
    draw = random.Random(1)
    towns = [draw.randrange(36) for _ in range(3_000)]
    table = pa.table(
        {
            "town": [f"T{town}" for town in towns],
            "age": [draw.randrange(20, 80) for _ in towns],
            "area": [f"A{draw.randrange(18) if draw.random() < 0.25 else town // 2}" for town in towns],
            "bit": [draw.randrange(2) if draw.random() < 0.1 else town % 2 for town in towns],
        }
    )
    schema = hr.Schema(quasi=["town", "age"], target="area")
    alone = hr.anonymize(table.drop_columns(["bit"]), schema, k=60, random_state=0)
    assert 0.5 < alone.audit.clear["area"].gives_away["town"] < 0.75
    with pytest.raises(Disclosing, match=r"'bit', 'area' together reveal \d+% of what the release hides of 'town'"):
        hr.anonymize(table, replace(schema, insensitive=["bit"]), k=60, random_state=0)


def _released(table: pa.Table, schema: hr.Schema) -> hr.Release | Disclosing:
    try:
        return hr.anonymize(table, schema, k=3, random_state=0)
    except Disclosing as error:
        return error


@examples(30)
@given(st.integers(0, 10_000), st.sampled_from([10, 40, 150]), st.integers(1, 30))
def test_whatever_is_released_holds_with_what_the_quasi_identifiers_determine(seed: int, rows: int, width: int) -> None:
    """Brute force over the published rows; columns that were drawn apart from all others are never counted."""
    draw = random.Random(seed)
    ages = [draw.randrange(60) for _ in range(rows)]
    table = pa.table(
        {
            "age": ages,
            "sex": [draw.choice("FM") for _ in ages],
            "band": [f"b{age // width}" for age in ages],
            "free": [draw.choice("xyz") for _ in ages],
        }
    )
    schema = hr.Schema(quasi=["age", "sex"], insensitive=["band", "free"])
    release = _released(table, schema)
    if isinstance(release, Disclosing):
        assert release.columns.get("free", "nobody else").count("nobody else") or len(release.columns) > 1
        return
    assert "free" not in release.audit.determined
    known = [*release.quasi, *release.audit.determined]
    counted = Counter(tuple(row[name] for name in known) for row in release.table.to_pylist())
    assert min(counted.values()) >= 3


@pytest.mark.parametrize(
    ("accept", "said"), [(["born"], "not published unchanged"), (["bor"], "Did you mean 'born'"), ("born", "a list")]
)
def test_only_columns_in_clear_can_be_accepted(accept: Any, said: str) -> None:
    with pytest.raises(hr.BadInput, match=said):
        hr.anonymize(table_of(40), hr.Schema(quasi=["age", "born"], insensitive=["ill"], accept=accept), k=5)
