"""How many distinct tuples fit, and what is said of columns of which even the values do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.errors import BadInput

pytestmark = pytest.mark.spark


@pytest.fixture
def setting(spark: Any) -> Iterator[str]:
    from hedgerow.engines.spark._tuples import TUPLES_SETTING

    yield TUPLES_SETTING
    spark.conf.unset(TUPLES_SETTING)


def test_the_limit_follows_from_the_memory_of_the_driver(spark: Any, setting: str) -> None:
    from hedgerow.engines.spark._tuples import limit_of

    memory = spark._jvm.java.lang.Runtime.getRuntime().maxMemory()
    assert limit_of(spark, 9).most == memory // 2 // (64 + 9 * 12)
    spark.conf.set(setting, 77)
    assert limit_of(spark, 9).most == 77


@pytest.mark.parametrize("wrong", ["0", "-1", "many", "1e6", ""])
def test_a_limit_that_is_no_number(spark: Any, setting: str, wrong: str) -> None:
    spark.conf.set(setting, wrong)
    with pytest.raises(BadInput, match=r"spark.hedgerow.tuples must be a whole number of at least 1"):
        hr.anonymize(spark.createDataFrame([(1,), (1,)], "age int"), hr.Schema(quasi=["age"]), k=2)


def test_a_column_of_too_many_values(spark: Any, setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from hedgerow.engines.workspace import Shares

    spark.conf.set(setting, 5)
    monkeypatch.setattr(Shares, "most_values", 9)
    table = spark.createDataFrame([(n,) for n in range(10)], "age int")
    with pytest.raises(BadInput, match=r"The column 'age' has more than 9 distinct values"):
        hr.anonymize(table, hr.Schema(quasi=["age"]), k=2)
