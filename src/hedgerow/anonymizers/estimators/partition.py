"""The estimators of methods that partition the records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.privacy import Requirement
from hedgerow.schema import Schema

__all__ = ["Mondrian"]


class Mondrian(Anonymizer):
    """Multidimensional partitioning with set-based generalization.

    Parameters
    ----------
    k : int, optional
        Every group has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    cut : {"loss", "widest"}
        The cut that leaves the lowest NCP, or the paper's: the widest column at its median.
    relaxed : bool
        Whether records with the same value may be split between the two sides.
    publish : {"set", "interval", "label"}
        Sets; intervals for numbers and sets for categories; or labels of the hierarchies.
    order : {"auto", "alphabetical", "hierarchy"}
        In which order categories are cut; ``"auto"`` is the hierarchy's where the schema gives one.
    improve : bool
        Whether groups exchange records and split afterwards, while every requirement holds and the loss falls. Slower.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Decides which of several equal records goes where if ``relaxed``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 23, 25, 27, 27, 29], "sex": ["M", "M", "F", "F", "F", "M"]})
    >>> release = Mondrian(k=3).anonymize(people, Schema(quasi=["age", "sex"]))
    >>> sorted(set(release.table["sex"].to_pylist()))
    ['F', 'M']
    """

    name: ClassVar[str] = "mondrian"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        cut: Literal["loss", "widest"] = "loss",
        relaxed: bool = False,
        publish: Literal["set", "interval", "label"] = "set",
        order: Literal["auto", "alphabetical", "hierarchy"] = "auto",
        improve: bool = False,
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.cut = cut
        self.relaxed = relaxed
        self.publish = publish
        self.order = order
        self.improve = improve
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state
