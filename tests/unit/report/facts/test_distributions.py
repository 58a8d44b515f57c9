"""Distributions that can be solved by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.io.domains import Domain
from hedgerow.release import Release
from hedgerow.report.facts import gather
from hedgerow.report.facts._distributions import Holders, Precision, bars_in_clear, bars_published
from hedgerow.report.facts.figures import Bar, Edition
from hedgerow.report.facts.sections import ColumnFacts

TOWNS = {"*": {"north": ["Kiel", "Ulm"], "south": ["Bern", "Nice"]}}


def column(release: Release, name: str, edition: Edition = "internal") -> ColumnFacts:
    return next(one for one in gather(release, edition=edition).columns.columns if one.name == name)


def shown(bars: tuple[Bar, ...]) -> list[tuple[str, float | None, float]]:
    return [(one.label, one.before, one.after) for one in bars]


def many(rows: list[tuple[int, dict[str, object]]]) -> pa.Table:
    """So many rows of each kind."""
    return pa.Table.from_pylist([row for times, row in rows for _ in range(times)])


def test_a_label_is_spread_over_the_values_below_it() -> None:
    """All four towns would be told as 25 %. Kiel has too few people, and so Nice is told with it."""
    rows = [(1_200, "Ulm"), (800, "Kiel"), (1_000, "Bern"), (1_000, "Nice")]
    people = many([(times, {"town": town}) for times, town in rows])
    schema = hr.Schema(quasi=["town"], hierarchies={"town": TOWNS})
    found = column(hr.anonymize(people, schema, method="datafly", k=900), "town")
    assert shown(found.bars) == [("Ulm", 0.3, 0.25), ("Bern", 0.25, 0.25), ("others", 0.45, 0.5)]
    assert found.published_as == "labels (100 %)"


def test_values_of_few_are_others_and_hidden_cells_are_a_bar() -> None:
    """Two towns of one person each are told together with the next rarest one."""
    towns = ["Ulm"] * 6 + ["Bern"] * 4 + ["Kiel", "Nice"]
    schema = hr.Schema(quasi=["town"], hierarchies={"town": "flat"})
    release = hr.anonymize(pa.table({"town": towns}), schema, method="datafly", k=4)
    found = column(release, "town")
    assert [bar.label for bar in found.bars] == ["Ulm", "others", "*"]
    assert [bar.kind for bar in found.bars] == ["value", "others", "suppressed"]
    assert [bar.before for bar in found.bars] == [0.5, 0.5, 0.0]
    assert [bar.after for bar in found.bars] == [0.0, 0.0, 1.0]
    assert column(release, "town", "public").bars == (Bar("*", "suppressed", None, 1.0),)


def test_ranges_before_and_after() -> None:
    """100 people at each age of 20, 22, …, 58. Classes of 500 are [20,30), [30,40), …: the same ranges."""
    ages = [age for age in range(20, 60, 2) for _ in range(100)]
    found = column(hr.anonymize(pa.table({"age": ages}), hr.Schema(quasi=["age"]), k=500), "age")
    assert {bar.kind for bar in found.bars} == {"range"}
    assert sum(bar.before or 0 for bar in found.bars) == pytest.approx(1)
    assert sum(bar.after for bar in found.bars) == pytest.approx(1)
    assert all(bar.label.lstrip("<≥[").split(",")[0].isdigit() for bar in found.bars)


def test_an_interval_is_spread_over_ranges() -> None:
    """All are published as [0,40). 600 of 1,000 people are 0 to 9, of whom a reader knows no more than a quarter."""
    ages = [age for age in range(40) for _ in range(60 if age < 10 else 13)] + [39] * 10
    schema = hr.Schema(quasi=["age"], hierarchies={"age": hr.hierarchies.intervals([0, 40])})
    found = column(hr.anonymize(pa.table({"age": ages}), schema, method="datafly", k=20), "age")
    below_ten = [bar for bar in found.bars if bar.label in ("<5", "[5,10)")]
    assert [bar.before for bar in below_ten] == [0.3, 0.3]
    assert [bar.after for bar in below_ten] == pytest.approx([0.125, 0.125], abs=0.01)


def test_what_is_missing_is_told_if_enough_lack_it() -> None:
    ages = [*range(20, 40)] * 50 + [None] * 300
    found = column(hr.anonymize(pa.table({"age": pa.array(ages)}), hr.Schema(quasi=["age"]), k=20), "age")
    assert found.bars[-1].label == "no value"
    assert found.bars[-1].before == pytest.approx(300 / 1_300, abs=0.01)


def test_too_few_without_a_value_are_told_with_a_range() -> None:
    ages = [*range(20, 40)] * 50 + [None] * 2
    found = column(hr.anonymize(pa.table({"age": pa.array(ages)}), hr.Schema(quasi=["age"]), k=20), "age")
    assert "no value" not in [bar.label for bar in found.bars]
    assert found.bars[-1].kind == "others"


def test_many_values_are_told_by_the_labels_above_them() -> None:
    zips = [f"{area}{at:02}" for area in (100, 200, 300) for at in range(10) for _ in range(5)]
    schema = hr.Schema(quasi=["zip"], hierarchies={"zip": "masking:2,3"}, kinds={"zip": "text"})
    found = column(hr.anonymize(pa.table({"zip": zips}), schema, k=10), "zip")
    assert [bar.label for bar in found.bars] == ["100**", "200**", "300**"]
    assert [bar.before for bar in found.bars] == [0.3, 0.3, 0.3]


def test_ordered_values_stay_in_their_order() -> None:
    triage = ["green"] * 30 + ["yellow"] * 50 + ["red"] * 20
    schema = hr.Schema(quasi=["triage"], kinds={"triage": ["green", "yellow", "red"]})
    found = column(hr.anonymize(pa.table({"triage": triage}), schema, k=5), "triage")
    assert [bar.label for bar in found.bars] == ["green", "yellow", "red"]
    assert found.kind == "order"


def test_sets_are_never_named_in_the_public_edition() -> None:
    """{Kiel|Nice} would name towns of two people each."""
    towns = ["Ulm"] * 6 + ["Kiel"] * 2 + ["Nice"] * 2
    release = hr.anonymize(pa.table({"town": towns}), hr.Schema(quasi=["town"]), k=4)
    assert "{Kiel|Nice}" in release.table["town"].to_pylist()
    found = column(release, "town", "public")
    assert shown(found.bars) == [("Ulm", None, 0.6), ("several values", None, 0.4)]
    assert found.published_as == "values or labels (60 %), sets of values (40 %)"


def test_a_column_in_clear_is_named_where_enough_hold_it() -> None:
    domain = Domain("ill", "text", np.array(["cold", "flu", "rare"]))
    held = Holders(np.arange(3), np.array([5, 4, 1]), 3)
    bars = bars_in_clear(domain, held, np.array([5, 4, 1]), Precision(3, 3), before=True)
    assert shown(bars) == [("cold", 0.5, 0.5), ("others", 0.5, 0.5)]
    assert bars_in_clear(domain, held, np.array([5, 4, 1]), Precision(3, 3), before=False)[0].before is None


def test_a_value_that_is_called_as_others_are() -> None:
    domain = Domain("ill", "text", np.array(["flu", "others", "rare"]))
    held = Holders(np.arange(3), np.array([5, 9, 1]), 3)
    bars = bars_in_clear(domain, held, np.array([5, 9, 1]), Precision(5, 3), before=False)
    assert [(bar.label, bar.kind) for bar in bars] == [("others", "value"), ("all others", "others")]


def test_published_numbers_come_in_ranges_of_enough_rows() -> None:
    labels = np.array(["[20,30)", "35", "{40|50}", "*", None], dtype=object)
    held = Holders(np.arange(5), np.array([40, 20, 20, 10, 10]), 5)
    bars = bars_published(labels, held, Precision(10, 3))
    assert {bar.kind for bar in bars} == {"range", "suppressed", "missing"}
    assert sum(bar.after for bar in bars) == pytest.approx(1, abs=0.01)
    assert all(bar.before is None for bar in bars)
    assert not any(text in bar.label for bar in bars for text in ("35", "{"))


@pytest.mark.parametrize(
    "domain",
    [Domain("a", "text", np.array(["x", "y"])), Domain("a", "number", np.array(["1", "2"]), np.array([1.0, 2]))],
)
def test_too_few_altogether_have_no_bars(domain: Domain) -> None:
    held = Holders(np.arange(2), np.array([2, 2]), 2)
    assert bars_in_clear(domain, held, np.array([2, 2]), Precision(5, 3), before=True) == ()


@pytest.mark.parametrize("cells", [["x", "y"], ["1", "2"]])
def test_too_few_published_rows_have_no_bars(cells: list[str]) -> None:
    """Only a release that gives its guarantee up has so few."""
    held = Holders(np.arange(2), np.array([2, 2]), 2)
    assert bars_published(np.array(cells, dtype=object), held, Precision(5, 3)) == ()


@pytest.mark.parametrize("cells", [["{x|y}", "z"], ["{x|y}", "3"], ["*", "3"]])
def test_too_few_cells_beside_others_are_told_without_their_values(cells: list[str]) -> None:
    held = Holders(np.arange(2), np.array([6, 2]), 2)
    bars = bars_published(np.array(cells, dtype=object), held, Precision(3, 3))
    assert sorted((bar.kind, bar.after) for bar in bars)[0] == ("others", 0.25)
    assert sum(bar.after for bar in bars) == 1


def test_people_with_several_values_are_counted_once_in_joined_ranges() -> None:
    """Three people have every age from 20 to 39: no range of more than these three, and of four there is none."""
    ages = Domain("age", "number", np.array([str(at) for at in range(20, 40)]), np.arange(20.0, 40))
    held = Holders(
        np.tile(np.arange(20), 3), np.ones(60, dtype=np.int64), 20, np.repeat([0, 1, 2], 20).astype(np.int32)
    )
    assert len(bars_in_clear(ages, held, np.full(20, 3), Precision(3, 3), before=True)) > 2
    assert bars_in_clear(ages, held, np.full(20, 3), Precision(4, 3), before=True) == ()
