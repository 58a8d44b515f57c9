"""The real command, killed: no half file, and the next run to the same place removes what was left."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from hedgerow import audit
from hedgerow.datasets import make_census

QUASI = ["age", "sex", "education"]
ARGUMENTS = (
    *("anonymize", "people.csv", "--quasi", ",".join(QUASI), "--target", "income", "--others", "drop", "-k", "5"),
    *("--output", "out/out.csv", "--publish-proportions", "--quiet", "--force"),
)


def test_kills_of_the_command(tmp_path: Path, started: Callable[..., subprocess.Popen[bytes]]) -> None:
    """Four kills at random moments, two of fresh output; a whole run before them tells how long one takes."""
    make_census(5_000, random_state=1).to_pandas().to_csv(tmp_path / "people.csv", index=False)
    out, scratch = tmp_path / "out", tmp_path.parent / f"{tmp_path.name}-scratch"
    out.mkdir()
    began = time.perf_counter()
    assert started(*ARGUMENTS).wait() == 0
    long = time.perf_counter() - began
    whole = sorted(path.name for path in out.iterdir())
    moments = random.Random(5)
    for number in range(4):
        for path in out.iterdir() if number < 2 else ():
            if path.is_file():
                path.unlink()
        command = started(*ARGUMENTS)
        time.sleep(moments.uniform(0.3, 1.1) * long)
        command.kill()
        command.wait()
        if (out / "out.csv").exists():
            found = audit(out / "out.csv", quasi=QUASI)
            assert (found.rows, found.k >= 5, found.manifest) in ((5_000, True, "fits"), (5_000, True, "differs"))
    assert started(*ARGUMENTS).wait() == 0
    assert sorted(path.name for path in out.iterdir()) == whole
    assert audit(out / "out.csv", quasi=QUASI).manifest == "fits"
    assert not [path for path in scratch.iterdir() if (path / "lock").exists()], "nor in the temporary folder"
