"""From specialized columns to a recoding: a node for every code, and a hierarchy for intervals that were grown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hedgerow.anonymizers.specialize.attributes import Attribute, GrownIntervals
from hedgerow.anonymizers.specialize.search import Search
from hedgerow.arrays import Ints
from hedgerow.counts import FrequencyTable
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.hierarchies.trees import encode_tree, tree_of_levels
from hedgerow.recoding import PublishedColumn, Recoding, recode_by_nodes

__all__ = ["grown_hierarchy", "publish"]


def publish(method: str, counts: FrequencyTable, search: Search, target: str) -> Recoding:
    """Publish every value as the part it is in."""
    hierarchies = dict(counts.hierarchies)
    nodes: list[Ints] = []
    for name, attribute in zip(counts.quasi, search.attributes, strict=True):
        if isinstance(attribute, GrownIntervals):
            hierarchies[name] = grown_hierarchy(attribute)
        nodes.append(_nodes(attribute, hierarchies[name]))
    recoding = recode_by_nodes(
        method,
        replace(counts, hierarchies=hierarchies),
        nodes,
        facts=_facts(counts, search),
        warnings=_warnings(counts, search, target),
    )
    columns = [
        _as_intervals(column) if isinstance(attribute, GrownIntervals) else column
        for column, attribute in zip(recoding.columns, search.attributes, strict=True)
    ]
    return replace(recoding, columns=tuple(columns))


def _nodes(attribute: Attribute, hierarchy: EncodedHierarchy) -> Ints:
    """The node that stands for each code."""
    if isinstance(attribute, GrownIntervals):
        if not attribute.specialized:
            return np.zeros(attribute.domain.size, dtype=np.int32)
        first, last = np.array(attribute.ranges)[attribute.part].T
        # One number is published as it is, and so is a missing value, which has no interval.
        leaf = hierarchy.leaf_of
        return np.where(last - first == 1, leaf, hierarchy.parent[leaf]).astype(np.int32)
    if attribute.discloses:
        return np.where(attribute.part > 0, hierarchy.leaf_of, hierarchy.root).astype(np.int32)
    return attribute.part


def grown_hierarchy(attribute: GrownIntervals) -> EncodedHierarchy:
    """The numbers below the intervals that were grown, and these below ``*``; as given where none was grown."""
    domain = attribute.domain
    if not attribute.specialized or domain.numbers is None:
        return attribute.hierarchy
    parts, index = np.unique(attribute.part[: len(domain.labels)], return_inverse=True)
    ranges = [attribute.ranges[part] for part in parts.tolist()]
    texts = [attribute.interval(*one) for one in ranges]
    built = tree_of_levels(domain.labels.tolist(), [[texts[at] for at in index.tolist()]])
    ends = np.array([attribute.ends(*one)[:2] for one in ranges])[index]
    low, high = np.full((2, len(built.tree.labels)), np.nan)
    low[built.nodes[0]] = high[built.nodes[0]] = domain.numbers
    low[built.nodes[1]], high[built.nodes[1]] = ends.T
    low[0], high[0] = domain.numbers[0], domain.numbers[-1]
    described = f"{len(ranges)} intervals grown by the class"
    return encode_tree(built.tree, built.nodes[0], domain, described, bounds=(low, high))


def _as_intervals(column: PublishedColumn) -> PublishedColumn:
    """Say that labels are intervals, not nodes: the counts, which metrics read, have another hierarchy."""
    kinds: Sequence[Any] = ["interval" if kind == "label" else kind for kind in column.kinds]
    return replace(column, kinds=tuple(kinds), nodes=None)


def _facts(counts: FrequencyTable, search: Search) -> dict[str, Any]:
    """How often each column was specialized, and which ones grew intervals; no value is named."""
    done = Counter(step.column for step in search.steps)
    grown = [
        name
        for name, one in zip(counts.quasi, search.attributes, strict=True)
        if isinstance(one, GrownIntervals) and one.specialized
    ]
    return {"specializations": {name: done[at] for at, name in enumerate(counts.quasi)}, "intervals_grown": grown}


def _warnings(counts: FrequencyTable, search: Search, target: str) -> tuple[str, ...]:
    if search.steps:
        return ()
    only = len(counts.domains[target].labels) < 2
    why = f"The target {target!r} has only one class" if only else "No specialization is allowed and useful"
    return (f"{why}, so every quasi-identifier is fully generalized.",)
