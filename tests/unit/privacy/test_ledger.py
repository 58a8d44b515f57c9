"""The ledger: it adds up, is private, survives, and is not written if it cannot be read."""

from __future__ import annotations

import stat
import threading
from fractions import Fraction
from pathlib import Path

import pytest

from hedgerow.errors import BadInput
from hedgerow.privacy import Budget, Ledger

COST = Budget(Fraction(1, 200))


def test_charges_add_up_over_processes(tmp_path: Path) -> None:
    path = tmp_path / "people.privacy.jsonl"
    assert Ledger(path).spent == Budget(Fraction(0))
    assert Ledger(path).charge(COST, "first") == COST
    assert Ledger(path).charge(Budget(Fraction(1, 3)), "second") == COST + Budget(Fraction(1, 3))
    assert [(entry.purpose, entry.cost.rho) for entry in Ledger(path).entries] == [
        ("first", Fraction(1, 200)),
        ("second", Fraction(1, 3)),
    ]


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "people.privacy.jsonl")
    ledger.charge(COST, "first")
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["people.privacy.jsonl"]


def test_lines_are_only_added(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "people.privacy.jsonl")
    ledger.charge(COST, "first")
    before = ledger.path.read_bytes()
    ledger.charge(COST, "second")
    assert ledger.path.read_bytes().startswith(before)


def test_a_table_s_digest_says_which_version_was_used(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("a\n1\n")
    ledger = Ledger.beside(table)
    ledger.charge(COST, "first", table)
    table.write_text("a\n2\n")
    ledger.charge(COST, "second", table)
    first, second = ledger.entries
    assert ledger.path == tmp_path / "people.csv.privacy.jsonl"
    assert first.table != second.table
    assert ledger.spent == COST + COST  # both are of the same people


def test_charges_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "people.privacy.jsonl")
    threads = [threading.Thread(target=ledger.charge, args=(COST, str(at))) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.spent == Budget(8 * COST.rho)


@pytest.mark.parametrize(
    "line", ["{", '{"rho": "1/0"}', '{"time": "", "purpose": "", "rho": "-1", "table": null}', "[]"]
)
def test_a_ledger_that_cannot_be_read_is_not_written(tmp_path: Path, line: str) -> None:
    ledger = Ledger(tmp_path / "people.privacy.jsonl")
    ledger.charge(COST, "first")
    broken = ledger.path.read_text() + line + "\n"
    ledger.path.write_text(broken)
    with pytest.raises(BadInput, match="Line 2 of the ledger"):
        ledger.charge(COST, "second")
    assert ledger.path.read_text() == broken
