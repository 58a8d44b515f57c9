"""Run every benchmark and write RESULTS.md, with the machine, the date and the command of each table."""

from __future__ import annotations

import datetime
import subprocess
import sys
from pathlib import Path

import timing

HERE = Path(__file__).parent
SECTIONS = {
    "memory": "Mondrian on a polars frame, end to end with verification",
    "loss": "Loss and time on Adult (30,162 rows, 8 quasi-identifiers)",
    "peer": "Loss at 1,356,660 rows",
    "files": "The command, CSV to CSV, 1,356,660 rows × 15 columns",
    "start": "Starting up",
}


def main() -> None:
    """Run the sections one after the other, each in a process of its own."""
    parts = [
        "# Benchmark results\n",
        f"{timing.machine()}. {datetime.date.today()}. Written by `make bench`; times are the best of several runs,\n"
        "ratios are within one run.\n",
    ]
    for name, title in SECTIONS.items():
        print(f"{title} …", flush=True)
        done = subprocess.run(
            [sys.executable, str(HERE / "mondrian.py"), name], check=True, stdout=subprocess.PIPE, text=True
        )
        parts.append(f"## {title}\n\n`python benchmarks/mondrian.py {name}`\n\n{done.stdout.strip()}\n")
    (HERE / "RESULTS.md").write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
