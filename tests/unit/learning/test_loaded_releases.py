"""What is loaded from files teaches the same as the release that was saved; paths stand for what lies there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import BadInput
from hedgerow.io.atomic import proportions_path
from hedgerow.learning import (
    C45Classifier,
    FillChildEncoder,
    FillParentEncoder,
    GeneralizedID3Classifier,
    KADETClassifier,
    OneClassEncoder,
    ProportionalEncoder,
    export,
    redraw,
)

QUASI = ["age", "sex", "education"]
LEARNERS: dict[str, Any] = {
    "c45": C45Classifier(pruned=False),
    "fractional c45": C45Classifier(fractional=True),
    "id3": GeneralizedID3Classifier(max_depth=3, assign="frequent"),
    "fractional id3": GeneralizedID3Classifier(max_depth=3, fractional=True),
    "kadet": KADETClassifier(k=5),
}
ENCODERS = (OneClassEncoder, FillParentEncoder, FillChildEncoder, ProportionalEncoder)


class Saved(NamedTuple):
    """A release, where it was saved, and the hierarchies that its labels are of."""

    release: hr.Release
    path: Path
    hierarchies: dict[str, Any]


@pytest.fixture(scope="module", params=["mondrian-csv", "mondrian-parquet", "kactus-csv", "datafly-csv"])
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Saved:
    """Every other column is a quasi-identifier; education is published in labels."""
    method, kind = request.param.split("-")
    hierarchies = {"education": hr.datasets.census_schema().hierarchies["education"]}
    people = hr.datasets.make_census(600, random_state=3).select([*QUASI, "hours-per-week", "income"])
    schema = hr.Schema(quasi=QUASI, target="income", insensitive=["hours-per-week"], hierarchies=hierarchies)
    release = hr.anonymize(people, schema, method=method, k=5, random_state=0, publish_proportions=True)
    return Saved(release, release.save(tmp_path_factory.mktemp("saved") / f"out.{kind}"), hierarchies)


@pytest.fixture(scope="module")
def unseen() -> pa.Table:
    return hr.datasets.make_census(200, random_state=4).select([*QUASI, "hours-per-week"])


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=list(LEARNERS))
def test_learners_grow_the_same_tree(learner: Any, saved: Saved, unseen: pa.Table) -> None:
    expected = learner.fit(saved.release)
    text, shares = expected.export_text(), expected.predict_proba(unseen)
    again = learner.fit(hr.Release.load(saved.path, saved.hierarchies))
    assert again.export_text() == text
    np.testing.assert_allclose(again.predict_proba(unseen), shares)
    assert again.tree_size_ > 1


@pytest.mark.parametrize("encoder", ENCODERS)
def test_encoders_write_the_same_features(encoder: Any, saved: Saved, unseen: pa.Table) -> None:
    """Numbers without a hierarchy have intervals of what is published, so all that counts is in the files."""
    one, other = encoder().fit(saved.release), encoder().fit(hr.Release.load(saved.path, saved.hierarchies))
    assert other.get_feature_names_out().tolist() == one.get_feature_names_out().tolist()
    np.testing.assert_allclose(other.transform(unseen), one.transform(unseen))
    loaded = hr.Release.load(saved.path, saved.hierarchies)
    np.testing.assert_allclose(other.transform(loaded).sum(axis=0), one.transform(saved.release).sum(axis=0))


def test_redrawn_rows_are_of_the_original_domain(saved: Saved) -> None:
    loaded = hr.Release.load(saved.path, saved.hierarchies)
    drawn = redraw(loaded, random_state=0).to_arrow_table()
    expected = redraw(saved.release, random_state=0)
    assert drawn.column_names == expected.column_names
    assert drawn.schema.types == expected.schema.types
    for name in QUASI:
        known = set(expected[name].to_pylist())
        assert set(drawn[name].to_pylist()) <= known | set(range(15, 100))
    assert Counter(drawn["income"].to_pylist()) == Counter(expected["income"].to_pylist())


def test_a_path_is_the_release_that_was_saved_there(saved: Saved, unseen: pa.Table, tmp_path: Path) -> None:
    loaded = hr.Release.load(saved.path)
    for path in (saved.path, str(saved.path)):
        learner, same = (C45Classifier(fractional=True).fit(X) for X in (path, loaded))
        assert learner.export_text() == same.export_text()
        assert learner.predict(path).tolist() == same.predict(loaded).tolist()
        encoder = ProportionalEncoder().fit(path)
        np.testing.assert_allclose(encoder.transform(path), ProportionalEncoder().fit(loaded).transform(loaded))
        assert redraw(path, random_state=1).to_arrow_table().equals(redraw(loaded, random_state=1).to_arrow_table())
        export(path, tmp_path / "out.arff")
        export(loaded, tmp_path / "loaded.arff")
        written = [(tmp_path / name).read_text().split("@attribute")[1:] for name in ("out.arff", "loaded.arff")]
        assert written[0] == written[1]
    assert KADETClassifier(k=5).fit(saved.path).predict(unseen).shape == (200,)


def test_a_path_without_a_manifest(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,rich\n20,y\n")
    for work in (C45Classifier().fit, ProportionalEncoder().fit, redraw):
        with pytest.raises(BadInput, match="There is no manifest"):
            work(tmp_path / "people.csv")


def test_proportions_from_their_file(saved: Saved, unseen: pa.Table) -> None:
    """With the table alone, in memory, and what lies beside it on disk."""
    table = saved.release.table
    X, y = table.drop(["income"]), table["income"].to_pylist()
    told = proportions_path(saved.path)
    for proportions in (told, str(told)):
        for learner in (C45Classifier(fractional=True), GeneralizedID3Classifier(fractional=True, max_depth=2)):
            by_file = learner.set_params(proportions=proportions).fit(X, y).predict_proba(unseen)
            by_object = learner.set_params(proportions=saved.release.proportions).fit(X, y).predict_proba(unseen)
            np.testing.assert_array_equal(by_file, by_object)
        encoded = ProportionalEncoder(columns=QUASI, proportions=proportions).fit(X).transform(unseen)
        expected = ProportionalEncoder(columns=QUASI, proportions=saved.release.proportions).fit(X).transform(unseen)
        np.testing.assert_array_equal(encoded, expected)
        rows = redraw(table, random_state=0, proportions=proportions)
        assert rows.equals(redraw(table, random_state=0, proportions=saved.release.proportions))


def test_proportions_change_what_is_learnt() -> None:
    """Were the parameter ignored, nobody would know which towns there are."""
    people = pa.table({"town": ["Ulm"] * 9 + ["Bern"] * 3, "rich": ["y"] * 9 + ["n"] * 3})
    schema = hr.Schema(quasi=["town"], target="rich", hierarchies={"town": "flat"})
    release = hr.anonymize(people, schema, method="datafly", k=5, publish_proportions=True, min_support=3)
    X, y = release.table.select(["town"]), release.table["rich"].to_pylist()
    blind = C45Classifier(fractional=True).fit(X, y).tree_
    told = C45Classifier(fractional=True, proportions=release.proportions).fit(X, y).tree_
    assert [set(one.labels) for one in told.set_attributes] == [{"Bern", "Ulm"}]
    assert [set(one.labels) for one in blind.set_attributes] == [set()]


@pytest.mark.parametrize("given", [5, {"age": 1}])
def test_what_are_no_proportions(given: Any) -> None:
    people = pa.table({"age": ["[20,30)", "40"]})
    must = "must be None, the proportions of a release or the path of their file"
    for work in (
        lambda: C45Classifier(fractional=True, proportions=given).fit(people, ["a", "b"]),
        lambda: GeneralizedID3Classifier(proportions=given).fit(people, ["a", "b"]),
        lambda: ProportionalEncoder(proportions=given).fit(people),
        lambda: redraw(people, quasi=["age"], proportions=given),
    ):
        with pytest.raises(BadInput, match=must):
            work()


def test_a_file_that_holds_no_proportions(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[]")
    with pytest.raises(BadInput, match="does not hold proportions"):
        C45Classifier(fractional=True, proportions=tmp_path / "x.json").fit(pa.table({"age": [1, 2]}), ["a", "b"])


def test_hierarchies_say_what_labels_stand_for(tmp_path: Path) -> None:
    """Without them a label is a value like others, and raw towns are unknown."""
    towns = {"*": {"Germany": ["Bonn", "Ulm"], "France": ["Lyon", "Nice"]}}
    people = pa.table({"town": ["Bonn", "Ulm", "Lyon", "Nice"] * 3, "drink": ["beer", "beer", "wine", "wine"] * 3})
    schema = hr.Schema(quasi=["town"], target="drink", hierarchies={"town": towns})
    path = hr.anonymize(people, schema, method="datafly", k=4).save(tmp_path / "out.csv")
    blind, told = hr.Release.load(path), hr.Release.load(path, {"town": towns})
    assert set(blind.table.to_arrow_table()["town"].to_pylist()) == {"Germany", "France"}
    raw = pa.table({"town": ["Ulm", "Nice"]})
    for learner in (C45Classifier(fractional=True, min_objects=1), GeneralizedID3Classifier(fractional=True)):
        assert learner.fit(told).predict(raw).tolist() == ["beer", "wine"]
        assert len(set(learner.fit(blind).predict(raw))) == 1
    assert set(redraw(told, random_state=0).to_arrow_table()["town"].to_pylist()) == {"Bonn", "Ulm", "Lyon", "Nice"}
    assert set(redraw(blind, random_state=0).to_arrow_table()["town"].to_pylist()) == {"Germany", "France"}
    assert "town=Ulm" in FillChildEncoder().fit(told).get_feature_names_out()
    assert "town=Ulm" not in FillChildEncoder().fit(blind).get_feature_names_out()
