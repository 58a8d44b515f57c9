"""Whatever is released, the facts of its report name nothing that fewer than k people hold, and nobody.

Values are words and numbers that nothing else would write, so that they are found wherever they stand. Every bar is
counted again from the original rows.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.core.cells import Interval, days_of, number_in
from hedgerow.errors import Disclosing, Infeasible
from hedgerow.report.facts import gather
from hedgerow.report.facts._subject import FEWEST
from hedgerow.report.facts.figures import Bar
from hedgerow.report.facts.sections import ReportFacts

TOWNS = ["Quillby", "Nettlefold", "Ambergate", "Thornwick", "Oxhollow", "Larkmere", None]
ILLNESSES = ["kuru", "croupe", "ergotism", "quartan"]
LABELS = ["boundless", "meagre", "middling"]
AGES = [61_234.57 + 1_000.013 * at for at in range(9)]
DAYS = [f"18{71 + at}-03-0{9 - at}" for at in range(6)]
TAXONOMY = {"*": {"northern": TOWNS[:3], "southern": TOWNS[3:6]}}

QUASI = ("town", "age", "born")
METHODS = ["mondrian", "kactus", "datafly", "optimal", "hedge", "k-member", "tds", "greedy"]

row = st.fixed_dictionaries(
    {
        "town": st.sampled_from(TOWNS),
        "age": st.sampled_from([*AGES, None]),
        "born": st.sampled_from(DAYS),
        "ill": st.sampled_from(ILLNESSES),
        "label": st.sampled_from(LABELS),
        "person": st.integers(0, 12),
    }
)


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Up to forty rows; some values are of many, so that something is named at all."""
    rows = draw(st.lists(row, min_size=8, max_size=40))
    common = draw(row)
    rows += [{**common, "person": at} for at in range(draw(st.integers(0, 12)))]
    kinds = {"town": pa.string(), "age": pa.float64(), "born": pa.string(), "ill": pa.string(), "label": pa.string()}
    columns = {name: pa.array([one[name] for one in rows], kind) for name, kind in kinds.items()}
    return pa.table(
        {
            "name": [f"Zebulon{at:03}" for at in range(len(rows))],
            "person": [f"Hephzibah{one['person']:02}" for one in rows],
            **columns,
        }
    )


def released(table: pa.Table, method: str, k: int, *, people: bool, **options: Any) -> hr.Release | None:
    """The release, or none where it is refused."""
    schema = hr.Schema(
        identifying=["name", "person"],
        entity="person" if people else None,
        quasi=list(QUASI),
        sensitive=["ill"],
        target="label",
        hierarchies={"town": TAXONOMY} if method in ("datafly", "optimal") else {},
        kinds={"born": "date"},
    )
    try:
        return hr.anonymize(table, schema, method=method, k=k, random_state=1, suppression_limit=0.3, **options)
    except (Infeasible, Disclosing, hr.BadInput):
        return None


def holders(table: pa.Table, name: str, holds: Callable[[Any], bool], *, people: bool) -> int:
    """How many people, or rows, hold a value of some kind."""
    cells = zip(table[name].to_pylist(), table["person" if people else "name"].to_pylist(), strict=True)
    return len({who for value, who in cells if holds(value)})


def being(wanted: Any) -> Callable[[Any], bool]:
    return lambda value: value == wanted


def in_none(of: list[Callable[[Any], bool]]) -> Callable[[Any], bool]:
    return lambda value: not any(holds(value) for holds in of)


def rare_values(table: pa.Table, k: int, *, people: bool) -> list[str]:
    return [
        str(value)
        for name in (*QUASI, "ill", "label")
        for value in set(table[name].to_pylist()) - {None}
        if holders(table, name, being(value), people=people) < k
    ]


def all_facts(release: hr.Release) -> list[ReportFacts]:
    return [gather(release), gather(release, edition="public"), gather(hr.audit(release))]


@pytest.mark.compiled
@pytest.mark.parametrize("method", METHODS)
@given(table=tables(), k=st.integers(2, 5), people=st.booleans(), proportions=st.booleans())
@examples(40)
def test_nothing_of_few_is_named(method: str, table: pa.Table, k: int, people: bool, proportions: bool) -> None:
    release = released(table, method, k, people=people, publish_proportions=proportions)
    if release is None:
        return
    canaries = rare_values(table, k, people=people)
    for facts in all_facts(release):
        shown = repr(facts) + repr(dataclasses.asdict(facts))
        assert not [value for value in (*canaries, "Zebulon", "Hephzibah") if value in shown]


@pytest.mark.compiled
@pytest.mark.parametrize("method", METHODS)
@given(table=tables(), k=st.integers(2, 5), people=st.booleans())
@examples(40)
def test_every_bar_is_of_enough_people(method: str, table: pa.Table, k: int, people: bool) -> None:
    """Also the pooled ones: whoever knows all rows but a few must not find these there."""
    release = released(table, method, k, people=people)
    if release is None:
        return
    facts = gather(release)
    for column in facts.columns.columns:
        named = [_holds(bar, column.name) for bar in column.bars if bar.kind in ("value", "range", "missing")]
        for bar in column.bars:
            if bar.kind == "others":
                held = holders(table, column.name, in_none(named), people=people)
            elif bar.kind == "suppressed":
                continue
            else:
                held = holders(table, column.name, _holds(bar, column.name), people=people)
            assert held >= max(k, FEWEST)


def _holds(bar: Bar, name: str) -> Callable[[Any], bool]:
    """Which original values a bar is of, read from its label."""
    if bar.kind == "missing":
        return lambda value: value is None
    if bar.kind == "value":
        below = TAXONOMY["*"].get(bar.label)
        return lambda value: value == bar.label or (below is not None and value in below)
    kind = "date" if name == "born" else "number"

    def ends(text: str) -> float:
        found = number_in(text, kind)  # type: ignore[arg-type]  # one of the two
        assert found is not None
        return found

    if bar.label == "all":
        low, high = -math.inf, math.inf
    elif bar.label[0] in "<≥":
        end = ends(bar.label[1:])
        low, high = (-math.inf, end) if bar.label[0] == "<" else (end, math.inf)
    else:
        low, high = map(ends, bar.label[1:-1].split(","))
    inside = Interval(low, high)

    def holds(value: Any) -> bool:
        number = days_of(value) if isinstance(value, str) else value
        return number is not None and inside.low <= number < inside.high

    return holds


@pytest.mark.compiled
@given(table=tables(), k=st.integers(2, 4))
@examples(60)
def test_shares_add_up_and_lie_between(table: pa.Table, k: int) -> None:
    release = released(table, "mondrian", k, people=False)
    if release is None:
        return
    for facts in all_facts(release)[:2]:
        for column in facts.columns.columns:
            rounding = 0.05 * max(len(column.bars), 1)
            if column.bars:
                assert sum(bar.after for bar in column.bars) == pytest.approx(1, abs=rounding)
                assert len({bar.label for bar in column.bars}) == len(column.bars)
            for bar in column.bars:
                assert 0 <= bar.after <= 1
                assert bar.before is None or 0 <= bar.before <= 1
