"""What attacks find out of the people of a release beyond others: attacks × methods × k.

    python benchmarks/attacks.py            # Adult and the synthetic hospital, all methods and k
    python benchmarks/attacks.py hospital   # one of them
    python benchmarks/attacks.py adult 'Mondrian;kACTUS' 5,10
    python benchmarks/attacks.py independent # labels that depend on nothing: all files against the table alone
    python benchmarks/attacks.py independent 'mondrian;hedge'

A random half of the rows are members, the other half is not in the table. Each release is one row of a Markdown table
that is printed when it is done: the excess of every attack in points with its 95 % interval, bold where it works, and
the seconds that the release and all attacks took. An attack that does not apply has a dash.

Labels that depend on nothing cannot be known. ``independent`` prints for every method how often the best attack is
right about members with all published files and with the published table alone, and the difference with its interval,
bold where the files tell more.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pyarrow as pa

import hedgerow as hr
import tables
from hedgerow.anonymizers.registry import all_methods
from hedgerow.attacks import ATTACKS, Outcome, inference, label_disclosure, pool_order
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


SLOW = ("mingen",)
"""Methods that try every way to generalize these tables."""
K = 10


def own_towns() -> tuple[pa.Table, hr.Schema]:
    """Everybody has a town of their own; the label is a coin."""
    generator = np.random.default_rng(SEED)
    people = pa.table(
        {
            "town": [f"T{at:04d}" for at in generator.permutation(1_200)],
            "age": generator.integers(20, 80, 1_200),
            "label": generator.choice(["no", "yes"], 1_200),
        }
    )
    return people, hr.Schema(quasi=["town", "age"], target="label")


def permuted_census() -> tuple[pa.Table, hr.Schema]:
    """The synthetic census with its incomes permuted."""
    quasi = ["age", "zip", "education"]
    people = hr.datasets.make_census(2_400, random_state=7).select([*quasi, "income"])
    labels = np.random.default_rng(SEED).permutation(np.array(people["income"].to_pylist()))
    return people.set_column(3, "income", pa.array(labels.tolist())), hr.Schema(quasi=quasi, target="income")


def measure_independent(methods: tuple[str, ...]) -> None:
    """Print a row for each method and table with labels that depend on nothing."""
    for make in (own_towns, permuted_census):
        people, schema = make()
        half = len(people) // 2
        print(f"\n{make.__name__}: {half:,} members, {half:,} others, k = {K}. Right about members, in percent.\n")
        header("method", "all files", "by", "the table alone", "by", "difference in points", "seconds")
        for method in methods:
            independent_row(people[:half], people[half:], schema, method)


def independent_row(members: pa.Table, others: pa.Table, schema: hr.Schema, method: str) -> None:
    """Print the row of one method."""
    start = time.perf_counter()
    try:
        release = hr.anonymize(members, schema, method=method, k=K, publish_proportions=True, random_state=SEED)
    except HedgerowError as error:
        row(method, *("–" for _ in range(5)), str(error))
        return
    everything = label_attacks(release, members, others)
    table = label_attacks(replace(release, proportions=None), members, others)
    first, second = (max(one, key=lambda name: one[name].value) for one in (everything, table))
    difference = hr.risk.Risk.excess(everything[first], table[second])
    # The best of several is chosen, so that the interval is one for all of them.
    normal = NormalDist()
    wider = normal.inv_cdf(1 - 0.025 / len(everything)) / normal.inv_cdf(0.975)
    value, low, high = (difference.value + wider * (end - difference.value) for end in ends(difference))
    text = f"{100 * value:.1f} ({100 * low:.1f} to {100 * high:.1f})"
    shown = f"**{text}**" if low > 0 else text
    seconds = f"{time.perf_counter() - start:.0f}"
    row(method, f"{everything[first].value:.1%}", first, f"{table[second].value:.1%}", second, shown, seconds)


def ends(risk: hr.risk.Risk) -> tuple[float, float, float]:
    """The value and both ends of its interval."""
    return risk.value, risk.low, risk.high


def label_attacks(release: hr.Release, members: pa.Table, others: pa.Table) -> dict[str, hr.risk.Risk]:
    """How often every attack on labels is right about members."""
    labels = label_disclosure(release, members, others, repeats=1, random_state=SEED)
    found = {
        "posterior": labels.alone.members.accuracy,
        "learner": labels.stacked.members.accuracy,
        "inference": inference(release, members, others, column=release.target).members.recall,
    }
    if release.proportions is not None:
        found["pool-order"] = pool_order(release, members, others, random_state=SEED).members.recall
    return found


if __name__ == "__main__":
    names, methods, ks = (sys.argv[1:] + [""] * 3)[:3]
    if names == "independent":
        measure_independent(
            tuple(methods.split(";")) if methods else tuple(one for one in all_methods() if one not in SLOW)
        )
        sys.exit()
    for name in names.split(",") if names else TABLES:
        measure(
            name,
            tuple(methods.split(";")) if methods else tuple(METHODS),
            tuple(map(int, ks.split(","))) if ks else KS,
        )
