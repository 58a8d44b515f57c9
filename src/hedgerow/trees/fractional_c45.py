"""C4.5 from published tables: a record whose cell may stand for several values is in all their branches at once.

What :mod:`hedgerow.trees.c45` does, on fractional counts: a set, an interval or ``*`` sends a record down every branch
with its share, as C4.5 sends a missing value, only that the shares come from the cell (its members equally, or the
proportions of its class) and not from the other records.

**Deviations** from :mod:`hedgerow.trees.c45`: pruning does not raise subtrees. A piece below a hundredth of its record
is given to the larger pieces of the same record, so that no record is in more than a hundred.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from hedgerow.trees._fractional_classifying import Manners, parents_of
from hedgerow.trees._fractional_growing import Rules, grow, prune_to_leaves
from hedgerow.trees._growing import collapse, compact
from hedgerow.trees._kernels import Nodes
from hedgerow.trees.c45 import averaged
from hedgerow.trees.fractional import SetTree, published_table
from hedgerow.trees.sets import SetAttribute, SetColumn

__all__ = ["induce_fractional_c45"]


def induce_fractional_c45(
    columns: Sequence[SetColumn],
    labels: NDArray[np.integer],
    classes: Sequence[str],
    weights: NDArray[np.float64] | None = None,
    *,
    confidence: float = 0.25,
    min_objects: int = 2,
    pruned: bool = True,
) -> SetTree:
    """Grow, collapse and prune a tree; the parameters are those of :func:`hedgerow.trees.c45.induce_c45`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow.trees.sets import read_training
    >>> sky = read_training("sky", pa.chunked_array([["grey"] * 3 + ["blue"] * 3 + ["{blue|grey}"]]))
    >>> rain = np.array([1, 1, 1, 0, 0, 0, 1])
    >>> print(induce_fractional_c45([sky], rain, ["dry", "rain"]).export_text())
    sky = blue: dry (3.5/0.5)
    sky = grey: rain (3.5)
    """
    cells = [column.by_class for column in columns]
    table = published_table(columns, cells, cells, labels, len(classes), weights)
    counting = averaged(table.numeric, table.sizes, float(table.weights.sum()))
    rules = Rules(by_ratio=True, must_gain=True, dense=True, min_objects=float(min_objects), max_depth=-1)
    nodes = grow(table, counting, rules).nodes
    collapse(nodes)
    if pruned:
        single = np.float32(confidence)
        prune_to_leaves(nodes, float(single), float(ndtri(float(np.float32(1) - single))))
    attributes = tuple(column.attribute for column in columns)
    kept = compact(nodes)
    manners = Manners(spread_unseen=True, heaviest=False)
    return SetTree(attributes, tuple(classes), kept, _coming(kept, attributes), manners)


def _coming(nodes: Nodes, attributes: Sequence[SetAttribute]) -> NDArray[np.int32]:
    """The code that leads to each node, where a category has a branch for each of its values."""
    parents = parents_of(nodes)
    code = np.arange(len(parents)) - nodes.first[parents]
    numeric = np.array([attribute.numeric for attribute in attributes])
    return np.where((parents < 0) | numeric[nodes.column[parents]], -1, code).astype(np.int32)
