"""The papers' worked checks of k-anonymity requirements, repeated by the verifier."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from hedgerow.verifier import ClassCounts, count_classes, verify

HERE = Path(__file__).parent


def golden(name: str) -> Any:
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def repeated(columns: list[str], rows: list[list[Any]]) -> pa.Table:
    """Write a table of distinct tuples, each followed by its number of records, row by row."""
    records = [row[:-1] for row in rows for _ in range(row[-1])]
    return pa.table({name: [record[i] for record in records] for i, name in enumerate(columns)})


def k_anonymity(k: int, shield: list[str]) -> SimpleNamespace:
    return SimpleNamespace(name="k-anonymity", k=k, shield=tuple(shield))


def classes(counts: ClassCounts) -> list[list[Any]]:
    return sorted(
        [*(labels[code] for labels, code in zip(counts.labels, row, strict=True)), int(size)]
        for row, size in zip(counts.codes, counts.sizes, strict=True)
    )


TABLE_1 = golden("heuristicmin_table_1")


@pytest.mark.parametrize("check", TABLE_1["checks"], ids=lambda one: f"{one['k']}@{','.join(one['shield'])}")
def test_heuristicmin_table_1(check: dict[str, Any]) -> None:
    """HeuristicMin, section 3.1, table 1: the requirements that the text checks one by one."""
    columns, rows = TABLE_1["columns"], TABLE_1["rows"]
    counts = count_classes(repeated(columns, rows), columns)
    (finding,) = verify(counts, [k_anonymity(check["k"], check["shield"])]).findings
    assert finding.holds is check["satisfied"]
    if "counts" in check:
        assert classes(counts.project(check["shield"])) == sorted(check["counts"])
    if "violating_rows" in check:
        assert finding.rows_violating == sum(rows[row - 1][-1] for row in check["violating_rows"])


@pytest.mark.parametrize("step", ["a", "b", "c", "d"])
def test_heuristicmin_table_2(step: str) -> None:
    """HeuristicMin, section 3.2, table 2 (a) to (d): the requirement holds once the rows have merged."""
    table = golden("heuristicmin_table_2")
    rows = table[step]["rows"]
    demand = k_anonymity(table["k"], table["columns"])
    (finding,) = verify(repeated(table["columns"], rows), [demand], table["columns"]).findings
    assert finding.holds is table[step]["satisfied"]
    assert finding.rows_violating == sum(rows[row - 1][-1] for row in table[step]["violating_rows"])


def test_kactus_section_3_3() -> None:
    """kACTUS, section 3.3: of fifteen records only three comply with k = 2."""
    table = golden("kactus_section_3_3")
    records = pa.table({name: [row[i] for row in table["rows"]] for i, name in enumerate(table["columns"])})
    counts = count_classes(records, table["quasi"], sensitive=[table["class"]])
    (finding,) = verify(counts, [k_anonymity(table["k"], table["quasi"])]).findings
    assert finding.holds is table["satisfied"]
    assert (len(counts.sizes), int(counts.sizes.max())) == (table["classes"], table["largest_class"])
    assert finding.rows_violating == len(table["violating_records"])
    assert counts.rows - finding.rows_violating == len(table["complying_records"])
    size = {tuple(map(str, cells)): number for *cells, number in classes(counts)}
    quasi = [table["columns"].index(name) for name in table["quasi"]]
    large = [size[tuple(str(row[at]) for at in quasi)] >= table["k"] for row in table["rows"]]
    assert [at for at, complies in enumerate(large, 1) if complies] == table["complying_records"]
    assert [at for at, complies in enumerate(large, 1) if not complies] == table["violating_records"]
