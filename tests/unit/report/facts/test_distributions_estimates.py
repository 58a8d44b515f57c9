"""What published cells may stand for."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.core.cells import PublishedColumn
from hedgerow.io.domains import CodeSets, Domain
from hedgerow.report.facts._distributions import (
    Estimate,
    estimate_published,
    estimate_recoded,
    kind_of_cells,
    spread_over,
)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([str(at) for at in range(60)], "number"),
        ([*(str(at) for at in range(60)), "Ulm"], "text"),
        ([*(f"town {at}" for at in range(60)), "7"], "text"),
        (["[20,30)", "Ulm"], "text"),
        (["[20,30)", "[2020-01-01,2021-01-01)"], "text"),
        (["{2020-01-01|2020-01-02}", "*"], "date"),
        (["<18", "≥90"], "number"),
        ([None, "*"], "text"),
    ],
)
def test_kinds_of_cells(cells: list[str | None], kind: str) -> None:
    assert kind_of_cells(cells) == kind


def published(domain: Domain, cells: list[tuple[str | None, str, list[int]]]) -> PublishedColumn:
    starts = np.cumsum([0, *(len(codes) for _, _, codes in cells)])
    members = np.array([code for _, _, codes in cells for code in codes], dtype=np.int32)
    kinds = tuple(kind for _, kind, _ in cells)
    return PublishedColumn(domain, tuple(text for text, _, _ in cells), kinds, CodeSets.of(starts, members))  # type: ignore[arg-type]  # kinds


def test_categories_are_spread_over_what_they_cover() -> None:
    towns = Domain("town", "text", np.array(["Bern", "Kiel", "Ulm"]), has_missing=True)
    column = published(
        towns,
        [
            ("Bern", "value", [0]),
            ("{Bern|Kiel}", "set", [0, 1]),
            ("*", "suppressed", [0, 1, 2, 3]),
            (None, "value", [3]),
        ],
    )
    found = estimate_recoded(column, np.array([4, 6, 5, 2]))
    assert found.codes.tolist() == [7, 3, 0, 2]
    assert (found.hidden, found.several) == (5, 0)


def test_numbers_by_what_is_written_and_labels_by_what_they_cover() -> None:
    """[0,40) is clipped to the column, 20 to 60; a mean is where it is; 'old' covers 50 and 60."""
    ages = Domain("age", "number", np.array(["20", "30", "50", "60"]), np.array([20.0, 30, 50, 60]))
    column = published(
        ages,
        [
            ("[0,40)", "label", [0, 1]),
            ("35.5", "number", []),
            ("old", "label", [2, 3]),
            (None, "suppressed", [0, 1, 2, 3]),
        ],
    )
    found = estimate_recoded(column, np.array([8, 1, 4, 3]))
    assert found.hidden == 3
    # Half of the eight are below 30; the mean is between; of the old two are 50 and two 60.
    assert spread_over([30, 45, 55], found.spans).tolist() == [4, 5, 2, 2]


def test_cells_of_which_only_the_text_is_known() -> None:
    found = estimate_published(["[20,30)", "{40|50|x}", "*", None, "25"], np.array([4, 3, 2, 1, 6]), "number")
    assert (found.hidden, found.missing, found.several) == (2, 1, 1)
    assert spread_over([25, 45], found.spans).tolist() == [2, 2 + 6 + 1, 1]
    of_text = estimate_published(["Ulm", "{Bern|Kiel}"], np.array([4, 3]), "text")
    assert (of_text.several, of_text.plain.tolist()) == (3, [True, False])


def test_rows_that_tell_their_value() -> None:
    ages = Domain("age", "number", np.array(["20", "30"]), np.array([20.0, 30]), has_missing=True)
    found = Estimate.of_codes(ages, np.array([4, 5, 2]))
    assert (found.missing, spread_over([25], found.spans).tolist()) == (2, [4, 5])
