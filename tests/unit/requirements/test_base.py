"""What a requirement declares, and how little of the house must know of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.requirements import BoundRequirement, Context, Requirement, parse_requirement
from hedgerow.requirements._notation import Typed
from hedgerow.verifier import _verdict as verdict
from hedgerow.verifier.formulas import largest_share

SOURCES = Path(hr.__file__).parent
EXPORTS = {"__init__.py", "requirements/__init__.py"}
# Beside a requirement's own file and the verifier's check: a contract's example.
MORE = {"l-diversity": {"anonymizers/checks/_checks.py"}}


@cache
def words_by_module() -> dict[str, set[str]]:
    """All words of each module, read once for all kinds of requirements."""
    return {source.relative_to(SOURCES).as_posix(): set(words_of(source)) for source in SOURCES.rglob("*.py")}


def words_of(source: Path) -> Iterator[str]:
    """The names and texts of a module's code, and not of its documentation."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.alias(name=word) | ast.ClassDef(name=word):
                yield word
            case ast.Constant(value=str(word)):
                yield word


@pytest.mark.parametrize("kind", [kind for letter, kind in Requirement.kinds.items() if letter != "k"])
def test_a_requirement_is_a_change_of_three_files(kind: type[Requirement]) -> None:
    """Its file, its formula and the verifier's check. (Of k every method knows.)"""
    known = {module for module, words in words_by_module().items() if {kind.__name__, kind.name} & words}
    own = f"{kind.__module__.removeprefix('hedgerow.').replace('.', '/')}.py"

    assert known - EXPORTS == {own, "verifier/_verdict.py"} | MORE.get(kind.name, set())


def test_a_requirement_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class, a formula and a check: the notation, searches, kernels and the verdict need nothing else."""
    monkeypatch.setattr(Requirement, "kinds", dict(Requirement.kinds))

    @dataclass(frozen=True)
    class AtMostHalf(Requirement):
        column: str
        shield: tuple[str, ...] | None = None

        name: ClassVar[str] = "at-most-half"
        monotone: ClassVar[bool] = True
        letter: ClassVar[str] = "half"
        form: ClassVar[str] = "half=1@disease"
        minimal_size: ClassVar[int] = 2
        notation: ClassVar[str] = "half=1@ill"

        @classmethod
        def read(cls, typed: Typed) -> Self:
            return cls(typed.column)

        def __str__(self) -> str:
            return "at most half"

        def reached(self, context: Context) -> str:
            return f"of {context.rows} records"

        def bind(self, context: Context) -> BoundRequirement:
            at = context.index_of(self.column)
            limit = np.array([0.5, -1])
            return BoundRequirement("half", 2, "share", limit, at, context.columns[at].shares)

    def check(part: Any, requirement: Any) -> list[verdict._Check]:
        share = largest_share(part.histogram(requirement.column), part.sizes)
        return [verdict._Check("share", share <= 0.5, float(share.max()), 0.5)]

    monkeypatch.setitem(verdict._CHECKS, "at-most-half", check)
    people = pa.table({"age": [*range(6)], "ill": ["flu", "flu", "cold", "flu", "cold", "cold"]})
    schema = hr.Schema(quasi=["age"], sensitive=["ill"])
    assert parse_requirement("half=1@ill") == AtMostHalf("ill")

    for method in ("mondrian", "optimal", "k-member", "datafly"):
        release = hr.anonymize(people, schema, require=["half=1@ill"], method=method, random_state=0)
        rows = pa.table(release.table).group_by("age").aggregate([("ill", "list")])
        for ill in rows["ill_list"].to_pylist():
            assert 2 * max(ill.count("flu"), ill.count("cold")) <= len(ill)
        assert "at most half" in str(release.audit)
