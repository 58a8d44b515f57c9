"""The estimators of methods that publish along a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.privacy import Requirement
from hedgerow.schema import Schema

__all__ = ["KActus", "HybridKActus", "KADET"]


class KActus(Anonymizer):
    """Suppression along a classification tree: what predicts the class least is hidden first.

    Parameters
    ----------
    k : int, optional
        Every group has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    inducer : {"c45", "cart", "j48"} or object
        What grows the tree: C4.5, scikit-learn's trees, Weka's J48 (needs the extra ``weka``), a scikit-learn
        ``DecisionTreeClassifier``, or a function from :class:`hedgerow.trees.TrainingTable` to a tree.
    min_objects : "k" or int
        How many records branches of the tree should have.
    donors : {"random", "greedy"}
        Which records a complying leaf lends to its siblings: drawn, or chosen so that the class mix of both sides
        changes least.
    remainder : {"lose", "merge"}
        Records left at the root, fewer than ``k``, are not published; or they are joined by others and none is lost.
    publish : {"value", "set"}
        A category on which a group differs is hidden; or the set of its values is published where the tree asks it.
    numbers : {"mean", "median"}
        What stands for the numbers of a group. Trees that are to predict raw rows learn better from medians.
    reading : {"sensible", "literal"}
        How the paper's pseudo-code is read; see :mod:`hedgerow.anonymizers.suppression.kactus`.
    expand : bool
        Whether leaves that have many records are split further, to show more than the class needs.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Decides which records are lent.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"sex": ["F"] * 4 + ["M"] * 4, "town": ["A", "B"] * 4, "ill": ["no"] * 4 + ["yes"] * 4})
    >>> release = KActus(k=3).anonymize(people, Schema(quasi=["sex", "town"], target="ill"))
    >>> sorted(set(zip(*(release.table[name].to_pylist() for name in ("sex", "town")))))
    [('F', '*'), ('M', '*')]
    """

    name: ClassVar[str] = "kactus"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        inducer: Any = "c45",
        min_objects: int | Literal["k"] = "k",
        donors: Literal["random", "greedy"] = "random",
        remainder: Literal["lose", "merge"] = "lose",
        publish: Literal["value", "set"] = "value",
        numbers: Literal["mean", "median"] = "mean",
        reading: Literal["sensible", "literal"] = "sensible",
        expand: bool = False,
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.inducer = inducer
        self.min_objects = min_objects
        self.donors = donors
        self.remainder = remainder
        self.publish = publish
        self.numbers = numbers
        self.reading = reading
        self.expand = expand
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state


class HybridKActus(Anonymizer):
    """kACTUS with crossover and perturbation: small leaves are completed or averaged, and no record is lost.

    Parameters
    ----------
    k : int, optional
        Every group has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    inducer : {"c45", "cart", "j48"} or object
        What grows the tree; see :class:`KActus`.
    min_objects : "k" or int
        How many records branches of the tree should have.
    crossover : float
        A leaf that lacks a smaller share of ``k`` than this is completed by the sibling whose classes are purest.
    as_published : bool
        Whether to follow the paper to the letter. **Such a release is not k-anonymous**: it is audited and marked as
        weak, and the command writes it only with ``--allow-weak``.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Decides which records are lent.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"sex": ["F"] * 4 + ["M"] * 4, "town": ["A", "B"] * 4, "ill": ["no"] * 4 + ["yes"] * 4})
    >>> release = HybridKActus(k=3).anonymize(people, Schema(quasi=["sex", "town"], target="ill"))
    >>> release.audit.k, release.recoding.lost
    (4, 0)
    """

    name: ClassVar[str] = "hybrid-kactus"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        inducer: Any = "c45",
        min_objects: int | Literal["k"] = "k",
        crossover: float = 0.5,
        as_published: bool = False,
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.inducer = inducer
        self.min_objects = min_objects
        self.crossover = crossover
        self.as_published = as_published
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state


class KADET(Anonymizer):
    """A decision tree that stays anonymous while it grows; its leaves are published. Needs a target.

    Parameters
    ----------
    k : int, optional
        Every group has at least ``k`` records; may be given to ``anonymize`` instead.
    require : sequence of requirements
        Further requirements.
    criterion : {"gain_ratio", "gain"}
        What the best split of a node is.
    pruned : bool
        Whether to prune the tree as C4.5 does; groups only become larger.
    publish_proportions : bool
        Whether the release also says how the people of every class are divided among the values.
    min_support : int, optional
        Every proportion that is told is of at least so many people; the largest k that is required if not given.
    schema : Schema, optional
        For use in a pipeline; all columns are quasi-identifiers without it.
    random_state : int, optional
        Not used: the tree leaves nothing to chance.

    Examples
    --------
    >>> import pyarrow as pa
    >>> towns = ["Bonn", "Köln", "Köln", "Lyon", "Nice", "Nice"]
    >>> people = pa.table({"town": towns, "drink": ["beer"] * 3 + ["wine"] * 3})
    >>> countries = {"*": {"Germany": ["Bonn", "Köln"], "France": ["Lyon", "Nice"]}}
    >>> schema = Schema(quasi=["town"], target="drink", hierarchies={"town": countries})
    >>> sorted(set(KADET(k=3).anonymize(people, schema).table["town"].to_pylist()))
    ['France', 'Germany']
    """

    name: ClassVar[str] = "kadet"

    def __init__(
        self,
        *,
        k: int | None = None,
        require: Sequence[Requirement | str] = (),
        criterion: Literal["gain_ratio", "gain"] = "gain_ratio",
        pruned: bool = True,
        publish_proportions: bool = False,
        min_support: int | None = None,
        schema: Schema | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.require = require
        self.criterion = criterion
        self.pruned = pruned
        self.publish_proportions = publish_proportions
        self.min_support = min_support
        self.schema = schema
        self.random_state = random_state
