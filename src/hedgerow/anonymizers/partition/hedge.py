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
from functools import partial
from typing import Any, Literal

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import CELLS, PUBLISH, choice, choice_or_object, number, shared
from hedgerow.core.counts import FrequencyTable, refuse_many_numbers
from hedgerow.core.recoding import Publish, Recoding, Shown, shown_as
from hedgerow.errors import BadInput
from hedgerow.requirements import Requirement

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
    tight = True
    paper = "our own, after all five papers"
    uses_target = True
    learns_numbers = True
    results_version = 5

    shape: Literal["auto", "box", "axis"] = choice(
        "Boxes, which unseen rows find by their values; or groups along the main axes of what the teacher knows, which "
        "are no boxes. By itself the rehearsal chooses."
    )
    publish: Publish = PUBLISH
    teacher: Any = choice_or_object(
        "Who says what a tuple means: gradient boosting, or any scikit-learn classifier (a regressor for numbers).",
        options=("boosting",),
        extras=(),
        objects="a scikit-learn estimator",
    )
    folds: int = number("In how many folds the teachers learn.", default=5, least=2, most=20, whole=True, trials=(2,))
    max_excess: float | None = number(
        "By how much the labels of people in the table may be told more often than those of others, as a share of the "
        "people (0.01 is one in a hundred); groups become larger until that holds in halves of the table. It takes "
        "several times as long.",
        default=None,
        least=0,
        most=1,
    )
    cells: Literal["held", "region"] = CELLS
    publish_proportions: bool = shared(
        "bool",
        "Whether the release also says how the people of every class are divided among the values.",
        default=True,
    )

    def uses_weights(self) -> bool:
        """What a column adds counts by its weight."""
        return True

    def _shown(self, counts: FrequencyTable) -> tuple[Shown, ...] | None:
        # A region does not shrink with the records that a group gives up.
        return shown_as(counts, self.publish) if self.cells == "held" else None

    def _own_parameters(self) -> dict[str, Any]:
        own = super()._own_parameters()
        if self.cells == "region" and self.shape == "axis":
            raise BadInput(
                "Groups along axes are no boxes, so that they have no regions to publish. Leave shape='axis' out, or "
                "say cells='held'."
            )
        return own

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.partition._hedge_candidates import Asked, best_candidate

        demanded = max(one.minimal_size for one in requirements)
        support = demanded if self.min_support is None else self.min_support
        asked = Asked(
            self.name,
            self.shape,
            shown_as(counts, self.publish),
            self.teacher,
            self.folds,
            support if self.publish_proportions else None,
            # Of a target in bins the numbers are published, which are no labels.
            self.target_bins is None,
            0 if seed is None else seed,
            self.cells == "region",
        )
        if self.max_excess is not None:
            refuse_many_numbers(counts, "Hedge with max_excess")
            from hedgerow.anonymizers.partition._hedge_candidates import coarse_enough

            fit = partial(best_candidate, asked)
            requirements = coarse_enough(fit, counts, requirements, self.max_excess, asked.support, asked.seed)
        return best_candidate(asked, counts, requirements)
