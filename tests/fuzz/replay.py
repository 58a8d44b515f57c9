"""Run a case again: ``python tests/fuzz/replay.py case.json``."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from cases import from_json
from running import run


def main(arguments: list[str]) -> int:
    """Run each file's case and say what came of it."""
    failed = False
    for name in arguments:
        outcome = run(from_json(Path(name).read_text(encoding="utf-8")))
        failed |= outcome.failed
        print(f"{name}: {outcome.kind}{f' ({outcome.message})' if outcome.message else ''}")
        if outcome.detail:
            print(outcome.detail)
    return int(failed)


if __name__ == "__main__":
    warnings.simplefilter("error")
    sys.exit(main(sys.argv[1:]))
