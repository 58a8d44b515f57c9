"""The fuzz finds what is wrong: releases broken on purpose, methods that merge too little, errors of all kinds."""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings

import campaign
import hedgerow as hr
import replay
import running
from cases import Case, Column, from_json, grown, to_json
from drawing import cases
from hedgerow.anonymizers.registry import METHODS
from hedgerow.release import _guarantee as guarantee
from hedgerow.release import pipeline
from inspecting import inspect_bytes, inspect_files, inspect_rows
from readback import Rows as Published
from readback import handed_on, read_file, read_table
from running import Outcome, run
from shrinking import shrunk

ROWS = 12
CASE = Case(
    method="mondrian",
    options={},
    columns=(
        Column("name", "text", "identifying", tuple(f"Zq7person{row}" for row in range(ROWS))),
        Column("age", "int", "quasi", tuple(20 + row for row in range(ROWS))),
        Column("sex", "text", "quasi", ("F", "M") * (ROWS // 2)),
        Column("ill", "text", "sensitive", ("flu", "cold", "cold") * (ROWS // 3)),
        Column("row", "text", "insensitive", tuple(f"row-{row}" for row in range(ROWS))),
    ),
    k=3,
    require=({"name": "l", "l": 2, "column": "ill"},),
)
Rows = list[dict[str, str]]


def test_a_sound_release_passes() -> None:
    assert run(CASE) == Outcome("release")
    assert run(replace(CASE, saved="parquet", source="csv", destination=True)) == Outcome("release")


def change(rows: Rows, column: str, cell: str) -> Rows:
    return [{**rows[0], column: cell}, *rows[1:]]


def swapped(rows: Rows, column: str) -> Rows:
    cells = [row[column] for row in rows]
    return [{**row, column: cell} for row, cell in zip(rows, [*cells[1:], cells[0]], strict=True)]


@pytest.mark.parametrize(
    ("alter", "problem"),
    [
        (lambda rows: change(rows, "age", "[20,99)"), "requirement"),
        (lambda rows: [{**row, "ill": "flu"} for row in rows], "requirement"),
        (lambda rows: change(rows, "ill", "Zq7person4"), "identifier"),
        (lambda rows: swapped(rows, "ill"), "others"),
        (lambda rows: swapped(rows, "row"), "others"),
        (lambda rows: [{**row, "age": "[1,2)"} for row in rows], "covering"),
        (lambda rows: [{**row, "sex": "{X|Y}"} for row in rows], "covering"),
        (lambda rows: rows[1:], "rows"),
        (lambda rows: [rows[0], *rows[:-1]], "rows"),
        (lambda rows: [{"name": "x", **row} for row in rows], "columns"),
        (lambda rows: [{name: row[name] for name in reversed(row)} for row in rows], "columns"),
        (lambda rows: [{**row, "age": "*", "sex": "*"} for row in rows], "manifest"),
    ],
)
def test_a_saved_file_that_was_changed_is_found_out(
    alter: Callable[[Rows], Rows], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = hr.Release.save

    def changed(release: hr.Release, path: str | Path) -> Path:
        saved = save(release, path)
        with saved.open(encoding="utf-8", newline="") as text:
            rows = alter(list(csv.DictReader(text)))
        with saved.open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        rewrite_manifest(saved, sha256=hashlib.sha256(saved.read_bytes()).hexdigest())
        return saved

    monkeypatch.setattr(hr.Release, "save", changed)
    outcome = run(CASE)
    assert outcome.failed
    assert outcome.kind == "violation"
    assert problem in outcome.message.split(", ")


def rewrite_manifest(saved: Path, sha256: str) -> None:
    beside = saved.with_name(f"{saved.name}.manifest.json")
    manifest = json.loads(beside.read_text(encoding="utf-8"))
    manifest["output"]["sha256"] = sha256
    beside.write_text(json.dumps(manifest), encoding="utf-8")


def test_a_manifest_of_another_table_and_files_left_behind_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    save = hr.Release.save

    def unfit(release: hr.Release, path: str | Path) -> Path:
        saved = save(release, path)
        rewrite_manifest(saved, sha256="0" * 64)
        return saved

    def littering(release: hr.Release, path: str | Path) -> Path:
        saved = save(release, path)
        saved.with_name(".left").touch()
        return saved

    monkeypatch.setattr(hr.Release, "save", unfit)
    assert run(CASE).message == "manifest"
    monkeypatch.setattr(hr.Release, "save", littering)
    assert run(CASE).message == "files"


def merging_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    finish = pipeline.finish

    def lax(prepared: pipeline.Prepared, recoding: Any, parameters: Any) -> Any:
        alone = METHODS[recoding.method]().fit_counts(prepared.counts, [hr.KAnonymity(1)], seed=0)
        return finish(prepared, alone, parameters)

    monkeypatch.setattr(pipeline, "finish", lax)


@pytest.mark.parametrize("method", ["mondrian", "oka", "datafly"])
def test_a_method_that_merges_too_little_is_refused_by_the_verifier(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    merging_too_little(monkeypatch)
    outcome = run(replace(CASE, method=method))
    assert outcome.kind == "refusal"
    assert outcome.failed


@pytest.mark.parametrize("saved", ["csv", "csv.gz", "parquet"])
def test_without_a_verifier_the_recount_finds_it(saved: str, monkeypatch: pytest.MonkeyPatch) -> None:
    merging_too_little(monkeypatch)
    monkeypatch.setattr(guarantee, "enforce", lambda verdict: None)
    outcome = run(replace(CASE, saved=saved, source="pandas"))
    assert outcome.kind == "violation"
    assert outcome.message.startswith("requirement")
    assert "saved file" in outcome.detail


def test_an_error_is_a_crash_and_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: Any, **keywords: Any) -> Any:
        raise ZeroDivisionError("17 and 'x'")

    monkeypatch.setattr(hr.Mondrian, "_fit", broken)
    outcome = run(CASE)
    assert (outcome.kind, outcome.failed) == ("crash", True)
    assert outcome.message == "ZeroDivisionError in test_running.py:broken: # and …"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (hr.Infeasible("No."), "unexpected"),
        (hr.BadInput("A sentence that no case should earn."), "unexpected"),
        (hr.BadInput("Look at Zq7person3."), "violation"),
        (hr.NotAnonymous("No."), "refusal"),
        (hr.HedgerowError("No."), "crash"),
    ],
)
def test_errors_on_purpose_are_judged(error: Exception, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(*arguments: Any, **keywords: Any) -> Any:
        raise error

    monkeypatch.setattr(hr.Mondrian, "_fit", raising)
    outcome = run(replace(CASE, require=()))
    assert (outcome.kind, outcome.failed) == (kind, True)


def test_what_cannot_be_met_is_no_failure() -> None:
    outcome = run(replace(CASE, require=({"name": "l", "l": 3, "column": "ill"},)))
    assert (outcome.kind, outcome.failed) == ("infeasible", False)


@pytest.mark.parametrize(("records", "found"), [([3, 4, 5], False), ([3, 2, 7], True), ([[3], [1]], True)])
def test_proportions_of_fewer_than_k_people_are_found(records: list[Any], found: bool, tmp_path: Path) -> None:
    case = replace(CASE, proportions=True)
    saved = tmp_path / "release.csv"
    saved.write_text("age,sex,ill,row\n*,*,flu,row-0\n", encoding="utf-8")
    manifest = {"output": {}, "rows_in": 0, "rows_lost": 0, "weights": {}, "guaranteed": True, "audit": {"k": 1}}
    manifest["output"] = {"file": "release.csv", "sha256": hashlib.sha256(saved.read_bytes()).hexdigest()}
    saved.with_name("release.csv.manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    told = {"columns": [{"name": "age", "records": records}]}
    saved.with_name("release.csv.proportions.json").write_text(json.dumps(told), encoding="utf-8")
    problems = {problem.kind for problem in inspect_files(case, saved, read_file(saved), 0)}
    assert ("proportions" in problems) is found


BORN = tuple(f"196{row % 6}-0{1 + row % 4}-01" for row in range(48))
PARTS = Case(
    method="mondrian",
    options={},
    columns=(
        Column("born", "date", "quasi", BORN),
        Column("year of born", "int", "insensitive", tuple(int(day[:4]) for day in BORN), part_of="born"),
    ),
    k=9,
    require=(),
)


def kinds_of_problems(case: Case, cells: dict[str, list[Any]]) -> set[str]:
    return {one.kind for one in inspect_rows(case, Published(cells, text=False), 0, "table", statistics=False)}


@pytest.mark.parametrize(
    ("case", "found"),
    [
        (PARTS, True),
        (replace(PARTS, k=8), False),
        (replace(PARTS, accept_parts=True), False),
        (replace(PARTS, columns=(PARTS.columns[0], replace(PARTS.columns[1], part_of=None))), False),
        (replace(PARTS, columns=(PARTS.columns[0], replace(PARTS.columns[1], role="sensitive"))), False),
        (replace(PARTS, columns=(PARTS.columns[0], replace(PARTS.columns[1], cells=(1961,) * 48))), False),
    ],
)
def test_a_part_of_a_generalized_column_that_stands_in_clear_is_found(case: Case, found: bool) -> None:
    """Eight people were born in each of six years."""
    cells: dict[str, list[Any]] = {"born": ["*"] * 48, "year of born": list(case.columns[1].cells)}
    assert kinds_of_problems(case, cells) == ({"clear"} if found else set())


def test_a_column_that_follows_by_chance_is_none_of_the_others() -> None:
    """Nobody shares a day: everything follows from it."""
    days = tuple(f"196{row % 6}-0{1 + row % 9}-{10 + row // 9}" for row in range(48))
    case = replace(PARTS, columns=(replace(PARTS.columns[0], cells=days), PARTS.columns[1]))
    assert kinds_of_problems(case, {"born": ["*"] * 48, "year of born": list(PARTS.columns[1].cells)}) == set()


VISITS = Case(
    method="mondrian",
    options={},
    columns=(
        Column("pid", "text", "identifying", tuple(f"Zq7person{row // 2}" for row in range(8))),
        Column("alias low", "int", "insensitive", (0, 0, 1, 1, 0, 0, 1, 1), renames=True),
        Column("alias high", "int", "insensitive", (0, 0, 0, 0, 1, 1, 1, 1), renames=True),
        Column("town", "text", "quasi", ("A", "B", "A", "B", "A", "B", "A", "B")),
    ),
    k=4,
    require=(),
    entity="pid",
)


@pytest.mark.parametrize(
    ("towns", "k", "found"),
    [("ABABABAB", 4, False), ("ABABABAA", 4, True), ("ABABAABB", 2, True), ("ABABABAA", 1, False)],
)
def test_rows_that_other_columns_link_are_found(towns: str, k: int, found: bool) -> None:
    """Two columns together name the person of two visits each; of 16 people that is no chance."""
    columns = (
        Column("pid", "text", "identifying", tuple(f"Zq7person{row // 2:02}" for row in range(32))),
        Column("alias low", "int", "insensitive", tuple(row // 2 % 4 for row in range(32)), renames=True),
        Column("alias high", "int", "insensitive", tuple(row // 8 for row in range(32)), renames=True),
        Column("town", "text", "quasi", tuple("AB" * 12 + towns)),
    )
    cells: dict[str, list[Any]] = {column.name: list(column.cells) for column in columns[1:]}
    problems = kinds_of_problems(replace(VISITS, k=k, columns=columns), cells)
    assert ("links" in problems) is found


@pytest.mark.parametrize(("k", "found"), [(2, False), (3, True)])
def test_pseudonyms_are_people_where_nobody_says_who_is(k: int, found: bool) -> None:
    people = Column("pid", "text", "pseudonymize", VISITS.columns[0].cells)
    case = replace(VISITS, columns=(people, VISITS.columns[3]), entity=None, k=k)
    cells: dict[str, list[Any]] = {"pid": list("aabbccdd"), "town": list("AAAABBBB")}
    assert ("links" in kinds_of_problems(case, cells)) is found


MARKS = tuple(f"canary of the row {row:05d}" for row in range(4))
ALL_MARKS = pa.table({"mark": MARKS})


@pytest.mark.parametrize(
    ("table", "found"),
    [
        (pl.DataFrame({"mark": MARKS})[[0, 1, 2]], True),
        (pl.DataFrame({"mark": MARKS[:3]}), False),
        (pl.DataFrame({"mark": MARKS}).lazy().head(3), True),
        (ALL_MARKS.slice(0, 3), True),
        (ALL_MARKS.take([0, 1, 2]), False),
        (pd.DataFrame({"mark": pd.Categorical(MARKS)}).iloc[:3], True),
        (pd.DataFrame({"mark": MARKS[:3]}), False),
    ],
)
def test_texts_that_only_the_buffers_of_a_table_hold_are_found(table: Any, found: bool) -> None:
    case = replace(PARTS, columns=(Column("mark", "text", "insensitive", MARKS),))
    rows = read_table(table)
    assert rows.number == 3
    problems = [one for _, content in handed_on(table) for one in inspect_bytes(case, content, rows, "table")]
    assert bool(problems) is found


def test_a_grown_table_has_other_rows_and_other_people() -> None:
    large = grown(replace(CASE, times=3))
    assert large.rows == 3 * ROWS
    for name in ("row", "name"):
        assert len(set(large.column(name).cells)) == 3 * ROWS
    assert large.column("age").cells == CASE.column("age").cells * 3
    linked = grown(replace(VISITS, times=3))
    pairs = zip(*(linked.column(name).cells for name in ("pid", "alias low", "alias high")), strict=True)
    assert len(set(pairs)) == len(set(linked.column("pid").cells)) == 12


@pytest.mark.parametrize("by_label", [False, True])
def test_pools_that_depend_on_labels_are_found(by_label: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = Column("class", "text", "target", ("yes", "yes", "yes", "no", "no", "no") * 2)
    case = replace(CASE, columns=(*CASE.columns, labels), method="datafly", require=(), proportions=True)
    save = hr.Release.save

    def with_pools(release: hr.Release, path: str | Path, **options: Any) -> Path:
        saved = save(release, path, **options)
        beside = saved.with_name(f"{saved.name}.proportions.json")
        told = json.loads(beside.read_text(encoding="utf-8"))
        rows = read_file(saved).cells
        people = sorted(zip(rows["row"], rows["class"], strict=True))
        for column in told["columns"]:
            column["pools"]["texts"] = [label if by_label else "*" for _, label in people]
        beside.write_text(json.dumps(told), encoding="utf-8")
        return saved

    monkeypatch.setattr(running, "inspect_files", lambda *_: ())
    monkeypatch.setattr(hr.Release, "save", with_pools)
    assert run(case).message == ("labels" if by_label else "")


def test_a_failing_case_shrinks_while_it_fails_in_the_same_way() -> None:
    def judge(case: Case) -> Outcome:
        return Outcome("crash" if any(25 in column.cells for column in case.columns) else "release", "x")

    small = shrunk(CASE, judge(CASE), judge)
    assert [column.name for column in small.columns] == ["age"]
    assert small.columns[0].cells == (25,)
    assert small.require == ()


@settings(max_examples=30, deadline=None, database=None)
@given(cases())
def test_a_case_survives_json(case: Case) -> None:
    assert repr(from_json(to_json(case))) == repr(from_json(to_json(from_json(to_json(case)))))
    assert to_json(from_json(to_json(case))) == to_json(case)


def test_replay_and_campaign_tell_failures_by_their_exit_status(tmp_path: Path) -> None:
    folder = Path(campaign.__file__).parent
    sound, broken = tmp_path / "sound.json", tmp_path / "broken.json"
    sound.write_text(to_json(CASE), encoding="utf-8")
    broken.write_text(to_json(replace(CASE, method="nothing")), encoding="utf-8")
    replayed = subprocess.run(
        [sys.executable, folder / "replay.py", sound, broken], capture_output=True, text=True, check=False
    )
    assert (replayed.returncode, replayed.stderr) == (1, "")
    assert replay.main([str(sound)]) == 0
    # Nothing is done in a ten thousandth of a second: every case hangs.
    command = [sys.executable, str(folder / "campaign.py"), "--limit", "0.0001", "--seed", "7"]
    for number in ("2", "1"):
        sized = [*command, "-n", number, "--processes", number, "--folder", str(tmp_path)]
        hanging = subprocess.run(sized, capture_output=True, text=True, check=False)
        assert hanging.returncode == 1, hanging.stderr
        assert f"{number} cases, {number} failures" in hanging.stdout
    # The second campaign had a folder of its own, and neither touched what was there before.
    for found in (tmp_path / "seed-7", tmp_path / "seed-7-1"):
        assert {path.suffix for path in found.iterdir()} == {".json", ".txt"}
        assert all(path.name.startswith("hang-") for path in found.iterdir())
    assert sound.exists()
    assert broken.exists()
