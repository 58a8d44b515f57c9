"""What is to be run, and in which order."""

from __future__ import annotations

import hedgerow as hr
from hedgerow.comparison.api import Options, make_plan
from hedgerow.evaluation.store import Store

SCHEMA = hr.Schema(quasi=["age", "sex"], target="income", others="drop")


def test_every_choice_is_released_once_and_tried_on_every_part() -> None:
    table = hr.datasets.make_census(300, random_state=1)
    plan = make_plan(
        table,
        SCHEMA,
        Options(methods=["mondrian", "datafly"], k=[5, 10], suppression_limit=[0, 0.1], protocol=("cv", 3)),
    )
    labels = [one.label for one in plan.choices]
    assert len(labels) == len(set(labels)) == 8
    assert labels[:3] == ["mondrian with k = 5", "mondrian with k = 5, up to 10% lost", "datafly with k = 5"]
    # A release each; on three parts every choice with one learner, and the baselines: that learner, and the majority.
    assert len([key for job in plan.jobs for key in job.keys]) == 8 + 3 * (8 + 2)
    assert len({key for job in plan.jobs for key in job.keys}) == 8 + 3 * (8 + 2)
    orders = [job.order for job in plan.jobs]
    assert orders == sorted(orders)
    assert {one.status for one in plan.result(Store()).choices} == {"not begun"}


def test_releases_tell_proportions_where_learners_need_them() -> None:
    table = hr.datasets.make_census(300, random_state=1)
    told = make_plan(table, SCHEMA, Options(methods="mondrian", k=5))
    assert told.treatments.parameters["publish_proportions"] is True
    shown = make_plan(table, SCHEMA, Options(methods="mondrian", k=5, train="published"))
    assert shown.treatments.parameters["publish_proportions"] is False
    assert not shown.result(Store()).measured.proportions
