"""A table that says itself what its audit has to be told of any other: a release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hedgerow._internal.arrays import Longs
from hedgerow.core.cells import NO_LABELS, Leaves, covered_values, domain_of, leaves_below
from hedgerow.core.proportions import Proportions
from hedgerow.errors import BadInput, check_int
from hedgerow.hierarchies import Hierarchy, hierarchy_of
from hedgerow.hierarchies.taxonomies import Taxonomy
from hedgerow.io.domains import Domain
from hedgerow.requirements import KAnonymity, parse_requirement
from hedgerow.risk.audit import Audit
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Labels

__all__ = ["Auditable", "Described", "check_columns", "labels_of", "read_demands", "with_trees"]


@dataclass(frozen=True, eq=False)
class Described:
    """What is known of a published table.

    Attributes
    ----------
    artefact : dataframe, DuckDB relation or path
        The table as it is: what is counted.
    quasi, sensitive : sequence of str
    target : str, optional
    requirements : sequence of requirements
        What it was held to.
    missing : sequence of str
        Texts that mean "no value".
    proportions : Proportions, optional
        What is published beside it.
    audit : Audit
        As it was when the table was made: its losses are known only from there.
    entity : str, optional
        The column that told people apart, where they are counted and not rows.
    people : array of int, optional
        Whose each row is.
    facts : mapping
        How it was made, as its manifest says it.
    determined : mapping of column to tuple of str
        Columns in clear that count as quasi-identifiers, because quasi-identifiers determine them, and which.
    """

    artefact: Any
    quasi: Sequence[str]
    sensitive: Sequence[str]
    target: str | None
    requirements: Sequence[Any]
    missing: Sequence[str]
    audit: Audit
    proportions: Proportions | None = field(default=None)
    entity: str | None = None
    people: Longs | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    determined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Auditable(ABC):
    """What can be audited without being described."""

    @property
    @abstractmethod
    def described(self) -> Described:
        """What an audit has to know of it."""


# --------------------------------------------------------------------------------------------------
# What was given to an audit or a check: requirements, and hierarchies, which say what the labels of a table stand for
# and how far values lie apart.


def read_demands(k: int | None, require: Any, owner: str = "audit") -> tuple[Any, ...]:
    """Put the requirements into one list, the one that ``k`` stands for first; a single one needs no list."""
    alone = isinstance(require, str) or hasattr(require, "name") or not isinstance(require, Iterable)
    several = (require,) if alone else tuple(require)
    read = tuple(parse_requirement(one) if isinstance(one, str) else one for one in several)
    for one in read:
        if not hasattr(one, "name"):
            must = "a list of requirements such as hr.KAnonymity(5)"
            raise BadInput.parameter("require", owner, must, type(one).__name__)
    return read if k is None else (KAnonymity(check_int("k", owner, k, 1)), *read)


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
