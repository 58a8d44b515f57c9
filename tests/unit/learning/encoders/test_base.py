"""What the encoders share: columns, hierarchies, names, outputs, kinds of tables, and what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from hedgerow import BadInput, Schema, anonymize
from hedgerow.hierarchies import intervals, read_arx
from hedgerow.learning.encoders import FillChildEncoder, FillParentEncoder, OneClassEncoder, ProportionalEncoder
from hedgerow.learning.encoders._representations import HierarchyEncoder

TOWNS = {"*": {"Germany": ["Bonn", "Köln"], "France": ["Lyon", "Nice"]}}
PEOPLE = pa.table(
    {
        "age": [21, 25, 34, 38],
        "town": ["Bonn", "Köln", "Lyon", "Nice"],
        "income": ["high", "low", "high", "low"],
    }
)
ENCODERS = [
    OneClassEncoder(),
    FillParentEncoder(),
    FillChildEncoder(),
    ProportionalEncoder(shares="uniform"),
]


@pytest.fixture(params=ENCODERS, ids=lambda encoder: type(encoder).__name__)
def encoder(request: pytest.FixtureRequest) -> HierarchyEncoder:
    """Each encoder, not fitted."""
    found: HierarchyEncoder = clone(request.param)
    return found


def rows(encoder: HierarchyEncoder, table: Any) -> list[dict[str, float]]:
    """The features of each row that are not 0."""
    names = encoder.get_feature_names_out().tolist()
    matrix = encoder.transform(table)
    return [{name: value for name, value in zip(names, row, strict=True) if value} for row in matrix.tolist()]


def test_every_kind_of_table(frame_type: Callable[[pa.Table], Any], encoder: HierarchyEncoder) -> None:
    encoder.set_params(hierarchies={"town": TOWNS})
    expected = clone(encoder).fit_transform(PEOPLE)
    assert encoder.fit_transform(frame_type(PEOPLE)).tolist() == expected.tolist()


def test_dataframes_come_out_on_request(encoder: HierarchyEncoder) -> None:
    table = PEOPLE.to_pandas().set_axis([7, 3, 5, 1])
    frame = encoder.set_output(transform="pandas").fit_transform(table)
    assert isinstance(frame, pd.DataFrame)
    assert frame.index.tolist() == [7, 3, 5, 1]
    assert "town=Bonn" in frame.columns
    assert isinstance(encoder.set_output(transform="polars").transform(table), pl.DataFrame)


def test_sparse_output_and_dtype(encoder: HierarchyEncoder) -> None:
    dense = encoder.set_params(dtype=np.float32).fit_transform(PEOPLE)
    sparse = encoder.set_params(sparse_output=True).transform(PEOPLE)
    assert isinstance(sparse, csr_array)
    assert sparse.format == "csr"
    assert dense.dtype == sparse.dtype == np.float32
    assert sparse.toarray().tolist() == dense.tolist()


def test_arrays(encoder: HierarchyEncoder) -> None:
    encoder.fit(np.array([["a", 1], ["b", 2]], dtype=object))
    assert encoder.get_feature_names_out()[:3].tolist() == ["x0=a", "x0=b", "x0=*"]
    assert encoder.get_feature_names_out(["town", "age"])[0] == "town=a"
    with pytest.raises(BadInput, match="input_features should have length equal"):
        encoder.get_feature_names_out(["town"])


def test_columns_that_are_not_encoded_pass_or_are_categories() -> None:
    table = PEOPLE.set_column(0, "age", pa.array([21, None, 34, 38]))
    encoder = FillParentEncoder(columns=["town"], hierarchies={"town": TOWNS}).fit(table)
    assert encoder.get_feature_names_out().tolist() == [
        "age",
        *(f"town={label}" for label in ["Bonn", "Köln", "Lyon", "Nice", "Germany", "France", "*"]),
        *(f"income={label}" for label in ["high", "low", "*"]),
    ]
    ages = encoder.transform(table)[:, 0]
    assert ages[[0, 2, 3]].tolist() == [21, 34, 38]
    assert np.isnan(ages[1])
    # A raw category is no published value.
    raw = FillParentEncoder(columns=[]).fit(pa.table({"town": ["*", "{a|b}"]}))
    assert raw.get_feature_names_out().tolist()[:1] == ["town={a|b}"]


def test_a_release_brings_its_quasi_identifiers_and_hierarchies() -> None:
    schema = Schema(quasi=["age", "town"], target="income", hierarchies={"town": TOWNS, "age": intervals([20, 30, 40])})
    release = anonymize(PEOPLE, schema, k=2, publish="label")
    encoder = FillParentEncoder().fit(release)
    assert encoder.get_feature_names_out().tolist() == [
        *(f"age={label}" for label in ["[20,30)", "[30,40]", "*"]),
        *(f"town={label}" for label in ["Bonn", "Köln", "Lyon", "Nice", "Germany", "France", "*"]),
    ]
    assert {tuple(row) for row in rows(encoder, release)} == {
        ("age=[20,30)", "age=*", "town=Germany", "town=*"),
        ("age=[30,40]", "age=*", "town=France", "town=*"),
    }
    raw = rows(encoder, PEOPLE.slice(0, 1))[0]
    assert list(raw) == ["age=[20,30)", "age=*", "town=Bonn", "town=Germany", "town=*"]


def test_numbers_by_mean_and_width(encoder: HierarchyEncoder) -> None:
    published = pa.table({"age": ["[20,30)", "40", "*"]})
    matrix = encoder.set_params(numbers="mean").fit_transform(published)
    assert encoder.get_feature_names_out().tolist() == ["age=mean", "age=width"]
    assert matrix.tolist() == [[25, 10], [40, 0], [32.5, 20]]


def test_the_ages_of_adult_are_nodes(encoder: HierarchyEncoder, data_folder: Path) -> None:
    file = data_folder / "adult" / "hierarchies" / "age.csv"
    lines = [line.split(";") for line in file.read_text(encoding="utf-8").splitlines()]
    encoder.set_params(numbers="nodes", hierarchies={"age": read_arx(file)}).fit(pa.table({"age": [17, 90, 39]}))
    names = encoder.get_feature_names_out().tolist()
    assert len(names) == 100 + 20 + 10 + 5 + 1
    assert names[:100] == [f"age={value}" for value, *_ in lines]
    assert set(names) == {f"age={label}" for line in lines for label in line}
    # Each value has a row of its own, whether it was in the table or not.
    matrix = encoder.transform(pa.table({"age": [int(value) for value, *_ in lines]}))
    assert np.array_equal(matrix[:, :100], np.eye(100))


def test_single_numbers_in_every_representation(encoder: HierarchyEncoder) -> None:
    ages = intervals([20, 30, 40])
    encoder.set_params(numbers="nodes", hierarchies={"age": ages}).fit(pa.table({"age": ["21", "25", "34", None]}))
    assert encoder.get_feature_names_out().tolist() == [
        f"age={label}" for label in ["21", "25", "34", "\\N", "[20,30)", "[30,40]", "*"]
    ]
    found = rows(encoder, pa.table({"age": ["25", None, "[20,30)", "{21|25}", "23", "99", "*"]}))
    assert found[0]["age=25"] == found[1]["age=\\N"] == 1
    assert "age=[20,30)" in found[2]
    assert found[2] == found[3] == found[4]
    assert found[5] == found[6]
    with pytest.raises(BadInput, match="'age' has 1 different value that its hierarchy does not know"):
        encoder.set_params(unknown="error").transform(pa.table({"age": ["23"]}))


def test_a_missing_value_is_a_leaf_below_the_root() -> None:
    encoder = FillParentEncoder(missing=("?",)).fit(pa.table({"town": ["Bonn", "?", None]}))
    assert rows(encoder, pa.table({"town": ["?"]})) == [{"town=\\N": 1, "town=*": 1}]


def test_columns_of_shares_are_no_features() -> None:
    table = pa.table({"sex": ["*", "F"], "sex=F": [0.5, 1.0], "sex=M": [0.5, 0.0]})
    encoder = OneClassEncoder().fit(table)
    assert encoder.get_feature_names_out().tolist() == ["sex=F", "sex=*"]
    assert encoder.transform(table.select(["sex"])).tolist() == encoder.transform(table).tolist()


def test_unseen_rows_are_found_by_name(encoder: HierarchyEncoder) -> None:
    encoder.fit(PEOPLE.select(["age", "town"]))
    turned = PEOPLE.select(["income", "town", "age"])
    assert encoder.transform(turned).tolist() == encoder.transform(PEOPLE).tolist()
    with pytest.raises(BadInput, match=r"lacks columns that .* was trained with: 'age'"):
        encoder.transform(PEOPLE.select(["town"]))


def test_pickle_and_clone(encoder: HierarchyEncoder) -> None:
    encoder.set_params(hierarchies={"town": TOWNS}).fit(PEOPLE)
    again = pickle.loads(pickle.dumps(encoder))
    assert again.transform(PEOPLE).tolist() == encoder.transform(PEOPLE).tolist()
    with pytest.raises(NotFittedError):
        clone(encoder).transform(PEOPLE)


def test_unknown_values(encoder: HierarchyEncoder) -> None:
    encoder.set_params(columns=["town"], hierarchies={"town": TOWNS}).fit(PEOPLE)
    strange, anything = pa.table({"town": ["Paris"]}), pa.table({"town": ["*"]})
    others = PEOPLE.slice(0, 1).drop(["town"])
    strange, anything = (others.append_column("town", table["town"]) for table in (strange, anything))
    assert encoder.transform(strange).tolist() == encoder.transform(anything).tolist()
    with pytest.raises(BadInput, match="'town' has 1 different value") as refused:
        encoder.set_params(unknown="error").transform(strange)
    assert "Paris" not in str(refused.value)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"columns": ["twon"]}, "There is no column 'twon'. Did you mean 'town'?"),
        ({"columns": "town"}, "'columns' parameter of .* must be None or a list of columns"),
        ({"hierarchies": {"twon": "flat"}}, "Did you mean 'town'.* A hierarchy is given for it."),
        ({"hierarchies": ["flat"]}, "'hierarchies' parameter"),
        (
            {"numbers": "median"},
            "'numbers' parameter of .* must be 'intervals' or 'nodes' or 'mean'. Got 'median' instead.",
        ),
        ({"unknown": "ignore"}, "'unknown' parameter"),
        ({"sparse_output": "yes"}, "'sparse_output' parameter"),
        ({"missing": "?"}, "'missing' parameter of .* must be a list of texts"),
        ({"dtype": int}, "'dtype' parameter"),
        ({"dtype": "numbers"}, "'dtype' parameter"),
    ],
)
def test_wrong_parameters(encoder: HierarchyEncoder, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        encoder.set_params(**parameters).fit(PEOPLE)


def test_input_features_of_a_dataframe_are_its_own(encoder: HierarchyEncoder) -> None:
    encoder.fit(PEOPLE)
    names = encoder.get_feature_names_out()
    assert encoder.get_feature_names_out(PEOPLE.column_names).tolist() == names.tolist()
    with pytest.raises(BadInput, match="input_features is not equal to feature_names_in_"):
        encoder.get_feature_names_out(["a", "b", "c"])
