"""The inputs of an audit or a check: a release that describes itself, requirements and hierarchies."""

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
from hedgerow.verifier import ClassCounts, RowOwners, open_table
from hedgerow.verifier.classes import Labels

__all__ = [
    "Auditable",
    "Described",
    "Reading",
    "artefact_of",
    "check_columns",
    "labels_of",
    "protected_columns",
    "read_demands",
    "with_trees",
]


@dataclass(frozen=True, eq=False)
class Described:
    """What is known about a published table.

    Attributes
    ----------
    artefact : dataframe, DuckDB relation or path
        The table that is counted.
    quasi, sensitive : sequence of str
    target : str, optional
    requirements : sequence of requirements
        The requirements that it met.
    missing : sequence of str
        Texts that mean "no value".
    proportions : Proportions, optional
        The proportions published beside it.
    audit : Audit
        The audit from when the table was made, the only source of its losses.
    entity : str, optional
        The column that identified the person, where people are counted instead of rows.
    people : array of int, optional
        The person of each row.
    facts : mapping
        How it was made, as in its manifest.
    determined : mapping of column to tuple of str
        Columns in clear that count as quasi-identifiers, each with the quasi-identifiers that determine it.
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

    @property
    def owners(self) -> RowOwners | None:
        """The person of each row, if the table does not name the person."""
        return None if self.people is None or self.entity is None else RowOwners(self.entity, self.people)


class Auditable(ABC):
    """A table that supplies its own roles, such as a release."""

    @property
    @abstractmethod
    def described(self) -> Described:
        """What an audit needs to know about it."""


def artefact_of(table: Any) -> Any:
    """The table of a release, or the table itself."""
    return table.described.artefact if isinstance(table, Auditable) else table


@dataclass(frozen=True)
class Reading:
    """How to read tables: the texts that mean "no value", and the encoding and delimiter of text files."""

    missing: Sequence[str] = ()
    encoding: str | None = None
    delimiter: str | None = None

    def open(self, table: Any, sheet: str | None = None) -> Any:
        """Open a table for the verifier."""
        return open_table(table, encoding=self.encoding, delimiter=self.delimiter, sheet=sheet)

    def with_missing(self, texts: Sequence[str]) -> tuple[str, ...]:
        """The texts that mean "no value", with others that a release names."""
        return tuple(dict.fromkeys((*self.missing, *texts)))


# --------------------------------------------------------------------------------------------------
# Requirements, and hierarchies, which define what the labels of a table stand for and how far values lie apart.


def read_demands(k: int | None, require: Any, owner: str = "audit") -> tuple[Any, ...]:
    """Put the requirements into one list, k-anonymity by ``k`` first. A single requirement needs no list."""
    alone = isinstance(require, str) or hasattr(require, "name") or not isinstance(require, Iterable)
    several = (require,) if alone else tuple(require)
    read = tuple(
        parse_requirement(requirement) if isinstance(requirement, str) else requirement for requirement in several
    )
    for requirement in read:
        if not hasattr(requirement, "name"):
            must = "a list of requirements such as hr.KAnonymity(5)"
            raise BadInput.parameter("require", owner, must, type(requirement).__name__)
    return read if k is None else (KAnonymity(check_int("k", owner, k, 1)), *read)


def protected_columns(requirements: Iterable[Any]) -> list[str]:
    """The columns that requirements protect."""
    return [requirement.column for requirement in requirements if getattr(requirement, "column", None) is not None]


def labels_of(hierarchies: Mapping[str, Any], population: ClassCounts) -> list[Leaves]:
    """For each quasi-identifier, the labels of its hierarchy with the values of a population below each.

    A hierarchy that is built from values, such as masking, is built from those of the population.
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
    """Give the tree of its column to each requirement that needs one."""
    return tuple(
        requirement.with_tree(_tree(hierarchies[requirement.column], requirement.column, counts))
        if getattr(requirement, "needs_tree", False) and requirement.column in hierarchies
        else requirement
        for requirement in demanded
    )


def _tree(given: Any, name: str, counts: ClassCounts) -> dict[str, Any]:
    hierarchy = hierarchy_of(given, name)
    return hierarchy.encode(_values(hierarchy, name, counts)).to_tree()


def _values(hierarchy: Hierarchy, name: str, counts: ClassCounts) -> Domain:
    """The values that a taxonomy lists, whether they occur or not; for another hierarchy, those of the table."""
    if isinstance(hierarchy, Taxonomy):
        tree = hierarchy.tree
        return Domain(name, "text", np.array(sorted(tree.labels[leaf] for leaf in tree.leaves())))
    return domain_of(name, [label for label in counts.histogram(name).labels if label is not None])


def check_columns(hierarchies: object, columns: Sequence[str], owner: str = "audit") -> None:
    """Refuse hierarchies that are not a mapping, and hierarchies of columns that are not audited or checked."""
    if not isinstance(hierarchies, Mapping):
        must = "a mapping of column to hierarchy"
        raise BadInput.parameter("hierarchies", owner, must, type(hierarchies).__name__)
    for name in hierarchies:
        if name not in columns:
            raise BadInput.unknown(f"{owner}ed column", str(name), columns, "A hierarchy is given for it.")
