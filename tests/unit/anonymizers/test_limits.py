"""Methods within limits on levels: which records a part has, what is lost, and what unseen rows become."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.anonymizers.limits import fit_within_levels
from hedgerow.core.counts import FrequencyTable
from hedgerow.core.recoding import Pieces, Recoding, publish_groups
from hedgerow.errors import BadInput, Infeasible
from hedgerow.release.pipeline import prepare
from hedgerow.requirements import Requirement

# Two regions with two districts each, and one person far away.
ZIPS = ["130"] * 4 + ["131"] * 4 + ["145"] * 4 + ["146"] * 4 + ["900"]
PEOPLE = pa.table(
    {
        "zip": ZIPS,
        "age": [20 + n % 4 for n in range(17)],
        "ill": ["flu", "cold"] * 8 + ["flu"],
    }
)


def schema(zips: Any, **more: Any) -> hr.Schema:
    return hr.Schema(
        quasi=["zip", "age"], target="ill", hierarchies={"zip": "masking:1,2", **more}, levels={"zip": zips}
    )


def zips_of(release: hr.Release) -> Counter[str]:
    return Counter(release.table["zip"].to_pylist())


@pytest.mark.parametrize("method", ["mondrian", "kactus", "optimal", "tds", "k-member", "mu-argus"])
def test_nothing_finer_and_nothing_coarser(method: str) -> None:
    release = hr.anonymize(PEOPLE, schema((1, 1)), method=method, k=4, suppression_limit=1, random_state=0)
    assert zips_of(release) == {"13*": 8, "14*": 8}
    assert release.recoding.lost == 1
    assert release.manifest["allowed_levels"] == {"zip": {"finest": 1, "coarsest": 1, "labels": ["13*", "14*"]}}


@pytest.mark.parametrize("method", ["mondrian", "optimal", "kactus"])
def test_what_forces_a_refusal_is_named_with_the_way_out(method: str) -> None:
    with pytest.raises(Infeasible) as refused:
        hr.anonymize(PEOPLE, schema((1, 2)), method=method, k=4)
    text = str(refused.value)
    assert "4-anonymity cannot be met with 'zip' at most at level 2" in text
    assert "2 parts of the records apart, and 1 of them with 1 record are too small" in text
    assert "levels={'zip': (1, 3)}, --level zip=1:3" in text
    assert "--suppression-limit" in text
    assert not {"130", "900", "9**", "90*"} & set(text.replace(",", " ").split())


def test_the_coarsest_level_may_be_open() -> None:
    release = hr.anonymize(PEOPLE, schema((1, None)), method="mondrian", k=4, random_state=0)
    assert set(zips_of(release)) <= {"13*", "14*", "1**", "9**", "90*", "*"}
    assert release.recoding.lost == 0


def test_the_limit_of_losses_is_shared_among_the_parts() -> None:
    """Whatever the parts lose, together they lose no more than is allowed."""
    draw = np.random.default_rng(3)
    people = pa.table(
        {
            "zip": draw.choice(["130", "131", "145", "146", "900"], 200, p=[0.3, 0.3, 0.2, 0.19, 0.01]),
            "age": draw.integers(18, 80, 200),
            "ill": draw.choice(["flu", "cold"], 200),
        }
    )
    for limit in (5, 12, 30):
        release = hr.anonymize(people, schema((1, 1)), k=4, suppression_limit=limit, random_state=0)
        assert release.recoding.lost <= limit


def test_t_closeness_compares_with_the_whole_release() -> None:
    """In the first region everybody has a cold, in the second the flu: each is far from the table, not from itself."""
    people = pa.table({"zip": ["130"] * 4 + ["140"] * 4, "age": [20] * 8, "ill": ["cold"] * 4 + ["flu"] * 4})
    within = hr.Schema(
        quasi=["zip", "age"], sensitive=["ill"], hierarchies={"zip": "masking:1,2"}, levels={"zip": (0, 1)}
    )
    closeness = [hr.TCloseness(0.3, "ill")]
    with pytest.raises(Infeasible, match="that keeps 2 parts of the records apart, and not all of them can meet it"):
        hr.anonymize(people, within, method="mondrian", k=2, require=closeness)
    free = hr.anonymize(people, hr.Schema(quasi=["zip", "age"], sensitive=["ill"]), k=2, require=closeness)
    assert free.audit.k == 8


def test_columns_of_numbers_show_intervals_of_their_levels() -> None:
    """Means, which kACTUS publishes of numbers, belong to no level."""
    ages = hr.Schema(quasi=["zip", "age"], target="ill", hierarchies={"age": "intervals:2,4"}, levels={"age": (1, 2)})
    release = hr.anonymize(PEOPLE, ages, method="kactus", k=4, random_state=0)
    assert set(release.table["age"].to_pylist()) <= {"[20,22)", "[22,24]", "[20,24]"}


def test_unseen_rows_are_recoded_within_their_part() -> None:
    release = hr.anonymize(PEOPLE, schema((1, 1)), method="mondrian", k=4, suppression_limit=1, random_state=0)
    unseen = pa.table({"zip": ["139", "146", "999", None], "age": [21, 23, 20, 20]})
    zips = release.recoding.transform(unseen)["zip"].to_pylist()
    # 139 is below 13*; nobody in the release is below 99*, and nobody has no ZIP code.
    assert zips == ["13*", "14*", "*", "*"]


def test_a_saved_recoding_recodes_as_before(tmp_path: Any) -> None:
    for method in ("mondrian", "tds", "optimal"):
        release = hr.anonymize(PEOPLE, schema((1, 2)), method=method, k=4, suppression_limit=1, random_state=0)
        loaded = hr.Recoding.load(release.recoding.save(tmp_path / f"{method}.json"))
        rows = PEOPLE.select(["zip", "age"]).slice(0, 16)
        assert loaded.transform(rows).to_pylist() == release.recoding.transform(rows).to_pylist()
        hr.Recoding.load(release.recoding.save(tmp_path / f"{method}.public.json", public=True))


def test_the_public_recoding_names_no_value(tmp_path: Any) -> None:
    release = hr.anonymize(PEOPLE, schema((1, 1)), method="mondrian", k=4, suppression_limit=1, random_state=0)
    written = release.recoding.save(tmp_path / "public.json", public=True).read_text()
    assert not any(code in written for code in ("130", "131", "145", "146", "900"))


@pytest.mark.parametrize("method", ["mondrian", "datafly"])
def test_losses_are_measured_by_the_original_values(method: str) -> None:
    """A district is a loss, also where it is the finest that may be published: two of four ZIP codes are below it.

    Of an age that is published as it is, one of four values is below.
    """
    release = hr.anonymize(PEOPLE.slice(0, 16), schema((1, 1)), method=method, k=1, random_state=0)
    assert release.losses["loss"] == pytest.approx((2 / 4 + 1 / 4) / 2)


def test_records_that_are_alike_are_dealt_at_random() -> None:
    """Where a method divides the records of a cell among groups, their original values do not decide."""
    people = pa.table({"zip": [f"13{n % 10}" for n in range(400)], "age": [20] * 400, "ill": ["flu"] * 400})
    counts = prepare(people, schema((1, 2)), [hr.KAnonymity(2)], random_state=0).counts

    def halves(some: FrequencyTable, required: Sequence[Requirement], allowed: int) -> Recoding:
        pieces = Pieces(np.array([0, 0], np.int32), np.array([0, 1], np.int32), np.array([200, 200]))
        columns, values = publish_groups(some, pieces, 2, ["label", "interval"])
        return Recoding("halves", some.quasi, columns, values, pieces.sizes(2), pieces)

    first = []
    for seed in range(20):
        pieces = fit_within_levels(halves, counts, [hr.KAnonymity(2)], 0, seed).pieces
        assert pieces is not None
        assert np.bincount(pieces.cell, pieces.size).tolist() == [40] * 10
        assert pieces.sizes(2).tolist() == [200, 200]
        first.append(tuple(np.unique(pieces.cell[pieces.group == 0]).tolist()))
    # In order, the first group would always have the five smallest codes.
    assert len(set(first)) > 10


def test_proportions_and_drawn_rows_speak_of_nodes() -> None:
    ages = hr.Schema(
        quasi=["zip", "age"],
        hierarchies={"zip": "masking:1,2", "age": "intervals:2,4"},
        levels={"zip": (1, None), "age": (1, None)},
    )
    method = hr.Mondrian(k=4, schema=ages, publish_proportions=True, random_state=0)
    features, _ = method.fit_resample(PEOPLE.select(["zip", "age"]), PEOPLE["ill"].to_pylist())
    named = {name for name in features.column_names if "=" in name}
    assert {name for name in named if name.startswith("age=")} <= {"age=[20,22)", "age=[22,24]", "age=*"}
    assert not any(code in name for name in named for code in ZIPS)
    drawn = method.release_.redraw().table
    assert set(drawn["age"].to_pylist()) <= {"[20,22)", "[22,24]", None}
    assert not set(drawn["zip"].to_pylist()) & set(ZIPS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"age": (1, 2)}, "has no hierarchy to count them in.*--hierarchy age="),
        ({"ill": 1}, "'ill', which is not a quasi-identifier"),
        ({"zip": (2, 9)}, "has the levels 0 to 3"),
    ],
)
def test_limits_that_cannot_be_meant(given: dict[str, Any], message: str) -> None:
    wrong = hr.Schema(quasi=["zip", "age"], target="ill", hierarchies={"zip": "masking:1,2"}, levels=given)
    with pytest.raises(BadInput, match=message):
        hr.anonymize(PEOPLE, wrong, k=2)
