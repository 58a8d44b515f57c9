"""What k alone would have made of the people of a release."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.attacks._minimality import _classes, _first_cut, _restricted, finer_groups
from hedgerow.attacks._people import read_people
from hedgerow.io.domains import Domain

pytestmark = pytest.mark.usefixtures("made_up_people")

AGES = pa.table({"age": [20, 21, 50, 51, 52, 53, 54], "ill": ["yes"] * 2 + ["no"] * 5})
SCHEMA = hr.Schema(quasi=["age"], sensitive=["ill"])


def test_groups_are_told_by_the_side_of_the_first_cut() -> None:
    recoding = hr.anonymize(AGES, SCHEMA, k=2).recoding
    side = _first_cut(recoding)
    assert len(side) == 3
    assert sorted(np.bincount(side, recoding.sizes).tolist()) == [2, 5]


def test_without_cuts_each_group_is_by_itself() -> None:
    assert _first_cut(hr.anonymize(AGES, SCHEMA, k=7).recoding).tolist() == [0]
    merged = hr.anonymize(AGES, SCHEMA, method="k-member", k=2).recoding
    assert _first_cut(merged).tolist() == list(range(len(merged.groups)))


def test_a_class_that_could_be_cut_has_two_sides() -> None:
    """The release has two classes; that of the four youngest was not cut, because two of them are ill."""
    release = hr.anonymize(AGES, SCHEMA, require=hr.AlphaK(0.5, 2, "ill", value="yes"))
    people = read_people(release, AGES, AGES)
    finer = finer_groups(people, 2)
    (sizes,) = finer.sizes.values()
    assert sizes.tolist() == [2, 2]
    assert finer.group.tolist() == [0, 0, 1, 1, -1, -1, -1]
    assert not finer.together
    assert finer.remarks == ()


@pytest.mark.parametrize(
    ("method", "remark"), [("optimal", None), ("kactus", "kactus cannot be run without labels: mondrian stands in")]
)
def test_which_method_is_run_again(method: str, remark: str | None) -> None:
    people = AGES.append_column("sex", pa.array(list("FMFMFMF")))
    schema = hr.Schema(quasi=["age"], sensitive=["ill"], target="sex")
    release = hr.anonymize(people, schema, method=method, k=2, require="l=2@ill")
    finer = finer_groups(read_people(release, people, people), 2)
    assert finer.together == (method == "optimal")
    assert [one for one in finer.remarks if "stands in" in one] == ([] if remark is None else [f"{remark} for it"])


def test_people_who_fit_several_classes_are_put_in_the_tightest() -> None:
    """Everybody fits the class that says nothing; three fit one of their own, and are put there."""
    towns = pa.table({"town": ["Bonn"] * 3 + ["Kiel", "Ulm", "Bern"]})
    schema = hr.Schema(quasi=["town"], hierarchies={"town": {"*": ["Bern", "Bonn", "Kiel", "Ulm"]}})
    release = hr.anonymize(towns, schema, k=3)
    assert sorted(set(release.table["town"].to_pylist())) == ["*", "Bonn"]
    people = read_people(release, towns, towns)
    of_class, known = _classes(people)
    assert known.all()
    own = of_class[people.distinct[1]][:6]
    assert len(set(own[:3].tolist())) == len(set(own[3:].tolist())) == 1
    assert own[0] != own[3]


def test_a_domain_without_what_nobody_holds() -> None:
    numbers = Domain("age", "number", np.array(["1", "5", "9"]), np.array([1.0, 5, 9]), has_missing=True)
    kept, code = _restricted(numbers, np.array([2, 0, 1, 3]))
    assert (kept.labels.tolist(), kept.has_missing) == (["1", "9"], True)
    assert code.tolist() == [0, 0, 1, 2]
    words = Domain("town", "text", np.array(["Bonn", "Kiel"]))
    assert _restricted(words, np.array([0, 4]))[1].tolist() == [-1, 0]
