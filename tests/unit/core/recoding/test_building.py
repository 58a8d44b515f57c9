"""What groups publish: sets, intervals and labels that hold exactly what they should."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import hierarchies
from hedgerow.core.cells import Interval, parse
from hedgerow.core.counts import FrequencyTable, encode_column
from hedgerow.core.recoding import Pieces, PublishedColumn, publish_groups, shown_as
from hedgerow.schema import Schema


def published(
    values: list[Any],
    groups: list[int],
    publish: Literal["set", "interval", "label"] = "set",
    hierarchy: Any = None,
) -> tuple[PublishedColumn, list[str | None]]:
    """Publish one column whose rows belong to groups; also what each group publishes."""
    roles = Schema(quasi=["x", "row"]).resolve(["x", "row"])
    encoded = {
        "x": encode_column("x", pa.array(values), kind="derived"),
        "row": encode_column("row", pa.array(range(len(values)))),
    }
    counts, cell = FrequencyTable.from_columns(roles, encoded, None, len(values))
    resolved = {
        name: hierarchies.resolve(hierarchy if name == "x" else None, counts.domains[name], name)
        for name in ("x", "row")
    }
    counts = replace(counts, hierarchies=resolved)
    group = np.empty(len(values), dtype=np.int32)
    group[cell] = groups
    (column, _), index = publish_groups(
        counts, Pieces.whole(group, counts.cell_sizes), max(groups) + 1, shown_as(counts, publish)
    )
    return column, [column.texts[at] for at in index[:, 0]]


def test_sets() -> None:
    column, texts = published(["b", "a", "b", None, None, "a|c"], [0, 0, 1, 1, 2, 0])
    assert texts == ["{a|a\\|c|b}", "{b|\\N}", None]
    assert column.kinds == ("set", "set", "value")
    assert column.widths.tolist() == [3, 2, 1]
    assert not column.unchanged


def test_sets_of_numbers_are_in_their_order() -> None:
    assert published([10, 9, 100], [0, 0, 0])[1] == ["{9|10|100}"]


def test_single_values_are_themselves() -> None:
    column, texts = published(["*", "[1,2)", "x"], [0, 1, 2])
    assert texts == ["{*}", "{[1,2)}", "x"]
    assert column.unchanged


def test_equal_sets_are_written_once() -> None:
    column, texts = published(["a", "b", "b", "a", "c"], [0, 0, 1, 1, 2])
    assert texts == ["{a|b}", "{a|b}", "c"]
    assert len(column) == 2


def test_lost_records_are_in_no_set() -> None:
    assert published(["a", "b", "c"], [0, 0, -1])[1] == ["{a|b}"]


def test_intervals_lie_on_the_grid() -> None:
    column, texts = published([20, 23, 25, 27, 29, None, 21], [0, 0, 1, 1, 2, 3, 3], "interval")
    assert texts == ["[20,24)", "[25,28)", "29", "{21|\\N}"]
    assert column.covered.codes(0).tolist() == [0, 1, 2], "21 lies between 20 and 23"
    assert published([1.5, 2.25, 9], [0, 0, 1], "interval")[1] == ["[1.5,2.26)", "9"]


def test_the_last_interval_is_closed() -> None:
    assert published([1, 2, 8, 9], [0, 0, 1, 1], "interval")[1] == ["[1,3)", "[8,9]"]


@pytest.mark.parametrize(
    "values",
    [
        [1e-7, 3e-7, 1.0],
        [0.1 + 0.2, 5.123456789012345, 9.0],
        [2.0**60, 2.0**61, 2.0**62],
        [5e-324, 1e-323, 1.5e-323],
        [1e-20, 2e-20, 3e-20],
        [-1.7e308, 1e308, 1.7e308],
    ],
)
def test_an_interval_holds_its_values(values: list[float]) -> None:
    """Also where numbers are so small, long or large that a step of the grid is none of a float."""
    interval = parse(published(values, [0, 0, 1], "interval")[1][0])
    assert isinstance(interval, Interval)
    assert values[0] in interval
    assert values[1] in interval
    assert values[2] not in interval


def test_text_has_no_intervals() -> None:
    assert published(["a", "b"], [0, 0], "interval")[1] == ["{a|b}"]


def test_labels() -> None:
    taxonomy = {"*": {"Europe": ["Bern", "Ulm"], "Asia": ["Pune"]}}
    column, texts = published(["Bern", "Ulm", "Pune", "Pune", "Ulm", "Ulm"], [0, 0, 1, 1, 2, 2], "label", taxonomy)
    assert texts == ["Europe", "Pune", "Ulm"]
    assert sorted(column.kinds) == ["label", "value", "value"]
    assert column.nodes is not None
    column, texts = published(["Bern", "Pune", "Ulm"], [0, 0, 0], "label", taxonomy)
    assert texts == ["*"]
    assert column.kinds == ("suppressed",)


def test_many_labels_are_written_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking through all codes for each label would take time with the square of their number."""
    looked_below: list[int] = []
    codes_below = hierarchies.EncodedHierarchy.codes_below

    def counted(hierarchy: hierarchies.EncodedHierarchy, nodes: Any) -> Any:
        looked_below.append(len(nodes))
        return codes_below(hierarchy, nodes)

    monkeypatch.setattr(hierarchies.EncodedHierarchy, "codes_below", counted)
    names = [f"{at:03d}" for at in range(300)]
    column, texts = published(names, list(range(300)), "label", "masking")
    assert texts == names
    assert [column.covered.codes(at).tolist() for at in range(300)] == [[code] for code in range(300)]
    assert looked_below == [300, 300]  # once for each of the two columns
