"""Where records go that may have several values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.anonymizers.trees._kernels import CRUMB
from hedgerow.anonymizers.trees.inducers.id3 import Id3Options, induce_id3
from hedgerow.anonymizers.trees.sets import SetColumn, read_training


def column(name: str, cells: list[Any]) -> SetColumn:
    return read_training(name, pa.chunked_array([pa.array(cells)]))


def test_crumbs_go_to_the_larger_pieces() -> None:
    many = [f"v{number:03}" for number in range(120)]
    whole = "{" + "|".join(many) + "}"
    assert 1 / len(many) < CRUMB
    labels = np.array([0, 1] * 60 + [0, 1])
    tree = induce_id3(
        [column("it", [*many, many[44], whole])], labels, ["no", "yes"], options=Id3Options(fractional=True)
    )
    # Each share is below the crumb, so the record goes whole to where most records are.
    assert tree.nodes.counts[1 + 44].tolist() == [2, 1]
    assert tree.nodes.counts[1:].sum(axis=1).tolist() == [3 if at == 44 else 1 for at in range(120)]
    # Without a tie, small pieces are given to the others in proportion.
    few = column("it", [*many[:3], "{" + "|".join(many[:3]) + "}"])
    cells = few.cells._replace(upto=np.array([1, 1, 1, 0.6, 0.995, 1.0]))
    uneven = SetColumn(few.attribute, cells, few.index, few.index)
    tree = induce_id3([uneven], np.array([0, 1, 0, 1]), ["no", "yes"], options=Id3Options(fractional=True))
    assert tree.nodes.counts[1:].sum(axis=1).tolist() == pytest.approx([1 + 0.6 / 0.995, 1 + 0.395 / 0.995, 1])
