"""Hierarchies that were given to an audit: what the labels of a table stand for, and how far values lie apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hedgerow.domains import Domain
from hedgerow.errors import BadInput
from hedgerow.hierarchies import Hierarchy, hierarchy_of
from hedgerow.hierarchies.taxonomies import Taxonomy
from hedgerow.published import NO_LABELS, Leaves, covered_values, domain_of, leaves_below
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Labels

__all__ = ["check_columns", "labels_of", "with_trees"]


def labels_of(hierarchies: Mapping[str, Any], population: ClassCounts) -> list[Leaves]:
    """For each quasi-identifier the labels of its hierarchy, and the values of a population below each.

    A hierarchy that is made of the values, such as masking, is made of the population's.
    """
    columns = zip(population.columns, population.labels, strict=True)
    return [_below(hierarchies.get(name), name, values) for name, values in columns]


def _below(given: Any, name: str, values: Labels) -> Leaves:
    if given is None:
        return NO_LABELS
    hierarchy = hierarchy_of(given, name)
    covered = covered_values(hierarchy, domain_of(name, [value for value in values if value is not None]))
    return leaves_below(hierarchy.encode(covered)) if len(covered.labels) else NO_LABELS


def with_trees(demanded: Sequence[Any], hierarchies: Mapping[str, Any], counts: ClassCounts) -> tuple[Any, ...]:
    """Give each requirement that needs one the tree of its column."""
    return tuple(
        one.with_tree(_tree(hierarchies[one.column], one.column, counts))
        if getattr(one, "needs_tree", False) and one.column in hierarchies
        else one
        for one in demanded
    )


def _tree(given: Any, name: str, counts: ClassCounts) -> dict[str, Any]:
    hierarchy = hierarchy_of(given, name)
    return hierarchy.encode(_values(hierarchy, name, counts)).to_tree()


def _values(hierarchy: Hierarchy, name: str, counts: ClassCounts) -> Domain:
    """The values that a taxonomy lists, whether they occur or not; of another hierarchy those of the table."""
    if isinstance(hierarchy, Taxonomy):
        tree = hierarchy.tree
        return Domain(name, "text", np.array(sorted(tree.labels[leaf] for leaf in tree.leaves())))
    return domain_of(name, [label for label in counts.histogram(name).labels if label is not None])


def check_columns(hierarchies: object, columns: Sequence[str]) -> None:
    """Refuse what is no mapping, and hierarchies of columns that the audit does not look at."""
    if not isinstance(hierarchies, Mapping):
        must = "a mapping of column to hierarchy"
        raise BadInput.parameter("hierarchies", "audit", must, type(hierarchies).__name__)
    for name in hierarchies:
        if name not in columns:
            raise BadInput.unknown("audited column", str(name), columns, "A hierarchy is given for it.")
