"""Which split a node takes: by the gain alone, or by C4.5's gain ratio among splits of at least average gain."""

from __future__ import annotations

from typing import NamedTuple

from hedgerow._jit import jit
from hedgerow.arrays import Bools, Floats, Ints, Longs
from hedgerow.trees.splitting.merits import merit_of_categories, merit_of_numbers
from hedgerow.trees.splitting.records import (
    GAIN,
    MERIT,
    NUMERIC,
    OFFSET,
    SIZE,
    SLACK,
    SPLIT_AT,
    Lists,
    Room,
    Table,
)
from hedgerow.trees.splitting.tallies import tally_codes, tally_lists

__all__ = ["Rules", "best", "choose", "judge"]

# A gain may miss the average by this much, as in Weka.
BELOW_AVERAGE = 1e-3


class Rules(NamedTuple):
    """How a tree is grown.

    ``by_ratio`` is C4.5's criterion, else the gain decides; ``must_gain`` refuses splits that gain nothing; ``dense``
    gives a category a branch for each of its values, else only for those that reach the node. ``averaged`` says which
    columns count for the average gain.
    """

    by_ratio: bool
    must_gain: bool
    dense: bool
    min_objects: float
    max_depth: int
    averaged: Bools


@jit(inner=True)
def choose(
    table: Table,
    lists: Lists | None,
    rows: Ints,
    weights: Floats,
    start: int,
    end: int,
    total: float,
    rules: Rules,
    room: Room,
) -> int:
    """The column of the best split, the first of equal ones, -1 for none; its threshold is in ``room.columns``.

    O(columns × (items + values + codes of their lists)).
    """
    columns, groups, kept = table.columns, room.groups, room.kept
    for column in range(columns.shape[0]):
        size = columns[column, SIZE]
        found = -1
        if size < 2:
            room.columns[column, GAIN] = -1.0
            continue
        if lists is not None:
            found = tally_lists(table, lists, column, rows, weights, start, end, room)
        if found < 0:
            found = tally_codes(
                table.counted, column, size, table.labels, rows, weights, start, end, groups, kept, room.keys
            )
        judge(columns, table.values, column, groups, kept, found, total, rules, room.sums, room.columns)
    return best(rules, room.columns)


@jit
def judge(
    columns: Longs,
    values: Floats,
    column: int,
    groups: Floats,
    kept: Ints,
    found: int,
    total: float,
    rules: Rules,
    sums: Floats,
    judged: Floats,
) -> None:
    """Write what the best split of a column is worth, of whose values so many were found with labels in ``groups``."""
    if columns[column, NUMERIC]:
        merit = merit_of_numbers(
            groups, kept, found, values, columns[column, OFFSET], total, rules.min_objects, rules.by_ratio, sums
        )
    else:
        merit = merit_of_categories(groups, found, total, rules.min_objects, sums)
    judged[column, GAIN] = merit.gain
    judged[column, MERIT] = merit.ratio if rules.by_ratio else merit.gain
    judged[column, SPLIT_AT] = merit.threshold


@jit
def best(rules: Rules, judged: Floats) -> int:
    """The column of the best split among those that were judged, the first of equal ones, -1 for none."""
    least = 0.0
    if rules.by_ratio:
        average = 0.0
        valid = 0
        for column in range(judged.shape[0]):
            if judged[column, GAIN] >= 0.0 and rules.averaged[column]:
                average += judged[column, GAIN]
                valid += 1
        if valid == 0:
            return -1
        least = max(average / valid - BELOW_AVERAGE, 0.0)
    found = -1
    highest = 0.0 if rules.by_ratio or rules.must_gain else -1.0
    for column in range(judged.shape[0]):
        if judged[column, GAIN] >= least and judged[column, MERIT] - highest > SLACK:
            found = column
            highest = judged[column, MERIT]
    return found
