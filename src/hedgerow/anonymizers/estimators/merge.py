"""The estimators of methods that merge or cluster records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.privacy import Requirement
from hedgerow.schema import Schema

__all__ = ["Greedy", "KACA", "KMember", "OKA"]


class Greedy(Anonymizer):
    """Merge the smallest class with the one that costs least, until all classes comply.

    Parameters
    ----------
    k : int, optional
        Every group has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    metric : {"nllm", "ncp", "distortion", "discernibility", "prec"}
        What a merge is to cost least of.
    ranges : bool
        Whether numbers are described by ranges and categories by sets, instead of by nodes of their hierarchies; then
        the metric must be ``"nllm"`` or ``"ncp"``, which are the same for them.
    improve : bool
        Whether groups exchange records and split afterwards, while every requirement holds and the loss falls. Slower.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Not used: of equal choices the first is taken.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 21, 22, 60, 61, 62]})
    >>> release = Greedy(k=3, ranges=True).anonymize(people, Schema(quasi=["age"]))
    >>> release.audit.k, release.audit.rows
    (3, 6)
    """

    name: ClassVar[str] = "greedy"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        metric: Literal["nllm", "ncp", "distortion", "discernibility", "prec"] = "nllm",
        ranges: bool = False,
        improve: bool = False,
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.metric = metric
        self.ranges = ranges
        self.improve = improve
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state


class KACA(Anonymizer):
    """Merge classes that are too small, one at random after the other, with the nearest class.

    Parameters
    ----------
    k : int, optional
        Every group has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    improve : bool
        Whether groups exchange records and split afterwards, while every requirement holds and the loss falls. Slower.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Decides the order of the classes.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 21, 22, 60, 61, 62]})
    >>> release = KACA(k=3, random_state=0).anonymize(people, Schema(quasi=["age"]))
    >>> release.audit.k >= 3, release.audit.rows
    (True, 6)
    """

    name: ClassVar[str] = "kaca"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        improve: bool = False,
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.improve = improve
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state


class KMember(Anonymizer):
    """Grow clusters one after the other, each by the record that makes it lose least.

    Parameters
    ----------
    k : int, optional
        Every group has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    improve : bool
        Whether groups exchange records and split afterwards, while every requirement holds and the loss falls. Slower.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Decides where the first cluster starts.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 21, 22, 60, 61, 62]})
    >>> release = KMember(k=3, random_state=0).anonymize(people, Schema(quasi=["age"]))
    >>> release.audit.k, release.audit.rows
    (3, 6)
    """

    name: ClassVar[str] = "k-member"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        improve: bool = False,
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.improve = improve
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state


class OKA(Anonymizer):
    """Send all records to the nearest of n/k clusters in one pass, then even the clusters out.

    Parameters
    ----------
    k : int, optional
        Every group has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    improve : bool
        Whether groups exchange records and split afterwards, while every requirement holds and the loss falls. Slower.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Decides with which records clusters start.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 21, 22, 60, 61, 62]})
    >>> release = OKA(k=3, random_state=0).anonymize(people, Schema(quasi=["age"]))
    >>> release.audit.k, release.audit.rows
    (3, 6)
    """

    name: ClassVar[str] = "oka"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        improve: bool = False,
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.improve = improve
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state
