"""A key tells apart whatever changes a result, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.anonymizers.parameters import flag
from hedgerow.anonymizers.trees.inducers.c45 import induce_c45
from hedgerow.evaluation.cells import Cell, Design, Treatment
from hedgerow.evaluation.learners import learner
from hedgerow.evaluation.learners._ours import C45
from hedgerow.evaluation.splits import splits_of
from hedgerow.evaluation.tables import open_table
from hedgerow.evaluation.ways import Way
from hedgerow.learning import ProportionalEncoder

PEOPLE = pa.table({"age": [20, 30, 40, 50] * 4, "sex": ["m", "f"] * 8, "ill": list("ynyn") * 4})
SCHEMA = hr.Schema(quasi=["age", "sex"], target="ill")


def cell(**changed: Any) -> Cell:
    given: dict[str, Any] = {
        "data": PEOPLE,
        "schema": SCHEMA,
        "protocol": "5x2cv",
        "seed": 0,
        "treatment": Treatment("mondrian", hr.Mondrian(), 2),
        "split": 0,
        "way": Way(),
        "learner": "c45",
        **changed,
    }
    table = open_table(given["data"], given["schema"])
    split = splits_of(table, given["protocol"], given["seed"])[given["split"]]
    of_learner = learner(given["learner"])
    design = Design(table, given["protocol"], given["seed"], {"set": "people"})
    return Cell.of(design, given["treatment"], split, given["way"], of_learner)


class Newer(hr.Mondrian):
    """The same with other results."""

    name = "mondrian"
    results_version = 1_000


CHANGES: list[dict[str, Any]] = [
    {"data": PEOPLE.set_column(0, "age", [[21, 30, 40, 50] * 4])},
    {"schema": hr.Schema(quasi=["age", "sex"], target="ill", weights={"age": 2})},
    {"schema": hr.Schema(quasi=["age"], insensitive=["sex"], target="ill")},
    {"schema": hr.Schema(quasi=["age", "sex"], target="ill", hierarchies={"sex": "flat"})},
    {"protocol": ("cv", 2)},
    {"seed": 1},
    {"split": 1},
    {"split": 2},
    {"treatment": Treatment()},
    {"treatment": Treatment("mondrian", hr.Mondrian(), 3)},
    {"treatment": Treatment("mondrian", hr.Mondrian(relaxed=True), 2)},
    {"treatment": Treatment("mondrian", Newer(), 2)},
    {"treatment": Treatment("mondrian", hr.Mondrian(), 2, ("l=2@ill",))},
    {"treatment": Treatment("mondrian", hr.Mondrian(), 2, (), {"suppression_limit": 0.1})},
    {"way": Way("published", "raw")},
    {"way": Way("published", "recoded")},
    {"learner": "naive-bayes"},
]


@pytest.mark.parametrize("changed", CHANGES, ids=[f"{at}-{next(iter(one))}" for at, one in enumerate(CHANGES)])
def test_another_key(changed: dict[str, Any]) -> None:
    assert cell(**changed).key != cell().key


def test_values_that_a_requirement_does_not_show() -> None:
    keys = {
        cell(treatment=Treatment("mondrian", hr.Mondrian(), 2, (hr.AlphaK(0.5, 2, "ill", value=value),))).key
        for value in ("y", "n", None)
    }
    assert len(keys) == 3


def test_the_same_key() -> None:
    assert cell().key == cell().key
    # What tables call a method is no part of what it finds.
    assert cell(treatment=Treatment("ours", hr.Mondrian(), 2)).key == cell().key


class Wider(hr.Mondrian):
    """A later version, with a parameter more."""

    name = "mondrian"
    added: bool = flag("Nothing.")


@dataclass(frozen=True, kw_only=True)
class Longer(C45):
    """A later version, with a parameter more."""

    added: Sequence[str] = field(default_factory=list)


def test_a_parameter_that_is_added_changes_no_key() -> None:
    before = cell().key
    assert cell(treatment=Treatment("mondrian", Wider(), 2)).key == before
    assert cell(learner=Longer()).key == before
    assert cell(treatment=Treatment("mondrian", Wider(added=True), 2)).key != before
    assert cell(learner=Longer(added=["x"])).key != before


def test_a_default_that_is_spelled_out_changes_no_key() -> None:
    spelled = Treatment("mondrian", hr.Mondrian(cut="loss"), 2, (), {"suppression_limit": 0, "target_bins": None})
    assert cell(treatment=spelled).key == cell().key
    assert cell(schema=hr.Schema(quasi=["age", "sex"], target="ill", missing=[""])).key == cell().key


def test_it_does_not_matter_where_a_parameter_is_given() -> None:
    within = Treatment("mondrian", hr.Mondrian(k=2, require=["l=2@ill"], suppression_limit=0.1))
    beside = Treatment("mondrian", hr.Mondrian(), 2, ("l=2@ill",), {"suppression_limit": 0.1})
    assert cell(treatment=within).key == cell(treatment=beside).key != cell().key


def test_a_class_or_function_that_moves_changes_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    def key() -> str:
        towns = hr.hierarchies.taxonomy({"*": ["m", "f"]})
        return cell(
            schema=hr.Schema(quasi=["age", "sex"], target="ill", hierarchies={"sex": towns}),
            treatment=Treatment("kactus", hr.KActus(inducer=induce_c45), 2),
            way=Way(ProportionalEncoder(), "raw"),
        ).key

    before = key()
    for moved in (hr.KActus, C45, ProportionalEncoder, type(hr.hierarchies.taxonomy({"*": ["m"]})), induce_c45):
        monkeypatch.setattr(moved, "__module__", "hedgerow.elsewhere")
    assert key() == before


def test_another_version_of_a_learner_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cell().key
    monkeypatch.setattr(C45, "results_version", 2, raising=False)
    assert cell().key != before


def test_what_a_result_is_called() -> None:
    assert cell().names == {
        "set": "people",
        "method": "mondrian",
        "k": 2,
        "train": "redrawn",
        "test": "raw",
        "learner": "c45",
        "repetition": 0,
        "fold": 0,
    }
    raw = cell(treatment=Treatment()).names
    assert (raw["method"], raw["train"], raw["test"]) == ("unanonymized", "raw", "raw")
