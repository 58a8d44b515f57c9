"""What was kept of each column, by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.release import Release
from hedgerow.report.facts import gather
from hedgerow.report.facts.figures import Edition
from hedgerow.report.facts.sections import Columns


def found(release: Release, edition: Edition = "internal") -> Columns:
    return gather(release, edition=edition).columns


@pytest.fixture(scope="module")
def release() -> Release:
    """Of towns Ulm (4,000) stays, Bern and Bonn (2,000 each) become a set; each town has 60 % women."""
    towns = [("Ulm", 4_000), ("Bern", 2_000), ("Bonn", 2_000)]
    rows = [(town, sex) for town, times in towns for sex in ["F"] * (times * 6 // 10) + ["M"] * (times * 4 // 10)]
    table = pa.table({"town": [town for town, _ in rows], "sex": [sex for _, sex in rows], "ill": ["y", "n"] * 4_000})
    return hr.anonymize(table, hr.Schema(quasi=["town"], target="ill", sensitive=["sex"]), k=3_000)


def test_bits_and_width(release: Release) -> None:
    """12,000 bits say the towns (4,000 · 1 + 4,000 · 2); 4,000 are missing. The set is half of all other towns."""
    town = found(release).columns[0]
    assert (town.name, town.role, town.kind) == ("town", "quasi-identifier", "text")
    assert town.entropy_kept is not None
    assert town.ncp is not None
    assert town.suppressed is not None
    assert town.entropy_kept.value == pytest.approx(8 / 12, abs=0.005)
    assert town.ncp.value == pytest.approx(0.25)
    assert town.suppressed.value == 0
    assert town.published_as == "sets of values (50 %), values (50 %)"


def test_distinction_and_separation(release: Release) -> None:
    """After: two cells of 4,000; before: towns of 4,000, 2,000 and 2,000. Half of the pairs, then 5/8 of them."""
    town = found(release).columns[0]
    assert town.separation is not None
    assert town.separation_before is not None
    assert town.distinction is not None
    assert town.distinction.value == pytest.approx(2 / 8_000)
    assert town.separation.value == pytest.approx(0.5, abs=1e-3)
    assert town.separation_before.value == pytest.approx(5 / 8, abs=0.01)


def test_columns_in_clear_follow(release: Release) -> None:
    facts = found(release)
    assert [(one.name, one.role) for one in facts.columns] == [
        ("town", "quasi-identifier"),
        ("ill", "target"),
        ("sex", "sensitive"),
    ]
    sex = facts.columns[2]
    assert [(bar.label, bar.before, bar.after) for bar in sex.bars] == [("F", 0.6, 0.6), ("M", 0.4, 0.4)]
    assert (sex.ncp, sex.separation, sex.published_as) == (None, None, "unchanged values")
    assert (facts.pooled_to, facts.counted) == (3_000, "rows")


def test_which_column_identifies_most() -> None:
    table = pa.table({"sex": ["F", "M"] * 20, "age": list(range(20, 60)), "x": ["x"] * 40})
    facts = found(hr.anonymize(table, hr.Schema(quasi=["sex", "age", "x"]), k=20))
    assert facts.identified_most == "age"
    assert facts.identifies_most in ("age", "sex")
    alike = found(hr.anonymize(table.select(["x"]), hr.Schema(quasi=["x"]), k=20))
    assert (alike.identifies_most, alike.identified_most) == (None, None)


def test_a_target_of_numbers_comes_in_ranges() -> None:
    table = pa.table({"sex": ["F", "M"] * 50, "hours": [at % 50 for at in range(100)]})
    for edition in ("internal", "public"):
        facts = found(hr.anonymize(table, hr.Schema(quasi=["sex"], target="hours"), k=10), edition)
        assert {bar.kind for bar in facts.columns[1].bars} == {"range"}
        assert facts.columns[1].kind == "number"


def test_what_is_lost_is_not_after() -> None:
    """Ten people of towns of their own are left out, all of them ill."""
    towns = ["Ulm"] * 990 + [f"t{at}" for at in range(10)]
    table = pa.table({"town": towns, "ill": ["n"] * 890 + ["y"] * 110})
    schema = hr.Schema(quasi=["town"], target="ill", hierarchies={"town": "flat"})
    release = hr.anonymize(table, schema, method="datafly", k=20, suppression_limit=0.01)
    ill = found(release).columns[1]
    assert [(bar.label, bar.before, bar.after) for bar in ill.bars] == [("n", 0.89, 0.9), ("y", 0.11, 0.1)]


def test_people_and_not_rows_decide_what_is_named() -> None:
    """Anna alone comes to Kiel, twelve times."""
    who = ["Anna"] * 12 + [f"p{at}" for at in range(12)]
    table = pa.table(
        {"who": who, "town": ["Kiel"] * 12 + ["Ulm"] * 6 + ["Bern"] * 6, "ill": ["rare"] * 12 + ["flu"] * 12}
    )
    schema = hr.Schema(quasi=["town"], sensitive=["ill"], entity="who", identifying=["who"], accept=["ill"])
    release = hr.anonymize(table, schema, k=3, random_state=1)
    for edition in ("internal", "public"):
        text = repr(gather(release, edition=edition))
        assert "Kiel" not in text
        assert "rare" not in text
    assert found(release).counted == "people"
    assert found(release, "public").columns[1].bars == ()


def test_too_few_to_show() -> None:
    table = pa.table({"town": ["Ulm", "Bern", "Kiel"]})
    facts = found(hr.anonymize(table, hr.Schema(quasi=["town"]), k=3))
    assert facts.columns[0].bars == ()
    assert facts.columns[0].bars_note.startswith("Too few people")


def test_what_proportions_tell_is_what_a_reader_would_reckon() -> None:
    """Of 4,000 people 3,000 are of Bern, and 1,000 are 60. Hidden cells leave it open; proportions tell it."""
    towns = ["Bern"] * 3_000 + ["Bonn"] * 600 + ["Ulm"] * 400
    table = pa.table({"town": towns, "age": [60, 20, 20, 20] * 1_000, "ill": ["y", "n"] * 2_000})
    schema = hr.Schema(quasi=["town", "age"], target="ill", hierarchies={"town": "flat", "age": "flat"})

    bars = {}
    for told in (False, True):
        release = hr.anonymize(table, schema, method="datafly", k=500, publish_proportions=told)
        town, age = found(release).columns[:2]
        bars[told] = [{bar.label: (bar.before, bar.after) for bar in one.bars} for one in (town, age)]

    assert bars[False][0] == {"Bern": (0.75, 0.0), "others": (0.25, 0.0), "*": (0.0, 1.0)}
    # In the smaller class too few are of Ulm to be told apart from the others.
    assert bars[True][0] == {"Bern": (0.75, 0.73), "others": (0.25, 0.27)}
    assert bars[True][1] == bars[False][1]
