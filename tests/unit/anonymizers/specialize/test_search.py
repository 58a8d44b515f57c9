"""The search from the top on tables that can be solved by hand."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import specializations

from hedgerow import KAnonymity
from hedgerow.anonymizers.specialize._attributes import attribute_of
from hedgerow.anonymizers.specialize.tds import Loss, Search
from hedgerow.core.counts import FrequencyTable
from hedgerow.requirements import Requirement

Counted = Callable[..., FrequencyTable]

# The class follows from a in 7 of 8 records, and from b in 6.
PEOPLE = {"a": list("xxxxyyyy"), "b": list("ppppqqqp"), "class": list("mmmmmnnn")}


def started(counts: FrequencyTable, loss: Loss, *requirements: Requirement) -> Search:
    attributes = [attribute_of(counts, name, "class", disclose=False) for name in counts.quasi]
    return Search(counts, requirements, attributes, loss)


def entropy(*counts: int) -> float:
    return -sum(count / sum(counts) * math.log2(count / sum(counts)) for count in counts if count)


def test_scores(counted: Counted) -> None:
    """Gain over loss plus one; the loss of a is 8 - 4, that of b 8 - 3."""
    gain_a = entropy(5, 3) - 4 / 8 * entropy(1, 3)
    gain_b = entropy(5, 3) - 5 / 8 * entropy(4, 1) - 3 / 8 * entropy(1, 2)
    for loss in ("shield", "node"):
        search = started(counted(PEOPLE), loss, KAnonymity(1))
        assert specializations.scores(search) == pytest.approx({(0, "*"): gain_a / 5, (1, "*"): gain_b / 6})


def test_the_loss_is_a_mean_over_the_requirements_that_hold_the_column(counted: Counted) -> None:
    """After a, the classes of both columns have 4 and 4 records, and b leaves 4, 3 and 1; b alone falls from 8 to 3."""
    search = started(counted(PEOPLE), "shield", KAnonymity(1), KAnonymity(1, shield=["b"]))
    search.run()
    assert [(one.column, one.loss) for one in search.steps] == [(0, 8 - 4), (1, ((4 - 1) + (8 - 3)) / 2)]


def test_a_column_in_no_shield_loses_nothing(counted: Counted) -> None:
    for loss in ("shield", "node"):
        search = started(counted(PEOPLE), loss, KAnonymity(8, shield=["a"]))
        search.run()
        assert [(one.column, one.loss) for one in search.steps] == [(1, 0.0)]
        assert specializations.refused(search) == {(0, "*"): 0}


def test_equal_scores_take_the_first_column(counted: Counted) -> None:
    twins = {"a": list("xxyy"), "b": list("ppqq"), "class": list("mmnn")}
    search = started(counted(twins), "shield", KAnonymity(2))
    search.run()
    assert [one.column for one in search.steps] == [0, 1]
