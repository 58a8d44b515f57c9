"""The estimators of methods that search the generalizations of whole columns, or cuts through their taxonomies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.privacy import Requirement
from hedgerow.schema import Schema

__all__ = ["AllMin", "Datafly", "HeuristicMin", "Incognito", "MinGen", "OptimalLattice"]


class OptimalLattice(Anonymizer):
    """The best full-domain generalization by a metric: every column at one level of its hierarchy, with proof.

    Parameters
    ----------
    k : int, optional
        Every group has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    metric : str
        One of :data:`hedgerow.metrics.METRICS`; ``"classification"`` needs a target.
    suppression_limit : float
        The share of the records that may be lost: those of classes that violate a requirement.
    time_limit : float, optional
        Seconds after which the best that was found so far is taken. Without it a lattice of more than two million
        combinations of levels is refused.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Not used: nothing is left to chance.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["11", "12", "21", "22"], "sex": ["f", "f", "m", "m"]})
    >>> schema = Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"})
    >>> release = OptimalLattice(k=2).anonymize(people, schema)
    >>> release.recoding.levels, release.recoding.facts["proved"]
    ({'zip': 1, 'sex': 0}, True)
    """

    name: ClassVar[str] = "optimal"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        metric: str = "loss",
        suppression_limit: float = 0.0,
        time_limit: float | None = None,
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.metric = metric
        self.suppression_limit = suppression_limit
        self.time_limit = time_limit
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state


class Incognito(Anonymizer):
    """All full-domain generalizations that meet the requirements without losing a record, and the best by a metric.

    Parameters
    ----------
    k : int, optional
        Every group has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    metric : str
        One of :data:`hedgerow.metrics.METRICS`; ``"classification"`` needs a target.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Not used: nothing is left to chance.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["11", "12", "21", "22"], "sex": ["f", "m", "f", "m"]})
    >>> schema = Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"})
    >>> Incognito(k=2).anonymize(people, schema).recoding.facts["minimal"]
    [{'zip': 1, 'sex': 1}, {'zip': 2, 'sex': 0}]
    """

    name: ClassVar[str] = "incognito"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        metric: str = "loss",
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.metric = metric
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state


class AllMin(Anonymizer):
    """The least generalization by whole columns: the lowest sum of levels, found by a search on it.

    Parameters
    ----------
    k : int, optional
        Every group has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    search : {"binary", "linear"}
        Halve the range of sums of levels; or go down from the middle one by one, as Arca and Hewett do.
    suppression_limit : float
        The share of the records that may be lost: those of classes that violate a requirement.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Not used: nothing is left to chance.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["11", "12", "21", "22"], "sex": ["f", "m", "f", "m"]})
    >>> schema = Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"})
    >>> recoding = AllMin(k=2).anonymize(people, schema).recoding
    >>> recoding.facts["heights"], recoding.levels
    ([1, 2], {'zip': 2, 'sex': 0})
    """

    name: ClassVar[str] = "allmin"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        search: Literal["binary", "linear"] = "binary",
        suppression_limit: float = 0.0,
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.search = search
        self.suppression_limit = suppression_limit
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state


class Datafly(Anonymizer):
    """Generalize the column with the most distinct values, again and again; the few that remain are lost.

    Parameters
    ----------
    k : int, optional
        Every group has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    suppression_limit : float
        The share of the records that may be lost: those of classes that violate a requirement.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Not used: nothing is left to chance.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["11", "12", "21", "22"], "sex": ["f", "f", "m", "m"]})
    >>> schema = Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"})
    >>> Datafly(k=2).anonymize(people, schema).recoding.levels
    {'zip': 1, 'sex': 0}
    """

    name: ClassVar[str] = "datafly"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        suppression_limit: float = 0.0,
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.suppression_limit = suppression_limit
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state


class HeuristicMin(Anonymizer):
    """Search the cuts through the hierarchies for one that keeps the most distinct rows.

    Parameters
    ----------
    k : int, optional
        Every group has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements, each judged on its shield.
    complete : bool
        Whether to search on until the result is proved to have the most rows over all cuts; the paper's steps do not
        reach every cut.
    time_limit : float, optional
        Seconds after which the search stops; the best so far is released, with a warning.
    max_states : int
        States after which it stops, in the same way.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        The search leaves nothing to chance.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["11", "12", "21", "21"]})
    >>> release = HeuristicMin(k=2).anonymize(people, Schema(quasi=["zip"], hierarchies={"zip": "masking"}))
    >>> sorted(release.table["zip"].to_pylist())
    ['1*', '1*', '21', '21']
    """

    name: ClassVar[str] = "heuristicmin"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        complete: bool = False,
        time_limit: float | None = None,
        max_states: int = 20_000,
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.complete = complete
        self.time_limit = time_limit
        self.max_states = max_states
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state


class MinGen(Anonymizer):
    """Generalize as few cells by as few steps as the requirements allow, each record by itself.

    For small tables: the optimum is proved by an integer program.

    Parameters
    ----------
    k : int, optional
        Every group has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements that are linear in numbers of records: k on shields, distinct l-diversity, p-sensitivity,
        (alpha,k)-anonymity.
    granularity : {"tuple", "record"}
        Whether records with equal values are published alike, or may part.
    time_limit : float, optional
        Seconds after which the solver stops; the best so far is released, with a warning. Larger tables need it.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Decides which of several records that look alike part.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["11", "11", "12", "12"], "sex": ["f", "f", "f", "m"]})
    >>> release = MinGen(k=2).anonymize(people, Schema(quasi=["zip", "sex"], hierarchies={"zip": "masking"}))
    >>> sorted(set(zip(*(release.table[name].to_pylist() for name in ("zip", "sex")))))
    [('11', 'f'), ('12', '*')]
    """

    name: ClassVar[str] = "mingen"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        granularity: Literal["tuple", "record"] = "tuple",
        time_limit: float | None = None,
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.granularity = granularity
        self.time_limit = time_limit
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state
