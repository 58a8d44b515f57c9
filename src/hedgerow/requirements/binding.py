"""Requirements as arrays: what a search needs to check a class without knowing which requirement it is.

A requirement is *bound* to a table's sensitive columns (labels become codes, the overall distribution is
fixed), and several bound requirements are *packed* into flat arrays that a numba kernel passes on to
:func:`hedgerow.requirements.formulas.all_hold`.

All checks here look at one class at a time, and a class is a group that shares the values of **all**
quasi-identifiers. The classes of a smaller shield are unions of such groups, so for a monotone requirement
groups that hold by themselves hold for every shield: a method whose groups all pass meets the requirement,
whatever its shield.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import BadInput
from hedgerow.io.domains import Domain

if TYPE_CHECKING:
    from hedgerow.core.counts import Counted, FrequencyTable
    from hedgerow.requirements._base import Requirement

__all__ = [
    "BoundRequirement",
    "Context",
    "GroundDistance",
    "Histograms",
    "PackedRequirements",
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


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """A sensitive column (or the target) as the counts see it: its domain and how often each code occurs."""

    domain: Domain
    histogram: IntArray

    @property
    def shares(self) -> FloatArray:
        """The share of each code in the whole table."""
        return np.asarray(self.histogram / max(1, int(self.histogram.sum())), dtype=np.float64)

    @property
    def ordered(self) -> IntArray:
        """How often the values occur that do, the most frequent first."""
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
        What the class's histogram has to pass, by its name in :data:`hedgerow.requirements.formulas.FORMULAS`; nothing
        if only the size matters.
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
    parameters: FloatArray = field(default_factory=lambda: np.zeros(2))
    column: int = -1
    overall: FloatArray = field(default_factory=lambda: np.zeros(0))
    distance: GroundDistance = _NO_TREE

    def satisfied(self, sizes: IntArray, histograms: IntArray | Histograms | None = None) -> BoolArray:
        """Tell for each class whether it satisfies the requirement.

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

        number = formulas.FORMULAS.index(self.formula)
        formula = (number, self.parameters, self.overall, *self.distance)
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
    Requirements of size only are not listed: ``minimal_size`` stands for them, and for what the others ask
    of the size.
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
    """The sensitive columns that the requirements speak of, each once."""
    names = dict.fromkeys(one.column for one in requirements if one.column is not None)
    columns = tuple(SensitiveColumn(counts.domains[name], counts.histogram(name)) for name in names)
    return Context(columns, counts.rows)


def bind(counts: Counted, requirements: Sequence[Requirement]) -> tuple[Context, PackedRequirements]:
    """Requirements as packed arrays for kernels, and the sensitive columns they read."""
    context = context_of(counts, requirements)
    return context, pack([one.bind(context) for one in requirements], context)


def sensitive_codes(counts: FrequencyTable, context: Context) -> NDArray[np.int32]:
    """Where the sensitive values of each cell stand in one histogram of all sensitive columns, (cells, columns)."""
    codes = np.empty((len(counts.cell_sizes), len(context.columns)), dtype=np.int32)
    for at, (column, offset) in enumerate(zip(context.columns, context.offsets[:-1], strict=True)):
        codes[:, at] = counts.values_of(column.domain.name) + offset
    return codes


def shield_of(requirement: Requirement, quasi: Sequence[str]) -> tuple[int, ...]:
    """The positions of the quasi-identifiers that a requirement speaks of."""
    names = quasi if requirement.shield is None else requirement.shield
    return tuple(sorted(quasi.index(name) for name in names))


def pack(bound: Sequence[BoundRequirement], context: Context) -> PackedRequirements:
    """Flatten bound requirements for :func:`~hedgerow.requirements.formulas.all_hold`, cheap formulas first."""
    from hedgerow.requirements.formulas import FORMULAS

    numbered = [(FORMULAS.index(one.formula), one) for one in bound if one.formula is not None]
    listed = [one for _, one in sorted(numbered, key=lambda pair: pair[0])]
    offsets = context.offsets
    columns = np.array([one.column for one in listed], dtype=np.int64)
    places = [one.distance.place if len(one.distance.place) else np.zeros(len(one.overall), np.int64) for one in listed]
    return PackedRequirements(
        minimal_size=max((one.minimal_size for one in bound), default=1),
        kind=np.array(sorted(number for number, _ in numbered), dtype=np.int64),
        parameters=np.array([one.parameters for one in listed], dtype=np.float64).reshape(len(listed), 2),
        first=offsets[columns],
        last=offsets[columns + 1],
        values=_starts([one.overall for one in listed]),
        overall=_joined([one.overall for one in listed], np.float64),
        place=_joined(places, np.int64),
        nodes=_starts([one.distance.parent for one in listed]),
        parent=_joined([one.distance.parent for one in listed], np.int64),
        weight=_joined([one.distance.weight for one in listed], np.float64),
    )


def _starts(arrays: Sequence[NDArray[np.generic]]) -> IntArray:
    return np.cumsum([0, *map(len, arrays)], dtype=np.int64)


def _joined(arrays: Sequence[NDArray[T]], dtype: type[T]) -> NDArray[T]:
    return np.concatenate([np.zeros(0, dtype), *arrays])
