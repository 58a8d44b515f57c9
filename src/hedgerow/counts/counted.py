"""What is known of every counted table, wherever its tuples are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Self

import numpy as np

from hedgerow.arrays import Floats, Ints, Longs
from hedgerow.domains import Domain
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.schema import Roles

__all__ = ["Counted"]


class Counted(ABC):
    """A table that was counted: its roles, domains and hierarchies, and how often each value occurs.

    A :class:`~hedgerow.counts.FrequencyTable` also has its tuples in memory; a :class:`~hedgerow.counts.LargeTable`
    hands them out part by part.
    """

    roles: Roles
    domains: Mapping[str, Domain]
    hierarchies: Mapping[str, EncodedHierarchy]
    remarks: tuple[str, ...]

    @property
    @abstractmethod
    def rows(self) -> int:
        """The number of records."""

    @property
    @abstractmethod
    def people(self) -> int:
        """The number of people; of records, if nobody tells people apart."""

    @abstractmethod
    def histogram(self, column: str) -> Longs:
        """How many records have each value of a counted column."""

    @abstractmethod
    def quasi_codes(self, cells: Longs | Ints) -> Ints:
        """The codes of the quasi-identifiers that some cells have, (cells, quasi-identifiers)."""

    @abstractmethod
    def value_codes(self, cells: Longs | Ints) -> Ints:
        """The codes of the target and the sensitive columns that some cells have, (cells, such columns)."""

    @abstractmethod
    def with_hierarchies(self, hierarchies: Mapping[str, EncodedHierarchy]) -> Self:
        """The same counts with the hierarchies of the quasi-identifiers."""

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the codes."""
        return self.roles.quasi

    @property
    def column_weights(self) -> Floats:
        """How much each quasi-identifier counts in losses; their mean is 1."""
        return np.array(self.roles.column_weights)

    @property
    def cell_columns(self) -> tuple[str, ...]:
        """The target and sensitive columns."""
        return self.roles.counted[len(self.roles.quasi) :]
