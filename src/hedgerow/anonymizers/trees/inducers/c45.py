"""C4.5 (Quinlan, C4.5: Programs for Machine Learning, 1993; release 8: Quinlan, JAIR 4, 1996), as in Weka's J48.

C4.5 splits a node by the attribute with the best gain ratio among those whose gain is at least average: into one branch
per category, or into two branches around a threshold, whose cost is subtracted from the gain. A record with a missing
value goes down every branch with a share of its weight. The grown tree is collapsed where branches do not classify
better than a leaf. Then it is pruned pessimistically, where the largest branch of a node may replace it (subtree
raising).

**Deviations.** From Quinlan's book, as in J48: comparisons have a slack of 1e-6; the confidence limit uses the normal
approximation for more than one error; categories without records in a node still have an (empty) branch. From J48: a
weight counts as that many records everywhere, so that a row of weight 2 equals two rows; J48 counts rows in two places,
to decide which attributes have too many values for the average, and whether a node has enough known numbers.

In published tables, a record whose cell may stand for several values is in all their branches at once, like a missing
value in C4.5. But the shares come from the cell (equal for its members, or the proportions of its class), not from the
other records. Then pruning does not raise subtrees, and a piece below a hundredth of its record is given to the larger
pieces of the record, so that no record is in more than a hundred pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.anonymizers.trees._growth import collapse, grown, prune, published_table, raise_and_prune, whole_table
from hedgerow.anonymizers.trees._kernels import NUMERIC, SIZE, SLACK, Rules
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.anonymizers.trees.sets import SetColumn
from hedgerow.anonymizers.trees.training import CodedColumn, Least
from hedgerow.errors import BadInput, check_int

__all__ = ["averaged", "check_c45", "induce_c45", "rules_of"]

# An attribute with as many values as this share of the records does not count for the average gain.
_MANY_VALUES = 0.3


def induce_c45(
    columns: Sequence[CodedColumn | SetColumn],
    labels: NDArray[np.integer],
    classes: Sequence[str],
    weights: Floats | None = None,
    *,
    confidence: float = 0.25,
    min_objects: int | Least = 2,
    pruned: bool = True,
) -> ClassificationTree:
    """Grow, collapse and prune a tree.

    Parameters
    ----------
    columns : sequence of CodedColumn, or of SetColumn for a published table
        The attributes. Among equally good ones, the first wins.
    labels : int array
        The label of each row.
    classes : sequence of str
        The names of the labels.
    weights : float array, optional
        How many records each row stands for, more than 0; 1 if not given.
    confidence : float
        At most 0.5; a smaller value prunes more.
    min_objects : int or Least
        At least two branches of a split have at least this many records. ``Least`` also states how many a node needs to
        be split.
    pruned : bool
        Whether to prune the tree; it is collapsed in any case.

    Examples
    --------
    >>> from hedgerow.anonymizers.trees import Attribute
    >>> sky = CodedColumn(Attribute("sky", ("grey", "blue")), np.array([0, 0, 0, 1, 1, 1], dtype=np.int32))
    >>> print(induce_c45([sky], np.array([1, 1, 1, 0, 0, 0]), ["dry", "rain"]).export_text())
    sky = grey: rain (3)
    sky = blue: dry (3)
    >>> import pyarrow as pa
    >>> from hedgerow.anonymizers.trees.sets import read_training
    >>> published = read_training("sky", pa.chunked_array([["grey"] * 3 + ["blue"] * 3 + ["{blue|grey}"]]))
    >>> print(induce_c45([published], np.array([1, 1, 1, 0, 0, 0, 1]), ["dry", "rain"]).export_text())
    sky = blue: dry (3.5/0.5)
    sky = grey: rain (3.5)
    """
    published = [column for column in columns if isinstance(column, SetColumn)]
    if published:
        cells = [column.by_class for column in published]
        table, lists = published_table(published, cells, cells, labels, len(classes), weights)
    else:
        whole = [column for column in columns if isinstance(column, CodedColumn)]
        table, lists = whole_table(whole, labels, len(classes), weights), None
    nodes = grown(table, lists, rules_of(table.columns, float(table.weights.sum()), min_objects))
    collapse(nodes)
    if pruned and published:
        prune(nodes, confidence)
    elif pruned:
        raise_and_prune(nodes, table, confidence)
    return ClassificationTree(tuple(column.attribute for column in columns), tuple(classes), nodes.compact())


def rules_of(columns: Longs, records: float, min_objects: int | Least) -> Rules:
    """Return the rules by which C4.5 grows a tree from a number of records."""
    least = Least.of(min_objects)
    return Rules(
        by_ratio=True,
        must_gain=True,
        dense=True,
        min_objects=float(least.branch),
        max_depth=-1,
        averaged=averaged(columns, records),
        min_split=float(least.node),
    )


def averaged(columns: Longs, records: float) -> Bools:
    """Return which attributes count for the average gain: all but those with many categories, unless all have many."""
    many = columns[:, SIZE] >= _MANY_VALUES * records - SLACK
    few = (columns[:, NUMERIC] > 0) | ~many
    return few if few.any() else np.ones_like(few)


def check_c45(owner: str, confidence: object, min_objects: object, pruned: object) -> None:
    """Refuse invalid parameters of C4.5."""
    if isinstance(confidence, bool) or not isinstance(confidence, Real) or not 0 < float(confidence) <= 0.5:
        raise BadInput.parameter("confidence", owner, "a number above 0 and at most 0.5", confidence)
    check_int("min_objects", owner, min_objects, 1)
    if not isinstance(pruned, bool):
        raise BadInput.parameter("pruned", owner, "True or False", pruned)
