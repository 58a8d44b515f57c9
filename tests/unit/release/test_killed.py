"""Killed at any moment: never a half file, never a table beside a manifest that does not fit and is not told.

One process makes the releases, then forks writers that save in a loop and kills them after a random time, so that a
hundred kills cost seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

KILLING = """
import json, os, random, shutil, signal, sys, time
from pathlib import Path
import pyarrow as pa
import hedgerow as hr
from hedgerow.io.atomic import digest, manifest_path, proportions_path

folder, overwriting, kills = Path(sys.argv[1]), sys.argv[2] == "overwriting", int(sys.argv[3])
out, how = (folder / "out.csv", {}) if sys.argv[5] == "file" else (folder / "out", {"rows_per_file": 300})
quasi = ["age", "zip"]
people = {"age": [n % 37 for n in range(4000)], "zip": [f"9{n % 29}" for n in range(4000)], "ill": ["yes", "no"] * 2000}
schema = hr.Schema(quasi=quasi, target="ill")
releases = [hr.anonymize(pa.table(people), schema, k=k, publish_proportions=k == 9) for k in (3, 9)]
whole = set()
for release in releases:
    whole.add(digest(release.save(folder / f"whole{out.suffix}", overwrite=True, **how)))
shutil.rmtree(folder); folder.mkdir()
random.seed(int(sys.argv[4]))
started = time.perf_counter()
writer = os.fork()
if not writer:
    releases[1].save(out, overwrite=True, **how)
    os._exit(0)
assert os.waitpid(writer, 0)[1] == 0
once = time.perf_counter() - started
tally = {"kills": 0, "table": 0, "alone": 0, "differs": 0, "half": 0, "untold": 0, "left": 0}
for number in range(kills):
    if not overwriting:
        shutil.rmtree(folder); folder.mkdir()
    writer = os.fork()
    if not writer:
        try:
            releases[number % 2].save(out, overwrite=True, **how)
            while overwriting:
                number += 1
                releases[number % 2].save(out, overwrite=True, **how)
            time.sleep(60)
        finally:
            os._exit(9)
    time.sleep(random.uniform(0, 1.5) * once)  # two of three while it writes
    os.kill(writer, signal.SIGKILL)
    _, status = os.waitpid(writer, 0)
    assert os.WIFSIGNALED(status), "the writer failed by itself"
    tally["kills"] += 1
    if not out.exists():
        continue
    tally["table"] += 1
    tally["half"] += digest(out) not in whole
    said = json.loads(manifest_path(out).read_text()) if manifest_path(out).exists() else None
    tally["alone"] += said is None
    shares = digest(proportions_path(out)) if proportions_path(out).exists() else None
    fits = said is not None and said["output"]["sha256"] == digest(out)
    fits = fits and said.get("proportions", {}).get("sha256") == shares
    tally["differs"] += not fits
    tally["untold"] += not fits and hr.audit(out, quasi=quasi).manifest != "differs"
for release in releases:
    release.save(out, overwrite=True, **how)
tally["left"] = len([path for path in folder.iterdir() if path.name.startswith(".")])
print(json.dumps(tally))
"""


@pytest.mark.parametrize(
    ("kind", "form", "kills"),
    [("fresh", "file", 50), ("overwriting", "file", 50), ("fresh", "folder", 30), ("overwriting", "folder", 30)],
)
def test_many_kills(kind: str, form: str, kills: int, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    command = [sys.executable, "-c", KILLING, str(folder), kind, str(kills), "7", form]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    tally = json.loads(done.stdout)
    assert tally["kills"] == kills
    assert tally["table"] >= 1, "some kills come after the table took its name"
    assert (tally["half"], tally["alone"], tally["untold"]) == (0, 0, 0)
    assert tally["left"] == 0, "the next writer removes what killed ones left"
