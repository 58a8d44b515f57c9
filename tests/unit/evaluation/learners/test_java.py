"""Starting Java: what is said where it does not start. tests/conformance starts the real one."""

from __future__ import annotations

import importlib.util
import os
import sys
from types import ModuleType
from typing import Any

import pytest

from hedgerow import HedgerowError, MissingExtra
from hedgerow.evaluation.learners import weka as java


class Jpype(ModuleType):
    """A machine that runs, starts, or refuses to start."""

    def __init__(self, *, running: bool, refuses: Exception | None = None) -> None:
        super().__init__("jpype")
        self.running = running
        self.refuses = refuses
        self.options: tuple[str, ...] = ()

    def isJVMStarted(self) -> bool:
        return self.running

    def startJVM(self, *options: str, **_: Any) -> None:
        if self.refuses is not None:
            raise self.refuses
        self.options, self.running = options, True

    def JClass(self, name: str) -> Any:
        return _Anything()


class _Anything:
    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *given: Any) -> Any:
        return self


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Weka and Java seem to be there; ``jpype`` is what a test says."""

    def put(jpype: Jpype) -> Jpype:
        weka, core = ModuleType("weka"), ModuleType("weka.core")
        core.jvm = ModuleType("jvm")  # type: ignore[attr-defined]
        core.jvm.add_bundled_jars = list.clear
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: "there")
        monkeypatch.setenv("JAVA_HOME", "/there")
        monkeypatch.setattr(java, "_started_by", None)
        for name, module in (("jpype", jpype), ("weka", weka), ("weka.core", core)):
            monkeypatch.setitem(sys.modules, name, module)
        return jpype

    return put


def test_it_is_started_once(installed: Any) -> None:
    jpype = installed(Jpype(running=False))
    java.start_java("A learner", "Do without.")
    assert "-Dweka.packageManager.loadPackages=false" in jpype.options
    assert java._started_by == os.getpid()
    jpype.refuses = OSError("JVM is already started")
    java.start_java("A learner", "Do without.")


def test_a_machine_of_somebody_else_is_used(installed: Any) -> None:
    jpype = installed(Jpype(running=True))
    java.start_java("A learner", "Do without.")
    assert (jpype.options, java._started_by) == ((), None)


def test_java_that_does_not_start(installed: Any) -> None:
    installed(Jpype(running=False, refuses=RuntimeError("/usr/lib/secret is older than required")))
    with pytest.raises(MissingExtra, match=r"A learner needs Java 11 or newer.*Do without\.") as caught:
        java.start_java("A learner", "Do without.")
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None
    assert java._started_by is None


def test_a_fork_has_no_java(installed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(Jpype(running=True))
    monkeypatch.setattr(java, "_started_by", -1)
    with pytest.raises(HedgerowError, match="before this process was forked"):
        java.start_java("A learner", "Do without.")
    with pytest.raises(HedgerowError, match="'spawn' or 'forkserver'"):
        java.java_class("java.lang.String")
