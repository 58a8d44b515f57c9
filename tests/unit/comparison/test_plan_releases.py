"""The figures of one release, and what tells results apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow._internal.rounding import digits_shown, significant
from hedgerow.comparison.choices import Cells
from hedgerow.comparison.page import same_releases
from hedgerow.comparison.plan import PartJob, ReleaseJob, figures_of
from hedgerow.evaluation.api import trials_of
from hedgerow.evaluation.cells import Treatment
from hedgerow.evaluation.learners import learner
from hedgerow.evaluation.store import Store
from hedgerow.evaluation.tables import open_rows, open_table
from hedgerow.evaluation.ways import Way

CENSUS = hr.datasets.make_census(1_500, random_state=1)
SCHEMA = hr.Schema(quasi=["age", "sex", "education"], target="income", sensitive=["disease"], others="drop")


def job(schema: hr.Schema = SCHEMA, seed: int = 0, data: Any = CENSUS, **treated: Any) -> ReleaseJob:
    treatment = Treatment("mondrian", treated.pop("method", hr.Mondrian()), treated.pop("k", 5), **treated)
    return ReleaseJob(open_rows(data, schema), seed, treatment)


def result(tmp_path: Path, **given: Any) -> dict[str, Any]:
    (found,) = job(**given).staged(tmp_path)()
    return found


def test_figures_are_those_of_the_audit_rounded() -> None:
    release = hr.anonymize(CENSUS, SCHEMA, k=5, random_state=0, publish_proportions=True)
    found, audit = figures_of(release, 5), release.audit
    digits = digits_shown(1_500)
    assert digits == 2
    assert (found["k_reached"], found["highest_risk"]) == (5, 0.2)
    assert found["average_risk"] == significant(audit.risks.prosecutor.average, 2) != audit.risks.prosecutor.average
    assert found["label_disclosure"] == significant(audit.label_homogeneity["income"], 2)
    assert found["sensitive_disclosure"] == significant(audit.label_homogeneity["disease"], 2)
    assert found["ncp_kept"] == round(1 - audit.losses["ncp"], 2)
    assert found["surest_guess"] == significant(max(one.posterior for one in audit.proportions.values()), 2)
    assert found["classes"] == round(significant(audit.classes.number, 2)) != audit.classes.number


@pytest.mark.parametrize("method", ["mondrian", "optimal", "kactus"])
@pytest.mark.parametrize("entity", [None, "who"])
def test_cells_are_counted_as_they_are_written(method: str, entity: str | None) -> None:
    people = CENSUS.append_column("who", pa.array([f"p{at // 2}" for at in range(len(CENSUS))]))
    schema = hr.Schema(
        quasi=["age", "sex", "education"], target="income", entity=entity, identifying=["who"], others="drop"
    )
    limit: dict[str, Any] = {} if method == "kactus" else {"suppression_limit": 0.05}
    release = hr.anonymize(people, schema, k=20, method=method, random_state=0, **limit)
    written = [cell for name in ("age", "sex", "education") for cell in release.table[name].to_pylist()]
    starred = sum(cell == "*" for cell in written) / len(written)
    original = {str(cell) for name in ("age", "sex", "education") for cell in CENSUS[name].to_pylist()}
    untouched = sum(str(cell) in original for cell in written) / len(written)

    found = Cells(*figures_of(release, 20)["cells"])
    assert found.suppressed == pytest.approx(starred, abs=0.006)
    assert found.untouched == pytest.approx(untouched, abs=0.006)
    assert sum(found) == pytest.approx(1, abs=0.02)


def test_the_very_same_table_is_recognised() -> None:
    schema = hr.Schema(quasi=["age", "sex"], others="drop", hierarchies={"age": "intervals:30,60", "sex": "flat"})
    small, same, other = (hr.anonymize(CENSUS, schema, k=k, method="optimal") for k in (5, 6, 400))
    assert [one.audit.k for one in (small, same)] == [small.audit.k] * 2
    prints = [figures_of(one)["same"] for one in (small, same, other)]
    assert prints[0] == prints[1] != prints[2]
    found = hr.compare(CENSUS, schema, methods=["optimal"], k=[5, 6, 400], workers=1, risk_threshold=0.2)
    assert [one.alike for one in found.choices] == [(6,), (5,), ()]
    assert prints[0] not in str(found.to_dict()), "what could confirm a guess of the whole table stays private"
    assert same_releases(found) == [
        "optimal gives the very same table with k = 5, 6: take the largest, for it promises most."
    ]


def test_the_smallest_class_is_rounded_down_but_not_below_k() -> None:
    everybody = hr.Schema(quasi=["sex"], others="drop", hierarchies={"sex": "flat"})
    release = hr.anonymize(CENSUS.slice(0, 1_234), everybody, method="datafly", k=700)
    assert release.audit.k == 1_234
    assert figures_of(release, 700)["k_reached"] == 1_200
    assert figures_of(release, 1_230)["k_reached"] == 1_230
    assert figures_of(release)["highest_risk"] == 1 / 1_200


def test_a_release_and_what_cannot_be_one(tmp_path: Path) -> None:
    assert result(tmp_path)["status"] == "done"
    infeasible = result(tmp_path, require=("l=13@disease",))
    assert infeasible["status"] == "infeasible"
    assert "k_reached" not in infeasible
    tells = hr.Schema(quasi=["age", "sex"], insensitive=["name"], others="drop")
    disclosing = result(tmp_path, schema=tells)
    assert disclosing["status"] == "disclosing"
    assert "'name'" in disclosing["reason"]


def test_a_part_that_discloses_does_not_end_the_run(tmp_path: Path) -> None:
    schema = hr.Schema(quasi=["age", "sex"], insensitive=["name"], target="income", others="drop")
    table = open_table(CENSUS, schema)
    treatment = Treatment("mondrian", hr.Mondrian(), 5)
    trials = trials_of(table, "holdout", 0, [treatment], [Way("published")], [learner("naive-bayes")])
    (found,) = PartJob(table, 0, trials[1]).staged(tmp_path)()
    assert (found["status"], found["method"]) == ("disclosing", "mondrian")


def part(tmp_path: Path, people: pa.Table, schema: hr.Schema, taught: str = "naive-bayes") -> dict[str, Any]:
    table = open_table(people, schema)
    treatment = Treatment("mondrian", hr.Mondrian(), 2)
    trials = trials_of(table, "holdout", 0, [treatment], [Way("published")], [learner(taught)])
    (found,) = PartJob(table, 0, trials[1]).staged(tmp_path)()
    return found


def test_nor_does_a_part_that_is_no_table_to_publish(tmp_path: Path) -> None:
    """One of thirty towns is known, and it is among the test rows."""
    for at in range(30):
        town = [None] * at + ["Ulm"] + [None] * (29 - at)
        people = pa.table({"town": pa.array(town), "age": [1, 2] * 15, "ill": ["y", "n", "n"] * 10})
        found = part(tmp_path, people, hr.Schema(quasi=["town", "age"], target="ill"))
        if found["status"] != "done":
            break
    assert found["status"] == "failed"
    assert "'town'" in found["reason"]


CHANGES: list[dict[str, Any]] = [
    {"seed": 1},
    {"k": 6},
    {"method": hr.Mondrian(relaxed=True)},
    {"parameters": {"suppression_limit": 0.02}},
    {"require": ("l=2@disease",)},
    {"data": CENSUS.slice(1)},
    {"schema": hr.Schema(quasi=["age", "sex"], target="income", others="drop")},
]


@pytest.mark.parametrize("changed", CHANGES, ids=lambda one: next(iter(one)))
def test_another_key(changed: dict[str, Any]) -> None:
    assert job(**changed).key != job().key


def test_what_is_known_is_not_left() -> None:
    store, one = Store(), job()
    assert one.left(store) is one
    assert one.order < (0, 0), "before all parts"
    store.add([{"key": one.key}])
    assert one.left(store) is None
    assert job().left(store) is None


def test_a_table_without_a_target() -> None:
    people = pa.table({"age": [20, 23, 27, 25, 27, 29] * 2})
    found = figures_of(hr.anonymize(people, hr.Schema(quasi=["age"]), k=3), 3)
    assert (found["label_disclosure"], found["sensitive_disclosure"], found["surest_guess"]) == (None, None, None)
