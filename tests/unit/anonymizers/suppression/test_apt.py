"""APT: the pruning against a plain one, what leaves publish, the tree and the pseudo-data."""

from __future__ import annotations

import datetime
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import APT, BadInput, KAnonymity, LDiversity, Release, Schema, TCloseness
from hedgerow.anonymizers.budget import Reduced
from hedgerow.anonymizers.suppression.apt import _pruned
from hedgerow.anonymizers.trees import ByThreshold, ByValue, Leaf
from hedgerow.anonymizers.trees.inducers.inducer import grow
from hedgerow.anonymizers.trees.nodes.paths import PathTree
from hedgerow.core.counts import FrequencyTable
from hedgerow.release import pipeline

QUASI = ("age", "sex", "town")


def people(rows: int, seed: int) -> pa.Table:
    """A table whose label follows from two columns and chance, with some gaps."""
    random = np.random.default_rng(seed)
    age, sex = random.integers(18, 80, rows), random.choice(["F", "M"], rows)
    yes = ((age > 45) == (sex == "F")) ^ (random.random(rows) < 0.15)
    return pa.table(
        {
            "age": [None if gap else int(one) for one, gap in zip(age, random.random(rows) < 0.05, strict=True)],
            "sex": sex.tolist(),
            "town": random.choice(["Bonn", "Köln", "Lyon", "Nice"], rows, p=[0.5, 0.3, 0.15, 0.05]).tolist(),
            "ill": random.choice(["cold", "flu", "none"], rows).tolist(),
            "pay": np.where(yes, "high", "low").tolist(),
        }
    )


SCHEMA = Schema(quasi=QUASI, target="pay", sensitive=["ill"])


def released(table: pa.Table, k: int, tree: Any = None, **parameters: Any) -> Release:
    inducer: dict[str, Any] = {} if tree is None else {"inducer": lambda _: tree}
    others = [name for name in table.column_names if name != "pay"]
    schema = SCHEMA if set(QUASI) <= set(others) else Schema(quasi=others, target="pay")
    return APT(k=k, **inducer, **parameters).anonymize(table, schema, random_state=0)


def rows_of(table: Any, names: Sequence[str]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row[name] for name in names) for row in table.to_pylist())


# Pruning


def plain(tree: PathTree, counts: FrequencyTable, k: int, diverse: int) -> set[frozenset[int]]:
    """The leaves of the pruned tree as sets of tuples, by recursion from the leaves upwards."""
    leaf = tree.leaves_of(counts).tolist()
    ill = counts.values_of("ill").tolist()

    def complies(tuples: frozenset[int]) -> bool:
        cells = [at for at, one in enumerate(counts.cell_tuple.tolist()) if one in tuples]
        return counts.cell_sizes[cells].sum() >= k and len({ill[at] for at in cells}) >= diverse

    def leaves(node: int) -> list[frozenset[int]]:
        if tree.column[node] < 0:
            here = frozenset(at for at, one in enumerate(leaf) if one == node)
            return [here] if here else []
        branches = [leaves(child) for child in tree.children(node)]
        found = [one for branch in branches for one in branch]
        if all(complies(branch[0]) for branch in branches if len(branch) == 1):
            return found
        return [frozenset().union(*found)]

    return set(leaves(0))


@pytest.mark.parametrize("inducer", ["c45", "cart"])
@pytest.mark.parametrize(("k", "diverse"), [(2, 1), (5, 3), (20, 3)])
@pytest.mark.parametrize("seed", range(4))
def test_the_pruned_tree_equals_a_plain_one(inducer: str, k: int, diverse: int, seed: int) -> None:
    requirements = (KAnonymity(k), LDiversity(diverse, "ill"))
    prepared = pipeline.prepare(people(300, seed), SCHEMA, requirements, random_state=0)
    tree = grow(inducer, prepared.counts, 1, "APT")
    found = _pruned(tree, prepared.counts, prepared.requirements)
    groups = {frozenset(np.flatnonzero(found == one).tolist()) for one in np.unique(found)}
    assert groups == plain(tree, prepared.counts, k, diverse)


SIX = pa.table({"age": [20, 25, 31, 40, 50, 60], "sex": list("FFMMFM"), "pay": ["low"] * 3 + ["high"] * 3})


def test_a_question_with_a_small_branch_is_taken_back() -> None:
    """Of the young two are women and one is a man; so that question goes, and the one about age stays."""
    tree = ByThreshold("age", 35, low=ByValue("sex", {"F": Leaf(), "M": Leaf()}), high=Leaf())
    release = released(SIX, 2, tree)
    assert rows_of(release.table, ("age", "sex")) == {("[20,32)", "*"): 3, ("[40,60]", "*"): 3}
    assert release.recoding.facts == {"grown_leaves": 3, "leaves": 2}
    whole = released(SIX, 1, tree)
    assert rows_of(whole.table, ("age", "sex")) == {("[20,32)", "F"): 2, ("[20,32)", "M"): 1, ("[40,60]", "*"): 3}


def test_a_tree_that_is_pruned_to_its_root_says_so() -> None:
    release = released(SIX, 4, ByThreshold("age", 35, low=Leaf(), high=Leaf()))
    assert rows_of(release.table, ("age", "sex")) == {("*", "*"): 6}
    assert "No question of the tree" in release.recoding.warnings[0]


@pytest.mark.parametrize("require", [[LDiversity(3, "ill")], [TCloseness(0.2, "ill")]], ids=["l", "t"])
def test_other_requirements_hold_in_every_leaf(require: list[Any]) -> None:
    release = released(people(400, 1), 5, require=require, inducer="cart", min_objects=1)
    assert release.audit.k >= 5
    assert release.facts["guaranteed"]
    assert 1 < len(release.recoding.groups) < release.recoding.facts["grown_leaves"]


# What a leaf publishes


def test_a_branch_that_nobody_reaches_is_not_published() -> None:
    tree = ByValue("sex", {"F": ByThreshold("age", 55, low=Leaf(), high=Leaf()), "M": Leaf()})
    table = pa.table({"age": [20, 25, 50, 60], "sex": list("FFFM"), "pay": list("aabb")})
    assert rows_of(released(table, 1, tree).table, ("age", "sex")) == {("[20,51)", "F"): 3, ("*", "M"): 1}


def test_a_single_number_and_a_gap() -> None:
    table = pa.table({"age": [20, 30, 30, None, 40, 40], "pay": list("aabbcc")})
    tree = ByThreshold("age", 25, low=Leaf(), high=ByThreshold("age", 35, low=Leaf(), high=Leaf()), missing=Leaf())
    found = rows_of(released(table, 1, tree).table, ("age",))
    assert found == {("[20,21)",): 1, ("[30,31)",): 2, ("[40,40]",): 2, (None,): 1}


def test_a_number_of_nobody_is_not_named() -> None:
    """The oldest is not in the table that the method sees, but still in the domain of the column."""
    schema = Schema(quasi=["age", "sex"], target="pay")
    counts = pipeline.prepare(SIX, schema, [KAnonymity(2)], random_state=0).counts
    oldest = counts.cell_tuple == counts.tuples[:, 0].argmax()
    tree = ByThreshold("age", 35, low=Leaf(), high=Leaf())
    fewer = Reduced.of(counts, np.where(oldest, counts.cell_sizes, 0)).counts
    recoding = APT(inducer=lambda _: tree).fit_counts(fewer, [KAnonymity(2)])
    assert set(recoding.columns[0].texts) == {"[20,32)", "[40,51)"}


def test_dates_are_shown_as_intervals() -> None:
    days = [datetime.date(2020, 1, day) for day in (1, 2, 10, 11)]
    table = pa.table({"born": days, "pay": list("aabb")})
    tree = ByThreshold("born", (datetime.date(2020, 1, 5) - datetime.date(1970, 1, 1)).days, low=Leaf(), high=Leaf())
    found = rows_of(released(table, 2, tree).table, ("born",))
    assert found == {("[2020-01-01,2020-01-03)",): 2, ("[2020-01-10,2020-01-12)",): 2}


# The tree, which says what the table says


@pytest.mark.parametrize("seed", range(3))
def test_the_paths_are_the_classes_of_the_table(seed: int) -> None:
    release = released(people(400, seed), 8, inducer="cart")
    labels: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    for row in release.table.to_pylist():
        labels[tuple(row[name] for name in QUASI)][row["pay"]] += 1
    paths = APT.paths(release)
    assert len(paths) == len(labels) > 2
    for path in paths:
        held = labels[tuple(path["conditions"].get(name, "*") for name in QUASI)]
        assert path["people"] == held.total() >= 8
        assert path["shares"] == {label: round(held[label] / held.total(), 2) for label in sorted(held)}


def test_the_tree_and_the_pseudo_data_are_functions_of_the_saved_table(tmp_path: Path) -> None:
    """Whoever has the files can compute both: they reveal nothing beyond the table."""
    release = released(people(400, 1), 8, inducer="cart")
    loaded = Release.load(release.save(tmp_path / "out.csv"))
    assert json.dumps(APT.paths(loaded)) == json.dumps(APT.paths(release))
    assert APT.export_text(loaded) == APT.export_text(release)
    assert "missing" in APT.export_text(release)
    manifest = (tmp_path / "out.csv.manifest.json").read_text(encoding="utf-8")
    assert "Bonn" not in manifest
    drawn = hr.learning.redraw(loaded, 2, 3, shares="uniform").arrow().read_all()
    again = hr.learning.redraw(tmp_path / "out.csv", 2, 3, shares="uniform").arrow().read_all()
    assert rows_of(drawn, QUASI) == rows_of(again, QUASI)


def test_pseudo_data_lie_uniformly_along_their_paths() -> None:
    table = pa.table({"age": list(range(20, 60)) * 25, "sex": ["F", "M"] * 500})
    pay = [
        "low" if age < 40 else sex
        for age, sex in zip(*(table[name].to_pylist() for name in table.column_names), strict=True)
    ]
    tree = ByThreshold("age", 39.5, low=Leaf(), high=ByValue("sex", {"F": Leaf(), "M": Leaf()}))
    release = released(table.append_column("pay", pa.array(pay)), 100, tree)
    drawn = hr.learning.redraw(release, 4, 0, shares="uniform").to_pylist()
    assert Counter(row["pay"] for row in drawn) == {"low": 2000, "F": 1000, "M": 1000}
    young = Counter(row["age"] for row in drawn if row["pay"] == "low")
    assert set(young) == set(range(20, 40))
    assert max(young.values()) < 2 * min(young.values())
    assert {row["sex"] for row in drawn if row["pay"] == "F"} == {"F"}
    assert 800 < sum(row["sex"] == "F" for row in drawn if row["pay"] == "low") < 1200


def test_pseudo_data_are_saved_beside_the_release_as_redrawn_rows(tmp_path: Path) -> None:
    release = released(people(400, 2), 8, inducer="cart", publish_proportions=True)
    release.save(tmp_path / "out.csv", redrawn=2)
    manifest = json.loads((tmp_path / "out.redrawn.csv.manifest.json").read_text(encoding="utf-8"))
    assert (manifest["rows"], manifest["columns"]["drawn"]) == (800, list(QUASI))


def test_only_a_release_of_apt_has_paths() -> None:
    release = hr.anonymize(people(100, 0), SCHEMA, method="kactus", k=5, random_state=0)
    with pytest.raises(BadInput, match="made by kactus"):
        APT.paths(release)


def test_unseen_rows_go_to_their_leaf() -> None:
    tree = ByThreshold("age", 35, low=ByValue("sex", {"F": Leaf(), "M": Leaf()}), high=Leaf())
    release = released(SIX, 2, tree)
    new = release.recoding.transform(pa.table({"age": [30, 36, 90], "sex": ["X", "M", "F"]}))
    assert new.to_pylist() == [
        {"age": "[20,32)", "sex": "*"},
        {"age": "[40,60]", "sex": "*"},
        {"age": "[40,60]", "sex": "*"},
    ]
