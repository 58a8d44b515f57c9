"""Finding the inducer that a parameter means: a name, a scikit-learn tree, a C4.5 classifier, or your own function.

An inducer is a callable that takes a :class:`hedgerow.anonymizers.trees.TrainingTable` and returns a tree that asks one
column at a time. kACTUS works with any inducer (Kisilevich, Rokach, Elovici, Shapira, IEEE TKDE 22(3), 2010). Methods
call :func:`grow`, which makes the training table, calls the inducer, and checks and converts the tree.

**Deviations.** The authors used Weka's J48, which is ``"j48"`` here; the default ``"c45"`` grows the same trees.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Protocol

import numpy as np

from hedgerow.anonymizers.trees.inducers import INDUCERS
from hedgerow.anonymizers.trees.inducers._cart import induce_cart
from hedgerow.anonymizers.trees.inducers.c45 import check_c45, induce_c45
from hedgerow.anonymizers.trees.inducers.j48 import induce_j48
from hedgerow.anonymizers.trees.nodes.classification import ClassificationTree
from hedgerow.anonymizers.trees.nodes.custom_trees import Node, path_tree
from hedgerow.anonymizers.trees.nodes.paths import PathTree
from hedgerow.anonymizers.trees.training import Attribute, Least, TrainingTable, training_table
from hedgerow.core.counts import FrequencyTable
from hedgerow.errors import BadInput

__all__ = ["INDUCERS", "Inducer", "grow", "resolve_inducer"]

_MUST = (
    "'c45', 'cart', 'j48', a DecisionTreeClassifier, an ExtraTreeClassifier, a C45Classifier "
    "or a function that takes a TrainingTable and returns a tree"
)
# Parameters that scikit-learn's single trees have, but not its ensembles.
_OF_SINGLE_TREES = {"splitter", "min_samples_leaf", "min_weight_fraction_leaf", "random_state"}
_OF_C45 = {"confidence", "min_objects", "pruned"}


class Inducer(Protocol):
    """Anything that grows a tree from a training table.

    Examples
    --------
    >>> from hedgerow.anonymizers.trees import ByThreshold, Leaf
    >>> def halves(table: TrainingTable) -> Node:
    ...     name = table.columns[0].attribute.name
    ...     return ByThreshold(name, 40, low=Leaf(), high=Leaf())
    >>> resolve_inducer(halves) is halves
    True
    """

    def __call__(self, table: TrainingTable, /) -> ClassificationTree | Node:
        """Grow a tree; a function of yours can build it from ``Leaf``, ``ByValue`` and ``ByThreshold``."""


def resolve_inducer(given: object, owner: str = "KActus") -> Inducer:
    """Find the inducer that a parameter means.

    Parameters
    ----------
    given : object
        One of ``INDUCERS``; scikit-learn's DecisionTreeClassifier or ExtraTreeClassifier, a copy of which is fitted; a
        :class:`hedgerow.learning.C45Classifier`, whose ``min_objects`` is used; or any callable, which is returned
        unchanged.
    owner : str
        The name of the method, for messages.

    Examples
    --------
    >>> resolve_inducer("c4.5")
    Traceback (most recent call last):
    hedgerow.errors.BadInput: The 'inducer' parameter of KActus must be 'c45', 'cart', 'j48', a \
DecisionTreeClassifier, an ExtraTreeClassifier, a C45Classifier or a function that takes a TrainingTable and \
returns a tree. Got 'c4.5' instead.
    """
    if isinstance(given, str):
        if given in INDUCERS:
            return _BY_NAME[given]
        raise BadInput.parameter("inducer", owner, _MUST, given)
    if not isinstance(given, type):
        settings = _settings(given)
        if settings.keys() >= _OF_C45:
            return _c45_as(given, settings)
        if settings.keys() >= _OF_SINGLE_TREES and _is_classifier(given):
            return partial(induce_cart, estimator=given)
        if callable(given):
            return given
    # Name the type only, since a table that was given by mistake would show its rows.
    raise BadInput.parameter("inducer", owner, _MUST, given if isinstance(given, type) else type(given))


def grow(inducer: object, counts: FrequencyTable, min_objects: int | Least, owner: str) -> PathTree:
    """Grow a tree from counts, with exactly one path for each record.

    Parameters
    ----------
    inducer : object
        See :func:`resolve_inducer`. Errors of your own function are passed on.
    counts : FrequencyTable
        It must have a target.
    min_objects : int or Least
        The number of records that a branch should have; an inducer may ignore it. ``Least`` also states how many a node
        needs to be split; a smaller node becomes a leaf, whatever the inducer.
    owner : str
        The name of the method, for messages.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> from hedgerow.engines import open_source
    >>> schema = Schema(quasi=["age"], target="pay")
    >>> source = open_source(pa.table({"age": [20, 30, 50, 60], "pay": ["low", "low", "high", "high"]}))
    >>> counts = source.count(schema, schema.resolve(source.columns)).counts
    >>> grow("c45", counts, 2, "KActus").leaves_of(counts).tolist()
    [1, 1, 2, 2]
    """
    induce = resolve_inducer(inducer, owner)
    table = training_table(counts, min_objects, owner)
    tree = induce(table)
    if isinstance(tree, ClassificationTree):
        _check_classification(tree, table, owner)
        grown = PathTree.from_classification(tree, [counts.domains[name] for name in counts.quasi])
    else:
        grown = path_tree(tree, counts, owner)
    return grown.closed_below(table.min_split, counts) if table.min_split > 1 else grown


def _check_classification(tree: ClassificationTree, table: TrainingTable, owner: str) -> None:
    if len(tree.attributes) != len(table.columns) or not all(map(_is_same, tree.attributes, table.attributes)):
        raise BadInput(
            f"The inducer of {owner} returned a ClassificationTree whose columns or values differ from those of the "
            "training table. Use the attributes of the table, in their order."
        )
    if not _sound(tree):
        raise BadInput(
            f"The inducer of {owner} returned a ClassificationTree whose nodes do not fit together. Each must have two "
            "branches for a number or one for each category; they must come after it and have no other parent."
        )


def _is_same(first: Attribute, second: Attribute) -> bool:
    return first.name == second.name and first.numeric == second.numeric and first.labels == second.labels


def _sound(tree: ClassificationTree) -> bool:
    """Whether the arrays form a tree; otherwise compiled code would read beyond their ends."""
    nodes = tree.nodes
    inner = np.flatnonzero(nodes.column >= 0)
    column, first, branches = nodes.column[inner], nodes.first[inner], nodes.branches[inner].astype(np.int64)
    if not tree.size or (column >= len(tree.attributes)).any() or (branches < 1).any() or (first <= inner).any():
        return False
    widths = np.array([2 if attribute.numeric else len(attribute.labels) for attribute in tree.attributes])
    # The branches of all nodes together are all nodes but the root.
    order = np.argsort(first)
    starts = 1 + np.cumsum(branches[order]) - branches[order]
    return bool(
        (branches == widths[column]).all() and (first[order] == starts).all() and branches.sum() == tree.size - 1
    )


def _c45(
    table: TrainingTable, *, confidence: float = 0.25, min_objects: int | None = None, pruned: bool = True
) -> ClassificationTree:
    least = table.min_objects if min_objects is None else min_objects
    return induce_c45(
        table.columns,
        table.labels,
        table.classes,
        table.weights,
        confidence=confidence,
        min_objects=Least(least, table.min_split),
        pruned=pruned,
    )


_BY_NAME: dict[str, Inducer] = {"c45": _c45, "cart": induce_cart, "j48": induce_j48}


def _settings(given: object) -> dict[str, Any]:
    """Return the parameters of an estimator; none for any other object."""
    if not (hasattr(given, "get_params") and hasattr(given, "fit")):
        return {}
    settings: dict[str, Any] = given.get_params(deep=False)
    return settings


def _is_classifier(estimator: object) -> bool:
    # A scikit-learn tree exists, so scikit-learn is imported already.
    from sklearn.base import is_classifier

    return bool(is_classifier(estimator))


def _c45_as(given: object, settings: dict[str, Any]) -> Inducer:
    """Return C4.5 with the settings of a classifier."""
    confidence, least, pruned = settings["confidence"], settings["min_objects"], settings["pruned"]
    check_c45(type(given).__name__, confidence, least, pruned)
    return partial(_c45, confidence=float(confidence), min_objects=int(least), pruned=pruned)
