"""A table that says itself what its audit has to be told of any other: a release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hedgerow.arrays import Longs
from hedgerow.proportions import Proportions
from hedgerow.risk.audit import Audit

__all__ = ["Auditable", "Described"]


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
