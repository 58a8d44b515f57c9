"""Work that workers do: whether they can."""

from __future__ import annotations

import operator
import threading
from pathlib import Path
from typing import Any

import pytest

from hedgerow.engines._coding import Keys
from hedgerow.schema import Schema

pytestmark = pytest.mark.spark


def test_workers_need_python_this_version_and_the_work(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from hedgerow.engines.spark import _tuples as finishing

    tried = 0

    def can(work: Any = operator.methodcaller("rows")) -> bool:
        nonlocal tried
        tried += 1
        job = finishing.Job(Schema(quasi=["a"]).resolve(["a"]), {}, Keys.of({"c0": 2}), work)
        return finishing.can_work(spark, tmp_path / f"{tried}", job)

    assert can()
    assert not can(threading.Lock()), "what cannot be pickled stays here"
    with monkeypatch.context() as patched:
        patched.setattr(finishing, "__version__", "0.0.0")
        assert not can(), "another version may cut otherwise"
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/nowhere/python")
    assert not can()
    assert capfd.readouterr() == ("", "")
