"""The registry: what is known of a method before it is imported."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import pytest

import hedgerow as hr
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.registry import METHODS, Method, find_method, methods
from hedgerow.errors import BadInput


def run(code: str) -> str:
    """Run code in a fresh interpreter and give back what it prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_methods_are_listed_without_importing_scikit_learn_or_numba() -> None:
    printed = run(
        "import sys, hedgerow\n"
        "names = [method['name'] for method in hedgerow.methods()]\n"
        "print(names, sorted({'sklearn', 'numba', 'scipy', 'pandas'} & set(sys.modules)))"
    )
    assert printed == f"{[*METHODS]} []"


@pytest.mark.parametrize(
    "call",
    [
        "hr.anonymize(table, hr.Schema(quasi=['aeg']), k=2)",
        "hr.anonymize(table, hr.Schema(quasi=['age']), k=3)",
        "hr.anonymize(table, hr.Schema(quasi=['age']))",
        "hr.anonymize(table, hr.Schema(quasi=['age']), k=2, method='modrian')",
        "hr.anonymize(table, hr.Schema(quasi=['age']), k=2, cut='wide')",
        "hr.anonymize(table, None, k=2)",
    ],
)
def test_bad_input_is_refused_before_scikit_learn_or_numba_is_imported(call: str) -> None:
    code = (
        "import sys, pyarrow as pa, hedgerow as hr\n"
        "table = pa.table({'age': [1, 2]})\n"
        f"try:\n    {call}\n"
        "except hr.BadInput:\n    print(sorted({'sklearn', 'numba'} & set(sys.modules)))"
    )
    assert run(code) == "[]"


def test_methods_lists_what_the_command_shows() -> None:
    for listed, method in zip(methods(), METHODS.values(), strict=True):
        assert list(listed) == ["name", "class", "family", "paper", "guarantees"]
        assert listed["class"] == method.class_name
        assert all(listed.values())


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_an_entry_describes_its_class(method: Method) -> None:
    loaded = method.load()
    assert issubclass(loaded, Anonymizer)
    assert getattr(hr, method.class_name) is loaded
    assert loaded.name == method.name
    assert loaded.method() is method
    common = {"self", "k", "require", "publish_proportions", "min_support", "schema", "random_state"}
    own = [name for name in inspect.signature(loaded.__init__).parameters if name not in common]
    assert [parameter.name for parameter in method.parameters] == own
    method.check({name: value for name, value in loaded().get_params().items() if name in own})


def test_an_unknown_method_names_the_nearest() -> None:
    with pytest.raises(BadInput, match=r"There is no method 'mondrain'\. Did you mean 'mondrian'\?"):
        find_method("mondrain")
    with pytest.raises(BadInput, match="There is no method '3'"):
        find_method(3)  # type: ignore[arg-type]  # what a caller might type
    with pytest.raises(BadInput, match="There is no method"):
        find_method([])  # type: ignore[arg-type]  # not even hashable


def test_wrong_parameters_are_named() -> None:
    method = METHODS["mondrian"]
    with pytest.raises(BadInput, match=r"There is no parameter of Mondrian called 'cuts'\. Did you mean 'cut'\?"):
        method.check({"cuts": "loss"})
    with pytest.raises(BadInput, match=r"The 'cut' parameter of Mondrian must be 'loss' or 'widest'\. Got 'x'"):
        method.check({"cut": "x"})
    with pytest.raises(BadInput, match=r"The 'relaxed' parameter of Mondrian must be True or False\. Got 1"):
        method.check({"relaxed": 1})


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_registry_function_and_estimator_have_the_same_parameters_and_defaults(method: Method) -> None:
    function = getattr(importlib.import_module(method.module), method.name.replace("-", "_"))
    own = {p.name: p.default for p in method.parameters}
    of_function = {p.name: p.default for p in inspect.signature(function).parameters.values() if p.name in own}
    of_estimator = method.load()().get_params()
    assert of_function == own
    assert {name: of_estimator[name] for name in own} == own
    assert set(inspect.signature(function).parameters) == {"counts", "requirements", "seed", *own}


def test_a_method_by_name_runs_without_scikit_learn() -> None:
    code = (
        "import sys, pyarrow as pa, hedgerow as hr;"
        "hr.anonymize(pa.table({'age': [1, 1, 2, 2]}), hr.Schema(quasi=['age']), k=2);"
        "print('sklearn' in sys.modules, 'numba' in sys.modules)"
    )
    assert run(code).split() == ["False", "True"]
