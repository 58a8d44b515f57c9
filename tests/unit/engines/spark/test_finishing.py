"""Work that workers do: whether they can."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.spark


def test_workers_need_python_and_this_version(
    spark: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from hedgerow.engines.spark import finishing

    assert finishing.can_work(spark)
    with monkeypatch.context() as patched:
        patched.setattr(finishing, "__version__", "0.0.0")
        assert not finishing.can_work(spark), "another version may cut otherwise"
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/nowhere/python")
    assert not finishing.can_work(spark)
    assert capfd.readouterr() == ("", "")
