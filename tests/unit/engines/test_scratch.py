"""Temporary folders live as long as somebody needs them."""

from __future__ import annotations

import gc
from pathlib import Path

from hedgerow.engines import Scratch


def test_it_goes_with_its_object() -> None:
    scratch = Scratch()
    path = scratch.path
    (path / "rows.csv").write_text("x")
    assert path.stat().st_mode & 0o777 == 0o700
    del scratch
    gc.collect()
    assert not path.exists()


def test_it_is_hidden_beside_a_destination(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    assert scratch.path.parent == tmp_path
    assert scratch.path.name.startswith(".hedgerow-")


def test_it_stays_for_another_user() -> None:
    class User:
        """Anything that reads from the folder."""

    user, scratch = User(), Scratch()
    path = scratch.path
    scratch.keep_for(user)
    del scratch
    gc.collect()
    assert path.exists()
    del user
    gc.collect()
    assert not path.exists()
