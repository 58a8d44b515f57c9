"""A column that identifies is never published unless it is accepted, whatever the table and the engine."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.errors import Disclosing

values = st.lists(st.sampled_from(["a", "b", "c", "d", None, *(f"id {i}" for i in range(40))]), min_size=8, max_size=60)


def alone(notes: list[str | None]) -> float:
    return sum(number == 1 for number in Counter(notes).values()) / len(notes)


@examples(40)
@given(values)
def test_it_is_refused_exactly_if_enough_people_have_a_value_of_their_own(notes: list[str | None]) -> None:
    table = pa.table({"age": [at % 3 for at in range(len(notes))], "note": notes})
    schema = hr.Schema(quasi=["age"], insensitive=["note"])
    if alone(notes) >= 0.05:
        with pytest.raises(Disclosing, match="'note' has a value that nobody else has"):
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
    with pytest.raises(Disclosing, match=r"'born' tells 9\d% of 'age'|'born' tells 100% of 'age'") as caught:
        hr.anonymize(data, schema, k=50)
    assert "--accept born" in str(caught.value)


def test_what_is_accepted_is_recorded(tmp_path: Path) -> None:
    schema = hr.Schema(quasi=["age"], sensitive=["ill"], insensitive=["born"], accept=["born"])
    release = hr.anonymize(table_of(400), schema, k=50)
    assert release.manifest["columns"]["accepted"] == ["born"]
    assert release.manifest["audit"]["clear"]["born"]["accepted"] is True
    assert "ACCEPTED" in release.audit.render()
    assert release.audit.clear["ill"].role == "sensitive"


def test_a_sensitive_column_that_tells_all_is_only_told() -> None:
    """An attacker is taken not to know it. The share is rounded, and in a small table chance decides in which way."""
    release = hr.anonymize(table_of(4000), hr.Schema(quasi=["age"], sensitive=["born"], insensitive=["ill"]), k=500)
    assert release.audit.clear["born"].most[0] == "age"
    assert release.audit.clear["born"].most[1] > 0.9


@pytest.mark.parametrize(
    ("accept", "said"), [(["born"], "not published as it is"), (["bor"], "Did you mean 'born'"), ("born", "a list")]
)
def test_only_columns_in_clear_can_be_accepted(accept: Any, said: str) -> None:
    with pytest.raises(hr.BadInput, match=said):
        hr.anonymize(table_of(40), hr.Schema(quasi=["age", "born"], insensitive=["ill"], accept=accept), k=5)
