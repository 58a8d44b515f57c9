"""What attacks find out of the people of a release beyond others: attacks × methods × k.

    python benchmarks/attacks.py            # Adult and the synthetic hospital, all methods and k
    python benchmarks/attacks.py hospital   # one of them
    python benchmarks/attacks.py adult 'Mondrian;kACTUS' 5,10

A random half of the rows are members, the other half is not in the table. Each release is one row of a Markdown table
that is printed when it is done: the excess of every attack in points with its 95 % interval, bold where it works, and
the seconds that the release and all attacks took. An attack that does not apply has a dash.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import hedgerow as hr
import tables
from hedgerow.attacks import ATTACKS, Outcome
from hedgerow.errors import HedgerowError
from markdown import header, row

METHODS: dict[str, dict[str, Any]] = {
    "Mondrian": {"method": "mondrian"},
    "Mondrian, regions": {"method": "mondrian", "cells": "region"},
    "Hedge": {"method": "hedge"},
    "Hedge, regions": {"method": "hedge", "cells": "region"},
    "kACTUS": {"method": "kactus"},
    "k-member": {"method": "k-member"},
    "optimal": {"method": "optimal"},
}
KS = (5, 10, 50)
SEED = 0


@dataclass(frozen=True)
class Halves:
    """People of whom one half is anonymized."""

    members: Any
    others: Any
    schema: hr.Schema
    require: tuple[str, ...] = ()

    @classmethod
    def of(cls, people: Any, schema: hr.Schema, *require: str) -> Halves:
        """Halve a polars table at random."""
        order = np.random.default_rng(SEED).permutation(len(people))
        half = len(people) // 2
        return cls(people[order[:half]], people[order[half:]], schema, require)


def adult() -> Halves:
    """Both files of Adult, 45,222 complete rows: eight quasi-identifiers and the class."""
    people = tables.adult("train", "test").select(*tables.QUASI, tables.TARGET)
    return Halves.of(people, hr.Schema(quasi=tables.QUASI, target=tables.TARGET))


def hospital() -> Halves:
    """The synthetic hospital, 10,000 visits: at least three diagnoses in every class, and the target."""
    quasi = ["born", "sex", "postcode", "admitted"]
    schema = hr.Schema(
        quasi=quasi,
        sensitive=["icd10"],
        target="readmitted",
        hierarchies={name: one for name, one in hr.datasets.hospital_hierarchies().items() if name in quasi},
        others="drop",
    )
    people = hr.datasets.make_hospital(10_000, random_state=SEED, backend="polars")
    # A visit is a person here: somebody with several would be in both halves.
    return Halves.of(people.unique("patient_id", keep="first", maintain_order=True), schema, "l=3@icd10")


TABLES: dict[str, Callable[[], Halves]] = {"adult": adult, "hospital": hospital}


def told(outcome: Outcome) -> str:
    """The excess in points."""
    excess = outcome.excess
    text = f"{100 * excess.value:.1f} ({100 * excess.low:.1f} to {100 * excess.high:.1f})"
    return f"**{text}**" if outcome.works else text


def measure(name: str, methods: tuple[str, ...], ks: tuple[int, ...]) -> None:
    """Print the rows of one table."""
    halves = TABLES[name]()
    print(f"\n{name}: {len(halves.members):,} members, {len(halves.others):,} others. Excess in points.\n")
    header("method", "k", *ATTACKS, "seconds")
    for method in methods:
        for k in ks:
            measure_release(halves, method, k)


def measure_release(halves: Halves, method: str, k: int) -> None:
    """Print the row of one release."""
    start = time.perf_counter()
    try:
        release = hr.anonymize(
            halves.members, halves.schema, k=k, require=halves.require, random_state=SEED, **METHODS[method]
        )
    except HedgerowError as error:
        row(method, k, *("–" for _ in ATTACKS), str(error))
        return
    cells = []
    for attack in ATTACKS:
        previous = release_before(halves, k) if "previous" in ATTACKS[attack].needs else None
        try:
            (found,) = hr.attack(release, halves.members, halves.others, attack, previous=previous, random_state=SEED)
            cells.append(told(found))
        except HedgerowError:
            cells.append("–")
    row(method, k, *cells, f"{time.perf_counter() - start:.0f}")


def release_before(halves: Halves, k: int) -> hr.Release:
    """Another release of the same members, for attacks that compare two: by other cuts."""
    return hr.anonymize(
        halves.members, halves.schema, method="mondrian", k=k, require=halves.require, cut="widest", random_state=SEED
    )


if __name__ == "__main__":
    names, methods, ks = (sys.argv[1:] + [""] * 3)[:3]
    for name in names.split(",") if names else TABLES:
        measure(
            name,
            tuple(methods.split(";")) if methods else tuple(METHODS),
            tuple(map(int, ks.split(","))) if ks else KS,
        )
