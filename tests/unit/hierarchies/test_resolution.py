"""What a schema may say about a column."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import BadInput
from hedgerow.hierarchies import (
    EncodedHierarchy,
    automatic,
    dates,
    flat,
    groups,
    icd10,
    intervals,
    masking,
    resolve,
    taxonomy,
)
from hedgerow.io.domains import Domain

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
        ("dates:year,%d.%m.%Y", Domain("d", "text", np.array(["31.03.2024"])), "dates by year"),
        ("dates:%m/%d/%Y, decade", Domain("d", "text", np.array(["03/31/2024"])), "dates by decade"),
        ("dates:%d %b %Y", Domain("d", "text", np.array(["31 Mar 2024"])), "dates by month, quarter, year, decade"),
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
        ("dates:year,%d,%m,%Y", "In the hierarchy 'dates:year,%d,%m,%Y' of 'zip': The format of dates is given twice"),
        ("dates:yaer,%d.%m.%Y", "no level of dates 'yaer'. Did you mean 'year'"),
        ("dates:year,%d.%m", "'format' parameter of dates must be .* with a year"),
        ("dates:year,%d.%m.%Y", "2 values that are not dates in the format '%d.%m.%Y'.*name the format"),
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
        icd10(),
        intervals(width=5),
        taxonomy({"Any": ["a"]}),
        groups([["a"], ["b"]]),
    ],
)
def test_builders_are_values(built: Any) -> None:
    assert pickle.loads(pickle.dumps(built)) == built
    assert copy.deepcopy(built) == built
    assert hash(built) == hash(copy.deepcopy(built))


@pytest.mark.parametrize(
    ("words", "values", "levels"),
    [
        ("masking:2,3", ["80331", "80339"], [["803**", "803**"], ["80***", "80***"]]),
        ("prefix:1,3", ["I21.4", "I21.0"], [["I21*", "I21*"], ["I*", "I*"]]),
        ("prefix: 1", ["I21.4", "J45.0"], [["I*", "J*"]]),
        ("icd10:3, chapter", ["I21.4", "I25.1"], [["I21*", "I25*"], ["I00..I99", "I00..I99"]]),
    ],
)
def test_words_behind_a_colon_are_parameters(words: str, values: list[str], levels: list[list[str]]) -> None:
    encoded = resolve(words, Domain("x", "text", np.array(sorted(values))), "x")
    found = [[encoded.labels[node] for node in row] for row in encoded.at_level[1 : 1 + len(levels)]]
    assert found == levels
    assert not encoded.automatic


def test_words_for_numbers_and_dates() -> None:
    ages = Domain("age", "number", np.array(["21", "24", "38"]), np.array([21.0, 24.0, 38.0]))
    encoded = resolve("intervals:5,10", ages, "age")
    assert [encoded.labels[node] for node in encoded.at_level[1]] == ["[20,25)", "[20,25)", "[35,40]"]
    assert resolve("quantiles:2", ages, "age").labels
    for words in ("intervals:5,10,<22,>=38", "intervals: >=38, 5, < 22, 10", "intervals:5,10,<22,≥38"):
        encoded = resolve(words, ages, "age")
        assert [encoded.labels[node] for node in encoded.at_level[1]] == ["<22", "[22,25)", "≥38"]
        assert [encoded.labels[node] for node in encoded.at_level[2]] == ["<22", "[22,30)", "≥38"]
    assert resolve("quantiles:2,<22", ages, "age").labels[1] == "<22"
    days = Domain("born", "date", np.array(["2024-03-31"]), np.array([19813.0]))
    assert [resolve("dates:month,year", days, "born").labels[node] for node in (1, 2)] == ["2024", "2024-03"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("masking:a", "'a' is not a number"),
        ("prefix:3,1", "increasing ints"),
        ("prefix:", "is not a number"),
        ("dates:week", "week"),
        ("icd10:chapter,3", "must be some of 6, 5, 4, 3, 'chapter', in this order"),
        ("icd10:category", r"must be some of .* Got \['category'\] instead"),
        ("maskin:2", "maskin:2"),
        ("intervals:5,<a", "'a' is not a number"),
        ("intervals:5,<18,<20", "An open end is given twice"),
        ("intervals:5,>=18,≥20", "An open end is given twice"),
        ("intervals:<18", "There is no number but open ends"),
        ("intervals:5,<20,>=10", "a number above 'bottom'"),
    ],
)
def test_words_that_are_no_hierarchy(words: str, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        resolve(words, Domain("x", "text", np.array(["a"])), "x")
    assert "'x'" in str(caught.value)
