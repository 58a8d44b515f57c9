"""``hr.anonymize``: one function over all methods, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr

PEOPLE = pa.table(
    {
        "age": [20, 23, 27, 25, 27, 29],
        "sex": ["M", "M", "F", "F", "F", "M"],
        "disease": ["flu", "flu", "cold", "ulcer", "cold", "flu"],
    }
)
SCHEMA = hr.Schema(quasi=["age", "sex"], sensitive=["disease"])


def counted(release: hr.Release) -> dict[tuple[str, str], int]:
    rows = [(row["age"], row["sex"]) for row in release.table.to_pylist()]
    return {row: rows.count(row) for row in rows}


@pytest.mark.parametrize("method", [None, "mondrian", hr.Mondrian(), hr.Mondrian(k=3)], ids=str)
def test_a_method_is_a_name_or_an_estimator_or_the_default(method: Any) -> None:
    k = None if isinstance(method, hr.Mondrian) and method.k else 3
    release = hr.anonymize(PEOPLE, SCHEMA, method=method, k=k)
    assert counted(release) == {("[25,28)", "F"): 3, ("[20,29]", "M"): 3}
    assert release.facts["method"] == "mondrian"
    assert release.facts["parameters"] == {
        "cut": "loss",
        "relaxed": False,
        "publish": "auto",
        "order": "auto",
        "improve": False,
        "cells": "held",
        "suppression_limit": 0,
    }


OUTLIER = pa.table({"age": [20, 21, 22, 23, 90], "sex": ["F"] * 5, "disease": ["flu"] * 5})


@pytest.mark.parametrize("method", ["mondrian", hr.Mondrian()], ids=str)
def test_a_suppression_limit_is_that_of_the_method(method: Any) -> None:
    kept = hr.anonymize(OUTLIER, SCHEMA, method=method, k=4)
    assert kept.recoding.lost == 0
    release = hr.anonymize(OUTLIER, SCHEMA, method=method, k=4, suppression_limit=0.2)
    assert (release.recoding.lost, release.facts["rows_lost"]) == (1, 1)
    assert release.facts["parameters"]["suppression_limit"] == 0.2
    assert counted(release) == {("[20,24)", "F"): 4}
    assert hr.anonymize(OUTLIER, SCHEMA, method=method, k=4, suppression_limit=0.19).recoding.lost == 0


def test_an_estimator_has_a_limit_of_its_own() -> None:
    estimator = hr.Mondrian(k=4, suppression_limit=1)
    assert hr.anonymize(OUTLIER, SCHEMA, method=estimator).recoding.lost == 1
    assert estimator.anonymize(OUTLIER, SCHEMA, suppression_limit=0).recoding.lost == 0
    assert estimator.suppression_limit == 1


def test_parameters_of_a_method_given_by_name() -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=3, publish="interval", cut="widest")
    assert counted(release) == {("[20,26)", "{F|M}"): 3, ("[27,29]", "{F|M}"): 3}
    assert release.facts["parameters"]["cut"] == "widest"


def test_requirements_as_objects_text_or_one_alone() -> None:
    for require in (["l=2@disease"], "l=2@disease", hr.LDiversity(2, "disease"), [hr.LDiversity(2, "disease")]):
        release = hr.anonymize(PEOPLE, SCHEMA, k=2, require=require)
        assert (release.audit.l or 0) >= 2
        assert release.facts["requirements"] == ["2-anonymity", "2-diversity of disease"]


def test_requirements_of_the_estimator_and_of_the_call_are_joined() -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, method=hr.Mondrian(k=2, require="l=2@disease"), require=["t=0.6@disease"])
    assert release.facts["requirements"] == ["2-anonymity", "2-diversity of disease", "0.6-closeness of disease"]


def test_progress_names_the_stages() -> None:
    for method in ("mondrian", hr.Mondrian()):
        stages: list[str] = []
        hr.anonymize(PEOPLE, SCHEMA, method=method, k=3, progress=stages.append)
        assert stages == ["Reading and counting", "Fitting Mondrian", "Writing rows", "Verifying", "Auditing"]


def test_the_seed_is_not_in_the_facts() -> None:
    release = hr.anonymize(PEOPLE, SCHEMA, k=3, random_state=20261115)
    assert release.facts["seed_given"] is True
    assert "20261115" not in str(release.manifest)
    assert hr.anonymize(PEOPLE, SCHEMA, k=3).facts["seed_given"] is False


@pytest.mark.parametrize("seed", [0, 7, np.int64(7)])
def test_a_seed_may_be_any_whole_number(seed: Any) -> None:
    assert hr.anonymize(PEOPLE, SCHEMA, k=3, random_state=seed).audit.k == 3


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown method": ({"k": 3, "method": "modrian"}, "There is no method 'modrian'. Did you mean 'mondrian'?"),
    "unknown parameter": ({"k": 3, "relax": True}, "There is no parameter of Mondrian called 'relax'. Did you mean"),
    "wrong parameter": (
        {"k": 3, "publish": "sets"},
        "The 'publish' parameter of Mondrian must be 'auto', 'set', 'interval'",
    ),
    "wrong parameter of an estimator": (
        {"k": 3, "method": hr.Mondrian(cut="wide")},  # type: ignore[arg-type]  # what is to be refused
        "The 'cut' parameter of Mondrian must be 'loss', 'widest' or 'widest_only'. Got 'wide' instead.",
    ),
    "k given twice": (
        {"k": 3, "method": hr.Mondrian(k=3)},
        "k is given twice, to Mondrian and to anonymize. Give it once.",
    ),
    "k and a requirement of the same": (
        {"k": 3, "require": [hr.KAnonymity(4)]},
        "The k of all quasi-identifiers is given twice.",
    ),
    "parameters beside an estimator": (
        {"k": 3, "method": hr.Mondrian(), "cut": "loss"},
        "Parameters are given beside Mondrian. Give them to it.",
    ),
    "a class": (
        {"k": 3, "method": hr.Mondrian},
        "The 'method' parameter of anonymize must be a method's name or an Anonymizer. Got 'the class Mondrian'",
    ),
    "another object": ({"k": 3, "method": 5}, "The 'method' parameter of anonymize must be a method's name or an"),
    "no requirement": ({}, "No requirement is given. Give k=10"),
    "no requirement of an estimator": ({"method": hr.Mondrian()}, "No requirement is given. Give k=10"),
    "k of no number": ({"k": "3"}, "parameter of KAnonymity must be an int >= 1. Got '3' instead."),
    "k of nothing": ({"k": 0}, "must be an int >= 1. Got 0 instead."),
    "k above the rows": ({"k": 7}, "7-anonymity needs at least 7 rows, and the table has 6."),
    "requirement of no list": ({"k": 3, "require": 5}, "The 'require' parameter of anonymize must be a list of"),
    "a negative seed": ({"k": 3, "random_state": -1}, "The 'random_state' parameter of anonymize must be None or an"),
    "a seed of no number": ({"k": 3, "random_state": "7"}, "must be None or an int >= 0. Got '7' instead."),
    "a seed of a fraction": ({"k": 3, "random_state": 1.5}, "must be None or an int >= 0. Got 1.5 instead."),
    "a seed of a flag": ({"k": 3, "random_state": True}, "must be None or an int >= 0. Got True instead."),
}


@pytest.mark.parametrize(("keywords", "message"), list(REFUSED.values()), ids=list(REFUSED))
def test_refused(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(hr.BadInput) as refusal:
        hr.anonymize(PEOPLE, SCHEMA, **keywords)
    assert message in str(refusal.value)


@pytest.mark.parametrize("method", [None, "mondrian", hr.Mondrian(k=3)], ids=str)
def test_a_schema_of_another_type_is_refused(method: Any) -> None:
    k = None if isinstance(method, hr.Mondrian) else 3
    schema: Any = ["age"]
    with pytest.raises(hr.BadInput, match="The 'schema' parameter of anonymize must be a hedgerow"):
        hr.anonymize(PEOPLE, schema, method=method, k=k)


@pytest.mark.parametrize("method", [None, "mondrian", hr.Mondrian()], ids=str)
def test_no_schema_is_refused_however_the_method_is_given(method: Any) -> None:
    with pytest.raises(hr.BadInput, match=r"must be a hedgerow.*Got 'NoneType'"):
        hr.anonymize(PEOPLE, None, method=method, k=3)


def test_an_estimator_may_have_the_schema() -> None:
    assert hr.anonymize(PEOPLE, None, method=hr.Mondrian(schema=SCHEMA), k=3).audit.k >= 3


def test_a_suppression_limit_of_none_and_one_of_0() -> None:
    """None is the estimator's own, 0 is 0."""
    table = pa.table({"age": [20] * 10 + [90], "disease": ["flu", "cold"] * 5 + ["flu"]})
    method = hr.Datafly(k=5, suppression_limit=1)
    schema = hr.Schema(quasi=["age"], sensitive=["disease"], hierarchies={"age": "flat"})
    assert hr.anonymize(table, schema, method=method).facts["rows_lost"] == 1
    assert hr.anonymize(table, schema, method=method, suppression_limit=0).facts["rows_lost"] == 0
    assert hr.anonymize(table, schema, method="datafly", k=5).facts["rows_lost"] == 0


def test_more_than_there_are_rows_cannot_be_met() -> None:
    """Infeasible, as README says of what cannot be met (exit status 3), and a wrong value for scikit-learn."""
    with pytest.raises(hr.Infeasible, match="7-anonymity needs at least 7 rows") as refusal:
        hr.anonymize(PEOPLE, SCHEMA, k=7)
    assert refusal.value.exit_status == 3
    assert isinstance(refusal.value, ValueError)


def test_a_requirement_that_the_table_cannot_meet() -> None:
    with pytest.raises(hr.Infeasible, match="The table cannot meet 4-diversity of disease"):
        hr.anonymize(PEOPLE, SCHEMA, k=2, require="l=4@disease")


def test_a_table_of_another_type_is_refused() -> None:
    with pytest.raises(hr.BadInput, match="Got dict instead"):
        hr.anonymize({"age": [1, 2]}, hr.Schema(quasi=["age"]), k=2)
