"""kADET on random tables and taxonomies: spans by brute force, published classes counted, published values true."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st

from hedgerow import KAnonymity, LDiversity, Schema, parse
from hedgerow.anonymizers.suppression.kadet import KADET
from hedgerow.anonymizers.trees.nodes.generalized import GeneralizingTree
from hedgerow.core.cells import SUPPRESSED, Interval, ValueSet
from hedgerow.learning import KADETClassifier
from hedgerow.release import Release, pipeline

LABELS = list("abcdef")
some = examples(60)


@st.composite
def taxonomies(draw: st.DrawFn) -> dict[str, Any]:
    """A taxonomy of the letters, in any order and up to three levels high; labels are the letters below, sorted."""

    def inside(leaves: list[str], height: int) -> Any:
        if height == 0 or len(leaves) < 3:
            return leaves
        cuts = sorted(draw(st.sets(st.integers(1, len(leaves) - 1), min_size=1, max_size=2)))
        parts = [leaves[low:high] for low, high in itertools.pairwise([0, *cuts, len(leaves)])]
        return {"+".join(sorted(part)) + "+": inside(part, height - 1) for part in parts}

    return {"*": inside(draw(st.permutations(LABELS)), draw(st.integers(0, 3)))}


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[Any]]:
    """Letters, a few numbers and a class that follows from them, not always; values may be missing."""
    rows = draw(st.integers(6, 60))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    gaps = draw(st.booleans())
    first, second, third = (generator.choice(LABELS[: draw(st.integers(2, 6))], rows) for _ in range(3))
    number = generator.integers(0, draw(st.integers(2, 9)), rows)
    clues = (first > "b").astype(int) + (number > 2) * 2 + (third == "a") * (second > "a")
    target = np.where(generator.random(rows) < 0.8, clues % 3, generator.integers(0, 3, rows))

    def gappy(values: Any) -> list[Any]:
        return [None if gaps and generator.random() < 0.1 else value for value in values.tolist()]

    return {
        "first": gappy(first),
        "second": gappy(second),
        "third": gappy(third),
        "number": gappy(number),
        "target": [f"class {label}" for label in target],
    }


def leaf_of(tree: GeneralizingTree, row: dict[str, Any]) -> int:
    """Walk down by the values themselves, one question after the other."""
    node = 0
    while tree.column[node] >= 0:
        attribute = tree.attributes[tree.column[node]]
        value = row[attribute.domain.name]
        for child in tree.children(node):
            said = int(tree.answers[child])
            if attribute.by_threshold:
                limit = float(attribute.domain.labels[tree.threshold[node]])
                fits = said == (2 if value is None else int(value > limit))
            else:
                codes = attribute.hierarchy.codes_below(np.array([said])).codes(0)
                fits = (None if value is None else str(value)) in [
                    None if code == attribute.domain.missing_code else str(attribute.domain.labels[code])
                    for code in codes
                ]
            if fits:
                node = child
                break
        else:
            return node
    return node


@some
@given(
    tables(),
    taxonomies(),
    st.integers(1, 8),
    st.sets(st.sampled_from(["first", "second", "third", "number"]), min_size=1),
    st.booleans(),
    st.sampled_from(["gain_ratio", "gain"]),
)
def test_every_span_has_k_records(
    table: dict[str, list[Any]], taxonomy: dict[str, Any], k: int, public: set[str], pruned: bool, criterion: Any
) -> None:
    """People are told apart only if some answers to the private questions lead them to different leaves."""
    rows, names = len(table["target"]), ["first", "second", "third", "number"]
    assume(k <= rows)
    model = KADETClassifier(
        k=k,
        public=sorted(public),
        hierarchies={"first": taxonomy, "second": taxonomy},
        pruned=pruned,
        criterion=criterion,
    ).fit(pa.table({name: table[name] for name in names}), table["target"])
    private = [name for name in names if name not in public]
    possible = [dict(zip(private, one, strict=True)) for one in itertools.product(*(set(table[n]) for n in private))]
    signature: dict[Any, tuple[int, ...]] = {}
    sizes: Counter[tuple[int, ...]] = Counter()
    for row in range(rows):
        known = {name: table[name][row] for name in names if name in public}
        key = tuple(known.items())
        if key not in signature:
            signature[key] = tuple(leaf_of(model.tree_, {**known, **answers}) for answers in possible)
        sizes[signature[key]] += 1
    assert min(sizes.values()) >= k
    assert model.spans_.tolist() == sorted(sizes.values())


@some
@given(tables(), taxonomies(), st.integers(1, 8), st.booleans())
def test_training_records_are_where_they_belong(
    table: dict[str, list[Any]], taxonomy: dict[str, Any], k: int, pruned: bool
) -> None:
    """The classes counted at each leaf are those of the records that come there."""
    names = ["first", "second", "third", "number"]
    assume(k <= len(table["target"]))
    frame = pa.table({name: table[name] for name in names})
    model = KADETClassifier(k=k, public=["first", "number"], hierarchies={"first": taxonomy}, pruned=pruned)
    tree = model.fit(frame, table["target"]).tree_
    counted = np.zeros_like(tree.counts)
    ends = [leaf_of(tree, {name: table[name][row] for name in names}) for row in range(frame.num_rows)]
    for end, label in zip(ends, table["target"], strict=True):
        counted[end, tree.classes.index(label)] += 1
    leaves = tree.column < 0
    assert counted[leaves].tolist() == tree.counts[leaves].tolist()
    shares = tree.deciding[ends] / tree.deciding[ends].sum(axis=1, keepdims=True)
    assert model.predict_proba(frame).tolist() == shares.tolist()


def released(table: dict[str, list[Any]], schema: Schema, k: int, require: Any = (), **parameters: Any) -> Release:
    requirements = (KAnonymity(k), *require)
    prepared = pipeline.prepare(pa.table(table), schema, requirements, random_state=0)
    return pipeline.finish(
        prepared, KADET(**parameters).fit_counts(prepared.counts, prepared.requirements, seed=0), parameters
    )


def covers(published: Any, original: Any) -> bool:
    cell = parse(published)
    if cell is SUPPRESSED:
        return True
    if isinstance(cell, Interval):
        return original in cell
    if isinstance(cell, ValueSet):
        return (None if original is None else str(original)) in cell
    if isinstance(original, int):
        return cell is not None and float(str(cell)) == original
    return original == cell or (cell is not None and original in str(cell).split("+"))


@some
@given(tables(), taxonomies(), st.integers(1, 8), st.booleans(), st.sampled_from(["gain_ratio", "gain"]))
def test_published_classes_are_large_enough_and_true(
    table: dict[str, list[Any]], taxonomy: dict[str, Any], k: int, pruned: bool, criterion: Any
) -> None:
    rows, quasi = len(table["target"]), ["first", "second", "number"]
    assume(k <= rows)
    assume(len(set(table["target"])) < rows)
    schema = Schema(
        quasi=quasi,
        target="target",
        insensitive=["third", "row"],
        accept=["third", "row"],
        hierarchies={"first": taxonomy},
    )
    release = released({**table, "row": list(range(rows))}, schema, k, pruned=pruned, criterion=criterion)
    published = release.table.to_pylist()
    assert len(published) == rows
    assert min(Counter(tuple(row[name] for name in quasi) for row in published).values()) >= k
    for row in published:
        for name in quasi:
            assert covers(row[name], table[name][row["row"]])
    # Rows of the table, sent through the router, come to what they published.
    again = release.recoding.transform(pa.table({name: table[name] for name in quasi})).to_pylist()
    of_row = {row["row"]: [row[name] for name in quasi] for row in published}
    assert [[row[name] for name in quasi] for row in again] == [of_row[row] for row in range(rows)]


@some
@given(tables(), taxonomies(), st.integers(1, 4))
def test_every_class_keeps_all_requirements(table: dict[str, list[Any]], taxonomy: dict[str, Any], k: int) -> None:
    quasi = ["first", "number"]
    assume(k <= len(table["target"]))
    assume(len(set(table["third"])) >= 2)
    schema = Schema(
        quasi=quasi,
        target="target",
        sensitive=["third"],
        insensitive=["second"],
        accept=["second"],
        hierarchies={"first": taxonomy},
    )
    release = released(table, schema, k, [LDiversity(2, "third")], pruned=False)
    held: dict[Any, set[Any]] = {}
    for row in release.table.to_pylist():
        held.setdefault(tuple(row[name] for name in quasi), set()).add(row["third"])
    assert min(map(len, held.values())) >= 2
