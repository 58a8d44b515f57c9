"""Checks of the weights of columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.checks.examples import (
    QUASI,
    SCHEMA,
    AsFrame,
    K,
    Row,
    as_it_is,
    example_table,
    released,
    rows_of,
    same_rows,
    tuples_of,
)
from hedgerow.anonymizers.checks.expectations import expect
from hedgerow.schema import Schema

__all__ = ["CHECKS"]

_SIDE = 4
_EQUAL_COLUMNS = ("first", "second")


def check_weights_are_kept_to(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Whatever columns weigh, k holds for all of them, and the manifest tells the weights."""
    for weights in ({"zip": 2.5}, {"age": 0.0, "sex": 3.0}):
        release, rows = released(estimator, example_table(), as_frame, replace(SCHEMA, weights=weights), k=K)
        expect(min(tuples_of(rows, QUASI).values()) >= K, f"k must hold with weights of {', '.join(weights)}.")
        expect(release.manifest["weights"] == weights, "the manifest must tell the weights.")


def check_multiples_of_weights(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Only ratios of weights matter: equal ones are as none, and multiples make the same rows."""
    table = example_table()
    none, equal, some, multiple = (
        released(estimator, table, as_frame, replace(SCHEMA, weights=weights), k=K, random_state=11)
        for weights in (
            {},
            dict.fromkeys(QUASI, 2.5),
            {"age": 3.0, "sex": 1.0, "zip": 0.5},
            {"age": 12.0, "sex": 4.0, "zip": 2.0},
        )
    )
    expect(same_rows(none[1], equal[1]), "equal weights must make the same rows as none.")
    expect(none[0].losses == equal[0].losses, "equal weights must leave the losses as they are.")
    expect(same_rows(some[1], multiple[1]), "multiples of weights must make the same rows.")


def check_weights_decide(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Of two columns that are alike the heavier keeps more, if the method says that it weighs; else nothing changes.

    Every value of one column stands with every value of the other, once: to hide a record among as many as a column
    has values, it is enough to give one of the columns up.
    """
    if estimator.weighs_columns():
        heavy, light = (_lost_of_first(estimator, as_frame, weight) for weight in (1000.0, 0.001))
        expect(heavy < light, f"a heavy column must keep more than a light one; it lost {heavy:.2f} and {light:.2f}.")
        return
    table = example_table()
    schemas = SCHEMA, replace(SCHEMA, weights={"age": 5.0, "zip": 0.5})
    one, other = (released(estimator, table, as_frame, schema, k=K, random_state=11) for schema in schemas)
    expect(same_rows(one[1], other[1]), "a method that does not weigh columns must not read their weights.")
    expect(len(other[0].audit.warnings) > len(one[0].audit.warnings), "weights without effect must be remarked on.")


def _lost_of_first(estimator: Anonymizer, as_frame: AsFrame, weight: float) -> float:
    """What the first column of a table of two that are alike has lost: how many of its values a class holds, 0 to 1."""
    every = [(first, second) for first in range(_SIDE) for second in range(_SIDE)]
    table = pa.table(
        {
            "first": [f"a{first}" for first, _ in every],
            "second": [f"b{second}" for _, second in every],
            "income": ["high" if (first + second) % 2 else "low" for first, second in every],
            "note": [f"note {row}" for row in range(len(every))],
        }
    )
    schema = Schema(
        quasi=_EQUAL_COLUMNS, target="income", insensitive=["note"], accept=["note"], weights={"first": weight}
    )
    _, rows = released(estimator, table, as_frame, schema, k=_SIDE, random_state=11)
    own = {row["note"]: row["first"] for row in rows_of(table)}
    held: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for row in rows:
        held[_class_of(row)].append(own[row["note"]])
    lost = sum(len(values) * (len(set(values)) - 1) / (_SIDE - 1) for values in held.values())
    return (lost + len(every) - len(rows)) / len(every)


def _class_of(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in _EQUAL_COLUMNS)


CHECKS: tuple[Callable[..., None], ...] = (
    check_weights_are_kept_to,
    check_multiples_of_weights,
    check_weights_decide,
)
