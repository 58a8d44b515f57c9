"""Two releases with both of their original tables: exact figures, against plain counting of who is where."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr

VALUES = ("cold", "flu", "gout")
SCHEMA = hr.Schema(quasi=["age"], sensitive=["ill"], entity="who")


def quarter(who: list[int], ages: np.ndarray[Any, Any], ills: list[str]) -> pa.Table:
    return pa.table({"who": who, "age": [int(ages[one]) for one in who], "ill": [ills[one] for one in who]})


class Quarters:
    """Two tables of random people, some of whom leave, join or grow older."""

    def __init__(self, seed: int, *, older: int = 0) -> None:
        random = np.random.default_rng(seed)
        people = [int(one) for one in random.permutation(60)]
        ages = random.integers(20, 40, 60)
        ills = [VALUES[one] for one in random.integers(0, 3, 60)]
        self.old = quarter(people[:45], ages, ills)
        self.new = quarter(people[int(random.integers(0, 12)) :], ages + older, ills)

    def together(self, new: hr.Release, old: hr.Release, **others: Any) -> Any:
        given: dict[str, Any] = {"previous": old, "original": self.new, "previous_original": self.old, **others}
        return hr.audit(new, **given).together


def groups(quarters: Quarters, old: hr.Release, new: hr.Release) -> dict[tuple[int, int], set[int]]:
    """The people of each pair of classes, as the recodings have them; -1 is not in it."""
    where: dict[int, list[int]] = defaultdict(lambda: [-1, -1])
    for at, (table, release) in enumerate(((quarters.old, old), (quarters.new, new))):
        rows, recoding = release.recoding.rows, release.recoding
        assert rows is not None
        for who, group in zip(table["who"].to_pylist(), rows.tolist(), strict=True):
            if group >= 0:
                shown = recoding.columns[0].texts[recoding.groups[group, 0]]
                where[who][at] = hash(shown)
    found: dict[tuple[int, int], set[int]] = defaultdict(set)
    for who, (before, after) in where.items():
        found[before, after].add(who)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_every_group_is_counted(seed: int) -> None:
    quarters = Quarters(seed, older=seed % 2)
    old, new = (hr.anonymize(table, SCHEMA, k=3, random_state=1) for table in (quarters.old, quarters.new))
    # Nobody stands in for anybody if no value is shared.
    found = quarters.together(new, old)
    sizes = [len(people) for people in groups(quarters, old, new).values()]
    if not any("joined count for rows" in remark for remark in found.remarks):
        assert found.k == (min(sizes), min(sizes))
        assert found.below == (sum(size for size in sizes if size < 3),) * 2
        assert found.alone == (sizes.count(1),) * 2
    else:
        assert found.k.least >= min(sizes)
    assert (found.exact, found.by_original, found.counted) == (True, True, "people")
    assert found.holds == (found.k.least >= 3)


@pytest.mark.parametrize("seed", range(6))
def test_a_release_beside_an_earlier_one_keeps_its_k_exactly(seed: int) -> None:
    quarters = Quarters(seed, older=seed % 2)
    old = hr.anonymize(quarters.old, SCHEMA, k=3, random_state=1)
    new = hr.anonymize(
        quarters.new,
        SCHEMA,
        k=3,
        random_state=1,
        suppression_limit=1.0,
        previous=old,
        previous_original=quarters.old,
    )
    found = quarters.together(new, old)
    assert found.k.least >= 3
    assert (found.below, found.alone, found.newcomers, found.leavers, found.holds) == ((0, 0), (0, 0), 0, 0, True)


def test_what_becomes_known_is_counted_in_the_groups() -> None:
    """The two who are new have the same illness, and each release shows a class of four."""
    old = quarter([0, 1, 2, 3], np.array([20, 20, 21, 21]), ["cold", "flu", "cold", "flu"])
    new = quarter(
        [0, 1, 2, 3, 4, 5], np.array([20, 20, 21, 21, 20, 21]), ["cold", "flu", "cold", "flu", "gout", "gout"]
    )
    releases = [hr.anonymize(table, SCHEMA, k=4, random_state=1) for table in (old, new)]
    found = hr.audit(releases[1], previous=releases[0], original=new, previous_original=old).together
    assert found is not None
    assert (found.relation, found.same_people, found.k) == ("equal", False, (2, 2))
    assert found.learnt["ill"].alone == 0.0
    assert found.learnt["ill"].together == pytest.approx(2 / 6)
    assert "not everybody is in both" in found.says


def test_private_files_need_each_other() -> None:
    quarters = Quarters(0)
    old, new = (hr.anonymize(table, SCHEMA, k=3, random_state=1) for table in (quarters.old, quarters.new))
    with pytest.raises(hr.BadInput, match=r"previous_original .* is of use only beside previous"):
        quarters.together(new, old, original=None)
    with pytest.raises(hr.BadInput, match="Recodings are of use only beside both original tables"):
        quarters.together(new, old, previous_original=None, recoding=new.recoding)
    with pytest.raises(hr.BadInput, match="A release was made from"):
        quarters.together(new, old, previous_original=quarters.new)
