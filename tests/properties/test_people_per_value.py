"""A least number of people for every value, recounted in plain Python from what is written."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pyarrow as pa
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.errors import Infeasible

BLOCKS = {"any": {"AB": {"A": ["A1", "A2", "A3"], "B": ["B1", "B2"]}, "C": ["C1", "C2", "C3"]}}
CODES = ["A1", "A2", "A3", "B1", "B2", "C1", "C2", "C3"]


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """People with one or more rows, codes of skewed frequencies, missing values and numbers."""
    rows = draw(st.integers(12, 70))
    cells = st.lists(st.integers(0, 99), min_size=rows, max_size=rows)
    who, code, town, number = draw(cells), draw(cells), draw(cells), draw(cells)
    return pa.table(
        {
            "who": [f"p{one % draw(st.integers(8, 40))}" for one in who],
            "age": [20 + one % 7 for one in who],
            "sex": ["F" if one % 2 else "M" for one in town],
            "icd": [CODES[min(7, (one * one) // 1200)] for one in code],
            "town": [None if one < 4 else ["Ulm", "Bern", "Graz", "other"][min(3, one // 30)] for one in town],
            "days": number,
        }
    )


def fewest(table: pa.Table, owners: list[str] | None) -> dict[str, int]:
    """The fewest people, or rows, of a value of each column."""
    found = {}
    for name in table.column_names:
        holders: dict[Any, set[Any]] = defaultdict(set)
        for row, cell in enumerate(table.column(name).to_pylist()):
            holders[cell].add(row if owners is None else owners[row])
        found[name] = min(map(len, holders.values()))
    return found


@examples(120)
@given(
    table=tables(),
    least=st.integers(2, 6),
    tree=st.booleans(),
    target=st.booleans(),
    limit=st.sampled_from([0, 0.1, 0.4]),
    method=st.sampled_from(["mondrian", "datafly", "mu-argus"]),
    recode=st.sampled_from(["microaggregate:3", "round:25,top:80", "top:40,bottom:20,round:10"]),
)
def test_enough_people_hold_every_value(
    table: pa.Table, least: int, tree: bool, target: bool, limit: float, method: str, recode: str
) -> None:
    """Without an entity every row is a person, so a reader can count them in the published table."""
    schema = hr.Schema(
        quasi=["age", "sex"],
        sensitive=["icd"],
        target="town" if target else None,
        insensitive=["days"] if target else ["days", "town"],
        accept=["days"],
        identifying=["who"],
        rows_are_people=True,
        hierarchies={"icd": BLOCKS} if tree else {},
        recode={"days": recode},
    )
    try:
        release = hr.anonymize(table, schema, method=method, k=2, min_people=least, suppression_limit=limit)
    except Infeasible:
        assume(False)
    assert min(fewest(release.table, None).values()) >= least
    published = set(release.table.column("icd").to_pylist())
    assert published <= {*CODES, "other", "A", "B", "C", "AB"}
    # What is in a pool is not one code: of the codes that are not published, a pool has at least two.
    if published - set(CODES):
        assert len(set(table.column("icd").to_pylist()) - published) > 1


@examples(60)
@given(table=tables(), least=st.integers(2, 5), limit=st.sampled_from([0, 0.3]))
def test_people_with_several_rows_count_once(table: pa.Table, least: int, limit: float) -> None:
    schema = hr.Schema(
        quasi=["age"],
        sensitive=["icd"],
        insensitive=["town"],
        accept=["town", "icd"],
        pseudonymize=["who"],
        entity="who",
        others="drop",
    )
    try:
        release = hr.anonymize(table, schema, method="optimal", k=1, min_people=least, suppression_limit=limit)
    except Infeasible:
        assume(False)
    found = fewest(release.table, release.table.column("who").to_pylist())
    assert min(found[name] for name in ("age", "icd", "town")) >= least
