"""An attribute whose cells may be generalized, and the values among its own that a cell may stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hedgerow.arrays import Floats, Ints
from hedgerow.domains import Kind
from hedgerow.errors import BadInput, InternalError
from hedgerow.published import Interval, Leaves, Possible, Suppressed, canonical, days_of, number_in
from hedgerow.trees.attributes import Attribute
from hedgerow.trees.contents import content_of, meets

__all__ = ["CellReader", "SetAttribute", "Shares"]

Shares = tuple[Ints, Floats]
"""Codes and their shares."""


@dataclass(frozen=True, eq=False)
class SetAttribute(Attribute):
    """A column whose cells may be generalized.

    Attributes
    ----------
    own : bool
        Whether each published cell, a set as well, is a value of its own.
    has_missing : bool
        Whether missing is a value like any other, the last one.
    leaves : mapping of label to values
        How the labels of its hierarchy are read.
    """

    own: bool = False
    has_missing: bool = False
    leaves: Leaves = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        """What its values are."""
        if self.numbers is None:
            return "text"
        return "date" if self.labels and days_of(self.labels[0]) is not None else "number"


class CellReader:
    """Finds the codes of a cell among the values of an attribute."""

    def __init__(self, attribute: SetAttribute, *, training: bool) -> None:
        self.attribute = attribute
        plain = attribute.labels[: len(attribute.labels) - attribute.has_missing]
        self.size = len(plain)
        self.codes = {label: code for code, label in enumerate(plain)}
        # Only a value that was not there in training needs a second choice.
        around = attribute.own and not training
        self.insides = [content_of(label, attribute.leaves) for label in plain] if around else []

    def read(self, label: str, number: float | None, content: Possible) -> Shares:
        """The codes of a cell, and their shares."""
        if self.attribute.own:
            return self._own(label, number, content)
        if isinstance(content, Suppressed):
            return self._equal(range(self.size), self.size)
        if self.attribute.numbers is not None:
            return self._numbers(self.attribute.numbers, number, content)
        if isinstance(content, Interval):
            content = frozenset((label,))
        known = [self.codes[value] for value in content if value in self.codes]
        if None in content and self.attribute.has_missing:
            known.append(self.size)
        return self._equal(known, len(content))

    def _equal(self, codes: Sequence[int], members: int) -> Shares:
        distinct, times = np.unique(np.asarray(codes, dtype=np.int32), return_counts=True)
        return distinct, times / max(members, 1)

    def _numbers(self, numbers: Floats, number: float | None, content: Possible) -> Shares:
        if number is not None:
            return self._equal([int(np.searchsorted(numbers, number))], 1)
        if isinstance(content, Interval):
            first = int(np.searchsorted(numbers, content.low))
            end = int(np.searchsorted(numbers, content.high, side="right" if content.closed else "left"))
            # Without a known number inside it lies between two, and thresholds send it as its middle.
            middle = int(np.searchsorted(numbers, content.low / 2 + content.high / 2))
            return self._equal(range(first, end) if end > first else [middle], max(end - first, 1))
        if not isinstance(content, frozenset):
            raise InternalError("a suppressed cell was read as numbers")
        found = [number_in(member, self.attribute.kind) for member in content if member is not None]
        if any(one is None for one in found):
            raise BadInput(
                f"The column {self.attribute.name!r} held numbers when the tree was trained and holds text now. "
                "Make it numbers."
            )
        return self._equal([int(np.searchsorted(numbers, one)) for one in found if one is not None], len(content))

    def _own(self, label: str, number: float | None, content: Possible) -> Shares:
        """The value itself, and those that contain it as second choices."""
        mine = self.codes.get(canonical(label))
        around = [code for code, inside in enumerate(self.insides) if code != mine and meets(inside, content, number)]
        codes = np.array(sorted([*around, *([] if mine is None else [mine])]), dtype=np.int32)
        return codes, (codes == (-1 if mine is None else mine)).astype(np.float64)
