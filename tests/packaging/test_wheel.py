"""The wheel as a stranger gets it: what it holds, what it says of itself, and whether it works where nothing else is.

The environment is empty, so that a dependency which only our own tools bring along is missed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from required_parts import do_without

import hedgerow

ROOT = Path(__file__).parents[2]
PROGRAMS = "Scripts" if os.name == "nt" else "bin"
NO_INDEX = "pip reaches no index of packages. Connect to one and type: .venv/bin/pytest tests/packaging"


def pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "pip", *arguments], cwd=ROOT.parent, capture_output=True, text=True)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this source tree."""
    folder = tmp_path_factory.mktemp("wheel")
    if pip("download", "--quiet", "--no-deps", "--retries=1", f"--dest={folder / 'probe'}", "hatchling").returncode:
        do_without("index", NO_INDEX)
    built = pip("wheel", "--quiet", "--no-deps", "--no-cache-dir", f"--wheel-dir={folder}", str(ROOT))
    assert built.returncode == 0, built.stderr
    (path,) = folder.glob("*.whl")
    return path


def test_it_holds_the_package_and_nothing_else(wheel: Path) -> None:
    """Every file of the package is there: modules, stubs, templates, style sheets. No test, page or table is."""
    package = ROOT / "src"
    ours = {
        path.relative_to(package).as_posix()
        for path in (package / "hedgerow").rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".pyo")
    }
    with zipfile.ZipFile(wheel) as opened:
        held = {name for name in opened.namelist() if ".dist-info/" not in name}
        described = {name.partition(".dist-info/")[2] for name in opened.namelist() if ".dist-info/" in name}
    assert held == ours
    assert {Path(name).suffix for name in held} == {".py", ".pyi", ".html", ".css", ".js", ".typed"}
    assert {"hedgerow/py.typed", "hedgerow/report/templates/style.css", "hedgerow/report/templates/report.html"} <= held
    assert {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"} == described


def test_what_it_says_of_itself(wheel: Path) -> None:
    said = metadata(wheel)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert wheel.name == f"hedgerow-{hedgerow.__version__}-py3-none-any.whl"
    assert (said["Name"], said["Version"]) == ("hedgerow", hedgerow.__version__)
    assert (said["License-Expression"], said["License-File"]) == ("Apache-2.0", "LICENSE")
    assert said["Requires-Python"] == ">=3.11"
    assert said["Description-Content-Type"] == "text/markdown"
    assert said.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")
    classifiers = said.get_all("Classifier", [])
    for minor in (11, 12, 13, 14):
        assert f"Programming Language :: Python :: 3.{minor}" in classifiers
    assert "Operating System :: OS Independent" in classifiers
    always = [one for one in said.get_all("Requires-Dist", []) if "extra ==" not in one]
    assert len(always) == len(project["dependencies"])
    assert set(said.get_all("Provides-Extra", [])) == set(project["optional-dependencies"])


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as opened:
        name = next(name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(opened.read(name).decode())


def test_a_stranger_uses_it(wheel: Path, tmp_path: Path) -> None:
    """Without an extra, in an environment of its own, and away from the source tree."""
    venv.create(tmp_path / "empty")
    programs = tmp_path / "empty" / PROGRAMS
    # Our pip installs there: to make another one first would take long.
    installed = pip(f"--python={programs / 'python'}", "install", "--quiet", "--no-compile", str(wheel))
    assert installed.returncode == 0, installed.stderr
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def run(program: str, *arguments: str, status: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
        hidden = ("PYTHON", "HEDGEROW", "COVERAGE", "NUMBA")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
        done = subprocess.run(
            [str(programs / program), *arguments],
            cwd=elsewhere,
            env={**kept, "NUMBA_CACHE_DIR": str(tmp_path / "kernels"), "PYTHONUTF8": "1", **more},
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert done.returncode == status, done.stderr
        return done

    assert run("hedgerow", "--version").stdout == f"hedgerow {hedgerow.__version__}\n"
    # The kernels are compiled where the command needs them; all methods run faster without that.
    assert "counted again by independent code" in run("hedgerow", "demo", "--rows", "300", "-k", "5").stdout
    assert {"release.csv", "release.csv.manifest.json", "report.html"} <= names(elsewhere / "demo")
    people = ("demo/release.csv", "--quasi", "age,sex", "--others", "drop", "-k", "5")
    run("hedgerow", "audit", *people[:3], "-k", "5")
    refused = run("hedgerow", "anonymize", *people, "--engine", "spark", "-o", "out.csv", status=2).stderr
    assert refused.endswith("Type: pip install 'hedgerow[spark]'\n")
    assert refused.count("\n") == 1
    assert "out.csv" not in names(elsewhere)
    smoke = Path(__file__).with_name("smoke.py")
    run("python", "-P", str(smoke), str(elsewhere), str(ROOT), NUMBA_DISABLE_JIT="1")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}
