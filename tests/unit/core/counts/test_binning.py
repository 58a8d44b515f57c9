"""A target of numbers in bins, for methods that learn from classes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import BadInput, KAnonymity, LDiversity, Schema
from hedgerow.anonymizers.registry import METHODS
from hedgerow.core.counts import FrequencyTable, in_bins
from hedgerow.release import pipeline

ROWS = 120
GUIDED = ("apt", "kactus", "hybrid-kactus", "kadet", "tds", "tdr", "bug")


def people(wages: Any) -> pa.Table:
    """The wage follows the town, and the sex tells nothing."""
    return pa.table(
        {
            "town": ["Bonn" if at < ROWS // 2 else "Lyon" for at in range(ROWS)],
            "sex": ["FM"[at % 2] for at in range(ROWS)],
            "wage": wages,
        }
    )


WHOLE = people(list(range(1000, 1000 + ROWS)))
FRACTIONS = people([at % 3 + 0.5 for at in range(ROWS)])
# The wages are numbered through.
SCHEMA = Schema(quasi=["town", "sex"], target="wage", accept=["wage"])


def counted(table: pa.Table, schema: Schema = SCHEMA) -> FrequencyTable:
    return pipeline.prepare(table, schema, [KAnonymity(2)], random_state=None).counts


def test_bins_have_about_equally_many_people() -> None:
    counts = counted(WHOLE)
    seen = in_bins(counts, 4)
    assert seen.roles.target == "wage in bins"
    assert seen.domains["wage in bins"].labels.tolist() == ["[1000,1030)", "[1030,1060)", "[1060,1090)", "[1090,1119]"]
    assert seen.histogram("wage in bins").tolist() == [30, 30, 30, 30]
    assert seen.histogram("wage").tolist() == counts.histogram("wage").tolist()
    assert seen.cell_columns == ("wage in bins", "wage")
    wages = counts.domains["wage"].values[seen.values_of("wage")]
    assert seen.values_of("wage in bins").tolist() == ((wages - 1000) // 30).astype(int).tolist()


def test_few_numbers_are_their_own_bins_and_missing_ones_stay_missing() -> None:
    few = in_bins(counted(people([at % 3 for at in range(ROWS - 1)] + [None])), 5)
    domain = few.domains["wage in bins"]
    assert domain.labels.tolist() == ["0", "1", "2"]
    assert domain.has_missing
    assert few.histogram("wage in bins").tolist() == [40, 40, 39, 1]


def test_the_name_of_the_bins_is_free() -> None:
    table = WHOLE.append_column("wage in bins", [["x"] * ROWS])
    assert in_bins(
        counted(table, Schema(quasi=["town", "wage in bins"], target="wage", others="drop")), 2
    ).roles.target == ("wage in bins_")


@pytest.mark.parametrize(("table", "what"), [(WHOLE, "120 different numbers"), (FRACTIONS, "numbers with fractions")])
@pytest.mark.parametrize("method", GUIDED)
def test_methods_that_learn_from_classes_refuse_a_scale(method: str, table: pa.Table, what: str) -> None:
    learner = METHODS[method].__name__
    said = rf"The target 'wage' holds {what}, and {learner} learns from classes\. Say target_bins=4 \(--target-bins 4\)"
    with pytest.raises(BadInput, match=said):
        hr.anonymize(table, SCHEMA, method=method, k=5)


@pytest.mark.parametrize("method", GUIDED)
def test_with_bins_they_learn_and_the_numbers_are_published(method: str) -> None:
    release = hr.anonymize(WHOLE, SCHEMA, method=method, k=5, target_bins=4, random_state=0)
    assert Counter(release.table["wage"].to_pylist()) == Counter(WHOLE["wage"].to_pylist())
    # The town tells the half, the sex tells nothing: what is learnt is the town.
    # TDR need not disclose both.
    assert set(release.table["town"].to_pylist()) == {"Bonn", "*" if method == "tdr" else "Lyon"}
    assert release.losses["classification"] == 0.5
    assert release.manifest["target_bins"] == 4


def test_exactly_the_methods_that_need_a_target_say_that_they_use_it() -> None:
    guided = {name: method for name, method in METHODS.items() if method.uses_target}
    assert set(guided) == {*GUIDED, "hedge"}
    assert {name for name, method in guided.items() if not method.learns_numbers} == set(GUIDED)


def test_who_learns_from_numbers_takes_a_scale_as_it_is_or_in_bins() -> None:
    for bins in (None, 4):
        release = hr.anonymize(WHOLE, SCHEMA, method="hedge", k=5, target_bins=bins, random_state=0)
        assert Counter(release.table["wage"].to_pylist()) == Counter(WHOLE["wage"].to_pylist())
        assert set(release.table["town"].to_pylist()) == {"Bonn", "Lyon"}


def test_others_work_as_before() -> None:
    release = hr.anonymize(WHOLE, SCHEMA, method="mondrian", k=5)
    assert "target_bins" not in release.manifest
    assert hr.anonymize(WHOLE, SCHEMA, method="optimal", k=5).audit.k >= 5
    classes = people([at % 20 for at in range(ROWS)])
    assert hr.anonymize(classes, SCHEMA, method="tds", k=5).audit.k >= 5
    as_floats = people([float(at % 2) for at in range(ROWS)])
    assert hr.anonymize(as_floats, SCHEMA, method="tds", k=5).audit.k >= 5


def test_a_search_for_the_best_classification_learns_too() -> None:
    with pytest.raises(BadInput, match="OptimalLattice learns from classes"):
        hr.anonymize(WHOLE, SCHEMA, method="optimal", metric="classification", k=5)
    release = hr.anonymize(WHOLE, SCHEMA, method="optimal", metric="classification", k=40, target_bins=2)
    assert set(release.table["town"].to_pylist()) == {"Bonn", "Lyon"}
    assert set(release.table["sex"].to_pylist()) == {"*"}


@pytest.mark.parametrize("sensitive", [(), ("wage",)])
def test_requirements_speak_of_the_numbers_themselves(sensitive: tuple[str, ...]) -> None:
    schema = Schema(quasi=["town", "sex"], target="wage", sensitive=sensitive, accept=["wage"])
    release = hr.anonymize(
        WHOLE, schema, method="kactus", k=5, require=[LDiversity(50, "wage")], target_bins=2, random_state=0
    )
    assert release.audit.verdict is not None
    assert release.audit.verdict.holds
    assert release.audit.verdict.findings[-1].reached == 60


def test_an_estimator_in_a_pipeline_has_the_parameter() -> None:
    X, y = WHOLE.drop_columns(["wage"]), np.arange(ROWS) / 7
    published, labels = hr.TDS(k=5, target_bins=3).fit_resample(X, y)
    assert sorted(labels) == sorted(y)
    assert published.num_rows == ROWS
    counts = counted(WHOLE)
    assert hr.TDS(target_bins=3).fit_counts(counts, [KAnonymity(5)]).method == "tds"
    with pytest.raises(BadInput, match="TDS learns from classes"):
        hr.TDS().fit_counts(counts, [KAnonymity(5)])


@pytest.mark.parametrize(
    ("schema", "bins", "said"),
    [
        (SCHEMA, 1, "The 'target_bins' parameter of anonymize must be None or an int >= 2. Got 1 instead."),
        (SCHEMA, True, "The 'target_bins' parameter of anonymize must be None or an int >= 2"),
        (Schema(quasi=["town", "sex"], others="drop"), 4, "target_bins needs a target, and none is named. Name"),
        (Schema(quasi=["town", "wage"], target="sex"), 4, "target_bins cuts numbers, and the target 'sex' holds none"),
    ],
)
def test_wrong_bins_are_refused(schema: Schema, bins: Any, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        hr.anonymize(WHOLE, schema, k=5, target_bins=bins)
    assert said in str(caught.value)
