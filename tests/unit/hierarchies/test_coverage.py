"""What a hierarchy does not cover is told by numbers and lines, never by values."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from hedgerow.errors import BadInput
from hedgerow.hierarchies import Uncovered, dates, intervals, taxonomy
from hedgerow.hierarchies.encoded import Hierarchy
from hedgerow.io.domains import Domain


def column(*labels: str, records: list[int] | None = None) -> Domain:
    counted = None if records is None else np.array(records)
    return Domain("code", "text", np.array(labels), records=counted)


@pytest.mark.parametrize("hierarchy", [taxonomy(["10", "20"]), intervals([0, 50]), dates(format="%y")])
def test_values_and_records_are_counted_and_their_places_told(hierarchy: Hierarchy) -> None:
    with pytest.raises(Uncovered) as caught:
        hierarchy.encode(column("10", "20", "secret", "secret2", records=[1, 2, 3, 1]))
    assert caught.value.codes.tolist() == [2, 3]
    assert "2 " in str(caught.value)
    assert "(4 records)." in str(caught.value)
    located = str(caught.value.located("lines 3 and 7"))
    assert "(4 records), first at lines 3 and 7. " in located
    assert "secret" not in str(caught.value) + located


def test_numbers_outside_of_intervals_are_uncovered() -> None:
    ages = Domain("age", "number", np.array(["5", "20", "99"]), np.array([5.0, 20, 99]), records=np.array([1, 7, 0]))
    with pytest.raises(Uncovered, match=r"do not cover 2 of its 3 different values \(1 record\)\. Move") as caught:
        intervals([10, 50]).encode(ages)
    assert caught.value.codes.tolist() == [0, 2]


def test_where_records_are_not_known_values_are_counted() -> None:
    with pytest.raises(Uncovered, match=r"does not cover 1 of its 1 different values\. Add"):
        taxonomy(["a", "b"]).encode(column("secret"))


def test_it_travels_between_processes_as_plain_bad_input() -> None:
    with pytest.raises(Uncovered) as caught:
        taxonomy(["a", "b"]).encode(column("secret"))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is BadInput
    assert str(copy) == str(caught.value)
