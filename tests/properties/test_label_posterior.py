"""The posterior of labels against a plain-Python one, on random tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.attacks._people import read_labelled
from hedgerow.engines import open_source
from hedgerow.release.pipeline import prepare
from hedgerow.risk import label_posterior


@pytest.fixture(autouse=True, scope="module")
def _made_up() -> Iterator[None]:
    """The same people are on both sides on purpose."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hedgerow.attacks._people.check_people", lambda *_: None)
        yield


TREE = {"any": {"vowel": ["a", "e"], "consonant": {"early": ["b", "c"], "late": ["x", "y", "z"]}}}
QUASI = ["number", "letter"]
some = examples(60)

people = st.lists(
    st.tuples(st.none() | st.integers(-9, 30), st.none() | st.sampled_from("abcexyz"), st.sampled_from("nyo")),
    min_size=4,
    max_size=30,
).filter(lambda rows: all(any(one is not None for one in column) for column in zip(*rows, strict=True)))
methods = st.sampled_from(["mondrian", "kactus", "optimal"])
Rows = list[tuple[Any, Any, Any]]


def table_of(rows: Rows) -> pa.Table:
    number, letter, label = map(list, zip(*rows, strict=True))
    return pa.table({"number": pa.array(number, pa.int64()), "letter": pa.array(letter, pa.string()), "label": label})


def by_hand(rows: Rows, release: hr.Release, asked: Rows) -> tuple[list[str], list[list[float]], list[int]]:
    """The formula, from the original rows of every class: what exact proportions tell."""
    published = release.table.to_pylist()
    classes: dict[Any, list[tuple[Any, Any, Any]]] = defaultdict(list)
    for row in published:
        classes[tuple(row[name] for name in QUASI)].append(rows[row["row"]])
    labels = sorted({label for *_, label in rows})
    frequent = Counter(label for *_, label in rows)
    found, matching = [], []
    for number, letter, _ in asked:
        weights = dict.fromkeys(labels, 0.0)
        matched = 0
        for held in classes.values():
            share = 1.0
            for at, value in enumerate((number, letter)):
                share *= sum(one[at] == value for one in held) / len(held)
            matched += share > 0
            for *_, label in held:
                weights[label] += share
        total = sum(weights.values())
        found.append([weights[one] / total if total else frequent[one] / len(rows) for one in labels])
        matching.append(matched)
    return labels, found, matching


@some
@given(people, people, methods, st.integers(1, 4))
def test_exact_proportions_against_plain_python(rows: Rows, others: Rows, method: str, k: int) -> None:
    known = {label for *_, label in rows}
    others = [(*values, label) for *values, label in others if label in known] or rows
    table = table_of(rows).append_column("row", pa.array(range(len(rows))))
    schema = hr.Schema(quasi=QUASI, target="label", insensitive=["row"], accept=["row"], hierarchies={"letter": TREE})
    release = hr.anonymize(table, schema, method=method, k=k, random_state=0, publish_proportions=True, min_support=1)
    labels, expected, matching = by_hand(rows, release, [*rows, *others])
    attacked = read_labelled(release, table_of(rows), table_of(others))
    assert attacked.target.domain.labels.tolist() == labels
    found = attacked.posterior.of(attacked.tuples)
    np.testing.assert_allclose(found.probabilities, expected, atol=1e-9)
    assert found.matching.tolist() == matching

    counts = open_source(table).count(schema, schema.resolve(table.column_names)).counts
    by_codes = label_posterior(counts, release.recoding, counts.tuples, release.proportions)
    domains = [counts.domains[name] for name in QUASI]
    values = [[*(domain.values if domain.kind == "number" else domain.labels).tolist(), None] for domain in domains]
    same = [(values[0][one], values[1][other], "") for one, other in counts.tuples.tolist()]
    np.testing.assert_allclose(by_codes.probabilities, by_hand(rows, release, same)[1], atol=1e-9)


@some
@given(people, people, methods, st.integers(1, 4), st.none() | st.integers(2, 4))
def test_members_match_and_rows_add_up_to_one(
    rows: Rows, others: Rows, method: str, k: int, support: int | None
) -> None:
    known = {label for *_, label in rows}
    others = [(*values, label) for *values, label in others if label in known] or rows
    told: dict[str, Any] = {} if support is None else {"publish_proportions": True, "min_support": support}
    schema = hr.Schema(quasi=QUASI, target="label", hierarchies={"letter": TREE})
    release = hr.anonymize(table_of(rows), schema, method=method, k=k, random_state=0, **told)
    attacked = read_labelled(release, table_of(rows), table_of(others))
    for nearest in (False, True):
        found = attacked.posterior.of(attacked.tuples, nearest=nearest)
        np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
        assert (found.probabilities >= 0).all()
        assert (found.matching[: len(rows)] > 0).all()
    counts = prepare(table_of(rows), schema, [hr.KAnonymity(1)], random_state=0).counts
    members = read_labelled(release, table_of(rows), table_of(rows))
    by_codes = label_posterior(counts, release.recoding, members.tuples, release.proportions)
    by_table = members.posterior.of(members.tuples)
    np.testing.assert_allclose(by_codes.probabilities, by_table.probabilities, atol=1e-9)
    assert by_codes.matching.tolist() == by_table.matching.tolist()
