"""APT: prune a classification tree until it is anonymous, and publish what its paths say.

A tree is induced from the quasi-identifiers and the label. A question is taken back if one of its branches ends in a
leaf that violates a requirement, so that every leaf of the pruned tree holds at least k people. The tree is published,
and rows that are drawn along its paths: *pseudo-data*. P. Sharkey, H. Tian, W. Zhang, S. Xu: Privacy-Preserving Data
Mining through Knowledge Model Sharing, PinKDD 2007.

**What is published and checked.** The release is a table whose classes are the leaves of the pruned tree: a record
shows what the path to its leaf says of it, and ``*`` in all other columns. The verifier counts it as it counts every
table. The tree (:meth:`APT.paths`) and the pseudo-data (:func:`hedgerow.learning.redraw`) are computed from this table
alone, so they reveal nothing beyond it, and no check is left out for them.

Deviations
----------
- The paper was not at hand. The method was written from its abstract, from that of the journal version (H. Tian,
  W. Zhang, S. Xu, P. Sharkey: A Knowledge Model Sharing Based Approach to Privacy-Preserving Data Mining, Transactions
  on Data Privacy, 2012), and from what Kisilevich et al. (IEEE TKDE 22(3), 2010) say of it. How the paper orders the
  pruning is not known; here the order does not matter.
- The paper publishes the tree and the pseudo-data, and no table. Here the table is what is verified; keep it to
  yourself if you want to publish only the others.
- **Its privacy measures** adapt k-anonymity and l-diversity to trees. Here *all* requirements hold in every leaf.
- **A branch that nobody reaches** is not part of the published tree.
- A path names a number as an interval. It ends at the thresholds of the path, and else at the least and the greatest
  number of the table. Thresholds lie between numbers that occur, and the intervals begin and end with such numbers.
- **Labels.** The table keeps the label of every record; Kisilevich et al. note that the paper's pseudo-data only
  estimate them. :meth:`APT.paths` rounds their shares to whole percents.
- **Pseudo-data** are drawn uniformly along each path with ``shares="uniform"``. ``release.redraw`` and
  ``save(redrawn=…)`` draw by the proportions of each leaf, which the paper does not publish and which you ask for.
- A missing value has a separate branch. The tree ignores hierarchies and the weights of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.anonymizers.suppression.kactus import TreeGuided, warnings_of
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, PublishedColumn, Recoding
from hedgerow.core.recoding.building import PublishedValues, span_level
from hedgerow.errors import BadInput, Infeasible, InternalError, listing, plural, required
from hedgerow.io.values import SUPPRESSED_TEXT
from hedgerow.requirements import BoundRequirement, Histograms, Requirement, context_of

if TYPE_CHECKING:
    from hedgerow.anonymizers.trees.nodes.paths import PathTree
    from hedgerow.release import Release
    from hedgerow.verifier.classes import Histogram

__all__ = ["APT", "TreePath"]


class TreePath(TypedDict):
    """A path of the published tree: the conditions on columns, the people who meet them, and their labels."""

    conditions: dict[str, str | None]
    people: int
    shares: dict[str, float]


class APT(TreeGuided):
    """Prunes a decision tree until every leaf is anonymous; publishes its paths, and rows drawn along them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> people = pa.table({"sex": ["F"] * 4 + ["M"] * 4, "age": [20, 21, 22, 23] * 2, "ill": ["no"] * 4 + ["yes"] * 4})
    >>> release = hr.APT(k=3).anonymize(people, hr.Schema(quasi=["sex", "age"], target="ill"))
    >>> print(hr.APT.export_text(release))
    sex = F: no (4 people: no 100%)
    sex = M: yes (4 people: yes 100%)
    >>> hr.learning.redraw(release, 2, shares="uniform").num_rows
    16
    """

    name = "apt"
    paper = "Sharkey, Tian, Zhang, Xu (PinKDD 2007)"

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.trees.nodes.cuts import cuts_of_paths

        tree = self._grown(counts, max(requirement.minimal_size for requirement in requirements))
        leaves, group = np.unique(_pruned(tree, counts, requirements), return_inverse=True)
        columns, values = _described(tree, counts, leaves)
        pieces = Pieces.whole(group.astype(np.int32)[counts.cell_tuple], counts.cell_sizes)
        group_of_node = np.full(tree.size, -1, dtype=np.int32)
        group_of_node[leaves] = np.arange(len(leaves))
        return Recoding(
            method="apt",
            quasi=counts.quasi,
            columns=columns,
            groups=values,
            sizes=pieces.sizes(len(leaves)),
            pieces=pieces,
            router=cuts_of_paths(tree, group_of_node, [counts.domains[name] for name in counts.quasi]),
            facts={"grown_leaves": tree.n_leaves, "leaves": len(leaves)},
            warnings=_warnings(counts, tree, len(leaves)),
        )

    @staticmethod
    def paths(release: Release) -> list[TreePath]:
        """The paths of the published tree, ready for JSON.

        They are read from the classes that the verifier counted: each class is a leaf, and its cells other than ``*``
        are the conditions on the path. So they reveal nothing that the published table does not.

        Parameters
        ----------
        release : Release
            A release of this method, also a loaded one.

        Returns
        -------
        list of dict
            ``conditions`` maps a column to the published cell (``None`` for a missing value); ``people`` is the number
            of people, and ``shares`` maps a label to its share among the rows, rounded to whole percents.

        Examples
        --------
        >>> import hedgerow as hr
        >>> import pyarrow as pa
        >>> people = pa.table({"sex": ["F"] * 4 + ["M"] * 4, "ill": ["no"] * 3 + ["yes"] * 5})
        >>> hr.APT.paths(hr.APT(k=3).anonymize(people, hr.Schema(quasi=["sex"], target="ill")))[0]
        {'conditions': {'sex': 'F'}, 'people': 4, 'shares': {'no': 0.75, 'yes': 0.25}}
        """
        if release.facts["method"] != APT.name:
            raise BadInput(f"The release was made by {release.facts['method']}, and only one of apt has such paths.")
        classes = release.classes
        labels = classes.histograms[required(release.target, "the target")]
        found = [
            TreePath(
                conditions={
                    name: held[code]
                    for name, held, code in zip(classes.columns, classes.labels, codes, strict=True)
                    if held[code] != SUPPRESSED_TEXT
                },
                people=people,
                shares=_shares(labels, at),
            )
            for at, (codes, people) in enumerate(zip(classes.codes.tolist(), classes.sizes.tolist(), strict=True))
        ]
        return sorted(found, key=lambda path: [(name, str(cell)) for name, cell in path["conditions"].items()])

    @staticmethod
    def export_text(release: Release) -> str:
        """The published tree as text, one line per path: its conditions, the most frequent label, and all labels."""
        return "\n".join(map(_line, APT.paths(release)))


def _shares(labels: Histogram, leaf: int) -> dict[str, float]:
    """The share of each label in a leaf, in whole percents."""
    here = labels.classes == leaf
    shares = labels.counts[here] / labels.counts[here].sum()
    named = (str(labels.labels[value]) for value in labels.values[here].tolist())
    return dict(sorted(zip(named, (round(share, 2) for share in shares.tolist()), strict=True)))


def _line(path: TreePath) -> str:
    named = ((name, "missing" if cell is None else cell) for name, cell in path["conditions"].items())
    conditions = ", ".join(f"{name} = {cell}" for name, cell in named) or "all"
    best = max(path["shares"], key=lambda label: path["shares"][label])
    shares = ", ".join(f"{label} {share:.0%}" for label, share in path["shares"].items())
    return f"{conditions}: {best} ({plural(path['people'], 'people')}: {shares})"


# --------------------------------------------------------------------------------------------------
# Pruning: a question is taken back if one of its branches ends in a leaf that violates a requirement.


def _pruned(tree: PathTree, counts: FrequencyTable, requirements: Sequence[Requirement]) -> Longs:
    """The leaf of each tuple in the pruned tree. O(tuples + nodes) for each round, of at most as many as levels."""
    leaf = tree.leaves_of(counts).astype(np.int64)
    if (leaf < 0).any():
        raise InternalError("a record reaches no leaf of the tree")
    context = context_of(counts, requirements)
    demands = [(requirement, requirement.bind(context)) for requirement in requirements]
    closed = np.zeros(tree.size, dtype=bool)
    while True:
        leaves, group = np.unique(leaf, return_inverse=True)
        bad = leaves[_violating(counts, demands, group.astype(np.int64), len(leaves))]
        if not len(bad):
            return leaf
        if bad[0] == 0:
            named = listing([str(requirement) for requirement in requirements])
            raise Infeasible(f"Not even a tree without questions meets {named}. Lower the requirement.")
        closed[tree.parent[bad]] = True
        leaf = _topmost(tree, closed)[leaf]


def _violating(
    counts: FrequencyTable, demands: Sequence[tuple[Requirement, BoundRequirement]], group: Longs, groups: int
) -> Bools:
    """Which groups of tuples violate a requirement."""
    sizes = np.bincount(group, counts.tuple_sizes, groups).astype(np.int64)
    found = np.zeros(groups, dtype=bool)
    for requirement, bound in demands:
        histograms = None
        if bound.formula is not None:
            column = required(requirement.column, "a sensitive column")
            width = counts.domains[column].size
            key = group[counts.cell_tuple] * width + counts.values_of(column)
            pairs, index = np.unique(key, return_inverse=True)
            held = np.bincount(index, counts.cell_sizes).astype(np.int64)
            starts = np.searchsorted(pairs // width, np.arange(groups + 1)).astype(np.int64)
            histograms = Histograms(starts, pairs % width, held)
        found |= ~bound.satisfied(sizes, histograms)
    return found


def _topmost(tree: PathTree, closed: Bools) -> Longs:
    """The highest closed node at or above each node; the node itself if there is none."""
    top, within = np.arange(tree.size), closed.copy()
    for level in tree.nodes.levels()[1:]:
        above = tree.parent[level]
        top[level] = np.where(within[above], top[above], level)
        within[level] |= within[above]
    return top


# --------------------------------------------------------------------------------------------------
# What a leaf publishes: what the path to it says of each column.


def _described(tree: PathTree, counts: FrequencyTable, leaves: Longs) -> tuple[tuple[PublishedColumn, ...], Ints]:
    """Describe every leaf by its path. O(leaves × depth × values of the columns that are asked)."""
    values = np.empty((len(leaves), len(counts.quasi)), dtype=np.int32)
    published = [PublishedValues(counts.domains[name]) for name in counts.quasi]
    occurring = [counts.histogram(name) > 0 for name in counts.quasi]
    for group, leaf in enumerate(leaves.tolist()):
        path = _path(tree, counts, leaf)
        for at, column in enumerate(published):
            codes = np.flatnonzero(path[at] & occurring[at]).astype(np.int32) if at in path else None
            values[group, at] = _cell(column, codes, span_level(counts.hierarchies[counts.quasi[at]]))
    return tuple(column.column() for column in published), values


def _path(tree: PathTree, counts: FrequencyTable, leaf: int) -> dict[int, Bools]:
    """Which codes the path to a leaf allows, of each column that it asks."""
    allowed: dict[int, Bools] = {}
    node = leaf
    while node:
        child, node = node, int(tree.parent[node])
        at, branch = int(tree.column[node]), child - int(tree.first[node])
        domain = counts.domains[counts.quasi[at]]
        start = int(tree.start[node])
        if start >= 0:
            taken = tree.lookup[start : start + domain.size]
        else:
            codes = np.arange(domain.size)
            taken = np.where(codes == domain.missing_code, 2, codes > tree.threshold[node])
        allowed[at] = allowed.get(at, np.ones(domain.size, dtype=bool)) & (taken == branch)
    return allowed


def _cell(published: PublishedValues, codes: Ints | None, level: str) -> int:
    """Write what a path says of a column: an interval of numbers or dates, a value or a set of categories, or ``*``.

    A path that leaves a single number says so as an interval, too: beside a plain number in the column, others would be
    drawn less often for intervals and ``*``.
    """
    if codes is None:
        return published.anything()
    domain = published.domain
    if domain.numbers is not None and codes[-1] != domain.missing_code:
        return published.span(int(codes[0]), int(codes[-1]), level)
    return published.set(codes)


def _warnings(counts: FrequencyTable, tree: PathTree, leaves: int) -> tuple[str, ...]:
    if tree.size > 1 and leaves == 1:
        return (
            "No question of the tree leaves every branch anonymous, so all quasi-identifiers are suppressed. Try "
            "inducer='cart', which asks for two branches at a time, or lower the requirements.",
        )
    return warnings_of(counts, tree, 0)
