"""From specialized columns to a recoding."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from hedgerow import KAnonymity
from hedgerow.anonymizers.specialize._attributes import GrownIntervals
from hedgerow.anonymizers.specialize.tdr import TDR
from hedgerow.anonymizers.specialize.tds import TDS, grown_hierarchy
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.metrics import METRICS
from hedgerow.core.recoding import Recoding

Counted = Callable[..., FrequencyTable]


def test_grown_hierarchy(counted: Counted) -> None:
    """Two levels: the intervals, and the numbers below them; missing is a leaf below the root."""
    age = GrownIntervals(counted({"age": [1, 2, 4, 7, None], "class": ["a", "a", "b", "b", "b"]}), "age", "class")
    assert grown_hierarchy(age) is age.hierarchy
    age.specialize(0)
    hierarchy = grown_hierarchy(age)
    assert hierarchy.to_tree() == {"*": {"[1,4)": {"1": {}, "2": {}}, "[4,7]": {"4": {}, "7": {}}}}
    assert hierarchy.labels[-1] is None
    assert hierarchy.low is not None
    assert hierarchy.high is not None
    inner = [hierarchy.labels.index(label) for label in ("*", "[1,4)", "[4,7]")]
    assert [(hierarchy.low[node], hierarchy.high[node]) for node in inner] == [(1, 7), (1, 4), (4, 7)]
    assert hierarchy.description == "2 intervals grown by the class"


def test_unseen_numbers_go_to_their_interval(counted: Counted) -> None:
    people = {"age": [1, 2, 4, 7], "class": ["a", "a", "b", "b"]}
    recoding = TDS().fit_counts(counted(people), [KAnonymity(2)])
    new = recoding.transform(pa.table({"age": [0, 1, 3, 4, 6, 7, 8, None]}))
    assert new["age"].to_pylist() == ["*", "[1,4)", "[1,4)", "[4,7]", "[4,7]", "[4,7]", "*", "*"]
    assert Recoding.from_dict(recoding.to_dict()).transform(pa.table({"age": [3]}))["age"].to_pylist() == ["[1,4)"]


def test_intervals_are_no_nodes_of_the_columns_own_hierarchy(counted: Counted) -> None:
    """Metrics read the hierarchy that the counts have."""
    counts = counted({"age": [1, 2, 4, 7], "class": ["a", "a", "b", "b"]})
    recoding = TDS().fit_counts(counts, [KAnonymity(2)])
    assert recoding.columns[0].kinds == ("interval", "interval")
    assert recoding.columns[0].nodes is None
    # Each cell could be any of 2 values out of 4.
    assert METRICS["loss"].function(counts, recoding) == pytest.approx(0.5)
    # The column spans 6; the intervals span 3 each.
    assert METRICS["ncp_published"].function(counts, recoding) == pytest.approx(0.5)


def test_a_single_number_and_a_missing_one_are_published_as_they_are(counted: Counted) -> None:
    people = {"age": [1, 1, 3, 3, None, None], "class": ["a", "a", "b", "b", "c", "c"]}
    recoding = TDS().fit_counts(counted(people), [KAnonymity(2)])
    assert set(recoding.columns[0].texts) == {"1", "3", None}
    assert recoding.columns[0].unchanged


def test_taxonomies_publish_nodes_and_place_unseen_values_below_them(counted: Counted) -> None:
    towns = {"*": {"Germany": ["Bonn", "Köln"], "France": ["Lyon", "Nice"]}}
    people = {"town": ["Bonn", "Bonn", "Lyon", "Nice"], "class": ["a", "a", "b", "b"]}
    recoding = TDS().fit_counts(counted(people, {"town": towns}), [KAnonymity(2)])
    new = recoding.transform(pa.table({"town": ["Bonn", "Köln", "Nice", "Rome"]}))
    assert new["town"].to_pylist() == ["Germany", "Germany", "France", "*"]


def test_hidden_values_stay_together(counted: Counted) -> None:
    """What is not disclosed is ``*``, and so is what was never there."""
    people = {"town": list("AABCD"), "class": list("xxyyy")}
    counts = counted(people)
    recoding = TDR().fit_counts(counts, [KAnonymity(2)])
    assert recoding.transform(pa.table({"town": list("ABCDE")}))["town"].to_pylist() == ["A", "*", "*", "*", "*"]
    assert recoding.sizes.tolist() == [3, 2]
    assert METRICS["suppression"].function(counts, recoding) == pytest.approx(3 / 5)


def test_facts_name_columns_only(counted: Counted) -> None:
    people = {"age": [1, 1, 4, 7], "town": list("AABB"), "sex": list("ffff"), "class": list("xxyy")}
    recoding = TDS().fit_counts(counted(people), [KAnonymity(2)])
    assert recoding.facts == {"specializations": {"age": 1, "town": 1, "sex": 0}, "intervals_grown": ["age"]}
    assert recoding.warnings == ()


@pytest.mark.parametrize(
    ("classes", "why"), [("xxxx", "The target 'class' has only one class"), ("xyxy", "No specialization is allowed")]
)
def test_nothing_specialized_is_said(counted: Counted, classes: str, why: str) -> None:
    recoding = TDS().fit_counts(counted({"town": list("AABB"), "class": list(classes)}), [KAnonymity(2)])
    (warning,) = recoding.warnings
    assert warning.startswith(why)
    assert recoding.columns[0].texts == ("*",)
    assert recoding.facts["specializations"] == {"town": 0}
