"""The verifier against brute force in plain Python, over random small tables with missing values."""

from __future__ import annotations

import csv
import itertools
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from hedgerow.verifier import ClassCounts, count_classes, verify, wildcard_k
from hedgerow.verifier.formulas import (
    distinct_values,
    entropy_values,
    equal_distance,
    hierarchical_distance,
    largest_share,
    ordered_distance,
    recursive_ratio,
)

Row = tuple[str | None, ...]
NAMES = ["q0", "q1", "q2"]

CELLS = st.sampled_from(["a", "b", "*", None])
VALUES = st.sampled_from(["flu", "cold", "ulcer", "asthma", None])
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS, VALUES), min_size=1, max_size=14)


def arrow(rows: list[Row]) -> pa.Table:
    columns = [*NAMES, "s"]
    return pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(columns)})


def as_csv(rows: list[Row], folder: Path) -> Path:
    path = folder / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow([*NAMES, "s"])
        writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return path


def as_parquet(rows: list[Row], folder: Path) -> Path:
    path = folder / "table.parquet"
    pl.DataFrame(arrow(rows)).write_parquet(path)
    return path


SOURCES: dict[str, Callable[[list[Row], Path], Any]] = {
    "pandas": lambda rows, _: arrow(rows).to_pandas(),
    "pandas object": lambda rows, _: pd.DataFrame(rows, columns=[*NAMES, "s"], dtype=object),
    "polars": lambda rows, _: pl.DataFrame(arrow(rows)),
    "pyarrow": lambda rows, _: arrow(rows),
    "duckdb": lambda rows, _: duckdb.connect().from_arrow(arrow(rows)),
    "csv": as_csv,
    "parquet": as_parquet,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


def spelled(counts: ClassCounts) -> dict[Row, tuple[int, Counter[str | None]]]:
    """Spell a result out: each class with its size and its sensitive values."""
    found = counts.histograms["s"]
    values: list[Counter[str | None]] = [Counter() for _ in counts.sizes]
    for at, value, count in zip(found.classes, found.values, found.counts, strict=True):
        values[at][found.labels[value]] += int(count)
    keys = [tuple(labels[code] for labels, code in zip(counts.labels, row, strict=True)) for row in counts.codes]
    return {key: (int(size), values[i]) for i, (key, size) in enumerate(zip(keys, counts.sizes, strict=True))}


def grouped(rows: list[Row], width: int = 3) -> dict[Row, Counter[str | None]]:
    classes: dict[Row, Counter[str | None]] = {}
    for row in rows:
        classes.setdefault(row[:width], Counter())[row[-1]] += 1
    return classes


@pytest.mark.parametrize("source", list(SOURCES))
@examples(25)
@given(rows=ROWS)
def test_every_source_gives_the_same_classes(source: str, rows: list[Row], folder: Path) -> None:
    counts = count_classes(SOURCES[source](rows, folder), NAMES, sensitive=["s"])
    assert spelled(counts) == {key: (values.total(), values) for key, values in grouped(rows).items()}
    assert counts.project(["q1", "q0"]).sizes.sum() == len(rows)
    pairs = Counter((row[1], row[0]) for row in rows)
    assert sorted(counts.project(["q1", "q0"]).sizes.tolist()) == sorted(pairs.values())


@examples(50)
@given(rows=ROWS, people=st.lists(st.sampled_from(["ann", "bob", "cem", None]), min_size=14, max_size=14))
def test_people(rows: list[Row], people: list[str | None]) -> None:
    who = people[: len(rows)]
    table = pl.DataFrame(arrow(rows)).with_columns(pl.Series("who", who, dtype=pl.String))
    counts = count_classes(table, NAMES, sensitive=["s"], entity="who")
    for width in (3, 2, 1):
        persons: dict[Row, set[str | None]] = {}
        held: dict[Row, set[tuple[str | None, str | None]]] = {}
        for row, person in zip(rows, who, strict=True):
            persons.setdefault(row[:width], set()).add(person)
            held.setdefault(row[:width], set()).add((row[-1], person))
        expected = {key: (len(persons[key]), Counter(value for value, _ in held[key])) for key in persons}
        assert spelled(counts.project(NAMES[:width])) == expected


@examples(100)
@given(rows=ROWS)
def test_wildcards(rows: list[Row]) -> None:
    def match(one: Row, other: Row) -> bool:
        return all(a in (None, "*") or b in (None, "*") or a == b for a, b in zip(one[:3], other[:3], strict=True))

    expected = min(sum(match(one, other) for other in rows) for one in rows)
    assert wildcard_k(count_classes(arrow(rows), NAMES)) == expected


@examples(100)
@given(rows=ROWS, people=st.lists(st.integers(0, 3), min_size=40, max_size=40))
def test_wildcards_of_people(rows: list[Row], people: list[int]) -> None:
    def match(one: Row, other: Row) -> bool:
        return all(a in (None, "*") or b in (None, "*") or a == b for a, b in zip(one[:3], other[:3], strict=True))

    owned = list(zip(rows, people, strict=False))
    expected = min(len({person for other, person in owned if match(one, other)}) for one in rows)
    table = arrow(rows).append_column("who", pa.array([str(person) for _, person in owned]))
    assert wildcard_k(count_classes(table, NAMES, entity="who")) == expected


def shares(values: Counter[str | None], order: list[str | None]) -> list[float]:
    return [values[value] / values.total() for value in order]


def transport(p: list[float], q: list[float], distance: Callable[[int, int], float]) -> float:
    """Solve the earth mover's distance as the linear program that defines it."""
    size = len(p)
    pairs = list(itertools.product(range(size), repeat=2))
    leaving = [[float(i == one) for i, _ in pairs] for one in range(size)]
    arriving = [[float(j == one) for _, j in pairs] for one in range(size)]
    solved = linprog([distance(i, j) for i, j in pairs], A_eq=np.array(leaving + arriving), b_eq=[*p, *q])
    assert solved.fun is not None
    return float(solved.fun)


def heights(one: str | None, other: str | None) -> float:
    """Return the distance in any → (lung → asthma, flu, cold), (other → ulcer), missing under the root."""
    lung = {"asthma", "flu", "cold"}
    return 0.0 if one == other else 0.5 if {one, other} <= lung else 1.0


TREE = ("any", (("lung", (("asthma", ()), ("flu", ()), ("cold", ()))), ("other", (("ulcer", ()),))))


@examples(40)
@given(rows=ROWS)
def test_formulas(rows: list[Row]) -> None:
    classes = grouped(rows)
    counts = count_classes(arrow(rows), NAMES, sensitive=["s"])
    histogram = counts.histograms["s"]
    keys = list(spelled(counts))
    overall = Counter(row[-1] for row in rows)
    order: list[str | None] = [*sorted(value for value in overall if value is not None)]
    order += [None] if None in overall else []
    steps = max(1, len(order) - 1)
    q = shares(overall, order)
    figures = {
        "distinct": distinct_values(histogram),
        "entropy": entropy_values(histogram),
        "alpha": largest_share(histogram, counts.sizes),
        "equal": equal_distance(histogram),
        "ordered": ordered_distance(histogram),
        "tree": hierarchical_distance(histogram, TREE),
        **{f"recursive {l}": recursive_ratio(histogram, l) for l in (1, 2, 3)},  # noqa: E741 - the paper's letter
    }
    for at, key in enumerate(keys):
        values = classes[key]
        p = shares(values, order)
        expected = {
            "distinct": len(values),
            "entropy": math.exp(-sum(share * math.log(share) for share in p if share)),
            "alpha": max(p),
            "equal": transport(p, q, lambda i, j: float(i != j)),
            "ordered": transport(p, q, lambda i, j: abs(i - j) / steps),
            "tree": transport(p, q, lambda i, j: heights(order[i], order[j])),
        }
        descending = sorted(values.values(), reverse=True)
        for l in (1, 2, 3):  # noqa: E741 - the paper's letter
            rest = sum(descending[l - 1 :])
            expected[f"recursive {l}"] = descending[0] / rest if rest else math.inf
        for name, value in expected.items():
            assert figures[name][at] == pytest.approx(value, abs=1e-9), name


@examples(30)
@given(
    numbers=st.lists(st.tuples(st.sampled_from("ab"), st.integers(-3, 12)), min_size=1, max_size=12),
    scale=st.permutations([str(number) for number in range(-3, 13)]),
)
def test_a_given_scale(numbers: list[tuple[str, int]], scale: list[str]) -> None:
    table = pa.table({"q": [one for one, _ in numbers], "s": [number for _, number in numbers]})
    histogram = count_classes(table, ["q"], sensitive=["s"]).histograms["s"]
    place = {int(text): at for at, text in enumerate(scale)}
    for at, name in enumerate(sorted({one for one, _ in numbers})):
        inside = [place[number] for one, number in numbers if one == name]
        everywhere = [place[number] for _, number in numbers]
        expected = sum(
            abs(
                sum(one <= step for one in inside) / len(inside)
                - sum(one <= step for one in everywhere) / len(everywhere)
            )
            for step in range(len(scale))
        ) / (len(scale) - 1)
        assert ordered_distance(histogram, scale)[at] == pytest.approx(expected, abs=1e-9)


@examples(60)
@given(
    data=st.data(),
    k=st.integers(2, 4),
    classes=st.sets(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=5),
)
def test_a_release_with_one_cell_changed_is_caught(data: st.DataObject, k: int, classes: set[Row]) -> None:
    rows = [[*one, "flu"] for one in sorted(classes, key=repr) for _ in range(k)]
    demand = [SimpleNamespace(name="k-anonymity", k=k, shield=None)]
    assert verify(arrow([tuple(row) for row in rows]), demand, NAMES).holds
    row = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, 2))
    rows[row][column] = data.draw(st.sampled_from(["a", "b", "c", "*", None]).filter(lambda x: x != rows[row][column]))
    (finding,) = verify(arrow([tuple(row) for row in rows]), demand, NAMES).findings
    assert not finding.holds
    assert finding.reached < k
    sizes = Counter(tuple(row[:3]) for row in rows).values()
    assert finding.classes_violating == sum(size < k for size in sizes)
    assert finding.rows_violating == sum(size for size in sizes if size < k)
