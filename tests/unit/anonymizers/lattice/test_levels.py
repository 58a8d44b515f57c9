"""The classes of states, rolled up from each other."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KAnonymity, Schema
from hedgerow.anonymizers.lattice._levels import Lattice, StateClasses
from hedgerow.core.counts import FrequencyTable
from hedgerow.release import pipeline

TOWNS = {"*": {"north": ["A", "B"], "south": ["C", "D"]}}
PEOPLE = pa.table(
    {
        "town": ["A", "A", "B", "C", "D", "D", "A"],
        "sex": ["f", "m", "f", "m", "m", "f", "f"],
        "ill": ["flu", "flu", "cold", "cold", "flu", "cold", "cold"],
    }
)


def counted(table: pa.Table = PEOPLE, **hierarchies: Any) -> FrequencyTable:
    quasi = [name for name in table.column_names if name != "ill"]
    schema = Schema(
        quasi=quasi,
        sensitive=["ill"] if "ill" in table.column_names else [],
        hierarchies=hierarchies,
        rows_are_people=True,
    )
    return pipeline.prepare(table, schema, [KAnonymity(1)], random_state=0).counts


def described(lattice: Lattice, classes: StateClasses) -> Counter[Any]:
    """Every class as its labels and the records of each illness."""
    result: Counter[Any] = Counter()
    counts = lattice.counts
    for one in range(len(classes)):
        labels = []
        for at, (name, level) in enumerate(zip(counts.quasi, classes.levels, strict=True)):
            code = lattice.codes(at, level)[lattice.values(classes.keys, at)[one]]
            labels.append(counts.hierarchies[name].labels[counts.hierarchies[name].at_level[level][code]])
        assert classes.sizes[one] > 0
        for histogram in classes.histograms.values():
            entries = slice(histogram.indptr[one], histogram.indptr[one + 1])
            held = zip(histogram.codes[entries].tolist(), histogram.counts[entries].tolist(), strict=True)
            result[(*labels, int(classes.sizes[one]), tuple(sorted(held)))] += 1
    return result


def expected(town: int, sex: int) -> Counter[Any]:
    """Counted from the records."""
    region = {"A": "north", "B": "north", "C": "south", "D": "south"}
    groups: dict[Any, Counter[int]] = {}
    for row in PEOPLE.to_pylist():
        key = ([row["town"], region[row["town"]], "*"][town], [row["sex"], "*"][sex])
        groups.setdefault(key, Counter())[["cold", "flu"].index(row["ill"])] += 1
    return Counter((*key, sum(held.values()), tuple(sorted(held.items()))) for key, held in groups.items())


STATES = list(itertools.product(range(3), range(2)))


@pytest.mark.parametrize("order", [STATES, STATES[::-1], STATES[3:] + STATES[:3]])
@pytest.mark.parametrize("memory", [2**20, 700, 0])
def test_classes_do_not_depend_on_what_was_counted_before(order: list[tuple[int, int]], memory: int) -> None:
    lattice = Lattice(counted(town=TOWNS), ["ill"], memory=memory)
    assert lattice.size == len(STATES)
    for state in order:
        assert described(lattice, lattice.classes(state)) == expected(*state)


def test_classes_are_counted_from_the_smallest_at_hand() -> None:
    lattice = Lattice(counted(town=TOWNS))
    kept = lattice.classes((1, 0))
    assert lattice.classes((1, 0)) is kept
    rolled: list[StateClasses] = []
    original = lattice._rolled_up

    def noting(base: StateClasses, levels: tuple[int, ...]) -> Any:
        rolled.append(base)
        return original(base, levels)

    lattice._rolled_up = noting  # type: ignore[method-assign]
    lattice.classes((2, 0))
    assert rolled[-1] is kept
    lattice.classes((0, 1))
    assert len(rolled[-1]) == len(lattice.counts.tuples)
    lattice.classes((2, 1))
    assert rolled[-1].levels == (2, 0)


def test_memory_is_limited() -> None:
    lattice = Lattice(counted(town=TOWNS), ["ill"], memory=700)
    for state in STATES:
        lattice.classes(state)
        assert sum(one.bytes for one in lattice._kept_list) == lattice._kept_bytes <= 700
        kept = lattice._kept_list
        assert list(lattice._kept) == [one.levels for one in kept]
        assert lattice._kept_sizes[: len(kept)].tolist() == [len(one) for one in kept]
        assert lattice._kept_levels[: len(kept)].tolist() == [list(one.levels) for one in kept]
    assert lattice._kept_list


def test_classes_of_tuples() -> None:
    lattice = Lattice(counted(town=TOWNS))
    classes, index = lattice.classes_of_tuples((1, 1))
    assert np.bincount(index, lattice.counts.tuple_sizes).tolist() == classes.sizes.tolist() == [4, 3]


def test_projected_to_some_columns() -> None:
    lattice = Lattice(counted(town=TOWNS))
    classes = lattice.classes((1, 0))
    index, number = lattice.projected(classes, [1])
    assert number == 2
    assert sorted(np.bincount(index, classes.sizes).tolist()) == [3, 4]
    assert lattice.projected(classes, [])[1] == 1


def test_missing_values_are_a_value_of_their_own_below_the_root() -> None:
    lattice = Lattice(counted(pa.table({"town": ["A", None, "B", None]}), town=TOWNS))
    assert [sorted(lattice.classes((level,)).sizes.tolist()) for level in range(3)] == [[1, 1, 2], [2, 2], [4]]


def test_rows_that_do_not_fit_into_one_word() -> None:
    """Nine columns of 300 values each have nine bits, so that two words are needed."""
    generator = np.random.default_rng(7)
    rows = generator.integers(0, 300, (300, 9))
    rows[:, 0] = np.arange(300)
    rows = np.vstack([rows, rows[:100]])
    table = pa.table({f"column {at}": [f"value {code}" for code in rows[:, at]] for at in range(9)})
    lattice = Lattice(counted(table))
    assert lattice.classes((0,) * 9).keys.shape == (300, 2)
    for hidden in range(9):
        levels = [int(at != hidden) for at in range(9)]
        sizes = Counter(Counter(rows[:, hidden].tolist()).values())
        assert Counter(lattice.classes(levels).sizes.tolist()) == sizes
