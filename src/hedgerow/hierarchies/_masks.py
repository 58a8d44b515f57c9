"""Masking: characters are replaced one after the other, from the right (ZIP codes) or from the left; prefixes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from hedgerow.errors import BadInput, is_int, plural
from hedgerow.hierarchies.encoded import EncodedHierarchy, encode_tree, tree_of_levels
from hedgerow.io.domains import Domain

__all__ = ["Masking", "Prefix", "masking", "prefix"]


@dataclass(frozen=True)
class Masking:
    """Values generalize by masking more and more of their characters; see :func:`masking`."""

    side: Literal["left", "right"] = "right"
    character: str = "*"
    levels: tuple[int, ...] | None = None
    length: int | None = None

    def encode(self, domain: Domain) -> EncodedHierarchy:
        """Mask the values of a column of text or of whole numbers."""
        values, mask = self._aligned(domain), self.character
        length = len(values[0])
        if self.levels is not None and self.levels[0] > length:
            raise BadInput(
                f"Each level of the masking of {domain.name!r} masks at least {self.levels[0]} characters, and its "
                f"longest value has {length}: every value would become *. Mask fewer, or use the hierarchy 'flat'."
            )
        counts = range(1, length) if self.levels is None else [n for n in self.levels if n < length]
        if self.side == "right":
            levels = [[value[:-n] + mask * n for value in values] for n in counts]
        else:
            levels = [[mask * n + value[n:] for value in values] for n in counts]
        built = tree_of_levels(domain.labels.tolist(), levels)
        by = "" if mask == "*" else f" by {mask!r}"
        description = f"masking of {', '.join(map(str, counts)) or 'all'} characters from the {self.side}{by}"
        return encode_tree(built.tree, built.nodes[0], domain, description)

    def _aligned(self, domain: Domain) -> list[str]:
        """Bring all values to one length: numbers by zeros in front, text by blanks on the masked side."""
        labels = domain.labels.tolist()
        longest = max(map(len, labels), default=0)
        if not longest:
            raise BadInput(f"The column {domain.name!r} has no characters to mask. Use the hierarchy 'flat'.")
        length = self.length or longest
        if longest > length:
            beyond = sum(len(label) > length for label in labels)
            raise BadInput(
                f"The column {domain.name!r} has {plural(beyond, 'values')} longer than the length {length} given "
                f"to masking. Give a length of at least {longest}."
            )
        pad: Callable[[str, int], str] = str.ljust if self.side == "right" else str.rjust
        if domain.kind == "number":
            pad = str.zfill
            wrong = sum(not label.isdecimal() for label in labels)
            if wrong:
                raise BadInput(
                    f"The column {domain.name!r} has {wrong} numbers with a sign or a fraction, which cannot "
                    "be masked. Use intervals."
                )
        return [pad(label, length) for label in labels]


def masking(
    side: Literal["left", "right"] = "right",
    *,
    character: str = "*",
    levels: int | Sequence[int] | None = None,
    length: int | None = None,
) -> Masking:
    """Build a hierarchy that masks characters: 13053, ``1305*``, ``130**``, ..., ``*``.

    All values are brought to one length first, so that a position means the same in each. Whole numbers get
    zeros in front (1305 is the ZIP code 01305 that lost its zero), text gets blanks on the masked side
    (``A01`` beside ``A01.5`` becomes ``A01 *`` and ``A01.*``, then ``A01**`` for both).

    Parameters
    ----------
    side : {"right", "left"}
        Where masking begins.
    character : str
        The character that replaces each masked one.
    levels : int or sequence of int, optional
        How many characters each level masks, increasing; one number means all from 1 to it. By default each
        level masks one more, and the value masked altogether is the root ``*``.
    length : int, optional
        The length all values are brought to; by default that of the longest.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"zip": ["13053", "13068", "14850", "14853"]})
    >>> schema = hr.Schema(quasi=["zip"], hierarchies={"zip": hr.hierarchies.masking(levels=[2, 3])})
    >>> sorted(hr.anonymize(people, schema, method="datafly", k=2).table["zip"].to_pylist())
    ['130**', '130**', '148**', '148**']
    """
    if side not in ("left", "right"):
        raise BadInput.parameter("side", "masking", "'left' or 'right'", side)
    if not isinstance(character, str) or len(character) != 1:
        raise BadInput.parameter("character", "masking", "one character", character)
    if length is not None and not is_int(length, 1):
        raise BadInput.parameter("length", "masking", "an int >= 1", length)
    return Masking(side, character, None if levels is None else _counts(levels), length)


@dataclass(frozen=True)
class Prefix:
    """Values generalize to what they begin with; see :func:`prefix`."""

    lengths: tuple[int, ...]

    def encode(self, domain: Domain) -> EncodedHierarchy:
        """Cut the values of a column."""
        labels = domain.labels.tolist()
        levels = [[f"{label[:length]}*" for label in labels] for length in reversed(self.lengths)]
        built = tree_of_levels(labels, levels)
        shown = ", ".join(map(str, reversed(self.lengths)))
        return encode_tree(built.tree, built.nodes[0], domain, f"the first {shown} characters")


def prefix(*lengths: int) -> Prefix:
    """Build a hierarchy of what values begin with: I21.4, ``I21*``, ``I*``, ``*``.

    Parameters
    ----------
    *lengths : int
        How many characters a level keeps, increasing: the last one is the finest level.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"icd": ["I10.9", "I21.0", "J45.0", "J45.9"]})
    >>> schema = hr.Schema(quasi=["icd"], hierarchies={"icd": hr.hierarchies.prefix(1, 3)})
    >>> sorted(hr.anonymize(people, schema, method="datafly", k=2).table["icd"].to_pylist())
    ['I*', 'I*', 'J*', 'J*']
    """
    if not lengths or not all(is_int(length, 1) for length in lengths) or any(b <= a for a, b in pairwise(lengths)):
        raise BadInput.parameter("lengths", "prefix", "increasing ints >= 1", list(lengths))
    return Prefix(tuple(int(length) for length in lengths))


def _counts(levels: object) -> tuple[int, ...]:
    """Read how many characters each level masks."""
    if is_int(levels, 1):
        return tuple(range(1, levels + 1))
    counts = tuple(levels) if isinstance(levels, Iterable) else ()
    if (
        not counts
        or not all(is_int(count, 1) for count in counts)
        or any(coarse <= fine for fine, coarse in pairwise(counts))
    ):
        raise BadInput.parameter("levels", "masking", "an int >= 1 or increasing ints >= 1", levels)
    return tuple(int(count) for count in counts)
