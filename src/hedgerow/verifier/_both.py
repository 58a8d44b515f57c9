"""Verifies two releases together: every class of one, divided by the classes of the other, meets the requirements.

A *record* is a row of one release or of both. The table of all records, with what each release shows of them, has these
classes: an old class and a new class, an old class and "not in the new release", "not in the old release" and a new
class. Each release is a part of that table. So whoever joins, subtracts or intersects the releases learns nothing that
this table does not show, and it meets the requirements.

Which rows are one record is private. The verifier is given it, and checks that it is possible: each row has at most one
partner, partners agree in what both releases publish in clear unless they are rows of one person, and a person who has
one row in each release has these two as one record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import narwhals as nw
import numpy as np

from hedgerow.errors import InternalError
from hedgerow.verifier._counting import RowOwners, count_classes
from hedgerow.verifier._verdict import Finding, verify
from hedgerow.verifier.classes import Integers, text_of

__all__ = ["OneRelease", "verify_both"]

_OTHER: Final = "\0 in the other release"
"""Ends the names of the columns that hold what the other release shows."""
_NOT_THERE, _MISSING, _VALUE = "", "-", "="


@dataclass(frozen=True, eq=False)
class OneRelease:
    """The rows of a release, each with the row of the other release that is the same record.

    Parameters
    ----------
    table : dataframe
        The published rows: quasi-identifiers, sensitive columns and the target.
    quasi : tuple of str
    partner : int array (rows,)
        The row of the other release; -1 if there is none.
    clear : int array (rows,)
        Equal numbers for rows that show the same in all columns that both releases publish in clear.
    people : int array (rows,), optional
        The person of each row, if people are counted: the same number in both releases.
    missing : tuple of str
        Texts that mean "no value".
    determined : mapping of column to tuple of str
        Columns in clear that quasi-identifiers determine, as for :func:`count_classes`.
    """

    table: nw.DataFrame[Any]
    quasi: tuple[str, ...]
    partner: Integers
    clear: Integers
    people: Integers | None = None
    missing: tuple[str, ...] = ()
    determined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def shown_to(self, other: OneRelease) -> dict[str, list[str]]:
        """What this release shows of each record of another, column by column."""
        return {
            f"{name}{_OTHER}": np.append(_texts(self.table[name]), _NOT_THERE)[other.partner].tolist()
            for name in self.quasi
        }


def verify_both(old: OneRelease, new: OneRelease, requirements: Sequence[Any]) -> tuple[Finding, ...]:
    """Verify requirements over the classes of both releases together.

    Parameters
    ----------
    old, new : OneRelease
    requirements : sequence of requirements
        Of the new release. A requirement of a column that a release does not publish says nothing about that release.

    Returns
    -------
    tuple of Finding
        For the rows of the old release, then for those of the new one.

    Examples
    --------
    Of two people, one is in both releases. Each release has one class, and yet both single out who left:

    >>> from types import SimpleNamespace
    >>> import pyarrow as pa
    >>> table = pa.table({"age": ["20-29", "20-29"]})
    >>> same, nothing = np.array([0, -1]), np.zeros(2, dtype=np.int64)
    >>> one = OneRelease(nw.from_native(table, eager_only=True), ("age",), same, nothing)
    >>> twice = SimpleNamespace(name="k-anonymity", k=2, shield=None)
    >>> [finding.holds for finding in verify_both(one, one, [twice])]
    [False, False]
    """
    _check_partners(old, new)
    return (
        *_findings(old, new, requirements, "in the previous release, divided by this one"),
        *_findings(new, old, requirements, "in this release, divided by the previous one"),
    )


def _findings(own: OneRelease, other: OneRelease, requirements: Sequence[Any], where: str) -> tuple[Finding, ...]:
    """The findings about the rows of one release."""
    # Of a column that it does not publish, a release reveals nothing.
    published = [one for one in requirements if getattr(one, "column", None) in (None, *own.table.columns)]
    shown = other.shown_to(own)
    backend = own.table.implementation
    table = own.table.with_columns(
        *(nw.new_series(name, texts, nw.String, backend=backend) for name, texts in shown.items())
    )
    counts = count_classes(
        table.to_native(),
        (*own.quasi, *shown),
        sensitive=tuple(dict.fromkeys(one.column for one in published if getattr(one, "column", None) is not None)),
        entity=None if own.people is None else RowOwners("the person", own.people),
        missing=own.missing,
        determined=own.determined,
    )
    return tuple(
        replace(finding, requirement=f"{one} {where}")
        for one in published
        for finding in verify(counts, [_within_both(one, own, other)]).findings
    )


def _within_both(requirement: Any, own: OneRelease, other: OneRelease) -> Any:
    """A requirement whose shield also names what the other release shows of its columns."""
    shield = getattr(requirement, "shield", None)
    if shield is None:
        return requirement
    names = [name for name in own.quasi if name in shield]
    return replace(requirement, shield=(*names, *(f"{name}{_OTHER}" for name in other.quasi if name in shield)))


def _check_partners(old: OneRelease, new: OneRelease) -> None:
    """Refuse partners that cannot be one record each."""
    paired = np.flatnonzero(old.partner >= 0)
    with_new = old.partner[paired]
    back = np.full(len(new.partner), -1, dtype=np.int64)
    back[with_new] = paired
    if len(np.unique(with_new)) < len(paired) or not np.array_equal(back, new.partner):
        raise InternalError("rows of two releases have several partners")
    alike = old.clear[paired] == new.clear[with_new]
    if old.people is None or new.people is None:
        if not alike.all():
            raise InternalError("rows of two releases that differ in clear were taken for one record")
        return
    same = old.people[paired] == new.people[with_new]
    if not (alike | same).all():
        raise InternalError("rows of two people that differ in clear were taken for one record")
    rows_of = [np.unique(one.people, return_counts=True) for one in (old, new) if one.people is not None]
    if all((rows == 1).all() for _, rows in rows_of):
        in_both = np.isin(rows_of[0][0], rows_of[1][0]).sum()
        if int(same.sum()) != int(in_both):
            raise InternalError("rows of a person in two releases were not taken for one record")


def _texts(column: nw.Series[Any]) -> np.ndarray[Any, np.dtype[np.object_]]:
    """The cells of a column as texts, in which a missing value differs from every value."""
    texts = (text_of(value) for value in column.to_list())
    return np.array([_MISSING if text is None else f"{_VALUE}{text}" for text in texts], dtype=object)
