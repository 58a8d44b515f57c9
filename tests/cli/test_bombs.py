"""Small files that would take gigabytes are refused in a sentence, in little memory; a limit is one of the process."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from hedgerow.cli._anonymizing import held_to

resource = pytest.importorskip("resource")

MEGABYTE = 1 << 20
HARMLESS = 700 * MEGABYTE
"""What a run may take at most: Python, its libraries and compiled kernels take half of it."""


@dataclass(frozen=True)
class Ended:
    status: int
    err: str
    peak: int
    """The most memory the process held."""


Limited = Callable[..., Ended]

# A process begins with the peak of the one that started it: so a small one in between starts and watches it.
WATCHER = """
import resource, subprocess, sys
most = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (most, most))
status = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.fixture
def limited(tmp_path: Path) -> Limited:
    """Run the real command as under ``ulimit -v``, so that what goes wrong takes no memory of the machine."""
    scratch = tmp_path.parent / f"{tmp_path.name}-scratch"
    scratch.mkdir()

    def run(*arguments: str, most: int = 8_000 * MEGABYTE) -> Ended:
        with tempfile.TemporaryFile("w+") as said:
            process = subprocess.run(
                [sys.executable, "-c", WATCHER, str(most), sys.executable, "-m", "hedgerow", *arguments],
                cwd=tmp_path,
                env={**os.environ, "TMPDIR": str(scratch), "NO_COLOR": "1"},
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                check=True,
            )
            said.seek(0)
            status, peak = map(int, process.stdout.split())
            return Ended(status, said.read(), peak * 1024)

    return run


ROLES = ("--quasi", "age,sex", "--others", "drop", "-k", "2", "-o", "out.csv", "--quiet")
HEAD = b"age,sex\n20,F\n20,F\n"


def pack(path: Path, *texts: bytes | tuple[bytes, int]) -> None:
    """Write a text as gzip, some pieces of it many times."""
    with path.open("wb") as out:
        for text in texts:
            piece, times = (text, 1) if isinstance(text, bytes) else text
            out.write(gzip.compress(piece) * times)


@pytest.mark.parametrize("bomb", ["a long cell", "a record of many lines", "a long header"])
def test_a_csv_bomb(bomb: str, limited: Limited, tmp_path: Path) -> None:
    """A cell of 1 GB in 1 MB; and a record of 300 million cells, none of whose lines is long."""
    if bomb == "a long cell":
        pack(tmp_path / "people.csv.gz", HEAD + b'20,"', (b"a" * 10_000_000, 100), b'"\n')
    elif bomb == "a long header":
        pack(tmp_path / "people.csv.gz", (b"a" * 10_000_000, 100), b"\n")
    else:
        pack(tmp_path / "people.csv.gz", HEAD + b"20", (b',"\n"' * 3_000_000, 100), b"\n")
    done = limited("anonymize", "people.csv.gz", *ROLES)
    assert (done.status, done.err.count("\n")) == (2, 1), done.err
    assert "of 'people.csv.gz' is longer than 2,000,000 characters" in done.err
    assert done.peak < HARMLESS


def test_a_csv_bomb_is_audited(limited: Limited, tmp_path: Path) -> None:
    """Anybody's table may be audited; the verifier reads longer records than we write."""
    pack(tmp_path / "people.csv.gz", HEAD + b'20,"', (b"a" * 10_000_000, 50), b'"\n')
    done = limited("audit", "people.csv.gz", *ROLES[:2])
    assert (done.status, done.err.count("\n")) == (2, 1), done.err
    assert "'people.csv.gz' is not well-formed CSV in utf-8 at line 4" in done.err
    assert done.peak < 2 * HARMLESS


OVERRUN = """
import sys, time, numpy as np
from hedgerow.cli import _anonymizing as anonymizing, main
def overrun(*_):
    held = []
    for _ in range(200):
        held.append(np.zeros(10_000_000))
anonymizing._run = overrun
sys.exit(main(["anonymize", "people.csv", "--quasi", "age", "-k", "2", "-o", "out.csv", *sys.argv[1:]]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit what a process writes to")
def test_a_memory_limit_is_one_of_the_process(tmp_path: Path) -> None:
    """Sixteen gigabytes are asked for, 80 MB at a time: it ends in a sentence, long before the machine is full."""
    (tmp_path / "people.csv").write_text("age\n1\n1\n")
    done = subprocess.run(
        [sys.executable, "-c", OVERRUN, "--memory-limit", "1GB"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30)),
    )
    assert done.stderr == (
        "hedgerow: The memory limit is too small for this table. Raise it (--memory-limit), or name fewer columns.\n"
    )
    assert done.returncode == 2


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit what a process writes to")
def test_the_limit_of_the_process_ends_with_the_command() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with held_to("1GB"):
        inside = resource.getrlimit(resource.RLIMIT_DATA)
        with pytest.raises(MemoryError):
            bytearray(20 << 30)
    assert (1 << 30) < inside[0] < (20 << 30)
    assert inside[1] == before[1], "what is lowered here can be raised again"
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    with held_to(None):
        assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_a_toml_bomb(limited: Limited, tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text(".".join(["a"] * 200_000) + " = 1\n")
    done = limited("anonymize", "--job", "job.toml")
    assert (done.status, done.err.count("\n")) == (2, 1), done.err
    assert "The TOML of the job file 'job.toml' is nested too deeply for a job" in done.err
    assert done.peak < HARMLESS
    (tmp_path / "job.toml").write_text("# " + "a" * 1_000_000)
    done = limited("anonymize", "--job", "job.toml")
    assert (done.status, done.err) == (
        2,
        "hedgerow: Cannot read the job file 'job.toml': it has more than 1,000,000 bytes. Name a job file.\n",
    )
