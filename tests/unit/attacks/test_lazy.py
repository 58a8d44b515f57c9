"""The attacks are found without a heavy library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import hedgerow


def test_no_learner_is_imported_before_it_learns() -> None:
    script = "import sys, hedgerow; hedgerow.attacks.label_disclosure; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(Path(hedgerow.__file__).parents[1]), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not {"sklearn", "numba", "scipy", "pandas"} & set(done.stdout.split())
