"""Finished cells: kept, found again, and not lost by a kill."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.errors import BadInput
from hedgerow.evaluation.store import Store


def test_what_was_added_is_found_by_another_run(tmp_path: Path) -> None:
    path = tmp_path / "cells.jsonl"
    store = Store(path)
    store.add([{"key": "a", "accuracy": 0.5}, {"key": "b", "reason": "none – really"}])
    store.add([{"key": "c"}])
    for known in (store, Store(path)):
        assert known.get("a") == {"key": "a", "accuracy": 0.5}
        assert known.get("b") == {"key": "b", "reason": "none – really"}
        assert known.get("d") is None
    assert len(path.read_text().splitlines()) == 3


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    """A key is a digest of the table: whoever knows all rows but one could try until it fits."""
    path = tmp_path / "cells.jsonl"
    Store(path).add([{"key": "a"}])
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_line_that_was_cut_short_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "cells.jsonl"
    path.write_text('{"key": "a"}\n{"key": "b", "acc')
    store = Store(path)
    assert store.get("a") is not None
    assert store.get("b") is None
    store.add([{"key": "b"}])
    again = Store(path)
    assert again.get("a") is not None
    assert again.get("b") == {"key": "b"}


@pytest.mark.parametrize("text", ["age,ill\n1,y\n", '["key"]\n', '{"accuracy": 1}\n', "1\n"])
def test_another_file_is_refused_and_left_alone(text: str, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(text)
    with pytest.raises(BadInput, match="does not hold results that Hedgerow wrote"):
        Store(path)
    assert path.read_text() == text


def test_in_memory_and_where_nothing_can_be_written(tmp_path: Path) -> None:
    store = Store()
    store.add([{"key": "a"}])
    assert store.get("a") == {"key": "a"}
    with pytest.raises(BadInput, match="cannot be written"):
        Store(tmp_path / "none" / "cells.jsonl").add([{"key": "a"}])


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    """Others may be able to write to the folder."""
    for name, text in (("empty", ""), ("cut", '{"key": "a"}\nnotes of another program')):
        (tmp_path / name).write_text(text)
        (tmp_path / f"{name}.jsonl").symlink_to(tmp_path / name)
        with pytest.raises(BadInput, match="cannot be written"):
            Store(tmp_path / f"{name}.jsonl").add([{"key": "b"}])
        assert (tmp_path / name).read_text() == text
    (tmp_path / "new.jsonl").symlink_to(tmp_path / "made")
    with pytest.raises(BadInput, match="cannot be written"):
        Store(tmp_path / "new.jsonl").add([{"key": "b"}])
    assert not (tmp_path / "made").exists()
