"""What a schema may say about a column."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgerow.domains import Domain
from hedgerow.errors import BadInput
from hedgerow.hierarchies import (
    EncodedHierarchy,
    automatic,
    dates,
    flat,
    groups,
    intervals,
    masking,
    resolve,
    taxonomy,
)

ZIPS = Domain("zip", "text", np.array(["13053", "14850"]))
AGES = Domain("age", "number", np.array([str(n) for n in range(16)]), np.arange(16.0))


@pytest.mark.parametrize(
    ("spec", "domain", "description"),
    [
        (None, ZIPS, "automatic: flat"),
        ("automatic", AGES, "automatic: quantile intervals (8, then 4, then 2)"),
        ("flat", ZIPS, "flat"),
        ("masking", ZIPS, "masking of 1, 2, 3, 4 characters from the right"),
        ("quantiles", AGES, "quantile intervals (8, then 4, then 2)"),
        ("intervals", AGES, "quantile intervals (8, then 4, then 2)"),
        ("dates", Domain("d", "text", np.array(["2024-01-01"])), "dates by month, quarter, year, decade"),
        (flat(), ZIPS, "flat"),
        ({"Any": ["13053", "14850"]}, ZIPS, "taxonomy"),
        (["13053", "14850"], ZIPS, "taxonomy"),
    ],
)
def test_names_objects_and_dicts(spec: Any, domain: Domain, description: str) -> None:
    assert resolve(spec, domain, domain.name).description == description


@pytest.mark.parametrize("kind", [str, Path])
def test_paths(tmp_path: Path, kind: type) -> None:
    (tmp_path / "zip.CSV").write_text("13053;130**;*\n14850;148**;*\n")
    (tmp_path / "zip.toml").write_text('[Any]\neast = ["13053", "14850"]\n')
    assert resolve(kind(tmp_path / "zip.CSV"), ZIPS, "zip").labels[:2] == ("*", "130**")
    assert resolve(kind(tmp_path / "zip.toml"), ZIPS, "zip").labels[:2] == ("Any", "east")


def test_an_object_of_ones_own() -> None:
    class Mine:
        def encode(self, domain: Domain) -> EncodedHierarchy:
            return flat().encode(domain)

    assert resolve(Mine(), ZIPS, "zip").height == 1


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("flatt", "There is no hierarchy 'flatt'. Did you mean 'flat'.*column 'zip'"),
        ("zip.txt", "There is no hierarchy 'zip.txt'.*path of a .csv or .toml"),
        ("absent.csv", "Cannot read the hierarchy file 'absent.csv'"),
        (flat, "hierarchy of the column 'zip' must be an object.*Got function"),
        (type(flat()), "Got type"),
        (7, "Got int"),
        ({}, "In the hierarchy of the column 'zip': The taxonomy is empty"),
    ],
)
def test_what_is_no_hierarchy(spec: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=message):
        resolve(spec, ZIPS, "zip")


@pytest.mark.parametrize(
    "built",
    [
        automatic(),
        flat(),
        masking(),
        dates(),
        intervals(width=5),
        taxonomy({"Any": ["a"]}),
        groups([["a"], ["b"]]),
    ],
)
def test_builders_are_values(built: Any) -> None:
    assert pickle.loads(pickle.dumps(built)) == built
    assert copy.deepcopy(built) == built
    assert hash(built) == hash(copy.deepcopy(built))
