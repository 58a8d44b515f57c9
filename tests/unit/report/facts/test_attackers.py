"""Attackers and class sizes by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.report.facts.attackers import PRECEDENTS, asked_k, attackers, class_sizes
from hedgerow.risk.audit import CUSTOMARY

# Classes of 5, 11 and 20 rows.
TABLE = pa.table({"zip": ["a"] * 5 + ["b"] * 11 + ["c"] * 20})


def test_precedents_are_the_customary_sizes() -> None:
    assert tuple(one.k for one in PRECEDENTS) == CUSTOMARY
    assert [one.threshold for one in PRECEDENTS] == [0.33, 0.2, 0.09, 0.05]
    assert all(one.threshold == pytest.approx(1 / one.k, abs=0.005) for one in PRECEDENTS)


def test_the_three_attackers() -> None:
    """The highest chance is 1/5; on the average 3 classes over 36 records."""
    prosecutor, journalist, marketer = attackers(hr.audit(TABLE, quasi=["zip"])).attackers
    assert (prosecutor.highest.value, prosecutor.highest.text) == (0.2, "20 %")
    assert prosecutor.average.value == pytest.approx(3 / 36, abs=1e-4)
    assert prosecutor.at_risk.value == 0
    assert [level.within for level in prosecutor.levels] == [True, True, False, False]
    assert [level.average_within for level in prosecutor.levels] == [True, True, True, False]
    assert journalist.note == "no population was given, so this is the prosecutor's risk"
    assert marketer.highest.value == marketer.average.value


def test_who_is_above_the_threshold() -> None:
    found = attackers(hr.audit(TABLE, quasi=["zip"], threshold=0.1))
    assert found.threshold.text == "10 %"
    prosecutor = found.attackers[0]
    assert prosecutor.at_risk.value == pytest.approx(5 / 36, abs=1e-3)
    assert prosecutor.highest.judgement == prosecutor.at_risk.judgement == "note"


def test_a_population_makes_the_journalist_less_sure() -> None:
    register = pa.table({"zip": ["a"] * 50 + ["b"] * 50 + ["c"] * 50})
    journalist = attackers(hr.audit(TABLE, quasi=["zip"], population=register)).attackers[1]
    assert journalist.highest.value == 0.02
    assert all(level.within for level in journalist.levels)


def test_sizes_with_how_many_are_in_small_classes() -> None:
    found = class_sizes(hr.audit(TABLE, quasi=["zip"], k=5))
    assert [(one.label, one.classes, one.records, one.cumulative) for one in found.histogram] == [
        ("4–7", 1, 5, 0.139),
        ("8–15", 1, 11, 0.444),
        ("16–31", 1, 20, 1.0),
    ]
    assert [(one.size, one.classes, one.records) for one in found.smaller] == [
        (2, 0, 0),
        (4, 0, 0),
        (10, 1, 5),
        (19, 2, 16),
    ]
    assert found.threshold == 5
    assert {one.label: one.value for one in found.figures} == {
        "classes": 3,
        "smallest": 5,
        "median": 11,
        "mean": 12,
        "largest": 20,
    }


def test_the_k_that_was_asked_has_its_own_place() -> None:
    """Nobody is in a class of fewer than 5 though 7 is asked; where 4 is asked, nobody is below it."""
    assert 3 in [one.size for one in class_sizes(hr.audit(TABLE, quasi=["zip"], k=4)).smaller]
    assert 6 not in [one.size for one in class_sizes(hr.audit(TABLE, quasi=["zip"], k=7)).smaller]


def test_a_shield_is_not_the_k_of_all_quasi_identifiers() -> None:
    table = TABLE.append_column("sex", pa.array(["F"] * 36))
    shielded = hr.KAnonymity(9, shield=["sex"])
    assert asked_k(hr.audit(table, quasi=["zip", "sex"], require=[shielded])) is None
    assert asked_k(hr.audit(table, quasi=["zip", "sex"], k=5, require=[shielded])) == 5
    assert asked_k(hr.audit(table, quasi=["zip", "sex"])) is None
