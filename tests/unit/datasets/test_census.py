"""The synthetic census: shares, dependencies, a class worth learning, types and seeds."""

from __future__ import annotations

import importlib
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from hedgerow.datasets import census_hierarchies, census_schema, make_census
from hedgerow.datasets._census import EDUCATIONS
from hedgerow.datasets._sampling import DISEASES
from hedgerow.errors import BadInput, MissingExtra

COLUMNS = [
    "name",
    "age",
    "sex",
    "zip",
    "birthplace",
    "education",
    "marital-status",
    "workclass",
    "occupation",
    "hours-per-week",
    "disease",
    "income",
]


@pytest.fixture(scope="module")
def people() -> dict[str, NDArray[Any]]:
    table = make_census(20_000, random_state=11)
    return {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}


def share(condition: NDArray[np.bool_]) -> float:
    return float(np.mean(condition))


@pytest.mark.parametrize("backend", ["pyarrow", "pandas", "polars"])
def test_the_type_and_dtypes_of_each_backend(backend: Any) -> None:
    frame = nw.from_native(make_census(50, random_state=1, backend=backend), eager_only=True)
    assert frame.implementation.value == backend
    assert frame.columns == COLUMNS
    assert len(frame) == 50
    numbers = {name for name, dtype in frame.schema.items() if dtype == nw.Int64}
    assert numbers == {"age", "hours-per-week"}
    assert all(dtype == nw.String for name, dtype in frame.schema.items() if name not in numbers)
    assert sum(frame[name].null_count() for name in frame.columns) == 0


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_backends_hold_the_same_people(backend: Any) -> None:
    other = nw.from_native(make_census(200, random_state=5, backend=backend), eager_only=True)
    assert other.to_arrow().to_pylist() == make_census(200, random_state=5).to_pylist()


def test_one_seed_one_table() -> None:
    assert make_census(300, random_state=3).equals(make_census(300, random_state=3))
    assert not make_census(300, random_state=3).equals(make_census(300, random_state=4))
    assert not make_census(300).equals(make_census(300))
    rng = np.random.default_rng(3)
    assert make_census(300, random_state=rng).equals(make_census(300, random_state=3))
    assert not make_census(300, random_state=rng).equals(make_census(300, random_state=3))


def test_one_person_is_enough() -> None:
    assert make_census(1, random_state=0).num_rows == 1


def test_shares_look_like_a_country(people: dict[str, NDArray[Any]]) -> None:
    assert people["age"].min() == 17
    assert people["age"].max() == 90
    assert 40 < people["age"].mean() < 50
    assert 0.45 < share(people["sex"] == "Female") < 0.55
    assert 0.20 < share(people["income"] == ">50K") < 0.32
    assert 0.75 < share(people["birthplace"] == "United States") < 0.92
    assert 0.25 < share(people["education"] == "High school") < 0.40
    assert 0.3 < share(people["hours-per-week"] == 40) < 0.5
    assert people["hours-per-week"].max() <= 90
    assert set(people["disease"]) == set(DISEASES)
    assert set(people["education"]) == set(EDUCATIONS)


def test_zip_codes_are_text_and_some_begin_with_zero(people: dict[str, NDArray[Any]]) -> None:
    assert {len(code) for code in people["zip"]} == {5}
    assert all(code.isdigit() for code in people["zip"])
    assert 0.15 < share(np.char.startswith(people["zip"].astype(str), "0")) < 0.30
    assert 300 < len(set(people["zip"])) < 1500


def test_names_identify(people: dict[str, NDArray[Any]]) -> None:
    assert len(set(people["name"])) > 0.99 * len(people["name"])
    assert all(len(name.split()) == 2 and name.istitle() for name in people["name"][:100])


def test_columns_depend_on_each_other(people: dict[str, NDArray[Any]]) -> None:
    age, sex, rich = people["age"], people["sex"], people["income"] == ">50K"
    degree = np.isin(people["education"], ["Bachelor", "Master", "Professional", "Doctorate"])
    status, work = people["marital-status"], people["occupation"]
    assert share(rich[degree]) > share(rich[~degree]) + 0.2
    assert share(rich[status == "Married"]) > share(rich[status != "Married"]) + 0.2
    assert share(status[age < 22] == "Never married") > 0.8
    assert share(status[age > 80] == "Widowed") > share(status[age < 60] == "Widowed") + 0.2
    assert not degree[age < 22].any()
    assert share(work[degree] == "Professional") > 3 * share(work[~degree] == "Professional")
    assert share(work[sex == "Female"] == "Clerical") > 2 * share(work[sex == "Male"] == "Clerical")
    assert age[people["disease"] == "Heart disease"].mean() > age[people["disease"] == "Migraine"].mean() + 10
    city = np.array([int(code[1:3]) < 4 for code in people["zip"]])
    foreign = people["birthplace"] != "United States"
    assert share(foreign[city]) > 2 * share(foreign[~city])


def test_who_does_not_work_has_no_hours_and_no_trade(people: dict[str, NDArray[Any]]) -> None:
    idle = people["workclass"] == "Not employed"
    assert ((people["hours-per-week"] == 0) == idle).all()
    assert (np.isin(people["occupation"], ["Student", "Homemaker or seeking", "Retired"]) == idle).all()
    assert people["age"][people["occupation"] == "Retired"].min() >= 62
    assert people["age"][people["occupation"] == "Student"].max() < 25


def test_the_class_can_be_learnt_but_not_perfectly() -> None:
    """Naive Bayes by hand: log-odds of each column's value, learnt on one half and tried on the other."""
    table = make_census(20_000, random_state=2)
    rich = np.array(table["income"].to_pylist()) == ">50K"
    learn = np.arange(len(rich)) % 2 == 0
    odds = np.zeros(len(rich))
    for name in ["age", "sex", "education", "marital-status", "occupation", "hours-per-week"]:
        values = table[name].to_numpy(zero_copy_only=False)
        _, codes = np.unique(
            values // 10 if name in ("age", "hours-per-week") else values.astype(str), return_inverse=True
        )
        yes = np.bincount(codes[learn & rich], minlength=codes.max() + 1) + 1.0
        no = np.bincount(codes[learn & ~rich], minlength=codes.max() + 1) + 1.0
        odds += np.log(yes / yes.sum() / (no / no.sum()))[codes]
    ranks = np.empty((~learn).sum())
    ranks[np.argsort(odds[~learn], kind="stable")] = np.arange(len(ranks))
    positive = rich[~learn]
    above = ranks[positive].mean() - (positive.sum() - 1) / 2
    area_under_curve = above / (~positive).sum()
    assert 0.82 < area_under_curve < 0.97


def test_the_schema_gives_every_column_a_role() -> None:
    roles = census_schema().resolve(COLUMNS)
    assert roles.dropped == ("name",)
    assert roles.sensitive == ("disease",)
    assert roles.target == "income"
    assert roles.insensitive == ("hours-per-week",)
    assert len(roles.quasi) == 8


def leaves(nested: Any) -> list[str]:
    return [leaf for child in nested.values() for leaf in leaves(child)] if isinstance(nested, dict) else list(nested)


@pytest.mark.parametrize("column", ["birthplace", "education", "marital-status", "workclass", "occupation", "disease"])
def test_taxonomies_name_each_value_once(column: str, people: dict[str, NDArray[Any]]) -> None:
    named = leaves(census_hierarchies()[column])
    assert len(named) == len(set(named))
    assert set(people[column]) == set(named)


def test_hierarchies_cover_the_table() -> None:
    from hedgerow.hierarchies import hierarchy_of
    from hedgerow.io.domains import Domain

    table = make_census(2_000, random_state=0)
    for column, given in census_hierarchies().items():
        values = sorted(set(table[column].to_pylist()))
        is_number = pa.types.is_integer(table.schema.field(column).type)
        domain = Domain(
            column,
            "number" if is_number else "text",
            np.array([str(value) for value in values]),
            np.array(values, dtype=float) if is_number else None,
        )
        assert hierarchy_of(given, column).encode(domain).root >= 0


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n": 0}, "The 'n' parameter of make_census must be an int >= 1. Got 0 instead."),
        ({"n": 10.5}, "'n' parameter of make_census must be an int >= 1"),
        ({"n": True}, "'n' parameter of make_census must be an int >= 1"),
        (
            {"random_state": -1},
            "'random_state' parameter of make_census must be None, a numpy Generator or an int",
        ),
        (
            {"random_state": "x"},
            "'random_state' parameter of make_census must be None, a numpy Generator or an int",
        ),
        ({"backend": "dask"}, "'backend' parameter of make_census must be 'pyarrow', 'pandas' or 'polars'"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        make_census(**parameters)
    assert sentence in str(caught.value)


def test_a_backend_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(MissingExtra, match=r"needs polars, which is not installed\. Type: pip install polars"):
        make_census(10, backend="polars")
