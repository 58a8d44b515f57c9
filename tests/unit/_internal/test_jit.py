"""The jit wrapper compiles, keeps the function, and does without a cache where it cannot have one."""

from __future__ import annotations

import ast
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hedgerow._internal import jit as _jit
from hedgerow._internal.arrays import Longs
from hedgerow._internal.jit import jit


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
    code = "import hedgerow.requirements.formulas as k; print(hasattr(k.holds, 'py_func'))"
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


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A package whose kernel takes a number from a module two imports away; no module of it can be executed."""
    package = tmp_path / "toy"
    for folder in (package, package / "deep"):
        folder.mkdir()
        (folder / "__init__.py").write_text("raise SystemError\n")
    (package / "deep" / "kernels.py").write_text("from toy.helper import double\nraise SystemError\n")
    (package / "helper.py").write_text("from toy.facts import SIZE\n")
    (package / "facts.py").write_text("SIZE = 1\n")
    (package / "beside.py").write_text("FREE = 1\n")
    return package


def digest(package: Path) -> str:
    """The digest in a new process, which knows what earlier ones parsed."""
    kernels = package / "deep" / "kernels.py"
    return _jit._Sources(package.parent / "imports.json").digest("toy.deep.kernels", kernels)


IMPORTS = {
    "a name": "from toy.helper import double",
    "a module": "import toy.helper as helper",
    "a module by its package": "from toy import helper",
    "relative": "from ..helper import double",
    "relative module": "from .. import helper",
    "everything": "from ..helper import *",
    "within a function": "def factory():\n    from toy.helper import double",
    "within a block": "try:\n    pass\nexcept ImportError:\n    import toy.helper",
    "on one line": "pass; from toy.helper import double",
    "over lines": "from toy.helper import (\n    double,\n)",
}


@pytest.mark.parametrize("line", IMPORTS.values(), ids=list(IMPORTS))
def test_a_cache_belongs_to_all_that_a_module_imports(toy: Path, line: str) -> None:
    (toy / "deep" / "kernels.py").write_text(f"{line}\n")
    before = digest(toy)
    (toy / "beside.py").write_text("FREE = 2\n")
    (toy / "deep" / "new.py").write_text("")
    assert digest(toy) == before
    (toy / "facts.py").write_text("SIZE = 2\n")
    assert digest(toy) != before


def test_a_cache_belongs_to_what_a_package_hands_on(toy: Path) -> None:
    (toy / "deep" / "kernels.py").write_text("from toy.parts import SIZE\n")
    (toy / "parts").mkdir()
    (toy / "parts" / "__init__.py").write_text("from .sizes import SIZE\n")
    (toy / "parts" / "sizes.py").write_text("from ..facts import SIZE\n")
    before = digest(toy)
    (toy / "facts.py").write_text("SIZE = 2\n")
    changed = digest(toy)
    (toy / "parts" / "__init__.py").write_text("SIZE = 3\n")
    assert len({before, changed, digest(toy)}) == 3


def test_a_cache_does_not_belong_to_what_only_type_checkers_import(toy: Path) -> None:
    kernels = toy / "deep" / "kernels.py"
    kernels.write_text("if TYPE_CHECKING:\n    from toy.beside import FREE\nelse:\n    from toy.facts import SIZE\n")
    before = digest(toy)
    (toy / "beside.py").write_text("FREE = 2\n")
    assert digest(toy) == before
    (toy / "facts.py").write_text("SIZE = 2\n")
    assert digest(toy) != before


def test_a_cache_of_another_package_belongs_to_what_it_imports_from_this_one(toy: Path) -> None:
    before = digest(toy)
    (toy / "helper.py").write_text("from toy.facts import SIZE\nfrom hedgerow._internal.arrays import Longs\n")
    reached = _jit._Sources(toy.parent / "imports.json")
    assert reached.digest("toy.deep.kernels", toy / "deep" / "kernels.py") != before
    assert {"hedgerow._internal.arrays", "hedgerow._internal.jit", "toy.facts"} <= reached._reached("toy.deep.kernels")


def test_imports_in_a_circle_end(toy: Path) -> None:
    (toy / "facts.py").write_text("from toy.helper import double\nSIZE = 1\n")
    before = digest(toy)
    (toy / "facts.py").write_text("from toy.helper import double\nSIZE = 2\n")
    assert digest(toy) != before


def test_a_source_is_parsed_once_for_all_processes(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(toy)
    parsed: list[bytes] = []
    parse = ast.parse

    def noted(text: bytes) -> ast.Module:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr(ast, "parse", noted)
    assert digest(toy) == before
    assert parsed == []
    (toy / "facts.py").write_text("SIZE = 2\n")
    digest(toy)
    assert parsed == [b"SIZE = 2\n"]


@pytest.mark.parametrize("left", ["", "[]", '{"a": '])
def test_what_was_parsed_and_cannot_be_read_is_parsed_again(toy: Path, left: str) -> None:
    before = digest(toy)
    (toy.parent / "imports.json").write_text(left)
    assert digest(toy) == before


KERNELS = """
from hedgerow._internal.jit import jit
from .helper import scaled

@jit
def kernel(number):
    return scaled(number)

def made(addend):
    @jit
    def kernel(number):
        return scaled(number) + addend
    return kernel

if __name__ == "__main__":
    print(kernel(1), made(10)(1), made(20)(1))
"""
HELPER = """
from hedgerow._internal.jit import jit
from .facts import SIZE

@jit(inner=True)
def scaled(number):
    return SIZE * number
"""


@pytest.mark.parametrize(
    "run", [["-m", "toy.kernels"], ["-c", "from toy.kernels import *\n{}"]], ids=["-m", "imported"]
)
def test_no_process_runs_machine_code_of_an_older_constant(tmp_path: Path, run: list[str]) -> None:
    """Nor does one kernel that a function makes pass for another."""
    toy = tmp_path / "toy"
    toy.mkdir()
    for name, text in (("__init__", ""), ("kernels", KERNELS), ("helper", HELPER), ("facts", "SIZE = 3\n")):
        (toy / f"{name}.py").write_text(text)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    home = {"NUMBA_CACHE_DIR": str(tmp_path / "home"), "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_DISABLE_JIT": "0"}
    environment = {**os.environ, **home, "PYTHONPATH": path}

    def printed() -> str:
        command = [sys.executable, *(part.format(KERNELS.splitlines()[-1].strip()) for part in run)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=tmp_path)
        return done.stdout.strip()

    assert printed() == "3 13 23"
    cached = len(list(tmp_path.rglob("*.nbi")))
    assert cached
    assert printed() == "3 13 23"
    assert len(list(tmp_path.rglob("*.nbi"))) == cached, "the second process finds what the first one compiled"
    (toy / "facts.py").write_text("SIZE = 4\n")
    assert printed() == "4 14 24"
