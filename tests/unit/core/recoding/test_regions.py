"""What groups publish as regions: written as sets, intervals and labels, and what is refused."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr

TOWNS = {"anywhere": {"north": ["Ulm", "Bern"], "south": ["Nice", "Bari", "Pisa"]}}


def cells(values: list[Any], column: str = "x", k: int = 2, **options: Any) -> list[Any]:
    """What the groups of one column publish."""
    schema = hr.Schema(quasi=[column], **options.pop("schema", {}))
    release = hr.anonymize(pa.table({column: values}), schema, method="mondrian", k=k, cells="region", **options)
    return [release.recoding.columns[0].texts[at] for at in release.recoding.groups[:, 0]]


def two_columns(**options: Any) -> set[tuple[Any, ...]]:
    """Young people live in Ulm and Nice, old ones in Bari; the ages between are held by nobody young."""
    table = pa.table(
        {
            "town": ["Ulm", "Ulm", "Nice", "Nice", "Bari", "Bari", "Bari", "Bari"],
            "age": [20, 22, 20, 22, 60, 61, 80, 81],
        }
    )
    release = hr.anonymize(table, hr.Schema(quasi=["town", "age"]), method="mondrian", k=4, **options)
    return {tuple(row.values()) for row in release.table.to_pylist()}


def test_a_region_names_what_nobody_in_the_group_holds() -> None:
    assert two_columns() == {("{Nice|Ulm}", "[20,23)"), ("Bari", "[60,81]")}
    assert two_columns(cells="region") == {("*", "[20,23)"), ("*", "[60,81]")}


def test_a_set_of_all_values_says_nothing() -> None:
    assert cells(["a", "b", "c"]) == ["*"]
    assert cells([1, 2, 3], publish="set") == ["*"]
    assert cells(["a", "a", "a"]) == ["a"]


def test_intervals_with_a_missing_value_say_nothing() -> None:
    assert cells([1, 2, 3, None], k=4) == ["*"]
    assert cells([1, 2, None, None]) == ["[1,2]", None]
    assert cells([dt.date(1990, 1, 5), dt.date(1990, 1, 7), None], k=3) == ["*"]


def test_dates_labels_and_orders() -> None:
    days = [dt.date(1990, 1, 5), dt.date(1990, 1, 7), dt.date(1991, 5, 1), dt.date(1991, 6, 2)]
    assert cells(days) == ["[1990-01-05,1990-01-08)", "[1991-05-01,1991-06-03)"]
    towns = ["Ulm", "Bern", "Nice", "Pisa"]
    assert sorted(cells(towns, schema={"hierarchies": {"x": TOWNS}})) == ["north", "south"]
    sizes = {"kinds": {"x": ["S", "M", "L", "XL"]}}
    assert cells(["S", "M", "L", "XL"], schema=sizes) == ["{S|M}", "{L|XL}"]
    assert cells(["S", "M", "L", "XL"], k=4, schema=sizes) == ["*"]


def test_values_of_lost_records_are_in_no_region() -> None:
    table = pa.table({"age": [20, 21, 22, 23, 90], "town": ["a", "b", "a", "b", "far"]})
    release = hr.anonymize(
        table, hr.Schema(quasi=["age", "town"]), method="mondrian", k=2, cells="region", suppression_limit=1
    )
    assert release.recoding.lost == 1
    texts = [text for column in release.recoding.columns for text in column.texts]
    assert not [text for text in texts if "far" in str(text) or "90" in str(text)]


def test_shields_hold_and_unseen_rows_are_recoded() -> None:
    people = hr.datasets.make_census(300, random_state=2)
    schema = hr.Schema(quasi=["age", "sex", "education"], sensitive=["disease"], others="drop")
    release = hr.anonymize(
        people, schema, method="mondrian", k=3, require=["k=9@sex,age", "l=2@disease"], cells="region"
    )
    assert release.audit.k >= 3
    unseen = pa.table({"age": [19, 200], "sex": ["Female", "unheard of"], "education": ["Master", None]})
    known = {text for column in release.recoding.columns for text in column.texts}
    recoded = release.recoding.transform(unseen).to_pylist()
    assert {cell for row in recoded for cell in row.values()} <= known


def test_regions_that_would_name_too_many_values_are_refused() -> None:
    # Two regions of more than a thousand names: nothing but the column's own order parts them.
    names = [f"{at:05}" for at in range(2400)]
    with pytest.raises(hr.BadInput, match=r"'x' is shown as sets, and a region of it would name 1,\d\d\d values"):
        cells(names, k=1100, schema={"kinds": {"x": "text"}})


@pytest.mark.parametrize("name", ["improve", "relaxed"])
def test_groups_without_regions_are_refused(name: str) -> None:
    with pytest.raises(hr.BadInput, match=f"With {name}=True groups .* Leave {name} out, or say cells='held'"):
        cells([1, 2, 3], improve=name == "improve", relaxed=name == "relaxed")


def test_hedge_publishes_the_regions_of_its_boxes() -> None:
    people = hr.datasets.make_census(200, random_state=3).select(["age", "sex", "income"])
    schema = hr.Schema(quasi=["age", "sex"], target="income")
    told: dict[str, Any] = {"method": "hedge", "k": 10, "random_state": 0, "publish_proportions": False}
    held, region = (hr.anonymize(people, schema, cells=cells, **told) for cells in ("held", "region"))
    assert region.audit.classes.number == held.audit.classes.number
    assert region.losses["ncp_published"] > held.losses["ncp_published"]
    with pytest.raises(hr.BadInput, match="Groups along axes are not boxes"):
        hr.anonymize(people, schema, cells="region", shape="axis", **told)
