"""Every command of these tests is searched for cells: the search notices what it is there for."""

from __future__ import annotations

import ast
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from leaks import SECRET, Search

from hedgerow.errors import BadInput

CELL = "10001"
"""A postcode of the eight people."""

TELLING: dict[str, Any] = {
    "a cell of a table": lambda: _refuse(f"Column 'zip' has the value {CELL!r}."),
    "a planted cell inside a word": lambda: _refuse(f"The row of x{SECRET}7 is too short."),
    "a cell in a log": lambda: logging.getLogger("hedgerow.engines").debug("read %s", f"{SECRET}3"),
    "a cell in a file left behind": lambda: Path("notes.json").write_text(f'["{SECRET}1"]'),
    "a table left behind by what is refused": lambda: _leave_behind("part.csv"),
}


def _leave_behind(file: str) -> None:
    Path(file).write_text(f"{CELL}\n")
    raise BadInput("No.")


def _refuse(sentence: str) -> None:
    raise BadInput(sentence)


@pytest.mark.parametrize("case", TELLING)
def test_what_tells_a_cell_is_noticed(case: str, called: Any, people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.cli._methods.show_methods", TELLING[case])
    with pytest.raises(AssertionError, match=rf"{CELL}|{SECRET}"):
        called("methods")


def test_so_is_what_another_process_tells(people: Path, tmp_path: Path) -> None:
    code = f"import sys; sys.exit('hedgerow: Column zip has {CELL[:3]}' + '{CELL[3:]}')"
    with pytest.raises(AssertionError, match=CELL):
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False)


def test_what_was_typed_and_names_may_be_said(people: Path, tmp_path: Path) -> None:
    search = Search(tmp_path, ["--missing", CELL])
    assert search.found(f"'people.csv' has no column 'income' but {CELL}", refused=True) == []
    assert search.cells == ["10000", "10002", *(f"{SECRET}{at}" for at in range(8)), "cold", "high"]
    assert search.found("a colder, higher one of 110002", refused=True) == []
    assert search.found("a cold one", refused=True) == ["cold"]


def test_only_the_fixtures_call_the_command_in_this_process() -> None:
    """What they run is searched. The endings replace the work of a command by their own, on no table."""
    calling = set()
    for path in Path(__file__).parent.glob("*.py"):
        imported = [one for one in ast.parse(path.read_text()).body if isinstance(one, ast.ImportFrom)]
        if any(one.module == "hedgerow.cli" for one in imported):
            calling.add(path.name)
    assert calling == {"conftest.py", "test_endings.py"}
