"""Random small releases, measured again in plain Python: record by record, from the text that is published."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hedgerow.core.cells import SUPPRESSED, Interval, ValueSet, parse
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics import all_losses
from hedgerow.core.recoding import Recoding
from hedgerow.hierarchies import intervals, taxonomy

Build = Callable[..., tuple[FrequencyTable, Recoding]]
Value = float | str | None

TREE = {"Any": {"Work": {"Office": ["boss", "clerk", "typist"], "Field": ["farmer"]}, "retired": {}}}
BELOW = {
    "Any": {"boss", "clerk", "typist", "farmer", "retired"},
    "Work": {"boss", "clerk", "typist", "farmer"},
    "Office": {"boss", "clerk", "typist"},
    "Field": {"farmer"},
}
HIERARCHIES = {"age": intervals([0, 30, 50, 90], levels=[[0, 50, 90]]), "job": taxonomy(TREE)}


@dataclass(frozen=True)
class Record:
    """One record: its values, its label, and its published row (None if it is lost)."""

    values: tuple[float | None, str | None]
    label: str
    row: tuple[str | None, ...] | None


@dataclass(frozen=True)
class Plain:
    """The release as a list of records, and what its columns weigh."""

    records: list[Record]
    weights: tuple[float, float]

    @property
    def classes(self) -> dict[Any, list[Record]]:
        found: dict[Any, list[Record]] = defaultdict(list)
        for record in self.records:
            found[record.row].append(record)
        return found

    def domain(self, at: int) -> Counter[Value]:
        return Counter(record.values[at] for record in self.records)

    def covered(self, at: int, text: str | None) -> set[Value]:
        """The values of the column that a published text may stand for."""
        domain = set(self.domain(at))
        read = parse(text)
        if read is SUPPRESSED or read == "Any":
            return domain
        if isinstance(read, Interval):
            return {value for value in domain if value in read}
        if isinstance(read, ValueSet):
            return {member if at == 1 or member is None else float(member) for member in read.members}
        if isinstance(read, str):
            return {value for value in domain if str(value) in BELOW.get(read, {read}) or _reads(read, value)}
        return {None}

    def leaves(self, at: int, text: str | None) -> int:
        """The leaves of the hierarchy below a published text."""
        missing = int(None in self.domain(at))
        if at == 0:
            return len(self.covered(at, text))
        if text in ("*", "Any"):
            return len(BELOW["Any"]) + missing
        return len(BELOW[text]) if text in BELOW else len(self.covered(at, text))

    def all_leaves(self, at: int) -> int:
        return self.leaves(at, "*")

    def spread(self, at: int, values: set[Value]) -> float:
        """NCP of a set of values."""
        domain = self.domain(at)
        if len(values) == 1:
            return 0.0
        if at == 1:
            return (len(values) - 1) / (len(domain) - 1)
        if None in values:
            return 1.0
        numbers = [float(value) for value in domain if value is not None]
        held = [float(value) for value in values if value is not None]
        return (max(held) - min(held)) / (max(numbers) - min(numbers))

    def written_spread(self, at: int, text: str | None) -> float:
        read = parse(text)
        if read is SUPPRESSED:
            return 1.0
        numbers = [float(value) for value in self.domain(at) if isinstance(value, float)]
        if at == 0 and isinstance(read, Interval) and len(numbers) > 1:
            low, high = min(numbers), max(numbers)
            return (min(read.high, high) - max(read.low, low)) / (high - low)
        return self.spread(at, self.covered(at, text))

    def mean(self, cell: Callable[[Record, int], float]) -> float:
        """The mean of a quantity of the cells, which count as much as their column weighs."""
        total = sum(self.weights[at] * (1.0 if r.row is None else cell(r, at)) for r in self.records for at in (0, 1))
        return total / (sum(self.weights) * len(self.records))

    def weight(self, at: int) -> float:
        """The weight of a column over the mean of both."""
        return 2 * self.weights[at] / sum(self.weights)


def _reads(text: str, value: Value) -> bool:
    return isinstance(value, float) and float(text) == value


def measured(plain: Plain) -> dict[str, float]:
    """The metrics, each as its formula reads."""
    records, classes = plain.records, plain.classes
    n = len(records)
    held = {row: [{r.values[at] for r in members} for at in (0, 1)] for row, members in classes.items()}
    tuples = Counter(record.values for record in records)

    def row_of(record: Record) -> tuple[str | None, ...]:
        return ("*", "*") if record.row is None else record.row

    def bits(record: Record, at: int) -> float:
        domain = plain.domain(at)
        return -math.log2(domain[record.values[at]] / sum(domain[v] for v in plain.covered(at, row_of(record)[at])))

    def likelihood(record: Record) -> float:
        volume = math.prod(len(plain.covered(at, row_of(record)[at])) for at in (0, 1))
        return len(classes[record.row]) / n / volume

    def minority(members: list[Record]) -> int:
        return len(members) - max(Counter(record.label for record in members).values())

    def lost_leaves(record: Record, at: int) -> float:
        text = row_of(record)[at]
        return 1.0 if text == "*" else (plain.leaves(at, text) - 1) / max(plain.all_leaves(at) - 1, 1)

    return {
        "ncp": plain.mean(lambda r, at: plain.spread(at, held[r.row][at])),
        "ncp_published": plain.mean(lambda r, at: plain.written_spread(at, row_of(r)[at])),
        "nllm": plain.mean(lost_leaves),
        "loss": plain.mean(lambda r, at: plain.leaves(at, row_of(r)[at]) / plain.all_leaves(at)),
        "suppression": sum(row_of(r)[at] == "*" for r in records for at in (0, 1)) / (2 * n),
        "discernibility": float(sum(n if r.row is None else len(classes[r.row]) for r in records)),
        "non_uniform_entropy": sum(plain.weight(at) * bits(record, at) for record in records for at in (0, 1)),
        "classification": sum(len(m) if row is None else minority(m) for row, m in classes.items()) / n,
        "row_ratio": len(set(classes) - {None}) / len(tuples),
        "kl": sum(math.log(tuples[r.values] / n / likelihood(r)) for r in records) / n,
    }


rows = st.tuples(
    st.sampled_from([20.0, 23.0, 30.0, 41.0, 77.0, None]),
    st.sampled_from(["boss", "clerk", "farmer", "retired", None]),
    st.sampled_from("yn"),
    st.integers(-1, 3),
)


@given(
    drawn=st.lists(rows, min_size=1, max_size=14),
    publish=st.sampled_from(["set", "interval", "label"]),
    stars=st.sets(st.tuples(st.integers(0, 3), st.sampled_from(["age", "job"])), max_size=3),
    weights=st.sampled_from([(1.0, 1.0), (2.0, 1.0), (0.0, 3.0), (0.1, 0.7)]),
)
def test_metrics_are_their_formulas(
    build: Build,
    drawn: list[tuple[float | None, str | None, str, int]],
    publish: str,
    stars: set[tuple[int, str]],
    weights: tuple[float, float],
) -> None:
    present = sorted({group for *_, group in drawn if group >= 0})
    groups = [present.index(group) if group >= 0 else -1 for *_, group in drawn]
    assume(any(age is not None for age, *_ in drawn))  # without any number, ages are no column of numbers
    columns = {"age": [row[0] for row in drawn], "job": [row[1] for row in drawn]}
    labels = [row[2] for row in drawn]
    suppress = [(group, name) for group, name in sorted(stars) if group < len(present)]
    counts, recoding = build(
        columns,
        groups,
        publish=publish,
        target=labels,
        hierarchies=HIERARCHIES,
        suppress=suppress,
        weights=dict(zip(columns, weights, strict=True)),
    )
    texts = [
        tuple(column.texts[value] for column, value in zip(recoding.columns, group, strict=True))
        for group in recoding.groups.tolist()
    ]
    plain = Plain(
        [
            Record((age, job), label, None if group < 0 else texts[group])
            for (age, job, label, _), group in zip(drawn, groups, strict=True)
        ],
        weights,
    )
    losses = all_losses(counts, recoding, k=1)
    for name, expected in measured(plain).items():
        assert losses[name] == pytest.approx(expected, abs=1e-9), name
