"""Drawing one value for each generalized cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.anonymizers.trees.inducers.id3 import Assign, draw
from hedgerow.anonymizers.trees.sets import ClassShares, SetColumn, read_training
from hedgerow.io.domains import Domain


def column(cells: Sequence[str | None], **more: object) -> SetColumn:
    return read_training("it", pa.chunked_array([pa.array(cells)]), **more)  # type: ignore[arg-type]


def drawn(of: SetColumn, assign: Assign, seed: int = 0, weights: list[float] | None = None) -> list[str]:
    labels = [*of.attribute.labels, "nothing"]
    chosen = draw(of, assign, None if weights is None else np.array(weights), np.random.default_rng(seed))
    return [labels[code] for code in chosen.tolist()]


@pytest.mark.parametrize("assign", ["random", "frequent", "distribution"])
def test_plain_cells_stay_and_sets_become_a_member(assign: Assign) -> None:
    cells = ["a", "{b|c}", "d", None, "{a|d}"]
    for seed in range(20):
        a, bc, d, missing, ad = drawn(column(cells), assign, seed)
        assert (a, d, missing) == ("a", "d", "\\N")
        assert bc in ("b", "c")
        assert ad in ("a", "d")


def test_any_member_is_as_likely_and_the_seed_decides() -> None:
    of = column(["{a|b|c}"] * 3000 + ["a"] * 500)
    chosen = drawn(of, "random", 7)
    assert chosen == drawn(of, "random", 7)
    assert chosen != drawn(of, "random", 8)
    counted = Counter(chosen[:3000])
    # Five standard deviations of a binomial with 3000 draws.
    assert all(abs(counted[value] - 1000) < 5 * (3000 * 2 / 9) ** 0.5 for value in "abc")


def test_the_most_frequent_member_is_that_of_the_whole_table() -> None:
    assert drawn(column(["{a|b}", "{b|c}", "b", "c", "c"]), "frequent") == ["b", "c", "b", "c", "c"]
    assert drawn(column(["{a|b}", "{b|c}", "b", "c", "c"]), "frequent", weights=[1, 1, 5, 1, 1])[1] == "b"
    assert drawn(column(["{a|b}"]), "frequent") == ["a"]  # the first of equals


def test_frequencies_of_the_column_are_replicated() -> None:
    # With the sets a counts 3 + 4 / 2, b 1 + 4 / 2: five to three.
    of = column(["a", "a", "a", "b"] + ["{a|b}"] * 4)
    for seed in range(20):
        counted = Counter(drawn(of, "distribution", seed)[4:])
        assert counted["a"] in (2, 3)
    assert len({tuple(drawn(of, "distribution", seed)) for seed in range(20)}) > 1


def test_proportions_of_a_class_are_replicated_exactly(told_exactly: Any) -> None:
    letters = Domain("it", "text", np.array(["a", "b", "c"]))
    spread = told_exactly(letters, ["{a|b}", "{a|c}"], [{0: 5, 1: 2}, {0: 1, 2: 3}]).spread()
    shares = ClassShares(spread, np.array([0] * 7 + [1] * 4))
    of = column(["{a|b}"] * 7 + ["{a|c}"] * 4, shares=shares)
    seen = set()
    for seed in range(30):
        chosen = drawn(of, "distribution", seed)
        assert Counter(chosen[:7]) == {"a": 5, "b": 2}
        assert Counter(chosen[7:]) == {"a": 1, "c": 3}
        seen.add(tuple(chosen))
    assert len(seen) > 10


def test_a_number_that_may_be_missing_may_become_so() -> None:
    of = column(["{1|\\N}"] * 50 + ["2"])
    assert set(drawn(of, "random")) == {"1", "2", "nothing"}
