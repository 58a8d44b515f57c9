"""``make fuzz N=20000``: many random cases in two processes, a tally by method, and a reproducer of each failure.

A worker is a process of its own, so that one that hangs or dies is noticed and replaced: it writes every case down
before it runs it, and ends itself with a traceback when the case takes too long.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import itertools
import json
import secrets
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, seed, settings

from cases import Case, from_json, to_json
from drawing import cases
from hedgerow.anonymizers.registry import METHODS
from running import Outcome, run
from shrinking import shrunk
from sources import FILES, SOURCES

__all__ = ["main"]

BATCH: Final = 20  # hypothesis remembers what it drew; a new start forgets it
LARGE: Final = 400  # one of so many cases has many rows
LARGE_ROWS: Final = 30_000
SHRINKING: Final = 20  # seconds for each new kind of failure
COLUMNS: Final = (
    "release",
    "infeasible",
    "bad input",
    "disclosing",
    "unexpected",
    "refusal",
    "violation",
    "crash",
    "hang",
)


def draw_cases(number: int, start: int) -> Iterator[Case]:
    """Random cases, a few of each method in turn."""
    rounds = itertools.cycle(METHODS)
    for batch in range(0, number, BATCH):
        yield from _drawn(min(BATCH, number - batch), start + batch, next(rounds))


def _drawn(number: int, start: int, method: str) -> list[Case]:
    drawn: list[Case] = []

    @seed(start)
    @settings(
        max_examples=number,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(method))
    def collect(case: Case) -> None:
        drawn.append(case)

    collect()
    return drawn


def large(case: Case, at: int) -> Case:
    """The case at a size where all threads work, from each kind of source in turn."""
    sources = [*SOURCES, *FILES]
    return replace(case, source=sources[at % len(sources)], times=-(-LARGE_ROWS // case.rows))


def work(number: int, start: int, current: Path, limit: float) -> None:
    """Run cases one after the other, and write a line for each to the standard output."""
    warnings.simplefilter("error")
    known: set[tuple[str, str]] = set()

    begun: Counter[str] = Counter()

    def watched(case: Case) -> Outcome:
        current.write_text(to_json(case), encoding="utf-8")
        begun[case.method] += 1
        # The first cases of a method may have to compile its kernels.
        faulthandler.dump_traceback_later(limit * (5 if begun[case.method] <= BATCH else 1), exit=True)
        outcome = run(case)
        faulthandler.cancel_dump_traceback_later()
        return outcome

    for at, drawn in enumerate(draw_cases(number, start), start):
        case = large(drawn, at // LARGE) if at % LARGE == 0 else drawn
        outcome = watched(case)
        told = {"method": case.method, "kind": outcome.kind, "message": outcome.message}
        if outcome.failed:
            small = case
            if (outcome.kind, outcome.message) not in known:
                known.add((outcome.kind, outcome.message))
                small = shrunk(case, outcome, watched, until=time.monotonic() + SHRINKING)
            told |= {"detail": watched(small).detail or outcome.detail, "case": to_json(small)}
        print(json.dumps(told), flush=True)


class Tally:
    """What came of all cases, by method; failures by their words, each with its smallest reproducer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kinds: Counter[tuple[str, str]] = Counter()
        self.words: Counter[tuple[str, str]] = Counter()
        self.smallest: dict[tuple[str, str], dict[str, Any]] = {}
        self._lock = threading.Lock()

    def add(self, told: dict[str, Any]) -> None:
        """Count one outcome."""
        with self._lock:
            self.kinds[told["method"], told["kind"]] += 1
            if self.cases % 500 == 0:
                print(f"{self.cases} cases, {self.failures} failures", flush=True)
            key = told["kind"], told["message"]
            if told["kind"] != "release":
                self.words[key] += 1
            best = self.smallest.get(key)
            if "case" in told and (best is None or len(told["case"]) < len(best["case"])):
                self.smallest[key] = told
                self._write(told)

    @property
    def cases(self) -> int:
        """How many cases were run."""
        return self.kinds.total()

    @property
    def failures(self) -> int:
        """How many of them failed."""
        return sum(count for (_, kind), count in self.kinds.items() if Outcome(kind).failed)

    def lines(self) -> Iterator[str]:
        """The tally as text: a table of methods, then the words of what was no release."""
        yield f"{'method':14}" + "".join(f"{kind:>12}" for kind in COLUMNS)
        for method in [*sorted({method for method, _ in self.kinds}), "all"]:
            numbers = [
                sum(count for (one, of), count in self.kinds.items() if of == kind and method in (one, "all"))
                for kind in COLUMNS
            ]
            yield f"{method:14}" + "".join(f"{number:12}" for number in numbers)
        yield ""
        for (kind, message), count in sorted(self.words.items()):
            yield f"{count:6}  {kind}: {message}"

    def _write(self, told: dict[str, Any]) -> None:
        """Write a reproducer at once, and what it said: a campaign may be stopped."""
        digest = hashlib.sha256(told["message"].encode()).hexdigest()[:8]
        stem = f"{told['kind']}-{digest}"
        self.folder.joinpath(f"{stem}.json").write_text(told["case"] + "\n", encoding="utf-8")
        self.folder.joinpath(f"{stem}.txt").write_text(f"{told['message']}\n\n{told['detail']}\n", encoding="utf-8")


def supervise(number: int, start: int, name: str, tally: Tally, limit: float) -> None:
    """Have a worker run so many cases; one that ends before its time hangs or has crashed, and is replaced."""
    done = 0
    current, errors = tally.folder / f"current-{name}.json", tally.folder / f"errors-{name}.txt"
    while done < number:
        command = [sys.executable, __file__, "--worker", str(current), "-n", str(number - done)]
        command += ["--seed", str(start + done), "--limit", str(limit)]
        with (
            errors.open("w", encoding="utf-8") as told,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told, text=True) as worker,
        ):
            for line in worker.stdout or ():
                tally.add(json.loads(line))
                done += 1
        if worker.returncode:
            tally.add(_ended(worker.returncode, current, errors.read_text(encoding="utf-8")))
            done += 1
    current.unlink(missing_ok=True)
    errors.unlink()


def _ended(status: int, current: Path, said: str) -> dict[str, Any]:
    """What is told of a worker that ended before its time."""
    hung = "Timeout" in said
    if not hung and status > 0:
        raise RuntimeError(f"The fuzz itself failed:\n{said}")
    case = current.read_text(encoding="utf-8")
    words = _where(said) if hung else f"signal {-status}"
    kind = "hang" if hung else "crash"
    return {"method": from_json(case).method, "kind": kind, "message": words, "detail": said, "case": case}


def _where(trace: str) -> str:
    """The innermost line of Hedgerow's in a traceback of a thread."""
    lines = [line.strip() for line in trace.splitlines() if "hedgerow" in line and "File" in line]
    return lines[0].rpartition("hedgerow/")[2] if lines else "somewhere"


def _new_folder(inside: Path, start: int) -> Path:
    """A folder that no other campaign has: nothing that is there already is touched."""
    folder, attempt = inside / f"seed-{start}", 0
    while True:
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            attempt += 1
            folder = inside / f"seed-{start}-{attempt}"
        else:
            return folder


def main() -> int:
    """Run the campaign, or one worker of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=2000, help="how many cases")
    parser.add_argument("--seed", type=int, help="where the randomness starts")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--limit", type=float, default=120, help="seconds after which a case hangs")
    parser.add_argument("--folder", type=Path, default=Path(".fuzz"), help="where reproducers are written")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    given_ = parser.parse_args()
    start = secrets.randbits(32) if given_.seed is None else given_.seed
    if given_.worker is not None:
        work(given_.n, start, given_.worker, given_.limit)
        return 0
    folder = _new_folder(given_.folder, start)
    tally = Tally(folder)
    share = [given_.n // given_.processes + (at < given_.n % given_.processes) for at in range(given_.processes)]
    print(f"{given_.n} cases, --seed {start}, in {folder}", flush=True)
    with ThreadPoolExecutor(given_.processes) as pool:
        workers = [
            pool.submit(supervise, number, start + 1_000_003 * at, str(at), tally, given_.limit)
            for at, number in enumerate(share)
        ]
    for worker in workers:
        worker.result()
    print("\n".join(tally.lines()))
    print(f"\n{tally.cases} cases, {tally.failures} failures")
    if tally.failures:
        print(f"Reproducers are in {folder}: python tests/fuzz/replay.py {folder}/….json")
    return int(tally.failures > 0)


if __name__ == "__main__":
    sys.exit(main())
