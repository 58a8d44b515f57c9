"""Requirements: what all of them declare, and their form as arrays, by which searches check classes.

A requirement is *bound* to a table's sensitive columns (labels become codes, the overall distribution is
fixed), and several bound requirements are *packed* into flat arrays that a numba kernel passes on to
:func:`hedgerow.requirements.formulas.all_hold`.

All checks here look at one class at a time, and a class is a group that shares the values of **all**
quasi-identifiers. The classes of a smaller shield are unions of such groups, so for a monotone requirement
groups that satisfy it by themselves satisfy it for every shield. A method meets the requirement if all its groups do,
whatever the shield is.
"""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import BadInput, check_int
from hedgerow.io.domains import Domain

if TYPE_CHECKING:
    from hedgerow.core.counts import Counted, FrequencyTable
    from hedgerow.requirements._notation import Typed

__all__ = [
    "AT_LEAST",
    "BoundRequirement",
    "Context",
    "GroundDistance",
    "Histograms",
    "PEOPLE",
    "PackedRequirements",
    "Requirement",
    "SensitiveColumn",
    "bind",
    "context_of",
    "pack",
    "sensitive_codes",
    "shield_of",
]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)


class Requirement(ABC):
    """A condition on every equivalence class of a release.

    Attributes
    ----------
    name : str
        The requirement's name in audits and manifests.
    monotone : bool
        Whether a union of classes that satisfy it satisfies it too. Then generalizing further never breaks
        it (searches may prune), and groups over all quasi-identifiers that satisfy it do so for every shield,
        because a shield's classes are unions of such groups.
    letter, form : str
        Its first letters on the command line, and examples of how to type it.
    words, options : tuple of str
        The words and the options with a value that it may have there, besides ``shield``.
    withheld : tuple of str
        Its parameters that name values of the table, which no manifest shows: few records may hold them.
    column : str or None
        The sensitive column it protects.
    shield : tuple of str or None
        The quasi-identifiers that form the classes; ``None`` means all of them.
    """

    name: ClassVar[str]
    monotone: ClassVar[bool]
    letter: ClassVar[str]
    form: ClassVar[str]
    words: ClassVar[tuple[str, ...]] = ()
    options: ClassVar[tuple[str, ...]] = ()
    withheld: ClassVar[tuple[str, ...]] = ()
    kinds: ClassVar[dict[str, type[Requirement]]] = {}
    """All kinds of requirements by their letters."""

    column: str | None
    shield: Sequence[str] | None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "letter" in vars(cls):
            Requirement.kinds[cls.letter] = cls

    @property
    @abstractmethod
    def minimal_size(self) -> int:
        """The records of the smallest class that could satisfy the requirement."""

    def of_at_most(self, size: int) -> Requirement:  # noqa: ARG002 - most ask for more than a size
        """A weaker requirement that classes of this size can satisfy; the same if it has no such form."""
        return self

    @property
    def compares(self) -> bool:
        """Whether it compares classes with the release as a whole: then losing records changes the standard."""
        return False

    @property
    def by_shares(self) -> bool:
        """Whether it depends on how many have each value, and not only on which values occur."""
        return False

    @property
    def values(self) -> str | None:
        """The column of the table whose values it speaks of."""
        return self.column

    def stricter(self, by: float) -> Requirement:  # noqa: ARG002 - only shares can be nearly met
        """A requirement that implies this one, stricter by a share of its number from 0 to 1."""
        return self

    @property
    def kept_by_more(self) -> bool:
        """Whether no further record in a class ever breaks it."""
        return False

    @property
    def linear(self) -> bool:
        """Whether an integer program can state it, as an inequality of numbers of records."""
        return False

    @property
    @abstractmethod
    def notation(self) -> str:
        """The requirement as typed on the command line; :func:`parse_requirement` reads it back."""

    @classmethod
    @abstractmethod
    def read(cls, typed: Typed) -> Self:
        """Make the requirement from what was typed."""

    @abstractmethod
    def reached(self, context: Context) -> str:
        """What one class of all records reaches, in words; they are at least as many as it needs."""

    @property
    def needs_tree(self) -> bool:
        """Whether it still needs the hierarchy of its column."""
        return False

    def with_order(self, order: Sequence[str]) -> Requirement:  # noqa: ARG002 - most need no order
        """The same with the order of its column, if it needs one and has none."""
        return self

    def with_tree(self, tree: Mapping[str, object]) -> Requirement:  # noqa: ARG002 - most need no tree
        """The same with the hierarchy of its column, if it needs one and has none."""
        return self

    @abstractmethod
    def bind(self, context: Context) -> BoundRequirement:
        """Turn labels into codes and fix the overall distribution, for the checks on arrays."""

    def _check_shield(self) -> None:
        """Make the shield a tuple of different column names, or refuse it."""
        if self.shield is None:
            return
        owner = type(self).__name__
        if isinstance(self.shield, str) or not isinstance(self.shield, Iterable):
            raise BadInput.parameter("shield", owner, "a list of column names", self.shield)
        names = tuple(self.shield)
        if not names or not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
            raise BadInput.parameter("shield", owner, "a list of different column names", list(names))
        object.__setattr__(self, "shield", names)

    def _check_column(self) -> None:
        if not isinstance(self.column, str) or not self.column:
            raise BadInput.parameter("column", type(self).__name__, "a column name", self.column)

    def _check_whole(self, parameter: str, least: int) -> None:
        """Accept whole numbers of any integer type, and keep them as ``int``."""
        value = getattr(self, parameter)
        object.__setattr__(self, parameter, check_int(parameter, type(self).__name__, value, least))

    def _check_number(self, parameter: str, must: str, low: float, high: float, *, open_low: bool = False) -> None:
        """Accept finite numbers from ``low`` (left out if ``open_low``) to ``high``; ints stay ``int``."""
        value: Any = getattr(self, parameter)
        is_number = type(value) is not bool and isinstance(value, numbers.Real)
        number = float(value) if is_number else math.nan
        if not (low < number if open_low else low <= number) or not number <= high or math.isinf(number):
            raise BadInput.parameter(parameter, type(self).__name__, must, value)
        object.__setattr__(self, parameter, int(value) if isinstance(value, numbers.Integral) else float(value))

    def _within(self) -> str:
        """Name the shield at the end of a description."""
        return "" if self.shield is None else f" within {', '.join(self.shield)}"

    def _written(self, *parts: str) -> str:
        """Write the command-line form of a requirement with a sensitive column."""
        shield = () if self.shield is None else (f"shield={','.join(self.shield)}",)
        return f"{':'.join((*parts, *shield))}@{self.column}"


# --------------------------------------------------------------------------------------------------
# Requirements bound to the codes of a table.


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """A sensitive column (or the target) as the counts see it: its domain and how often each code occurs.

    Of a part of a table, ``whole`` is how often each code occurs in the whole table.
    """

    domain: Domain
    histogram: IntArray
    whole: IntArray | None = None

    @property
    def shares(self) -> FloatArray:
        """The share of each code in the whole table."""
        records = self.histogram if self.whole is None else self.whole
        return np.asarray(records / max(1, int(records.sum())), dtype=np.float64)

    @property
    def ordered(self) -> IntArray:
        """How often each value occurs, the most frequent first; only of values that occur."""
        return np.sort(self.histogram[self.histogram > 0])[::-1]

    def code_of(self, label: str) -> int:
        """Return the code of a value written as text (numbers by value), or -1 if it does not occur."""
        domain = self.domain
        if domain.kind == "number" and domain.numbers is not None:
            try:
                at = np.flatnonzero(domain.numbers == float(label))
            except ValueError:
                return -1
        else:
            at = np.flatnonzero(domain.labels == label)
        return int(at[0]) if len(at) else -1


@dataclass(frozen=True, eq=False)
class Context:
    """What requirements are bound to: the sensitive columns, in the order of a method's histograms."""

    columns: tuple[SensitiveColumn, ...]
    rows: int

    @property
    def offsets(self) -> IntArray:
        """Where each column's histogram starts in one array of all of them; the last entry is its length."""
        return np.cumsum([0, *(column.domain.size for column in self.columns)], dtype=np.int64)

    def index_of(self, name: str) -> int:
        """Return the position of a column."""
        for index, column in enumerate(self.columns):
            if column.domain.name == name:
                return index
        raise BadInput(f"The column {name!r} is not counted. Name it as sensitive.")


class GroundDistance(NamedTuple):
    """A distance between values, as lengths of paths in a tree.

    Nodes are numbered so that every parent comes after its children; the root's parent is -1. ``place``
    gives the node of each code. The earth mover's distance of two distributions is the sum over nodes of
    ``weight`` (the length of the edge to the parent) times the mass that has to cross that edge.
    """

    place: IntArray
    parent: IntArray
    weight: FloatArray


class Histograms(NamedTuple):
    """Sparse histograms (CSR): ``codes`` and ``counts`` of class ``i`` at ``[indptr[i], indptr[i + 1])``."""

    indptr: IntArray
    codes: IntArray
    counts: IntArray


# What follows the name of a formula on records where people are counted: both the fewest and the most who may have each
# value, or only the fewest.
PEOPLE: Final = " of people"
AT_LEAST: Final = " of people, at least"

_NO_TREE = GroundDistance(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


@dataclass(frozen=True, eq=False)
class BoundRequirement:
    """A requirement with its labels turned into codes.

    Parameters
    ----------
    description : str
        The requirement in words.
    minimal_size : int
        Every class needs at least so many records.
    formula : str, optional
        The test of the class's histogram, by its name in :data:`hedgerow.requirements.formulas.FORMULAS`; ``None`` if
        only the size matters.
    parameters : array of two floats
        The formula's numbers; see :func:`hedgerow.requirements.formulas.holds`.
    column : int
        The position of the sensitive column in the context, -1 if the requirement has none.
    overall : array of float
        The share of each code in the whole table.
    distance : GroundDistance
        The distance between the values; only closeness has one.
    """

    description: str
    minimal_size: int
    formula: str | None = None
    parameters: FloatArray = field(default_factory=partial(np.zeros, 2))
    column: int = -1
    overall: FloatArray = field(default_factory=partial(np.zeros, 0))
    distance: GroundDistance = _NO_TREE

    @property
    def of_people(self) -> bool:
        """Whether the formula reads what rows show of the holders of values."""
        return self.formula is not None and PEOPLE in self.formula

    @property
    def number(self) -> int:
        """The position of the formula among all, -1 if there is none."""
        from hedgerow.requirements.formulas import FORMULAS

        return -1 if self.formula is None else FORMULAS.index(self.formula)

    @property
    def place(self) -> IntArray:
        """The node of each code, 0 where there is no distance."""
        place = np.zeros(len(self.overall), np.int64)
        place[: len(self.distance.place)] = self.distance.place
        return place

    def occurring(self, codes: BoolArray) -> BoolArray:
        """Which values of the column occur, where some codes do."""
        if not self.of_people:
            return codes
        # Each value has three codes, and the last code is of rows that stand for nobody.
        return np.asarray(codes[:-1].reshape(3, -1).any(axis=0), dtype=np.bool_)

    def satisfied(self, sizes: IntArray, histograms: IntArray | Histograms | None = None) -> BoolArray:
        """Check for each class whether it satisfies the requirement.

        Parameters
        ----------
        sizes : array of C ints
            The records of each class.
        histograms : array of C x V ints or Histograms, optional
            The sensitive column's histogram of each class, dense or sparse. Not needed where there is no formula.

        Notes
        -----
        O(C) without a formula, otherwise O(C V), times l for recursive diversity; memory O(C + V).
        """
        sizes = np.asarray(sizes, dtype=np.int64)
        large = sizes >= self.minimal_size
        if self.formula is None:
            return large
        if histograms is None:
            raise BadInput(f"{self.description} is checked on histograms. Pass those of its column.")
        from hedgerow.requirements import formulas

        formula = (self.number, self.parameters, self.overall, self.place, self.distance.parent, self.distance.weight)
        if isinstance(histograms, Histograms):
            return large & formulas.sparse_classes_hold(*formula, sizes, *histograms)
        dense = np.ascontiguousarray(histograms, dtype=np.int64)
        if dense.shape != (len(sizes), len(self.overall)):
            raise BadInput(f"The histograms must have the shape {(len(sizes), len(self.overall))}, not {dense.shape}.")
        return large & formulas.classes_hold(*formula, sizes, dense)


class PackedRequirements(NamedTuple):
    """Several bound requirements as flat arrays, to be passed through numba kernels as one argument.

    Requirement ``i`` reads the histogram ``[first[i], last[i])`` of the concatenated ones. Its ``overall``
    and ``place`` are at ``[values[i], values[i + 1])``, its tree at ``[nodes[i], nodes[i + 1])``.
    Requirements of size only are not listed: ``minimal_size`` stands for them, and for the sizes that the others
    need.
    """

    minimal_size: int
    kind: IntArray
    parameters: FloatArray
    first: IntArray
    last: IntArray
    values: IntArray
    overall: FloatArray
    place: IntArray
    nodes: IntArray
    parent: IntArray
    weight: FloatArray

    @property
    def formulas(self) -> PackedRequirements | None:
        """The same if there is any formula to check; kernels that are given ``None`` are compiled without them."""
        return self if len(self.kind) else None


def context_of(counts: Counted, requirements: Sequence[Requirement]) -> Context:
    """The sensitive columns of the requirements, each once."""
    names = dict.fromkeys([requirement.column for requirement in requirements if requirement.column is not None])
    columns = [SensitiveColumn(counts.domains[name], counts.histogram(name), counts.whole.get(name)) for name in names]
    return Context(tuple(columns), counts.rows)


def bind(counts: Counted, requirements: Sequence[Requirement]) -> tuple[Context, PackedRequirements]:
    """Requirements as packed arrays for kernels, and the sensitive columns they read."""
    context = context_of(counts, requirements)
    return context, pack([requirement.bind(context) for requirement in requirements], context)


def sensitive_codes(counts: FrequencyTable, context: Context) -> NDArray[np.int32]:
    """Where the sensitive values of each cell stand in one histogram of all sensitive columns, (cells, columns)."""
    codes = np.empty((len(counts.cell_sizes), len(context.columns)), dtype=np.int32)
    for at, (column, offset) in enumerate(zip(context.columns, context.offsets[:-1], strict=True)):
        codes[:, at] = counts.values_of(column.domain.name) + offset
    return codes


def shield_of(requirement: Requirement, quasi: Sequence[str]) -> tuple[int, ...]:
    """The positions of the quasi-identifiers in the shield of a requirement."""
    names = quasi if requirement.shield is None else requirement.shield
    return tuple(sorted(quasi.index(name) for name in names))


def pack(bound: Sequence[BoundRequirement], context: Context) -> PackedRequirements:
    """Flatten bound requirements for :func:`~hedgerow.requirements.formulas.all_hold`, cheap formulas first."""
    listed = sorted([each for each in bound if each.formula is not None], key=lambda each: each.number)
    columns = np.array([requirement.column for requirement in listed], dtype=np.int64)
    parameters = [requirement.parameters for requirement in listed]
    values, overall = _joined([requirement.overall for requirement in listed], np.float64)
    nodes, parent = _joined([requirement.distance.parent for requirement in listed], np.int64)
    return PackedRequirements(
        minimal_size=max((requirement.minimal_size for requirement in bound), default=1),
        kind=np.array([requirement.number for requirement in listed], dtype=np.int64),
        parameters=np.array(parameters, dtype=np.float64).reshape(len(listed), 2),
        first=context.offsets[columns],
        last=context.offsets[columns + 1],
        values=values,
        overall=overall,
        place=_joined([requirement.place for requirement in listed], np.int64)[1],
        nodes=nodes,
        parent=parent,
        weight=_joined([requirement.distance.weight for requirement in listed], np.float64)[1],
    )


def _joined(arrays: Sequence[NDArray[T]], dtype: type[T]) -> tuple[IntArray, NDArray[T]]:
    """Where each array starts in the concatenation of all, and the concatenation."""
    return np.cumsum([0, *map(len, arrays)], dtype=np.int64), np.concatenate([np.zeros(0, dtype), *arrays])
