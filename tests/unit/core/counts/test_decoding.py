"""The values of a domain in the type that a table would have them in."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

from hedgerow.core.counts import encode_column, original_values

NOON = dt.datetime(2024, 3, 1, 12, 30)


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([3, 1, None, 1], pa.int64(), [1, 3, None]),
        ([2.0, -1.0], pa.int64(), [-1, 2]),
        ([2.5, -1.0, None], pa.float64(), [-1.0, 2.5, None]),
        ([2**60, 2**60 + 2**10], pa.int64(), [2**60, 2**60 + 2**10]),
        ([1e300, 5.0], pa.float64(), [5.0, 1e300]),
        (["b", "a", None], pa.string(), ["a", "b", None]),
        (["007", "12"], pa.string(), ["007", "12"]),
        ([True, False], pa.string(), ["false", "true"]),
        ([dt.date(2024, 3, 1), None], pa.date32(), [dt.date(2024, 3, 1), None]),
        ([NOON, dt.datetime(1999, 1, 1)], pa.timestamp("us"), [dt.datetime(1999, 1, 1), NOON]),
    ],
)
def test_types(values: list[Any], kind: pa.DataType, expected: list[Any]) -> None:
    result = original_values(encode_column("x", pa.array(values)).domain)
    assert result.type == kind
    assert result.to_pylist() == expected


def test_whole_numbers_too_large_for_integers_are_floats() -> None:
    result = original_values(encode_column("x", pa.array(["1", str(10**19)]), kind="derived").domain)
    assert result.type == pa.float64()
    assert result.to_pylist() == [1.0, 1e19]


def test_whole_numbers_of_a_column_with_fractions_are_floats() -> None:
    domain = encode_column("x", pa.array([1, 2])).domain
    assert original_values(domain, fractions=True).type == pa.float64()
