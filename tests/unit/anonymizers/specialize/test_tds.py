"""Top-down specialization as a method."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from hedgerow import BadInput, KAnonymity, Schema
from hedgerow.anonymizers.specialize.tds import TDS
from hedgerow.core.counts import FrequencyTable
from hedgerow.release.pipeline import finish, prepare

Counted = Callable[..., FrequencyTable]


def test_a_given_hierarchy_of_numbers_is_kept_to(counted: Counted) -> None:
    """Intervals are grown only where none were given."""
    people = {"age": [1, 2, 4, 7], "class": ["a", "a", "a", "b"]}
    given = {"age": {"*": {"[0,3)": [1, 2], "[3,9)": [4, 7]}}}
    recoding = TDS().fit_counts(counted(people, given), [KAnonymity(1)])
    assert set(recoding.columns[0].texts) == {"[0,3)", "4", "7"}
    assert recoding.facts["intervals_grown"] == []
    grown = TDS().fit_counts(counted(people), [KAnonymity(1)])
    assert set(grown.columns[0].texts) == {"[1,7)", "7"}


def test_a_specialization_that_leaves_a_small_class_is_passed_over(counted: Counted) -> None:
    """The values of a are held by 8 and 2 records, those of b by 5 and 5; together the smallest class has 2."""
    counts = counted({"a": list("xxxxxxxxyy"), "b": list("pppppqqqqq"), "class": list("mmmmmmmnnn")})
    assert TDS().fit_counts(counts, [KAnonymity(2)]).facts["specializations"] == {"a": 1, "b": 1}
    assert TDS().fit_counts(counts, [KAnonymity(3)]).facts["specializations"] == {"a": 0, "b": 1}
    assert TDS().fit_counts(counts, [KAnonymity(6)]).facts["specializations"] == {"a": 0, "b": 0}


def test_needs_a_target() -> None:
    requirements = [KAnonymity(1)]
    counts = prepare(pa.table({"a": ["x"]}), Schema(quasi=["a"]), requirements, random_state=0).counts
    with pytest.raises(BadInput, match=r"TDS .* needs a target"):
        TDS().fit_counts(counts, requirements)


def test_adult(data_folder: Path) -> None:
    """Real taxonomies and grown ages: the release verifies, and hides no record."""
    folder = data_folder / "adult"
    quasi = ["age", "marital-status", "occupation", "sex"]
    taxonomies = {name: str(folder / "hierarchies" / f"{name}.csv") for name in quasi[1:]}
    others = Schema(quasi=quasi, target="salary-class", hierarchies=taxonomies, missing=["?"], others="drop")
    job = prepare(folder / "adult_test.csv.gz", others, [KAnonymity(20)], random_state=0)
    recoding = TDS().fit_counts(job.counts, job.requirements)
    assert recoding.facts["specializations"]["marital-status"] >= 1
    release = finish(job, recoding, {})
    assert release.audit.k >= 20
    assert recoding.lost == 0
