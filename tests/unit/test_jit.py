"""The jit wrapper compiles, keeps the function, and does without a cache where it cannot have one."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hedgerow import _jit
from hedgerow._jit import jit
from hedgerow.arrays import Longs


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def test_a_kernel_gives_what_the_function_gives() -> None:
    assert jit(add)(2, 3) == add(2, 3)
    assert jit(add).__doc__ == "Add."


def test_code_without_a_file_is_compiled_without_a_cache() -> None:
    names: dict[str, object] = {}
    exec("def triple(n):\n    return 3 * n\n", names)
    triple = names["triple"]
    assert callable(triple)
    assert jit(triple)(5) == 15


@jit(inner=True)
def doubled(number: int) -> int:
    return 2 * number


@jit
def doubled_twice(number: int) -> int:
    return doubled(doubled(number))


@jit(once=True)
def _first_beyond(numbers: Longs, most: int) -> int:
    for at in range(len(numbers)):
        if numbers[at] > most:
            return at
    return -1


@jit
def _beyond(numbers: Longs, most: int) -> int:
    return 10 * _first_beyond(numbers, most)


def test_a_kernel_that_is_called_in_one_place_is_written_out_there() -> None:
    assert _beyond(np.array([1, 5, 9]), 4) == 10
    assert _beyond(np.array([1, 5, 9]), 9) == -10


def test_an_inner_kernel_is_for_other_kernels() -> None:
    assert doubled_twice(5) == 20


@pytest.mark.parametrize(("switch", "compiled"), [("1", "False"), ("0", "True")])
def test_the_switch_of_numba_is_honoured(switch: str, compiled: str) -> None:
    code = "import hedgerow.privacy.formulas as k; print(hasattr(k.holds, 'py_func'))"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": switch}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == compiled


modes = pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no such modes here")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place for caches, under a umask that lets everybody write."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "home"))
    before = os.umask(0)
    _jit._cache_folder.cache_clear()
    yield tmp_path / "home"
    os.umask(before)
    monkeypatch.undo()
    _jit._cache_folder.cache_clear()


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


@modes
def test_the_cache_is_for_its_owner_alone_whatever_the_umask(home: Path) -> None:
    folder = _jit._cache_folder()
    assert folder is not None
    assert (mode(folder), mode(folder.parent)) == (0o700, 0o700)
    assert jit(add)(2, 3) == 5
    assert list(folder.rglob("*.nbi")), "the code is cached there"
    assert folder.parent.parent == home


@modes
@pytest.mark.parametrize("open_to", [0o770, 0o707, 0o777])
def test_a_cache_that_others_may_write_to_is_not_used(home: Path, open_to: int) -> None:
    folder = _jit._cache_folder()
    assert folder is not None
    folder.chmod(open_to)
    _jit._cache_folder.cache_clear()
    assert _jit._cache_folder() is None
    assert jit(add)(2, 3) == 5
    assert not list(home.rglob("*.nbi"))


@modes
def test_a_cache_of_somebody_else_is_not_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _jit._cache_folder() is not None
    _jit._cache_folder.cache_clear()
    monkeypatch.setattr(os, "getuid", lambda: home.stat().st_uid + 1)
    assert _jit._cache_folder() is None


@modes
def test_a_folder_of_ours_that_stood_open_is_closed(home: Path) -> None:
    home.mkdir(mode=0o755)
    (home / "hedgerow").mkdir()
    assert mode(home / "hedgerow") == 0o777
    assert _jit._cache_folder() is not None
    assert mode(home / "hedgerow") == 0o700


@modes
def test_a_cache_that_others_can_exchange_is_not_used(home: Path) -> None:
    """Whoever may write to the folder above puts a folder of his in its place, after it was looked at."""
    home.mkdir()
    home.chmod(0o777)
    assert _jit._cache_folder() is None
    _jit._cache_folder.cache_clear()
    home.chmod(0o1777)
    assert _jit._cache_folder() is not None, "nobody else may rename what is in there"


@modes
def test_a_cache_behind_a_link_is_not_used(home: Path, tmp_path: Path) -> None:
    home.mkdir(mode=0o700)
    (tmp_path / "victim").mkdir(mode=0o770)
    (home / "hedgerow").symlink_to(tmp_path / "victim")
    assert _jit._cache_folder() is None
    assert (mode(tmp_path / "victim"), list((tmp_path / "victim").iterdir())) == (0o770, [])


def test_where_no_folder_can_be_made_there_is_no_cache(home: Path) -> None:
    home.write_text("a file")
    assert _jit._cache_folder() is None
    assert jit(add)(2, 3) == 5


def test_only_the_first_use_has_to_compile(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    assert _jit.has_to_compile()
    folder = _jit._cache_folder()
    assert folder is not None
    kernels = folder / "trees"
    kernels.mkdir()
    assert _jit.has_to_compile()
    (kernels / "kernel.nbi").write_bytes(b"")
    assert not _jit.has_to_compile()
    assert home in folder.parents


def test_without_a_cache_every_use_compiles(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.write_text("a file")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    assert _jit.has_to_compile()
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert not _jit.has_to_compile()


def test_machine_code_is_kept_as_long_as_no_kernel_and_nothing_it_imports_changes(tmp_path: Path) -> None:
    package = tmp_path / "hedgerow"
    package.mkdir()
    (package / "_jit.py").write_text("")
    (package / "kernels.py").write_text("from hedgerow._jit import int64, jit\nfrom hedgerow.facts import SIZE\n")
    (package / "facts.py").write_text("SIZE = 1\n")
    (package / "beside.py").write_text("")
    before = _jit._digest(package)
    (package / "beside.py").write_text("# a comment\n")
    assert _jit._digest(package) == before
    (package / "facts.py").write_text("SIZE = 2\n")
    changed = _jit._digest(package)
    assert changed != before
    (package / "kernels.py").write_text("from hedgerow._jit import int64, jit\n")
    assert _jit._digest(package) not in (before, changed)
