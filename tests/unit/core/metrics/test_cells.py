"""What one record loses at each node of a hierarchy, worked out by hand."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from hedgerow import KAnonymity, Schema
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics.cells import NodeLoss, loss_of_nodes
from hedgerow.release import pipeline

TOWNS = {"*": {"north": ["A", "B"], "south": ["C", "D", "E"]}}
# The leaf Z stands directly below the root, where others have a region above them.
UNEVEN = {"*": {"north": ["A", "B"], "south": ["C", "D"], "Z": []}}


def counted(hierarchies: dict[str, Any] | None = None, **columns: list[Any]) -> FrequencyTable:
    schema = Schema(quasi=list(columns), hierarchies=hierarchies or {})
    return pipeline.prepare(pa.table(columns), schema, [KAnonymity(1)], random_state=0).counts


def losses(counts: FrequencyTable, metric: NodeLoss) -> dict[str | None, float]:
    (name,) = counts.quasi
    hierarchy = counts.hierarchies[name]
    return dict(zip(hierarchy.labels, loss_of_nodes(hierarchy, counts.domains[name], metric).tolist(), strict=True))


def test_lost_leaves_count_those_that_do_not_occur() -> None:
    lost = losses(counted({"town": TOWNS}, town=["A", "C"]), "nllm")
    assert lost == {"*": 1.0, "north": 0.25, "A": 0, "B": 0, "south": 0.5, "C": 0, "D": 0, "E": 0}


def test_certainty_counts_only_values_that_occur() -> None:
    lost = losses(counted({"town": TOWNS}, town=["A", "B", "C"]), "ncp")
    assert (lost["north"], lost["south"], lost["*"]) == (0.5, 0.0, 1.0)


def test_certainty_of_numbers() -> None:
    """Intervals lose their written ends, within the column; other labels what the numbers below them span."""
    ages = {"all": {"[0,30)": ["20", "25"], "old": ["30", "40"]}}
    lost = losses(counted({"age": ages}, age=[20, 25, 30, 40]), "ncp")
    assert (lost["[0,30)"], lost["old"], lost["all"]) == (0.5, 0.5, 1.0)
    with_missing = losses(counted({"age": ages}, age=[20, 25, 30, 40, None]), "ncp")
    assert (with_missing["old"], with_missing["all"], with_missing[None]) == (0.5, 1.0, 0.0)


def test_steps_and_levels_differ_on_a_short_branch() -> None:
    """The leaf Z climbs one step of two to the root, from level 0; for the distortion it starts half way up."""
    counts = counted({"town": UNEVEN}, town=["A", "Z"])
    assert losses(counts, "prec") == {"*": 1, "north": 0.5, "south": 0.5, **dict.fromkeys("ABCDZ", 0)}
    assert losses(counts, "distortion") == {"*": 1, "north": 0.5, "south": 0.5, **dict.fromkeys("ABCD", 0), "Z": 0.5}


@pytest.mark.parametrize("metric", ["nllm", "ncp", "prec", "distortion"])
def test_what_is_written_as_suppressed_has_lost_everything(metric: NodeLoss) -> None:
    ages = {"all": {"young": ["20", "25"], "*": ["31", "40"]}}
    lost = losses(counted({"age": ages}, age=[20, 25, 31, 40]), metric)
    assert lost["*"] == 1.0
    assert 0 < lost["young"] < 1
