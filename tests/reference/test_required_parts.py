"""Nothing is skipped where it must be there."""

from __future__ import annotations

import pytest
from required_parts import PARTS, do_without, is_required


@pytest.mark.parametrize(
    ("environment", "required"),
    [
        ({}, set()),
        ({"CI": "true"}, set(PARTS)),
        ({"CI": "true", "HEDGEROW_REQUIRE": "java index"}, {"java", "index"}),
        ({"CI": "true", "HEDGEROW_REQUIRE": "none"}, set()),
        ({"HEDGEROW_REQUIRE": "all"}, set(PARTS)),
    ],
)
def test_what_must_be_there(environment: dict[str, str], required: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "HEDGEROW_REQUIRE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert {part for part in PARTS if is_required(part)} == required
    for part in PARTS:
        with pytest.raises(pytest.fail.Exception if part in required else pytest.skip.Exception, match="no reason"):
            do_without(part, "no reason")


def test_a_word_that_is_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip in a workflow would otherwise let everything be skipped."""
    monkeypatch.setenv("HEDGEROW_REQUIRE", "jave")
    with pytest.raises(pytest.fail.Exception, match="jave"):
        is_required("java")
