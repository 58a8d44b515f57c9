"""Hedge: groups that keep what a classifier needs, published with proportions.

A boosted teacher estimates the labels of every tuple, out of fold, and how much each column adds. Hedge forms groups of
tuples that mean the same to the teacher, under every requirement, and loses no record. It publishes the boxes of the
groups and, by default, the proportions of values among their people; every share is of at least k people. Several
candidates are made and scored: a learner trains on rows drawn from each, and the candidate wins whose learner comes
closest to the teacher.

The method is our own. It combines ideas that five papers have separately: the class decides which detail is kept
(kACTUS), groups publish proportions instead of question marks (Shao and Beckford; the proportional representation),
several requirements hold at once (HeuristicMin), and no record is lost (hybrid kACTUS).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Literal

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.parameters import CELLS, PUBLISH, Presets, choice, choice_or_object, number, shared
from hedgerow.core.counts import FrequencyTable, refuse_many_numbers
from hedgerow.core.recoding import Publish, Recoding, Shown, shown_as
from hedgerow.errors import BadInput
from hedgerow.requirements import Requirement

__all__ = ["Hedge"]


class Hedge(Anonymizer):
    """Groups that keep what a classifier needs, published with proportions so that others can train models.

    Examples
    --------
    >>> import hedgerow as hr
    >>> people = hr.datasets.make_census(300, random_state=1)
    >>> schema = hr.Schema(quasi=["age", "sex", "education"], target="income", others="drop")
    >>> release = hr.Hedge(k=10, random_state=0).anonymize(people, schema)
    >>> release.audit.k >= 10, release.audit.singled_out
    (True, 0)
    """

    name = "hedge"
    family = "partition"
    tight = True
    paper = "our own, after all five papers"
    presets: ClassVar[Presets] = {}
    uses_target = True
    learns_numbers = True
    results_version = 5

    shape: Literal["auto", "box", "axis"] = choice(
        "Boxes, which unseen rows find by their values; or groups along the main axes of what the teacher knows, which "
        "are not boxes. 'auto' takes the shape that a learner learns most from."
    )
    publish: Publish = PUBLISH
    teacher: Any = choice_or_object(
        "The model that estimates labels: gradient boosting, or any scikit-learn classifier (a regressor for numbers).",
        options=("boosting",),
        extras=(),
        objects="a scikit-learn estimator",
    )
    folds: int = number(
        "The number of folds in which teachers are trained.", default=5, least=2, most=20, whole=True, trials=(2,)
    )
    max_excess: float | None = number(
        "How much more often an attacker may guess labels right for people in the table than for others, as a share of "
        "the people (0.01 is one in a hundred). Groups become larger until that holds in halves of the table, which "
        "takes several times as long.",
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
        """The contribution of a column to the points is multiplied by its weight."""
        return True

    def _shown(self, counts: FrequencyTable) -> tuple[Shown, ...] | None:
        # A region does not shrink with the records that a group gives up.
        return shown_as(counts, self.publish) if self.cells == "held" else None

    def _own_parameters(self) -> dict[str, Any]:
        own = super()._own_parameters()
        if self.cells == "region" and self.shape == "axis":
            raise BadInput(
                "Groups along axes are not boxes, so they have no regions to publish. Leave shape='axis' out, or say "
                "cells='held'."
            )
        return own

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        from hedgerow.anonymizers.partition._hedge_candidates import HedgeOptions, best_candidate, limit_excess

        demanded = max(requirement.minimal_size for requirement in requirements)
        support = demanded if self.min_support is None else self.min_support
        options = HedgeOptions(
            self.name,
            self.shape,
            shown_as(counts, self.publish),
            self.teacher,
            self.folds,
            support if self.publish_proportions else None,
            # A target in bins publishes its numbers, which have no label margins.
            self.target_bins is None,
            0 if seed is None else seed,
            self.cells == "region",
        )
        if self.max_excess is not None:
            refuse_many_numbers(counts, "Hedge with max_excess")
            fit = partial(best_candidate, options)
            requirements = limit_excess(fit, counts, requirements, self.max_excess, options.support, options.seed)
        return best_candidate(options, counts, requirements)
