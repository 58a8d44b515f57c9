"""Which first lines are taken for a person's."""

from __future__ import annotations

import pytest

from hedgerow.cli._headerless import looks_headerless

ROWS = [["Ann", "34", "M", "flu"], ["Bob", "35", "F", "cold"], ["Cid", "36", "M", "flu"]]
PERSONS = {
    "a person": (["Eve", "33", "F", "flu"], ROWS),
    "numbers": (["1", "2.5"], [["3", "4.5"], ["1", "6.5"]]),
    "numbers with a comma": (["1,5", "7"], [["3,5", "4"], ["1,5", "6"]]),
    "dates": (["2001-02-03"], [["2001-02-04"], ["1999-12-31"]]),
    "words that come again": (["M", "flu", "Ulm"], [["M", "flu", "Kiel"], ["F", "cold", "Bern"]]),
    "a cell is missing": (["Eve", "33"], [["Ann", ""], ["Bob", "35"]]),
}
NAMES = {
    "names": (["name", "age", "sex", "ill"], ROWS),
    "names of text only": (["town", "job"], [["Ulm", "cook"], ["Kiel", "clerk"]]),
    "names that count up": (["0", "1", "2"], [["3", "4", "5"]]),
    "years": (["name", "2019", "2020"], [["Ann", "3", "4"]]),
    "a header put in again": (["town", "job"], [["Ulm", "cook"], ["town", "job"]]),
    "a name that is a number": (["age", "90"], [["3", "4"]]),
    "no rows": (["33", "34"], []),
    "rows of other lengths": (["33", "34"], [["1"]]),
    "nothing": ([], []),
}


@pytest.mark.parametrize("case", PERSONS)
def test_a_persons_line(case: str) -> None:
    assert looks_headerless(*PERSONS[case])


@pytest.mark.parametrize("case", NAMES)
def test_a_line_of_names(case: str) -> None:
    assert not looks_headerless(*NAMES[case])
