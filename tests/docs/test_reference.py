"""What the site must name: every method, every command, every public name."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

import pytest
import typer

import hedgerow as hr
from doc_blocks import DOCS
from hedgerow.anonymizers.registry import METHODS
from hedgerow.cli._app import app

NAV = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
REFERENCE = "".join(page.read_text(encoding="utf-8") for page in sorted((DOCS / "reference").glob("*.md")))
HEADINGS = re.findall(r"^ +heading: (\S+)$", REFERENCE, flags=re.MULTILINE)
# What these packages have beside what users need is explained where their pages leave it out.
WHOLE = ("attacks", "datasets", "learning")


def test_every_method_has_its_place_in_the_navigation() -> None:
    named = re.findall(r"^ +- (\S+): methods/(\S+)\.md$", NAV, flags=re.MULTILINE)
    assert {name for name, _ in named} == set(METHODS)
    assert all(name == file for name, file in named)


def test_every_command_shows_its_help() -> None:
    command: Any = typer.main.get_command(app)
    shown = set(re.findall(r"^\{\{ help (\S+) \}\}$", REFERENCE, flags=re.MULTILINE))
    assert shown == set(command.commands)


def test_every_public_name_is_explained() -> None:
    modules = {name for name in dir(hr) if isinstance(getattr(hr, name), ModuleType)}
    names = {f"hr.{name}" for name in dir(hr)} - {f"hr.{name}" for name in modules - {"audit"}} - {"hr.__version__"}
    assert names <= set(HEADINGS)


@pytest.mark.parametrize("package", WHOLE)
def test_every_name_of_a_package_is_explained(package: str) -> None:
    assert {f"hr.{package}.{name}" for name in getattr(hr, package).__all__} <= set(HEADINGS)


def test_no_name_is_explained_twice_or_in_vain() -> None:
    assert len(HEADINGS) == len(set(HEADINGS))
    for heading in HEADINGS:
        found: Any = hr
        for part in heading.split(".")[1:]:
            found = getattr(found, part)
