"""What a shell is offered after the tabulator key."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from hedgerow.anonymizers.registry import METHODS
from hedgerow.cli import _options as completing
from hedgerow.core.metrics import METRICS
from hedgerow.evaluation.learners import LEARNERS


@pytest.mark.parametrize(
    ("names", "known"),
    [
        (completing.complete_methods, METHODS),
        (completing.metrics, METRICS),
        (completing.complete_learners, LEARNERS),
        (completing.editions, ("internal", "public")),
        (completing.engines, ("duckdb", "spark")),
    ],
)
def test_every_name_is_offered(names: Callable[[], Iterable[str]], known: Iterable[str]) -> None:
    assert completing.listed(names)("") == list(known)


def test_the_last_name_of_a_list_is_completed() -> None:
    assert completing.listed(completing.complete_methods)("hedge,mon") == ["hedge,mondrian"]
    assert completing.listed(completing.complete_methods)("hedge,none") == []


def test_protocols_that_are_offered_are_understood() -> None:
    from hedgerow.cli._evaluate import typed_protocol
    from hedgerow.evaluation.splits import read_protocol

    for typed in completing.protocols():
        assert read_protocol(typed_protocol(typed))
