"""Systems that papers name, on Adult and three small sets: what they lose, what can be learnt, and how long they take.

    python benchmarks/systems.py papers                                   # those of the papers, beside ours
    python benchmarks/systems.py mondrian k-optimize:cost=classification  # any methods
    python benchmarks/systems.py --sets crx,glass --k 5 --seconds 60 k-optimize

A method may have parameters: NAME:PARAMETER=VALUE,PARAMETER=VALUE. It prints a Markdown table. Adult has its complete
training rows, eight quasi-identifiers and the taxonomies of all but age; the other sets have every attribute as a
quasi-identifier and no hierarchy.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import polars as pl

import hedgerow as hr
import tables
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.registry import find_method
from hedgerow.errors import HedgerowError
from markdown import header, row

SETS = ("adult", "crx", "german", "glass")
# As long as the time_limit lasts, not as many nodes as without one.
_LONG = "max_nodes=1000000"
PAPERS = (
    "kactus",
    "tds",
    "mondrian",
    f"k-optimize:{_LONG}",
    f"k-optimize:cost=classification,{_LONG}",
    "genetic",
    "genetic:cost=classification",
)
FOLDS = 5
LEARNER = "c45"
SEED = 0


def main() -> None:
    """Every method on every set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("methods", nargs="+", help="names of methods, with parameters after a colon; or papers")
    parser.add_argument("--sets", default=",".join(SETS), help="which sets, separated by commas")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=10, help="the time_limit of methods that have one")
    parser.add_argument("--no-accuracy", action="store_true", help="leave out what takes longest")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    header("set", "method", "NCP", "NCP as published", "discernibility", "classes", "C4.5 (%)", "seconds", "proved")
    for name in given.sets.split(","):
        table, schema = described(name)
        for typed in PAPERS if given.methods == ["papers"] else given.methods:
            method = method_of(typed, given.seconds)
            try:
                cells = measured(method, table, schema, given.k, accurate=not given.no_accuracy)
            except HedgerowError as refused:
                cells = (f"refused: {type(refused).__name__}", *["–"] * 6)
            row(name, typed, *cells)
    print(
        f"\nk = {given.k}, nothing suppressed, time_limit {given.seconds:g} s where a method has one. C4.5: mean "
        f"accuracy of {FOLDS} folds, trained on redrawn rows of a release of the other folds and tested on raw ones. "
        "Seconds: from the table to the verified release, one run, after one on some rows that compiles."
    )


def described(name: str) -> tuple[pl.DataFrame, hr.Schema]:
    """A set with its schema."""
    if name == "adult":
        table = tables.adult("train").select(*tables.QUASI, tables.TARGET)
        folder = tables.data_folder() / "adult" / "hierarchies"
        taxonomies = {name: str(folder / f"{name}.csv") for name in tables.QUASI if name != "age"}
        return table, hr.Schema(quasi=tables.QUASI, target=tables.TARGET, hierarchies=taxonomies)
    table = tables.real(name)
    return table, hr.Schema(quasi=table.columns[:-1], target=tables.REAL_SETS[name].target)


def method_of(typed: str, seconds: float) -> Anonymizer:
    """Read NAME:PARAMETER=VALUE,…"""
    name, _, rest = typed.partition(":")
    method = find_method(name)
    known = method.parameters()
    pairs = dict(part.split("=", 1) for part in rest.split(",") if part)
    parameters: dict[str, Any] = {parameter: known[parameter].read(value) for parameter, value in pairs.items()}
    if "time_limit" in known:
        parameters.setdefault("time_limit", seconds)
    return method(**parameters)


def measured(method: Anonymizer, table: pl.DataFrame, schema: hr.Schema, k: int, *, accurate: bool) -> tuple[str, ...]:
    """What one method does to one set."""
    method.anonymize(table.head(200), schema, k=k, random_state=SEED)  # compiles
    start = time.perf_counter()
    release = method.anonymize(table, schema, k=k, random_state=SEED)
    seconds = time.perf_counter() - start
    losses, facts = release.losses, release.facts
    gap = f" (gap {facts['gap']:.0%})" if facts.get("gap") else ""
    return (
        f"{losses['ncp']:.3f}",
        f"{losses['ncp_published']:.3f}",
        f"{losses['discernibility']:,.0f}",
        f"{release.audit.classes.number:,}",
        f"{100 * accuracy(method, table, schema, k):.1f}" if accurate else "–",
        f"{seconds:.2f}",
        f"{'yes' if facts['proved'] else 'no'}{gap}" if "proved" in facts else "–",
    )


def accuracy(method: Anonymizer, table: pl.DataFrame, schema: hr.Schema, k: int) -> float:
    """The mean over folds."""
    found = hr.evaluate(
        table,
        schema,
        methods={"it": method},
        k=k,
        learners=[LEARNER],
        protocol=("cv", FOLDS),
        random_state=SEED,
        workers=1,
    )
    return float(found.table("accuracy").to_dicts()[0][f"k={k}"])


if __name__ == "__main__":
    main()
