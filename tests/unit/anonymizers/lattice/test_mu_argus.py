"""μ-Argus against a plain version of it, and the repair of what it leaves."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import Infeasible, KAnonymity, LDiversity, MuArgus, Release, Schema, TCloseness

LETTERS = {"*": {"ab": ["a", "b"], "cd": ["c", "d"], "ef": ["e", "f"]}}
DIGITS = {"*": {"low": ["0", "1"], "high": ["2", "3"]}}
LEVELS: dict[str, list[Mapping[str, str]]] = {
    "letter": [
        {one: one for one in "abcdef"},
        {one: pair for pair in ("ab", "cd", "ef") for one in pair},
        dict.fromkeys("abcdef", "*"),
    ],
    "digit": [
        {one: one for one in "0123"},
        {one: "low" if one < "2" else "high" for one in "0123"},
        dict.fromkeys("0123", "*"),
    ],
    "sex": [{"F": "F", "M": "M"}, {"F": "*", "M": "*"}],
    "town": [{one: one for one in "UVW"}, dict.fromkeys("UVW", "*")],
}
NAMES = tuple(LEVELS)
HIERARCHIES: dict[str, Any] = {"letter": LETTERS, "digit": DIGITS, "sex": "flat", "town": "flat"}
Row = tuple[str, ...]


def people(rows: int, seed: int) -> pa.Table:
    random = np.random.default_rng(seed)
    columns = {name: random.choice(list(levels[0]), rows).tolist() for name, levels in LEVELS.items()}
    return pa.table({**columns, "ill": random.choice(["cold", "flu", "none"], rows).tolist()})


def released(table: pa.Table, k: int | None = None, *, require: Sequence[Any] = (), **parameters: Any) -> Release:
    schema = Schema(quasi=NAMES, sensitive=["ill"], hierarchies=HIERARCHIES)
    return MuArgus(k=k, require=require, **parameters).anonymize(table, schema)


def published(release: Release) -> Counter[Row]:
    return Counter(tuple(row[name] for name in NAMES) for row in release.table.to_pylist())


def subsets(size: int) -> list[tuple[int, ...]]:
    return [one for number in range(1, size + 1) for one in itertools.combinations(range(len(NAMES)), number)]


def plain(rows: Sequence[Row], k: int, size: int, above: float) -> Counter[Row]:
    """The published algorithm, row by row."""
    levels = [0] * len(NAMES)
    while True:
        view = [
            tuple(LEVELS[name][at][cell] for name, at, cell in zip(NAMES, levels, row, strict=True)) for row in rows
        ]
        rare: dict[tuple[int, ...], set[Row]] = {}
        for columns in subsets(size):
            found = Counter(tuple(row[at] for at in columns) for row in view)
            rare[columns] = {cells for cells, number in found.items() if number < k}
        distinct = [len({row[at] for row in view}) for at in range(len(NAMES))]
        unsafe = [[one for one in rare if tuple(row[at] for at in one) in rare[one]] for row in view]
        waiting = [at for at, name in enumerate(NAMES) if levels[at] < len(LEVELS[name]) - 1]
        if sum(map(bool, unsafe)) <= above * len(rows) or not waiting:
            break
        number = [sum(len(cells) for one, cells in rare.items() if at in one) for at in range(len(NAMES))]
        levels[max(waiting, key=lambda at: (number[at], distinct[at], -at))] += 1
    result: Counter[Row] = Counter()
    for row, left in zip(view, unsafe, strict=True):
        cells = list(row)
        while left:
            worst = max(range(len(NAMES)), key=lambda at: (sum(at in one for one in left), distinct[at], -at))
            cells[worst] = "*"
            left = [one for one in left if worst not in one]
        result[tuple(cells)] += 1
    return result


CASES = [(seed, k, size, above) for seed in range(4) for k in (2, 4) for size in (1, 2, 3) for above in (0.0, 0.1, 1.0)]


@pytest.mark.parametrize(("seed", "k", "size", "above"), CASES)
def test_the_published_algorithm_equals_a_plain_one(seed: int, k: int, size: int, above: float) -> None:
    table = people(40 + 40 * seed, seed)
    rows = list(zip(*(table[name].to_pylist() for name in NAMES), strict=True))
    release = released(table, k, size=size, recode_above=above, as_published=True)
    assert published(release) == plain(rows, k, size, above)


@pytest.mark.parametrize(("seed", "k", "size", "above"), CASES)
def test_every_shown_combination_fits_k_records(seed: int, k: int, size: int, above: float) -> None:
    """A suppressed cell fits every value."""
    found = published(released(people(40 + 40 * seed, seed), k, size=size, recode_above=above, as_published=True))
    for columns in subsets(size):
        for row in found:
            shown = [row[at] for at in columns]
            if "*" in shown:
                continue
            fits = sum(
                number
                for other, number in found.items()
                if all(other[at] in (cell, "*") for at, cell in zip(columns, shown, strict=True))
            )
            assert fits >= k


def all_of_four() -> pa.Table:
    """Every combination of four letters once: two records share any three of them, and none all four."""
    return pa.table(dict(zip("abcd", zip(*itertools.product("01", repeat=4), strict=True), strict=True)))


def test_a_table_that_is_safe_for_the_paper_is_not_anonymous() -> None:
    schema = Schema(quasi=list("abcd"))
    release = MuArgus(k=2, as_published=True).anonymize(all_of_four(), schema)
    assert release.recoding.facts["unsafe_combinations"] == {"before": 0, "after_recoding": 0}
    assert (release.audit.k, release.facts["guaranteed"], release.guarantee.enforced) == (1, False, False)
    assert "NOT guaranteed" in repr(release)
    assert release.audit.warnings[0].startswith("WEAK")
    repaired = MuArgus(k=2).anonymize(all_of_four(), schema)
    assert (repaired.audit.k, repaired.facts["guaranteed"], repaired.recoding.weak) == (2, True, None)
    assert repaired.recoding.facts["cells_repaired"] == 16


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "require",
    [
        [KAnonymity(3)],
        [KAnonymity(2), LDiversity(3, "ill")],
        [KAnonymity(2), TCloseness(0.3, "ill")],
        [KAnonymity(7, shield=["letter", "sex"]), KAnonymity(5, shield=["digit", "town"])],
    ],
    ids=["k", "l", "t", "shields"],
)
@pytest.mark.parametrize("above", [0.0, 0.05, 1.0])
def test_the_repaired_release_is_verified(seed: int, require: list[Any], above: float) -> None:
    """The verifier has counted it, or there would be no release; here it is counted once more."""
    release = released(people(60 + 10 * seed, seed), require=require, recode_above=above)
    assert release.facts["guaranteed"]
    assert release.recoding.lost == 0
    rows = release.table.to_pylist()
    for one in require:
        if isinstance(one, KAnonymity):
            names = one.shield or NAMES
            assert min(Counter(tuple(row[name] for name in names) for row in rows).values()) >= one.k


def test_columns_outside_the_shields_stay_as_they_are() -> None:
    table = people(60, 1)
    release = released(table, require=[KAnonymity(12, shield=["letter", "digit"])], recode_above=0.5)
    for name in ("sex", "town"):
        assert Counter(release.table[name].to_pylist()) == Counter(table[name].to_pylist())


def test_an_anonymous_table_stays_as_it_is() -> None:
    table = pa.concat_tables([people(30, 3)] * 2)
    release = released(table, 2)
    assert published(release) == Counter(zip(*(table[name].to_pylist() for name in NAMES), strict=True))
    assert release.recoding.facts["cells_suppressed"] == release.recoding.facts["cells_repaired"] == 0


def test_one_record_that_nobody_resembles_joins_the_class_that_loses_least() -> None:
    """Three of a kind and four of another: the lone record hides everything, and so does the smaller class."""
    table = pa.table({"a": [*"xxx", *"yyyy", "z"], "b": [*"111", *"2222", "3"]})
    release = MuArgus(k=3, recode_above=1.0).anonymize(table, Schema(quasi=["a", "b"]))
    rows = Counter((row["a"], row["b"]) for row in release.table.to_pylist())
    assert rows == {("*", "*"): 4, ("y", "2"): 4}


def test_a_heavy_column_is_recoded_and_suppressed_last() -> None:
    table = pa.table({"a": list("wxyz") * 2, "b": list("12341234")})
    schema = Schema(quasi=["a", "b"], weights={"a": 9}, hierarchies=dict.fromkeys("ab", "flat"))
    light = MuArgus(k=3).anonymize(table, schema)
    assert light.recoding.facts["levels"]["b"] == 1
    one = pa.table({"a": [*"xxyy", "x"], "b": [*"1122", "2"]})
    for heavy, cells in (("a", ("x", "*")), ("b", ("*", "2"))):
        schema = Schema(quasi=["a", "b"], weights={heavy: 5})
        release = MuArgus(k=2, recode_above=1.0, as_published=True).anonymize(one, schema)
        assert cells in [(row["a"], row["b"]) for row in release.table.to_pylist()]


def test_people_are_counted_where_rows_are_not_people() -> None:
    """Two records of one person do not make a value safe."""
    table = pa.table({"who": [1, 1, 2, 3, 4, 5], "a": list("xxyyyy"), "b": list("111111")})
    schema = Schema(quasi=["a", "b"], entity="who", hierarchies={"a": "flat", "b": "flat"})
    release = MuArgus(k=2, recode_above=1.0, as_published=True).anonymize(table, schema, random_state=0)
    assert Counter(release.table["a"].to_pylist()) == {"*": 2, "y": 4}


def test_numbers_keep_their_intervals_beside_suppressed_cells() -> None:
    table = pa.table({"age": [20, 21, 22, 23, 40, 41, 60], "sex": list("FFFFFFF")})
    schema = Schema(quasi=["age", "sex"], hierarchies={"age": "intervals:10"})
    release = MuArgus(k=2, recode_above=0.2).anonymize(table, schema)
    assert Counter(release.table["age"].to_pylist()) == {"[20,30)": 4, "*": 3}
    unseen = release.recoding.transform(pa.table({"age": [25, 99], "sex": ["F", "F"]}))
    assert unseen["age"].to_pylist() == ["[20,30)", "*"]


def test_what_no_table_meets_is_refused() -> None:
    with pytest.raises(Infeasible):
        released(people(40, 0), 2, require=[LDiversity(4, "ill")])
