"""What is written of a published cell is what is read of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.core.cells import (
    SUPPRESSED,
    Interval,
    Leaves,
    Meaning,
    Node,
    ValueSet,
    date_of_days,
    leaves_below,
    read,
    stands_for,
    write,
)
from hedgerow.hierarchies import resolve
from hedgerow.io.domains import Domain
from hedgerow.io.values import number_text

awkward = st.text(alphabet=st.sampled_from("ab|\\{}*[],)1N-0 \n\"'é<≥."), max_size=8)
texts = st.one_of(
    awkward, st.sampled_from(["", "*", "[1,2)", "{a|b}", "\\N", "{\\N}", "2024-01-31", "007", "1_000", "<18", "≥90"])
)
numbers = st.floats(allow_nan=False, allow_infinity=False)
# To the second, as dates are written.
days = st.integers(-(10**9), 10**9).map(lambda seconds: seconds / 86_400)
VALUES = {"text": texts, "number": numbers.map(number_text), "date": days.map(date_of_days)}


def intervals(ends: st.SearchStrategy[float]) -> st.SearchStrategy[Meaning]:
    return st.builds(Interval, ends, ends, st.booleans())


open_intervals: st.SearchStrategy[Meaning] = st.one_of(
    st.builds(Interval, st.just(-math.inf), numbers), st.builds(Interval, numbers, st.just(math.inf))
)


def sets(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Meaning]:
    members = st.frozensets(st.one_of(st.none(), values), min_size=1, max_size=5)
    return members.map(ValueSet)


@st.composite
def taxonomies(draw: st.DrawFn, values: st.SearchStrategy[str]) -> Leaves:
    """The labels of a taxonomy, as they are found in its encoded form."""
    leaves = draw(st.lists(values, min_size=1, max_size=6, unique=True))
    cut = draw(st.integers(0, len(leaves)))
    labels = draw(st.lists(texts.filter(lambda text: text not in leaves), min_size=2, max_size=2, unique=True))
    inside = {label: some for label, some in zip(labels, (leaves[:cut], leaves[cut:]), strict=True) if some}
    return leaves_below(resolve({"any of them": inside}, Domain("it", "text", np.array([], np.str_)), "it"))


@st.composite
def columns(draw: st.DrawFn) -> tuple[Any, Leaves, Meaning]:
    """A kind, the labels of a hierarchy, and something that a cell may say there."""
    kind = draw(st.sampled_from(["text", "number", "date"]))
    leaves = draw(taxonomies(VALUES[kind]))
    saying = [sets(VALUES[kind].filter(lambda value: value not in leaves)), st.just(SUPPRESSED)]
    saying += [] if kind == "text" else [intervals(numbers if kind == "number" else days)]
    saying += [open_intervals] if kind == "number" else []
    saying += [st.sampled_from([Node(label, frozenset(below)) for label, below in leaves.items()])] if leaves else []
    return kind, leaves, draw(st.one_of(saying))


@given(columns())
def test_what_is_written_is_read(column: tuple[Any, Leaves, Meaning]) -> None:
    kind, leaves, meaning = column
    assert read(write(meaning, kind), kind, leaves) == meaning


@given(columns(), st.data())
def test_a_set_stands_for_the_union_of_its_members(column: tuple[Any, Leaves, Meaning], data: st.DataObject) -> None:
    kind, leaves, _ = column
    members = data.draw(st.lists(st.one_of(VALUES[kind], st.sampled_from(["x", *leaves])), min_size=1, max_size=4))
    alone = [stands_for(read(str(ValueSet(frozenset([member]))), kind, leaves)) for member in members]
    together = stands_for(read(str(ValueSet(frozenset(members))), kind, leaves))
    assert together == frozenset().union(*(some for some in alone if isinstance(some, frozenset)))
