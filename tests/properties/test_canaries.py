"""No output ever shows a planted value: of a column that identifies, or held by fewer than k people.

A column of everybody's name holds nothing else than canaries; every other column holds some that few people have. They
are looked for in reports of both editions, of releases, of releases that were loaded and of audits, in manifests, in
what notebooks show, and in everything that is logged at the finest level.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr

K = 5
PEOPLE = 240
NAME = "Zebulon"
"""Every name begins so."""
RARE = {
    "town": "Quillby",
    "job": "falconer",
    "age": 98_765,
    "born": "1871-03-09",
    "disease": "kuru",
    "income": "boundless",
    "shoe": "winklepicker",
}
"""One value in each column that fewer than K people hold."""


def people(random_state: int) -> pa.Table:
    """A table in which each canary is held by one to K - 1 people, and everything else by many."""
    random = np.random.default_rng(random_state)

    def column(name: str, common: list[Any]) -> list[Any]:
        values = random.choice(np.array(common, dtype=object), PEOPLE)
        holders = random.choice(PEOPLE, random.integers(1, K), replace=False)
        values[holders] = RARE[name]
        return list(values)

    return pa.table(
        {
            "name": [f"{NAME}{at:04}" for at in range(PEOPLE)],
            "town": column("town", ["Ulm", "Bern", "Kiel", "Nice"]),
            "job": column("job", ["nurse", "clerk", "cook"]),
            "age": column("age", [30, 31, 32, 40, 41, 50, 60]),
            "born": column("born", ["1950-01-01", "1960-01-01", "1970-01-01"]),
            "disease": column("disease", ["flu", "cold", "gout", "croup"]),
            "income": column("income", ["low", "high"]),
            "shoe": column("shoe", ["boot", "clog"]),
        }
    )


SCHEMA = hr.Schema(
    identifying=["name"],
    quasi=["town", "job", "age", "born"],
    sensitive=["disease"],
    target="income",
    insensitive=["shoe"],
    kinds={"born": "date"},
    hierarchies={"town": "flat", "job": "flat", "born": "dates:year,decade"},
)
METHODS = ("mondrian", "kactus", "hedge", "datafly")


def canaries(release: hr.Release) -> list[str]:
    """What must not be shown; a published cell of at least K people may be, with whatever is written in it."""
    published = Counter(cell for name in release.quasi for cell in map(str, _column(release.table, name)))
    written = [cell for cell, held in published.items() if held >= K]
    rare = [str(value) for value in RARE.values()]
    return [NAME, *(value for value in rare if not any(value in cell for cell in written))]


def _column(table: Any, name: str) -> list[Any]:
    cells: list[Any] = table.column(name).to_pylist()
    return cells


@pytest.mark.compiled
@pytest.mark.parametrize("method", METHODS)
def test_no_output_shows_a_canary(method: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("numba").setLevel(logging.INFO)  # at the finest level it tells its own bytecode, slowly
    table = people(METHODS.index(method))
    release = hr.anonymize(table, SCHEMA, method=method, k=K, random_state=3)
    out = release.save(tmp_path / "out.csv")
    hidden = canaries(release)
    assert {NAME, RARE["disease"], RARE["income"], RARE["shoe"]} <= set(hidden)

    shown = {"manifest": json.dumps(release.manifest, ensure_ascii=False), "repr": repr(release)}
    shown["saved"] = (tmp_path / "out.csv.manifest.json").read_text(encoding="utf-8")
    shown["notebook"] = release._repr_html_() + release.audit._repr_html_() + release.audit.render()
    original = hr.audit(table, quasi=release.quasi, sensitive=["disease"], target="income", k=K)
    subjects: list[tuple[str, Any, Any]] = [
        ("release", release, "internal"),
        ("release", release, "public"),
        ("loaded release", hr.Release.load(out), "internal"),
        ("audit of the release", hr.audit(release, quasi=release.quasi, sensitive=["disease"], k=K), "internal"),
        ("audit of the original", original, "internal"),
    ]
    for name, subject, edition in subjects:
        page = subject.report(tmp_path / f"{name} {edition}.html", edition)
        shown[f"{name}, {edition}"] = page.read_text(encoding="utf-8")
    shown["log"] = caplog.text

    found = {where: [one for one in hidden if one in text] for where, text in shown.items()}
    assert not {where: values for where, values in found.items() if values}


def test_the_canaries_are_rare_and_would_be_found() -> None:
    """The test above could pass because nothing was planted, or looked for in the wrong place."""
    table = people(0)
    for name, value in RARE.items():
        assert 0 < _column(table, name).count(value) < K
    assert len(set(_column(table, "name"))) == PEOPLE
    release = hr.anonymize(table, SCHEMA, k=K, random_state=3)
    assert str(RARE["disease"]) in "".join(map(str, _column(release.table, "disease")))
