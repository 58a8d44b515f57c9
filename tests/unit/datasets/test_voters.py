"""The synthetic voters: the shape of the paper's table, a party worth learning, types and seeds."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

import hedgerow as hr
from hedgerow.datasets import make_voters, voters_hierarchies, voters_schema
from hedgerow.datasets.voters import PARTIES, RACES
from hedgerow.errors import BadInput
from hedgerow.learning import FillParentEncoder

COLUMNS = ["zip", "gender", "race", "birth_year", "party"]
QUASI = COLUMNS[:-1]
# "k-anonymous data representation for neural networks", section IV-A.
NODES_OF_THE_PAPER = {"zip": 1165, "gender": 3, "race": 9, "birth_year": 106}


@pytest.fixture(scope="module")
def table() -> pa.Table:
    drawn: pa.Table = make_voters(random_state=11)
    return drawn


@pytest.fixture(scope="module")
def voters(table: pa.Table) -> dict[str, NDArray[Any]]:
    return {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}


@pytest.mark.parametrize("backend", ["pyarrow", "pandas", "polars"])
def test_the_type_and_dtypes_of_each_backend(backend: Any) -> None:
    frame = nw.from_native(make_voters(50, random_state=1, backend=backend), eager_only=True)
    assert frame.implementation.value == backend
    assert frame.columns == COLUMNS
    assert len(frame) == 50
    assert {name for name, dtype in frame.schema.items() if dtype == nw.Int64} == {"birth_year"}
    assert {name for name, dtype in frame.schema.items() if dtype == nw.String} == set(COLUMNS) - {"birth_year"}
    assert frame.to_arrow().to_pylist() == make_voters(50, random_state=1).to_pylist()


def test_one_seed_one_table() -> None:
    assert make_voters(300, random_state=3).equals(make_voters(300, random_state=3))
    assert not make_voters(300, random_state=3).equals(make_voters(300, random_state=4))
    assert not make_voters(300).equals(make_voters(300))
    rng = np.random.default_rng(3)
    assert make_voters(300, random_state=rng).equals(make_voters(300, random_state=3))
    assert not make_voters(300, random_state=rng).equals(make_voters(300, random_state=3))
    assert make_voters(1, random_state=0).num_rows == 1


def test_shape(voters: dict[str, NDArray[Any]]) -> None:
    assert len(voters["zip"]) == 30_162
    codes = set(voters["zip"])
    assert all(len(code) == 5 and code.isdecimal() and 320 <= int(code[:3]) <= 349 for code in codes)
    assert 980 <= len(codes) <= 1000
    assert {code[:3] for code in codes} == {str(prefix) for prefix in range(320, 350)}
    assert set(voters["gender"]) == {"Female", "Male"}
    assert set(voters["race"]) == set(RACES)
    assert len(RACES) == 8
    years = np.unique(voters["birth_year"])
    assert years[0] >= 1906
    assert years[-1] == 2005
    assert 95 <= len(years) <= 100
    assert set(voters["party"]) == set(PARTIES)
    assert len(PARTIES) == 10


@pytest.mark.parametrize("seed", range(3))
def test_hierarchies_have_about_as_many_nodes_as_those_of_the_paper(seed: int) -> None:
    quasi = make_voters(random_state=seed).select(QUASI)
    encoder = FillParentEncoder(numbers="nodes", hierarchies=voters_hierarchies()).fit(quasi)
    features = [name.partition("=")[0] for name in encoder.get_feature_names_out()]
    nodes = {name: features.count(name) for name in QUASI}
    assert nodes == pytest.approx(NODES_OF_THE_PAPER, rel=0.05)
    assert nodes["gender"] == NODES_OF_THE_PAPER["gender"]
    assert nodes["race"] == NODES_OF_THE_PAPER["race"]


def share(condition: NDArray[np.bool_]) -> float:
    return float(np.mean(condition))


def test_the_party_depends_on_place_race_and_age(voters: dict[str, NDArray[Any]]) -> None:
    party, year = voters["party"], voters["birth_year"]
    counts = {name: share(party == name) for name in PARTIES}
    assert max(counts, key=lambda name: counts[name]) == "Amber"
    assert 0.36 < counts["Amber"] < 0.42
    assert min(counts.values()) > 0.002
    prefix = np.array([int(code[:3]) for code in voters["zip"]])
    assert share(party[prefix < 326] == "Amber") > share(party[(prefix >= 332) & (prefix < 338)] == "Amber") + 0.2
    assert share(party[voters["race"] == "Black"] == "Teal") > share(party[voters["race"] == "White"] == "Teal") + 0.3
    assert share(party[year > 1990] == "Unaffiliated") > share(party[year < 1960] == "Unaffiliated") + 0.15
    assert share(voters["race"][prefix >= 344] == "White") > share(voters["race"][prefix < 344] == "White") + 0.1
    assert year[prefix >= 344].mean() < year[prefix < 344].mean() - 2


def test_the_party_can_be_learnt_but_not_surely(voters: dict[str, NDArray[Any]]) -> None:
    voters = {name: values[:12_000] for name, values in voters.items()}
    codes = [np.unique(voters[name].astype(str), return_inverse=True)[1] for name in QUASI]
    features, party = np.stack(codes, axis=1).astype(np.float64), voters["party"].astype(str)
    learn = np.arange(len(party)) % 3 > 0
    learner = HistGradientBoostingClassifier(max_iter=30, max_leaf_nodes=8, early_stopping=False, random_state=0)
    # Threads that wait for each other on a busy machine take a minute instead of a second.
    with threadpool_limits(1):
        right = learner.fit(features[learn], party[learn]).score(features[~learn], party[~learn])
    majority = share(party[~learn] == "Amber")
    assert majority + 0.10 < right < 0.65


def test_one_line_makes_a_schema_and_a_release(table: pa.Table) -> None:
    schema = hr.Schema(quasi=QUASI, target="party", hierarchies=voters_hierarchies())
    assert voters_schema() == schema
    release = hr.anonymize(table, schema, method="mondrian", k=10, random_state=0)
    assert release.audit.k >= 10
    assert release.table.num_rows == table.num_rows
    assert sorted(release.table["party"].to_pylist()) == sorted(table["party"].to_pylist())


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n": 0}, "The 'n' parameter of make_voters must be an int >= 1. Got 0 instead."),
        ({"random_state": -1}, "'random_state' parameter of make_voters must be None, a numpy Generator or an int"),
        ({"backend": "spark"}, "'backend' parameter of make_voters must be 'pyarrow', 'pandas' or 'polars'"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        make_voters(**parameters)
