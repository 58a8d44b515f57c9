"""Pools of rare values, by hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.core.coding import Holders, Pooling, pooled
from hedgerow.hierarchies import EncodedHierarchy, resolve
from hedgerow.io.domains import Domain


def domain_of(people: Mapping[str, int], missing: int = 0) -> tuple[Domain, Holders]:
    labels = sorted(people)
    domain = Domain("icd", "text", np.array(labels, dtype=np.str_), None, missing > 0)
    rows = np.array([*(people[label] for label in labels), *([missing] if missing else [])], dtype=np.int64)
    return domain, Holders(pa.array([*labels, *([None] if missing else [])]), rows)


def published(
    people: Mapping[str, int], least: int = 11, missing: int = 0, hierarchy: object = None, **options: object
) -> dict[str | None, str | None] | None:
    """What each value is published as."""
    domain, holders = domain_of(people, missing)
    encoded: EncodedHierarchy | None = None if hierarchy is None else resolve(hierarchy, domain, "icd")
    pooling: Pooling | None = pooled(holders, domain, least, hierarchy=encoded, **options)  # type: ignore[arg-type]
    if pooling is None:
        return None
    values = [*domain.labels.tolist(), *([None] if missing else [])]
    return {
        value: value if pool < 0 else pooling.labels[pool]
        for value, pool in zip(values, pooling.pool.tolist(), strict=True)
    }


def test_common_values_stay() -> None:
    assert published({"a": 11, "b": 12}) == {"a": "a", "b": "b"}


def test_rare_values_are_pooled() -> None:
    assert published({"a": 50, "b": 10, "c": 1}) == {"a": "a", "b": "other", "c": "other"}


def test_the_rarest_joins_a_pool_of_too_few() -> None:
    """Two codes of four people need the next rarest; ties are broken by the name."""
    expected = {"a": "other", "b": "other", "c": "other", "d": "d", "e": "e"}
    assert published({"a": 1, "b": 3, "c": 20, "d": 20, "e": 30}) == expected


def test_a_pool_is_never_one_code() -> None:
    """A pool of one code would be that code: the published codes are known."""
    assert published({"a": 3, "b": 40, "c": 50}) == {"a": "other", "b": "other", "c": "c"}


def test_all_values_together_are_too_few() -> None:
    assert published({"a": 3, "b": 4}) is None
    assert published({"a": 3, "b": 8}) == {"a": "other", "b": "other"}


def test_the_missing_value_is_a_value() -> None:
    assert published({"a": 50, "b": 60}, missing=11)[None] is None  # type: ignore[index]
    # Rarer than b: the rare code becomes missing, which holds enough people.
    assert published({"a": 3, "b": 60}, missing=20) == {"a": None, "b": "b", None: None}
    # Rarer than the missing value: two codes are pooled.
    assert published({"a": 3, "b": 15}, missing=20) == {"a": "other", "b": "other", None: None}
    # A rare missing value goes with rare codes.
    assert published({"a": 5, "b": 3, "c": 50}, missing=4) == {"a": "other", "b": "other", "c": "c", None: "other"}
    # With one rare code it would be that code, most likely, however many they are together.
    assert published({"a": 9, "b": 50, "c": 60}, missing=4) == {"a": "other", "b": "other", "c": "c", None: "other"}
    # Alone, it takes the rarest value: nobody is known by a missing value.
    assert published({"a": 40, "b": 50}, missing=4) == {"a": None, "b": "b", None: None}
    assert published({"a": 40, "b": 50}, missing=4, only_missing=True) == {"a": None, "b": "b", None: None}


TREE = {
    "any": {
        "heart": {"infarct": ["I21", "I22", "I23"], "failure": ["I50", "I51"]},
        "lung": {"asthma": ["J45", "J46"], "copd": ["J44"]},
    }
}


def test_rare_codes_generalize_to_the_lowest_node_that_holds_enough() -> None:
    people = {"I21": 5, "I22": 6, "I23": 100, "I50": 3, "I51": 40, "J44": 50, "J45": 60, "J46": 70}
    found = published({**people, "I51": 9}, hierarchy=TREE)
    assert found == {
        **{code: code for code in ("I23", "J44", "J45", "J46")},
        **{"I21": "infarct", "I22": "infarct", "I50": "failure", "I51": "failure"},
    }


def test_what_a_node_does_not_hold_goes_up() -> None:
    """The only rare code of a node is not published under its label, which would be that code."""
    people = {"I21": 4, "I22": 50, "I23": 50, "I50": 9, "I51": 50, "J44": 50, "J45": 50, "J46": 50}
    found = published(people, hierarchy=TREE)
    assert found is not None
    assert {code for code, label in found.items() if label == "heart"} == {"I21", "I50"}
    assert {code for code, label in found.items() if label == code} == {"I22", "I23", "I51", "J44", "J45", "J46"}


def test_what_no_node_holds_is_pooled_and_takes_a_pool_if_it_is_the_rarest() -> None:
    people = {"I21": 5, "I22": 7, "I23": 50, "I50": 50, "I51": 50, "J44": 4, "J45": 50, "J46": 50}
    found = published(people, hierarchy=TREE)
    assert found is not None
    assert {code for code, label in found.items() if label == "other"} == {"I21", "I22", "J44"}


@pytest.mark.parametrize(
    ("people", "word"),
    [
        ({"Other": 50, "b": 3, "c": 9}, "other values"),
        ({"Other": 50, "other values": 60, "b": 3, "c": 9}, "all other values"),
        ({"other": 3, "a": 50, "c": 9}, "other"),  # it is in the pool itself
    ],
)
def test_the_word_means_nothing_else(people: dict[str, int], word: str) -> None:
    found = published(people)
    assert found is not None
    assert found["c"] == word


def test_the_word_is_no_label_of_the_hierarchy_and_not_missing() -> None:
    tree = {"any": {"other": ["a", "b"], "rest": ["c", "d"]}}
    assert published({"a": 50, "b": 3, "c": 9, "d": 50}, hierarchy=tree)["b"] == "other values"  # type: ignore[index]
    assert published({"a": 50, "b": 3, "c": 9}, avoid=["other"])["b"] == "other values"  # type: ignore[index]


def test_the_public_table_never_shows_which_code_is_pooled() -> None:
    """Whoever knows all codes, the hierarchy and the published table finds at least two codes for every label."""
    draw = np.random.default_rng(3)
    codes = [code for block in TREE["any"].values() for node in block.values() for code in node]
    for _ in range(300):
        people = {code: int(size) for code, size in zip(codes, draw.geometric(0.06, len(codes)), strict=True)}
        for hierarchy in (None, TREE):
            found = published(people, hierarchy=hierarchy)
            if found is None:
                continue
            for label in set(found.values()) - set(codes):
                assert sum(held == label for held in found.values()) > 1
            sums: dict[str | None, int] = {}
            for code, label in found.items():
                sums[label] = sums.get(label, 0) + people[str(code)]
            assert min(sums.values()) >= 11
