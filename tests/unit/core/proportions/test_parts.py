"""Parts: every record of a class is in one of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.core.proportions import parts_of, shares_of_parts
from hedgerow.hierarchies import EncodedHierarchy, dates, flat, intervals
from hedgerow.io.domains import Domain

AGES = Domain("age", "number", np.array(["21", "25", "34"]), np.array([21.0, 25, 34]), has_missing=True)


def test_the_finest_intervals_of_numbers() -> None:
    parts = parts_of(AGES, intervals([20, 30, 40]).encode(AGES))
    assert [parts.labels[part] for part in parts.part_of_code] == ["[20,30)", "[20,30)", "[30,40]", r"\N"]
    assert parts.low is not None
    assert parts.high is not None
    ends = dict(zip(parts.labels, zip(parts.low.tolist(), parts.high.tolist(), strict=True), strict=True))
    assert ends["[20,30)"] == (20, 30)
    assert np.isnan(ends[r"\N"][0])


@pytest.mark.parametrize("hierarchy", [None, flat().encode(AGES)])
def test_numbers_without_groups_are_parts_themselves(hierarchy: EncodedHierarchy | None) -> None:
    assert parts_of(AGES, hierarchy).labels == ("21", "25", "34", r"\N")


def test_categories_are_parts_themselves_whatever_their_groups() -> None:
    towns = Domain("town", "text", np.array(["Bern", "Ulm"]))
    hierarchy = hr.hierarchies.taxonomy({"*": {"CH": ["Bern"], "DE": ["Ulm"]}}).encode(towns)
    assert parts_of(towns, hierarchy).labels == ("Bern", "Ulm")


def test_dates_have_the_calendar() -> None:
    days = Domain(
        "day", "date", np.array(["2020-01-03", "2020-01-20", "2021-05-01"]), np.array([18264.0, 18281, 18748])
    )
    parts = parts_of(days, dates().encode(days))
    assert parts.part_of_code.tolist() == [0, 0, 1]


def test_shares_add_up_to_one_in_every_column() -> None:
    people = pa.table({"age": list(range(20, 60)), "sex": ["F", "M", None, "M"] * 10})
    release = hr.anonymize(people, hr.Schema(quasi=["age", "sex"]), k=4, publish_proportions=True)
    assert release.proportions is not None
    names, shares = shares_of_parts(release.proportions, release.hierarchies)
    assert shares.shape == (len(release.proportions.sizes), len(names))
    for column in ("age", "sex"):
        own = [at for at, name in enumerate(names) if name.startswith(f"{column}=")]
        np.testing.assert_allclose(shares[:, own].sum(axis=1), 1.0)
    assert {"sex=F", "sex=M", r"sex=\N"} <= set(names)


def test_the_given_hierarchy_decides() -> None:
    people = pa.table({"age": [20, 25, 31, 38] * 4})
    schema = hr.Schema(quasi=["age"], hierarchies={"age": intervals([20, 30, 40])})
    release = hr.anonymize(people, schema, method="datafly", k=16, publish_proportions=True, min_support=4)
    assert release.proportions is not None
    names, shares = shares_of_parts(release.proportions, release.hierarchies)
    assert dict(zip(names, shares[0].tolist(), strict=True)) == {"age=[20,30)": 0.5, "age=[30,40]": 0.5}
