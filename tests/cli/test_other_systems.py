"""Windows has neither users nor file locks, and removes nothing that is open: the job is done there all the same.

No such system is at hand here. Its absences are acted out in a process of its own: the modules and names that only
others have are hidden, and the calls that it would refuse are refused.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hedgerow.datasets import make_census
from hedgerow.io.parquet_folder import files_in

# What other libraries need of the system is theirs to know: they are imported first.
OTHER_SYSTEM = """
import multiprocessing.util, os, shutil, subprocess, sys, tempfile, concurrent.futures
import duckdb, narwhals, numba, numpy, pyarrow.csv, pyarrow.dataset, pyarrow.parquet, rich.progress, typer

class Hidden:
    def find_spec(self, name, *_):
        if name in ("fcntl", "grp", "posix", "pwd", "resource", "syslog", "termios"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules.pop(name, None)
for name in ("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "getuid", "geteuid", "getgid", "getegid", "register_at_fork",
             "fork", "forkpty", "sysconf", "chown", "fchown", "fchmod", "killpg", "getpgid", "setsid",
             "sched_getaffinity", "getloadavg", "mkfifo", "umask"):
    if hasattr(os, name):
        delattr(os, name)

LINKS, WRITABLE = "/proc/self/fd", os.O_WRONLY | os.O_RDWR
SIGNS = set('<>:"|?*')

def opened():
    for number in os.listdir(LINKS):
        try:
            yield os.readlink(f"{LINKS}/{number}")
        except OSError:
            pass

def refusing(call, *, replacing=True):
    def refused(path, *rest, **named):
        for one in (path, *(given for given in rest if isinstance(given, (str, bytes, os.PathLike)))):
            one = os.path.abspath(os.fsdecode(one))
            if any(other == one or other.startswith(one + os.sep) for other in opened()):
                raise PermissionError(13, "The process cannot access the file because it is being used")
            if SIGNS & set(os.path.basename(one)) or os.path.basename(one).endswith((".", " ")):
                raise OSError(22, "The filename, directory name, or volume label syntax is incorrect")
        if not replacing and os.path.lexists(rest[0]):
            raise FileExistsError(17, "Cannot create a file when that file already exists")
        return call(path, *rest, **named)
    return refused

def fsync(descriptor, flush=os.fsync):
    flags = next(line for line in open(f"/proc/self/fdinfo/{descriptor}") if line.startswith("flags"))
    if not int(flags.split()[1], 8) & WRITABLE:
        raise PermissionError(13, "Permission denied")
    flush(descriptor)

os.fsync = fsync
os.unlink = os.remove = refusing(os.unlink)
os.rmdir, os.mkdir = refusing(os.rmdir), refusing(os.mkdir)
os.rename, os.replace = refusing(os.rename, replacing=False), refusing(os.replace)

def rmtree(path, ignore_errors=False, **_):
    for folder, folders, files in os.walk(path, topdown=False):
        for one in (*(os.path.join(folder, name) for name in files), folder):
            try:
                (os.unlink if os.path.isfile(one) else os.rmdir)(one)
            except OSError:
                if not ignore_errors:
                    raise

shutil.rmtree = rmtree

import ctypes

class NoLibrary:
    def __init__(self, name, **_):
        if name is None:
            raise TypeError("argument of type 'NoneType' is not iterable")

ctypes.CDLL = NoLibrary
"""
COMMAND = "\nfrom hedgerow.cli import main\nsys.exit(main())\n"
ROLES = ("--quasi", "age,sex,education", "--target", "income", "--others", "drop", "-k", "5", "--quiet")

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not tell what is open")


def acted(code: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "scratch").mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-c", OTHER_SYSTEM + code, *arguments],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "scratch"), "HEDGEROW_TRACEBACK": "1"},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def people(tmp_path: Path) -> Path:
    make_census(2_000, random_state=1).to_pandas().to_csv(tmp_path / "people.csv", index=False)
    return tmp_path


WAYS: dict[str, tuple[str, ...]] = {
    "a file": ("-o", "out.csv", "--method", "mondrian"),
    "a limit": ("-o", "out.parquet", "--method", "kactus", "--memory-limit", "1GB"),
    "with rows": ("-o", "out.csv", "--publish-proportions", "--redraw", "1", "--recoding", "out.json"),
    "a folder": ("-o", "out/", "--partition-by", "education", "--rows-per-file", "400"),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_main_job(way: str, people: Path) -> None:
    """The first time, and once more over what is there."""
    for again in ((), ("--force",)):
        done = acted(COMMAND, "anonymize", "people.csv", *ROLES, *WAYS[way], *again, folder=people)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        assert list((people / "scratch").iterdir()) == []
        assert [path.name for path in people.iterdir() if path.name.startswith(".")] == []
    if way == "a folder":
        assert len(files_in(people / "out")) > 1
    audited = acted(COMMAND, "audit", WAYS[way][1], *ROLES[:2], "-k", "5", folder=people)
    assert audited.returncode == 0, audited.stderr


def test_an_empty_folder_is_filled(people: Path) -> None:
    (people / "out").mkdir()
    done = acted(COMMAND, "anonymize", "people.csv", *ROLES, "-o", "out/", folder=people)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert files_in(people / "out") == ["part-00000.parquet"]


def test_every_module_can_be_imported(tmp_path: Path) -> None:
    """But for those of extras that are not installed."""
    code = """
import importlib, pkgutil, hedgerow
for module in pkgutil.walk_packages(hedgerow.__path__, "hedgerow."):
    if "spark" not in module.name and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""
    done: Any = acted(code, folder=tmp_path)
    assert done.returncode == 0, done.stderr
