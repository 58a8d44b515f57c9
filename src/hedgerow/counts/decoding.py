"""Decoding a column: the codes of a domain back to values, in the type that a table would have them in."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa

from hedgerow.domains import Domain

__all__ = ["original_values"]

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


def original_values(domain: Domain, *, fractions: bool = False) -> pa.Array:
    """The value of each code, missing as null.

    Parameters
    ----------
    domain : Domain
    fractions : bool
        Whether the column holds numbers with fractions, even if none of these do.

    Examples
    --------
    >>> import numpy as np
    >>> age = Domain("age", "number", np.array(["20", "21"]), np.array([20.0, 21.0]), has_missing=True)
    >>> original_values(age).to_pylist(), original_values(age, fractions=True).to_pylist()
    ([20, 21, None], [20.0, 21.0, None])
    """
    labels: list[str] = domain.labels.tolist()
    absent = [None] if domain.has_missing else []
    if domain.kind == "number":
        whole = None if fractions else _whole(labels)
        if whole is not None:
            return pa.array([*whole, *absent], pa.int64())
        return pa.array([*domain.values.tolist(), *absent], pa.float64())
    if domain.kind == "date":
        moments = [dt.datetime.fromisoformat(label) for label in labels]
        if all(moment.time() == dt.time() for moment in moments):
            return pa.array([*(moment.date() for moment in moments), *absent], pa.date32())
        return pa.array([*moments, *absent], pa.timestamp("us"))
    return pa.array([*labels, *absent], pa.string())


def _whole(labels: list[str]) -> list[int] | None:
    """The numbers with all their digits, if they are whole and not too large."""
    if not all(label.removeprefix("-").isdigit() for label in labels):
        return None
    numbers = [int(label) for label in labels]
    return numbers if all(_SMALLEST <= number <= _LARGEST for number in numbers) else None
