"""oneClass: every node of a hierarchy is a category of its own, one feature is 1.

A set or an interval that is no node is one more category, if it was there in training; else it counts as the lowest
node above it. The paper: k-anonymous data representation for neural networks, section II-C, table II a.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from hedgerow.learning.encoders.base import Encoded, HierarchyEncoder
from hedgerow.learning.encoders.cells import Cells
from hedgerow.learning.encoders.column import Column
from hedgerow.learning.encoders.covers import Covers, covers_of

__all__ = ["OneClassEncoder"]


class OneClassEncoder(HierarchyEncoder):
    """Write a cell as a 1 at its node, and nowhere else.

    Parameters
    ----------
    columns : sequence of str, optional
        The columns to encode: all if not given, of a release its quasi-identifiers. Of the others, numbers pass through
        as they are, and the rest is encoded as raw categories.
    hierarchies : mapping of column to hierarchy, optional
        How columns generalize: whatever a schema takes. A release brings those that its schema was given. A column
        without one is flat if it holds categories; numbers have intervals, dates the calendar.
    numbers : {"intervals", "mean"}
        Whether numbers and dates have a feature for each interval (or other group) of their hierarchy, or two: the
        mean of what a cell may be, and its width.
    unknown : {"ancestor", "error"}
        Whether a value that the hierarchy does not know counts as the nearest node above it, or is refused.
    sparse_output : bool
        Whether the result is a SciPy CSR array.
    dtype : type
        Of the result, floating-point.
    missing : sequence of str
        Texts that mean "no value", besides null; a missing value is a leaf of its own below the root.

    Attributes
    ----------
    columns_ : tuple
        What is known of each column.
    n_features_in_ : int
    feature_names_in_ : array of str
        The columns of the training table, if they have names; unseen rows are matched by name.

    Examples
    --------
    >>> import pyarrow as pa
    >>> animals = {"mammals": {"felidae": ["cat", "lion"], "canine": ["dog"]}}
    >>> published = pa.table({"Race": ["cat", "felidae", "{cat|dog}"]})
    >>> encoder = OneClassEncoder(hierarchies={"Race": animals}).fit(published)
    >>> encoder.get_feature_names_out().tolist()
    ['Race=cat', 'Race=lion', 'Race=dog', 'Race=felidae', 'Race=canine', 'Race=mammals', 'Race={cat|dog}']
    >>> encoder.transform(published).astype(int).tolist()
    [[1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1]]
    """

    def _finished(self, column: Column, cells: Cells) -> Encoded:
        finished = super()._finished(column, cells)
        texts = dict.fromkeys(covers_of(column, cells, self.unknown).texts)
        return replace(finished, own={text: at for at, text in enumerate(texts)})

    def _vectors(self, one: Encoded, covers: Covers) -> csr_array:
        size = len(one.column.nodes)
        feature = covers.node.copy()
        own = np.array([size + one.own[text] if text in one.own else -1 for text in covers.texts], dtype=np.int64)
        seen = own >= 0
        feature[covers.parted[seen]] = own[seen]
        rows = np.arange(len(feature) + 1)
        return csr_array((np.ones(len(feature)), feature, rows), shape=(len(feature), size + len(one.own)))
