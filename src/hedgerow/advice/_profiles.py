"""Profiles: what the counts say of one column, before anybody judges its role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Ints, Longs
from hedgerow.core.counts import BadValues, encode_column, is_text
from hedgerow.engines import Look, Tally, coded
from hedgerow.errors import BadInput
from hedgerow.io.domains import Domain

__all__ = ["Profile", "holds_text", "profiles_of", "some_rows"]


# --------------------------------------------------------------------------------------------------
# Which rows are looked at, where not all of them are.


_SEED: Final = 7  # the same rows each time


def some_rows(rows: int, most: int) -> Longs:
    """At most so many of the rows, drawn at random: evenly spaced ones might all be of one kind.

    >>> some_rows(3, 5).tolist(), len(some_rows(1000, 5))
    ([0, 1, 2], 5)
    """
    if rows <= most:
        return np.arange(rows)
    return np.sort(np.random.default_rng(_SEED).choice(rows, most, replace=False))


_MOST_CHARACTERS: Final = 20_000_000  # more would not be held as labels of one length


@dataclass(frozen=True, eq=False)
class Profile:
    """What is known of a column.

    Attributes
    ----------
    name : str
    rows : int
        The rows of the table.
    missing : int
        The rows without a value.
    distinct : int
        The different values; about so many where they are very many.
    codes : int array
        The values of the sampled rows as numbers: those of numbers, dates and orders ascending.
    domain : Domain, optional
        The values; ``None`` if they cannot be read, or are too long and many to be listed.
    drawn : Domain, optional
        The values of the sampled rows, which the codes are of.
    texts : tuple of str
        Some of the values as text: what shapes are looked for in.
    typed_text : bool
        Whether a dataframe holds it as text: what it looks like must be said then.
    unusable : str
        Why it can be no quasi-identifier, as a sentence; empty if it can.
    """

    name: str
    rows: int
    missing: int
    distinct: int
    codes: Ints
    domain: Domain | None = None
    drawn: Domain | None = None
    texts: tuple[str, ...] = ()
    typed_text: bool = False
    unusable: str = ""

    @property
    def known(self) -> int:
        """The rows with a value."""
        return self.rows - self.missing

    @property
    def distinction(self) -> float:
        """The share of different values among the rows with a value (Motwani & Xu 2007)."""
        return self.distinct / max(self.known, 1)

    @property
    def kind(self) -> str:
        """Numbers, dates or text."""
        return "text" if self.domain is None else self.domain.kind

    @cached_property
    def fewest(self) -> int:
        """How many rows have the rarest value; a missing one counts as a value."""
        if self.domain is None or self.domain.records is None or not len(self.domain.records):
            return min(1, self.known) or self.missing
        held = int(self.domain.records.min())
        return min(held, self.missing) if self.missing else held

    @cached_property
    def most_frequent(self) -> float:
        """The share of the rows that have the most frequent value."""
        if self.domain is None or self.domain.records is None or not len(self.domain.records):
            return 0.0 if self.known else 1.0
        return max(int(self.domain.records.max()), self.missing) / max(self.rows, 1)

    @property
    def labels(self) -> Sequence[str]:
        """The values as text."""
        return [] if self.domain is None else self.domain.labels.tolist()

    @property
    def size(self) -> int:
        """The different values, a missing one among them."""
        return self.distinct + (self.missing > 0)


def profiles_of(look: Look, *, missing: Sequence[str], untyped: bool, decimal: str) -> dict[str, Profile]:
    """Make the profile of every column.

    Parameters
    ----------
    look : Look
    missing : sequence of str
        Texts that mean "no value".
    untyped : bool
        Whether all cells are text, as in a CSV.
    decimal : str
        What stands before the decimals of numbers in text.
    """
    return {
        name: _profile(name, tally, look, missing, untyped=untyped, decimal=decimal)
        for name, tally in look.tallies.items()
    }


def holds_text(kind: pa.DataType) -> bool:
    """Whether an Arrow type is text, or a dictionary of it."""
    return is_text(kind.value_type if pa.types.is_dictionary(kind) else kind)


def _profile(
    name: str, tally: Tally | None, look: Look, missing: Sequence[str], *, untyped: bool, decimal: str
) -> Profile:
    drawn = look.sample.column(name)
    nothing = np.zeros(len(drawn), dtype=np.int32)
    if tally is None:
        return Profile(name, look.rows, 0, 0, nothing, unusable="It holds nested values, which cannot be generalized.")
    text = holds_text(tally.values.type)
    ordered = pa.types.is_dictionary(tally.values.type) and tally.values.type.ordered
    asked: Any = "typed" if ordered or not text else "derived"
    told: Mapping[str, Any] = {"missing": missing, "kind": asked, "decimal_point": decimal}
    if text and _too_long(tally.values):
        absent = int(tally.records[np.asarray(pc.is_null(tally.values))].sum())
        texts = _some(tally.values)
        return Profile(name, look.rows, absent, tally.distinct, coded(drawn), texts=texts, typed_text=not untyped)
    try:
        encoded = encode_column(name, tally.values, weights=tally.records, **told)
        of_sample = encode_column(name, drawn, **{**told, "kind": _same(asked, encoded.domain)})
    except BadValues as bad:
        return Profile(name, look.rows, 0, tally.distinct, nothing, unusable=f"It {bad.problem}. {bad.advice}")
    except BadInput as bad:
        return Profile(name, look.rows, 0, tally.distinct, nothing, unusable=str(bad))
    domain = encoded.domain
    complete = tally.distinct <= len(tally.values)
    held = 0 if domain.records is None else int(domain.records.sum())
    absent = look.rows - held if complete else int(look.rows * (1 - held / max(int(tally.records.sum()), 1)))
    return Profile(
        name,
        look.rows,
        absent,
        len(domain.labels) if complete else tally.distinct,
        of_sample.codes,
        domain,
        of_sample.domain,
        tuple(domain.labels[:: max(1, len(domain.labels) // _MOST_TEXTS)].tolist()) if domain.kind == "text" else (),
        typed_text=text and not untyped,
    )


_MOST_TEXTS: Final = 2_000


def _same(asked: Any, domain: Domain) -> Any:
    """Read the sample as the whole column is read."""
    return asked if asked == "typed" else domain.kind


def _too_long(values: pa.ChunkedArray) -> bool:
    plain = values.cast(pa.large_string())
    return len(plain) * (pc.max(pc.utf8_length(plain)).as_py() or 0) > _MOST_CHARACTERS


def _some(values: pa.ChunkedArray) -> tuple[str, ...]:
    plain = values.cast(pa.large_string()).drop_null()
    return tuple(plain.take(np.arange(0, len(plain), max(1, len(plain) // _MOST_TEXTS))).to_pylist())
