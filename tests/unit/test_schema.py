"""Roles: every column of a table gets exactly one, or the schema is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hedgerow.errors import BadInput
from hedgerow.schema import Schema

COLUMNS = ["name", "id", "age", "sex", "zip", "disease", "income", "note"]


def test_every_column_has_one_fate() -> None:
    roles = Schema(
        quasi=["zip", "age"],
        target="income",
        identifying=["name"],
        pseudonymize=["id"],
        sensitive=["disease"],
        insensitive=["note"],
        others="drop",
    ).resolve(COLUMNS)
    assert roles.quasi == ("zip", "age")
    assert roles.dropped == ("name", "sex")
    assert roles.published == ("id", "age", "zip", "disease", "income", "note")
    assert roles.counted == ("zip", "age", "income", "disease")
    assert roles.pseudonymized == ("id",)


def test_a_target_may_be_sensitive() -> None:
    roles = Schema(quasi=["age"], target="income", sensitive=["income"]).resolve(["age", "income"])
    assert roles.counted == ("age", "income")
    assert roles.target == "income"


def test_others() -> None:
    assert Schema(quasi=["age"], others="insensitive").resolve(["age", "x", "y"]).insensitive == ("x", "y")
    assert Schema(quasi=["age"], others="drop").resolve(["age", "x"]).published == ("age",)
    with pytest.raises(BadInput, match=r"No role is given for 'x', 'y'\. .*--others"):
        Schema(quasi=["age"]).resolve(["age", "x", "y"])


def test_without_quasi_identifiers_named_all_others_are() -> None:
    assert Schema(target="income", identifying=["id"]).resolve(["id", "age", "sex", "income"]).quasi == ("age", "sex")


@pytest.mark.parametrize(
    ("schema", "columns", "message"),
    [
        ({"quasi": ["agee"]}, ["age"], r"no column 'agee'\. Did you mean 'age'\? It is named as quasi\."),
        ({"quasi": ["age"], "target": "x"}, ["age"], r"no column 'x'\. Known: 'age'\. It is named as target"),
        ({"quasi": ["age"], "hierarchies": {"b": "flat"}}, ["age"], "A hierarchy is given for it"),
        ({"quasi": []}, ["age"], "No quasi-identifier is named"),
        ({"identifying": ["age"]}, ["age"], "No quasi-identifier is named"),
        ({"quasi": ["age"]}, ["age", "a", "age"], "several columns called 'age'"),
        (
            {"quasi": ["age"], "insensitive": ["b"], "hierarchies": {"b": "flat"}},
            ["age", "b"],
            "not a quasi-identifier or sensitive",
        ),
        ({"quasi": ["age"], "weights": {"b": 2}}, ["age"], r"no column 'b'\. Known: 'age'\. A weight is given for it"),
        (
            {"quasi": ["age"], "sensitive": ["b"], "weights": {"b": 2}},
            ["age", "b"],
            r"A weight is given for 'b', which is not a quasi-identifier\. Leave it out",
        ),
        ({"weights": {"age": 0, "sex": 0}}, ["age", "sex"], r"All quasi-identifiers have the weight 0\. Give a larger"),
    ],
)
def test_a_schema_that_does_not_fit(schema: dict[str, Any], columns: list[str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Schema(**schema).resolve(columns)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"quasi": "age"}, "'quasi' parameter of Schema must be a list of column names. Got 'str' instead"),
        ({"quasi": 3}, "must be a list of column names"),
        ({"quasi": [3]}, "must hold only text"),
        ({"missing": "?"}, "'missing' parameter"),
        ({"missing": None}, "'missing' parameter"),
        ({"target": ["income"]}, "'target' parameter"),
        ({"others": "keep"}, "'others' parameter"),
        ({"hierarchies": ["flat"]}, "'hierarchies' parameter"),
        ({"weights": [2]}, "'weights' parameter of Schema must be a mapping of column to weight. Got 'list' instead"),
        *(
            ({"weights": {"age": wrong}}, "The weight of 'age' must be a finite number >= 0. Give it another")
            for wrong in (-1, float("nan"), float("inf"), "2", None, True, 10**400)
        ),
        ({"quasi": ["age"], "sensitive": ["age"]}, "'age' is named as quasi and as sensitive"),
        ({"quasi": ["age", "age"]}, "'age' is named twice as quasi"),
        ({"quasi": ["age"], "target": "age"}, "'age' is named as quasi and as target"),
    ],
)
def test_a_wrong_parameter(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Schema(**wrong)


def test_a_schema_keeps_copies() -> None:
    quasi, hierarchies, weights = ["age"], {"age": "flat"}, {"age": 2}
    schema = Schema(quasi=quasi, hierarchies=hierarchies, weights=weights)
    quasi.append("sex")
    hierarchies["sex"] = "flat"
    weights["sex"] = 3
    assert schema.quasi == ("age",)
    assert schema.hierarchies == {"age": "flat"}
    assert schema.weights == {"age": 2}


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ({}, (1.0, 1.0, 1.0)),
        (dict.fromkeys(("zip", "age", "sex"), 0.3), (1.0, 1.0, 1.0)),
        ({"sex": 4}, (0.5, 0.5, 2.0)),
        ({"zip": np.float32(0.5), "age": np.int64(0)}, (1.0, 0.0, 2.0)),
        ({"zip": 1e308, "age": 1e308, "sex": 1e308}, (1.0, 1.0, 1.0)),
        ({"zip": 1e-300, "age": 1e300, "sex": 0}, (0.0, 3.0, 0.0)),
    ],
)
def test_weights_have_the_mean_1(weights: dict[str, float], expected: tuple[float, ...]) -> None:
    """In the order of the quasi-identifiers; those not named have 1."""
    assert (
        Schema(quasi=["zip", "age", "sex"], weights=weights).resolve(["age", "sex", "zip"]).column_weights == expected
    )


def test_multiples_of_weights_are_the_very_same() -> None:
    weights = {"zip": 0.7, "age": 0.1, "sex": 3.3}
    found = {
        Schema(weights={name: factor * weight for name, weight in weights.items()})
        .resolve(list(weights))
        .column_weights
        for factor in (1, 2, 0.125, 1024)
    }
    assert len(found) == 1


def test_many_columns() -> None:
    columns = [f"column {number}" for number in range(10_000)]
    roles = Schema(quasi=columns[:1], others="insensitive").resolve(columns)
    assert len(roles.published) == 10_000
    with pytest.raises(BadInput, match="and 9990 more"):
        Schema(quasi=columns[:1]).resolve([*columns, *columns])


@pytest.mark.parametrize(
    ("given", "expected"),
    [(2, (2, 2)), ((2, 3), (2, 3)), ((None, 3), (0, 3)), ([2, None], (2, None)), ((0, 0), (0, 0))],
)
def test_levels_are_pairs(given: Any, expected: tuple[int, int | None]) -> None:
    assert Schema(quasi=["zip"], levels={"zip": given}).levels == {"zip": expected}


@pytest.mark.parametrize("wrong", [(3, 2), (None, None), None, (1,), (1, 2, 3), -1, 1.5, True, "2:3", (1, "2")])
def test_levels_that_are_none(wrong: Any) -> None:
    with pytest.raises(BadInput, match="The levels of 'zip' must be one whole number from 0 on, or a pair"):
        Schema(quasi=["zip"], levels={"zip": wrong})


@pytest.mark.parametrize("hierarchy", [{}, {"zip": "automatic"}])
def test_levels_need_a_hierarchy(hierarchy: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"'zip', which has no hierarchy.*--hierarchy zip="):
        Schema(quasi=["zip"], levels={"zip": 1}, hierarchies=hierarchy).resolve(["zip"])
    with pytest.raises(BadInput, match="'age', which is not a quasi-identifier"):
        Schema(quasi=["zip"], insensitive=["age"], levels={"age": 1}).resolve(["zip", "age"])
