"""A table without a header: a warning without a cell, the same exit status, and no cell in what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from leaks import SECRET

CELLS = ("Wilhelmina", "10077", "leprosy")
FIRST = f"{CELLS[0]},33,M,{CELLS[1]},{CELLS[2]},low"
WARNING = "hedgerow: warning: the first line of 'people.csv' looks like a person's values"


@pytest.fixture
def headless(people: Path) -> Path:
    """The eight people below a ninth, who stands where the header should be."""
    _, *rows = people.read_text().splitlines()
    people.write_text("\n".join([FIRST, *rows]) + "\n")
    return people


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("audit", "people.csv", "--quasi", "33,M"), 0),
        (("audit", "people.csv", "--quasi", "33,M", "-k", "3"), 3),
        (("check", "people.csv", "--quasi", "33,M", "-k", "2"), 0),
        (("check", "people.csv", "--quasi", "33,M", "-k", "3"), 3),
        (("anonymize", "people.csv", "--quasi", "33,M", "--others", "drop", "-k", "2", "-o", "out.csv"), 0),
    ],
)
def test_it_is_warned_of(arguments: tuple[str, ...], status: int, run: Any, headless: Path) -> None:
    done = run(*arguments)
    assert done.status == status
    assert done.err.startswith(WARNING)
    assert done.err.count("\n") == 1
    assert not any(cell in done.err for cell in (*CELLS, SECRET))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("anonymize", "people.csv", "--quasi", "33,M", "-k", "2", "-o", "out.csv"), "'…'"),
        (("anonymize", "people.csv", "--quasi", "33", "--target", "leprosi", "-k", "2", "-o", "out.csv"), "'leprosi'"),
        (("check", "people.csv", "--quasi", "Wilhelmine", "-k", "2"), "'Wilhelmine'"),
        (("audit", "people.csv", "--quasi", "10078"), "'10078'"),
    ],
)
def test_what_is_refused_names_none_of_its_cells(
    arguments: tuple[str, ...], words: str, run: Any, headless: Path, tmp_path: Path
) -> None:
    done = run(*arguments)
    assert done.status == 2
    warning, sentence = done.err.splitlines()
    assert warning.startswith(WARNING)
    assert words in sentence
    assert not any(cell in done.err + done.out for cell in CELLS)
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_a_table_with_a_header_is_not_warned_of(run: Any, people: Path) -> None:
    assert run("audit", "people.csv", "--quasi", "age,sex").err == ""
