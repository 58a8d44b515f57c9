"""What grows a tree for a method: a word, a scikit-learn tree, a C4.5 classifier, or a function of one's own.

An inducer is a callable that takes a :class:`hedgerow.anonymizers.trees.TrainingTable` and returns a tree that asks
one column at
a time (kACTUS takes any: Kisilevich, Rokach, Elovici, Shapira, IEEE TKDE 22(3), 2010). :func:`grow` is the way in for
methods: it lays the table out, calls the inducer, and checks and converts what comes back.

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
from hedgerow.anonymizers.trees.training import Attribute, TrainingTable, training_table
from hedgerow.core.counts import FrequencyTable
from hedgerow.errors import BadInput

__all__ = ["INDUCERS", "Inducer", "grow", "resolve_inducer"]

_MUST = (
    "'c45', 'cart', 'j48', a DecisionTreeClassifier, an ExtraTreeClassifier, a C45Classifier "
    "or a function that takes a TrainingTable and returns a tree"
)
# What scikit-learn's single trees can be told, and no ensemble of them.
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
        """Grow a tree; see :class:`hedgerow.anonymizers.trees.Leaf` and its companions for what it may consist of."""


def resolve_inducer(given: object, owner: str = "KActus") -> Inducer:
    """Find the inducer that a parameter means.

    Parameters
    ----------
    given : object
        One of ``INDUCERS``; scikit-learn's DecisionTreeClassifier or ExtraTreeClassifier, of which a copy is fitted;
        a :class:`hedgerow.learning.C45Classifier`, whose own ``min_objects`` holds; or any callable, which is
        returned as it is.
    owner : str
        The method that has the parameter, for messages.

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
            return _BY_WORD[given]
        raise BadInput.parameter("inducer", owner, _MUST, given)
    if not isinstance(given, type):
        settings = _settings(given)
        if settings.keys() >= _OF_C45:
            return _c45_as(given, settings)
        if settings.keys() >= _OF_SINGLE_TREES and _is_classifier(given):
            return partial(induce_cart, estimator=given)
        if callable(given):
            return given
    # The type and not the object: a table that was given by mistake would show its rows.
    raise BadInput.parameter("inducer", owner, _MUST, given if isinstance(given, type) else type(given))


def grow(inducer: object, counts: FrequencyTable, min_objects: int, owner: str) -> PathTree:
    """Grow a tree from counts, in which every record has exactly one path.

    Parameters
    ----------
    inducer : object
        What :func:`resolve_inducer` takes. What a function of one's own raises is passed on.
    counts : FrequencyTable
        With a target.
    min_objects : int
        How many records a branch should have, for inducers that ask.
    owner : str
        The method that asks, for messages.

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
    if not isinstance(tree, ClassificationTree):
        return path_tree(tree, counts, owner)
    alike = len(tree.attributes) == len(table.columns) and all(map(_alike, tree.attributes, table.attributes))
    if not alike:
        raise BadInput(
            f"The inducer of {owner} returned a ClassificationTree over other columns or values than those of the "
            "training table. Use the attributes of the table, in their order."
        )
    if not _sound(tree):
        raise BadInput(
            f"The inducer of {owner} returned a ClassificationTree whose nodes do not fit together. Each must have two "
            "branches for a number or one for each category, which stand behind it and have no other parent."
        )
    return PathTree.from_classification(tree, [counts.domains[name] for name in counts.quasi])


def _alike(one: Attribute, other: Attribute) -> bool:
    return one.name == other.name and one.numeric == other.numeric and one.labels == other.labels


def _sound(tree: ClassificationTree) -> bool:
    """Whether the arrays are a tree; compiled code would read beyond their ends if they were not."""
    nodes = tree.nodes
    inner = np.flatnonzero(nodes.column >= 0)
    column, first, branches = nodes.column[inner], nodes.first[inner], nodes.branches[inner].astype(np.int64)
    if not tree.size or (column >= len(tree.attributes)).any() or (branches < 1).any() or (first <= inner).any():
        return False
    widths = np.array([2 if attribute.numeric else len(attribute.labels) for attribute in tree.attributes])
    # Behind one another, the branches of all nodes are all nodes but the root.
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
        min_objects=least,
        pruned=pruned,
    )


_BY_WORD: dict[str, Inducer] = {"c45": _c45, "cart": induce_cart, "j48": induce_j48}


def _settings(given: object) -> dict[str, Any]:
    """The parameters of an estimator; none of anything else."""
    if not (hasattr(given, "get_params") and hasattr(given, "fit")):
        return {}
    settings: dict[str, Any] = given.get_params(deep=False)
    return settings


def _is_classifier(estimator: object) -> bool:
    # Whoever made a scikit-learn tree has imported scikit-learn already.
    from sklearn.base import is_classifier

    return bool(is_classifier(estimator))


def _c45_as(given: object, settings: dict[str, Any]) -> Inducer:
    """C4.5 with the settings of a classifier."""
    confidence, least, pruned = settings["confidence"], settings["min_objects"], settings["pruned"]
    check_c45(type(given).__name__, confidence, least, pruned)
    return partial(_c45, confidence=float(confidence), min_objects=int(least), pruned=pruned)
