"""Hedge: groups by what a classifier needs to know, told as proportions, so that learners lose little.

A boosted teacher says what it knows of every tuple, out of fold, and what each column adds to it. Groups are formed
where tuples mean the same to the teacher, under every requirement, and no record is lost. What is then published are
the groups' boxes and, by default, how their people are divided among values: each share is of at least k people. Before
anything is published the method rehearses: it draws rows from what each candidate would tell, lets a learner learn from
them, and takes the candidate whose learner comes closest to the teacher.

It is ours, and puts together what five papers have apart: the class decides what is kept (kACTUS), groups publish
proportions instead of question marks (Shao and Beckford; the proportional representation), several requirements hold at
once (HeuristicMin), and no record is lost (hybrid kACTUS).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import PUBLISH, choice, choice_or_object, number, shared
from hedgerow.counts import FrequencyTable
from hedgerow.privacy import Requirement
from hedgerow.recoding import CutTree, Publish, Recoding, Shown, publish_groups, shown_as

if TYPE_CHECKING:
    from hedgerow.anonymizers.partition.hedging.teaching import Lesson, Table
    from hedgerow.arrays import Floats, Ints

__all__ = ["Hedge"]


class Hedge(Anonymizer):
    """Groups in the space of a teacher, with proportions: for those who publish so that others can learn.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(300, random_state=1)
    >>> schema = hr.Schema(quasi=["age", "sex", "education"], target="income", others="drop")
    >>> release = Hedge(k=10, random_state=0).anonymize(people, schema)
    >>> release.audit.k >= 10, release.audit.singled_out
    (True, 0)
    """

    name = "hedge"
    family = "partition"
    paper = "our own, after all five papers"
    uses_target = True

    shape: Literal["auto", "box", "axis"] = choice(
        "Boxes, which unseen rows find by their values; groups along the main axes of what the teacher knows, which are "
        "no boxes; or whichever the rehearsal likes better."
    )
    publish: Publish = PUBLISH
    teacher: Any = choice_or_object(
        "Who says what a tuple means: gradient boosting, or any scikit-learn classifier (a regressor for numbers).",
        options=("boosting",),
        extras=(),
        objects="a scikit-learn estimator",
    )
    folds: int = number("In how many folds the teachers learn.", default=5, least=2, most=20, whole=True, trials=(2,))
    publish_proportions: bool = shared(
        "bool",
        "Whether the release also says how the people of every class are divided among the values.",
        default=True,
    )

    def weighs_columns(self) -> bool:
        """What a column adds counts by its weight."""
        return True

    def _shown(self, counts: FrequencyTable) -> tuple[Shown, ...]:
        return shown_as(counts, self.publish)

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.partition.hedging.teaching import table_of, taught

        number = 0 if seed is None else seed
        table = table_of(counts, type(self).__name__)
        lesson = taught(counts, table, self.teacher, self.folds, number)
        return self._boxes(counts, requirements, table, lesson, lesson.points)

    def _boxes(
        self, counts: FrequencyTable, requirements: Sequence[Requirement], table: Table, lesson: Lesson, points: Floats
    ) -> Recoding:
        from hedgerow.anonymizers.partition.hedging.boxes import cut_boxes
        from hedgerow.anonymizers.partition.hedging.teaching import order_of

        shown = self._shown(counts)
        orders = tuple(self._order(counts, at, how, lesson, order_of) for at, how in enumerate(shown))
        boxes = cut_boxes(counts, requirements, orders, points)
        groups = int(boxes.pieces.group.max()) + 1
        columns, values = publish_groups(counts, boxes.pieces, groups, shown)
        cuts = boxes.cuts
        return Recoding(
            method=self.name,
            quasi=counts.quasi,
            columns=columns,
            groups=values,
            sizes=np.bincount(boxes.pieces.group, boxes.pieces.size, groups).astype(np.int64),
            pieces=boxes.pieces,
            router=CutTree(cuts.column, cuts.threshold, cuts.single, cuts.left, cuts.right, orders),
        )

    def _order(self, counts: FrequencyTable, at: int, how: Shown, lesson: Lesson, order_of: Any) -> Ints:
        """Numbers and what has an order are cut in it, what is shown as nodes in the hierarchy's, others by meaning."""
        domain = counts.domains[counts.quasi[at]]
        if how == "label":
            return counts.hierarchies[domain.name].order
        if domain.kind != "text" or domain.ordered:
            return np.arange(domain.size, dtype=np.int32)
        return order_of(counts, at, lesson)
