"""How Spark is started on one machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def test_a_system_that_does_not_tell_its_memory(pyspark: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Windows, which has no ``os.sysconf``."""
    from hedgerow.engines.spark._session import _of_one_machine

    monkeypatch.delattr(os, "sysconf")
    assert _of_one_machine(Path("scratch"))["spark.driver.memory"] == "1024m"
