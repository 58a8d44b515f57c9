"""Tables that do not fit into memory, cut in parts: the release is the one that is made in memory."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.core.counts import LargeTable
from hedgerow.core.recoding import CutTree, Recoding
from hedgerow.engines import FileSource
from hedgerow.engines import _files as files
from hedgerow.engines.workspace import Shares
from hedgerow.errors import Disclosing, Infeasible
from hedgerow.hierarchies import taxonomy
from hedgerow.release import Release

REQUIREMENTS: list[list[Any]] = [
    [],
    [hr.LDiversity(2, "disease")],
    [hr.TCloseness(0.6, "disease")],
    [hr.KAnonymity(3, shield=["town", "age"])],
    [hr.LDiversity(2, "disease"), hr.AlphaK(0.9, 2, "disease")],
]
TOWNS = {"*": {"north": ["Ulm", "Bern"], "south": {"inland": ["Nice"], "coast": ["Bari", "Pisa"]}}}

row = st.fixed_dictionaries(
    {
        "town": st.sampled_from(["Ulm", "Bern", "Nice", "Bari", "Pisa", None]),
        "age": st.one_of(st.none(), st.integers(20, 32)),
        "job": st.sampled_from(["a", "b", "c", "d"]),
        "disease": st.sampled_from(["flu", "cold", "cough"]),
        "class": st.sampled_from(["yes", "no"]),
    }
)
KINDS = {"town": pa.string(), "age": pa.int64(), "job": pa.string(), "disease": pa.string(), "class": pa.string()}


class TinyShares(Shares):
    """So small that only a few tuples fit."""

    tuples: int = 1

    def most_tuples(self, columns: int) -> int:
        return self.tuples


def released(path: Path, schema: hr.Schema, most: int, **options: Any) -> Release | str:
    """The release with room for so many tuples, or why there is none."""
    shares = TinyShares(10**9, 10**9)
    object.__setattr__(shares, "tuples", most)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "divided", lambda _limit: shares)
        try:
            return hr.anonymize(path, schema, random_state=1, **options)
        except Infeasible as refused:
            return str(refused)


def rows_of(release: Release) -> Counter[tuple[Any, ...]]:
    return Counter(release.table.fetchall())


def same_router(one: Recoding, other: Recoding) -> bool:
    """Whether two trees of cuts send every combination of places to the same group."""
    assert isinstance(one.router, CutTree)
    assert isinstance(other.router, CutTree)
    sizes = [len(order) for order in one.router.orders]
    places = [grid.ravel() for grid in np.meshgrid(*(2 * np.arange(size) for size in sizes))]
    return np.array_equal(one.router.route(places), other.router.route(places))


@given(
    st.lists(row, min_size=8, max_size=70),
    st.integers(6, 16),  # all cells of a tuple fit
    st.integers(2, 5),
    st.sampled_from(REQUIREMENTS),
    st.sampled_from(["auto", "set", "label"]),
    st.sampled_from(["held", "region"]),
    st.booleans(),
    st.booleans(),
)
@examples(60, suppress_health_check=[HealthCheck.too_slow])
def test_parts_make_the_same_release(
    rows: list[dict[str, Any]],
    most: int,
    k: int,
    require: list[Any],
    publish: str,
    cells: str,
    trees: bool,
    weighted: bool,
) -> None:
    if all(one["town"] is None for one in rows) or all(one["age"] is None for one in rows):
        return
    schema = hr.Schema(
        quasi=["town", "age", "job"],
        sensitive=["disease"],
        target="class",
        hierarchies={"town": taxonomy(TOWNS)} if trees else {},
        weights={"age": 2.0} if weighted else {},
    )
    options = {"k": k, "require": require, "publish": publish, "cells": cells, "publish_proportions": not require}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        pq.write_table(pa.table({name: pa.array([one[name] for one in rows], KINDS[name]) for name in KINDS}), path)
        whole = released(path, schema, 10**6, **options)
        parts = released(path, schema, most, **options)
        if isinstance(whole, str) or isinstance(parts, str):
            assert whole == parts
            return
        one, other = whole.recoding, parts.recoding
        assert other.pieces is None or other.parts is None
        assert np.array_equal(one.groups, other.groups)
        assert np.array_equal(one.sizes, other.sizes)
        assert [column.texts for column in one.columns] == [column.texts for column in other.columns]
        assert same_router(one, other)
        assert rows_of(whole) == rows_of(parts)
        assert whole.losses == pytest.approx(parts.losses, rel=1e-12, abs=1e-12)
        assert whole.proportions is None or parts.proportions is not None
        if whole.proportions is not None and parts.proportions is not None:
            assert whole.proportions.to_dict() == parts.proportions.to_dict()
        if other.parts is not None:
            groups = np.concatenate([pieces.group for _, pieces in other.parts])
            assert np.array_equal(np.bincount(groups) > 0, np.ones(len(other.groups), dtype=bool))
            assert max(end - start for start, end in other.parts.bounds) <= most


@given(
    st.lists(row, min_size=8, max_size=70),
    st.integers(6, 16),  # all cells of a tuple fit
    st.integers(2, 4),
    st.sampled_from(REQUIREMENTS),
    st.sampled_from([(0, 1), (0, 2), (1, 1), (1, 2), (1, 3), (2, 3)]),
    st.sampled_from([None, (1, 1), (1, 2), (0, 1)]),
)
@examples(60, suppress_health_check=[HealthCheck.too_slow])
def test_parts_keep_limits_on_levels_as_memory_does(
    rows: list[dict[str, Any]],
    most: int,
    k: int,
    require: list[Any],
    towns: tuple[int, int],
    ages: tuple[int, int] | None,
) -> None:
    if all(one["town"] is None for one in rows) or all(one["age"] is None for one in rows):
        return
    schema = hr.Schema(
        quasi=["town", "age", "job"],
        sensitive=["disease"],
        target="class",
        hierarchies={"town": taxonomy(TOWNS), "age": "intervals:4,8"},
        levels={"town": towns} | ({} if ages is None else {"age": ages}),
    )
    options = {"k": k, "require": require, "publish_proportions": not require}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        pq.write_table(pa.table({name: pa.array([one[name] for one in rows], KINDS[name]) for name in KINDS}), path)
        whole = released(path, schema, 10**6, **options)
        parts = released(path, schema, most, **options)
        if isinstance(whole, str) or isinstance(parts, str):
            assert isinstance(whole, str) == isinstance(parts, str), (whole, parts)
            return
        assert rows_of(whole) == rows_of(parts)
        assert whole.losses == pytest.approx(parts.losses, rel=1e-12, abs=1e-12)
        if whole.proportions is not None and parts.proportions is not None:
            assert whole.proportions.to_dict() == parts.proportions.to_dict()


def test_the_table_is_really_cut_in_parts(tmp_path: Path) -> None:
    """What the test above compares: several parts, several cuts before them, and a part that cannot be cut."""
    random = np.random.default_rng(3)
    table = pa.table(
        {
            "age": random.integers(0, 60, 600),
            "town": random.choice(["a", "b", "c", "d", "e"], 600),
            "one": pa.array(["x"] * 600),
        }
    )
    pq.write_table(table, tmp_path / "people.parquet")
    schema = hr.Schema(quasi=["age", "town", "one"])
    parts = released(tmp_path / "people.parquet", schema, 20, k=5)
    assert isinstance(parts, Release)
    assert parts.recoding.parts is not None
    assert len(parts.recoding.parts.bounds) > 10
    # Where k is large, ranges that cannot be cut are still larger than what fits.
    few = released(tmp_path / "people.parquet", schema, 20, k=200)
    assert isinstance(few, Release)
    assert few.recoding.parts is not None
    assert len(few.recoding.groups) < len(few.recoding.parts.bounds)
    whole = released(tmp_path / "people.parquet", schema, 10**6, k=200)
    assert isinstance(whole, Release)
    assert whole.recoding.parts is None
    assert rows_of(whole) == rows_of(few)


def test_kept_tuples_are_asked_for_only_above_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"age": list(range(10))}), tmp_path / "people.parquet")
    shares = TinyShares(10**9, 10**9)
    object.__setattr__(shares, "tuples", 9)
    monkeypatch.setattr(files, "divided", lambda _limit: shares)
    schema = hr.Schema(quasi=["age"])
    source = FileSource(hr.File(tmp_path / "people.parquet"))
    counts = source.count(schema, schema.resolve(source.columns)).counted
    assert isinstance(counts, LargeTable)
    assert (counts.cells, counts.most, counts.rows) == (10, 9, 10)
    with pytest.raises(hr.BadInput, match="10 distinct tuples of the counted columns, and 9 of them fit"):
        _ = source.count(schema, schema.resolve(source.columns)).counts


def test_one_value_against_the_rest_is_a_first_cut(tmp_path: Path) -> None:
    """Of three towns the one in the middle has other ages, so the others are cut from it together."""
    random = np.random.default_rng(5)
    town = random.choice(["a", "b", "c"], 400)
    age = np.where(town == "b", 70, 20) + random.integers(0, 9, 400)
    pq.write_table(pa.table({"town": town, "age": age, "job": random.integers(0, 9, 400)}), tmp_path / "p.parquet")
    schema = hr.Schema(quasi=["town", "age", "job"])
    whole, parts = (released(tmp_path / "p.parquet", schema, most, k=4, publish="set") for most in (10**6, 90))
    assert isinstance(whole, Release)
    assert isinstance(parts, Release)
    assert isinstance(parts.recoding.router, CutTree)
    assert parts.recoding.router.single[0]
    assert same_router(whole.recoding, parts.recoding)
    assert rows_of(whole) == rows_of(parts)


LABELLED = hr.Schema(quasi=["age", "town", "hours", "job"], sensitive=["ill"], target="class")


def same_releases(path: Path, schema: hr.Schema, most: int, **options: Any) -> Release | None:
    """The release from parts, which must be the one from memory; none if too much of it goes up, or nothing is."""
    whole = released(path, schema, 10**6, **options)
    try:
        parts = released(path, schema, most, **options)
    except hr.BadInput as refused:
        if "leaves hand up more than fits" not in str(refused):
            raise
        return None
    if isinstance(whole, str) or isinstance(parts, str):
        assert whole == parts
        return None
    one, other = whole.recoding, parts.recoding
    assert np.array_equal(one.groups, other.groups)
    assert np.array_equal(one.sizes, other.sizes)
    assert [column.texts for column in one.columns] == [column.texts for column in other.columns]
    assert one.facts == other.facts
    assert one.warnings == other.warnings
    assert same_router(one, other)
    assert rows_of(whole) == rows_of(parts)
    assert whole.losses == pytest.approx(parts.losses, rel=1e-12, abs=1e-12)
    if whole.proportions is not None:
        assert parts.proportions is not None
        assert whole.proportions.to_dict() == parts.proportions.to_dict()
    return parts


def labelled(seed: int, rows: int, noise: float) -> pa.Table:
    """Labels that depend on the columns, with noise: trees of several levels, of which some branches are raised."""
    random = np.random.default_rng(seed)
    age, hours = random.integers(0, random.integers(2, 40), rows), random.integers(0, 12, rows)
    town = random.choice(list("abcde-"), rows, p=[0.4, 0.3, 0.1, 0.1, 0.05, 0.05])
    job = random.choice(list("uvwxyz"), rows, p=[0.4, 0.3, 0.2, 0.06, 0.03, 0.01])
    score = (age > 12) + 2 * np.isin(town, ["a", "b"]) * (hours > 5) + (job == "u") * (age > 20)
    label = np.where(random.random(rows) < noise, random.integers(0, 3, rows), score % 3)
    ill = random.choice(["flu", "cold", "cough"], rows, p=[0.6, 0.3, 0.1])
    towns = pa.array([None if one == "-" else one for one in town.tolist()], pa.string())
    columns = {"age": age, "town": towns, "hours": hours, "job": job}
    return pa.table({**columns, "ill": ill, "class": label.astype(str)})


@given(
    st.integers(0, 2**32),
    st.integers(60, 500),
    st.integers(6, 60),
    st.integers(1, 12),
    st.sampled_from(["k", 1, 2]),
    st.sampled_from([0.0, 0.1, 0.3, 0.6, 1.0]),
    st.sampled_from([[], [hr.LDiversity(2, "ill")], [hr.TCloseness(0.5, "ill")], [hr.AlphaK(0.8, 2, "ill")]]),
    st.sampled_from(["value", "set"]),
)
@example(527603371, 494, 37, 8, 1, 0.6, [hr.LDiversity(2, "ill")], "value")  # a branch is raised, and pruned again
@example(1013818839, 73, 35, 10, 1, 0.0, [hr.LDiversity(2, "ill")], "value")  # a leaf lends to its parent and the root
@examples(60, suppress_health_check=[HealthCheck.too_slow])
def test_parts_make_the_same_release_along_a_tree(
    seed: int, rows: int, most: int, k: int, min_objects: Any, noise: float, require: list[Any], publish: str
) -> None:
    options = {"k": k, "min_objects": min_objects, "require": require, "publish": publish}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        pq.write_table(labelled(seed, rows, noise), path)
        proportions = not require and k > 1
        same_releases(path, LABELLED, most, method="kactus", publish_proportions=proportions, **options)


def test_first_nodes_are_raised_and_bags_go_up(tmp_path: Path) -> None:
    """What the test above compares: groups of split cells, parts, and trees of several levels before them."""
    dealt = parts = lent = 0
    for seed in range(6):
        pq.write_table(labelled(seed, 900, 0.1), tmp_path / "people.parquet")
        release = same_releases(tmp_path / "people.parquet", LABELLED, 60, method="kactus", k=9, min_objects=2)
        assert release is not None
        assert release.recoding.parts is not None
        parts += len(release.recoding.parts.bounds)
        dealt += release.recoding.parts.dealt is not None
        lent += release.recoding.facts["records_lent"]
    assert parts > 30
    assert dealt
    assert lent > 20


@pytest.mark.parametrize("depth", [1, 2])
def test_first_nodes_that_label_no_better_become_leaves(depth: int, tmp_path: Path) -> None:
    """Half of the people have one label, and of the others half: to ask which half it is makes no error fewer.

    Pruning alone would leave the question, for it expects fewer errors of the two halves than of the whole.
    """
    ages = np.arange(1_200)
    second = ages >= 600
    label = np.where(second & (ages % 2 == 1), "no", "yes")
    # In the second half each tuple but for the label comes twice, so that nothing else tells the label.
    columns = {"town": np.where(second, "b", "a"), "age": np.where(second, ages // 2 * 2, ages)}
    if depth == 2:
        columns["job"] = np.where(ages % 600 < 300, "x", "y")
        label = np.where(columns["job"] == "y", "no", label)
    pq.write_table(pa.table({**columns, "class": label}), tmp_path / "people.parquet")
    schema = hr.Schema(quasi=list(columns), target="class", rows_are_people=True)
    release = same_releases(tmp_path / "people.parquet", schema, 100, method="kactus", k=2, min_objects=2)
    assert release is not None
    assert release.recoding.parts is not None
    assert len(release.recoding.groups) == depth


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"inducer": "cart"}, "only inducer='c45' grows a tree"),
        ({"donors": "greedy"}, "only donors='random'"),
        ({"numbers": "mean"}, "only numbers='median'"),
        ({"reading": "literal"}, "only reading='sensible'"),
        ({"remainder": "lose", "suppression_limit": 0.1}, "only remainder='merge'"),
        ({"expand": True}, "expand=True is not possible"),
        ({"suppression_limit": 0.1}, "no record can be given up"),
    ],
)
def test_what_cannot_be_done_along_a_tree_in_parts(tmp_path: Path, options: dict[str, Any], why: str) -> None:
    pq.write_table(labelled(1, 200, 0.1), tmp_path / "people.parquet")
    with pytest.raises(hr.BadInput, match=why) as refused:
        released(tmp_path / "people.parquet", LABELLED, 20, method="kactus", k=3, **options)
    assert "distinct tuples of the counted columns, and 20 of them fit" in str(refused.value)


def test_missing_numbers_and_too_much_that_goes_up_are_refused(tmp_path: Path) -> None:
    table = labelled(1, 200, 0.1)
    gaps = pa.array([None if at == 7 else hour for at, hour in enumerate(table["hours"].to_pylist())], pa.int64())
    pq.write_table(table.set_column(2, "hours", gaps), tmp_path / "gaps.parquet")
    with pytest.raises(hr.BadInput, match=r"and 20 of them fit.* no number may be missing, and some of 'hours' are"):
        released(tmp_path / "gaps.parquet", LABELLED, 20, method="kactus", k=3)
    # Nearly every category has fewer records than k, but two.
    town = ["a"] * 60 + ["b"] * 60 + [f"town {at // 4}" for at in range(80)]
    label = ["yes"] * 60 + ["no"] * 60 + ["yes", "yes", "yes", "yes", "no", "no", "no", "no"] * 10
    many = pa.table({"town": town, "age": np.random.default_rng(1).permutation(200), "class": label})
    pq.write_table(many, tmp_path / "many.parquet")
    with pytest.raises(hr.BadInput, match=r"200 distinct tuples .* leaves hand up more than fits"):
        released(tmp_path / "many.parquet", hr.Schema(quasi=["town", "age"], target="class"), 15, method="kactus", k=30)


@pytest.mark.parametrize("most", [10**9, 300])
def test_columns_in_clear_are_judged_with_those_that_were_counted(most: int, tmp_path: Path) -> None:
    """A column beside the target that spells a town together with it, though neither tells anything alone."""
    random = np.random.default_rng(7)
    town, key = random.integers(0, 36, (2, 3_000))
    rows = {"age": random.integers(20, 90, 3_000), "town": town, "key": key, "class": (town + key) % 36}
    place = tmp_path / "people.parquet"
    pq.write_table(pa.table({**rows, "town": [f"T{at}" for at in town]}), place)
    schema = hr.Schema(quasi=["age", "town"], insensitive=["key"], target="class")
    with pytest.raises(Disclosing, match="'key', 'class' together reveal"):
        released(place, schema, most, method="mondrian", k=60)


@pytest.mark.parametrize("most", [10**9, 300])
def test_what_the_quasi_identifiers_determine_is_verified_with_them(most: int, tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    age = random.integers(20, 90, 3_000)
    towns = random.integers(0, 12, 3_000)
    held = {"age": age, "town": [f"T{at}" for at in towns], "parity": age % 2, "region": towns // 6}
    place = tmp_path / "people.parquet"
    pq.write_table(pa.table({**held, "class": random.integers(0, 9, 3_000)}), place)
    schema = hr.Schema(quasi=["age", "town"], insensitive=["parity"], target="class", others="drop")
    with pytest.raises(Disclosing, match=r"'parity' is known to anyone who knows 'age'\. With 'parity' 9-anonymity"):
        released(place, schema, most, method="mondrian", k=9)
    hierarchies = {"town": taxonomy({"*": {f"R{at}": [f"T{6 * at + one}" for one in range(6)] for at in range(2)}})}
    schema = hr.Schema(
        quasi=["age", "town"], insensitive=["region"], target="class", others="drop", hierarchies=hierarchies
    )
    release = released(place, schema, most, method="mondrian", k=9)
    assert isinstance(release, Release)
    assert release.audit.determined == {"region": ("town",)}
    columns = [release.table.fetchall(), [str(name) for name in release.table.columns]]
    at = [columns[1].index(name) for name in ("age", "town", "region")]
    together = Counter(tuple(row[each] for each in at) for row in columns[0])
    assert release.audit.k_determined == min(together.values()) >= 9
