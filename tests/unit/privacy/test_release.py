"""A private release as users get it: what it shows, what it charges, what it refuses, and that it is counted again."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hedgerow as hr
from hedgerow.errors import BadInput, HedgerowError, Infeasible, NotAnonymous
from hedgerow.privacy import Budget, Domain, Ledger, PrivateRelease, private_release
from hedgerow.privacy import release as module
from hedgerow.verifier import check_noisy

DOMAIN = Domain({"age": [0, 20, 40, 60, 80], "town": ["Ulm", "[Kiel|Köln]"]}, target="ill", labels=["no", "yes"])
ROWS = 997  # that no release may show


def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.integers(0, 80, ROWS)
    ill = np.where(rng.random(ROWS) < age / 80, "yes", "no")
    return pd.DataFrame({"age": age, "town": rng.choice(["Ulm", "[Kiel|Köln]"], ROWS), "ill": ill, "name": "Ada"})


def made(tmp_path: Path, **options: Any) -> PrivateRelease:
    asked = {"max_advantage": 0.3, "ledger": tmp_path / "people.privacy.jsonl", **options}
    return private_release(people(), DOMAIN, **asked)


def test_a_release_has_boxes_rows_and_a_manifest(tmp_path: Path) -> None:
    release = made(tmp_path, k=20)
    assert release.rows.column_names == ["age", "town", "ill"]
    assert release.boxes.column_names == ["age", "town", "count", "count of ill=no", "count of ill=yes"]
    assert min(release.boxes["count"].to_pylist()) >= 20
    assert release.rows.num_rows == sum(release.boxes["count"].to_pylist())
    assert set(release.rows["age"].to_pylist()) <= set(range(80))
    assert release.manifest["checked"] == "noisy count at least k"
    assert release.draw(3).num_rows == 3 * release.rows.num_rows


def test_the_statement_names_the_bounds_and_verifies_no_k_anonymity(tmp_path: Path) -> None:
    made(tmp_path, max_advantage=0.05)
    said = made(tmp_path, max_advantage=0.05).statement()
    assert "at most 5 points" in said
    assert "at most 10 points" in said
    assert "7.1 points and 14.2 points" in said  # with the first release: √2 times as much, rounded up
    assert "k-anonymity was not verified" in said


def test_the_ledger_is_charged_for_every_release(tmp_path: Path) -> None:
    first = made(tmp_path)
    second = made(tmp_path, max_advantage=None, epsilon=1, delta=1e-5)
    ledger = Ledger(tmp_path / "people.privacy.jsonl")
    assert ledger.spent == first.cost + second.cost == Budget(Fraction(second.manifest["rho_so_far"]))
    assert second.manifest["epsilon"] <= 1
    assert second.draw(2).num_rows  # costs nothing
    assert ledger.spent == first.cost + second.cost


def test_the_ledger_of_a_file_stands_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    people().to_csv(path, index=False)
    release = private_release(path, DOMAIN, max_advantage=0.3)
    assert Ledger(tmp_path / "people.csv.privacy.jsonl").spent == release.cost


def test_a_release_that_fails_is_charged(tmp_path: Path) -> None:
    with pytest.raises(Infeasible, match="noisy count of the whole table"):
        made(tmp_path, k=10_000)
    assert Ledger(tmp_path / "people.privacy.jsonl").spent == Budget.of_advantage(0.3)


def test_nothing_shows_the_number_of_rows(tmp_path: Path) -> None:
    """An exact figure would show whether somebody was added. Noisy ones may hit it by chance, but not in three runs."""
    shown = []
    for _ in range(3):
        release = made(tmp_path)
        texts = [json.dumps(dict(release.manifest)), release.statement(), repr(release), str(release.boxes.to_pydict())]
        shown.append(bool(re.search(rf"\b{ROWS}\b", " ".join(texts))) or release.rows.num_rows == ROWS)
    assert not all(shown)
    assert "Ada" not in json.dumps([release.rows.to_pylist(), dict(release.manifest)])


def test_rows_and_steps_know_at_most_so_many_rows_of_a_person(tmp_path: Path) -> None:
    frame = people()
    frame["person"] = np.arange(ROWS) // 4
    asked: dict[str, Any] = {"max_advantage": 0.3, "ledger": tmp_path / "l.jsonl", "entity": "person"}
    release = private_release(frame, DOMAIN, max_rows=2, **asked)
    assert {step["sensitivity"] for step in release.manifest["steps"]} == {2}
    assert abs(release.rows.num_rows - ROWS / 2) < 150
    assert "a person with at most 2 counted rows" in release.statement()
    with pytest.raises(BadInput, match="together"):
        private_release(frame, DOMAIN, **asked)


def test_a_release_is_saved_with_its_boxes_and_manifest(tmp_path: Path) -> None:
    release = made(tmp_path)
    saved = release.save(tmp_path / "out.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "out.csv",
        "out.csv.boxes.csv",
        "out.csv.manifest.json",
        "people.privacy.jsonl",
    ]
    assert pd.read_csv(saved).shape == (release.rows.num_rows, 3)
    assert json.loads((tmp_path / "out.csv.manifest.json").read_text()) == release.manifest
    with pytest.raises(BadInput, match="exists already"):
        release.save(tmp_path / "out.csv")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_advantage": None}, "Say how much"),
        ({"epsilon": 1, "delta": 1e-5}, "Say how much"),
        ({"max_advantage": None, "epsilon": 1}, "Say how much"),
        ({"k": 0}, "'k' parameter"),
        ({"ledger": None}, "Name the ledger"),
        ({"max_rows": 3}, "together"),
    ],
)
def test_impossible_requests_are_refused_and_not_charged(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        made(tmp_path, **options)
    assert Ledger(tmp_path / "people.privacy.jsonl").spent.rho == 0


def test_names_of_own_columns_are_refused(tmp_path: Path) -> None:
    taken = Domain({"count": [0, 1]}, target="ill", labels=["no", "yes"])
    with pytest.raises(BadInput, match="Rename"):
        private_release(people(), taken, max_advantage=0.3, ledger=tmp_path / "l.jsonl")


def parts(release: PrivateRelease) -> tuple[dict[str, list[Any]], dict[str, list[Any]], dict[str, Any]]:
    return release.boxes.to_pydict(), release.rows.to_pydict(), json.loads(json.dumps(dict(release.manifest)))


@pytest.mark.parametrize(
    "change",
    [
        lambda boxes, rows, stated: boxes["count"].__setitem__(0, boxes["count"][0] + 1),
        lambda boxes, rows, stated: stated.__setitem__("k", max(boxes["count"]) + 1),
        lambda boxes, rows, stated: rows["ill"].__setitem__(0, "no" if rows["ill"][0] == "yes" else "yes"),
        lambda boxes, rows, stated: rows["age"].__setitem__(0, 1_000),
        lambda boxes, rows, stated: [rows[name].append(rows[name][0]) for name in rows],
        lambda boxes, rows, stated: [boxes[name].append(boxes[name][0]) for name in boxes],
        lambda boxes, rows, stated: stated.__setitem__("advantage", 0.29),
        lambda boxes, rows, stated: stated.__setitem__("label_advantage", 0.3),
        lambda boxes, rows, stated: stated.__setitem__("rho", "1/100"),
        lambda boxes, rows, stated: stated.__setitem__("rho_so_far", "1/100"),
        lambda boxes, rows, stated: stated.__setitem__("max_rows", 2),
        lambda boxes, rows, stated: stated["steps"][0].__setitem__("parameter", "1"),
        lambda boxes, rows, stated: stated["steps"][1].__setitem__("parameter", "9"),
        lambda boxes, rows, stated: stated["steps"][-1].__setitem__("times", 2),
        lambda boxes, rows, stated: stated["steps"][0].__setitem__("mechanism", "exponential"),
    ],
)
def test_what_is_not_as_stated_is_refused(tmp_path: Path, change: Any) -> None:
    boxes, rows, stated = parts(made(tmp_path))
    check_noisy(boxes, rows, stated)
    change(boxes, rows, stated)
    with pytest.raises(NotAnonymous, match="not as its manifest states"):
        check_noisy(boxes, rows, stated)


def test_a_release_is_verified_before_it_is_returned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = module._drawn
    monkeypatch.setattr(module, "_drawn", lambda *arguments: drawn(*arguments).slice(1))
    with pytest.raises(NotAnonymous):
        made(tmp_path)


def test_it_is_exported() -> None:
    assert hr.private_release is private_release
    assert hr.privacy.Domain is Domain
    assert issubclass(BadInput, HedgerowError)
