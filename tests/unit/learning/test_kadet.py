"""kADET as a scikit-learn classifier: every kind of dataframe, values never seen, and what is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import hedgerow as hr
from hedgerow import BadInput
from hedgerow.learning import KADETClassifier

TOWNS = {"*": {"Germany": ["Bonn", "Köln", "Ulm"], "France": ["Lyon", "Nice", "Paris"]}}
PEOPLE = pa.table(
    {
        "town": ["Bonn", "Köln", "Köln", "Lyon", "Nice", "Nice", None, None],
        "age": [20, 30, 40, 50, 20, 30, 40, 50],
    }
)
DRINKS = ["beer"] * 3 + ["wine"] * 3 + ["tea"] * 2


def fitted(k: int = 2, table: Any = PEOPLE, y: Any = DRINKS, **parameters: Any) -> KADETClassifier:
    return KADETClassifier(k=k, **{"hierarchies": {"town": TOWNS}, "pruned": False, **parameters}).fit(table, y)


def test_every_kind_of_table_gives_the_same_tree(frame_type: Any) -> None:
    model = fitted(table=frame_type(PEOPLE))
    assert model.export_text() == "town = Germany: beer (3)\ntown = France: wine (3)\ntown is missing: tea (2)"
    assert (model.n_leaves_, model.tree_size_, model.n_features_in_) == (3, 4, 2)
    assert model.feature_names_in_.tolist() == ["town", "age"]
    assert model.classes_.tolist() == ["beer", "tea", "wine"]
    assert model.spans_.tolist() == [2, 3, 3]
    assert model.predict(frame_type(PEOPLE)).tolist() == DRINKS


def test_it_is_part_of_the_public_face() -> None:
    assert hr.learning.KADETClassifier is KADETClassifier


def test_probabilities_are_those_of_the_leaf() -> None:
    table = pa.table({"x": [1, 1, 1, 2, 2, 2]})
    model = KADETClassifier(k=3, pruned=False).fit(table, ["a", "a", "b", "b", "b", "b"])
    assert model.predict_proba(table) == pytest.approx(np.array([[2 / 3, 1 / 3]] * 3 + [[0, 1]] * 3))


def test_arrays_are_known_by_position() -> None:
    numbers = np.array([[1, 3], [2, 3], [7, 3], [8, 3]])
    model = KADETClassifier(k=2, public=["x0"], pruned=False).fit(numbers, list("aabb"))
    assert model.export_text() == "x0 <= 2: a (2)\nx0 > 2: b (2)"
    assert model.predict([[9, 3], [0, 3]]).tolist() == ["b", "a"]


def test_a_release_is_learnt_without_its_target_and_with_its_classes() -> None:
    table = PEOPLE.append_column("drink", pa.array(DRINKS))
    schema = hr.Schema(quasi=["town", "age"], target="drink")
    release = hr.anonymize(table, schema, method="mondrian", k=1, random_state=0)
    model = fitted(table=release, y=None)
    assert model.feature_names_in_.tolist() == ["town", "age"]
    assert model.classes_.tolist() == ["beer", "tea", "wine"]


# Values that were not there


def test_a_value_that_only_the_hierarchy_knows_goes_with_its_nearest_node() -> None:
    new = pa.table({"age": [1, 1, 1, 1], "note": list("abcd"), "town": ["Paris", "Ulm", None, "Oslo"]})
    model = fitted()
    assert model.predict(new).tolist()[:3] == ["wine", "beer", "tea"]
    # Nothing is known of the last one: the classes of the node that asks answer.
    assert model.predict_proba(new)[3].tolist() == pytest.approx([3 / 8, 2 / 8, 3 / 8])


def test_a_value_without_a_branch_of_its_own_is_answered_by_the_node() -> None:
    """With k = 1 the tree asks for towns, and no branch is for Paris."""
    model = fitted(k=1)
    assert model.n_leaves_ == 5
    assert model.predict_proba(pa.table({"town": ["Paris"], "age": [1]}))[0].tolist() == pytest.approx(
        [3 / 8, 1 / 4, 3 / 8]
    )


def test_a_missing_value_where_none_was_known_is_answered_by_the_node() -> None:
    for column in ({"x": [1, 1, 2, 2]}, {"x": list("ccdd")}):
        model = KADETClassifier(k=2, pruned=False).fit(pa.table(column), list("aabb"))
        assert model.n_leaves_ == 2
        assert model.predict_proba(pa.table({"x": pa.nulls(1)})).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("hierarchy", "values", "new", "expected"),
    [
        (hr.hierarchies.intervals(width=10), [11, 12, 21, 22], [15, 29, 20, 30, 99], ["a", "b", "b", "b", None]),
        ({"*": {"low": [11, 12, 13], "high": [21, 22]}}, [11, 12, 21, 22], [13, 14], ["a", None]),
        ("masking", ["011", "012", "021", "022"], ["019", "020", "031"], ["a", "b", None]),
        ("masking", ["011", "012", "021", "022"], ["0199"], [None]),
    ],
)
def test_unseen_values_of_every_kind_of_hierarchy(
    hierarchy: Any, values: list[Any], new: list[Any], expected: list[str | None]
) -> None:
    model = KADETClassifier(k=2, hierarchies={"x": hierarchy}, pruned=False).fit(pa.table({"x": values}), list("aabb"))
    assert model.n_leaves_ == 2
    named = [None if share[0] == 0.5 else "ab"[share.argmax()] for share in model.predict_proba(pa.table({"x": new}))]
    assert named == expected


def test_numbers_between_and_beyond_the_known_ones() -> None:
    model = KADETClassifier(k=2, pruned=False).fit(pa.table({"x": [1, 2, 3, 4, None, None]}), list("aabbcc"))
    new = pa.table({"x": [-5.0, 2.0, 2.5, 99.0, None]})
    assert model.predict(new).tolist() == list("aabbc")


# Public and private columns


def test_columns_that_are_not_public_are_private() -> None:
    """Sex tells everything, but with only two of each it may be asked only where it is private."""
    table = pa.table({"sex": list("FFMM"), "town": ["Bonn"] * 4})
    assert fitted(3, table, list("aabb")).n_leaves_ == 1
    model = fitted(3, table, list("aabb"), public=["town"])
    assert model.n_leaves_ == 2
    assert model.spans_.tolist() == [4]


def test_the_hierarchy_of_a_private_column_is_not_used() -> None:
    table = pa.table({"sex": list("FFMM"), "town": ["Bonn", "Köln", "Lyon", "Nice"]})
    assert fitted(4, table, list("abcd"), public=["sex"]).export_text().startswith("town = Bonn: a (1)")


# Weights, order, scikit-learn


def test_a_weight_of_two_is_a_row_twice_and_of_zero_no_row() -> None:
    times = np.array([2, 0, 3, 1, 2, 1, 0, 0])
    weighted = KADETClassifier(k=3, hierarchies={"town": TOWNS}).fit(PEOPLE, DRINKS, sample_weight=times)
    repeated = np.repeat(np.arange(8), times)
    unrolled = KADETClassifier(k=3, hierarchies={"town": TOWNS}).fit(PEOPLE.take(repeated), np.array(DRINKS)[repeated])
    assert weighted.export_text() == unrolled.export_text()
    assert weighted.spans_.tolist() == unrolled.spans_.tolist()
    assert weighted.classes_.tolist() == ["beer", "wine"]


def random_table(rows: int) -> tuple[pd.DataFrame, Any]:
    generator = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": generator.integers(17, 90, rows),
            "work": np.array(["farm", "office", "shop", None])[generator.choice(4, rows, p=[0.3, 0.4, 0.2, 0.1])],
            "hours": np.where(generator.random(rows) < 0.1, np.nan, generator.integers(10, 60, rows)),
        }
    )
    rich = (frame["age"] > 40) & (frame["work"] != "farm") | (generator.random(rows) < 0.1)
    return frame, np.where(rich, "rich", "poor")


def test_the_order_of_rows_does_not_matter() -> None:
    frame, y = random_table(400)
    order = np.random.default_rng(6).permutation(400)
    shuffled = KADETClassifier(k=5, public=["age"]).fit(frame.iloc[order].reset_index(drop=True), y[order])
    assert shuffled.export_text() == KADETClassifier(k=5, public=["age"]).fit(frame, y).export_text()


def test_it_is_a_scikit_learn_classifier() -> None:
    model = KADETClassifier(k=7, public=["age", "work"], criterion="gain")
    assert is_classifier(model)
    assert clone(model).get_params() == model.get_params()
    frame, y = random_table(300)
    assert cross_val_score(model, frame, y, cv=3).mean() > 0.7
    copy = pickle.loads(pickle.dumps(model.fit(frame, y)))
    assert copy.predict(frame).tolist() == model.predict(frame).tolist()
    with pytest.raises(NotFittedError):
        KADETClassifier().predict(frame)


def test_one_class_is_a_leaf() -> None:
    model = fitted(y=["no"] * 8)
    assert (model.export_text(), model.n_leaves_, model.spans_.tolist()) == (": no (8)", 1, [8])
    assert model.predict_proba(PEOPLE).tolist() == [[1.0]] * 8


def test_a_column_without_any_value_is_never_asked() -> None:
    for blank in (pa.nulls(8), pa.nulls(8, pa.int64()), pa.nulls(8, pa.date32())):
        model = fitted(table=PEOPLE.append_column("blank", blank))
        assert model.n_leaves_ == 3
        assert model.predict(PEOPLE.append_column("blank", pa.array([1] * 8))).tolist() == DRINKS


def test_texts_may_mean_missing() -> None:
    marked = PEOPLE.set_column(0, "town", pa.array(["?" if t is None else t for t in PEOPLE["town"].to_pylist()]))
    assert fitted(table=marked, missing=("?",)).export_text().endswith("town is missing: tea (2)")


def test_categories_that_look_like_numbers_have_a_branch_each() -> None:
    frame = pd.DataFrame({"code": pd.Categorical([1, 2, 3] * 4)})
    model = KADETClassifier(k=4, pruned=False).fit(frame, ["a", "b", "a"] * 4)
    assert model.export_text() == "code = 1: a (4)\ncode = 2: b (4)\ncode = 3: a (4)"
    assert model.predict(frame).tolist() == ["a", "b", "a"] * 4


# What is refused


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0}, "'k' parameter of KADETClassifier must be an int >= 1. Got 0 instead"),
        ({"k": True}, "Got True instead"),
        ({"k": 2.5}, "Got 2.5 instead"),
        ({"k": 9}, "has 8 records of 3 classes, fewer than k = 9. Lower k"),
        ({"public": "town"}, "'public' parameter of KADETClassifier must be a list of column names"),
        ({"public": ["twon"]}, "no column 'twon'. Did you mean 'town'[?] It is named as public"),
        ({"hierarchies": {"twon": "flat"}}, "Did you mean 'town'[?] A hierarchy is given for it"),
        ({"hierarchies": ["town"]}, "'hierarchies' parameter of KADETClassifier must be a mapping"),
        ({"hierarchies": {"town": {"*": ["Bonn"]}}}, "'town'"),
        ({"criterion": "gini"}, "'criterion' parameter of KADETClassifier must be 'gain_ratio' or 'gain'"),
        ({"pruned": 1}, "'pruned' parameter of KADETClassifier must be True or False"),
        ({"missing": "?"}, "'missing' parameter of KADETClassifier must be a list of texts"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message) as refused:
        fitted(**parameters)
    assert "Köln" not in str(refused.value)


def test_wrong_tables_classes_and_weights_are_refused() -> None:
    for table, y, weights, message in [
        (PEOPLE.slice(0, 0), [], None, "no rows or no columns"),
        (PEOPLE, DRINKS[1:], None, "one class for each of the 8 rows"),
        (PEOPLE, [None, *DRINKS[1:]], None, "no class in 1 row, first in row 1"),
        (PEOPLE, DRINKS, [0.5] * 8, "whole numbers, because k counts records"),
        (PEOPLE, DRINKS, [1] + [0] * 7, "has 1 record of 1 class, fewer than k = 2"),
        (pa.table({"x": [1.0, np.inf]}), list("ab"), None, "holds NaN or infinite numbers, first at row 2"),
    ]:
        with pytest.raises(BadInput, match=message):
            KADETClassifier(k=2).fit(table, y, sample_weight=weights)


def test_tables_that_do_not_fit_the_tree_are_refused() -> None:
    model = fitted()
    with pytest.raises(BadInput, match="lacks columns that KADETClassifier was trained with: 'town'"):
        model.predict(PEOPLE.select(["age"]))
    with pytest.raises(BadInput, match="'age' held numbers in training and holds text now") as refused:
        model.predict(PEOPLE.set_column(1, "age", pa.array(["old"] * 8)))
    assert "'old'" not in str(refused.value)
