"""KACA: nearest classes by distortion, in an order that the seed draws."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from hedgerow import KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.merge.kaca import KACA
from hedgerow.core.metrics import distortion
from hedgerow.release import pipeline

# The north is one step below the root, as is Z; its towns are two steps below.
TOWNS = {"*": {"north": ["A", "B"], "Z": []}}


def fitted(table: dict[str, list[Any]], *requirements: Any, seed: int = 0, improve: bool = False) -> Any:
    quasi = [name for name in table if name != "ill"]
    hierarchies = {"town": TOWNS} if "town" in table else {}
    schema = Schema(quasi=quasi, sensitive=["ill"] if "ill" in table else [], hierarchies=hierarchies)
    job = pipeline.prepare(pa.table(table), schema, requirements, random_state=0)
    recoding = KACA(improve=improve, publish="label").fit_counts(job.counts, job.requirements, seed=seed)
    pipeline.finish(job, recoding, {})
    return job.counts, recoding


def rows_of(recoding: Any) -> dict[tuple[Any, ...], int]:
    return {
        tuple(column.texts[value] for column, value in zip(recoding.columns, values, strict=True)): int(size)
        for values, size in zip(recoding.groups, recoding.sizes, strict=True)
    }


def test_the_nearest_is_where_fewest_steps_are_climbed() -> None:
    """A and B meet after one step of two each; A and Z after two and one."""
    _, recoding = fitted({"town": ["A", "B", "Z", "Z"]}, KAnonymity(2))
    assert rows_of(recoding) == {("north",): 2, ("Z",): 2}
    counts, recoding = fitted({"town": ["A", "Z"], "sex": ["F", "F"]}, KAnonymity(2))
    assert rows_of(recoding) == {("*", "F"): 2}
    assert distortion(counts, recoding) == (1 + 0.5) / 4


def test_all_records_of_both_classes_count() -> None:
    """(A, F) is nearer to one in (B, F) than to two in (A, M), but further from a crowd there.

    With the one, two records climb half a hierarchy: 1. With nine, ten do: 5; and hiding three sexes costs 3.
    """
    _, recoding = fitted({"town": list("ABAA"), "sex": list("FFMM")}, KAnonymity(2))
    assert rows_of(recoding) == {("A", "M"): 2, ("north", "F"): 2}
    crowd = {"town": ["A"] + ["B"] * 9 + ["A"] * 2, "sex": ["F"] * 10 + ["M"] * 2}
    _, recoding = fitted(crowd, KAnonymity(2))
    assert rows_of(recoding) == {("A", "*"): 3, ("B", "F"): 9}


SQUARE = {"x": list("aabb"), "y": list("pqqr")}


def test_every_class_is_equally_likely_to_be_next() -> None:
    """All ends in one class only if (b, q) comes first and then (a, p).

    (b, q) takes (a, q), the first of two equally near. (a, p) and (b, r) are left, as far from each other as from
    that class; (a, p) takes the class, which comes before (b, r), but (b, r) would take (a, p). If another is first,
    (a, p) and (a, q) find each other, or (b, q) and (b, r). So it is one run of four, and then one of two: of 800,
    100 with a standard deviation below 10.
    """
    counts, _ = fitted(SQUARE, KAnonymity(2))
    alone = [
        len(KACA(publish="label").fit_counts(counts, [KAnonymity(2)], seed=seed).sizes) == 1 for seed in range(800)
    ]
    assert 65 < sum(alone) < 135


def test_the_seed_decides() -> None:
    first, second = ([rows_of(fitted(SQUARE, KAnonymity(2), seed=seed)[1]) for seed in range(20)] for _ in range(2))
    assert first == second
    assert any(one != first[0] for one in first)


def test_all_requirements_decide_when_a_class_is_finished() -> None:
    table = {"town": list("AABBZZ"), "ill": ["flu", "flu", "cold", "cold", "flu", "cold"]}
    assert rows_of(fitted(table, KAnonymity(2))[1]) == {("A",): 2, ("B",): 2, ("Z",): 2}
    assert rows_of(fitted(table, KAnonymity(2), LDiversity(2, "ill"))[1]) == {("north",): 4, ("Z",): 2}


def test_improvement_never_loses_more() -> None:
    for seed in range(20):
        plain, better = (
            distortion(*fitted(SQUARE, KAnonymity(2), seed=seed, improve=improve)) for improve in (False, True)
        )
        assert better <= plain
