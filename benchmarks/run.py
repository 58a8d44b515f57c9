"""Run benchmarks and write RESULTS.md, with the command, the date and the machine of each table.

python benchmarks/run.py               # all
python benchmarks/run.py c45 kactus    # only these scripts; the tables of the others stay as they are
python benchmarks/run.py merge.people  # only this table
"""

from __future__ import annotations

import datetime
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import timing

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
HEAD = """# Benchmark results

Written by `make bench`; times are the best of several runs where nothing else is said, ratios are within one run.
"""


@dataclass(frozen=True)
class Section:
    """A table of RESULTS.md: the script that prints it, what the script calls it, and its heading."""

    script: str
    name: str
    title: str

    @property
    def command(self) -> str:
        """What to type for this table alone."""
        return f"python benchmarks/{self.script}.py {self.name}"


SECTIONS = (
    Section("mondrian", "memory", "Mondrian on a polars frame, end to end with verification"),
    Section("mondrian", "loss", "Loss and time on Adult (30,162 rows, 8 quasi-identifiers)"),
    Section("mondrian", "peer", "Loss at 1,356,660 rows"),
    Section("mondrian", "files", "The command, CSV to CSV, 1,356,660 rows × 15 columns"),
    Section("scale", "growth", "Parquet to Parquet under a memory limit (8 quasi-identifiers)"),
    Section("scale", "domain", "When the distinct tuples do not fit into the memory limit"),
    Section("scale", "memory", "File to file beside in memory"),
    Section("scale", "spark", "Spark beside DuckDB"),
    Section("peers", "grown", "Other tools, each at the largest table that it can hold"),
    Section("start", "commands", "Starting up"),
    Section("start", "methods", "The first call of every method, in an empty cache of kernels"),
    Section("methods", "census", "Every method on the census (20,000 rows, 8 quasi-identifiers, k = 10)"),
    Section("c45", "agreement", "C4.5 and Weka's J48: the same trees, the same classes"),
    Section("c45", "adult", "C4.5 and Weka's J48: time on Adult"),
    Section("c45", "large", "C4.5 and Weka's J48: time at 1,356,660 rows"),
    Section("kactus", "scale", "kACTUS as the table grows"),
    Section("hedge", "adult", "Hedge: where the time goes on Adult (30,162 rows, 14 quasi-identifiers)"),
    Section("hedge", "large", "Hedge at 1,356,660 rows"),
    Section("merge", "adult", "Merging and clustering beside Mondrian (Adult, 8 quasi-identifiers, k = 10)"),
    Section("merge", "losses", "The lowest loss on Adult at k = 5, 10 and 100 (8 quasi-identifiers)"),
    Section("merge", "published", "The loss as published with hierarchies, beside the best full-domain one (Adult)"),
    Section("merge", "people", "Counting patients instead of visits: what it costs"),
    Section("hospital", "suppression", "Suppression on real dates: 300,000 visits of the hospital, up to 2 % lost"),
    Section("merge", "large", "The lowest loss at 1,356,660 rows, k = 150"),
    Section("merge", "greedy", "Greedy merging by NLLM for the paper's fourteen k (Adult, with taxonomies)"),
    Section("merge", "k-member", "k-member beside a plain one in Python"),
    Section("lattice", "adult", "The optimum over Adult's lattice (9 quasi-identifiers, 12,960 nodes)"),
    Section("lattice", "large", "The optimum over the same lattice at 1,356,660 rows"),
    Section("lattice", "wide", "15 quasi-identifiers within 60 seconds"),
    Section("specialize", "tds", "TDS as the table grows"),
    Section("specialize", "loss", "TDS and TDR: which loss of anonymity tells more of the class"),
    Section(
        "learning", "accuracy", "Learning from releases of Adult (14 quasi-identifiers): accuracy on the test file"
    ),
    Section("learning", "strictness", "Learning from redrawn rows: exact proportions beside pooled ones"),
    Section("learning", "singled", "Whom proportions single out, exact and pooled"),
    Section("learning", "id3", "ID3 learning from sets: Adult, six quasi-identifiers, as in the paper"),
    Section("learning", "speed", "Representations and trees at 1,356,660 rows"),
    Section(
        "diversity", "adult", "What l-diversity and t-closeness cost learners: Adult, the five papers' methods, k = 10"
    ),
    Section("systems", "papers", "Systems that papers name, beside kACTUS, TDS and Mondrian (k = 10)"),
    Section("limits", "composition", "What it does not promise: two releases of one table, joined"),
    Section("limits", "downcoding", "What it does not promise: sets that name as many values as people"),
    Section("kactus", "accuracy", "kACTUS: what Weka's classifiers learn from the release of Adult"),
)


def main() -> None:
    """Run the sections one after the other, each in a process of its own."""
    scripts = {section.script for section in SECTIONS}
    chosen = set(sys.argv[1:]) or scripts
    known = scripts | {f"{section.script}.{section.name}" for section in SECTIONS}
    if not chosen <= known:
        sys.exit(f"There is no such script or table. Choose among: {', '.join(sorted(known))}.")
    texts = read(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for section in SECTIONS:
        if chosen & {section.script, f"{section.script}.{section.name}"}:
            print(f"{section.title} …", flush=True)
            texts[section.title] = measured(section)
            # At once, so that a later failure does not cost what took minutes.
            RESULTS.write_text(written(texts), encoding="utf-8")


def measured(section: Section) -> str:
    """Run a section; the text below its heading."""
    arguments = [sys.executable, str(HERE / f"{section.script}.py"), section.name]
    done = subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True)
    return f"`{section.command}` · {datetime.date.today()} · {timing.machine()}\n\n{done.stdout.strip()}"


def read(results: str) -> dict[str, str]:
    """The text below each heading."""
    _, *parts = results.split("\n## ")
    return {title: text.strip() for title, _, text in (part.partition("\n") for part in parts)}


def written(texts: Mapping[str, str]) -> str:
    """The whole page, in the order of the sections."""
    parts = [f"## {one.title}\n\n{texts[one.title]}\n" for one in SECTIONS if one.title in texts]
    return "\n".join([HEAD, *parts])


if __name__ == "__main__":
    main()
