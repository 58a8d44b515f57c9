"""Limits on levels: every published cell is within them or nothing is published, and the verifier catches any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from examples import examples
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.anonymizers.registry import METHODS
from hedgerow.errors import BadInput, Disclosing, Infeasible, NotAnonymous
from hedgerow.hierarchies import taxonomy
from hedgerow.release import Release

TOWNS: dict[str, Any] = {"*": {"north": ["Ulm", "Bern"], "south": {"inland": ["Nice"], "coast": ["Bari", "Pisa"]}}}
FAMILY: dict[str, Any] = {"Any": {"together": ["married", "partner"], "alone": ["single", "widowed"]}}
REQUIREMENTS: list[list[Any]] = [
    [],
    [hr.LDiversity(2, "disease")],
    [hr.TCloseness(0.6, "disease")],
    [hr.KAnonymity(3, shield=["town", "age"])],
]


def town_at(level: int, town: str | None) -> str | None:
    """The generalized town, by hand: branches of the taxonomy have different depths."""
    if level == 3:
        return "*"
    if town is None or level == 0:
        return town
    if level == 1:
        return {"Nice": "inland", "Bari": "coast", "Pisa": "coast"}.get(town, town)
    return "north" if town in ("Ulm", "Bern") else "south"


def zip_at(level: int, code: str | None) -> str | None:
    if level == 3:
        return "*"
    return code if code is None else code[: 3 - level] + "*" * level


def age_at(level: int, age: int | None) -> str | None:
    """Intervals of 4 and 8, without the bracket at their end: the last of a level is closed."""
    if level == 3:
        return "*"
    if age is None or level == 0:
        return None if age is None else str(age)
    low = age - age % (4 * level)
    return f"[{low},{low + 4 * level}"


def family_at(level: int, family: str | None) -> str | None:
    if level == 2:
        return "Any"
    if family is None or level == 0:
        return family
    return "together" if family in ("married", "partner") else "alone"


AT: dict[str, tuple[Callable[[int, Any], str | None], int]] = {
    "town": (town_at, 3),
    "zip": (zip_at, 3),
    "age": (age_at, 3),
    "family": (family_at, 2),
}
HIERARCHIES = {"town": taxonomy(TOWNS), "zip": "masking:1,2", "age": "intervals:4,8", "family": FAMILY}

row = st.fixed_dictionaries(
    {
        "town": st.sampled_from(["Ulm", "Bern", "Nice", "Bari", "Pisa", None]),
        "zip": st.sampled_from(["130", "131", "138", "148", "149", "200", None]),
        "age": st.one_of(st.none(), st.integers(20, 39)),
        "family": st.sampled_from(["married", "partner", "single", "widowed"]),
        "job": st.sampled_from(["a", "b", "c"]),
        "disease": st.sampled_from(["flu", "cold", "cough"]),
        "class": st.sampled_from(["yes", "no"]),
    }
)
# These take seconds for a table of any size; the contract checks them.
SLOW = {"genetic", "hedge", "k-optimize", "mingen"}
KINDS = {name: pa.int64() if name == "age" else pa.string() for name in (*AT, "job", "disease", "class")}


@st.composite
def limits(draw: st.DrawFn) -> dict[str, Any]:
    chosen = draw(st.lists(st.sampled_from(list(AT)), min_size=1, max_size=3, unique=True))
    found: dict[str, Any] = {}
    for name in chosen:
        height = AT[name][1]
        finest = draw(st.integers(0, height))
        coarsest = draw(st.one_of(st.none(), st.integers(finest, height)))
        found[name] = (finest, coarsest)
    return found


def table_of(rows: Sequence[dict[str, Any]]) -> pa.Table:
    return pa.table({name: pa.array([one[name] for one in rows], kind) for name, kind in KINDS.items()})


def schema_of(levels: dict[str, Any], **more: Any) -> hr.Schema:
    return hr.Schema(
        quasi=[*AT, "job"], sensitive=["disease"], target="class", hierarchies=HIERARCHIES, levels=levels, **more
    )


def within(levels: dict[str, Any], rows: Sequence[dict[str, Any]], release: Release) -> None:
    """Every cell is a label that some value has at a level within the limits, counted without the package."""
    for name, (finest, coarsest) in levels.items():
        of_level, height = AT[name]
        if (finest, coarsest) in ((0, None), (0, height)):
            continue  # no limit
        allowed = {
            of_level(level, one[name])
            for one in rows
            for level in range(finest, (height if coarsest is None else coarsest) + 1)
        }
        for cell in release.table[name].to_pylist():
            text = cell if cell is None else str(cell)
            if name == "age" and text is not None and text.startswith("["):
                text = text[:-1]
            assert text in allowed, (name, levels[name])


def without_values(rows: Sequence[dict[str, Any]]) -> bool:
    return any(all(one[name] is None for one in rows) for name in AT)


@given(
    st.lists(row, min_size=10, max_size=60),
    limits(),
    st.sampled_from(sorted(set(METHODS) - SLOW)),
    st.integers(2, 4),
    st.sampled_from(REQUIREMENTS),
    st.sampled_from([0, 0.5, 1.0]),
    st.booleans(),
)
@examples(160, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_every_cell_is_within_the_limits(
    rows: list[dict[str, Any]],
    levels: dict[str, Any],
    method: str,
    k: int,
    require: list[Any],
    suppression: float,
    proportions: bool,
) -> None:
    assume(not without_values(rows))
    try:
        release = hr.anonymize(
            table_of(rows),
            schema_of(levels),
            method=method,
            k=k,
            require=require,
            suppression_limit=suppression,
            publish_proportions=proportions and not require,
            random_state=1,
        )
    except (Infeasible, Disclosing):
        return
    except BadInput as refused:
        if not any(word in str(refused) for word in ("monotone", "support", "combinations")):
            raise
        return
    within(levels, rows, release)
    if release.proportions is not None:
        told = next(one for one in release.proportions.to_dict()["columns"] if one["name"] == "zip")
        codes = {one["zip"] for one in rows if one["zip"] is not None}
        assert levels.get("zip", (0, 3))[0] == 0 or not codes & {*told["texts"], *told["pools"]["texts"]}


@given(
    st.lists(row, min_size=20, max_size=40),
    st.data(),
    st.sampled_from(["mondrian", "optimal"]),
    st.sampled_from(["zip", "town"]),
)
@examples(60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_a_cell_that_is_too_fine_or_too_coarse_is_caught(
    rows: list[dict[str, Any]], data: st.DataObject, method: str, name: str
) -> None:
    assume(not without_values(rows))
    of_level, height = AT[name]
    schema = schema_of({name: (1, 2)})
    try:
        release = hr.anonymize(table_of(rows), schema, method=method, k=2, suppression_limit=1.0, random_state=1)
    except Infeasible:
        assume(False)
    wrong = data.draw(st.sampled_from([0, height]))
    at = data.draw(st.integers(0, release.table.num_rows - 1))
    value = data.draw(st.sampled_from([one[name] for one in rows if one[name] is not None]))
    cell = of_level(wrong, value)
    assume(cell not in {of_level(level, one[name]) for one in rows for level in (1, 2)})
    cells = release.table[name].to_pylist()
    cells[at] = cell
    changed = release.table.set_column(release.table.column_names.index(name), name, pa.array(cells, pa.string()))
    # Only the limits are checked: a changed cell breaks k as well.
    guarantee = replace(release.guarantee, requirements=[hr.KAnonymity(1)], determined={})
    with pytest.raises(NotAnonymous, match="levels 1 to 2"):
        guarantee.count(changed)
    guarantee.count(release.table)
