"""kACTUS: k-anonymity along a classification tree, by suppressing what the tree asks last.

A tree is induced from the quasi-identifiers and the label. From its leaves upwards, every leaf with enough records
is released: it shows the columns that its path asks and hides the others. The records of the other leaves go up to
the node above them, if need be with some that complying siblings can spare, and are judged again there. S.
Kisilevich, L. Rokach, Y. Elovici, B. Shapira: Efficient Multidimensional Suppression for K-Anonymity, IEEE TKDE
22(3), 2010; figures 5 and 6.

Deviations
----------
- ``reading="sensible"`` (the default): siblings lend records only if some are waiting and lending makes them comply;
  else complying leaves are released whole. The pseudo-code, taken at its word (``reading="literal"``), also lends k
  records where none is waiting, and where enough are waiting hands all that siblings can spare to the node above.
- A leaf complies if *all* requirements hold for it, not only k; siblings lend only what leaves them complying. Then
  more than k - 1 records may be left at the root.
- A missing value is a branch of its own, for a number too: the method needs one path per record, where C4.5 sends a
  record down several.
- ``remainder="merge"`` (the default) loses no record: what is left at the root is joined by records that groups can
  spare, or by the smallest groups. With t-closeness that is always so: it compares with all that is published, and a
  lost record would move what groups are compared with. The paper loses them, which ``remainder="lose"`` does as far as
  ``suppression_limit`` allows.
- Weights of columns enter only with ``expand=True``: the tree asks what tells most of the label, not what cells lose.
- ``donors="greedy"``, ``publish="set"`` and ``expand=True`` answer what the authors name as drawbacks (section 5.9).
- A mean has at most one digit more than the column's numbers; a date's is a date. ``numbers="median"`` publishes
  medians: in a column that is mostly 0 the mean lies where few values do, and a tree that learns thresholds between
  means parts raw rows wrongly (``benchmarks/RESULTS.md``). A median says of a value that someone in the group has it; a
  mean does not. But the mean of a few whole numbers can be solved by who knows which values occur: with a k of 2 or 3,
  take medians.
- Where the distinct tuples do not fit into a memory limit, the first nodes are grown from counts of values and labels,
  every part below them by itself (:mod:`hedgerow.anonymizers.trees.out_of_core`), and only the bags that go up are in
  memory (:mod:`hedgerow.anonymizers.suppression._out_of_core`). The release is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.anonymizers.parameters import choice, flag, refuse_losses
from hedgerow.anonymizers.suppression._tree_guided import TreeGuided
from hedgerow.core.counts import Counted, FrequencyTable, LargeTable
from hedgerow.core.recoding import Pieces, Recoding, publish_shown, publish_tallied
from hedgerow.errors import plural, required
from hedgerow.requirements import Requirement

if TYPE_CHECKING:
    from hedgerow.anonymizers.suppression._pruning import PrunedTree
    from hedgerow.anonymizers.trees.nodes.paths import PathTree

__all__ = ["KActus"]


class KActus(TreeGuided):
    """Suppression along a classification tree: what predicts the class least is hidden first.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from hedgerow import Schema
    >>> people = pa.table({"sex": ["F"] * 4 + ["M"] * 4, "town": ["A", "B"] * 4, "ill": ["no"] * 4 + ["yes"] * 4})
    >>> release = KActus(k=3).anonymize(people, Schema(quasi=["sex", "town"], target="ill"))
    >>> sorted(set(zip(*(release.table[name].to_pylist() for name in ("sex", "town")))))
    [('F', '*'), ('M', '*')]
    """

    name = "kactus"
    paper = "Kisilevich, Rokach, Elovici, Shapira (IEEE TKDE 2010)"

    donors: Literal["random", "greedy"] = choice("Siblings lend at random, or so that labels mix least.")
    remainder: Literal["merge", "lose"] = choice(
        "What is left at the root joins groups, or is lost as the paper has it, which needs a suppression limit."
    )
    publish: Literal["value", "set"] = choice(
        "Pruned categories are hidden, or published as sets where the tree asks them."
    )
    numbers: Literal["median", "mean"] = choice(
        "What stands for the numbers of a group. The paper's is the mean, which trees that are to predict raw rows "
        "learn worse from. Dates are never averaged."
    )
    reading: Literal["sensible", "literal"] = choice(
        "How the paper's pseudo-code is read; see :mod:`hedgerow.anonymizers.suppression.kactus`."
    )
    expand: bool = flag("Whether leaves with many records show more than the tree asks.")

    def uses_weights(self) -> bool:
        """The tree asks by the class; only what leaves show beyond it is by what columns lose."""
        return self.expand

    def _limits_itself(self) -> bool:
        """As the paper has it, only what is left at the root is lost."""
        return self.remainder == "lose"

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.suppression._pruning import Reading, pruned

        k = max(one.minimal_size for one in requirements)
        tree = self._grown(counts, k)
        if self.expand:
            from hedgerow.anonymizers.suppression._expansion import expanded

            tree = expanded(tree, counts, k)
        keep_all = self.remainder == "merge" or any(one.compares for one in requirements)
        outcome = pruned(
            tree, counts, requirements, Reading(self.donors == "greedy", self.reading == "literal", keep_all), seed
        )
        nodes = np.flatnonzero(outcome.released)
        shown = tree.asked(len(counts.quasi))[nodes]
        as_sets = shown | tree.asked_below(len(counts.quasi))[nodes] if self.publish == "set" else None
        recoding = release_groups("kactus", tree, counts, outcome, shown, as_sets, self.numbers)
        allowed = self._may_lose(counts)
        if recoding.lost > allowed:
            merge = ", or say remainder='merge' to keep them"
            raise refuse_losses("KActus", recoding.lost, counts.rows, allowed, merge)
        return recoding

    def not_in_parts(self) -> str | None:
        """Our own C4.5 and the defaults work part by part; what else there is needs the tuples in memory."""
        if self.inducer != "c45":
            return "only inducer='c45' grows a tree"
        for name, only in (
            ("donors", "random"),
            ("remainder", "merge"),
            ("numbers", "median"),
            ("reading", "sensible"),
        ):
            if getattr(self, name) != only:
                return f"{name}={getattr(self, name)!r} is not possible, only {name}={only!r}"
        return "expand=True is not possible" if self.expand else None

    def _fit_in_parts(self, large: LargeTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.suppression._out_of_core import handed_up, stored
        from hedgerow.anonymizers.trees.nodes.cuts import cuts_of_paths
        from hedgerow.anonymizers.trees.nodes.paths import PathTree
        from hedgerow.anonymizers.trees.out_of_core import induce_c45_in_parts
        from hedgerow.anonymizers.trees.training import attribute_of, checked_target

        target = checked_target(large, type(self).__name__)
        domains = [large.domains[name] for name in large.quasi]
        for domain in domains:
            if domain.has_missing and attribute_of(domain).numeric:
                above = f"no number may be missing, and some of {domain.name!r} are: fill them in, or make it text"
                raise large.exceeds(above)
        k = max(one.minimal_size for one in requirements)
        grown = induce_c45_in_parts(large, target, k if self.min_objects == "k" else int(self.min_objects))
        tree = PathTree.from_classification(grown, domains)
        outcome = handed_up(tree, large, requirements, seed)
        group_of_node = np.where(outcome.released, np.cumsum(outcome.released) - 1, -1).astype(np.int32)
        parts, tallies = stored(large, outcome, group_of_node)
        nodes = np.flatnonzero(outcome.released)
        shown = tree.asked(len(domains))[nodes]
        as_sets = shown | tree.asked_below(len(domains))[nodes] if self.publish == "set" else None
        columns, values = publish_tallied(large, tallies, shown, as_sets, self.numbers)
        return Recoding(
            method="kactus",
            quasi=large.quasi,
            columns=columns,
            groups=values,
            sizes=np.bincount(tallies[0].group, tallies[0].size, len(nodes)).astype(np.int64),
            router=cuts_of_paths(tree, group_of_node, domains),
            facts=_facts(tree, outcome.borrowed),
            warnings=warnings_of(large, tree, 0),
            parts=parts,
        )


def _facts(tree: PathTree, borrowed: Longs) -> dict[str, Any]:
    return {"tree": {"nodes": tree.size, "leaves": tree.n_leaves}, "records_lent": int(borrowed.sum())}


def release_groups(
    method: str,
    tree: PathTree,
    counts: FrequencyTable,
    outcome: PrunedTree,
    shown: Bools,
    as_sets: Bools | None,
    numbers: Literal["mean", "median"] = "mean",
) -> Recoding:
    """Publish the released nodes; ``shown`` and ``as_sets`` say what each of them shows of each column."""
    from hedgerow.anonymizers.trees.nodes.cuts import cuts_of_paths

    group_of_node = np.where(outcome.released, np.cumsum(outcome.released) - 1, -1).astype(np.int32)
    pieces = _pieces(outcome, group_of_node)
    columns, values = publish_shown(counts, pieces, shown, as_sets, numbers)
    kept = pieces.group >= 0
    return Recoding(
        method=method,
        quasi=counts.quasi,
        columns=columns,
        groups=values,
        sizes=pieces.sizes(len(shown)),
        pieces=pieces,
        router=cuts_of_paths(tree, group_of_node, [counts.domains[name] for name in counts.quasi]),
        facts=_facts(tree, outcome.borrowed),
        warnings=warnings_of(counts, tree, int(pieces.size[~kept].sum())),
    )


def _pieces(outcome: PrunedTree, group_of_node: Ints) -> Pieces:
    """How many records of each cell are in which group; what is left at the root and not released is lost."""
    nodes = np.flatnonzero(outcome.released)
    if not outcome.released[0]:
        nodes = np.append(nodes, 0)
    entry, owner = outcome.entries(nodes)
    return Pieces.gathered(outcome.bags.cell[entry], group_of_node[nodes[owner]], outcome.bags.size[entry])


def warnings_of(counts: Counted, tree: PathTree, lost: int) -> tuple[str, ...]:
    """What whoever publishes the release should know."""
    target = required(counts.roles.target, "the target")
    found = []
    if len(counts.domains[target].labels) == 1:
        found.append(
            f"The target {target!r} has one class, so no column tells anything about it and all "
            "quasi-identifiers are suppressed."
        )
    elif tree.size == 1:
        found.append("The tree has no branch, so all quasi-identifiers are suppressed. Try a smaller min_objects.")
    if lost:
        left = "was left at the root and is" if lost == 1 else "were left at the root and are"
        found.append(f"{plural(lost, 'records')} {left} not published; remainder='merge' keeps them.")
    return tuple(found)
