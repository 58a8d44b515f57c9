"""What was given to an audit or a check: requirements, and hierarchies, which say what the labels of a table stand for
and how far values lie apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hedgerow.domains import Domain
from hedgerow.errors import BadInput, whole
from hedgerow.hierarchies import Hierarchy, hierarchy_of
from hedgerow.hierarchies.taxonomies import Taxonomy
from hedgerow.privacy import KAnonymity, parse_requirement
from hedgerow.published import NO_LABELS, Leaves, covered_values, domain_of, leaves_below
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Labels

__all__ = ["check_columns", "labels_of", "read_demands", "with_trees"]


def read_demands(k: int | None, require: Any, owner: str = "audit") -> tuple[Any, ...]:
    """Put the requirements into one list, the one that ``k`` stands for first; a single one needs no list."""
    alone = isinstance(require, str) or hasattr(require, "name") or not isinstance(require, Iterable)
    several = (require,) if alone else tuple(require)
    read = tuple(parse_requirement(one) if isinstance(one, str) else one for one in several)
    for one in read:
        if not hasattr(one, "name"):
            must = "a list of requirements such as hr.KAnonymity(5)"
            raise BadInput.parameter("require", owner, must, type(one).__name__)
    return read if k is None else (KAnonymity(whole("k", owner, k, 1)), *read)


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


def check_columns(hierarchies: object, columns: Sequence[str], owner: str = "audit") -> None:
    """Refuse what is no mapping, and hierarchies of columns that are not looked at."""
    if not isinstance(hierarchies, Mapping):
        must = "a mapping of column to hierarchy"
        raise BadInput.parameter("hierarchies", owner, must, type(hierarchies).__name__)
    for name in hierarchies:
        if name not in columns:
            raise BadInput.unknown(f"{owner}ed column", str(name), columns, "A hierarchy is given for it.")
