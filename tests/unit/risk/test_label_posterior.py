"""The posterior of labels, on tables that are solved by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from telling_by_label import all_columns, telling_by_label

import hedgerow as hr
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.proportions import Proportions, count_labels, count_proportions
from hedgerow.core.proportions.label_margins import proportions_to_publish
from hedgerow.engines import open_source
from hedgerow.errors import BadInput
from hedgerow.io.domains import Domain
from hedgerow.risk import KnownColumn, LabelPosterior, PublishedClasses, label_posterior

TOWN = Domain("town", "text", np.array(["Bonn", "Kiel", "Ulm"]))
SEX = Domain("sex", "text", np.array(["F", "M"]))
ONES = np.ones(3, dtype=np.int64)


def counted(people: pa.Table, schema: hr.Schema) -> FrequencyTable:
    counts = open_source(people).count(schema, schema.resolve(people.column_names)).counts
    assert isinstance(counts, FrequencyTable)
    return counts


def told(counts: FrequencyTable, recoding: hr.Recoding, support: int) -> Proportions:
    return proportions_to_publish(count_proportions(counts, recoding), count_labels(counts, recoding), support)


def two_columns() -> LabelPosterior:
    published = PublishedClasses(
        (("{Bonn|Kiel}", "Ulm"), ("F", "M")), np.array([[0, 0], [1, 1]]), np.array([[3, 1], [1, 9]])
    )
    return LabelPosterior.of_classes(published, [KnownColumn(TOWN, ONES), KnownColumn(SEX, ONES[:2])])


def test_who_matches_no_class_has_the_prior_or_the_nearest_labels() -> None:
    asked = np.array([[0, 0], [2, 0], [0, 1]])
    prior = two_columns().of(asked)
    assert prior.matching.tolist() == [1, 0, 0]
    assert prior.probabilities[0].tolist() == [0.75, 0.25]
    np.testing.assert_allclose(prior.probabilities[1:], [[4 / 14, 10 / 14]] * 2)
    nearest = two_columns().of(np.vstack([asked, [[1, 0]]]), nearest=True)
    # A woman of Ulm fits either class in one of two columns.
    np.testing.assert_allclose(nearest.probabilities[1:3], [[4 / 14, 10 / 14]] * 2)
    assert nearest.probabilities[3].tolist() == [0.75, 0.25]


def test_the_nearest_classes_fit_in_the_most_columns() -> None:
    published = PublishedClasses(
        (("Bonn", "Ulm"), ("F", "M")), np.array([[0, 0], [1, 1], [1, 0]]), np.array([[4, 0], [0, 2], [0, 6]])
    )
    posterior = LabelPosterior.of_classes(published, [KnownColumn(TOWN, ONES), KnownColumn(SEX, ONES[:2])])
    (row,) = posterior.of(np.array([[1, 0]]), nearest=True).probabilities.tolist()
    assert row == [0.4, 0.6]  # nobody is of Kiel; the two classes of women have 4 and 6 people


def test_nobody_is_asked_about() -> None:
    found = two_columns().of(np.empty((0, 2), dtype=np.int32))
    assert found.probabilities.shape == (0, 2)
    assert found.matching.shape == (0,)


def test_without_proportions_a_cell_weighs_by_the_people_who_fit_it() -> None:
    published = PublishedClasses((("Ulm", "*"),), np.array([[0], [1]]), np.array([[5, 0], [0, 5]]))
    known = KnownColumn(TOWN, np.array([1, 1, 8]))
    (row,) = LabelPosterior.of_classes(published, [known]).of(np.array([[2]])).probabilities
    # In the first class all are of Ulm, in the second 8 of 10.
    np.testing.assert_allclose(row, np.array([1, 0.8]) / 1.8)


def test_proportions_tell_more_than_cells() -> None:
    people = pa.table({"town": ["Ulm"] * 9 + ["Bonn"] + ["Bonn"] * 9 + ["Ulm"], "sex": ["F"] * 10 + ["M"] * 10})
    people = people.append_column("ill", pa.array(["no"] * 10 + ["yes"] * 10))
    schema = hr.Schema(quasi=["town", "sex"], target="ill", hierarchies={"town": "flat"})
    counts = counted(people, schema)
    recoding = hr.anonymize(people, schema, method="kactus", k=10).recoding
    assert len(recoding.groups) == 2
    exactly = label_posterior(counts, recoding, counts.tuples, told(counts, recoding, 1))
    assert exactly.probabilities.max(axis=1).tolist() == [1.0] * 4


def test_a_median_stands_for_its_group_and_not_for_itself() -> None:
    """Members fit their own class, though most of them do not have the number that it publishes."""
    census = hr.datasets.make_census(2000, random_state=1).select(["age", "hours-per-week", "education", "income"])
    schema = hr.Schema(quasi=["age", "hours-per-week", "education"], target="income")
    recoding = hr.anonymize(census, schema, method="kactus", k=20).recoding
    assert any("number" in column.kinds for column in recoding.columns)
    counts = counted(census, schema)
    for proportions in (None, told(counts, recoding, 20), told(counts, recoding, 1)):
        found = label_posterior(counts, recoding, counts.tuples, proportions)
        assert found.matching.min() >= 1
        np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)


def test_many_columns_do_not_underflow() -> None:
    published = PublishedClasses((("*", "Ulm"),) * 400, np.array([[0] * 400, [1] * 400]), np.array([[2, 1], [1, 2]]))
    known = [KnownColumn(TOWN, np.array([10**6, 10**6, 1]))] * 400
    (row,) = LabelPosterior.of_classes(published, known).of(np.zeros((1, 400), dtype=np.int32)).probabilities
    np.testing.assert_allclose(row, [2 / 3, 1 / 3])


def test_proportions_of_another_release_are_refused() -> None:
    census = hr.datasets.make_census(200, random_state=1).select(["age", "income"])
    schema = hr.Schema(quasi=["age"], target="income")
    counts = counted(census, schema)
    one, other = (hr.anonymize(census, schema, k=k).recoding for k in (10, 30))
    with pytest.raises(BadInput, match="other classes than the table"):
        label_posterior(counts, one, counts.tuples, told(counts, other, 10))


def test_a_table_without_target_has_no_labels() -> None:
    people: Any = pa.table({"age": [1, 1, 2, 2]})
    schema = hr.Schema(quasi=["age"])
    recoding = hr.anonymize(people, schema, k=2).recoding
    with pytest.raises(BadInput, match="has no target"):
        label_posterior(counted(people, schema), recoding, np.zeros((1, 1), dtype=np.int32))


def test_another_column_can_be_the_target() -> None:
    people = pa.table({"age": [1, 1, 2, 2], "ill": ["a", "b", "b", "b"], "rich": ["n", "n", "y", "y"]})
    schema = hr.Schema(quasi=["age"], target="rich", sensitive=["ill"])
    counts, recoding = counted(people, schema), hr.anonymize(people, schema, k=2).recoding
    assert label_posterior(counts, recoding, counts.tuples, target="ill").probabilities.tolist() == [[0.5, 0.5], [0, 1]]


def by_age() -> tuple[pa.Table, hr.Schema]:
    """One class: nine in ten of the young are well, nine in ten of the old are ill; towns tell nothing."""
    age = np.repeat([20, 60], 200)
    ill = np.tile(np.arange(10) >= 9, 40) ^ (age == 60)
    people = pa.table({"age": age, "town": ["Bern", "Ulm"] * 200, "ill": ill.astype(str), "poor": ["n", "y"] * 200})
    return people, hr.Schema(quasi=["age", "town"], target="ill", sensitive=["poor"], accept=["poor"])


@pytest.mark.usefixtures("made_up_people")
@pytest.mark.parametrize(("strength", "odds"), [(1.0, 9), (0.5, 3), (0.0, 1)])
def test_what_is_told_by_label_is_known_of_people(strength: float, odds: float) -> None:
    people, schema = by_age()
    counts = counted(people, schema)
    method = telling_by_label(hr.Mondrian, lambda recoding: all_columns(recoding, strength=strength))
    release = method(k=400, publish_proportions=True, min_support=10).anonymize(people, schema)
    found = label_posterior(counts, release.recoding, counts.tuples, release.proportions)
    well = np.where(counts.tuples[:, 0] == 0, odds, 1) / (odds + 1)
    np.testing.assert_allclose(found.probabilities[:, 0], well, atol=0.002)
    attack = hr.attacks.label_disclosure(release, people, people)
    assert attack.alone.members.accuracy.value == pytest.approx(0.9 if strength else 0.5, abs=0.001)


def test_what_is_told_by_one_label_is_not_known_of_another() -> None:
    people, schema = by_age()
    counts = counted(people, schema)
    release = telling_by_label(hr.Mondrian)(k=400, publish_proportions=True, min_support=10).anonymize(people, schema)
    found = label_posterior(counts, release.recoding, counts.tuples, release.proportions, "poor")
    np.testing.assert_allclose(found.probabilities, 0.5)


def test_a_label_that_nobody_of_a_class_has_stays_impossible() -> None:
    people, schema = by_age()
    other = pa.table(
        {"age": [90, 91] * 200, "town": ["Bern"] * 300 + ["Ulm"] * 100, "ill": ["maybe"] * 400, "poor": ["n"] * 400}
    )
    both = pa.concat_tables([people, other])
    counts = counted(both, schema)
    release = telling_by_label(hr.Mondrian)(k=400, publish_proportions=True, min_support=10).anonymize(both, schema)
    assert len(release.proportions.sizes) == 2
    found = label_posterior(counts, release.recoding, counts.tuples, release.proportions)
    old = counts.tuples[:, 0] >= 2
    assert (found.probabilities[old].max(axis=1) == 1).all()
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
