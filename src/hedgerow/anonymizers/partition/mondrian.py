"""Mondrian: cut the records in two, again and again, while every group stays large and diverse enough.

Each step chooses a column and a place to cut it. A part becomes a group when no cut keeps the requirements on both
sides. The group then publishes the sets (or intervals, or hierarchy labels) of the values it holds.

K. LeFevre, D. DeWitt, R. Ramakrishnan: Mondrian Multidimensional k-Anonymity, ICDE 2006; set-based generalization and
the frequency set: J. Shao, J. Beckford: Learning Decision Trees from Anonymized Data, section III, algorithm 1.

Deviations
----------
- ``cut="loss"`` (the default) tries every place of every column, and for categories also each value against the rest.
  It takes the cut after which the normalized certainty penalty is lowest. Sets have no order that a cut must respect,
  and the loss on Adult falls by a quarter (``benchmarks/RESULTS.md``). ``cut="widest"`` is the paper's rule.
- Records at the median go left; if that is not allowed, they go right; otherwise the next column is tried. The paper
  puts them left, and does not say what happens if the right side is then empty. Algorithm 1 of Shao and Beckford
  chooses one column, the widest, and may mean that no other is tried: ``cut="widest_only"``.
- A cut is allowed only if *all* requirements hold on both sides, not only k. Each group is one equivalence class. A
  requirement on a smaller shield concerns unions of groups, and holds if it holds for each group.
- ``improve=True`` lets near groups exchange tuples and split after the last cut, while every requirement holds and the
  loss falls. A cut cannot be undone, but a tuple on its wrong side can move. The cuts still route unseen rows.
- Columns count by their weights: in the loss, in the span of the widest column, and when groups improve.
- With a ``suppression_limit``, groups give up the records that widen them most, if the others gain more than these
  lose. The table is then cut again without these records (:mod:`hedgerow.anonymizers.budget`).
- If the distinct tuples do not fit into a memory limit, the first cuts are chosen from sums over all tuples, and each
  part is cut in memory (:mod:`hedgerow.anonymizers.partition._out_of_core`). The groups are the same.
- ``cells="region"`` publishes the region of a group instead of the values it holds
  (:mod:`hedgerow.core.recoding.building`). A cut leaves the regions of all other columns unchanged, so the best cut is
  the one that most lowers the loss of its own column. On Adult, regions then lose a third less.
- Columns with more than 512 categories are scored by the span of their ranks: counting the values of every candidate
  exactly would cost more than it gains.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import CELLS, IMPROVE, PUBLISH, Presets, choice, flag
from hedgerow.core.counts import Counted, FrequencyTable, LargeTable
from hedgerow.core.recoding import (
    CutTree,
    Publish,
    Recoding,
    Shown,
    publish_groups,
    publish_held,
    publish_regions,
    shown_as,
)
from hedgerow.errors import BadInput
from hedgerow.requirements import Requirement

__all__ = ["Mondrian"]


class Mondrian(Anonymizer):
    """Multidimensional partitioning with set-based generalization.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 23, 25, 27, 27, 29], "sex": ["M", "M", "F", "F", "F", "M"]})
    >>> release = hr.Mondrian(k=3).anonymize(people, hr.Schema(quasi=["age", "sex"]))
    >>> sorted(set(release.table["sex"].to_pylist()))
    ['F', 'M']
    """

    name = "mondrian"
    family = "partition"
    tight = True
    keeps_levels_in_parts = True
    paper = "LeFevre, DeWitt, Ramakrishnan (ICDE 2006); sets: Shao, Beckford"
    presets: ClassVar[Presets] = {"paper": {"cut": "widest", "publish": "set", "order": "alphabetical"}}

    cut: Literal["loss", "widest", "widest_only"] = choice(
        "Take the cut that lowers NCP most (loss), or follow the paper: the widest column at its median. If that is "
        "not allowed, try the next widest (widest), or none (widest_only)."
    )
    relaxed: bool = flag("Whether records with equal values may go to different groups.")
    publish: Publish = PUBLISH
    order: Literal["auto", "alphabetical", "hierarchy"] = choice(
        "The order in which categories shown as sets are cut; by default that of a given hierarchy."
    )
    improve: bool = IMPROVE
    cells: Literal["held", "region"] = CELLS

    def uses_weights(self) -> bool:
        """The loss that a cut lowers is weighted, and so is the span of the widest column."""
        return True

    def _shown(self, counts: Counted) -> tuple[Shown, ...] | None:
        # A region does not shrink with the records that a group gives up.
        return shown_as(counts, self.publish) if self.cells == "held" else None

    def _own_parameters(self) -> dict[str, Any]:
        own = super()._own_parameters()
        if self.cells == "region":
            for name, why in (("improve", "exchange records across the cuts"), ("relaxed", "share values at a cut")):
                if getattr(self, name):
                    raise BadInput(
                        f"With {name}=True groups {why}, so they have no regions of their own. Leave {name} out, or "
                        "say cells='held'."
                    )
        return own

    def not_in_parts(self) -> str | None:
        """Only strict cuts by loss can be chosen from sums; all others need the tuples in memory."""
        if self.improve:
            return "improve=True cannot exchange tuples between groups"
        if self.relaxed:
            return "relaxed=True cannot split records between groups"
        return None if self.cut == "loss" else f"cut={self.cut!r} is not possible, only cut='loss'"

    def _fit_in_parts(self, large: LargeTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.limits import Generalized
        from hedgerow.anonymizers.partition._out_of_core import cut_in_parts
        from hedgerow.anonymizers.partition.cuts import CutRules, orders_of

        limits = Generalized.of(large)
        if limits.columns and self.cells == "region":
            raise large.exceeds(
                "cells='region' is not possible with limits on levels: say cells='held' (--set cells=held), or leave "
                "levels (--level) out"
            )
        seen = limits.described(large)
        shown = shown_as(seen, self.publish)
        rules = CutRules(orders_of(seen, self.order, shown), shown, cut_column_only=self.cells == "region")
        sizes, cuts, stored = cut_in_parts(large, requirements, rules, limits)
        router = CutTree(*cuts[:5], limits.orders(rules.orders))
        if self.cells == "region":
            columns, values = publish_regions(large, router, len(sizes), shown)
        else:
            columns, values = publish_held(large, stored.held, shown)
        return Recoding(
            method="mondrian",
            quasi=large.quasi,
            columns=columns,
            groups=values,
            sizes=sizes,
            router=router,
            parts=stored,
        )

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.partition.cuts import CutRules, cut_groups, near_groups, orders_of

        shown = shown_as(counts, self.publish)
        orders = orders_of(counts, self.order, shown)
        rules = CutRules(
            orders,
            shown,
            by_loss=self.cut == "loss",
            relaxed=self.relaxed,
            widest_only=self.cut == "widest_only",
            cut_column_only=self.cells == "region",
        )
        pieces, cuts = cut_groups(counts, requirements, rules)
        if self.improve:
            from hedgerow.anonymizers.boxes.improvement import improved
            from hedgerow.anonymizers.boxes.layout import described

            boxes = described(counts, "ncp", shown)
            pieces = improved(counts, requirements, pieces, near_groups(counts, pieces, shown), boxes)
        groups = int(pieces.group.max()) + 1
        router = CutTree(*cuts[:5], orders)
        if self.cells == "region":
            columns, values = publish_regions(counts, router, groups, shown)
        else:
            columns, values = publish_groups(counts, pieces, groups, shown)
        return Recoding(
            method="mondrian",
            quasi=counts.quasi,
            columns=columns,
            groups=values,
            sizes=pieces.sizes(groups),
            pieces=pieces,
            router=router,
        )
