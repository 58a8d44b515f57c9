"""The registry: what is known of a method before it is imported."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.anonymizers import registry
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import choice
from hedgerow.anonymizers.registry import METHODS, check_parameters, find_method, methods
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, Recoding, publish_groups, shown_as
from hedgerow.errors import BadInput
from hedgerow.requirements import Requirement


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
        assert listed["class"] == method.__name__
        assert all(listed.values())


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_method_is_declared_once(method: type[Anonymizer]) -> None:
    assert getattr(hr, method.__name__) is method
    assert method.name in METHODS
    signature = inspect.signature(method).parameters
    assert {name: one.default for name, one in signature.items()} == method().get_params(deep=False)
    assert [name for name in signature if not method.fields[name].shared] == list(method.parameters())
    method.check({name: one.default for name, one in method.parameters().items()})
    for name, one in method.fields.items():
        assert f"{name} : {one.kind}\n    {one.meaning[:20]}" in str(method.__doc__)


def test_a_method_of_another_package(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name = "toy"

        @staticmethod
        def load() -> type[Anonymizer]:
            return Toy

    monkeypatch.setattr(registry, "entry_points", lambda group: [Point] if group == "hedgerow.methods" else [])
    registry.all_methods.cache_clear()
    try:
        assert find_method("toy") is Toy
        assert methods()[-1]["class"] == "Toy"
        people = pa.table({"age": [1, 1, 2]})
        assert hr.anonymize(people, hr.Schema(quasi=["age"]), k=2, method="toy", word="b").audit.k == 3
        with pytest.raises(BadInput, match="The 'word' parameter of Toy must be 'a' or 'b'"):
            hr.anonymize(people, hr.Schema(quasi=["age"]), k=2, method="toy", word="c")
        monkeypatch.setattr(Point, "load", staticmethod(lambda: print))
        registry.all_methods.cache_clear()
        with pytest.raises(BadInput, match=r"'toy' of hedgerow\.methods is not a method"):
            find_method("nothing")
    finally:
        registry.all_methods.cache_clear()


class Toy(Anonymizer):
    """Everybody in one class."""

    name = "toy"
    word: Literal["a", "b"] = choice("A word.")

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        pieces = Pieces.whole(np.zeros(len(counts.cell_sizes), dtype=np.int32), counts.cell_sizes)
        columns, values = publish_groups(counts, pieces, 1, shown_as(counts, "set"))
        return Recoding(self.name, counts.quasi, columns, values, np.array([counts.rows]), pieces)


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
    with pytest.raises(
        BadInput, match=r"The 'cut' parameter of Mondrian must be 'loss', 'widest' or 'widest_only'\. Got 'x'"
    ):
        method.check({"cut": "x"})
    with pytest.raises(BadInput, match=r"The 'relaxed' parameter of Mondrian must be True or False\. Got 1"):
        method.check({"relaxed": 1})


def test_a_parameter_of_other_methods_names_these() -> None:
    limited = [name for name, method in METHODS.items() if "time_limit" in method.parameters()]
    assert limited
    with pytest.raises(BadInput, match=r"Mondrian has no parameter 'time_limit'\. Leave it out, or take") as refusal:
        check_parameters(METHODS["mondrian"], {"time_limit": 3})
    assert [name for name in METHODS if repr(name) in str(refusal.value)] == limited
    check_parameters(METHODS[limited[0]], {"time_limit": 3})
    with pytest.raises(BadInput, match=r"There is no parameter of Mondrian called 'cuts'\. Did you mean 'cut'\?"):
        check_parameters(METHODS["mondrian"], {"cuts": "loss"})


def test_a_method_by_name_runs_without_scikit_learn() -> None:
    code = (
        "import sys, pyarrow as pa, hedgerow as hr;"
        "hr.anonymize(pa.table({'age': [1, 1, 2, 2]}), hr.Schema(quasi=['age']), k=2);"
        "print('sklearn' in sys.modules, 'numba' in sys.modules)"
    )
    assert run(code).split() == ["False", "True"]
