"""What was left out, by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.release import Release
from hedgerow.report.facts import gather
from hedgerow.report.facts.figures import Edition
from hedgerow.report.facts.sections import Suppression


def left_out(release: Release, edition: Edition = "internal") -> Suppression:
    found = gather(release, edition=edition).suppression
    assert found is not None
    return found


@pytest.fixture
def lossy() -> Release:
    """900 people of Ulm and 90 of Bern stay; ten, each in a town of their own, are left out: nine of them ill."""
    towns = ["Ulm"] * 900 + ["Bern"] * 90 + [f"t{at}" for at in range(10)]
    ill = ["no"] * 800 + ["yes"] * 190 + ["yes"] * 9 + ["no"]
    people = pa.table({"town": towns, "ill": ill})
    schema = hr.Schema(quasi=["town"], target="ill", hierarchies={"town": "flat"})
    return hr.anonymize(people, schema, method="datafly", k=20, suppression_limit=0.01)


def test_rows_that_are_left_out(lossy: Release) -> None:
    found = left_out(lossy)
    assert found.rows is not None
    assert (found.rows.value, found.rows.text) == (0.01, "1 %")
    assert found.rows.meaning.startswith("Of 1,000 rows 10 were left out")
    assert found.cells.value == 0.01


def test_by_label_before_and_after(lossy: Release) -> None:
    """9 of 199 with 'yes' are left out, and 1 of 801 with 'no': told in whole percents."""
    no, yes = left_out(lossy).labels
    assert (no.label, no.share, no.cells, no.rows) == ("no", 0.808, 0.0, 0.0)
    assert (yes.label, yes.share, yes.rows) == ("yes", 0.192, 0.05)
    assert [one.rows for one in left_out(lossy, "public").labels] == [None, None]


def test_hidden_cells_by_label() -> None:
    """All towns are hidden; ages are shown. So half of the cells are hidden whatever the label is."""
    people = pa.table({"town": [f"t{at}" for at in range(40)], "age": [20] * 20 + [60] * 20, "ill": ["y", "n"] * 20})
    schema = hr.Schema(quasi=["town", "age"], target="ill", hierarchies={"town": "flat"})
    found = left_out(hr.anonymize(people, schema, method="datafly", k=20))
    assert [(one.label, one.share, one.cells, one.rows) for one in found.labels] == [
        ("n", 0.5, 0.5, 0.0),
        ("y", 0.5, 0.5, 0.0),
    ]


def test_labels_of_few_are_told_together() -> None:
    people = pa.table({"town": ["Ulm"] * 40, "ill": ["a"] * 20 + ["b"] * 17 + ["c", "d", "e"]})
    found = left_out(hr.anonymize(people, hr.Schema(quasi=["town"], target="ill"), k=4))
    assert [(one.label, one.kind) for one in found.labels] == [("a", "value"), ("others", "others")]
    assert found.labels_note == "Labels that fewer than 4 rows have are shown together as others."


@pytest.mark.parametrize("labels", [[1.5] * 30 + [2.25] * 20, [True] * 30 + [False] * 20, [None] * 20 + ["x"] * 30])
def test_labels_of_any_type_are_found_again(labels: list[object]) -> None:
    """Two rows of each label are in a town of their own, and left out."""
    towns = np.array(["Ulm"] * 50, dtype=object)
    towns[[0, 1, 48, 49]] = ["a", "b", "c", "d"]
    people = pa.table({"town": towns.tolist(), "ill": labels})
    schema = hr.Schema(quasi=["town"], target="ill", hierarchies={"town": "flat"})
    made = hr.anonymize(people, schema, method="datafly", k=10, suppression_limit=0.1)
    assert made.facts["rows_lost"] == 4
    assert [one.rows for one in left_out(made).labels] == [0.1, 0.1]


def test_no_target_and_a_target_of_few() -> None:
    people = pa.table({"town": ["Ulm"] * 6, "ill": list("abcdef")})
    found = left_out(hr.anonymize(people, hr.Schema(quasi=["town"], others="drop"), k=3))
    assert (found.labels, found.labels_note[:25]) == ((), "No column was named as ta")
    found = left_out(hr.anonymize(people, hr.Schema(quasi=["town"], target="ill"), k=3))
    assert (found.labels, found.labels_note) == ((), "Too few people share a label of 'ill' to show labels.")


def test_labels_of_people_are_not_told_where_nobody_knows_whose_rows_are() -> None:
    visits = pa.table({"who": [f"p{at // 3}" for at in range(30)], "town": ["Ulm"] * 30, "ill": ["y", "n", "n"] * 10})
    schema = hr.Schema(quasi=["town"], target="ill", entity="who", identifying=["who"])
    made = hr.anonymize(visits, schema, k=5, random_state=1)
    assert len(left_out(made).labels) == 2
    assert left_out(made, "public").labels == ()
