"""Kernels that send rows down a tree: to the labels of all their branches, or to the one leaf of a tuple."""

from __future__ import annotations

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow._internal.jit import jit
from hedgerow.anonymizers.trees._kernels import (
    ALONG,
    FIRST_LIST,
    HIGH,
    LOW,
    NUMERIC,
    SIZE,
    SLACK,
    Lists,
    lacking,
    mass,
    share_at,
)
from hedgerow.anonymizers.trees.nodes.arrays import BRANCHES, CODE, COLUMN, FIRST, THRESHOLD

__all__ = ["answer", "leaves_of"]


@jit
def answer(
    links: Ints,
    counts: Floats,
    bag: Floats,
    empty: Bools,
    columns: Longs,
    left: Floats,
    cells: Ints,
    lists: Lists | None,
    spread_unseen: bool,
    heaviest: bool,
    waiting: Longs,
    parts: Floats,
    shares: Floats,
    labels: Longs,
) -> None:
    """Give each row its share of every label, and the label with the largest share, the first of equals.

    ``cells`` has the cell of each column and row, as in a training table. A row with an unknown cell goes down every
    branch that records reached, in proportion. With ``spread_unseen``, so does a row with an unseen category;
    otherwise, it takes the labels of the node. A branch that no record reached has the labels of its parent.
    O(rows × nodes that their cells reach).
    """
    for row in range(cells.shape[1]):
        waiting[0] = 0
        parts[0] = 1.0
        height = 1
        while height > 0:
            height -= 1
            node = waiting[height]
            part = parts[height]
            column = links[node, COLUMN]
            # The part of the row that no branch takes, and the part that goes down all of them.
            lost = part if column < 0 else 0.0
            everywhere = 0.0
            if column >= 0:
                cell = cells[column, row]
                if cell < 0:
                    everywhere = part
                elif lists is None or cell < columns[column, SIZE]:
                    child = _child(links, empty, columns, node, cell)
                    if child < 0:
                        lost = part
                    else:
                        waiting[height] = child
                        parts[height] = part
                        height += 1
                elif lists is not None:
                    which = columns[column, FIRST_LIST] + cell - columns[column, SIZE]
                    height, everywhere, lost = _of_list(
                        links, bag, empty, columns, left, lists, which, heaviest, node, part, waiting, parts, height
                    )
                if not (columns[column, NUMERIC] or spread_unseen):
                    lost += everywhere
                    everywhere = 0.0
            total = 0.0
            for label in range(counts.shape[1]):
                total += counts[node, label]
            if everywhere > 0.0:
                for child in range(links[node, FIRST], links[node, FIRST] + links[node, BRANCHES]):
                    if not empty[child]:
                        waiting[height] = child
                        parts[height] = everywhere * bag[child] / total
                        height += 1
            if lost > 0.0:
                for label in range(counts.shape[1]):
                    shares[row, label] += lost * counts[node, label] / total
        best = -1.0
        for label in range(shares.shape[1]):
            if shares[row, label] - best > SLACK:
                best = shares[row, label]
                labels[row] = label


@jit(inner=True)
def _child(links: Ints, empty: Bools, columns: Longs, node: int, code: int) -> int:
    """Return the branch of a node for a code; -1 if there is none, or no record reached it. O(log branches)."""
    first = int(links[node, FIRST])
    if columns[links[node, COLUMN], NUMERIC]:
        first += int(code > links[node, THRESHOLD])
        return -1 if empty[first] else first
    end = first + links[node, BRANCHES]
    last = end
    while first < last:
        middle = (first + last) // 2
        if links[middle, CODE] < code:
            first = middle + 1
        else:
            last = middle
    return first if first < end and links[first, CODE] == code and not empty[first] else -1


@jit(inner=True)
def _of_list(
    links: Ints,
    bag: Floats,
    empty: Bools,
    columns: Longs,
    left: Floats,
    lists: Lists,
    which: int,
    heaviest: bool,
    node: int,
    part: float,
    waiting: Longs,
    parts: Floats,
    height: int,
) -> tuple[int, float, float]:
    """Send a list down the branches of its codes; return the new height, the unknown part, and the part without branch.

    A code with share 0 is a second choice: it counts only if no code with a share has a branch. Then the branch with
    the most records takes all; without ``heaviest``, each such branch takes its proportion.
    """
    low = int(left[node, LOW])
    high = int(left[node, HIGH])
    absent = lacking(lists, which) * left[node, ALONG]
    here = mass(lists, which, low, high) + absent
    if here <= 0.0:
        return height, part, 0.0
    lost = 0.0
    if columns[links[node, COLUMN], NUMERIC]:
        threshold = links[node, THRESHOLD]
        first = links[node, FIRST]
        for branch in range(2):
            reached = mass(lists, which, low, min(high, threshold))
            if branch == 1:
                reached = mass(lists, which, max(low, threshold + 1), high)
            if reached > 0.0 and empty[first + branch]:
                lost += part * reached / here
            elif reached > 0.0:
                waiting[height] = first + branch
                parts[height] = part * reached / here
                height += 1
        return height, part * absent / here, lost
    taken = 0.0
    second = 0.0
    most = -1
    for entry in range(lists.starts[which], lists.starts[which + 1]):
        code = lists.codes[entry]
        if low <= code <= high:
            child = _child(links, empty, columns, node, code)
            share = share_at(lists, which, entry)
            if share > 0.0 and child >= 0:
                taken += share
                waiting[height] = child
                parts[height] = part * share / here
                height += 1
            elif share > 0.0:
                lost += part * share / here
            elif child >= 0:
                second += bag[child]
                if most < 0 or bag[child] > bag[most] + SLACK:
                    most = child
    if taken > 0.0 or most < 0:
        return height, part * absent / here, lost
    for entry in range(lists.starts[which], lists.starts[which + 1]):
        child = _child(links, empty, columns, node, lists.codes[entry])
        if child >= 0 and (child == most or not heaviest):
            waiting[height] = child
            parts[height] = part * (1.0 if heaviest else bag[child] / second)
            height += 1
    return height, 0.0, 0.0


@jit
def leaves_of(links: Ints, start: Longs, lookup: Ints, tuples: Ints, missing: Longs, leaves: Ints) -> None:
    """Find the leaf of each tuple; ``-1 - node`` where a node has no branch for its value. O(tuples × depth)."""
    for row in range(tuples.shape[0]):
        node = 0
        while links[node, COLUMN] >= 0:
            code = tuples[row, links[node, COLUMN]]
            if start[node] >= 0:
                branch = lookup[start[node] + code]
                if branch < 0:
                    break
            elif code == missing[links[node, COLUMN]]:
                branch = 2
            else:
                branch = int(code > links[node, THRESHOLD])
            node = links[node, FIRST] + branch
        leaves[row] = node if links[node, COLUMN] < 0 else -1 - node
