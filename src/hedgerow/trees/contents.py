r"""What a published cell says, and the values that a column is known to have.

A cell says one value, one of several (a set, or a label of a hierarchy for its leaves), a number in a range, or
anything (``*``). The known values of a column are those that stand alone, in a set, below a label, or in the
proportions of the release. An interval without any adds its own ends: the lowest number and the highest on the
column's grid.

**Deviations.** An interval in a column of text is a value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from hedgerow.counts import BadValues, encode_column
from hedgerow.domains import Domain
from hedgerow.errors import BadInput, translated
from hedgerow.published import SUPPRESSED, Interval, Leaves, Possible, Reach, number_in, read, stands_for
from hedgerow.values import number_text

__all__ = ["content_of", "contents_of", "generalized", "known_values", "meets"]


def contents_of(domain: Domain, leaves: Leaves) -> list[Possible]:
    """What each distinct cell says; a number or date says itself.

    >>> contents_of(Domain("age", "text", np.array(["20", "[20,30)"])), {})
    [frozenset({'20'}), Interval(low=20.0, high=30.0, closed=False)]
    """
    if domain.numbers is not None:
        return [frozenset((label,)) for label in domain.labels.tolist()]
    return [content_of(text, leaves) for text in domain.labels.tolist()]


def content_of(text: str, leaves: Leaves) -> Possible:
    """What a published text says.

    >>> sorted(content_of("{Bonn|Lyon}", {})), content_of("*", {})
    (['Bonn', 'Lyon'], Suppressed())
    >>> sorted(content_of("Germany", {"Germany": ("Bonn", "Trier")}))
    ['Bonn', 'Trier']
    """
    return stands_for(read(text, leaves=leaves))


def generalized(content: Possible) -> bool:
    """Whether a cell may stand for more than one value, or for none that is known.

    >>> [generalized(content_of(text, {})) for text in ("a", "{a|b}", "*")]
    [False, True, True]
    """
    return not isinstance(content, frozenset) or len(content) != 1


def known_values(
    name: str,
    values: pa.ChunkedArray,
    cells: Domain,
    contents: Sequence[Possible],
    told: Domain | None,
    *,
    missing: Sequence[str],
    as_text: bool,
) -> Domain:
    """The values that a column is known to have, in order; numbers or dates if all of them are.

    Parameters
    ----------
    name : str
    values : Arrow array
        The column.
    cells : Domain
        Its distinct cells as text, unless they are numbers or dates, and ``contents``, what each of them says.
    told : Domain, optional
        The values that the proportions of a release speak of.
    missing : sequence of str
        Texts that mean "no value".
    as_text : bool
        Whether numbers and dates are read as categories.

    Examples
    --------
    >>> ages = pa.chunked_array([["[20,30)", "[30,40)", "{35|36}"]])
    >>> cells = encode_column("age", ages).domain
    >>> known_values("age", ages, cells, contents_of(cells, {}), None, missing=(), as_text=False).labels.tolist()
    ['20', '29', '35', '36']
    """
    plain = all(one == frozenset((label,)) for one, label in zip(contents, cells.labels.tolist(), strict=True))
    if told is None and plain:
        return _encoded(name, values, missing, as_text=as_text)
    if cells.numbers is not None and not as_text:
        return _together(cells, told)
    return _from_cells(name, contents, told, as_text=as_text)


def _together(domain: Domain, told: Domain | None) -> Domain:
    """The numbers of a column, and those that a release tells of."""
    if told is None or told.numbers is None:
        return domain
    numbers, first = np.unique(np.concatenate([domain.values, told.numbers]), return_index=True)
    return Domain(domain.name, domain.kind, np.concatenate([domain.labels, told.labels])[first], numbers)


def _from_cells(name: str, contents: Sequence[Possible], told: Domain | None, *, as_text: bool) -> Domain:
    """The known values of a column whose cells are text, in order."""
    ranges = sorted(
        {one for one in contents if isinstance(one, Interval)}, key=lambda one: (one.high - one.low, one.low)
    )
    atoms = {atom for one in contents if isinstance(one, frozenset) for atom in one if atom is not None}
    atoms.update(() if told is None else told.labels.tolist())
    known = _encoded(name, pa.chunked_array([pa.array(sorted(atoms), pa.string())]), (), as_text=as_text)
    if not ranges or as_text or (atoms and known.kind != "number"):
        # In a column of text an interval is a value.
        texts = np.array(sorted({*known.labels.tolist(), *map(str, ranges)}), np.str_)
        return Domain(name, "text", texts) if ranges else known
    numbers = known.numbers if known.numbers is not None else np.empty(0)
    reach = Reach.of(ranges, numbers)
    ranges = [reach.ended(one) for one in ranges]
    ends = np.array([end for one in ranges for end in (one.low, one.high)])
    grid = Domain(name, "number", np.empty(0, np.str_), np.unique(np.concatenate([numbers, ends])))
    for one in ranges:
        if not any(number in one for number in numbers.tolist()):
            # A step of the grid may be none of a float; then the next float below the end is the last.
            before = min(round(one.high - grid.step, grid.decimals), math.nextafter(one.high, -math.inf))
            numbers = np.union1d(numbers, [one.low, max(one.high if one.closed else before, one.low)])
    return Domain(name, "number", np.array([number_text(number) for number in numbers.tolist()], np.str_), numbers)


def _encoded(name: str, values: pa.ChunkedArray, missing: Sequence[str], *, as_text: bool) -> Domain:
    def advised(bad: BadValues) -> BadInput:
        return BadInput(
            f"The column {name!r} {bad.problem}. Make these null or name them as missing; if they are labels, give "
            "the hierarchy; or make the column categorical."
        )

    with translated(BadValues, into=advised):
        return encode_column(name, values, missing=missing, kind="typed" if as_text else "derived").domain


def meets(inside: Possible, content: Possible, number: float | None) -> bool:
    """Whether a value, generalized or not, may be what a cell says.

    >>> meets(content_of("{a|b}", {}), content_of("b", {}), None), meets(Interval(20, 30), frozenset(), 30.0)
    (True, False)
    """
    if inside is SUPPRESSED:
        return True
    if isinstance(inside, Interval):
        if number is not None:
            return number in inside
        if isinstance(content, Interval):
            return content.low < inside.high and inside.low < content.high
        members = content if isinstance(content, frozenset) else frozenset()
        return any(number_in(member, "number") in inside for member in members)
    return isinstance(inside, frozenset) and isinstance(content, frozenset) and bool(inside & content)
