"""The proportional representation of two classes, worked out in the paper that proposes it, section III, example 2."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import KAnonymity, Schema
from hedgerow.core.proportions import Proportions, count_proportions
from hedgerow.core.proportions._pooling import pool
from hedgerow.core.recoding import Pieces, Recoding, publish_groups, shown_as
from hedgerow.learning.encoders import FillParentEncoder, ProportionalEncoder
from hedgerow.release import pipeline

TABLE_3: dict[str, Any] = json.loads((Path(__file__).parent / "proportional_table_3.json").read_text(encoding="utf-8"))
NAMES = TABLE_3["columns"]


def original() -> pa.Table:
    return pa.table({name: [row[at] for row in TABLE_3["rows"]] for at, name in enumerate(NAMES)})


@pytest.fixture
def published() -> tuple[pa.Table, Proportions]:
    """Table I b: the two given groups as labels, in the order of the rows, and what they hold."""
    schema = Schema(quasi=NAMES, hierarchies=TABLE_3["taxonomies"])
    counts = pipeline.prepare(original(), schema, [KAnonymity(3)], random_state=0).counts
    tuples = [
        [str(counts.domains[name].labels[code]) for name, code in zip(NAMES, codes, strict=True)]
        for codes in counts.tuples
    ]
    group_of_row = {row: at for at, rows in enumerate(TABLE_3["groups"]) for row in rows}
    group = np.array([group_of_row[TABLE_3["rows"].index(one) + 1] for one in tuples], dtype=np.int32)
    pieces = Pieces.whole(group[counts.cell_tuple], counts.cell_sizes)
    columns, values = publish_groups(counts, pieces, len(TABLE_3["groups"]), shown_as(counts, "label"))
    sizes = np.array([len(rows) for rows in TABLE_3["groups"]], dtype=np.int64)
    recoding = Recoding(
        method="given", quasi=counts.quasi, columns=columns, groups=values, sizes=sizes, pieces=pieces, router=None
    )
    rows = sorted(group_of_row)
    table = pa.table(
        {name: [columns[at].texts[values[group_of_row[row], at]] for row in rows] for at, name in enumerate(NAMES)}
    )
    # The paper tells exactly how many people hold each value.
    return table, pool(count_proportions(counts, recoding), 1).proportions


@pytest.mark.parametrize("numbers", ["intervals", "nodes"])
def test_table_3(published: tuple[pa.Table, Proportions], numbers: Any) -> None:
    """Table III: the shares of both classes, exact; printed they are cut off after two digits."""
    table, proportions = published
    encoder = ProportionalEncoder(
        preset="paper", hierarchies=TABLE_3["taxonomies"], proportions=proportions, numbers=numbers
    )
    matrix = encoder.fit_transform(table)
    assert encoder.get_feature_names_out().tolist() == TABLE_3["features"]
    group_of_row = {row: at for at, rows in enumerate(TABLE_3["groups"]) for row in rows}
    for row, found in enumerate(matrix.tolist(), start=1):
        exact = [float(Fraction(share)) for share in TABLE_3["exact"][group_of_row[row]]]
        assert found == pytest.approx(exact)
        assert [math.floor(100 * share + 1e-9) / 100 for share in found] == TABLE_3["printed"][group_of_row[row]]


def test_every_level_adds_up_to_1(published: tuple[pa.Table, Proportions]) -> None:
    """Section III-B: the shares of one level of a hierarchy add up to 1."""
    table, proportions = published
    encoder = ProportionalEncoder(preset="paper", hierarchies=TABLE_3["taxonomies"], proportions=proportions)
    matrix = encoder.fit_transform(table)
    names = encoder.get_feature_names_out().tolist()
    for level in TABLE_3["levels"]:
        assert matrix[:, [names.index(name) for name in level]].sum(axis=1) == pytest.approx(1)


def test_without_anonymization_it_is_fill_parent() -> None:
    """Section IV-D: for k = 1 both representations are the same."""
    by_parents = FillParentEncoder(preset="paper", hierarchies=TABLE_3["taxonomies"]).fit_transform(original())
    by_shares = ProportionalEncoder(preset="paper", hierarchies=TABLE_3["taxonomies"]).fit_transform(original())
    assert by_shares.tolist() == by_parents.tolist()
