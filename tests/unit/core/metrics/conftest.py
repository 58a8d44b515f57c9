"""Small releases made from rows and their groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.core.counts import FrequencyTable, encode_column
from hedgerow.core.recoding import Pieces, PublishedColumn, Recoding, publish_groups, shown_as
from hedgerow.core.recoding.building import Publish
from hedgerow.hierarchies import flat
from hedgerow.io.domains import CodeSets
from hedgerow.schema import Schema

Build = Callable[..., tuple[FrequencyTable, Recoding]]


def build_release(
    columns: Mapping[str, Sequence[Any]],
    groups: Sequence[int],
    *,
    publish: Publish = "set",
    target: Sequence[str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    suppress: Sequence[tuple[int, str]] = (),
    weights: Mapping[str, float] | None = None,
) -> tuple[FrequencyTable, Recoding]:
    """Count rows and publish them in the given groups (-1 is lost), some cells of groups suppressed."""
    names = list(columns)
    cells: dict[str, Sequence[Any]] = dict(columns) if target is None else {**columns, "target": target}
    schema = Schema(quasi=names, target=None if target is None else "target", weights=weights or {})
    roles = schema.resolve(list(cells))
    encoded = {name: encode_column(name, pa.array(values), kind="derived") for name, values in cells.items()}
    counts, row_cell = FrequencyTable.from_columns(roles, encoded, None, len(groups))
    given = hierarchies or {}
    counts = replace(counts, hierarchies={name: given.get(name, flat()).encode(counts.domains[name]) for name in names})
    pairs, sizes = np.unique(np.stack([row_cell, np.asarray(groups)], axis=1), axis=0, return_counts=True)
    pieces = Pieces(pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32), sizes.astype(np.int64))
    # Where all records are lost, a group that nobody is in publishes what they held.
    described = pieces if max(groups) >= 0 else replace(pieces, group=pieces.group + 1)
    published, values = publish_groups(counts, described, int(described.group.max()) + 1, shown_as(counts, publish))
    stars = [_with_star(column) for column in published]
    for group, name in suppress:
        values[group, names.index(name)] = len(stars[names.index(name)]) - 1
    kept = pieces.group >= 0
    of_group = np.bincount(pieces.group[kept], pieces.size[kept], len(values)).astype(np.int64)
    return counts, Recoding("by hand", counts.quasi, tuple(stars), values, of_group, pieces)


def _with_star(column: PublishedColumn) -> PublishedColumn:
    covered, everything = column.covered, np.array([0, column.domain.size - 1], dtype=np.int32)
    return PublishedColumn(
        column.domain,
        (*column.texts, "*"),
        (*column.kinds, "suppressed"),
        CodeSets(
            np.append(covered.starts, covered.starts[-1] + 1),
            np.append(covered.first, everything[0]),
            np.append(covered.last, everything[1]),
        ),
        None if column.nodes is None else np.append(column.nodes, np.int32(0)),
    )


@pytest.fixture(scope="session")
def build() -> Build:
    """The function that makes a release."""
    return build_release
