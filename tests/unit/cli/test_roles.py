"""Roles as they are typed, and the schema that they make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hedgerow.cli._job import Job
from hedgerow.cli._roles import named_quasi, read_roles, schema_of
from hedgerow.errors import BadInput
from hedgerow.schema import Schema

TYPED: dict[str, Any] = {
    "quasi": ["age,zip"],
    "target": "income",
    "sensitive": ["ill"],
    "insensitive": ["note"],
    "accept": ["note"],
    "identifying": ["name"],
    "pseudonymize": ["card"],
    "entity": "card",
    "others": "drop",
    "kind": ["zip=text"],
    "weights": ["zip=2"],
    "level": ["zip=2:3"],
    "recode": ["income=top:90,round:5"],
    "missing": ["?"],
    "hierarchy": ["zip=masking:2"],
}


def test_every_role_reaches_the_schema() -> None:
    schema = schema_of(read_roles(TYPED), {"age": Path("age.csv"), "zip": Path("zip.csv")})
    assert schema == Schema(
        quasi=["age", "zip"],
        target="income",
        sensitive=["ill"],
        insensitive=["note"],
        accept=["note"],
        identifying=["name"],
        pseudonymize=["card"],
        entity="card",
        others="drop",
        kinds={"zip": "text"},
        weights={"zip": 2.0},
        levels={"zip": (2, 3)},
        recode={"income": "top:90,round:5"},
        missing=("?", ""),
        hierarchies={"age": Path("age.csv"), "zip": "masking:2"},
    )


def test_what_is_not_typed_is_what_a_schema_has_of_itself() -> None:
    assert schema_of(read_roles({"quasi": ["age"]}), {}) == Schema(quasi=["age"])


def test_a_job_has_the_same_fields() -> None:
    roles = read_roles(TYPED)
    assert schema_of(dict(Job.model_validate(roles)), {}) == schema_of(roles, {})


def test_a_quasi_identifier_is_needed() -> None:
    assert named_quasi(["age"]) == ["age"]
    with pytest.raises(BadInput, match="No quasi-identifier is named"):
        named_quasi(None)
