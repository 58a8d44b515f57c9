"""Engine and verifier, with nothing in common, agree which cells of a sensitive column are one value, and their order.

If the verifier took two spellings for two values, it would call a class diverse that is not; if it took two values for
one, it would refuse what the method made. The order decides the ordered distance of t-closeness.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st

from hedgerow.core.counts import EncodedColumn
from hedgerow.engines._base import encode
from hedgerow.schema import Schema
from hedgerow.verifier._grouping import Distinct, as_plain_cells
from hedgerow.verifier.classes import encode_values as encoded_by_the_verifier
from hedgerow.verifier.formulas import _scale

ODD_TEXTS = [
    *("011", "9", "1e2", "1e+02", "100", "1.5", "1.50", "-0", "0", "0.0", "-0.0", "00", "+1", "1.", ".5", "1_000"),
    *("90071992547409921", "90071992547409922", "0.1", "0.10000000000000000001", "1e400", "-1e-05", " 1", "1 ", "١"),
    *("a", "A", "", "nan", "inf", "true", "2024-01-31", "é", "é"),
]
floats = st.floats(allow_nan=False, allow_infinity=False)
columns = st.one_of(
    st.lists(st.sampled_from(ODD_TEXTS), min_size=1, max_size=8).map(lambda cells: pa.array(cells, pa.string())),
    st.lists(st.sampled_from(["9", "10", "011", "1e+02", "1.50", "1.5"]), min_size=1).map(pa.array),
    st.lists(st.one_of(floats, st.sampled_from([0.0, -0.0, 5e-324, 1e15, 1e16])), min_size=1).map(pa.array),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1).map(pa.array),
    st.lists(st.sampled_from([2**53, 2**53 + 1, 2**53 + 2, 9, 10]), min_size=1).map(pa.array),
    st.lists(st.decimals(-1000, 1000, places=2), min_size=1).map(lambda cells: pa.array(cells, pa.decimal128(9, 2))),
    st.lists(st.booleans(), min_size=1).map(pa.array),
    st.lists(st.dates(dt.date(1000, 1, 1)), min_size=1).map(pa.array),
)


@examples(400)
@given(column=columns)
@example(column=pa.array(["011", "9", "1e2"]))
@example(column=pa.array(["1.5", "1.50", "10", "9"]))
@example(column=pa.array([0.0, -0.0, 1.0]))
@example(column=pa.array(["2024-03-31T08:15:00+02:00", "2024-03-31T08:15:00Z", "2024-03-31 08:15:00"]))
@example(column=pa.array([Decimal("1.50"), Decimal("1.5")], pa.decimal128(9, 2)))
@example(column=pa.array(["90071992547409921", "90071992547409922", "1.50", "1.5"]))
def test_the_same_values_in_the_same_order(column: pa.Array) -> None:
    ours = as_counted(column)
    theirs = encoded_by_the_verifier(_as_grouped(column), ("",))
    place, steps = _scale(theirs.labels, None, "ill")
    assert steps == ours.domain.size
    np.testing.assert_array_equal(place[theirs.codes], ours.codes)


def as_counted(column: pa.Array) -> EncodedColumn:
    """As engines encode a sensitive column, whether a CSV or a frame holds it."""
    schema = Schema(quasi=["age"], sensitive=["ill"])
    roles = schema.resolve(["age", "ill"])
    typed, untyped = (encode(schema, roles, "ill", pa.chunked_array([column]), untyped=one) for one in (False, True))
    assert typed.codes.tolist() == untyped.codes.tolist()
    return typed


def _as_grouped(column: pa.Array) -> Distinct:
    """As the verifier's grouping hands a column over: distinct cells, dates and decimals as text."""
    return as_plain_cells(pa.table({"ill": column, "n": [1] * len(column)}), ["ill"]).columns[0]
