"""Pieces: whole cells, split cells, and the way to JSON and back."""

from __future__ import annotations

import numpy as np

from hedgerow.core.recoding import Pieces


def test_a_whole_cell_has_one_piece() -> None:
    whole = Pieces.whole(np.array([1, 0], dtype=np.int32), np.array([3, 4]))
    assert (whole.cell.tolist(), whole.group.tolist(), whole.size.tolist()) == ([0, 1], [1, 0], [3, 4])
    assert whole.first.all()
    assert not whole.split


def test_pieces_of_one_cell_and_group_are_added_up() -> None:
    cell, group = np.array([1, 0, 1, 1], dtype=np.int32), np.array([0, -1, 2, 0], dtype=np.int32)
    pieces = Pieces.gathered(cell, group, np.array([5, 6, 7, 8]))
    assert (pieces.cell.tolist(), pieces.group.tolist(), pieces.size.tolist()) == ([0, 1, 1], [-1, 0, 2], [6, 13, 7])
    assert pieces.first.tolist() == [True, True, False]
    assert pieces.split


def test_json_and_back() -> None:
    pieces = Pieces.whole(np.array([1, 0], dtype=np.int32), np.array([3, 4]))
    again = Pieces.from_dict(pieces.to_dict())
    assert again.to_dict() == pieces.to_dict() == {"cell": [0, 1], "group": [1, 0], "size": [3, 4]}
    assert again.cell.dtype == np.int32
    assert again.size.dtype == np.int64
