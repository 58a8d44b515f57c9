"""C4.5 with ``fractional=True``: published cells in several branches at once."""

from __future__ import annotations

import pickle
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone

import hedgerow as hr
from hedgerow import BadInput
from hedgerow.learning import C45Classifier

PUBLISHED = pa.table(
    {"sky": ["grey"] * 3 + ["{blue|grey}"] * 2 + ["blue"] * 4, "wind": ["[1,5)", *map(str, range(1, 9))]}
)
RAIN = ["yes"] * 4 + ["no"] * 5


def test_sets_are_shared_only_if_asked() -> None:
    table = PUBLISHED.select(["sky"])
    assert C45Classifier(pruned=False).fit(table, RAIN).tree_.attributes[0].labels == ("blue", "grey", "{blue|grey}")
    model = C45Classifier(fractional=True).fit(table, RAIN)
    assert model.export_text() == "sky = blue: no (5/0.5)\nsky = grey: yes (4/0.5)"
    assert (model.n_leaves_, model.tree_size_) == (2, 3)


def test_published_rows_are_classified_by_their_shares() -> None:
    model = C45Classifier(fractional=True).fit(PUBLISHED.select(["sky"]), RAIN)
    rows = pa.table({"sky": ["grey", "{blue|grey}", "*"]})
    assert model.predict_proba(rows)[:, 1].tolist() == pytest.approx(
        [3.5 / 4, (3.5 / 4 + 0.1) / 2, (3.5 / 4 + 0.1) / 2]
    )


def test_intervals_are_numbers() -> None:
    model = C45Classifier(fractional=True).fit(PUBLISHED.select(["wind"]), ["a"] * 4 + ["b"] * 5)
    assert model.tree_.attributes[0].numeric
    assert model.predict(pa.table({"wind": [1, 9]})).tolist() == ["a", "b"]


def test_every_kind_of_table_gives_the_same_tree(frame_type: Any) -> None:
    model = C45Classifier(fractional=True).fit(frame_type(PUBLISHED), RAIN)
    assert model.export_text() == C45Classifier(fractional=True).fit(PUBLISHED, RAIN).export_text()
    copy = pickle.loads(pickle.dumps(model))
    assert copy.predict(frame_type(PUBLISHED)).tolist() == model.predict(PUBLISHED).tolist()
    assert clone(model).get_params()["fractional"] is True


def test_the_proportions_of_a_release_are_used() -> None:
    people = hr.datasets.make_census(3000, random_state=0)
    census = people if isinstance(people, pd.DataFrame) else people.to_pandas()
    schema = hr.Schema(quasi=["age", "marital-status", "education"], target="income", others="drop")
    release = hr.anonymize(census, schema, method="mondrian", k=20, random_state=0, publish_proportions=True)
    told = C45Classifier(fractional=True).fit(release)
    untold = C45Classifier(fractional=True).fit(release.table.drop(columns="income"), release.table["income"])
    assert told.tree_.nodes.counts[0].tolist() == pytest.approx(untold.tree_.nodes.counts[0].tolist())
    assert told.export_text() != untold.export_text()
    majority = census["income"].value_counts(normalize=True).max()
    assert told.score(census[["age", "marital-status", "education"]], census["income"]) > majority


def test_it_is_yes_or_no() -> None:
    with pytest.raises(BadInput, match="'fractional' parameter of C45Classifier must be True or False"):
        C45Classifier(fractional="some").fit(PUBLISHED, RAIN)  # type: ignore[arg-type]
