"""A report tells the same of a table wherever it was counted."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.report.facts import gather

SCHEMA = hr.Schema(
    quasi=["age", "sex", "education"],
    target="income",
    sensitive=["disease"],
    others="drop",
)


@pytest.mark.spark
@pytest.mark.parametrize("edition", ["internal", "public"])
def test_a_table_of_spark_tells_what_one_in_memory_does(spark: Any, edition: Any) -> None:
    people = hr.datasets.make_census(300, random_state=2)
    options: dict[str, Any] = {"method": "mondrian", "k": 5, "random_state": 3}
    today = datetime.date(2026, 5, 1)
    in_memory, of_spark = (
        dataclasses.asdict(gather(hr.anonymize(table, SCHEMA, **options), edition=edition, today=today))
        for table in (people, spark.createDataFrame(people))
    )
    # Which rows are looked at to see what columns in clear give away is left to chance.
    assert of_spark.pop("all_columns")["k_all"] == in_memory.pop("all_columns")["k_all"]
    assert of_spark == in_memory
