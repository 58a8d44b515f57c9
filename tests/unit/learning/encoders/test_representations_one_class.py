"""oneClass: a cell is a 1 at its node."""

from __future__ import annotations

import pyarrow as pa

from hedgerow.learning.encoders import OneClassEncoder

ANIMALS = {"mammals": {"felidae": ["cat", "lion"], "canine": ["dog"]}}


def ones(encoder: OneClassEncoder, *cells: str) -> list[str]:
    """The one feature of each cell."""
    matrix = encoder.transform(pa.table({"c": list(cells)}))
    assert (matrix.sum(axis=1) == 1).all()
    return [str(name) for name in encoder.get_feature_names_out()[matrix.argmax(axis=1)]]


def test_a_set_seen_in_training_has_its_own_feature() -> None:
    encoder = OneClassEncoder(hierarchies={"c": ANIMALS}).fit(pa.table({"c": ["{cat|dog}", "cat"]}))
    assert encoder.get_feature_names_out()[-1] == "c={cat|dog}"
    assert ones(encoder, "{cat|dog}", "{dog|cat}", "{dog|lion}", "{cat|lion}") == [
        "c={cat|dog}",
        "c={cat|dog}",
        "c=mammals",
        "c=felidae",
    ]


def test_an_interval_seen_in_training_has_its_own_feature() -> None:
    encoder = OneClassEncoder(hierarchies={"c": "quantiles"}).fit(pa.table({"c": [*map(str, range(16)), "[3,9)"]}))
    assert encoder.get_feature_names_out()[-1] == "c=[3,9)"
    seen, unseen = ones(encoder, "[3,9)", "[3,10)")
    assert (seen, unseen) == ("c=[3,9)", "c=*")
