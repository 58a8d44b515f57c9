"""kACTUS: k-anonymity along a classification tree, by suppressing the columns that the tree asks last.

A tree is induced from the quasi-identifiers and the label. From the leaves upwards, every leaf with enough records is
released: it shows the columns that its path asks and hides the others. The records of all other leaves go up to the
node above, with records that complying siblings can spare if these are needed, and are judged again there. S.
Kisilevich, L. Rokach, Y. Elovici, B. Shapira: Efficient Multidimensional Suppression for K-Anonymity, IEEE TKDE
22(3), 2010; figures 5 and 6.

Deviations
----------
- With ``reading="sensible"`` (the default), siblings lend records only if records are waiting and the loan makes them
  comply; otherwise, complying leaves are released whole. The pseudo-code to the letter (``reading="literal"``) also
  lends k records when none is waiting; when enough are waiting, it hands all spare records to the node above.
- MinObj (section 4.2.1) is the number of records that a *node* needs to be considered for splitting. By default
  (``min_objects="k"``), two *branches* need k records, as in Weka's ``-M``; then node 9 of figure 1, which splits
  190/6/3/2/1 at k = 100, cannot grow. ``min_objects=1, min_split="k"`` is the paper's text. Its figure also splits node
  19 with 46 records, which contradicts the text but changes nothing: kACTUS merges the branches of such a node.
- A leaf complies if *all* requirements hold for it, not only k. A sibling lends only as long as it still complies. So
  more than k - 1 records may be left at the root.
- A missing value has a separate branch, even for a number. The method needs one path per record, whereas C4.5 sends a
  record down several paths.
- With ``remainder="merge"`` (the default), no record is lost: the records left at the root are joined by spare records
  of groups, or by the smallest groups. The paper loses them; ``remainder="lose"`` does so as far as the
  ``suppression_limit`` allows. With t-closeness, they are always merged: groups are compared with all published
  records, and a lost record would change that distribution.
- Column weights have an effect only with ``expand=True``. The tree asks what predicts the label, not what costs cells.
- ``donors="greedy"``, ``publish="set"`` and ``expand=True`` address drawbacks that the authors name (section 5.9).
- A mean has at most one digit more than the numbers of its column; the mean of dates is a date. ``numbers="median"``
  publishes medians. In a column that is mostly 0, the mean lies where few values do, and a tree that learns thresholds
  between means splits raw rows wrongly (``benchmarks/RESULTS.md``). A median reveals that someone in the group has that
  value; a mean does not. But an attacker who knows which values occur can solve the mean of a few whole numbers: with a
  k of 2 or 3, use medians.
- If the distinct tuples do not fit into the memory limit, the first nodes are grown from counts of values and labels,
  and the parts below them separately (:mod:`hedgerow.anonymizers.trees.out_of_core`). Only the bags that go up are kept
  in memory (:mod:`hedgerow.anonymizers.suppression._out_of_core`). The release is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from hedgerow._internal.arrays import Bools, Ints, Longs
from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import Presets, choice, choice_or_object, flag, number, refuse_losses
from hedgerow.core.counts import Counted, FrequencyTable, LargeTable
from hedgerow.core.recoding import Pieces, Recoding, publish_shown, publish_tallied
from hedgerow.errors import plural, required
from hedgerow.requirements import Requirement

if TYPE_CHECKING:
    from hedgerow.anonymizers.suppression._pruning import PrunedTree
    from hedgerow.anonymizers.trees.nodes.paths import PathTree
    from hedgerow.anonymizers.trees.training import Least

__all__ = ["KActus", "TreeGuided", "release_groups", "warnings_of"]


class TreeGuided(Anonymizer):
    """A method that publishes along a classification tree, with any inducer."""

    family = "suppression"
    uses_target = True
    suppression_by = "classes"

    inducer: Any = choice_or_object(
        "The inducer of the tree: C4.5, scikit-learn's trees, Weka's J48 (needs the extra ``weka``), a scikit-learn "
        "``DecisionTreeClassifier``, or a function from :class:`hedgerow.anonymizers.trees.TrainingTable` to a tree.",
        options=("c45", "cart"),
        extras=("j48",),
        objects="an inducer, such as a scikit-learn tree or a function",
    )
    min_objects: int | Literal["k"] = number(
        "The least number of records that branches should have; k if not given.",
        default="k",
        least=1,
        whole=True,
        words=("k",),
        trials=(2,),
    )
    min_split: int | Literal["k"] = number(
        "The least number of records that a node must have to be split; a smaller node becomes a leaf, whatever the "
        'inducer. The paper\'s MinObj is ``min_split="k"`` with ``min_objects=1``.',
        default=1,
        least=1,
        whole=True,
        words=("k",),
        trials=("k",),
    )

    def _grown(self, counts: FrequencyTable, k: int) -> PathTree:
        """Grow the tree with the inducer."""
        from hedgerow.anonymizers.trees.inducers.inducer import grow

        return grow(self.inducer, counts, self._least(k), type(self).__name__)

    def _least(self, k: int) -> Least:
        """The least number of records of branches, and of a node that is split."""
        from hedgerow.anonymizers.trees.training import Least

        branch, node = (k if given == "k" else int(given) for given in (self.min_objects, self.min_split))
        return Least(branch, node)


class KActus(TreeGuided):
    """Suppression along a classification tree: hides first what predicts the class least.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"sex": ["F"] * 4 + ["M"] * 4, "town": ["A", "B"] * 4, "ill": ["no"] * 4 + ["yes"] * 4})
    >>> release = hr.KActus(k=3).anonymize(people, hr.Schema(quasi=["sex", "town"], target="ill"))
    >>> sorted(set(zip(*(release.table[name].to_pylist() for name in ("sex", "town")))))
    [('F', '*'), ('M', '*')]
    """

    name = "kactus"
    paper = "Kisilevich, Rokach, Elovici, Shapira (IEEE TKDE 2010)"
    presets: ClassVar[Presets] = {
        "paper": {
            "min_objects": 1,
            "min_split": "k",
            "numbers": "mean",
            "remainder": "lose",
            # The paper loses as many records as are left at the root.
            "suppression_limit": 1.0,
        }
    }

    donors: Literal["random", "greedy"] = choice("Siblings lend random records, or those that mix the labels least.")
    remainder: Literal["merge", "lose"] = choice(
        "Records left at the root join groups, or are lost as in the paper, which needs a suppression limit."
    )
    publish: Literal["value", "set"] = choice(
        "Pruned categories are hidden, or published as sets where the tree asks them."
    )
    numbers: Literal["median", "mean"] = choice(
        "What is published for the numbers of a group. The paper publishes the mean, from which trees learn worse to "
        "predict raw rows. Dates are never averaged."
    )
    reading: Literal["sensible", "literal"] = choice(
        "How to read the paper's pseudo-code; see :mod:`hedgerow.anonymizers.suppression.kactus`."
    )
    expand: bool = flag("Whether leaves with many records show more than the tree asks.")

    def uses_weights(self) -> bool:
        """Only with ``expand``: the tree follows the class, and weights decide which further columns leaves show."""
        return self.expand

    def _limits_itself(self) -> bool:
        """Whether only the records left at the root are lost, as in the paper."""
        return self.remainder == "lose"

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.suppression._pruning import Reading, pruned

        k = max(requirement.minimal_size for requirement in requirements)
        tree = self._grown(counts, k)
        if self.expand:
            from hedgerow.anonymizers.suppression._expansion import expanded

            tree = expanded(tree, counts, k)
        keep_all = self.remainder == "merge" or any(requirement.compares for requirement in requirements)
        reading = Reading(self.donors == "greedy", self.reading == "literal", keep_all)
        outcome = pruned(tree, counts, requirements, reading, seed)
        shown, as_sets = self._shown_columns(tree, outcome.released, len(counts.quasi))
        recoding = release_groups("kactus", tree, counts, outcome, shown, as_sets, self.numbers)
        allowed = self._may_lose(counts)
        if recoding.lost > allowed:
            merge = ", or use remainder='merge' to keep them"
            raise refuse_losses("KActus", recoding.lost, counts.rows, allowed, merge)
        return recoding

    def _shown_columns(self, tree: PathTree, released: Bools, columns: int) -> tuple[Bools, Bools | None]:
        """Return which columns each released node shows, and which columns it may show as sets."""
        nodes = np.flatnonzero(released)
        shown = tree.asked(columns)[nodes]
        return shown, shown | tree.asked_below(columns)[nodes] if self.publish == "set" else None

    def not_in_parts(self) -> str | None:
        """Only the built-in C4.5 with the default parameters works out of core; all else needs the tuples in memory."""
        if self.inducer != "c45":
            return "only inducer='c45' grows a tree out of core"
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
        from hedgerow.anonymizers.suppression._out_of_core import prune_out_of_core, store_groups
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
        k = max(requirement.minimal_size for requirement in requirements)
        grown = induce_c45_in_parts(large, target, self._least(k))
        tree = PathTree.from_classification(grown, domains)
        outcome = prune_out_of_core(tree, large, requirements, seed)
        group_of_node = _group_of_node(outcome.released)
        parts, tallies = store_groups(large, outcome, group_of_node)
        shown, as_sets = self._shown_columns(tree, outcome.released, len(domains))
        columns, values = publish_tallied(large, tallies, shown, as_sets, self.numbers)
        return Recoding(
            method="kactus",
            quasi=large.quasi,
            columns=columns,
            groups=values,
            sizes=np.bincount(tallies[0].group, tallies[0].size, len(shown)).astype(np.int64),
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
    """Publish the released nodes: each shows its columns in ``shown``, and those in ``as_sets`` as sets if needed."""
    from hedgerow.anonymizers.trees.nodes.cuts import cuts_of_paths

    group_of_node = _group_of_node(outcome.released)
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


def _group_of_node(released: Bools) -> Ints:
    """Number the released nodes as groups; -1 for all other nodes."""
    return np.where(released, np.cumsum(released) - 1, -1).astype(np.int32)


def _pieces(outcome: PrunedTree, group_of_node: Ints) -> Pieces:
    """Count the records of each cell in each group; records left at the root are lost unless it is released."""
    nodes = np.flatnonzero(outcome.released)
    if not outcome.released[0]:
        nodes = np.append(nodes, 0)
    entry, owner = outcome.entries(nodes)
    return Pieces.gathered(outcome.bags.cell[entry], group_of_node[nodes[owner]], outcome.bags.size[entry])


def warnings_of(counts: Counted, tree: PathTree, lost: int) -> tuple[str, ...]:
    """Return the warnings of a release: about a tree without branches, and about lost records."""
    target = required(counts.roles.target, "the target")
    warnings = []
    if len(counts.domains[target].labels) == 1:
        warnings.append(
            f"The target {target!r} has one class, so no column predicts it and all quasi-identifiers are suppressed."
        )
    elif tree.size == 1:
        warnings.append("The tree has no branch, so all quasi-identifiers are suppressed. Try a smaller min_objects.")
    if lost:
        left = "was left at the root and is" if lost == 1 else "were left at the root and are"
        warnings.append(f"{plural(lost, 'records')} {left} not published; remainder='merge' keeps them.")
    return tuple(warnings)
