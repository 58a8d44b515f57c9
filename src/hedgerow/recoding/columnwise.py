"""Global recoding: every value of a column becomes one node of its hierarchy, whatever row it stands in.

The nodes of a column are a cut through its hierarchy, or the nodes of one level of it; rows that share all their nodes
are a group. So unseen rows are recoded column by column: a value that was not there goes to the published node above
it, and is suppressed where there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hedgerow.arrays import Bools, Ints
from hedgerow.counts import FrequencyTable, tabulate
from hedgerow.errors import required
from hedgerow.hierarchies import NOWHERE, EncodedHierarchy
from hedgerow.recoding.building import label_column
from hedgerow.recoding.node_router import ColumnMap, NodeRouter
from hedgerow.recoding.pieces import Pieces
from hedgerow.recoding.recoding import Recoding

__all__ = ["recode_by_nodes"]


def recode_by_nodes(
    method: str,
    counts: FrequencyTable,
    nodes: Sequence[Ints],
    *,
    lost: Bools | None = None,
    levels: Mapping[str, int] | None = None,
    facts: Mapping[str, Any] | None = None,
    warnings: Sequence[str] = (),
) -> Recoding:
    """Publish every value as its node.

    Parameters
    ----------
    method : str
    counts : FrequencyTable
    nodes : sequence of int arrays
        For each quasi-identifier the node of each code of its domain. One may stand above another: the root for
        values that are hidden beside others that are shown.
    lost : bool array (tuples,), optional
        Which tuples are not published.
    levels : mapping of column to int, optional
        Where the nodes of each column are those of one level.
    facts, warnings
        For the manifest and the audit.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> from hedgerow.anonymizers.pipeline import prepare
    >>> from hedgerow.privacy import KAnonymity
    >>> schema = Schema(quasi=["zip"], hierarchies={"zip": "masking"})
    >>> counts = prepare(pa.table({"zip": ["11", "12", "21"]}), schema, [KAnonymity(1)], random_state=0).counts
    >>> recoding = recode_by_nodes("mine", counts, [counts.hierarchies["zip"].at_level[1]], levels={"zip": 1})
    >>> recoding.transform(pa.table({"zip": ["11", "19", "44"]}))["zip"].to_pylist()
    ['1*', '1*', '*']
    """
    kept = np.ones(len(counts.tuples), dtype=bool) if lost is None else ~lost
    columns, maps, rows = [], [], []
    for at, name in enumerate(counts.quasi):
        domain, hierarchy = counts.domains[name], counts.hierarchies[name]
        # Only nodes that some published record has are published.
        held = np.zeros(domain.size, dtype=bool)
        held[counts.tuples[kept, at]] = True
        column, value = label_column(domain, hierarchy, nodes[at][held])
        of_code = np.full(domain.size, NOWHERE, dtype=np.int32)
        of_code[held] = value
        columns.append(column)
        rows.append(of_code[counts.tuples[kept, at]])
        maps.append(ColumnMap(hierarchy, _at_or_below(hierarchy, required(column.nodes, "the nodes of a column"))))
    groups, group_of_kept = tabulate(rows, [len(column) for column in columns], int(kept.sum()))
    group_of_tuple = np.full(len(counts.tuples), -1, dtype=np.int32)
    group_of_tuple[kept] = group_of_kept
    pieces = Pieces.whole(group_of_tuple[counts.cell_tuple], counts.cell_sizes)
    return Recoding(
        method=method,
        quasi=counts.quasi,
        columns=tuple(columns),
        groups=groups,
        sizes=pieces.sizes(len(groups)),
        pieces=pieces,
        router=NodeRouter(tuple(maps)),
        levels=None if levels is None else dict(levels),
        facts={} if facts is None else dict(facts),
        warnings=tuple(warnings),
    )


def _at_or_below(hierarchy: EncodedHierarchy, published: Ints) -> Ints:
    """For every node the published value that it or a node above it is."""
    result = np.full(len(hierarchy.parent), NOWHERE, dtype=np.int32)
    result[published] = np.arange(len(published), dtype=np.int32)
    for node in range(1, len(result)):
        if result[node] == NOWHERE:
            result[node] = result[hierarchy.parent[node]]
    return result
