"""ID3 for published tables as a scikit-learn classifier."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from imblearn.pipeline import make_pipeline
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import hedgerow as hr
from hedgerow import BadInput
from hedgerow.io.frames import open_frame
from hedgerow.learning.id3 import GeneralizedID3Classifier

PUBLISHED = pa.table(
    {
        "sex": ["F", "F", "{F|M}", "M", "M", "{F|M}"],
        "age": ["{20|21}", "20", "40", "{40|41}", "40", "*"],
        "town": ["Germany", "Bonn", "Lyon", "Lyon", "Bonn", "Germany"],
    }
)
RICH = ["no", "no", "yes", "yes", "yes", "no"]
COLUMNS = ["age", "marital-status", "education"]
TOWNS = {"*": {"Germany": ["Bonn", "Trier"], "France": ["Lyon"]}}


@pytest.fixture(scope="module")
def census() -> pd.DataFrame:
    people = hr.datasets.make_census(3000, random_state=0)
    return people if isinstance(people, pd.DataFrame) else people.to_pandas()


@pytest.fixture(scope="module")
def release(census: pd.DataFrame) -> hr.Release:
    schema = hr.Schema(quasi=COLUMNS, target="income", others="drop")
    # Sets, as in the paper.
    return hr.anonymize(
        census, schema, method="mondrian", k=10, random_state=0, publish_proportions=True, publish="set"
    )


def test_every_kind_of_table_gives_the_same_tree(frame_type: Any) -> None:
    model = GeneralizedID3Classifier(fractional=True).fit(frame_type(PUBLISHED), RICH)
    assert model.export_text() == GeneralizedID3Classifier(fractional=True).fit(PUBLISHED, RICH).export_text()
    assert model.feature_names_in_.tolist() == ["sex", "age", "town"]
    assert model.predict(frame_type(PUBLISHED)).tolist() == model.predict(PUBLISHED).tolist()
    assert (model.n_leaves_, model.tree_size_) == (model.tree_.n_leaves, model.tree_.size)


def test_raw_rows_are_found_by_name_and_unknown_values_answered_by_the_majority() -> None:
    model = GeneralizedID3Classifier(fractional=True).fit(PUBLISHED.select(["sex"]), RICH)
    rows = pa.table({"note": ["x"] * 3, "sex": ["M", "F", "X"]})
    # M: 2 of yes and a half of each; F: 2 of no and a half of each; all: three of each.
    assert model.predict_proba(rows)[:, 1].tolist() == pytest.approx([2.5 / 3, 0.5 / 3, 0.5])
    assert model.predict(rows).tolist() == ["yes", "no", "no"]


def test_labels_are_read_with_their_hierarchy() -> None:
    table = PUBLISHED.select(["town"])
    without = GeneralizedID3Classifier(fractional=True).fit(table, RICH)
    assert without.tree_.attributes[0].labels == ("Bonn", "Germany", "Lyon")
    model = GeneralizedID3Classifier(fractional=True, hierarchies={"town": TOWNS}).fit(table, RICH)
    assert model.tree_.attributes[0].labels == ("Bonn", "Lyon", "Trier")
    assert model.export_text() == "town = Bonn: no (3/1)\ntown = Lyon: yes (2)\ntown = Trier: no (1)"
    assert model.predict(pa.table({"town": ["Trier", "Germany"]})).tolist() == ["no", "no"]


def test_own_sets_have_a_branch_and_may_answer_for_raw_rows() -> None:
    model = GeneralizedID3Classifier(entropy="own").fit(PUBLISHED.select(["sex"]), RICH)
    assert model.export_text() == "sex = F: no (2)\nsex = M: yes (2)\nsex = {F|M}: no (2/1)"
    assert model.predict_proba(pa.table({"sex": ["M", "{M|F}"]}))[:, 1].tolist() == [1.0, 0.5]


def test_numbers_are_split_by_thresholds_or_left_out() -> None:
    table = PUBLISHED.select(["age", "sex"])
    model = GeneralizedID3Classifier(assign="frequent").fit(table, RICH)
    assert model.export_text().startswith("age <= 21")
    ignoring = GeneralizedID3Classifier(numbers="ignore", assign="frequent").fit(table, RICH)
    assert [one.name for one in ignoring.tree_.attributes] == ["sex"]
    assert ignoring.n_features_in_ == 2
    own = GeneralizedID3Classifier(numbers="ignore", entropy="own").fit(table, RICH)
    assert [one.name for one in own.tree_.attributes] == ["sex"]
    with pytest.raises(BadInput, match="All columns are numbers"):
        GeneralizedID3Classifier(numbers="ignore").fit(PUBLISHED.select(["age"]), RICH)


def test_a_release_brings_its_classes_and_proportions(release: hr.Release) -> None:
    table = release.table.drop(columns="income")
    given = GeneralizedID3Classifier(fractional=True, proportions=release.proportions)
    whole = GeneralizedID3Classifier(fractional=True).fit(release)
    assert whole.export_text() == given.fit(table, release.table["income"]).export_text()
    alone = GeneralizedID3Classifier(fractional=True).fit(table, release.table["income"])
    assert whole.export_text() != alone.export_text()
    assert set(whole.feature_names_in_) == set(COLUMNS)


def test_exact_proportions_put_the_records_where_they_were(census: pd.DataFrame) -> None:
    schema = hr.Schema(quasi=COLUMNS, target="income", others="drop")
    release = hr.anonymize(census, schema, k=10, random_state=0, publish_proportions=True, min_support=1)
    model = GeneralizedID3Classifier(fractional=True, max_depth=1).fit(release)
    root = model.tree_.attributes[model.tree_.nodes.column[0]]
    original = census[root.name]
    split = root.numbers[model.tree_.nodes.threshold[0]] if root.numeric else None
    expected = (
        [(original <= split).sum(), (original > split).sum()]
        if root.numeric
        else original.value_counts().sort_index().tolist()
    )
    assert model.tree_.nodes.counts[1:].sum(axis=1).tolist() == pytest.approx([float(one) for one in expected])


def test_recoded_rows_have_the_proportions_of_their_class(census: pd.DataFrame, release: hr.Release) -> None:
    model = GeneralizedID3Classifier(fractional=True).fit(release)
    recoded = release.recoding.transform(census)[COLUMNS]
    shares = model.predict_proba(recoded)
    assert release.proportions is not None
    told = release.proportions.classes_of(open_frame(recoded).frame)
    # Rows of one class are classified alike, whoever they were.
    for one in np.unique(told[told >= 0])[:20]:
        assert np.ptp(shares[told == one], axis=0).tolist() == pytest.approx([0.0] * shares.shape[1])


@pytest.mark.parametrize("entropy", ["shared", "own", "random"])
@pytest.mark.parametrize("assign", ["random", "frequent", "distribution"])
@pytest.mark.parametrize("fractional", [False, True])
def test_all_ways_learn_something_of_raw_rows(
    census: pd.DataFrame, release: hr.Release, entropy: Any, assign: Any, fractional: bool
) -> None:
    model = GeneralizedID3Classifier(
        entropy=entropy, assign=assign, fractional=fractional, min_objects=10, random_state=0
    ).fit(release)
    majority = census["income"].value_counts(normalize=True).max()
    assert model.score(census[COLUMNS], census["income"]) > majority


def test_the_seed_decides_what_is_drawn(release: hr.Release) -> None:
    texts = [GeneralizedID3Classifier(random_state=seed).fit(release).export_text() for seed in (0, 0, 1)]
    assert texts[0] == texts[1] != texts[2]
    generator = np.random.default_rng(0)
    assert GeneralizedID3Classifier(random_state=generator).fit(release).export_text() == texts[0]


def test_a_weight_of_zero_is_no_row() -> None:
    model = GeneralizedID3Classifier(fractional=True)
    some = model.fit(PUBLISHED, RICH, sample_weight=[1, 1, 1, 0, 0, 0]).export_text()
    assert some == clone(model).fit(PUBLISHED.slice(0, 3), RICH[:3]).export_text()


def test_the_columns_of_shares_are_no_features(census: pd.DataFrame) -> None:
    line = make_pipeline(
        hr.Mondrian(k=20, publish_proportions=True, random_state=0),
        GeneralizedID3Classifier(random_state=0, min_objects=10),
    )
    line.fit(census[COLUMNS], census["income"])
    model = line[-1]
    assert model.n_features_in_ > 3
    assert [one.name for one in model.tree_.attributes] == COLUMNS
    assert line.predict(census[COLUMNS]).shape == (len(census),)


@pytest.mark.compiled
def test_cross_validation_anonymizes_the_training_folds(census: pd.DataFrame) -> None:
    line = make_pipeline(hr.Mondrian(k=10), GeneralizedID3Classifier(fractional=True, min_objects=5))
    scores = cross_val_score(line, census[COLUMNS], census["income"], cv=3)
    assert scores.min() > census["income"].value_counts(normalize=True).max() - 0.02


def test_it_is_a_classifier_that_is_cloned_and_pickled() -> None:
    model = GeneralizedID3Classifier(fractional=True, max_depth=2, hierarchies={"town": TOWNS})
    assert is_classifier(model)
    assert clone(model).get_params() == model.get_params()
    fitted = model.fit(PUBLISHED, RICH)
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy.predict_proba(PUBLISHED).tolist() == fitted.predict_proba(PUBLISHED).tolist()


def test_it_must_be_fitted_first() -> None:
    with pytest.raises(NotFittedError):
        GeneralizedID3Classifier().predict(PUBLISHED)
    with pytest.raises(NotFittedError):
        GeneralizedID3Classifier().export_text()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"entropy": "equal"}, "'entropy' parameter of GeneralizedID3Classifier must be 'shared' or 'own' or 'random'"),
        ({"assign": "any"}, "'assign' parameter"),
        ({"numbers": "intervals"}, "'numbers' parameter"),
        ({"fractional": "yes"}, "'fractional' parameter"),
        ({"min_objects": 0}, "'min_objects' parameter of GeneralizedID3Classifier must be an int >= 1. Got 0"),
        ({"min_objects": True}, "'min_objects' parameter"),
        ({"max_depth": 0}, "'max_depth' parameter of GeneralizedID3Classifier must be an int >= 1 or None"),
        ({"random_state": -1}, "'random_state' parameter"),
        ({"hierarchies": [TOWNS]}, "'hierarchies' parameter"),
        ({"hierarchies": {"twon": TOWNS}}, "There is no column 'twon'. Did you mean 'town'?"),
        ({"proportions": 0.5}, "'proportions' parameter"),
        ({"missing": "?"}, "'missing' parameter"),
    ],
)
def test_wrong_parameters_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message.replace("?", "\\?").replace("(", "\\(")):
        GeneralizedID3Classifier(**wrong).fit(PUBLISHED, RICH)


def test_wrong_tables_are_refused() -> None:
    with pytest.raises(BadInput, match="Only a release has its own labels"):
        GeneralizedID3Classifier().fit(PUBLISHED)
    model = GeneralizedID3Classifier().fit(PUBLISHED, RICH)
    with pytest.raises(BadInput, match="lacks columns that GeneralizedID3Classifier was trained with: 'sex'"):
        model.predict(PUBLISHED.drop_columns("sex"))
