"""Three representations of a generalized category, worked out in the paper on the proportional one (section II-C).

The printed fillChild row of "canine" also marks the cetacean "dolphin", which table III of the same paper contradicts;
the corrected row is tested, and that the printed one differs in that place alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.learning.encoders import FillChildEncoder, FillParentEncoder, OneClassEncoder
from hedgerow.learning.encoders._representations import HierarchyEncoder

TABLE_2: dict[str, Any] = json.loads((Path(__file__).parent / "proportional_table_2.json").read_text(encoding="utf-8"))
ENCODERS: dict[str, type[HierarchyEncoder]] = {
    "oneClass": OneClassEncoder,
    "fillParent": FillParentEncoder,
    "fillChild": FillChildEncoder,
}


@pytest.mark.parametrize("given", [{"preset": "paper"}, {"numbers": "intervals"}, {"numbers": "nodes"}], ids=str)
@pytest.mark.parametrize("name", ENCODERS)
def test_table_2(name: str, given: Any) -> None:
    """Table II a, b and c, row by row."""
    expected = TABLE_2["printed"][name] | TABLE_2["corrected"].get(name, {})
    encoder = ENCODERS[name](hierarchies=TABLE_2["taxonomies"], **given)
    matrix = encoder.fit_transform(pa.table({"Race": list(expected)}))
    assert encoder.get_feature_names_out().tolist() == [f"Race={label}" for label in TABLE_2["columns"]]
    assert matrix.tolist() == list(expected.values())


def test_the_misprint_is_one_cell() -> None:
    """Table II c: a 1 for "dolphin" in the row of "canine"."""
    printed = np.array(TABLE_2["printed"]["fillChild"]["canine"])
    differs = np.flatnonzero(printed != TABLE_2["corrected"]["fillChild"]["canine"])
    assert [TABLE_2["columns"][at] for at in differs] == ["dolphin"]
