"""How rows are written for a learner: each way is what its name says, and none mixes with another."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.evaluation.tables import EvaluatedTable, open_table
from hedgerow.evaluation.ways import RAW, Way
from hedgerow.learning import FillParentEncoder, OneClassEncoder, ProportionalEncoder, redraw

ROWS = 60
PEOPLE = pa.table(
    {
        "age": [20 + at % 13 for at in range(ROWS)],
        "town": [f"t{at % 7}" for at in range(ROWS)],
        "hours": [at % 5 for at in range(ROWS)],
        "ill": ["y" if at % 3 else "n" for at in range(ROWS)],
    }
)
SCHEMA = hr.Schema(quasi=["age", "town"], insensitive=["hours"], target="ill")
TESTS = pa.table({"age": [22, 31], "town": ["t1", "t6"], "hours": [1, 2], "ill": ["y", "n"]})


@pytest.fixture
def table() -> EvaluatedTable:
    return open_table(PEOPLE, SCHEMA)


@pytest.fixture
def release(table: EvaluatedTable) -> hr.Release:
    return hr.anonymize(table.table, SCHEMA, k=5, publish_proportions=True)


def test_published_rows_are_those_of_the_release(release: hr.Release, table: EvaluatedTable) -> None:
    written = Way("published", "raw").write(release, table, 1)
    assert written.features.equals(release.table.select(["age", "town", "hours"]))
    assert written.target is not None
    assert written.target.equals(release.table.column("ill"))
    assert written.test(TESTS).equals(TESTS.select(["age", "town", "hours"]))


def test_recoded_rows_are_those_of_the_recoding(release: hr.Release, table: EvaluatedTable) -> None:
    written = Way("published", "recoded").write(release, table, 1)
    expected = release.recoding.transform(TESTS.select(["age", "town", "hours"]))
    assert written.test(TESTS).equals(expected)
    assert not written.test(TESTS).equals(TESTS.select(["age", "town", "hours"]))


def test_redrawn_rows_are_original_values(release: hr.Release, table: EvaluatedTable) -> None:
    written = Way("redrawn", "raw").write(release, table, 1)
    expected = redraw(release, random_state=1)
    assert written.features.equals(expected.select(["age", "town", "hours"]))
    assert set(written.features.column("town").to_pylist()) <= set(PEOPLE.column("town").to_pylist())
    assert not written.features.equals(Way("redrawn", "raw").write(release, table, 2).features)


@pytest.mark.parametrize("encoder", [OneClassEncoder(), FillParentEncoder(), ProportionalEncoder()])
@pytest.mark.parametrize("test", ["raw", "recoded"])
def test_features_of_an_encoder(encoder: Any, test: str, release: hr.Release, table: EvaluatedTable) -> None:
    written = Way(encoder, test).write(release, table, 1)
    fitted = type(encoder)().fit(release)
    assert written.features.column_names == list(fitted.get_feature_names_out())
    assert written.features.num_rows == ROWS
    rows = TESTS.select(["age", "town", "hours"])
    expected = fitted.transform(rows if test == "raw" else release.recoding.transform(rows))
    assert [list(row.values()) for row in written.test(TESTS).to_pylist()] == expected.tolist()
    assert not hasattr(encoder, "columns_"), "the encoder that was given is not fitted"


def test_another_encoder_for_test_rows(release: hr.Release, table: EvaluatedTable) -> None:
    written = Way(FillParentEncoder(), OneClassEncoder()).write(release, table, 1)
    rows = release.recoding.transform(TESTS.select(["age", "town", "hours"]))
    expected = OneClassEncoder().fit(release).transform(rows)
    assert [list(row.values()) for row in written.test(TESTS).to_pylist()] == expected.tolist()


def test_names_and_spellings_tell_ways_apart() -> None:
    ways = [Way("published", "raw"), Way("published", "recoded"), Way("redrawn", "raw"), RAW, Way(OneClassEncoder())]
    assert len({way.names for way in ways}) == len(ways)
    assert Way(OneClassEncoder()).spelled() != Way(OneClassEncoder(numbers="mean")).spelled()
    assert Way(ProportionalEncoder()).needs_proportions
    assert Way().needs_proportions
    assert not Way("published", "raw").needs_proportions
    assert not Way(OneClassEncoder()).needs_proportions


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        ("raw", "recoded", "'train' parameter"),
        ("drawn", "raw", "'published', 'redrawn' or an encoder"),
        ("published", "published", "'raw', 'recoded' or an encoder"),
        (OneClassEncoder, "raw", "'published', 'redrawn' or an encoder"),
        ("published", OneClassEncoder(), "training rows are not"),
    ],
)
def test_ways_that_there_are_not(train: Any, test: Any, message: str) -> None:
    with pytest.raises(hr.BadInput, match=message):
        Way(train, test)
