"""proportional: a cell is the share of its people at every node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from hedgerow import BadInput, KActus, Mondrian, Release, Schema, anonymize
from hedgerow.core.proportions import Proportions
from hedgerow.datasets import make_census
from hedgerow.hierarchies import intervals
from hedgerow.learning.encoders import FillParentEncoder, ProportionalEncoder

PEOPLE = pa.table(
    {
        "age": [21, 25, 25, 34, 38, 38],
        "town": ["Bonn", "Bonn", "Köln", "Lyon", "Nice", "Nice"],
        "income": ["high", "low", "low", "high", "low", "low"],
    }
)
HIERARCHIES = {
    "age": intervals([20, 24, 30, 40], levels=[[20, 30, 40]]),
    "town": {"*": {"Germany": ["Bonn", "Köln"], "France": ["Lyon", "Nice"]}},
}
SCHEMA = Schema(quasi=["age", "town"], target="income", hierarchies=HIERARCHIES)
GERMANS = {
    "age=[20,24)": 1 / 3,
    "age=[24,30)": 2 / 3,
    "age=[20,30)": 1,
    "age=*": 1,
    "town=Bonn": 2 / 3,
    "town=Köln": 1 / 3,
    "town=Germany": 1,
    "town=*": 1,
}


@pytest.fixture
def release() -> Release:
    return anonymize(PEOPLE, SCHEMA, k=3, publish_proportions=True, min_support=1)


def rows(encoder: ProportionalEncoder, table: Any) -> list[dict[str, float]]:
    names = encoder.get_feature_names_out().tolist()
    matrix = encoder.transform(table)
    return [{name: value for name, value in zip(names, row, strict=True) if value} for row in matrix.tolist()]


def test_a_row_has_the_shares_of_its_class(release: Release) -> None:
    found = rows(ProportionalEncoder().fit(release), release)
    assert sum(row == pytest.approx(GERMANS) for row in found) == 3


def test_proportions_of_a_table_read_from_a_file(release: Release, tmp_path: Path) -> None:
    saved = release.save(tmp_path / "out.csv")
    proportions = Proportions.load(saved.with_name("out.csv.proportions.json"))
    table = pd.read_csv(saved).drop(columns="income")
    found = rows(ProportionalEncoder(proportions=proportions, hierarchies=HIERARCHIES).fit(table), table)
    assert sum(row == pytest.approx(GERMANS) for row in found) == 3


def test_raw_rows_have_the_features_of_fill_parent(release: Release) -> None:
    raw = PEOPLE.drop(["income"])
    by_shares = ProportionalEncoder().fit(release)
    by_parents = FillParentEncoder().fit(release)
    assert by_shares.get_feature_names_out().tolist() == by_parents.get_feature_names_out().tolist()
    assert by_shares.transform(raw).tolist() == by_parents.transform(raw).tolist()


def test_recoded_rows_have_the_class_they_were_sent_to(release: Release) -> None:
    recoded = release.recoding.transform(PEOPLE.slice(0, 1).drop(["income"]))
    assert rows(ProportionalEncoder().fit(release), recoded) == [pytest.approx(GERMANS)]


def test_another_release_brings_its_own_proportions(release: Release) -> None:
    encoder = ProportionalEncoder().fit(release)
    other = anonymize(PEOPLE.slice(0, 3), SCHEMA, k=3, publish_proportions=True, min_support=1)
    changed = anonymize(PEOPLE.take([0, 0, 0, 2]), SCHEMA, k=4, publish_proportions=True, min_support=1)
    assert rows(encoder, other) == [pytest.approx(GERMANS)] * 3
    assert rows(encoder, changed)[0]["town=Bonn"] == 0.75


def test_generalized_cells_without_a_class_are_shared_equally(release: Release) -> None:
    encoder = ProportionalEncoder().fit(release)
    unknown = pa.table({"age": ["{21|34}"], "town": ["Germany"]})
    assert rows(encoder, unknown)[0] == pytest.approx(
        {
            "age=[20,24)": 0.5,
            "age=[20,30)": 0.5,
            "age=[30,40]": 0.5,
            "age=*": 1,
            "town=Bonn": 0.5,
            "town=Köln": 0.5,
            "town=Germany": 1,
            "town=*": 1,
        }
    )


def test_columns_of_shares_are_read() -> None:
    anonymizer = Mondrian(k=3, publish_proportions=True, min_support=1, schema=Schema(hierarchies=HIERARCHIES))
    X, _ = anonymizer.fit_resample(PEOPLE.drop(["income"]), PEOPLE["income"])
    encoder = ProportionalEncoder(hierarchies=HIERARCHIES).fit(X)
    assert sum(row == pytest.approx(GERMANS) for row in rows(encoder, X)) == 3
    # Raw rows do not have these columns.
    (raw,) = rows(encoder, PEOPLE.slice(0, 1).select(["age", "town"]))
    assert raw == dict.fromkeys(["age=[20,24)", "age=[20,30)", "age=*", "town=Bonn", "town=Germany", "town=*"], 1)


def test_a_row_without_shares_is_read_from_its_cells() -> None:
    table = pa.table({"sex": ["*", "*", "F"], "sex=F": [0.25, None, 1.0], "sex=M": [0.75, None, 0.0]})
    encoder = ProportionalEncoder().fit(table)
    assert encoder.get_feature_names_out().tolist() == ["sex=F", "sex=M", "sex=*"]
    assert encoder.transform(table).tolist() == [[0.25, 0.75, 1], [0.5, 0.5, 1], [1, 0, 1]]


def test_single_numbers_have_the_shares_of_their_class(release: Release) -> None:
    encoder = ProportionalEncoder(numbers="nodes").fit(release)
    by_number = GERMANS | {"age=21": 1 / 3, "age=25": 2 / 3}
    assert sum(row == pytest.approx(by_number) for row in rows(encoder, release)) == 3
    raw = PEOPLE.drop(["income"])
    by_parents = FillParentEncoder(numbers="nodes", hierarchies=HIERARCHIES).fit(raw)
    assert encoder.get_feature_names_out().tolist() == by_parents.get_feature_names_out().tolist()
    assert encoder.transform(raw).tolist() == by_parents.transform(raw).tolist()
    unknown = pa.table({"age": ["{21|34}", "[20,30)", "22", "*"], "town": ["Bonn"] * 4})
    ages = [
        {name: share for name, share in row.items() if name[4:].isdecimal()}
        for row in rows(
            ProportionalEncoder(numbers="nodes", shares="uniform", hierarchies=HIERARCHIES).fit(raw), unknown
        )
    ]
    assert ages == [
        {"age=21": 0.5, "age=34": 0.5},
        {"age=21": 0.5, "age=25": 0.5},
        {"age=21": 1},  # not known: it is in [20,24), of which 21 is all that is known
        dict.fromkeys(["age=21", "age=25", "age=34", "age=38"], 0.25),
    ]


def test_columns_of_shares_are_divided_among_single_numbers() -> None:
    table = pa.table({"age": ["[20,40]", "25", "27"], "age=[20,30)": [0.5, 1, 1], "age=[30,40]": [0.5, 0, 0]})
    (shared, stated, *_) = rows(ProportionalEncoder(numbers="nodes").fit(table), table)
    assert shared == {"age=25": 0.25, "age=27": 0.25, "age=[20,30)": 0.5, "age=[30,40]": 0.5, "age=*": 1}
    # The shares speak of intervals, whatever the cell says.
    assert stated == {"age=25": 0.5, "age=27": 0.5, "age=[20,30)": 1, "age=*": 1}


def test_the_mean_of_a_class_is_its_own(release: Release) -> None:
    encoder = ProportionalEncoder(numbers="mean", columns=["age"]).fit(release)
    pairs = {tuple(round(value, 6) for value in row) for row in encoder.transform(release)[:, :2].tolist()}
    assert pairs == {(round(71 / 3, 6), 4.0), (round(110 / 3, 6), 4.0)}
    assert encoder.transform(PEOPLE.slice(0, 1))[0, :2].tolist() == [21, 0]


def test_the_mean_from_columns_of_shares_is_that_of_their_middles() -> None:
    table = pa.table({"age": ["[20,40]", "25"], "age=[20,30)": [0.25, 1.0], "age=[30,40]": [0.75, 0.0]})
    matrix = ProportionalEncoder(numbers="mean").fit_transform(table)
    assert matrix.tolist() == [[0.25 * 25 + 0.75 * 35, 20], [25, 0]]


def test_means_that_are_published_are_shared_by_the_class() -> None:
    release = KActus(k=3, publish_proportions=True, min_support=1).anonymize(PEOPLE, SCHEMA, random_state=0)
    encoder = ProportionalEncoder().fit(release)
    matrix = encoder.transform(release)
    names = encoder.get_feature_names_out().tolist()
    leaves = [names.index(f"age={label}") for label in ["[20,24)", "[24,30)", "[30,40]"]]
    assert matrix[:, leaves].sum(axis=1) == pytest.approx(1)
    assert matrix[:, leaves].sum(axis=0) == pytest.approx([1, 2, 3])


def test_a_published_mean_is_exact() -> None:
    table = pa.table({"age": [*range(20, 30), *range(60, 70)], "income": ["low"] * 10 + ["high"] * 10})
    schema = Schema(quasi=["age"], target="income")
    release = KActus(k=5, numbers="mean", publish_proportions=True, min_support=1).anonymize(
        table, schema, random_state=0
    )
    matrix = ProportionalEncoder(numbers="mean").fit_transform(release)
    ages = release.table["age"].to_pylist()
    assert set(ages) == {24.5, 64.5}
    assert matrix.tolist() == [[age, 0] for age in ages]


def test_shares_by_frequency() -> None:
    table = pa.table({"sex": ["F", "F", "F", "M", "{F|M}", "*"]})
    matrix = ProportionalEncoder(shares="frequency").fit_transform(table)
    assert matrix[4:].tolist() == [[0.75, 0.25, 1]] * 2


def test_proportions_asked_where_there_are_none() -> None:
    with pytest.raises(BadInput, match=r"The release has no proportions .* publish_proportions=True"):
        ProportionalEncoder().fit(anonymize(PEOPLE, SCHEMA, k=3))
    with pytest.raises(
        BadInput, match=r"The column 'sex' of the table has .* Give them as proportions=release.proportions"
    ):
        ProportionalEncoder().fit(pa.table({"sex": ["F", "*"]}))
    # Raw cells need none.
    assert ProportionalEncoder().fit_transform(pa.table({"sex": ["F", "M"]})).tolist() == [[1, 0, 1], [0, 1, 1]]


def test_proportions_are_left_aside_by_choice(release: Release) -> None:
    encoder = ProportionalEncoder(shares="uniform").fit(release)
    table = pa.table({"age": ["*"], "town": ["Germany"]})
    assert rows(encoder, table)[0]["town=Bonn"] == 0.5
    assert encoder.proportions_ is None
    assert not any(row == pytest.approx(GERMANS) for row in rows(encoder, release))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"shares": "equal"}, "'shares' parameter"), ({"proportions": {}}, "'proportions' parameter .* Got 'dict'")],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        ProportionalEncoder(**parameters).fit(PEOPLE)


def test_sparse_and_dense_agree(release: Release) -> None:
    dense = ProportionalEncoder().fit_transform(release)
    sparse = ProportionalEncoder(sparse_output=True).fit_transform(release)
    assert np.array_equal(sparse.toarray(), dense)


@pytest.mark.parametrize("seed", range(3))
def test_proportional_features_of_intervals_that_reach_beyond_their_parts(seed: int) -> None:
    """An interval of a class begins and ends with its own people, its parts where pools do."""
    people = make_census(1_500, random_state=seed, backend="pandas")
    step = Mondrian(k=10, publish_proportions=True, random_state=0)
    X, y = step.fit_resample(people[["age", "sex", "hours-per-week"]], people["income"])
    features = ProportionalEncoder().fit(X, y).transform(X)
    assert features.shape[0] == len(people)
