"""Columns such as ``age=[20,30)``: shares of the parts of another column, as an anonymizer in a pipeline adds them."""

from __future__ import annotations

from typing import Any, Final

import narwhals as nw
import numpy as np

from hedgerow.arrays import Floats
from hedgerow.frames import as_arrow

__all__ = ["part_columns", "part_labels", "part_shares", "share_columns"]

_ROUNDING: Final = 1e-6


def part_columns(frame: nw.DataFrame[Any]) -> dict[str, list[str]]:
    """Find the columns that hold shares, by the column that they speak of.

    They are named after it, hold numbers from 0 to 1, and add up to 1 in every row that has them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"sex": ["*", "F"], "sex=F": [0.5, 1.0], "sex=M": [0.5, 0.0], "sex=other": [7, 8]})
    >>> part_columns(nw.from_native(table, eager_only=True))
    {}
    >>> part_columns(nw.from_native(table.drop(["sex=other"]), eager_only=True))
    {'sex': ['sex=F', 'sex=M']}
    """
    found: dict[str, list[str]] = {}
    names = sorted(frame.columns, key=len)
    taken: set[str] = set()
    for owner in names:
        if owner in taken:
            continue
        parts = [name for name in frame.columns if name.startswith(f"{owner}=") and name not in taken]
        if parts and all(frame[name].dtype.is_numeric() for name in parts) and _are_shares(part_shares(frame, parts)):
            found[owner] = parts
            taken.update(parts)
    return found


def share_columns(frame: nw.DataFrame[Any]) -> list[str]:
    """All columns that hold shares."""
    return [name for names in part_columns(frame).values() for name in names]


def part_labels(owner: str, names: list[str]) -> list[str]:
    """The parts themselves.

    >>> part_labels("age", ["age=[20,30)", "age=[30,40]"])
    ['[20,30)', '[30,40]']
    """
    return [name[len(owner) + 1 :] for name in names]


def part_shares(frame: nw.DataFrame[Any], names: list[str]) -> Floats:
    """The shares of each row, nan where it has none, (rows, parts)."""
    shares = np.empty((len(frame), len(names)))
    for at, name in enumerate(names):
        shares[:, at] = as_arrow(frame[name].cast(nw.Float64())).to_numpy()
    return shares


def _are_shares(shares: Floats) -> bool:
    stated = shares[~np.isnan(shares).any(axis=1)]
    within = (stated >= -_ROUNDING).all() and (np.abs(stated.sum(axis=1) - 1.0) <= _ROUNDING * shares.shape[1]).all()
    return bool(len(stated)) and bool(within)
