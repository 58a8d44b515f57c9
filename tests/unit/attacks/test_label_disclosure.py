"""The attack on labels: it finds a planted leak, finds none where there is none, and says what is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

import hedgerow as hr
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.attacks import LabelDisclosure, label_disclosure
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, Recoding, publish_groups, shown_as
from hedgerow.errors import BadInput
from hedgerow.requirements import Requirement

pytestmark = pytest.mark.usefixtures("made_up_people")

QUASI = ["age", "sex", "zip", "education", "marital-status", "workclass", "occupation", "hours-per-week"]
COLUMNS = [*QUASI, "income"]
SCHEMA = hr.Schema(quasi=QUASI, target="income")


class InsideLabels(Anonymizer):
    """Groups of k records of one label, neighbours in the order of their tuples: k-anonymous, and a leak."""

    name = "inside-labels"

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        k = max(one.minimal_size for one in requirements)
        labels = counts.values_of(str(counts.roles.target))
        group = np.empty(len(labels), dtype=np.int32)
        groups = 0
        for label in np.unique(labels):
            cells = np.flatnonzero(labels == label)
            before = np.cumsum(counts.cell_sizes[cells]) - counts.cell_sizes[cells]
            whole = int(counts.cell_sizes[cells].sum()) // (2 * k)
            group[cells] = groups + np.minimum(before // (2 * k), whole - 1)
            groups += whole
        pieces = Pieces.whole(group, counts.cell_sizes)
        columns, values = publish_groups(counts, pieces, groups, shown_as(counts, "set"))
        return Recoding(self.name, counts.quasi, columns, values, pieces.sizes(groups), pieces)


@pytest.fixture(scope="module")
def census() -> tuple[pa.Table, pa.Table]:
    people = hr.datasets.make_census(8000, random_state=3).select(COLUMNS)
    return people[:4000], people[4000:]


@pytest.fixture(scope="module")
def release(census: tuple[pa.Table, pa.Table]) -> hr.Release:
    return hr.anonymize(census[0], SCHEMA, method="mondrian", k=100, publish_proportions=True, random_state=0)


@pytest.fixture(scope="module")
def found(release: hr.Release, census: tuple[pa.Table, pa.Table]) -> LabelDisclosure:
    return label_disclosure(release, *census)


def test_a_planted_leak_is_found(census: tuple[pa.Table, pa.Table]) -> None:
    leaking = hr.anonymize(
        census[0], SCHEMA, method=InsideLabels(k=10), publish_proportions=True, min_support=1, random_state=0
    )
    assert leaking.audit.k >= 10
    found = label_disclosure(leaking, *census)
    assert found.alone.members.accuracy.value > 0.97
    assert found.alone.excess.low > 0.10
    assert found.stacked.excess.low > 0.10
    assert found.alone.members.recall > 0.9 > found.alone.control.recall
    assert found.excess == max(found.alone.excess, found.stacked.excess, key=lambda one: one.value)


def test_a_leak_does_not_hide_behind_a_learner(census: tuple[pa.Table, pa.Table]) -> None:
    """A learner that was trained on the leaking release hardly knows its people better than others."""
    leaking = hr.anonymize(
        census[0], SCHEMA, method=InsideLabels(k=10), publish_proportions=True, min_support=1, random_state=0
    )
    from hedgerow.attacks._people import read_labelled
    from hedgerow.attacks._stacking import learnt

    attacked = read_labelled(leaking, *census)
    gaps = []
    for seed in range(3):
        right = learnt(attacked, None, 3, np.random.default_rng(seed)).argmax(axis=1) == attacked.labels
        gaps.append(right[: attacked.members].mean() - right[attacked.members :].mean())
    assert np.mean(gaps) < 0.05


@pytest.mark.parametrize("method", ["mondrian", "kactus"])
def test_strict_proportions_of_many_people_leak_little(method: str, census: tuple[pa.Table, pa.Table]) -> None:
    """The label of each person is one of a hundred or more that a class tells together."""
    strict = hr.anonymize(census[0], SCHEMA, method=method, k=100, publish_proportions=True, random_state=0)
    found = label_disclosure(strict, *census)
    for one in (found.alone, found.stacked):
        assert one.excess.low < 0.01
        assert one.excess.value < 0.03
        assert one.members.matched == 1


def test_what_the_ones_are_easier_to_guess_by_chance_is_taken_off(census: tuple[pa.Table, pa.Table]) -> None:
    """Where only those who are easy to guess are asked about among members, they are no more disclosed."""
    release = hr.anonymize(census[0], SCHEMA, method="kactus", k=400, publish_proportions=True, random_state=0)
    ages = census[0]["age"].to_numpy()
    young = census[0].filter(pa.array(ages < np.quantile(ages, 0.3)))
    found = label_disclosure(release, young, census[1]).alone
    plain = found.members.accuracy.value - found.control.accuracy.value
    assert plain > 0.08
    assert found.excess.value < plain / 2


def test_the_figures_fit_together(found: LabelDisclosure) -> None:
    assert (found.members, found.non_members, found.sure) == (4000, 4000, 0.9)
    for one in (found.alone, found.stacked):
        # Beyond the difference of both shares only what the ones are easier to guess by chance is taken off.
        assert one.excess.value == pytest.approx(one.members.accuracy.value - one.control.accuracy.value, abs=0.02)
        assert one.excess.low < one.excess.value < one.excess.high
        for side in (one.members, one.control):
            assert 0 <= side.recall <= side.accuracy.value
            assert 0 <= side.recall <= side.precision <= 1


def test_the_prior_makes_the_control_weak(release: hr.Release, census: tuple[pa.Table, pa.Table]) -> None:
    small = hr.anonymize(census[0], SCHEMA, method="mondrian", k=10, publish_proportions=True, random_state=0)
    nearest, prior = (label_disclosure(small, *census, strangers=one).alone for one in ("nearest", "prior"))
    assert nearest.members == prior.members
    assert nearest.control.matched == prior.control.matched < 0.9
    assert nearest.excess.value < prior.excess.value


def test_one_seed_one_result(found: LabelDisclosure, census: tuple[pa.Table, pa.Table]) -> None:
    """Whatever the order of the published rows, which no seed decides."""
    again = hr.anonymize(census[0], SCHEMA, method="mondrian", k=100, publish_proportions=True, random_state=0)
    assert label_disclosure(again, *census) == found


def test_every_kind_of_table_and_a_saved_release(
    found: LabelDisclosure,
    release: hr.Release,
    census: tuple[pa.Table, pa.Table],
    frame_type: Callable[[pa.Table], Any],
    tmp_path: Path,
) -> None:
    saved = release.save(tmp_path / "out.csv")
    loaded = label_disclosure(saved, frame_type(census[0]), frame_type(census[1]))
    assert loaded.alone == found.alone
    assert loaded.members == loaded.non_members == 4000


def test_a_column_that_is_hidden_from_everybody() -> None:
    people = pa.table({"age": [1, 2] * 20, "pay": range(40), "ill": ["a", "b"] * 20})
    schema = hr.Schema(quasi=["age", "pay"], target="ill", accept=["ill"])
    release = hr.anonymize(people, schema, method="kactus", k=20)
    assert set(release.table["pay"].to_pylist()) == {None}
    assert label_disclosure(release, people, people).stacked.members.accuracy.value == 1
    hidden = hr.anonymize(people, schema, method="kactus", k=40)
    assert label_disclosure(hidden, people, people).alone.members.accuracy.value == 0.5


def test_a_loaded_release_tells_as_much_as_the_one_that_was_saved(
    census: tuple[pa.Table, pa.Table], tmp_path: Path
) -> None:
    """Medians and empty cells are read as what they are, though nothing but the files is there."""
    release = hr.anonymize(census[0], SCHEMA, method="kactus", k=20, publish_proportions=True, random_state=0)
    saved = release.save(tmp_path / "out.parquet")
    found, loaded = (label_disclosure(one, *census, repeats=1) for one in (release, saved))
    assert loaded.alone == found.alone
    assert loaded.alone.members.matched == 1


def test_people_may_be_files(
    found: LabelDisclosure, release: hr.Release, census: tuple[pa.Table, pa.Table], tmp_path: Path
) -> None:
    places = [tmp_path / "in.csv", tmp_path / "not-in.csv"]
    for place, people in zip(places, census, strict=True):
        people.to_pandas().to_csv(place, index=False)
    assert label_disclosure(release, str(places[0]), places[1]).alone == found.alone


@pytest.mark.parametrize("learner", [LogisticRegression(max_iter=500), LinearSVC()])
def test_any_classifier_can_be_the_learner(
    learner: Any, found: LabelDisclosure, release: hr.Release, census: tuple[pa.Table, pa.Table]
) -> None:
    other = label_disclosure(release, *census, learner, repeats=1)
    assert (other.alone.members, other.alone.control) == (found.alone.members, found.alone.control)
    assert abs(other.stacked.control.accuracy.value - found.stacked.control.accuracy.value) < 0.03


def test_without_proportions_and_with_missing_values() -> None:
    age = [None if at % 7 == 0 else 20 + at % 50 for at in range(400)]
    label = ["y" if at % 50 > 25 else "n" for at in range(400)]
    town = [None if at % 5 == 0 else "ab"[at % 2] for at in range(400)]
    people = pa.table({"age": age, "town": town, "ill": label})
    release = hr.anonymize(people[:200], hr.Schema(quasi=["age", "town"], target="ill"), k=10)
    found = label_disclosure(release, people[:200], people[200:])
    assert found.alone.members.matched == 1
    assert found.alone.members.accuracy.value > 0.7


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("method", ["mondrian", "optimal", "tds"])
def test_members_fit_their_classes_whatever_their_columns_hold(method: str, told: bool) -> None:
    """Dates, masked codes, intervals and taxonomies."""
    census = hr.datasets.make_census(600, random_state=2).select(["age", "zip", "birthplace", "income"])
    days = np.random.default_rng(2).integers(0, 18_000, 600)
    people = census.append_column("born", pa.array(days.astype("datetime64[D]")))
    known = hr.datasets.census_schema().hierarchies
    schema = hr.Schema(
        quasi=["age", "zip", "birthplace", "born"],
        target="income",
        hierarchies={name: known[name] for name in ("age", "zip", "birthplace")},
    )
    release = hr.anonymize(people[:300], schema, method=method, k=10, random_state=0, publish_proportions=told)
    assert label_disclosure(release, people[:300], people[300:], repeats=1).alone.members.matched == 1


def test_nobody_is_sure_enough() -> None:
    people = pa.table({"age": [1, 2] * 20, "ill": ["a", "a", "b", "b"] * 10})
    release = hr.anonymize(people, hr.Schema(quasi=["age"], target="ill"), k=20)
    found = label_disclosure(release, people, people)
    assert math.isnan(found.alone.members.precision)
    assert found.alone.members.recall == 0
    assert "precision - - -, recall 0.0% - 0.0%" in repr(found)


def test_one_label_is_known_of_everybody() -> None:
    people = pa.table({"age": [1, 2] * 20, "ill": ["a"] * 40})
    release = hr.anonymize(people, hr.Schema(quasi=["age"], target="ill"), k=20)
    found = label_disclosure(release, people, people[:3])
    assert found.alone.members.accuracy.value == found.stacked.control.accuracy.value == 1


def test_numbers_as_labels() -> None:
    people = pa.table({"age": [1, 2] * 20, "ill": [0, 1] * 20})
    release = hr.anonymize(people, hr.Schema(quasi=["age"], target="ill"), k=20)
    as_text = people.set_column(1, "ill", people["ill"].cast(pa.string()))
    assert label_disclosure(release, people, as_text).alone.control.accuracy.value == 1


def test_it_is_shown_without_a_cell(found: LabelDisclosure) -> None:
    text = repr(found)
    assert text.startswith("LabelDisclosure(4,000 members, 4,000 non-members)\n  alone: excess ")
    assert len(text.splitlines()) == 5
    assert "50K" not in text
    assert found._repr_html_().startswith("<pre>LabelDisclosure(")


PEOPLE = pa.table({"age": [1, 1, 2, 2], "town": ["Ulm"] * 4, "ill": ["pox", "flu"] * 2})
TOY = hr.Schema(quasi=["age", "town"], target="ill")


@pytest.fixture(scope="module")
def toy() -> hr.Release:
    return hr.anonymize(PEOPLE, TOY, k=2)


@pytest.mark.parametrize(
    ("members", "non_members", "message"),
    [
        (PEOPLE.select(["age"]), PEOPLE, r"The members lack columns of the release: 'town', 'ill'\."),
        (PEOPLE, PEOPLE.select(["age", "town"]), r"The non-members lack columns of the release: 'ill'\."),
        (PEOPLE[:0], PEOPLE, r"There are no members\."),
        (PEOPLE, PEOPLE[:0], r"There are no non-members\."),
        (
            PEOPLE,
            PEOPLE.set_column(2, "ill", pa.array(["pox", "gout", None, "flu"])),
            r"The non-members have labels that the release does not publish, in 2 rows, first in row 2\.",
        ),
        (PEOPLE.set_column(0, "age", pa.array(["1", "secret", "2", "2"])), PEOPLE, r"The column 'age' .* row 2"),
        ([1, 2], PEOPLE, r"A table must be a pandas, polars or pyarrow dataframe"),
    ],
)
def test_bad_people(toy: hr.Release, members: Any, non_members: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message) as error:
        label_disclosure(toy, members, non_members)
    assert not any(cell in str(error.value) for cell in ("pox", "gout", "secret", "Ulm"))


def test_bad_releases() -> None:
    with pytest.raises(BadInput, match="The release has no target"):
        label_disclosure(hr.anonymize(PEOPLE.select(["age"]), hr.Schema(quasi=["age"]), k=2), PEOPLE, PEOPLE)
    with pytest.raises(BadInput, match="The 'release' parameter of label_disclosure must be a Release"):
        label_disclosure(PEOPLE, PEOPLE, PEOPLE)
    numbers = pa.table({"age": [1] * 300, "pay": range(300)})
    release = hr.anonymize(numbers, hr.Schema(quasi=["age"], target="pay", accept=["pay"]), k=2)
    with pytest.raises(BadInput, match="The target 'pay' has 300 values"):
        label_disclosure(release, numbers, numbers)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"repeats": 0}, "The 'repeats' parameter of label_disclosure must be an int >= 1"),
        ({"sure": 0}, "The 'sure' parameter of label_disclosure must be a number above 0 and up to 1"),
        ({"sure": True}, "The 'sure' parameter"),
        ({"strangers": "all"}, "The 'strangers' parameter of label_disclosure must be 'nearest' or 'prior'"),
        ({"random_state": "x"}, "The 'random_state' parameter of label_disclosure must be None"),
        ({"learner": LinearRegression()}, "The 'learner' parameter of label_disclosure must be None or a classifier"),
    ],
)
def test_bad_parameters(toy: hr.Release, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        label_disclosure(toy, PEOPLE, PEOPLE, **parameters)
