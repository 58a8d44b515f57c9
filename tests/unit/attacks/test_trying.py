"""All attacks at once: those that apply, why others do not, and what is told of them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.attacks import ATTACKS, Attacks, Claims, Outcome, Skipped, registry
from hedgerow.attacks.label_disclosure import label_disclosure
from hedgerow.errors import BadInput

QUASI = ["age", "sex", "zip"]
COLUMNS = [*QUASI, "disease", "income"]


@pytest.fixture(scope="module")
def census() -> tuple[pa.Table, pa.Table]:
    people = hr.datasets.make_census(1600, random_state=5).select(COLUMNS)
    return people[:800], people[800:]


@pytest.fixture(scope="module")
def release(census: tuple[pa.Table, pa.Table]) -> hr.Release:
    schema = hr.Schema(quasi=QUASI, target="income", sensitive=["disease"])
    return hr.anonymize(census[0], schema, k=5, require="l=2@disease", random_state=0)


@pytest.fixture(scope="module")
def found(release: hr.Release, census: tuple[pa.Table, pa.Table]) -> Attacks:
    return hr.attack(release, *census)


def test_every_attack_that_applies_is_tried(found: Attacks) -> None:
    tried = [one.attack for one in found]
    assert tried == [name for name in ATTACKS if name not in {one.attack for one in found.skipped}]
    assert {"membership", "minimality", "label"} <= set(tried)
    assert len(found) == len(tried)
    assert found.works == any(one.works for one in found)
    assert found.verdict == "works"
    assert found.remarks == ()


def test_the_same_as_each_attack_by_itself(
    found: Attacks, release: hr.Release, census: tuple[pa.Table, pa.Table]
) -> None:
    by_name = {one.attack: one for one in found}
    assert by_name["membership"] == hr.attacks.membership(release, *census)
    assert by_name["minimality"] == hr.attacks.minimality(release, *census)
    labels = label_disclosure(release, *census)
    told = by_name["label"]
    assert told.excess == labels.excess
    assert told.members.claimed == told.members.people == 800
    assert told.members.recall.value in {labels.alone.members.accuracy.value, labels.stacked.members.accuracy.value}


def test_a_new_attack_is_a_function_and_an_entry(
    release: hr.Release, census: tuple[pa.Table, pa.Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The toy attack claims nothing of anybody. Nothing else knows it."""

    def silent(_release: hr.Release, members: Any, _non_members: None, *, random_state: int | None) -> Outcome:
        inside, outside = (Claims(len(rows.frame), 0, 0) for rows in (members.members, members.others))
        return Outcome.of("?", f"nothing, by the seed {random_state}", inside, outside)

    entry = registry.Attack("silent", silent, "Somebody claims nothing.", needs=("target",), takes=("random_state",))
    monkeypatch.setattr(registry, "ATTACKS", {**ATTACKS, "silent": entry})
    (outcome,) = hr.attack(release, *census, attacks="silent", random_state=3)
    assert (outcome.attack, outcome.claim) == ("silent", "nothing, by the seed 3")
    assert (outcome.members.people, outcome.members.claimed, outcome.works) == (800, 0, False)
    unlabelled = hr.anonymize(census[0], hr.Schema(quasi=QUASI, others="drop"), k=5, random_state=0)
    with pytest.raises(BadInput, match=r"The attack 'silent' does not apply\. The release has no target"):
        hr.attack(unlabelled, *census, attacks="silent")


def test_why_attacks_are_not_tried(census: tuple[pa.Table, pa.Table]) -> None:
    schema = hr.Schema(quasi=QUASI, others="drop")
    found = hr.attack(hr.anonymize(census[0], schema, k=5), *census)
    reasons = {one.attack: one.reason for one in found.skipped}
    assert reasons["label"] == "The release has no target."
    assert reasons["minimality"] == "Nothing is required of a sensitive column."


def test_what_is_wrong_for_one_attack_is_its_reason(release: hr.Release, census: tuple[pa.Table, pa.Table]) -> None:
    """Minimality needs all people of the table, labels need labels."""
    found = hr.attack(release, census[0][:500].drop_columns(["income"]), census[1])
    reasons = {one.attack: one.reason for one in found.skipped}
    assert "500 members are given" in reasons["minimality"]
    assert "The members lack columns of the release: 'income'" in reasons["label"]
    with pytest.raises(BadInput, match="500 members are given"):
        hr.attack(release, census[0][:500], census[1], "minimality")


def test_named_attacks_are_tried_in_their_order(release: hr.Release, census: tuple[pa.Table, pa.Table]) -> None:
    found = hr.attack(release, *census, ["minimality", "membership", "minimality"])
    assert [one.attack for one in found] == ["minimality", "membership"]
    assert found.skipped == ()


def test_other_people_than_those_of_the_table_are_refused(
    release: hr.Release, census: tuple[pa.Table, pa.Table]
) -> None:
    with pytest.raises(BadInput, match="The members do not look like the rows that this release was made of"):
        hr.attack(release, census[1], census[0], "membership")


def test_the_frame_is_exact_and_what_is_told_is_rounded() -> None:
    exact = Outcome.of("downcoding", "the age", Claims(800, 101, 77), Claims(700, 90, 36), "a remark")
    found = Attacks((exact,), (Skipped("label", "The release has no target."),))
    (row,) = found.frame.to_pylist()
    assert (row["attack"], row["members_right"], row["control_claimed"]) == ("downcoding", 77, 90)
    assert row["excess"] == exact.excess.value
    told = found.to_dict()
    assert told["works"]
    assert told["skipped"] == [{"attack": "label", "reason": "The release has no target."}]
    (row,) = told["attacks"]
    assert (row["members_share_claimed"], row["members_precision"], row["members_recall"]) == (0.1, 0.8, 0.1)
    assert (row["members_people"], row["excess"]) == (800, 0.0)
    assert not {"members_claimed", "members_right", "control_right"} & set(row)


def test_it_is_shown_without_a_cell(found: Attacks, census: tuple[pa.Table, pa.Table]) -> None:
    shown = repr(found)
    assert shown.startswith(f"Attacks({len(found)} tried, ")
    assert "membership: is in the table" in shown
    for name in ("disease", "zip"):
        assert not any(value in shown for value in set(census[0][name].cast(pa.string()).to_pylist()))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"attacks": "membershop"}, "There is no attack 'membershop'. Did you mean 'membership'?"),
        ({"attacks": []}, "The 'attacks' parameter of attack must be None or names of attacks"),
        ({"sure": 0}, "The 'sure' parameter of attack"),
        ({"random_state": -1}, "The 'random_state' parameter of attack"),
        ({"previous": 3}, "The 'release' parameter of attack must be a Release"),
        ({"kinds": "number"}, "The 'kinds' parameter of attack must be a mapping"),
        ({"missing": "?"}, "The 'missing' parameter of attack must be a list of texts"),
    ],
)
def test_bad_parameters(
    release: hr.Release, census: tuple[pa.Table, pa.Table], given: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        hr.attack(release, *census, **given)


def test_an_attack_that_is_named_must_apply(census: tuple[pa.Table, pa.Table]) -> None:
    plain = hr.anonymize(census[0], hr.Schema(quasi=QUASI, others="drop"), k=5)
    with pytest.raises(BadInput, match=r"The attack 'label' does not apply\. The release has no target"):
        hr.attack(plain, *census, "label")
