"""HeuristicMin on random tables, taxonomies and requirements: all cuts by brute force, and counts of every state."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from shields import Shields

from hedgerow import KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.lattice._cuts import CutSpace, by_attribute, by_class
from hedgerow.anonymizers.lattice.heuristicmin import HeuristicMin
from hedgerow.errors import Infeasible
from hedgerow.release import pipeline

COLUMNS = ("first", "second", "third")
LABELS = list("abcde")
some = examples(80)


@st.composite
def taxonomies(draw: st.DrawFn) -> dict[str, Any]:
    """A taxonomy of the letters, up to three levels high, also with nodes above only one."""

    def inside(leaves: list[str], height: int) -> Any:
        if height == 0 or (len(leaves) < 2 and not draw(st.booleans())):
            return leaves
        cuts = sorted(draw(st.sets(st.integers(1, max(len(leaves) - 1, 1)), max_size=2)) - {len(leaves)})
        parts = [leaves[low:high] for low, high in itertools.pairwise([0, *cuts, len(leaves)])]
        return {f"{height}:{''.join(part)}": inside(part, height - 1) for part in parts}

    return {"*": inside(draw(st.permutations(LABELS)), draw(st.integers(0, 2)))}


@st.composite
def jobs(draw: st.DrawFn) -> tuple[dict[str, list[Any]], dict[str, Any], list[Any]]:
    """A table, the taxonomies of its columns, and requirements that all rows together meet."""
    rows = draw(st.integers(2, 24))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    width = draw(st.integers(2, 5))
    gap = 0.1 if draw(st.booleans()) else 0.0
    table: dict[str, list[Any]] = {
        name: [None if generator.random() < gap else str(cell) for cell in generator.choice(LABELS[:width], rows)]
        for name in COLUMNS
    }
    assume(all(any(cell is not None for cell in cells) for cells in table.values()))
    table["ill"] = generator.choice(["flu", "cold"], rows).tolist()
    shields = st.sets(st.sampled_from(COLUMNS), min_size=1).map(sorted)
    requirements: list[Any] = [
        KAnonymity(draw(st.integers(1, min(rows, 5))), shield=draw(shields)) for _ in range(draw(st.integers(1, 2)))
    ]
    if len(set(table["ill"])) == 2 and draw(st.booleans()):
        requirements.append(LDiversity(2, "ill", shield=draw(shields)))
    hierarchies = {name: draw(taxonomies()) for name in draw(st.sets(st.sampled_from(COLUMNS)))}
    return table, hierarchies, requirements


def prepared(job: tuple[dict[str, list[Any]], dict[str, Any], list[Any]]) -> pipeline.Prepared:
    table, hierarchies, requirements = job
    schema = Schema(quasi=COLUMNS, sensitive=["ill"], hierarchies=hierarchies)
    return pipeline.prepare(pa.table(table), schema, requirements, random_state=0)


def leaves_of(tree: Any) -> list[str]:
    return list(tree) if isinstance(tree, list) else [leaf for inside in tree.values() for leaf in leaves_of(inside)]


def cuts_of(tree: Any) -> Iterator[dict[str, str]]:
    """Every cut through a taxonomy, as what each leaf becomes."""
    if isinstance(tree, list):
        yield {leaf: leaf for leaf in tree}
        return
    parts = [
        [dict.fromkeys(leaves_of(inside), label), *(cut for cut in cuts_of(inside))] for label, inside in tree.items()
    ]
    for chosen in itertools.product(*parts):
        yield {leaf: node for part in chosen for leaf, node in part.items()}


def cuts_of_column(values: list[Any], taxonomy: dict[str, Any]) -> list[dict[Any, Any]]:
    """Every different cut of the values of a column; a missing one is directly below the root."""
    found = []
    for cut in cuts_of(taxonomy["*"]):
        kept = {value: cut.get(value) for value in set(values)}
        if kept not in found:
            found.append(kept)
    return [*found, dict.fromkeys(set(values), "*")]


def rows_if_satisfied(table: dict[str, list[Any]], requirements: list[Any]) -> int:
    """How many distinct rows a table has, or 0 if it violates a requirement."""
    for one in requirements:
        classes = list(zip(*(table[name] for name in one.shield), strict=True))
        if isinstance(one, KAnonymity) and min(Counter(classes).values()) < one.k:
            return 0
        if isinstance(one, LDiversity):
            held = Counter(of for of, _ in set(zip(classes, table["ill"], strict=True)))
            if min(held.values()) < one.l:
                return 0
    return len(set(zip(*(table[name] for name in COLUMNS), strict=True)))


@some
@given(jobs())
def test_most_rows_over_all_cuts(job: Any) -> None:
    table, hierarchies, requirements = job
    flat = {"*": LABELS}
    cuts = [cuts_of_column(table[name], hierarchies.get(name, flat)) for name in COLUMNS]
    best = max(
        rows_if_satisfied(
            {**table, **{name: [cut[cell] for cell in table[name]] for name, cut in zip(COLUMNS, chosen, strict=True)}},
            requirements,
        )
        for chosen in itertools.product(*cuts)
    )
    made = prepared(job)
    recoding = HeuristicMin(complete=True).fit_counts(made.counts, made.requirements)
    assert len(recoding.groups) == best
    assert recoding.facts["optimal"] == "proved over all cuts"
    as_printed = HeuristicMin().fit_counts(made.counts, made.requirements)
    assert len(as_printed.groups) <= best
    assert as_printed.facts["states_generated"] <= recoding.facts["states_generated"]
    pipeline.finish(made, as_printed, {})
    pipeline.finish(made, recoding, {})


@some
@given(jobs(), st.lists(st.tuples(st.booleans(), st.integers(0, 2)), max_size=6))
def test_states_are_counted_as_from_the_table(job: Any, walk: list[tuple[bool, int]]) -> None:
    """However a state was reached, its rows and violating classes are those that its nodes alone give."""
    made = prepared(job)
    space, shields = CutSpace(made.counts, made.requirements), Shields(made.counts, made.requirements)
    state = space.start()
    for by_values, step in walk:
        moves = list((by_class if by_values else by_attribute)(space, state))
        if moves:
            state = space.generalize(state, *moves[step % len(moves)])
    tuples = made.counts.tuples
    of_tuple = [tuple(state.nodes[at][code] for at, code in enumerate(row)) for row in tuples]
    sizes: Counter[Any] = Counter()
    for row, size in zip(of_tuple, made.counts.tuple_sizes.tolist(), strict=True):
        sizes[row] += size
    table = [tuple(row) for row in state.table.tolist()]
    assert dict(zip(table, state.sizes.tolist(), strict=True)) == dict(sizes)
    assert len(table) == len(sizes) == state.rows
    for which, violates in enumerate(state.violating):
        expected = dict(zip(of_tuple, shields.violating_one(which, state.nodes).tolist(), strict=True))
        assert dict(zip(table, violates.tolist(), strict=True)) == expected
    for hierarchy, cut in zip(space.hierarchies, state.nodes, strict=True):
        chosen = set(cut.tolist())
        above = [hierarchy.parent[node] for node in chosen]
        while above:
            assert not chosen & set(above)
            above = [hierarchy.parent[node] for node in above if node > 0]


@some
@given(jobs(), st.integers(1, 6))
def test_a_search_cut_short_is_valid(job: Any, most: int) -> None:
    made = prepared(job)
    try:
        recoding = HeuristicMin(max_states=most).fit_counts(made.counts, made.requirements)
    except Infeasible:
        raise AssertionError("all rows as one class meet the requirements") from None
    pipeline.finish(made, recoding, {})
    if recoding.facts["optimal"].startswith("unproved"):
        assert recoding.facts["states_generated"] == most
        assert len(recoding.warnings) == 1
    else:
        assert recoding.warnings == ()
