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


ROLES = ("--quasi", "age,sex", "--target", "income")


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "people.csv", *ROLES, "--methods", "mondrian", "-k", "2", "-o", "out.html"),
        ("evaluate", "people.csv", *ROLES, "--methods", "mondrian", "-k", "2"),
        ("advise", "people.csv", "--target", "income"),
        ("audit", "other.csv", "--quasi", "age,sex", "--population", "people.csv"),
        ("audit", "other.csv", "--quasi", "age,sex", "--previous", "other.csv", "--original", "people.csv"),
        ("audit", "other.csv", "--quasi", "age,sex", "--previous", "people.csv"),
        ("attack", "other.csv", "--quasi", "age,sex", "--members", "people.csv", "--others", "people.csv"),
        ("anonymize", "other.csv", *ROLES, "-k", "2", "-o", "out.csv", "--redraw", "2", "--holdout", "people.csv",
         "--publish-proportions", "--others", "drop"),
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[-2]}",
)  # fmt: skip
def test_no_command_names_a_cell_of_any_table_that_it_opens(
    arguments: tuple[str, ...], run: Any, people: Path, tmp_path: Path
) -> None:
    """Also of those that are named beside the table itself."""
    header, *rows = people.read_text().splitlines()
    (tmp_path / "other.csv").write_text("\n".join([header, *rows]) + "\n")
    people.write_text("\n".join([FIRST, *rows]) + "\n")
    done = run(*arguments)
    assert done.status == 2
    assert not any(cell in done.err + done.out for cell in CELLS)


def test_names_that_were_typed_are_repeated(run: Any, headless: Path) -> None:
    done = run("compare", "people.csv", "--quasi", "33,leprosy", "--target", "x", "--methods", "mondrian", "-k", "2")
    assert done.status == 2
    assert "Wilhelmina" not in done.err
