"""kADET as an anonymizer: grow a k-anonymous decision tree, and publish records by the path to their leaf.

All attributes are quasi-identifiers and public, so a span is a leaf, and the leaves are the groups. A column that the
path does not ask is suppressed. A column that it asks is published as the taxonomy label or value where the path ends,
or as the smallest interval around the group's numbers. For the growth, the papers and the deviations from them, see
:mod:`hedgerow.anonymizers.trees.inducers.kadet`.

Deviations
----------
- The papers publish the tree. Here, the records are published with the description of their leaf, so that any learner
  can read them. No record is lost.
- By default, a group shows the answers on its path. With ``publish="set"``, ``"interval"`` or ``"label"``, it shows its
  own values of the columns that the path asks.
- The weights of columns have no effect: a split is chosen for its information about the label, not its loss of cells.
- A split must keep *all* requirements on every branch, not only k. Each group is one equivalence class. The classes of
  a requirement on a smaller shield are unions of groups; it holds if it holds for each group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import PUBLISH, choice, flag
from hedgerow.anonymizers.trees.nodes.generalized import GeneralizedAttribute, GeneralizingTree
from hedgerow.anonymizers.trees.training import checked_target, labelled_tuples
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, Publish, PublishedColumn, Recoding, label_column, publish_groups, shown_as
from hedgerow.io.domains import CodeSets
from hedgerow.io.values import SUPPRESSED_TEXT
from hedgerow.requirements import Requirement, bind, sensitive_codes

__all__ = ["KADET"]


class KADET(Anonymizer):
    """Grows a decision tree that stays anonymous, and publishes its leaves. Needs a target.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> towns = ["Bonn", "Köln", "Köln", "Lyon", "Nice", "Nice"]
    >>> people = pa.table({"town": towns, "drink": ["beer"] * 3 + ["wine"] * 3})
    >>> countries = {"*": {"Germany": ["Bonn", "Köln"], "France": ["Lyon", "Nice"]}}
    >>> schema = hr.Schema(quasi=["town"], target="drink", hierarchies={"town": countries})
    >>> sorted(set(hr.KADET(k=3).anonymize(people, schema).table["town"].to_pylist()))
    ['France', 'Germany']
    """

    name = "kadet"
    family = "suppression"
    tight = True
    uses_target = True
    suppression_by = "classes"
    paper = "Friedman, Schuster, Wolff (PKDD 2006; VLDB Journal 2008)"

    criterion: Literal["gain_ratio", "gain"] = choice("The measure by which a node chooses its split.")
    pruned: bool = flag("Whether to prune the tree, as C4.5 does. Groups only become larger.", default=True)
    publish: Publish = PUBLISH

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.trees.inducers.kadet import People, Records, induce_kadet
        from hedgerow.anonymizers.trees.nodes.cuts import cuts_of_leaves

        target = checked_target(counts, "KADET")
        context, packed = bind(counts, requirements)
        attributes = [GeneralizedAttribute(counts.domains[name], counts.hierarchies[name]) for name in counts.quasi]
        labels = counts.domains[target].labels.tolist()
        rows = labelled_tuples(counts, target)
        records = Records(np.ascontiguousarray(counts.tuples[rows.tuple].T), rows.label, rows.weight)
        # Tuples; or cells, if the requirements read sensitive values.
        people = People(
            np.ascontiguousarray(counts.tuples.T),
            np.empty((len(counts.tuples), 0), dtype=np.int32),
            counts.tuple_sizes,
            int(context.offsets[-1]),
        )
        if context.columns:
            codes, values = people.codes[:, counts.cell_tuple], sensitive_codes(counts, context)
            people = people._replace(codes=np.ascontiguousarray(codes), values=values, weights=counts.cell_sizes)
        tree = induce_kadet(attributes, records, people, packed, labels, criterion=self.criterion, pruned=self.pruned)
        places = np.stack([attribute.places(counts.tuples[:, at]) for at, attribute in enumerate(attributes)])
        leaves, group_of_tuple = np.unique(tree.reached(places), return_inverse=True)
        pieces = Pieces.whole(group_of_tuple.astype(np.int32)[counts.cell_tuple], counts.cell_sizes)
        columns, values = _published(counts, tree, leaves, pieces, self.publish)
        return Recoding(
            method="kadet",
            quasi=counts.quasi,
            columns=columns,
            groups=values,
            sizes=np.bincount(pieces.group, pieces.size, len(leaves)).astype(np.int64),
            pieces=pieces,
            router=cuts_of_leaves(tree, leaves),
            warnings=_warnings(tree, target, len(labels)),
        )


def _warnings(tree: GeneralizingTree, target: str, labels: int) -> tuple[str, ...]:
    if tree.size > 1:
        return ()
    reason = f"The target {target!r} has only one class" if labels < 2 else "No split of the tree is allowed and useful"
    return (f"{reason}, so every quasi-identifier is suppressed.",)


def _published(
    counts: FrequencyTable, tree: GeneralizingTree, leaves: Longs, pieces: Pieces, publish: Publish
) -> tuple[tuple[PublishedColumn, ...], Ints]:
    """Publish each leaf: the answers on its path, or the values of its group in the columns that the path asks."""
    answers = np.full((len(leaves), len(counts.quasi)), -1, dtype=np.int32)
    for group, leaf in enumerate(leaves.tolist()):
        for asked, answer in tree.path(leaf):
            if answers[group, asked] < 0:  # the nearest answer is the finest
                answers[group, asked] = answer
    tight, values = publish_groups(
        counts, pieces, len(leaves), shown_as(counts, "interval" if publish == "auto" else publish)
    )
    columns = []
    for at, attribute in enumerate(tree.attributes):
        column: PublishedColumn
        if attribute.by_threshold or publish != "auto":
            column, values[:, at] = _suppress_unasked(tight[at], values[:, at], answers[:, at] >= 0)
        else:
            nodes = np.maximum(answers[:, at], attribute.hierarchy.root)
            column, values[:, at] = label_column(attribute.domain, attribute.hierarchy, nodes, hide_root=True)
        columns.append(column)
    return tuple(columns), values


def _suppress_unasked(column: PublishedColumn, values: Ints, asked: Bools) -> tuple[PublishedColumn, Ints]:
    """Suppress a column in the groups whose path does not ask it."""
    kept, index = np.unique(values[asked], return_inverse=True)
    shown = column.only(kept.astype(np.int64))
    result = np.full(len(values), len(kept), dtype=np.int32)
    result[asked] = index
    covered = shown.covered
    if asked.all():
        return PublishedColumn(column.domain, shown.texts, shown.kinds, covered), result
    everything = CodeSets(
        np.append(covered.starts, covered.starts[-1] + 1),
        np.append(covered.first, np.int32(0)),
        np.append(covered.last, np.int32(column.domain.size - 1)),
    )
    texts, kinds = (*shown.texts, SUPPRESSED_TEXT), (*shown.kinds, "suppressed")
    return PublishedColumn(column.domain, texts, kinds, everything), result
