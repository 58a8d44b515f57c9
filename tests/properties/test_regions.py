"""Regions, on random tables: everybody fits exactly one class, and no cell tells what is held inside it."""

from __future__ import annotations

import datetime as dt
import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.core.cells import Suppressed, ValueSet
from hedgerow.core.counts import Counted
from hedgerow.core.recoding import CutTree, Publish, Recoding, held_by_groups, publish_regions, shown_as
from hedgerow.core.recoding._routing import place
from hedgerow.release import pipeline

TOWNS = {"*": {"north": ["Ulm", "Bern"], "south": {"inland": ["Nice"], "coast": ["Bari", "Pisa"]}}}
SIZES = ["S", "M", "L", "XL"]
KINDS = {"town": pa.string(), "age": pa.int64(), "born": pa.date32(), "size": pa.string()}
some = examples(80, suppress_health_check=[HealthCheck.too_slow])

row = st.fixed_dictionaries(
    {
        "town": st.sampled_from(["Ulm", "Bern", "Nice", "Bari", "Pisa", None]),
        "age": st.one_of(st.none(), st.integers(20, 32)),
        "born": st.dates(min_value=dt.date(1990, 1, 1), max_value=dt.date(1990, 3, 1)),
        "size": st.sampled_from([*SIZES, None]),
    }
)
tables = st.lists(row, min_size=6, max_size=50)


def table_of(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.table({name: pa.array([one[name] for one in rows], kind) for name, kind in KINDS.items()})


def schema_of(quasi: list[str], trees: bool) -> hr.Schema:
    return hr.Schema(
        quasi=quasi,
        others="drop",
        kinds={"size": SIZES} if "size" in quasi else {},
        hierarchies={"town": TOWNS} if trees and "town" in quasi else {},
    )


def released(rows: list[dict[str, Any]], schema: hr.Schema, **options: Any) -> hr.Release:
    """A release by regions; tables with a column that is missing everywhere are left aside."""
    assume(all(any(one[name] is not None for one in rows) for name in schema.quasi or ()))
    return hr.anonymize(table_of(rows), schema, method="mondrian", cells="region", random_state=1, **options)


def fits(cell: Any, value: Any) -> bool:
    meaning = None if cell is None else hr.parse(str(cell))
    if isinstance(meaning, Suppressed):
        return True
    text = None if value is None else str(value)
    return text in meaning.members if isinstance(meaning, ValueSet) else text == meaning


@some
@given(tables, st.integers(1, 5), st.booleans())
def test_everybody_fits_exactly_one_class(rows: list[dict[str, Any]], k: int, trees: bool) -> None:
    """Every combination of values that occur, whether somebody has it or not, where sets are published."""
    quasi = ["town", "age", "size"]
    release = released(rows, schema_of(quasi, trees), k=k, publish="set")
    classes = {tuple(one.values()) for one in release.table.to_pylist()}
    domains = [sorted({one[name] for one in rows}, key=str) for name in quasi]
    for person in itertools.product(*domains):
        fitting = [cells for cells in classes if all(map(fits, cells, person))]
        assert len(fitting) == 1


@some
@given(
    tables,
    st.integers(1, 5),
    st.sampled_from(["auto", "set", "interval", "label"]),
    st.booleans(),
    st.sampled_from([0, 2]),
    st.data(),
)
def test_moving_somebody_inside_a_region_changes_no_cell(
    rows: list[dict[str, Any]], k: int, publish: Publish, trees: bool, limit: int, data: st.DataObject
) -> None:
    """The cuts are kept, one person takes another place among those that lead to the same group."""
    schema = schema_of(list(KINDS), trees)
    release = released(rows, schema, k=k, publish=publish, suppression_limit=limit)
    recoding = release.recoding
    assume(recoding.lost == 0)
    name = data.draw(st.sampled_from(list(KINDS)))
    moved = [dict(one) for one in rows]
    who = data.draw(st.sampled_from(moved))
    same_place = [
        value
        for value in sorted({one[name] for one in rows}, key=str)
        if group_of(recoding, {**who, name: value}) == group_of(recoding, who)
    ]
    before = who[name]
    who[name] = data.draw(st.sampled_from(same_place))
    assume(any(one[name] == before for one in moved))  # or the table would no longer have it
    counts = counted(moved, schema)
    assert isinstance(recoding.router, CutTree)
    columns, groups = publish_regions(counts, recoding.router, len(recoding.groups), shown_as(counts, publish))
    for one, other, old, new in zip(recoding.columns, columns, recoding.groups.T, groups.T, strict=True):
        assert [one.texts[cell] for cell in old] == [other.texts[cell] for cell in new]


def group_of(recoding: Recoding, person: dict[str, Any]) -> int:
    assert isinstance(recoding.router, CutTree)
    texts = [None if person[name] is None else str(person[name]) for name in recoding.quasi]
    places = [place(column.domain, [text]) for column, text in zip(recoding.columns, texts, strict=True)]
    return int(recoding.router.route(places)[0])


def counted(rows: list[dict[str, Any]], schema: hr.Schema) -> Counted:
    return pipeline.prepare(table_of(rows), schema, (hr.KAnonymity(1),), random_state=0).counted


@some
@given(tables, st.integers(1, 5), st.sampled_from(["auto", "set", "interval", "label"]), st.booleans())
def test_regions_cover_what_groups_hold_and_rows_are_sent_to_their_own(
    rows: list[dict[str, Any]], k: int, publish: Publish, trees: bool
) -> None:
    schema = schema_of(list(KINDS), trees)
    release = released(rows, schema, k=k, publish=publish)
    recoding, originals = release.recoding, release.originals
    assert originals is not None
    assert recoding.pieces is not None
    held = held_by_groups(originals, recoding.pieces, len(recoding.groups))
    for column, regions, (starts, members) in zip(recoding.columns, recoding.groups.T, held, strict=True):
        for group, region in enumerate(regions.tolist()):
            covered = column.covered.codes(region)
            assert np.isin(members[starts[group] : starts[group + 1]], covered).all()
    assert release.losses["ncp_published"] >= release.losses["ncp"] - 1e-12
    sent = [group_of(recoding, person) for person in rows]
    assert np.bincount(sent, minlength=len(recoding.sizes)).tolist() == recoding.sizes.tolist()


@pytest.mark.parametrize("seed", [100, 311, *range(12)])
def test_proportions_of_regions_single_nobody_out(seed: int) -> None:
    """A set of a region may name as many values as people: then it seems that each is held by one."""
    random = np.random.default_rng(seed)
    people, towns, k = int(random.integers(20, 120)), int(random.integers(6, 30)), int(random.integers(3, 8))
    shares = 1 / np.arange(1, towns + 1) ** random.uniform(0, 2)
    table = pa.table(
        {
            "town": [f"t{one:02}" for one in random.choice(towns, people, p=shares / shares.sum())],
            "sex": [str(one) for one in random.choice(2, people)],
        }
    )
    mondrian = hr.Mondrian(k=k, cells="region", publish="set", publish_proportions=True)
    assert mondrian.anonymize(table, hr.Schema(quasi=["town", "sex"])).audit.singled_out == 0
