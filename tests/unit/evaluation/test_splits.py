"""Parts: every row is tested as often as the protocol says, and nobody trains and tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.evaluation.splits import Protocol, read_protocol, splits_of
from hedgerow.evaluation.tables import EvaluatedTable, open_table

PROTOCOLS: list[Protocol] = ["5x2cv", "holdout", ("cv", 3), ("holdout", 4)]


def table_of(rows: int, people: int | None = None, seed: int = 0) -> EvaluatedTable:
    random = np.random.default_rng(seed)
    columns = {"age": random.integers(0, 50, rows), "ill": np.resize(["y", "n", "n"], rows)}
    if people is not None:
        columns["who"] = random.permutation(np.resize(np.arange(people), rows))
    return open_table(
        pa.table(columns),
        hr.Schema(quasi=["age"], target="ill", entity=None if people is None else "who", others="drop"),
    )


@given(
    rows=st.integers(20, 200),
    people=st.one_of(st.none(), st.integers(12, 20)),
    protocol=st.sampled_from(PROTOCOLS),
    seed=st.integers(0, 5),
)
def test_parts_are_whole_and_apart(rows: int, people: int | None, protocol: Protocol, seed: int) -> None:
    table = table_of(rows, people, seed)
    found = splits_of(table, protocol, seed)
    for split in found:
        assert sorted([*split.train.tolist(), *split.test.tolist()]) == list(range(rows))
        assert len(split.train)
        assert len(split.test)
        if table.people is not None:
            assert not set(table.people[split.train].tolist()) & set(table.people[split.test].tolist())
    tested = np.bincount(np.concatenate([split.test for split in found]), minlength=rows)
    if protocol == "5x2cv":
        assert len(found) == 10
        assert (tested == 5).all()
    elif protocol == ("cv", 3):
        assert (tested == 1).all()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_classes_have_their_share_in_every_part(protocol: Protocol) -> None:
    table = table_of(300)
    assert table.labels is not None
    for split in splits_of(table, protocol, 3):
        counted = np.bincount(table.labels[split.test], minlength=2) / len(split.test)
        assert np.abs(counted - np.bincount(table.labels) / 300).max() < 0.02


def test_the_seed_decides() -> None:
    table = table_of(60)

    def tested(seed: int) -> list[list[int]]:
        return [split.test.tolist() for split in splits_of(table, "5x2cv", seed)]

    assert tested(1) == tested(1)
    assert tested(1) != tested(2)
    assert len({tuple(rows) for rows in tested(1)}) == 10, "repetitions differ"


def test_holdout_tests_a_third() -> None:
    (split,) = splits_of(table_of(90), "holdout", 0)
    assert (len(split.train), len(split.test)) == (60, 30)


def test_too_few_rows_or_people() -> None:
    with pytest.raises(hr.BadInput, match="8 rows, too few for 5 parts"):
        splits_of(table_of(8), ("cv", 5), 0)
    with pytest.raises(hr.BadInput, match="3 people, too few for 2 parts"):
        splits_of(table_of(40, 3), "5x2cv", 0)


@pytest.mark.parametrize("given", ["10x2cv", ("cv", 1), ("cv", "2"), ("cv", True), ("holdout", 0), 5, None, ("cv",)])
def test_protocols_that_there_are_not(given: Any) -> None:
    with pytest.raises(hr.BadInput, match=r"'5x2cv', 'holdout', \('holdout', repetitions\) or \('cv', folds\)"):
        read_protocol(given)
