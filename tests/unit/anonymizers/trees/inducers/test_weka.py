"""Whether Weka is there, and what is said where it is not."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from hedgerow import MissingExtra
from hedgerow.anonymizers.trees.inducers.j48 import check_weka


def test_the_package_is_named_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"python-weka-wrapper3.*pip install 'hedgerow\[weka\]'"):
        check_weka("A tree", "Do without.")


def test_java_is_found_by_its_command_or_by_its_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: "there")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(MissingExtra, match=r"A tree needs Java, which was not found\. .* Do without\."):
        check_weka("A tree", "Do without.")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    check_weka("A tree", "Do without.")
    monkeypatch.delenv("JAVA_HOME")
    command = tmp_path / "java"
    command.touch(mode=0o755)
    check_weka("A tree", "Do without.")
