"""Why a release shows no more: reasons that can be counted by hand."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.core.recoding import Pieces, publish_groups, shown_as
from hedgerow.errors import BadInput
from hedgerow.release._explaining import Reasons

# Four ages in two decades; flu is all that the younger have.
PEOPLE = pa.table(
    {
        "age": [21, 21, 21, 24, 31, 31, 31, 38, 38, 38],
        "sex": ["F"] * 10,
        "ill": ["flu", "flu", "flu", "flu", "flu", "cold", "pox", "flu", "cold", "pox"],
    }
)
SCHEMA = hr.Schema(quasi=["age", "sex"], sensitive=["ill"], hierarchies={"age": "intervals:5,10"})


def cells(release: hr.Release, **row: Any) -> dict[str, tuple[str, str | None, str | None, int | None]]:
    (found,) = release.explain(row).classes
    return {cell.column: (cell.because, cell.requirement, cell.finer, cell.records) for cell in found.cells}


def test_what_forbids_to_divide_a_class() -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=3, method="mondrian", random_state=0)
    shown = Counter(release.table["age"].to_pylist())
    assert shown == {"[20,25)": 4, "31": 3, "38": 3}

    younger = release.explain({"age": 24, "sex": "F"})
    assert (younger.records, younger.left_out) == (1, 0)
    assert (younger.classes[0].records, younger.classes[0].of_row) == (4, 1)
    assert cells(release, age=24, sex="F") == {
        "age": ("requirement", "3-anonymity", "24", 1),
        "sex": ("exact", None, None, None),
    }
    # Of the same class, three records could be shown, but then the fourth would be alone.
    assert cells(release, age=21, sex="F")["age"] == ("requirement", "3-anonymity", "21", 3)
    assert cells(release, age=38, sex="F")["age"] == ("exact", None, None, None)


def test_a_class_of_one_value() -> None:
    table = pa.table({"age": [21, 21, 24, 38, 38, 38]})
    schema = hr.Schema(quasi=["age"], hierarchies={"age": "intervals:5,10"})
    release = hr.anonymize(table, schema, k=3, method="datafly")
    reasons = release.reasons
    assert release.recoding.levels == {"age": 1}

    # Of [20,25), the 24 would be alone; [35,40] holds only 38, but the whole column has one level.
    assert [str(one) for one in reasons.requirements] == ["3-anonymity"]
    local = Reasons(reasons.counts, replace(release.recoding, levels=None), reasons.requirements)
    (young,), (old,) = (local.explained([code]).classes for code in (0, 2))
    assert young.cells[0].because == "requirement"
    assert (old.cells[0].because, old.cells[0].published) == ("alike", "[35,40]")
    assert old.cells[0].text == "Everybody in the class has the same value."


def test_the_first_requirement_that_forbids_it() -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=2, require=["l=2@ill"], method="mondrian", random_state=0)

    reasons = release.reasons
    places = {str(requirement): place for place, requirement in enumerate(reasons.requirements)}
    assert set(places) == {"2-anonymity", "2-diversity of ill"}
    # The younger have only flu: they must be with others, although they are four.
    found = cells(release, age=21, sex="F")["age"]
    assert found[:2] == ("requirement", "2-diversity of ill")


def test_a_method_that_could_have_shown_more() -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=3, method="optimal", random_state=0)
    assert release.recoding.levels is not None
    coarse = Reasons(release.reasons.counts, _everybody(release), release.reasons.requirements)

    (found,) = coarse.explained(_codes(release, 38)).classes

    assert (found.cells[0].because, found.cells[0].requirement) == ("method", None)
    assert found.cells[0].finer == "[30,40]"
    assert found.cells[0].records == 6
    assert "would meet all requirements: optimal chose otherwise." in found.cells[0].text


def _everybody(release: hr.Release) -> Any:
    """A recoding that puts all records into one class, for no reason."""
    counts = release.reasons.counts
    pieces = Pieces.whole(np.zeros(len(counts.cell_sizes), dtype=np.int32), counts.cell_sizes)
    columns, groups = publish_groups(counts, pieces, 1, shown_as(counts, "set"))
    return replace(
        release.recoding, columns=columns, groups=groups, sizes=np.array([10]), pieces=pieces, levels=None, router=None
    )


def _codes(release: hr.Release, age: int) -> list[int]:
    labels = release.reasons.counts.domains["age"].labels.tolist()
    return [labels.index(str(age)), 0]


def test_a_whole_column_goes_one_level_down() -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=3, method="optimal", random_state=0)
    assert release.recoding.levels == {"age": 1, "sex": 0}

    (found,) = release.explain({"age": 24, "sex": "F"}).classes

    age, sex = found.cells
    assert (age.because, age.requirement, age.finer) == ("requirement", "3-anonymity", None)
    # Only 24 would be too small a class.
    assert age.text == "With one level less in the whole column, 1 record would violate 3-anonymity."
    assert sex.because == "exact"


def test_records_that_are_left_out() -> None:
    table = pa.table({"age": [20] * 5 + [40] * 5 + [90], "sex": ["F"] * 11, "ill": ["flu"] * 11})
    schema = hr.Schema(quasi=["age", "sex"], sensitive=["ill"], hierarchies={"age": "flat"})
    release = hr.anonymize(table, schema, k=5, method="optimal", suppression_limit=1)
    assert release.facts["rows_lost"] == 1

    explanation = release.explain({"age": 90, "sex": "F"})

    assert (explanation.records, explanation.left_out, explanation.classes) == (1, 1, ())
    assert explanation.requirement == "5-anonymity"
    assert str(explanation) == "1 of 1 record left out: alone they violate 5-anonymity\n"
    assert release.explain({"age": 20, "sex": "F"}).left_out == 0


def test_a_requirement_of_some_columns() -> None:
    table = pa.table({"age": [20, 20, 21, 21] * 3, "zip": ["1", "2", "1", "2"] * 3})
    require = [hr.KAnonymity(2), hr.KAnonymity(12, shield=["zip"])]
    schema = hr.Schema(quasi=["age", "zip"], hierarchies={"age": "flat", "zip": "flat"})
    release = hr.anonymize(table, schema, require=require, method="optimal")
    assert release.recoding.levels == {"age": 0, "zip": 1}

    (found,) = release.explain({"age": 20, "zip": "1"}).classes

    assert found.cells[1].requirement == "12-anonymity of zip"
    assert found.cells[1].text.startswith("With one level less in the whole column, 12 records would violate")


def test_people_are_counted_where_the_release_counts_them() -> None:
    visits = pa.table({"patient": ["a"] * 4 + ["b"] * 4 + ["c", "d"], "age": [20] * 4 + [21] * 4 + [30, 30]})
    schema = hr.Schema(quasi=["age"], entity="patient", hierarchies={"age": "intervals:5,10,20"})
    release = hr.anonymize(visits, schema, k=2, method="optimal")

    (found,) = release.explain({"age": 20}).classes

    # By rows, [20,21) would be a class of four.
    assert found.cells[0].requirement == "2-anonymity of people"


@pytest.mark.parametrize("method", ["mondrian", "kactus", "optimal", "k-member", "tds", "hedge", "greedy"])
def test_every_record_of_every_method_is_explained(method: str) -> None:
    people = hr.datasets.make_census(300, random_state=5)
    schema = hr.Schema(quasi=["age", "sex", "education"], target="income", others="drop")
    release = hr.anonymize(people, schema, method=method, k=5, suppression_limit=0.1, random_state=0)

    reasons = release.reasons
    assert reasons.sizes.sum() == release.classes.rows
    assert sorted(reasons.sizes.tolist()) == sorted(release.classes.sizes.tolist())
    for row in people.slice(0, 40).to_pylist():
        explanation = release.explain(row)
        assert explanation.records == explanation.left_out + sum(found.of_row for found in explanation.classes)
        for found in explanation.classes:
            assert found.records >= 5
            for cell in found.cells:
                assert (cell.requirement is not None) == (cell.because == "requirement")
                assert cell.text.endswith(".")


def test_values_are_given_as_in_the_original() -> None:
    table = pa.table({"zip": ["01067", "01067", None, None], "born": pa.array(["2000-01-01"] * 4)})
    release = hr.anonymize(table, hr.Schema(quasi=["zip", "born"], kinds={"born": "date"}), k=2)

    for row in ({"zip": "01067", "born": "2000-01-01", "other": 1}, {"zip": None, "born": "2000-01-01"}):
        assert release.explain(row).records == 2
    assert release.explain({"zip": "", "born": "2000-01-01"}).records == 2


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"age": 21}, "There is no column 'sex'.*must have all quasi-identifiers"),
        ({"age": 99, "sex": "F"}, "No record of the table has this value of 'age'"),
        ({"age": "x", "sex": "F"}, "No record of the table has this value of 'age'"),
        ({"age": None, "sex": "F"}, "No record of the table has this value of 'age'"),
        ({"age": [1], "sex": "F"}, "No record of the table has this value of 'age'"),
        (["21", "F"], "'row' parameter of Release.explain must be a mapping"),
    ],
)
def test_rows_that_are_not_there(row: Any, message: str) -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=3)

    with pytest.raises(BadInput, match=message):
        release.explain(row)


def test_a_combination_that_is_not_there() -> None:
    table = pa.table({"age": [20, 20, 30, 30], "sex": ["F", "F", "M", "M"]})

    with pytest.raises(BadInput, match="No record of the table has these quasi-identifiers") as caught:
        hr.anonymize(table, hr.Schema(quasi=["age", "sex"]), k=2).explain({"age": 20, "sex": "M"})
    assert "20" not in str(caught.value)


def test_a_loaded_release_knows_no_reasons(tmp_path: Path) -> None:
    path = hr.anonymize(PEOPLE, SCHEMA, k=3).save(tmp_path / "out.csv")

    with pytest.raises(BadInput, match=r"The release was loaded\. Only a fresh release"):
        hr.Release.load(path).explain({"age": 21, "sex": "F"})


def test_the_file_is_private(tmp_path: Path) -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=3, method="mondrian", random_state=0)

    path = release.reasons.save(tmp_path / "why.json")

    assert path.stat().st_mode & 0o777 == 0o600
    stored = json.loads(path.read_text())
    assert stored["private"] is True
    assert stored["notice"].startswith("PRIVATE")
    assert stored["requirements"] == ["3-anonymity"]
    assert sum(one["records"] for one in stored["classes"]) == 10
    young = next(one for one in stored["classes"] if one["cells"][0]["published"] == "[20,25)")
    assert young["cells"][0] == {
        "column": "age",
        "published": "[20,25)",
        "because": "requirement",
        "requirement": "3-anonymity",
        "text": "Divided here, the class would violate 3-anonymity.",
    }
    assert "private" in repr(release.explain({"age": 21, "sex": "F"}))
