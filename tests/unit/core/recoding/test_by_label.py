"""What a recoding asks to be told by label: kept in private files, and where groups are lost."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa

import hedgerow as hr
from hedgerow.core.recoding import ByLabel, Recoding, without_groups

PEOPLE = pa.table({"age": [20, 20, 30, 30, 40, 40], "ill": ["n", "y"] * 3})


def asking() -> Recoding:
    recoding = hr.anonymize(PEOPLE, hr.Schema(quasi=["age"], target="ill"), k=2).recoding
    assert len(recoding.groups) == 3
    return replace(recoding, by_label=ByLabel(np.array([[0, 0, 0], [1, 2, 2]]), np.array([0.5]), 7))


def test_private_files_have_it() -> None:
    stored = json.loads(json.dumps(asking().to_dict()))
    again = Recoding.from_dict(stored).by_label
    assert again is not None
    assert (again.regions.tolist(), again.strengths.tolist(), again.least) == ([[0, 0, 0], [1, 2, 2]], [0.5], 7)


def test_public_files_and_recodings_that_ask_nothing_do_not() -> None:
    assert "by_label" not in asking().to_dict(public=True)
    plain = replace(asking(), by_label=None)
    assert "by_label" not in plain.to_dict()
    assert Recoding.from_dict(plain.to_dict()).by_label is None


def test_lost_groups_lose_their_region() -> None:
    left = without_groups(asking(), np.array([False, True, False])).by_label
    assert left is not None
    assert left.regions.tolist() == [[0, 0], [1, 2]]
    assert left.least == 7
