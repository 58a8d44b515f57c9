"""The estimators of methods that go through taxonomies from the top, or from the bottom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.privacy import Requirement
from hedgerow.schema import Schema

__all__ = ["TDS", "TDR", "BUG"]


class TDS(Anonymizer):
    """Top-down specialization: from everything general down to what tells most of the class. Needs a target.

    Parameters
    ----------
    k : int, optional
        Every class has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    loss : {"shield", "node"}
        What a specialization costs: how far the smallest class falls, or the records of the specialized value less
        those of its smallest branch.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Not used: specialization leaves nothing to chance.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 21, 30, 31, 32], "drink": ["milk", "milk", "wine", "wine", "wine"]})
    >>> release = TDS(k=2).anonymize(people, Schema(quasi=["age"], target="drink"))
    >>> sorted(set(release.table["age"].to_pylist()))
    ['[20,30)', '[30,32]']
    """

    name: ClassVar[str] = "tds"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        loss: Literal["shield", "node"] = "shield",
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.loss = loss
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state


class TDR(Anonymizer):
    """Top-down refinement: TDS that discloses the values of a category without a taxonomy one by one. Needs a target.

    Parameters
    ----------
    k : int, optional
        Every class has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    loss : {"shield", "node"}
        What a refinement costs; see :class:`TDS`.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Not used: refinement leaves nothing to chance.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"town": ["A", "A", "B", "C"], "drink": ["milk", "milk", "wine", "wine"]})
    >>> release = TDR(k=2).anonymize(people, Schema(quasi=["town"], target="drink"))
    >>> sorted(release.table["town"].to_pylist())
    ['*', '*', 'A', 'A']
    """

    name: ClassVar[str] = "tdr"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        loss: Literal["shield", "node"] = "shield",
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.loss = loss
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state


class BUG(Anonymizer):
    """Bottom-up generalization: from the values up, what tells least of the class first. Needs a target.

    Parameters
    ----------
    k : int, optional
        Every class has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Not used: generalization leaves nothing to chance.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"sex": ["F", "F", "M", "M"], "town": ["A", "B", "A", "B"], "ill": [*"nnyy"]})
    >>> release = BUG(k=2).anonymize(people, Schema(quasi=["sex", "town"], target="ill"))
    >>> sorted(set(zip(*(release.table[name].to_pylist() for name in ("sex", "town")))))
    [('F', '*'), ('M', '*')]
    """

    name: ClassVar[str] = "bug"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state
