"""Pooling: which values are named, which bins a class has, and what the marginal knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hedgerow.core.proportions import ColumnProportions, ExactColumn, ExactProportions, Proportions
from hedgerow.core.proportions._pooling import pool
from hedgerow.core.recoding import PublishedKind
from hedgerow.errors import BadInput
from hedgerow.hierarchies import resolve
from hedgerow.io.domains import Domain

Class = dict[int, int]
"""How many people hold each code."""


def column(domain: Domain, classes: list[Class], kind: PublishedKind = "suppressed", **more: Any) -> ExactColumn:
    """Every class publishes something else of one kind."""
    entries = [sorted(one.items()) for one in classes]
    return ExactColumn(
        domain,
        tuple(f"cell {at}" for at in range(len(classes))),
        (kind,) * len(classes),
        np.arange(len(classes), dtype=np.int32),
        np.cumsum([0, *map(len, entries)]),
        np.array([code for one in entries for code, _ in one], dtype=np.int32),
        np.array([people for one in entries for _, people in one], dtype=np.int64),
        **more,
    )


def pooled(columns: list[ExactColumn], least: int) -> Proportions:
    starts = columns[0].starts[:-1]
    return pool(ExactProportions(tuple(columns), np.add.reduceat(columns[0].records, starts)), least).proportions


def gains(*values: float, has_missing: bool = False) -> Domain:
    return Domain("gain", "number", np.array([f"{v:g}" for v in values]), np.array(values, np.float64), has_missing)


def letters(number: int) -> Domain:
    return Domain("letter", "text", np.array(list("abcdef"[:number])))


def half(size: int) -> Class:
    return {0: size // 2, 1: size - size // 2}


def beside(classes: list[Class]) -> ExactColumn:
    """Another column in which every class holds two values, so that nothing is lone."""
    return column(Domain("other", "text", np.array(["x", "y"])), [half(sum(one.values())) for one in classes])


def bins(of: ColumnProportions) -> list[list[tuple[str | None, str | None, int]]]:
    texts = of.pools.texts
    every = [(texts[a], texts[b], int(n)) for a, b, n in zip(of.first, of.last, of.records, strict=True)]
    return [every[a:b] for a, b in zip(of.starts[:-1], of.starts[1:], strict=True)]


def test_heavy_values_keep_a_bin_and_are_never_smeared_into_a_range() -> None:
    classes: list[Class] = [{0: 30, 1: 4, 2: 4, 3: 4}]
    told = pooled([column(gains(0, 114, 999, 5000), classes), beside(classes)], 10).column("gain")
    assert told.pools.texts == ("0", "*")
    assert told.marginal.tolist() == [30, 10]
    assert bins(told) == [[("0", "0", 30), ("*", "*", 12)]]


def test_a_pool_of_its_own_in_the_middle_does_not_part_the_others() -> None:
    classes: list[Class] = [{0: 3, 1: 3, 2: 30, 3: 3, 4: 3}]
    told = pooled([column(gains(-5, -1, 0, 5, 9), classes), beside(classes)], 5).column("gain")
    assert told.pools.texts == ("<0", "0", "≥0", "*")
    assert bins(told) == [[("<0", "<0", 6), ("0", "0", 30), ("≥0", "≥0", 6)]]


def test_too_few_others_take_the_smallest_bin_with_them() -> None:
    classes: list[Class] = [{0: 30, 1: 12, 2: 10, 3: 2}, {3: 20}]
    told = pooled([column(gains(0, 40, 50, 60), classes), beside(classes)], 10).column("gain")
    assert bins(told)[0] == [("0", "0", 30), ("40", "40", 12), ("50", "60", 12)]


def test_what_is_left_over_joins_the_bin_before_it() -> None:
    classes: list[Class] = [dict.fromkeys(range(7), 2), dict.fromkeys(range(7), 9)]
    told = pooled([column(gains(*range(7)), classes), beside(classes)], 5).column("gain")
    assert bins(told)[0] == [("0", "2", 6), ("3", "6", 8)]


@pytest.mark.parametrize("least", [1, 2, 3, 5, 10, 40])
def test_every_bin_has_its_support_and_every_class_all_its_people(least: int) -> None:
    random = np.random.default_rng(least)
    domain = gains(*range(30), has_missing=True)
    classes: list[Class] = []
    for _ in range(40):
        held = random.choice(31, random.integers(1, 12), replace=False)
        classes.append({int(code): int(random.integers(1, 15)) for code in held} | {0: 40})
    told = pooled([column(domain, classes), beside(classes)], least)
    for one in told.columns:
        assert one.records.min() >= least
        assert np.add.reduceat(one.records, one.starts[:-1]).tolist() == told.sizes.tolist()
        told_pools = slice(None) if one.pools.rest < 0 else slice(None, -1)
        assert (one.marginal[told_pools] % least == 0).all()
        assert one.marginal[told_pools].min() >= least
        rest = [] if one.pools.rest < 0 else [int(one.marginal[-1])]
        assert all(number == least // 2 or (number >= least and number % least == 0) for number in rest)


def test_a_support_of_one_is_exact() -> None:
    classes: list[Class] = [{0: 1, 2: 2}, {1: 1, 2: 1}]
    told = pooled([column(letters(3), classes)], 1).column("letter")
    assert bins(told) == [[("a", "a", 1), ("c", "c", 2)], [("b", "b", 1), ("c", "c", 1)]]
    assert told.marginal.tolist() == [1, 1, 3]


def test_values_in_between_are_left_to_the_last_pool() -> None:
    classes: list[Class] = [{0: 3, 1: 2, 2: 20, 3: 2, 4: 2, 5: 1}]
    told = pooled([column(letters(6), classes), beside(classes)], 5).column("letter")
    assert told.pools.texts == ("c", "*")
    assert told.marginal.tolist() == [20, 10]
    assert bins(told) == [[("c", "c", 20), ("*", "*", 10)]]


def test_of_fewer_than_the_support_no_number_is_published() -> None:
    classes: list[Class] = [{0: 20, 1: 1, 2: 8}]
    told = pooled([column(letters(3), classes), beside(classes)], 5).column("letter")
    assert told.pools.texts == ("a", "c", "*")
    assert told.marginal.tolist() == [20, 10, 2]
    assert bins(told) == [[("a", "a", 20), ("c", "*", 9)]]
    everybody = pooled([column(letters(3), [{0: 20, 2: 8}]), beside([{0: 20, 2: 8}])], 5).column("letter")
    assert everybody.pools.texts == told.pools.texts
    assert everybody.marginal.tolist() == told.marginal.tolist()


def test_names_are_in_their_own_order_or_in_that_of_the_hierarchy() -> None:
    classes: list[Class] = [{0: 5, 1: 5, 2: 5}]
    assert pooled([column(letters(3), classes), beside(classes)], 5).column("letter").pools.texts == (
        "a",
        "b",
        "c",
        "*",
    )
    hierarchy = resolve({"*": {"x": ["c"], "y": ["a", "b"]}}, letters(3), "letter")
    given = column(letters(3), classes, hierarchy=hierarchy, code_in_hierarchy=np.arange(3))
    assert pooled([given, beside(classes)], 5).column("letter").pools.texts == ("c", "a", "b", "*")


class TestLoneColumns:
    """Classes in which only one column holds several values: its counts are those of tuples."""

    def test_they_are_not_in_the_marginal_unless_they_are_told(self) -> None:
        """The first class is open in both columns; the second has 8 of a, which is told, and 3 of b and 2 of c."""
        classes: list[Class] = [{0: 10, 1: 10, 2: 10}, {0: 8, 1: 3, 2: 2}]
        other = column(Domain("other", "text", np.array(["x", "y"])), [{0: 10, 1: 20}, {0: 13}])
        told = pooled([column(letters(3), classes), other], 5)
        assert told.column("letter").marginal.tolist() == [20, 10, 10, 2]
        assert bins(told.column("letter"))[1] == [("a", "a", 8), ("b", "c", 5)]
        assert told.column("other").marginal.tolist() == [25, 20, 2]

    def test_they_name_no_value(self) -> None:
        """Four have c and four d, in two classes each, and never enough of one."""
        classes: list[Class] = [{0: 20, 1: 15}, {0: 1, 2: 4, 3: 4}, {0: 1, 2: 4, 3: 4}]
        other = column(Domain("other", "text", np.array(["x", "y"])), [{0: 15, 1: 20}, {0: 9}, {0: 9}])
        told = pooled([column(letters(4), classes), other], 5).column("letter")
        assert told.pools.texts == ("a", "b", "*")

    def test_two_people_are_not_told(self) -> None:
        """Were they told to differ, or to be alike, each would be known."""
        classes: list[Class] = [{0: 1, 1: 1}, {0: 2}, {0: 30, 1: 30}]
        other = column(Domain("other", "text", np.array(["x", "y"])), [{0: 2}, {0: 2}, {0: 30, 1: 30}])
        told = pooled([column(letters(2), classes), other], 2).column("letter")
        assert bins(told) == [[("a", "*", 2)], [("a", "*", 2)], [("a", "a", 30), ("b", "b", 30)]]
        assert told.marginal.tolist() == [30, 30, 1]

    def test_a_bin_has_more_people_than_a_set_names(self) -> None:
        """{a|b|c|d} of six people: were d told alone, three people with three values would be left."""
        classes: list[Class] = [{0: 1, 1: 1, 2: 1, 3: 3}, dict.fromkeys(range(4), 30)]
        other = column(Domain("other", "text", np.array(["x", "y"])), [{0: 6}, {0: 60, 1: 60}])
        told = pooled([column(letters(4), classes, "set"), other], 3).column("letter")
        assert bins(told)[0] == [("a", "d", 6)]
        loose = pooled([column(letters(4), classes, "label"), other], 3).column("letter")
        assert bins(loose)[0] == [("a", "c", 3), ("d", "d", 3)]

    def test_of_an_interval_four_people_are_not_told(self) -> None:
        """Somebody has each end of the interval, and each end of a bin: together they could name everybody."""
        classes: list[Class] = [{0: 1, 1: 1, 2: 1}, dict.fromkeys(range(3), 30)]
        other = column(Domain("other", "text", np.array(["x", "y"])), [{0: 3}, {0: 45, 1: 45}])
        told = pooled([column(gains(20, 21, 22), classes, "interval"), other], 2).column("gain")
        assert (told.first[0], told.last[0], told.records[0]) == (0, len(told.pools) - 1, 3)

    def test_a_mean_is_told_without_bins(self) -> None:
        """The mean of a range of two values would tell how many have each."""
        classes: list[Class] = [{0: 7, 1: 3}, {0: 30, 1: 30}]
        other = column(Domain("other", "text", np.array(["x", "y"])), [{0: 10}, {0: 30, 1: 30}])
        told = pooled([column(gains(20, 21), classes, "number"), other], 3).column("gain")
        assert bins(told)[0] == [("20", "*", 10)]
        assert (told.first[0], told.last[0]) == (0, len(told.pools) - 1)


@pytest.mark.parametrize("wrong", [0, 1.5, True, None])
def test_the_support_is_a_whole_number(wrong: Any) -> None:
    with pytest.raises(BadInput, match="'min_support' parameter of pool"):
        pooled([column(letters(1), [{0: 1}])], wrong)


class TestNumbersOfMost:
    """A number that most people have, and a few others of whom there are fewer than the support."""

    def told(self, numbers: list[float], classes: list[Class]) -> ColumnProportions:
        gains = Domain("gain", "number", np.array([f"{number:g}" for number in numbers]), np.array(numbers))
        other = column(Domain("other", "text", np.array(["x", "y"])), [{0: 15, 1: 17}, {0: 20, 1: 10}])
        return pooled([column(gains, classes), other], 5).column("gain")

    def test_it_stays_apart_and_the_others_are_not_counted(self) -> None:
        told = self.told([0.0, 7.0, 9.0], [{0: 30, 1: 1, 2: 1}, {0: 28, 1: 1, 2: 1}])
        assert told.pools.texts == ("0", "*")
        assert told.marginal.tolist() == [60, 2]
        assert told.pools.reach is None

    def test_whether_there_are_others_is_not_published(self) -> None:
        assert self.told([0.0], [{0: 32}, {0: 30}]).pools.texts == ("0", "*")
        assert self.told([0.0, 7.0], [{0: 31, 1: 1}, {0: 28, 1: 2}]).marginal.tolist() == [60, 2]
