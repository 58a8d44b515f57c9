"""No row that is tested on ever reaches a method: each row carries a canary, and methods tell which they saw."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.evaluation.api import evaluate
from hedgerow.evaluation.learners import Learner
from hedgerow.evaluation.learners.base import Constant, Fitted, Training
from hedgerow.evaluation.splits import splits_of
from hedgerow.evaluation.tables import open_table

SEEN: list[set[int]] = []
TESTED: list[set[int]] = []


class Watched(hr.Mondrian):
    """Writes down the canaries of the table that it is given."""

    name = "watched"

    def anonymize(self, data: Any, *arguments: Any, **options: Any) -> hr.Release:
        SEEN.append(set(data.column("canary").to_pylist()))
        return super().anonymize(data, *arguments, **options)


class Listening(Learner):
    """Writes down the canaries that it is to predict; what it learns from is redrawn, and tells nothing."""

    name = "listening"
    tasks = frozenset({"classes"})

    def _fit(self, training: Training) -> Fitted:
        answer = training.constant().answer

        class Told(Constant):
            def _predict(self, table: pa.Table) -> Any:
                TESTED.append(set(table.column("canary").to_pylist()))
                return super()._predict(table)

        return Told(answer)


@settings(max_examples=20, deadline=None)
@given(
    rows=st.integers(24, 80),
    people=st.one_of(st.none(), st.integers(12, 24)),
    protocol=st.sampled_from(["5x2cv", "holdout", ("cv", 3), ("holdout", 2)]),
    seed=st.integers(0, 9),
)
def test_no_tested_row_reaches_a_method(rows: int, people: int | None, protocol: Any, seed: int) -> None:
    columns: dict[str, list[Any]] = {
        "canary": list(range(rows)),
        "sex": ["m" if at % 2 else "f" for at in range(rows)],
        "ill": ["y" if at % 3 else "n" for at in range(rows)],
    }
    if people is not None:
        columns["who"] = [f"p{at % people}" for at in range(rows)]
    table = pa.table(columns)
    schema = hr.Schema(quasi=["canary", "sex"], target="ill", entity=None if people is None else "who")
    SEEN.clear()
    TESTED.clear()
    evaluate(
        table,
        schema,
        methods={"watched": Watched()},
        k=2,
        learners=[Listening()],
        protocol=protocol,
        random_state=seed,
        workers=1,
    )
    splits = splits_of(open_table(table, schema), protocol, seed)
    assert [set(split.train.tolist()) for split in splits] == SEEN
    # The learner is asked twice about each part: after training on rows as they are, and on the release.
    assert [set(split.test.tolist()) for split in splits for _ in range(2)] == TESTED
    assert not any(seen & tested for seen, tested in zip(SEEN, TESTED[::2], strict=True))
    if people is not None:
        for seen, tested in zip(SEEN, TESTED[::2], strict=True):
            who = columns["who"]
            assert not {who[at] for at in seen} & {who[at] for at in tested}
