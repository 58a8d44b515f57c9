"""TDS, TDR and BUG on random tables, taxonomies, shields and requirements, beside a search that counts rows one by one.

The slow search knows a column's state as a list of parts, each a set of values; it looks at every possible step, and
checks requirements on the rows themselves.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
import specializations
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st

from hedgerow import BUG, TDR, TDS, KAnonymity, LDiversity, Schema, parse
from hedgerow.anonymizers.specialize._attributes import attribute_of
from hedgerow.anonymizers.specialize.bug import Climb
from hedgerow.anonymizers.specialize.tds import Search
from hedgerow.core.cells import SUPPRESSED, Interval
from hedgerow.io.values import number_text
from hedgerow.release.pipeline import finish, prepare
from hedgerow.requirements import Requirement

LETTERS = list("abcdef")
NAMES = ("first", "second", "flat", "number")
some = examples(60)
Row = dict[str, Any]
Value = str | None


class Part(NamedTuple):
    """Values that are published alike; ``below`` is what a taxonomy has below them, ``node`` its place there."""

    label: Value
    values: frozenset[Value]
    below: tuple[Part, ...] = ()
    node: int = 0


class Candidate(NamedTuple):
    column: str
    label: Value
    whole: Part
    branches: tuple[Part, ...]


class Job(NamedTuple):
    rows: list[Row]
    prepared: Any
    requirements: tuple[Requirement, ...]


@st.composite
def taxonomies(draw: st.DrawFn) -> dict[str, Any]:
    """A taxonomy of the letters, in any order and up to three levels high; labels are the letters below, sorted."""

    def inside(leaves: list[str], height: int) -> Any:
        if height == 0 or len(leaves) < 3:
            return leaves
        cuts = sorted(draw(st.sets(st.integers(1, len(leaves) - 1), min_size=1, max_size=2)))
        parts = [leaves[low:high] for low, high in itertools.pairwise([0, *cuts, len(leaves)])]
        return {"+".join(sorted(part)) + "+": inside(part, height - 1) for part in parts}

    return {"*": inside(draw(st.permutations(LETTERS)), draw(st.integers(0, 3)))}


@st.composite
def jobs(draw: st.DrawFn) -> Job:
    """Letters with and without a taxonomy, numbers, a class that follows from them, an illness, and requirements."""
    size = draw(st.integers(6, 50))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    gaps = draw(st.booleans())
    first, second, flat = (generator.choice(LETTERS[: draw(st.integers(1, 6))], size) for _ in range(3))
    number = generator.integers(0, draw(st.integers(1, 9)), size) * 3
    clues = (first > "b").astype(int) + (number > 6) * 2 + (second == "a") * (flat > "a")
    target = np.where(generator.random(size) < 0.8, clues % 3, generator.integers(0, 3, size))
    assume(len(set(target.tolist())) < size)

    def gappy(values: Any) -> list[Any]:
        return [None if gaps and generator.random() < 0.1 else value for value in values.tolist()]

    table = {
        "first": gappy(first),
        "second": gappy(second),
        "flat": gappy(flat),
        "number": gappy(number),
        "class": [f"c{label}" for label in target],
        "ill": generator.choice(["x", "y", "z"], size).tolist(),
    }
    shields = st.one_of(st.none(), st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    requirements: list[Requirement] = [KAnonymity(draw(st.integers(1, 6)), shield=draw(shields))]
    if draw(st.booleans()):
        requirements.append(
            KAnonymity(draw(st.integers(1, 6)), shield=draw(st.sampled_from([["first"], list(NAMES[1:])])))
        )
    if draw(st.booleans()):
        least = draw(st.integers(2, 3))
        assume(len(set(table["ill"])) >= least)
        requirements.append(LDiversity(least, "ill", shield=draw(shields)))
    given_taxonomy = draw(taxonomies())
    hierarchies = {"first": given_taxonomy, "second": given_taxonomy}
    schema = Schema(quasi=NAMES, target="class", sensitive=["ill"], hierarchies=hierarchies)
    arrow = pa.table({**table, "number": pa.array(table["number"], pa.int64())})
    prepared = prepare(arrow, schema, requirements, random_state=0)
    rows = [{**row, "number": None if row["number"] is None else str(row["number"])} for row in arrow.to_pylist()]
    return Job(rows, prepared, tuple(requirements))


def spread(rows: Sequence[Row]) -> float:
    """The entropy of the class times the number of rows."""
    classes = Counter(row["class"] for row in rows)
    return -sum(count * math.log2(count / len(rows)) for count in classes.values())


def gain(rows: Sequence[Row], column: str, branches: Sequence[Part]) -> float:
    inside = [[row for row in rows if row[column] in branch.values] for branch in branches]
    everything = [row for part in inside for row in part]
    return (spread(everything) - sum(spread(part) for part in inside)) / len(everything) if everything else 0.0


def published(cut: dict[str, list[Part]], row: Row, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(next(part for part in cut[name] if row[name] in part.values).values for name in names)


def smallest(rows: Sequence[Row], cut: dict[str, list[Part]], one: Requirement) -> int:
    return min(Counter(published(cut, row, one.shield or NAMES) for row in rows).values())


def holds(rows: Sequence[Row], cut: dict[str, list[Part]], one: Requirement) -> bool:
    if isinstance(one, KAnonymity):
        return smallest(rows, cut, one) >= one.k
    assert isinstance(one, LDiversity)
    held: dict[Any, set[str]] = {}
    for row in rows:
        held.setdefault(published(cut, row, one.shield or NAMES), set()).add(row["ill"])
    return min(map(len, held.values())) >= one.l


def replaced(
    cut: dict[str, list[Part]], column: str, old: Sequence[Part], new: Sequence[Part]
) -> dict[str, list[Part]]:
    return {**cut, column: [*(part for part in cut[column] if part not in old), *new]}


def tree(job: Job, name: str) -> Part:
    """A taxonomy as parts that hold those values which occur; a missing one is below the root, after the others."""
    values = {row[name] for row in job.rows}
    places = itertools.count()

    def part(label: str, nested: dict[str, Any], last: Sequence[Part] = ()) -> Part:
        node = next(places)
        below = [part(inner, rest) for inner, rest in nested.items()]
        below += [one._replace(node=next(places)) for one in last]
        held = tuple(one for one in below if one.values)
        own = frozenset({label} & values if not nested and not last else ())
        return Part(label, own.union(*(one.values for one in held)), held, node)

    ((root, nested),) = job.prepared.counts.hierarchies[name].to_tree().items()
    return part(root, nested, [Part(None, frozenset([None]))] if None in values else [])


def interval(low: str, high: str, *, closed: bool) -> str:
    return f"[{low},{high}{']' if closed else ')'}"


def halves(rows: Sequence[Row], part: Part, everything: Sequence[str]) -> tuple[Part, ...]:
    """The best split of numbers in two, the first of equal ones; a missing value is a branch of its own."""
    numbers = sorted((value for value in part.values if value is not None), key=float)
    missing = (Part(None, frozenset([None])),) if None in part.values else ()
    ends = [*everything, everything[-1]]

    def piece(inside: list[str]) -> Part:
        high = ends[everything.index(inside[-1]) + 1]
        return Part(interval(inside[0], high, closed=inside[-1] == everything[-1]), frozenset(inside))

    splits = [(piece(numbers[:at]), piece(numbers[at:])) for at in range(1, len(numbers))]
    if not splits:
        return (piece(numbers), *missing) if numbers else missing
    gains = [gain(rows, "number", split) for split in splits]
    return (*next(split for split, one in zip(splits, gains, strict=True) if one > max(gains) - 1e-9), *missing)


def possible(rows: Sequence[Row], cut: dict[str, list[Part]], hides: Sequence[str]) -> Iterator[Candidate]:
    """Every specialization that gains."""
    numbers = sorted({row["number"] for row in rows} - {None}, key=float)
    for column in NAMES:
        for part in cut[column]:
            found = [Candidate(column, part.label, part, part.below)]
            if column == "number":
                found = [Candidate(column, part.label, part, halves(rows, part, numbers))]
            elif column in hides and part.label == "*":
                found = [
                    Candidate(column, value, part, (Part(value, frozenset([value])), Part("*", part.values - {value})))
                    for value in part.values
                ]
            yield from (one for one in found if gain(rows, column, one.branches) > 1e-12)


def score(job: Job, cut: dict[str, list[Part]], one: Candidate, loss: str) -> float:
    concerned = [each for each in job.requirements if one.column in (each.shield or NAMES)]
    after = replaced(cut, one.column, [one.whole], one.branches)
    if loss == "node":
        sizes = [sum(row[one.column] in part.values for row in job.rows) for part in (one.whole, *one.branches)]
        lost = float(sizes[0] - min(size for size in sizes[1:] if size)) if concerned else 0.0
    else:
        falls = [smallest(job.rows, cut, each) - smallest(job.rows, after, each) for each in concerned]
        lost = sum(falls) / len(falls) if falls else 0.0
    return gain(job.rows, one.column, one.branches) / (lost + 1)


def top(job: Job, hides: Sequence[str]) -> dict[str, list[Part]]:
    """Every column as one part."""
    cut = {}
    for name in NAMES:
        whole = tree(job, name)
        bare = name in hides or name == "number"
        cut[name] = [Part("*", whole.values) if bare else whole]
    return cut


@pytest.mark.parametrize("disclose", [False, True], ids=["tds", "tdr"])
@given(job=jobs(), loss=st.sampled_from(["shield", "node"]))
@some
def test_every_step_is_the_best_and_the_last_one_the_last(
    disclose: bool, job: Job, loss: Literal["shield", "node"]
) -> None:
    """Before every step the candidates and their scores are those found by counting rows; none is left at the end."""
    counts = job.prepared.counts
    attributes = [attribute_of(counts, name, "class", disclose=disclose) for name in NAMES]
    hides = [name for name, one in zip(NAMES, attributes, strict=True) if one.discloses]
    assert ("flat" in hides) == disclose
    search = Search(counts, job.prepared.requirements, attributes, loss)
    cut = top(job, hides)
    while True:
        found = {}
        for one in possible(job.rows, cut, hides):
            after = replaced(cut, one.column, [one.whole], one.branches)
            if all(holds(job.rows, after, each) for each in job.requirements):
                found[NAMES.index(one.column), one.label] = one
        expected = {name: score(job, cut, one, loss) for name, one in found.items()}
        assert specializations.scores(search) == pytest.approx(expected)
        step = search.step()
        if step is None:
            break
        assert step.score == pytest.approx(max(expected.values()))
        best = found[step.column, step.label]
        cut = replaced(cut, best.column, [best.whole], best.branches)


@given(job=jobs())
@some
def test_bug_takes_the_best_step_until_all_holds(job: Job) -> None:
    """Every generalization has the least loss per gain of all that are possible, and there is none too many."""
    climb = Climb(job.prepared.counts, job.prepared.requirements, "class")
    nodes: dict[str, list[Part]] = {}
    cut: dict[str, list[Part]] = {}
    for name in NAMES:
        waiting = [tree(job, name)]
        nodes[name] = [part for part in waiting if not waiting.extend(part.below)]  # type: ignore[func-returns-value]
        cut[name] = [part for part in nodes[name] if not part.below]
    while True:
        violated = [one for one in job.requirements if not holds(job.rows, cut, one)]
        ranks = {}
        for name in NAMES:
            concerned = [one for one in violated if name in (one.shield or NAMES)]
            for node in nodes[name]:
                if concerned and node.below and all(part in cut[name] for part in node.below):
                    after = replaced(cut, name, node.below, [node])
                    rises = [smallest(job.rows, after, one) - smallest(job.rows, cut, one) for one in concerned]
                    lost = gain(job.rows, name, node.below)
                    rise = sum(rises) / len(rises)
                    ranks[NAMES.index(name), node.node] = (lost / rise if rise else math.inf, lost)
        step = climb.step()
        assert (step is None) == (not violated)
        if step is None:
            break
        name = NAMES[step.column]
        assert step.rank[:2] == pytest.approx(ranks[step.column, step.node])
        least = min(rank[0] for rank in ranks.values())
        assert step.score == pytest.approx(least)
        assert math.isfinite(least) or step.info_loss == pytest.approx(
            min(rank[1] for rank in ranks.values()), abs=1e-12
        )
        node = next(part for part in nodes[name] if part.node == step.node)
        cut = replaced(cut, name, node.below, [node])


@pytest.mark.parametrize("method", [TDS, TDR, BUG])
@given(job=jobs())
@some
def test_published_rows_are_anonymous_and_true(method: Any, job: Job) -> None:
    """The released rows meet every requirement on its shield, and what they say covers the original value."""
    counts = job.prepared.counts
    recoding = method().fit_counts(counts, job.prepared.requirements)
    release = finish(job.prepared, recoding, {})
    rows = release.table.to_pylist()
    assert len(rows) == len(job.rows)
    for one in job.requirements:
        classes: dict[Any, list[str]] = {}
        for row in rows:
            classes.setdefault(tuple(row[name] for name in one.shield or NAMES), []).append(row["ill"])
        if isinstance(one, KAnonymity):
            assert min(map(len, classes.values())) >= one.k
        elif isinstance(one, LDiversity):
            assert min(len(set(held)) for held in classes.values()) >= one.l
    again = recoding.transform(
        pa.table(
            {name: [row[name] for row in job.rows] for name in NAMES[:3]}
            | {
                "number": pa.array(
                    [None if row["number"] is None else int(row["number"]) for row in job.rows], pa.int64()
                )
            }
        )
    ).to_pylist()
    for before, after in zip(job.rows, again, strict=True):
        for name in NAMES:
            cell = after[name] if isinstance(after[name], str | None) else number_text(after[name])
            shown = parse(cell)
            if isinstance(shown, Interval):
                assert float(before[name]) in shown
            elif shown is not SUPPRESSED:
                assert cell == before[name] or (cell is not None and before[name] in cell.split("+"))
