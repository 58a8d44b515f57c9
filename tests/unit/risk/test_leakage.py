"""What a column in clear tells of a quasi-identifier: nothing by chance, all where it determines it."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.risk._leakage import Coded, joint_leakage, leakage

ROWS = 3_000


def classes_of(size: int) -> np.ndarray:
    return (np.arange(ROWS) // size).astype(np.int32)


def revealed(original: np.ndarray, clear: np.ndarray, size: int, *, ordered: bool = True) -> float:
    columns = [Coded(codes.astype(np.int32), int(codes.max()) + 1, ordered) for codes in (original, clear)]
    found = leakage(classes_of(size), {"hidden": columns[0]}, {"clear": columns[1]}, np.random.default_rng(0))
    return found["clear"]["hidden"]


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.mark.parametrize("size", [5, 50])
@pytest.mark.parametrize("ordered", [True, False])
def test_a_column_that_determines_another_tells_nearly_all(
    size: int, ordered: bool, random: np.random.Generator
) -> None:
    """A number for each school, as education-num beside education."""
    hidden = random.integers(0, 16, ROWS)
    assert revealed(hidden, (hidden * 7) % 16, size, ordered=ordered) > 0.9


@pytest.mark.parametrize("size", [5, 50])
@pytest.mark.parametrize("values", [2, 30, ROWS])
def test_a_column_that_has_nothing_to_do_with_another_tells_nothing(
    size: int, values: int, random: np.random.Generator
) -> None:
    """Plain entropies would say that a column of ids tells everything."""
    assert revealed(random.integers(0, 16, ROWS), random.integers(0, values, ROWS), size) < 0.05


def test_a_date_of_birth_tells_the_age_also_where_all_dates_of_a_class_differ(random: np.random.Generator) -> None:
    """Within a class of five, any column whose values all differ seems to tell as much: others must have taught it."""
    age = random.integers(20, 70, ROWS)
    assert revealed(age, (70 - age) * 365 + random.integers(0, 365, ROWS), 5) > 0.5


def test_half_of_it_is_told_by_a_column_that_halves_it(random: np.random.Generator) -> None:
    """Of 16 equally frequent values, four bits, the clear column tells two."""
    hidden = random.integers(0, 16, ROWS)
    assert revealed(hidden, hidden // 4, 300) == pytest.approx(0.5, abs=0.06)


def test_nothing_is_said_of_a_column_that_is_hardly_left_open(random: np.random.Generator) -> None:
    """A few open classes could tell anything by chance."""
    hidden = np.zeros(ROWS, dtype=np.int64)
    hidden[:5] = np.arange(5)
    column = Coded(hidden.astype(np.int32), 5, ordered=True)
    clear = Coded(random.integers(0, 9, ROWS).astype(np.int32), 9, ordered=True)
    assert leakage(classes_of(5), {"hidden": column}, {"clear": clear}, random) == {"clear": {}}


def test_many_values_of_text_become_few_parts() -> None:
    codes = np.repeat(np.arange(1_000), np.where(np.arange(1_000) < 10, 20, 1)).astype(np.int32)
    parts = Coded(codes, 1_000, ordered=False).parts
    frequent, rare = parts[codes < 10], parts[codes >= 10]
    assert len(set(frequent.tolist())) == 10
    assert len(set(parts.tolist())) == 512
    assert not set(frequent.tolist()) & set(rare.tolist())


def test_many_numbers_become_ranges_of_about_equal_size() -> None:
    parts = Coded(np.arange(6_400, dtype=np.int32), 6_400, ordered=True).parts
    assert np.array_equal(parts, np.sort(parts))
    assert np.bincount(parts).tolist() == [100] * 64


def coded(codes: np.ndarray, *, ordered: bool = True) -> Coded:
    return Coded(codes.astype(np.int32), int(codes.max()) + 1, ordered)


def test_what_recurs_tells_where_all_values_of_a_class_differ(random: np.random.Generator) -> None:
    """People who share a code share the day, and nearly all days of a class are different ones."""
    days = np.sort(random.integers(0, 8_000, ROWS))
    code = random.permutation(8_000)[days]
    assert revealed(days, code, 20, ordered=False) > 0.9
    assert revealed(days, random.permutation(code), 20, ordered=False) < 0.05


def test_the_order_tells_where_nothing_recurs(random: np.random.Generator) -> None:
    days = np.arange(ROWS)
    assert revealed(days, 2 * days + random.integers(0, 2, ROWS), 10) > 0.7
    assert revealed(days, random.permutation(ROWS), 10) < 0.05


@pytest.mark.parametrize("rows", [400, 2_000])
def test_an_exact_copy_tells_all_but_what_so_few_rows_cannot_show(rows: int, random: np.random.Generator) -> None:
    """Neighbours are in one class, and no two people share a value: only the order shows it."""
    days = random.permutation(rows).astype(np.int32)
    day, copy = Coded(days, rows, True), Coded(rows - 1 - days, rows, True)
    found = leakage((days // 10).astype(np.int32), {"day": day}, {"copy": copy}, random)
    assert found["copy"]["day"] > 0.9


def test_columns_that_tell_something_alone_hide_no_pair(random: np.random.Generator) -> None:
    hidden, key = random.integers(0, 16, ROWS), random.integers(0, 16, ROWS)
    locked = (hidden + key) % 16
    decoy = np.where(random.random(ROWS) < 0.3, hidden, random.integers(0, 16, ROWS))
    clear = {"decoy": coded(decoy), "key": coded(key), "locked": coded(locked), "noise": coded(key // 4)}
    originals = {"hidden": coded(hidden)}
    alone = leakage(classes_of(300), originals, clear, random)
    assert max(alone, key=lambda name: alone[name]["hidden"]) == "decoy"
    for last in ([], ["locked"], ["key", "locked"]):
        joint = joint_leakage(classes_of(300), originals, clear, alone, random, enough=0.75, last=last)
        assert set(joint["hidden"].columns) >= {"key", "locked"}
        assert joint["hidden"].share > 0.75


def test_two_columns_together_tell_what_none_tells_alone(random: np.random.Generator) -> None:
    hidden, key = random.integers(0, 16, ROWS), random.integers(0, 16, ROWS)
    clear = {"key": coded(key), "locked": coded((hidden + key) % 16), "noise": coded(random.integers(0, 9, ROWS))}
    originals = {"hidden": coded(hidden)}
    alone = leakage(classes_of(300), originals, clear, random)
    assert max(one["hidden"] for one in alone.values()) < 0.1
    found = joint_leakage(classes_of(300), originals, clear, alone, random, enough=0.75)
    assert set(found["hidden"].columns) >= {"key", "locked"}
    assert found["hidden"].share > 0.75


def test_columns_that_have_nothing_to_do_with_another_tell_nothing_together() -> None:
    for seed in range(10):
        random = np.random.default_rng(seed)
        clear = {str(size): coded(random.integers(0, size, ROWS)) for size in (2, 5, 20, 100, 1_000)}
        originals = {"hidden": coded(random.integers(0, 40, ROWS)), "near": coded(random.permutation(ROWS))}
        alone = leakage(classes_of(10), originals, clear, random)
        found = joint_leakage(classes_of(10), originals, clear, alone, random, enough=0.75)
        assert all(one.share < 0.2 for one in found.values())
