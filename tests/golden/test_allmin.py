"""AllMin's worked example (Arca, Hewett: Data privacy with heuristic anonymisation, sections 4.3 and 5.1.2)."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest

from hedgerow import KAnonymity, Schema
from hedgerow.anonymizers.lattice._judge import Judge
from hedgerow.anonymizers.lattice._levels import Lattice
from hedgerow.anonymizers.lattice.allmin import AllMin
from hedgerow.core.metrics import prec
from hedgerow.core.recoding import Recoding, recode_by_nodes
from hedgerow.release import pipeline

GOLDEN: Any = json.loads((Path(__file__).parent / "allmin_figures_7_9.json").read_text(encoding="utf-8"))


def prepared() -> pipeline.Prepared:
    """The table of section 4.3, a row for every record."""
    records = [row[:-1] for row in GOLDEN["rows"] for _ in range(row[-1])]
    columns = dict(zip(GOLDEN["columns"], map(list, zip(*records, strict=True)), strict=True))
    schema = Schema(quasi=GOLDEN["columns"], hierarchies=GOLDEN["taxonomies"])
    return pipeline.prepare(pa.table(columns), schema, [KAnonymity(GOLDEN["k"])], random_state=0)


def result(search: Literal["binary", "linear"]) -> Recoding:
    job = prepared()
    return AllMin(preset="paper", search=search).fit_counts(job.counts, job.requirements)


def published(recoding: Recoding) -> list[list[Any]]:
    """The rows of a recoding with their numbers of records."""
    rows = []
    for values, size in zip(recoding.groups, recoding.sizes.tolist(), strict=True):
        rows.append([*(column.texts[value] for column, value in zip(recoding.columns, values, strict=True)), size])
    return sorted(rows)


def test_lattice() -> None:
    """Section 5.1.2 and figure 8: the heights 3, 1 and 2, the state with most generalizations, 24 states."""
    lattice = Lattice(prepared().counts)
    assert lattice.named(lattice.heights) == GOLDEN["heights"]
    assert lattice.size == GOLDEN["lattice_size"]


@pytest.mark.parametrize("height", ["3", "2", "1"])
def test_states_of_a_height(height: str) -> None:
    """Figures 7 to 9: all states with so many generalizations, and no others."""
    every = product(*(range(one + 1) for one in Lattice(prepared().counts).heights))
    assert sorted(list(one) for one in every if sum(one) == int(height)) == sorted(GOLDEN["states"][height])


@pytest.mark.parametrize("height", ["3", "2", "1"])
def test_states_that_violate(height: str) -> None:
    """Figures 7 to 9: the states of each height, and which of them are not 4-anonymous."""
    job = prepared()
    lattice = Lattice(job.counts)
    judge = Judge(lattice, job.requirements)
    for state in GOLDEN["states"][height]:
        violates = not judge.verdict(lattice.classes(state)).accepted
        assert violates is (state in GOLDEN["violating"][height])


@pytest.mark.parametrize("state", GOLDEN["tables"])
def test_tables_of_height_1(state: str) -> None:
    """Figures 9(a), (b) and (c): the generalized tables and their records."""
    counts = prepared().counts
    levels = [int(level) for level in state.split(",")]
    nodes = [counts.hierarchies[name].at_level[level] for name, level in zip(counts.quasi, levels, strict=True)]
    assert published(recode_by_nodes("state", counts, nodes)) == sorted(GOLDEN["tables"][state])


@pytest.mark.parametrize("search", ["linear", "binary"])
def test_search(search: Literal["binary", "linear"]) -> None:
    """Section 5.1.2: heights 3, 2, 1 and 14 states by the paper's descent; 3, 1, 0 and 10 by a binary search."""
    facts = result(search).facts
    assert facts["heights"] == GOLDEN[search]["heights"]
    assert facts["states"] == GOLDEN[search]["states"]


@pytest.mark.parametrize("search", ["linear", "binary"])
def test_solution(search: Literal["binary", "linear"]) -> None:
    """Figures 9(a) and 10(b): one solution, education at its first level, with precision 0.89 and four rows."""
    recoding = result(search)
    assert recoding.levels == dict(zip(GOLDEN["columns"], GOLDEN["result"], strict=True))
    assert recoding.facts["minimal"] == [recoding.levels]
    assert round(prec(prepared().counts, recoding), 2) == GOLDEN["prec"]
    assert len(recoding.sizes) == GOLDEN["result_rows"]
    assert published(recoding) == sorted(GOLDEN["tables"]["1,0,0"])


def test_comparison() -> None:
    """Figure 10(c): AllMin's precision, rows, generalized rows, effort and space."""
    expected, recoding = GOLDEN["figure_10"], result("linear")
    counts = prepared().counts
    assert round(prec(counts, recoding), 2) == expected["precision"]
    assert len(recoding.sizes) == expected["rows"]
    assert recoding.facts["states"] == expected["generalisations_to_find"]
    assert recoding.facts["nodes"] == expected["solution_space"]
    # Every row of the table is generalized, on education.
    assert len(counts.tuples) == expected["generalisations_in_result"] == GOLDEN["row_generalisations"]
