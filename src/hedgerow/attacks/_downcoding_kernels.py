"""Kernel of downcoding: how the people of a class divide among values, given its cell and that it was not cut."""

from __future__ import annotations

import math

from hedgerow._internal.arrays import Bools, Floats
from hedgerow._internal.jit import jit

__all__ = ["expected_shares"]


@jit
def expected_shares(
    chances: Floats, held: Bools, people: int, least: int, ordered: bool, singles: bool, room: Floats, result: Floats
) -> bool:
    """The expected share of each value among some people who are drawn with given chances, under known conditions.

    Somebody holds each value with ``held``. With ``least`` > 0 no cut was possible: if ``ordered``, no cut between two
    neighbours leaves ``least`` people on both sides; with ``singles``, no cut of one value from the rest does. Returns
    whether the conditions can be met; then the shares are exact. ``room`` has the shape (2 values + 2, people + 1). The
    numbers of people are independent Poisson variables given their sum; a pass from each end adds them up.
    O(values people²).
    """
    values, last = len(chances), people - least
    for row in range(2 * values + 2):
        for reached in range(people + 1):
            room[row, reached] = 0.0
    # Row i: the first i values, by the number of people who hold them. Row values + 1 + i: the values from i on.
    room[0, 0] = 1.0
    room[2 * values + 1, people] = 1.0
    for step in range(values):
        for way in range(2):
            value = step if way == 0 else values - 1 - step
            here = value if way == 0 else values + 2 + value
            there = value + 1 if way == 0 else values + 1 + value
            rate = people * chances[value]
            weight = math.exp(-rate)
            for number in range(people + 1):
                if number > 0:
                    weight *= rate / number
                if number == 0 and held[value]:
                    continue
                if singles and least > 0 and least <= number <= last:
                    continue
                for before in range(people + 1 - number):
                    if way == 0:
                        room[there, before + number] += room[here, before] * weight
                    else:
                        room[there, before] += room[here, before + number] * weight
            if ordered and least > 0:
                boundary = value + 1 if way == 0 else value
                if 0 < boundary < values:
                    for reached in range(least, last + 1):
                        room[there, reached] = 0.0
    total = room[values, people]
    if total <= 0.0:
        return False
    for value in range(values):
        rate = people * chances[value]
        weight = math.exp(-rate)
        expected = 0.0
        for number in range(1, people + 1):
            weight *= rate / number
            if singles and least > 0 and least <= number <= last:
                continue
            for before in range(people + 1 - number):
                expected += number * weight * room[value, before] * room[values + 2 + value, before + number]
        result[value] = expected / total / people
    return True
