"""Why a release shows no more: the requirement that forbids the next finer choice, class by class and for one record.

The next finer choice divides a class at one quasi-identifier: at the children of the lowest node of the hierarchy that
lies above all its values. If some part violates a requirement, that one forces the cell. If no part does, the method
chose so. Where the recoding is full-domain, the next finer choice is one level less for the whole column.

All this is computed from original counts. It is a secret, as the recoding is: it describes parts smaller than a class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.core.counts import BadValues, FrequencyTable, encode_column
from hedgerow.core.recoding import Pieces, Recoding
from hedgerow.errors import BadInput, plural, required, translated
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.io.atomic import write_json
from hedgerow.io.domains import Domain
from hedgerow.requirements import BoundRequirement, Histograms, Requirement, context_of, of_people

__all__ = [
    "CellReason",
    "ClassReasons",
    "CountedReason",
    "Explanation",
    "Reasons",
    "counted_reasons",
    "explain",
    "reasons_of",
]

_FORMAT: Final = "hedgerow explanation 1"
_PRIVATE: Final = "PRIVATE: this file describes parts of classes that are too small to be published. Do not publish it."
_EXACT, _ALIKE, _CHOSEN = -3, -2, -1
"""The codes of reasons that are no requirement: shown as it is, one value in the class, the choice of the method."""


@dataclass(frozen=True)
class CellReason:
    """Why a class shows a quasi-identifier as it does.

    Attributes
    ----------
    column : str
    published : str or None
        What the class shows; ``None`` is a missing value.
    because : {"exact", "alike", "requirement", "method"}
        It is shown as it is; everybody in the class has the same value; a requirement forbids to show more; or the
        method chose so.
    requirement : str, optional
        The requirement that the next finer choice violates.
    finer : str, optional
        What the next finer choice would show of one record.
    records : int, optional
        How many records of the class would share it.
    text : str
        The same as a sentence.
    """

    column: str
    published: str | None
    because: str
    requirement: str | None
    finer: str | None
    records: int | None
    text: str


class CountedReason(NamedTuple):
    """A reason why cells of a quasi-identifier show no more, and the records with such cells.

    Attributes
    ----------
    column, because : str
    requirement : str or None
        As in :class:`CellReason`.
    records : int
    """

    column: str
    because: str
    requirement: str | None
    records: int


@dataclass(frozen=True)
class ClassReasons:
    """A class, how many records of the explained row it holds, and the reasons of its cells."""

    records: int
    of_row: int
    cells: tuple[CellReason, ...]


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a record is published as it is, or not at all. It is private: it reveals original values.

    Attributes
    ----------
    records : int
        How many records have these quasi-identifiers.
    classes : tuple of ClassReasons
        The classes that they are in.
    left_out : int
        How many of them are not published.
    requirement : str, optional
        The requirement that those would violate, if they had a class of their own.
    """

    records: int
    classes: tuple[ClassReasons, ...]
    left_out: int = 0
    requirement: str | None = None

    def __repr__(self) -> str:
        shown = plural(len(self.classes), "classes")
        return f"Explanation(private: {plural(self.records, 'records')} in {shown}, {self.left_out} left out)"

    def __str__(self) -> str:
        return self.render()

    def render(self) -> str:
        """Return the explanation as text, one line for each cell."""
        lines = []
        if self.left_out:
            because = "" if self.requirement is None else f": alone they violate {self.requirement}"
            lines.append(f"{self.left_out:,} of {plural(self.records, 'records')} left out{because}")
        for found in self.classes:
            lines.append(f"{found.of_row:,} of {plural(self.records, 'records')} in a class of {found.records:,}")
            lines += [f"  {cell.column}: {_shown(cell.published)}. {cell.text}" for cell in found.cells]
        return "\n".join(lines) + "\n"


def _shown(text: str | None) -> str:
    return "missing" if text is None else text


@dataclass(frozen=True, eq=False)
class _Split:
    """The classes of a release, divided at one quasi-identifier.

    Attributes
    ----------
    part : int array (published pieces,)
        The part of each piece.
    sizes : int array (parts,)
    of_class : int array (parts,)
    node : int array (parts,)
        What each part would show: a node of the hierarchy.
    single : bool array (classes,)
        Whether everybody in a class has the same value.
    """

    part: Longs
    sizes: Longs
    of_class: Longs
    node: Longs
    single: Bools


@dataclass(frozen=True, eq=False)
class Reasons:
    """The reasons of all cells of a release.

    Attributes
    ----------
    counts : FrequencyTable
        The original table.
    recoding : Recoding
    requirements : tuple of Requirement
        What the method had to meet.
    """

    counts: FrequencyTable
    recoding: Recoding
    requirements: tuple[Requirement, ...]
    _splits: dict[tuple[int, tuple[int, ...]], _Split] = field(default_factory=dict)

    @property
    def pieces(self) -> Pieces:
        """Which records go to which group."""
        return required(self.recoding.pieces, "how the cells of a table go to groups")

    @cached_property
    def published(self) -> Longs:
        """The pieces that are published."""
        return np.flatnonzero(self.pieces.group >= 0)

    @cached_property
    def class_of_group(self) -> Longs:
        """The class of each group: groups that publish the same are one class."""
        return self._alike(tuple(range(len(self.recoding.quasi))))

    @cached_property
    def sizes(self) -> Longs:
        """The records of each class."""
        group, size = self.pieces.group[self.published], self.pieces.size[self.published]
        return np.bincount(self.class_of_group[group], size).astype(np.int64)

    @cached_property
    def first_group(self) -> Longs:
        """One group of each class."""
        return np.unique(self.class_of_group, return_index=True)[1]

    @cached_property
    def bound(self) -> tuple[BoundRequirement, ...]:
        """The requirements, bound to the original table."""
        context = context_of(self.counts, self.requirements)
        return tuple(requirement.bind(context) for requirement in self.requirements)

    @cached_property
    def codes(self) -> Longs:
        """The reason of each cell, (classes, quasi-identifiers): a requirement by its place, or a negative code."""
        codes = np.full((len(self.sizes), len(self.recoding.quasi)), _CHOSEN, dtype=np.int64)
        shown = self.recoding.groups[self.first_group]
        for at, column in enumerate(self.recoding.columns):
            if self.recoding.levels is not None:
                codes[:, at] = self._at_finer_level(at)
            else:
                for place in reversed(range(len(self.requirements))):
                    codes[self._violated(at, place), at] = place
            split = self.split(at)
            codes[split.single, at] = np.where(codes[split.single, at] == _CHOSEN, _ALIKE, codes[split.single, at])
            codes[np.array(column.kinds)[shown[:, at]] == "value", at] = _EXACT
        return codes

    def split(self, at: int, shield: tuple[int, ...] | None = None) -> _Split:
        """Divide the classes over some quasi-identifiers, all of them if not given, at one quasi-identifier."""
        over = tuple(range(len(self.recoding.quasi))) if shield is None else shield
        if (at, over) not in self._splits:
            self._splits[at, over] = self._divided(at, self._alike(over))
        return self._splits[at, over]

    def _alike(self, over: tuple[int, ...]) -> Longs:
        """A number for each group: the same for groups that publish the same in some columns."""
        return np.unique(self.recoding.groups[:, over], axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def _divided(self, at: int, class_of_group: Longs) -> _Split:
        tree = self.counts.hierarchies[self.recoding.quasi[at]]
        of_class = class_of_group[self.pieces.group[self.published]]
        code = self.counts.tuples[self.counts.cell_tuple[self.pieces.cell[self.published]], at]
        position = tree.position[code]
        first, last = np.full(of_class.max() + 1, len(tree.leaves)), np.zeros(of_class.max() + 1, dtype=np.int64)
        np.minimum.at(first, of_class, position)
        np.maximum.at(last, of_class, position)
        above = tree.lca_of_range(first, last)
        node = _towards(tree)[tree.depth[above][of_class] + (first != last)[of_class], code]
        keys, part = np.unique(of_class * len(tree.parent) + node, return_inverse=True)
        sizes = np.bincount(part, self.pieces.size[self.published]).astype(np.int64)
        owner, shown = np.divmod(keys, len(tree.parent))
        return _Split(part.reshape(-1), sizes, owner, shown, first == last)

    def _violated(self, at: int, place: int) -> Bools:
        """The classes in which dividing a quasi-identifier violates a requirement."""
        nothing = np.zeros(len(self.sizes), dtype=bool)
        over = self._shield(place)
        if over is not None and at not in over:
            return nothing
        split = self.split(at, over)
        fails = ~self._satisfied(place, split.part, split.sizes, self.published)
        failing = np.bincount(split.of_class, fails) > 0
        failing &= ~split.single
        if over is None:
            return np.asarray(failing)
        return np.asarray(failing[self._alike(over)[self.first_group]])

    def _shield(self, place: int) -> tuple[int, ...] | None:
        shield = self.requirements[place].shield
        return None if shield is None else tuple(self.recoding.quasi.index(name) for name in shield)

    def _satisfied(self, place: int, part: Longs, sizes: Longs, pieces: Longs) -> Bools:
        """Which parts satisfy a requirement; ``part`` has the part of each of some pieces."""
        requirement, bound = self.requirements[place], self.bound[place]
        if bound.formula is None:
            return np.asarray(bound.satisfied(sizes))
        values = self.counts.values_of(required(requirement.column, "the column of a requirement"))
        value = values[self.pieces.cell[pieces]].astype(np.int64)
        width = int(values.max()) + 1
        keys, at = np.unique(part * width + value, return_inverse=True)
        held = np.bincount(at.reshape(-1), self.pieces.size[pieces]).astype(np.int64)
        owner, codes = np.divmod(keys, width)
        starts = np.searchsorted(owner, np.arange(len(sizes) + 1))
        return np.asarray(bound.satisfied(sizes, Histograms(starts, codes, held)))

    def _at_finer_level(self, at: int) -> int:
        """The requirement that a full-domain recoding violates with one level less in a column, if one does."""
        return _EXACT if not self.levels[self.recoding.quasi[at]] else self.at_finer_level[at][0]

    @cached_property
    def at_finer_level(self) -> list[tuple[int, int]]:
        """For each column of a full-domain recoding, the requirement that one level less violates, for how many."""
        return [self._violated_at({**self.levels, name: max(0, self.levels[name] - 1)}) for name in self.recoding.quasi]

    @property
    def levels(self) -> Mapping[str, int]:
        """The levels of a full-domain recoding."""
        return required(self.recoding.levels, "the levels of a full-domain recoding")

    def _violated_at(self, levels: Mapping[str, int]) -> tuple[int, int]:
        """The first requirement that levels violate, and the published records in classes that violate it."""
        for place in range(len(self.requirements)):
            over = self._shield(place)
            names = self.recoding.quasi if over is None else [self.recoding.quasi[at] for at in over]
            part, sizes = self._classes_at({name: levels[name] for name in names})
            violating = int(sizes[~self._satisfied(place, part, sizes, self.published)].sum())
            if violating:
                return place, violating
        return _CHOSEN, 0

    def _classes_at(self, levels: Mapping[str, int]) -> tuple[Longs, Longs]:
        """The class of each published piece if the columns had these levels, and the records of each class."""
        cells = self.counts.cell_tuple[self.pieces.cell[self.published]]
        nodes = [
            self.counts.hierarchies[name].at_level[level][self.counts.tuples[cells, self.recoding.quasi.index(name)]]
            for name, level in levels.items()
        ]
        part = np.unique(np.stack(nodes, axis=1), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
        return part, np.bincount(part, self.pieces.size[self.published]).astype(np.int64)

    @cached_property
    def counted(self) -> tuple[CountedReason, ...]:
        """How many records each reason concerns, column by column."""
        return tuple(
            CountedReason(name, *self._reason(code), int(self.sizes[self.codes[:, at] == code].sum()))
            for at, name in enumerate(self.recoding.quasi)
            for code in np.unique(self.codes[:, at]).tolist()
        )

    def _reason(self, code: int) -> tuple[str, str | None]:
        """The reason of a code, and its requirement."""
        if code >= 0:
            return "requirement", str(self.requirements[code])
        return {_EXACT: "exact", _ALIKE: "alike", _CHOSEN: "method"}[code], None

    # ----------------------------------------------------------------------------------------------
    # In words.

    def cell(self, number: int, at: int, code: int | None = None) -> CellReason:
        """The reason of a cell of a class; with the code of a record, also what the next finer choice shows of it."""
        name = self.recoding.quasi[at]
        published = self.recoding.columns[at].texts[int(self.recoding.groups[self.first_group[number], at])]
        because, requirement = self._reason(int(self.codes[number, at]))
        divided = because in ("requirement", "method") and self.recoding.levels is None
        finer = self._finer(number, at, code) if divided and code is not None else None
        text = self._sentence(because, at, requirement, finer)
        shown, records = (None, None) if finer is None else finer
        return CellReason(name, published, because, requirement, shown, records, text)

    def _finer(self, number: int, at: int, code: int) -> tuple[str | None, int]:
        split, tree = self.split(at), self.counts.hierarchies[self.recoding.quasi[at]]
        parts = np.flatnonzero(split.of_class == number)
        position = tree.position[code]
        inside = (tree.first_leaf[split.node[parts]] <= position) & (position < tree.last_leaf[split.node[parts]])
        part = int(parts[np.flatnonzero(inside)[0]])
        return tree.labels[int(split.node[part])], int(split.sizes[part])

    def _sentence(self, because: str, at: int, requirement: str | None, finer: tuple[str | None, int] | None) -> str:
        if because == "exact":
            return "It is shown as it is."
        if because == "alike":
            return "Everybody in the class has the same value."
        if self.recoding.levels is not None:
            level = "With one level less in the whole column"
            if requirement is None:
                return f"{level}, all requirements would hold: {self.recoding.method} chose otherwise."
            return f"{level}, {plural(self.at_finer_level[at][1], 'records')} would violate {requirement}."
        shown = "" if finer is None else f" This record would be one of {finer[1]:,} that show {_shown(finer[0])}."
        if requirement is None:
            return (
                f"Divided here, the class would meet all requirements: {self.recoding.method} chose otherwise.{shown}"
            )
        return f"Divided here, the class would violate {requirement}.{shown}"

    def to_dict(self) -> dict[str, Any]:
        """The reasons of all classes as JSON."""
        left_out = self.pieces.group < 0
        return {
            "format": _FORMAT,
            "private": True,
            "notice": _PRIVATE,
            "method": self.recoding.method,
            "requirements": list(map(str, self.requirements)),
            "left_out": int(self.pieces.size[left_out].sum()),
            "classes": [
                {
                    "records": int(records),
                    "cells": [_stored(self.cell(number, at)) for at in range(self.codes.shape[1])],
                }
                for number, records in enumerate(self.sizes.tolist())
            ],
        }

    def save(self, path: str | Path) -> Path:
        """Write the reasons as JSON: private, and readable by its owner only (mode 0600)."""
        return write_json(Path(path), self.to_dict(), mode=0o600)

    def explained(self, codes: Sequence[int]) -> Explanation:
        """The explanation of the records with some codes of the quasi-identifiers."""
        same = np.flatnonzero((self.counts.tuples == np.array(codes)).all(axis=1))
        if not len(same):
            raise BadInput(
                "No record of the table has these quasi-identifiers. Give them as they stand in the original."
            )
        mine = np.flatnonzero(self.counts.cell_tuple[self.pieces.cell] == same[0])
        group, size = self.pieces.group[mine], self.pieces.size[mine]
        left_out = mine[group < 0]
        held = np.bincount(self.class_of_group[group[group >= 0]], size[group >= 0], len(self.sizes)).astype(np.int64)
        classes = tuple(
            ClassReasons(
                int(self.sizes[number]),
                int(held[number]),
                tuple(self.cell(number, at, code) for at, code in enumerate(codes)),
            )
            for number in np.flatnonzero(held).tolist()
        )
        return Explanation(int(size.sum()), classes, int(self.pieces.size[left_out].sum()), self._alone(left_out))

    def _alone(self, left_out: Longs) -> str | None:
        """The requirement that records which are left out violate as a class of their own."""
        if not len(left_out):
            return None
        part, sizes = np.zeros(len(left_out), dtype=np.int64), self.pieces.size[left_out].sum(keepdims=True)
        violated = (place for place in range(len(self.bound)) if not self._satisfied(place, part, sizes, left_out)[0])
        return next((str(self.requirements[place]) for place in violated), None)


def counted_reasons(stored: Mapping[str, Any]) -> tuple[CountedReason, ...]:
    """Count the reasons in what :meth:`Reasons.save` wrote."""
    counts: Counter[tuple[str, str, str | None]] = Counter()
    for found in stored["classes"]:
        for cell in found["cells"]:
            counts[str(cell["column"]), str(cell["because"]), cell.get("requirement")] += int(found["records"])
    return tuple(CountedReason(*reason, records) for reason, records in counts.items())


def _stored(cell: CellReason) -> dict[str, Any]:
    stored = {"column": cell.column, "published": cell.published, "because": cell.because, "text": cell.text}
    return stored if cell.requirement is None else {**stored, "requirement": cell.requirement}


def _towards(tree: EncodedHierarchy) -> Ints:
    """The node of each code at each depth, (height + 1, codes); below its leaf, the leaf."""
    nodes = np.empty((tree.height + 1, len(tree.leaf_of)), dtype=np.int32)
    nodes[-1] = tree.leaf_of
    for depth in range(tree.height - 1, -1, -1):
        below = nodes[depth + 1]
        nodes[depth] = np.where(tree.depth[below] > depth, tree.parent[below], below)
    return nodes


def reasons_of(
    recoding: Recoding | None, counts: FrequencyTable | None, requirements: Sequence[Requirement], *, enforced: bool
) -> Reasons:
    """The reasons of a release, or an error that says why there are none."""
    if recoding is None:
        raise BadInput("The release was loaded. Only a fresh release knows its original values and can explain itself.")
    if counts is None or recoding.pieces is None:
        raise BadInput("The table did not fit into memory, so its release cannot be explained.")
    if not enforced:
        raise BadInput("The release does not keep its requirements, so they do not explain it.")
    asked = tuple(requirements) if counts.roles.entity is None else of_people(requirements, counts.domains)
    return Reasons(counts, recoding, asked)


def explain(reasons: Reasons, row: Mapping[str, Any]) -> Explanation:
    """Explain the records with the quasi-identifiers of a row; its other columns are ignored."""
    if not isinstance(row, Mapping):
        raise BadInput.parameter("row", "Release.explain", "a mapping of column to original value", type(row).__name__)
    missing = reasons.recoding.missing
    codes = []
    for name in reasons.recoding.quasi:
        if name not in row:
            raise BadInput.unknown("column", name, list(map(str, row)), "The row must have all quasi-identifiers.")
        codes.append(_code(row[name], reasons.counts.domains[name], missing))
    return reasons.explained(codes)


def _code(value: Any, domain: Domain, missing: Sequence[str]) -> int:
    """The code of an original value."""
    unknown = BadInput(
        f"No record of the table has this value of {domain.name!r}. Give it as it stands in the original table."
    )
    text = value if isinstance(value, str) or value is None else None
    cell = str(value) if domain.kind == "text" and not isinstance(value, bool) and value is not None else value
    kind: Any = domain.kind if isinstance(cell, str) else "typed"
    if value is None or text in missing:
        if not domain.has_missing:
            raise unknown
        return domain.missing_code
    with translated(BadValues, BadInput, pa.ArrowException, TypeError, ValueError, into=unknown):
        label = encode_column(domain.name, pa.array([cell]), missing=missing, kind=kind).domain.labels
    found: list[int] = np.flatnonzero(np.isin(domain.labels, label)).tolist()
    if not found:
        raise unknown
    return found[0]
