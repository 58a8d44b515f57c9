"""Cells of unseen rows go to the published node at or above their value."""

from __future__ import annotations

import json

import numpy as np

from hedgerow.core.recoding._routing import ColumnMap, NodeRouter
from hedgerow.hierarchies import resolve
from hedgerow.io.domains import Domain

KNOWN = Domain("zip", "text", np.array(["11", "12", "21"]), has_missing=True)
HIERARCHY = resolve("masking", KNOWN, "zip")
# Published are 1* (0), below which 11 and 12 are, and the missing value (1).
PUBLISHED = np.array(
    [0 if label in ("1*", "11", "12") else 1 if label is None else -1 for label in HIERARCHY.labels], dtype=np.int32
)


def test_known_unseen_and_missing_values() -> None:
    new = Domain("zip", "text", np.array(["12", "19", "21", "44"]), has_missing=True)
    assert ColumnMap(HIERARCHY, PUBLISHED).values(KNOWN, new).tolist() == [0, 0, -1, -1, 1]


def test_json_and_back() -> None:
    router = NodeRouter((ColumnMap(HIERARCHY, PUBLISHED),))
    again = NodeRouter.from_dict(router.to_dict())
    assert again.to_dict() == router.to_dict()
    assert again.maps[0].values(KNOWN, Domain("zip", "text", np.array(["11"]))).tolist() == [0]
    assert router.published([KNOWN]) == ({}, None)


def test_open_ends_survive_json() -> None:
    ages = Domain("age", "number", np.array(["3", "20", "95"]), np.array([3.0, 20, 95]))
    hierarchy = resolve("intervals:10,<18,>=90", ages, "age")
    published = np.arange(len(hierarchy.labels), dtype=np.int32)
    router = NodeRouter((ColumnMap(hierarchy, published),))
    stored = json.loads(json.dumps(router.to_dict(), allow_nan=False))
    new = Domain("age", "number", np.array(["-4", "21", "200"]), np.array([-4.0, 21, 200]))
    for one in (router, NodeRouter.from_dict(stored)):
        nodes = one.maps[0].values(ages, new)
        assert [hierarchy.labels[node] for node in nodes] == ["<18", "[20,30)", "≥90"]
