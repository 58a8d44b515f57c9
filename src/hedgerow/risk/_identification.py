"""How far one column alone tells people apart: which of the quasi-identifiers identify most.

R. Motwani, Y. Xu: Efficient Algorithms for Masking and Finding Quasi-Identifiers, 2007.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Longs
from hedgerow.core.cells import NO_LABELS, Interval, Leaves, Suppressed, ValueSet, days_of, number_in, read, stands_for
from hedgerow.core.counts import number_of
from hedgerow.errors import BadInput, listing
from hedgerow.io.values import SUPPRESSED_TEXT
from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Integers, Labels

__all__ = ["AttackerRisk", "Risks", "TellsApart", "attacker_risks", "people_fitting", "tells_apart"]


@dataclass(frozen=True)
class TellsApart:
    """What a column tells of who is who.

    Attributes
    ----------
    distinction : float
        Its different values over its records: 1 if everybody has one of their own.
    separation : float
        The share of all pairs of records that it tells apart.
    """

    distinction: float
    separation: float


def tells_apart(sizes: Longs) -> TellsApart:
    """Measure a column by how many records have each of its values.

    Examples
    --------
    Two of four records share a value: five of the six pairs differ.

    >>> tells_apart(np.array([2, 1, 1]))
    TellsApart(distinction=0.75, separation=0.8333333333333334)
    """
    held = sizes[sizes > 0].astype(np.float64)
    records = float(held.sum())
    if records < 2:
        return TellsApart(float(len(held)), 0.0)
    alike = float((held * (held - 1)).sum()) / (records * (records - 1))
    return TellsApart(len(held) / records, 1.0 - alike)


# --------------------------------------------------------------------------------------------------
# Three attackers and the chance that each finds a person again.
#
# K. El Emam, F. K. Dankar, "Protecting privacy using k-anonymity", JAMIA 15(5), 2008:
#
# - The *prosecutor* knows that the person is in the table: the chance is 1 / (records of the class).
# - The *journalist* does not know it and matches against a population: 1 / (people of the population who fit).
# - The *marketer* wants as many people as possible: the share of all records that he matches rightly.


# Rounding of 1 / size must not put a class of exactly 1 / threshold records at risk.
_SLACK = 1e-9


@dataclass(frozen=True)
class AttackerRisk:
    """The chance of finding a person again.

    Parameters
    ----------
    highest, average : float
        Over all records.
    records_at_risk : int
        The records whose own chance is above the threshold.
    share_at_risk : float
        Their share of all records.
    threshold : float
        Above it a record is at risk.
    note : str
        What the figures rest on.
    """

    highest: float
    average: float
    records_at_risk: int
    share_at_risk: float
    threshold: float
    note: str


@dataclass(frozen=True)
class Risks:
    """The three attackers."""

    prosecutor: AttackerRisk
    journalist: AttackerRisk
    marketer: AttackerRisk


def attacker_risks(counts: ClassCounts, threshold: float, population: Integers | None = None) -> Risks:
    """Compute the risks of a table.

    Parameters
    ----------
    counts : ClassCounts
        The classes of the table.
    threshold : float
        Above it a record is at risk.
    population : array of int, optional
        The people of the population who fit each class. A class is taken to have at least as many as it has
        records, because the people of the table belong to the population.
    """
    prosecutor = _risk(counts, counts.sizes, threshold, "the person is known to be in the table")
    if population is None:
        journalist = replace(prosecutor, note="no population was given, so this is the prosecutor's risk")
    else:
        fitting = np.maximum(population, counts.sizes)
        journalist = _risk(counts, fitting, threshold, "matched against the given population")
    everybody = counts.records if journalist.average > threshold + _SLACK else 0
    marketer = replace(
        journalist,
        highest=journalist.average,
        records_at_risk=everybody,
        share_at_risk=everybody / counts.records,
        note="the expected share of records matched rightly; all are at risk if it is above the threshold",
    )
    return Risks(prosecutor, journalist, marketer)


def _risk(counts: ClassCounts, fitting: Integers, threshold: float, note: str) -> AttackerRisk:
    chance = 1.0 / fitting
    at_risk = int(counts.sizes[chance > threshold + _SLACK].sum())
    return AttackerRisk(
        highest=float(chance.max()),
        average=float((counts.sizes * chance).sum() / counts.records),
        records_at_risk=at_risk,
        share_at_risk=at_risk / counts.records,
        threshold=threshold,
        note=note,
    )


# --------------------------------------------------------------------------------------------------
# How many people of a population fit each published class.
#
# A person fits a class if every published cell covers the person's value: a plain value covers itself, a set its
# members, an interval the numbers in it, a suppressed or missing cell everything. A hierarchy's label covers the
# values below it where the hierarchy is known, else only itself.
#
# Both tables may store a column in different types. In a column that publishes nothing but numbers, values are
# compared as numbers, however they are spelled. Dates are compared as dates, and a day covers every moment of it.
# Truth values are compared without regard to case.


_TRUTH: Final = frozenset({"true", "false"})


def people_fitting(published: ClassCounts, population: ClassCounts, leaves: Sequence[Leaves] | None = None) -> Integers:
    """Count the people of the population who fit each class; ``leaves`` are the labels of each column.

    The classes are walked as a trie, column by column, so that classes with the same beginning share the
    work: it grows with the people who fit the beginnings, not with classes × people.

    Raises
    ------
    BadInput
        If nobody fits any class: then the population says nothing of the table.
    """
    known = [NO_LABELS] * len(published.labels) if leaves is None else leaves
    covers = [_covers(*column) for column in zip(published.labels, population.labels, known, strict=True)]
    # Columns with few published values first: the fewest different beginnings.
    order = sorted(range(len(covers)), key=lambda column: len(published.labels[column]))
    fitting = np.zeros(len(published.sizes), dtype=np.int64)

    beginnings = [(0, np.arange(len(published.sizes)), np.arange(len(population.sizes)))]
    while beginnings:
        depth, classes, people = beginnings.pop()
        if depth == len(order):
            fitting[classes] = population.sizes[people].sum()
            continue
        column = order[depth]
        codes = published.codes[classes, column]
        values = population.codes[people, column]
        by_code = np.argsort(codes, kind="stable")
        found, starts = np.unique(codes[by_code], return_index=True)
        for code, members in zip(found, np.split(classes[by_code], starts[1:]), strict=True):
            beginnings.append((depth + 1, members, people[covers[column][code, values]]))
    if not fitting.any():
        raise _nobody(published.columns, covers)
    return fitting


def _nobody(columns: Sequence[str], covers: Sequence[Bools]) -> BadInput:
    """What is wrong with a population of which nobody fits; columns are named, never a cell."""
    strange = [name for name, table in zip(columns, covers, strict=True) if not table.any()]
    why = (
        f"No published cell of {listing(strange)} covers a value of the population: it writes values in another way, "
        "or labels hide the match whose hierarchy is not given (--hierarchy)."
        if strange
        else f"Somebody fits in each of {listing(columns)}, but nobody in all of them: it is another population."
    )
    return BadInput(
        f"Nobody of the population fits a class of the table. {why} Give people as the table's were before it was "
        "generalized, or leave the population out."
    )


def _covers(published: Labels, values: Labels, leaves: Leaves) -> Bools:
    """Tell which published label covers which value of the population."""
    as_numbers = _all_numbers(published, leaves)
    numbers = _array([_number(text, as_numbers) for text in values])
    days = _array([None if text is None else days_of(text) for text in values])
    told = {text for text in published if text is not None}
    lower = [text.lower() if text is not None and told <= {*_TRUTH, SUPPRESSED_TEXT} else text for text in values]
    table = np.zeros((len(published), len(values)), dtype=np.bool_)
    for row, label in enumerate(published):
        possible = stands_for(read(label, leaves=leaves))
        span = None if label is None or label in leaves else read(label, "date")
        if label is None or isinstance(possible, Suppressed):
            table[row] = True
        elif isinstance(possible, Interval):
            table[row] = _inside(numbers, possible)
        elif isinstance(span, Interval):
            # A closed interval that ends with a day has all of it.
            table[row] = _inside(np.floor(days) if span.closed and span.high.is_integer() else days, span)
        else:
            same = _array([_number(member, as_numbers) for member in possible])
            table[row] = [value in possible for value in lower] | np.isin(numbers, same[~np.isnan(same)])
            at = _array([days_of(member) for member in possible if member is not None])
            whole = at[at == np.floor(at)]
            table[row] |= np.isin(days, at[~np.isnan(at)]) | np.isin(np.floor(days), whole)
        table[row] |= values == label
    return table


def _inside(numbers: Floats, interval: Interval) -> Bools:
    below = numbers <= interval.high if interval.closed else numbers < interval.high
    inside: Bools = (numbers >= interval.low) & below
    return inside


def _all_numbers(published: Labels, leaves: Leaves) -> bool:
    """Whether a column publishes nothing but numbers, so that whatever can be read as one is one."""
    said = [read(text, leaves=leaves) for text in published if text is not None]
    named = [member for one in said if isinstance(one, ValueSet) for member in one.members if member is not None]
    plain = all(isinstance(one, ValueSet | Interval | Suppressed) for one in said)
    return plain and all(number_of(member) is not None for member in named)


def _array(numbers: Sequence[float | None]) -> Floats:
    return np.array([math.nan if one is None else one for one in numbers], dtype=np.float64)


def _number(text: str | None, as_numbers: bool) -> float | None:
    """The number that a text is: in a column of numbers however it is spelled, else as numbers are written."""
    if text is None:
        return None
    return number_in(text.strip(), "number") if as_numbers else number_of(text)
