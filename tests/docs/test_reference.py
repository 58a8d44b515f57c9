"""What the site must name: every method, every command, every public name."""

from __future__ import annotations

import ast
import builtins
import doctest
import inspect
import pydoc
import re
from collections.abc import Iterator
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
EXPLAINED = re.findall(r"^::: (\S+)$", REFERENCE, flags=re.MULTILINE)
# Modules have their names as well. Pytest, which imports those, hides the functions from hr.
AS_MODULES = ("hedgerow.hierarchies.intervals", "hedgerow.learning.export", "hedgerow.learning.redraw")
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


def examples() -> Iterator[tuple[str, str]]:
    """The code of each example on the pages of the reference."""
    for name in EXPLAINED:
        thing: Any = pydoc.locate(name)
        members = vars(thing) if inspect.isclass(thing) else {}
        shown = [(name, thing), *((f"{name}.{own}", one) for own, one in members.items() if not own.startswith("_"))]
        for called, one in shown:
            documented = getattr(one, "fget", None) or getattr(one, "__func__", one)
            text = documented.__doc__ if callable(documented) else None
            parts = doctest.DocTestParser().get_examples(inspect.cleandoc(text or ""))
            if parts:
                yield called, "".join(part.source for part in parts)


@pytest.mark.parametrize(("name", "code"), [pytest.param(*one, id=one[0]) for one in examples()])
def test_examples_use_only_public_names(name: str, code: str) -> None:
    """You can type them as they stand: what they need is imported in them, and `import hedgerow as hr` has the rest."""
    tree = list(ast.walk(ast.parse(code)))
    imports = [node for node in tree if isinstance(node, ast.Import | ast.ImportFrom)]
    own = {(alias.asname or alias.name).split(".")[0] for node in imports for alias in node.names}
    own |= {node.id for node in tree if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in tree if isinstance(node, ast.arg)}
    used = {node.id for node in tree if isinstance(node, ast.Name)}
    own |= {name.rpartition(".")[2]} if name in AS_MODULES else set()
    assert used - own - set(dir(builtins)) == set()
    modules = [str(node.module) for node in imports if isinstance(node, ast.ImportFrom)]
    assert not [module for module in modules if module.startswith("hedgerow")]
    assert not [node.attr for node in tree if isinstance(node, ast.Attribute) and node.attr.startswith("_")]
