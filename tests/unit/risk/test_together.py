"""Two releases together: who is singled out, what is taken for granted, and what cannot be told."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

import hedgerow as hr
from hedgerow.anonymizers.registry import methods
from hedgerow.errors import BadInput
from hedgerow.risk import Together
from hedgerow.risk.previous import BY_VALUES

Cells = Sequence[str | int | None]
ILL = list("abcdef")


def table(age: Cells, ill: Cells | None = None, **others: Cells) -> pa.Table:
    return pa.table({"age": age, **({} if ill is None else {"ill": ill}), **others})


def together(new: Any, old: Any, quasi: Sequence[str] = ("age",), **given: Any) -> Together:
    """What both give away; a table of ours has no manifest that names its quasi-identifiers."""
    if isinstance(old, pa.Table):
        given = {"previous_quasi": [name for name in quasi if name in old.column_names]} | given
    found = hr.audit(new, quasi=quasi, previous=old, **given).together
    assert found is not None
    return found


PEOPLE = table([20, 21, 22, 23, 24, 25])
OLD = table(["[20,23)"] * 3 + ["[23,26)"] * 3, ILL)
NEW = table(["{20|21|25}"] * 2 + ["{22|23|24}"] * 3 + ["{20|21|25}"], ILL)


@pytest.mark.parametrize("original", [None, PEOPLE])
def test_two_safe_releases_single_somebody_out(original: pa.Table | None) -> None:
    """Of three in each class, the person of 22 and the one of 25 share both their classes with nobody."""
    found = together(NEW, OLD, sensitive=["ill"], original=original, k=3)
    assert (found.k, found.alone, found.below, found.small) == ((1, 1), (2, 2), (6, 6), 4)
    assert (found.relation, found.exact, found.holds) == ("crossing", True, False)
    assert found.learnt["ill"].together == pytest.approx(1 / 3)
    assert found.rows_left == (None if original is None else 1)
    assert "single somebody out" in found.says


def test_each_release_alone_holds_and_both_together_do_not() -> None:
    for one in (OLD, NEW):
        assert hr.audit(one, quasi=["age"], k=3).verdict.holds  # type: ignore[union-attr] # k was required
    verdict = hr.audit(NEW, quasi=["age"], k=3, previous=OLD, previous_quasi=["age"]).verdict
    assert verdict is not None
    assert [(one.measure, one.holds, one.reached) for one in verdict.findings] == [
        ("k", True, 3),
        ("k together", False, 1),
    ]
    assert not verdict.holds


def test_without_columns_in_clear_the_bounds_are_wider() -> None:
    found = together(NEW.select(["age"]), OLD.select(["age"]), k=3)
    assert (found.k.least, found.holds, found.linking) == (1, None if found.k.most >= 3 else False, ())
    assert not hr.audit(NEW.select(["age"]), quasi=["age"], k=3, previous=OLD.select(["age"])).verdict.holds  # type: ignore[union-attr] # k was required
    changed = together(NEW, OLD, changed=["ill"], k=3)
    assert (changed.k, changed.linking) == (found.k, ())


def test_a_finer_release_loses_nothing() -> None:
    fine = table(["[20,22)"] * 2 + ["[22,26)"] * 4, ILL)
    coarse = table(["[20,26)"] * 6, ILL)
    for original in (None, PEOPLE):
        found = together(fine, coarse, original=original, k=2)
        assert (found.relation, found.k, found.holds, found.exact) == ("finer", (2, 2), True, True)
        assert found.below == (0, 0)
        assert together(coarse, fine, original=original).relation == "coarser"
        assert together(coarse, fine, original=original).k == (2, 2)


@pytest.mark.parametrize("original", [None, PEOPLE])
def test_equal_releases_tell_no_more_than_one(original: pa.Table | None) -> None:
    shuffled = OLD.take([5, 0, 3, 1, 4, 2])
    found = together(shuffled, OLD, original=original, k=3)
    assert (found.relation, found.k, found.same_people, found.holds) == ("equal", (3, 3), True, True)


def test_releases_of_other_people() -> None:
    found = together(table(["[60,70)"] * 4), OLD, k=3)
    # They may as well be the same people, with values that have changed or are written in another way.
    assert (found.relation, found.k, found.holds) == ("apart", (1, 3), None)
    assert any("do not describe the same people" in one for one in found.remarks)


def test_newcomers_are_told_by_the_difference() -> None:
    """The class of the young has one person more than before, and everybody else is where they were."""
    old = table(["[20,30)"] * 4 + ["[30,40)"] * 4)
    new = table(["[20,30)"] * 5 + ["[30,40)"] * 4)
    found = together(new, old, k=3)
    assert (found.newcomers, found.leavers, found.k, found.holds) == (1, 0, (1, 1), False)
    assert not found.same_people
    assert "1 more row:" in " ".join(found.remarks)
    assert "but not everybody is in both" in found.says
    left = together(old, new, k=3)
    assert (left.newcomers, left.leavers, left.k) == (0, 1, (1, 1))
    many = together(table(["[20,30)"] * 7 + ["[30,40)"] * 4), old, k=3)
    assert (many.newcomers, many.k, many.holds) == (0, (3, 3), True)


def test_only_shared_quasi_identifiers_count() -> None:
    old = table(["[20,23)"] * 3 + ["[23,26)"] * 3, job=list("xxyyzz"))
    new = table(["[20,26)"] * 6, sex=list("FFFMMM"))
    found = together(new, old, quasi=["age", "sex"])
    assert found.columns == ("age",)
    assert any("does not have 'sex'" in one for one in found.remarks)
    original = table([20, 21, 22, 23, 24, 25], sex=list("FFFMMM"))
    assert together(new, old, quasi=["age", "sex"], original=original).k == (3, 3)


def test_missing_values_are_a_value_of_their_own() -> None:
    old = table(["a", "a", None, None], ILL[:4])
    new = table(["{a|\\N}"] * 4, ILL[:4])
    original = table(["a", "a", None, None])
    for given in (None, original):
        found = together(new, old, original=given)
        assert (found.relation, found.k, found.exact) == ("coarser", (2, 2), True)


def test_an_empty_cell_of_a_column_of_numbers_may_be_anything() -> None:
    old = table(["[20,30)"] * 2 + [None] * 2)
    new = table(["[20,25)"] * 2 + ["[25,40)"] * 2)
    assert together(new, old).relation == "crossing"
    # In the original nobody's age is missing, so that empty cells are suppressed ones.
    found = together(new, old, original=table([20, 24, 26, 35]))
    assert (found.exact, found.k.least) == (False, 1)


def test_labels_need_their_hierarchy() -> None:
    tree = {"*": {"Germany": ["Bonn", "Trier"], "France": ["Lyon", "Nice"]}}
    old = table(["Germany"] * 2 + ["France"] * 2)
    new = table(["Bonn", "Trier", "{Lyon|Nice}", "{Lyon|Nice}"])
    blind = together(new, old)
    assert any("no hierarchy explains" in one for one in blind.remarks)
    assert blind.relation == "crossing"
    told = together(new, old, hierarchies={"age": tree})
    assert (told.relation, told.k) == ("finer", (1, 1))
    original = table(["Bonn", "Trier", "Lyon", "Nice"])
    assert together(new, old, hierarchies={"age": tree}, original=original).exact
    unread = together(new, old, original=original)
    assert any("no hierarchy explains" in one for one in unread.remarks)


def test_masks_stand_for_what_begins_like_them() -> None:
    old = table(["53***", "53***", "54***", "54***"])
    new = table(["5****"] * 4)
    original = table(["53111", "53112", "54001", "54002"])
    assert together(new, old).relation == together(new, old, original=original).relation == "coarser"
    assert together(new, old, original=original).k == (2, 2)


def test_intervals_of_dates() -> None:
    old = table(["[2020-01-01,2020-07-01)"] * 2 + ["[2020-07-01,2021-01-01)"] * 2)
    new = table(["2020-02-03", "2020-03-04", "[2020-08-01,2020-09-01)", "[2020-08-01,2020-09-01)"])
    assert together(new, old).relation == "finer"
    original = table(["2020-02-03", "2020-03-04", "2020-08-05", "2020-08-06"])
    assert together(new, old, original=original).k == (1, 1)


def test_numbers_that_floats_do_not_tell_apart() -> None:
    first, second = str(2**60), str(2**60 + 1)
    old = table([first, first, second, second])
    found = together(table([f"{{{first}|{second}}}"] * 4), old)
    assert (found.relation, found.k) == ("coarser", (2, 2))
    assert together(old, old).relation == "equal"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_csv_against_a_parquet_file(kind: str, tmp_path: Path) -> None:
    pay = pa.array([1.5, 2.0, 3.25, 1.5, 2.0, 3.25])
    day = pa.array(np.arange(6).astype("datetime64[D]"))
    sides = [one.append_column("pay", pay).append_column("day", day) for one in (OLD, NEW)]
    pa_csv.write_csv(sides[0], tmp_path / "old.csv")
    pq.write_table(sides[1], tmp_path / "new.parquet")
    pa_csv.write_csv(sides[1], tmp_path / "new.csv")
    found = together(tmp_path / f"new.{kind}", str(tmp_path / "old.csv"), k=3)
    assert (found.linking, found.k) == (("ill", "pay", "day"), (1, 1))


def test_people_are_counted_and_not_rows() -> None:
    """Two of the four rows of a group are of one person."""
    old = new = table(["[20,30)"] * 4)
    original = table([20, 20, 21, 22], person=["a", "a", "b", "c"])
    with_people = new.append_column("person", original["person"])
    found = together(with_people, old, entity="person", original=original, k=4)
    assert (found.counted, found.k, found.below, found.holds) == ("people", (3, 3), (3, 3), False)
    blind = together(with_people, old, entity="person", k=2)
    assert (blind.counted, blind.k.least, blind.holds) == ("rows", 1, None)


def test_classes_that_overlap_give_bounds() -> None:
    """Somebody of 22 may be in both classes of the new release."""
    new = table(["[20,23)"] * 3 + ["[22,26)"] * 3)
    found = together(new, OLD, original=table([20, 21, 22, 22, 24, 25]), k=2)
    assert not found.exact
    assert found.k.least < found.k.most
    assert any("figures are bounds" in one for one in found.remarks)


def test_an_original_of_other_people() -> None:
    found = together(NEW, OLD, original=table([20, 21, 22, 23, 24]))
    assert any("more rows than rows of the original" in one for one in found.remarks)
    # Who is missing may be in any group.
    assert (found.exact, found.k, found.alone.least, found.below.least, found.small) == (False, (1, 3), 0, 0, 0)
    with pytest.raises(BadInput, match="No row of the original table fits"):
        together(NEW, OLD, original=table([70, 80]))


def test_who_is_in_one_release_only() -> None:
    old = table(["[20,23)"] * 3)
    found = together(NEW, old, original=PEOPLE)
    assert any("3 rows of the original table fit the new release only" in one for one in found.remarks)
    # Those of 20 and 21 are in both, 22 in another class of the new one; the others came since.
    assert (found.k, found.alone, found.same_people) == ((1, 1), (2, 2), False)


def test_pseudonyms_and_generalized_columns_do_not_link_rows(tmp_path: Path) -> None:
    old = OLD.append_column("id", pa.array([f"o{at}" for at in range(6)])).append_column(
        "town", pa.array(["{a|b}"] * 6)
    )
    new = NEW.append_column("id", pa.array([f"n{at}" for at in range(6)])).append_column(
        "town", pa.array(list("aaabbb"))
    )
    found = together(new, old)
    assert found.linking == ("ill",)
    said = " ".join(found.remarks)
    assert "not compared by 'town'" in said
    assert "not compared by 'id'" in said


def test_a_saved_release_says_which_columns_are_quasi_identifiers(tmp_path: Path) -> None:
    people = pa.table({"age": [20, 21, 22, 23] * 5, "town": list("abcd") * 5, "ill": list("xy") * 10})
    schema = hr.Schema(quasi=["age", "town"], sensitive=["ill"])
    old = hr.anonymize(people, schema, k=5, random_state=0)
    place = tmp_path / "old.csv"
    old.save(place)
    for one in (place, old):
        found = together(people, one, original=people)
        assert found.linking == ("ill",)
        # The town is no quasi-identifier of the new table, but whoever has the old one may know it.
        assert found.columns == ("age", "town")
    place.write_text(place.read_text() + "*,*,x\n")
    assert any(
        text.startswith("About the previous release: The table 'old.csv' is not")
        for text in together(people, place).remarks
    )


def test_it_is_plain_json() -> None:
    plain = hr.audit(NEW, quasi=["age"], sensitive=["ill"], previous=OLD, previous_quasi=["age"], k=3).to_dict()
    told = json.loads(json.dumps(plain))["together"]
    assert told["k"] == {"least": 1, "most": 1}
    assert (told["holds"], told["relation"], told["linking"]) == (False, "crossing", ["ill"])
    assert hr.audit(NEW, quasi=["age"]).to_dict()["together"] is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"original": PEOPLE}, "previous="),
        ({"changed": ["ill"]}, "previous="),
        ({"previous": OLD, "changed": "ill"}, "'changed' parameter"),
        ({"previous": OLD, "changed": ["pay"]}, "'pay'"),
        ({"previous": table(["a"]).rename_columns(["town"])}, "none of the quasi-identifiers 'age'"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        hr.audit(NEW, quasi=["age"], **given)


@pytest.mark.parametrize("method", ["mondrian", "kactus", "optimal", "k-member"])
def test_members_fit_both_releases_of_every_family(method: str) -> None:
    people = hr.datasets.make_census(300, random_state=4).select(["age", "sex", "zip", "income"])
    schema = hr.Schema(quasi=["age", "sex", "zip"], target="income")
    old, new = (hr.anonymize(people, schema, method=method, k=k, random_state=k) for k in (5, 8))
    exact, bound = (hr.audit(new, previous=old, original=one, k=5).together for one in (people, None))
    assert exact is not None
    assert bound is not None
    assert not any("more rows than rows" in text for text in exact.remarks)
    if exact.exact:
        assert bound.k.least <= exact.k.least <= bound.k.most


def test_means_of_groups_are_no_values() -> None:
    """Read as values, nobody could be in both releases; so they are read as means, which may be anybody's."""
    found = together(table(["22.5"] * 3 + ["41"] * 3, ILL), table(["21"] * 3 + ["40.5"] * 3, ILL), k=3)
    assert (found.same_people, found.k.least) == (True, 3)
    assert found.relation == "equal"
    assert any("may be means" in one for one in found.remarks)


def test_who_of_those_that_fit_was_left_out_is_not_known() -> None:
    """Three people fit the first class of the old release, which has two rows."""
    old = table(["[20,30)"] * 2 + ["[30,40)"] * 2)
    new = table(["[20,40)"] * 5)
    found = together(new, old, original=table([20, 21, 22, 30, 31]), k=2)
    assert (found.exact, found.k.least) == (False, 1)
    assert any("figures are bounds" in one for one in found.remarks)
    everybody = together(new, table(["[20,30)"] * 3 + ["[30,40)"] * 2), original=table([20, 21, 22, 30, 31]), k=2)
    assert (everybody.exact, everybody.k) == (True, (2, 2))


def crossed(folder: Path) -> tuple[hr.Release, hr.Release, pa.Table]:
    """Releases that each have a quasi-identifier which the other one lacks; one person alone is Z1 and M."""
    towns = [("Z1", "F", 19), ("Z1", "M", 1), ("Z2", "F", 1), ("Z2", "M", 19)]
    rows = [(30 + at % 10, zip, sex, "yn"[at % 2]) for zip, sex, number in towns for at in range(number)]
    people = pa.table(dict(zip(("age", "zip", "sex", "ill"), map(list, zip(*rows, strict=True)), strict=True)))
    releases = []
    for name, quasi, drop in (("old", ["age", "zip"], "sex"), ("new", ["age", "sex"], "zip")):
        schema = hr.Schema(quasi=quasi, sensitive=["ill"], hierarchies={"age": "flat"})
        releases.append(hr.anonymize(people.drop_columns([drop]), schema, k=10, method="optimal"))
        releases[-1].save(folder / f"{name}.csv")
    return releases[0], releases[1], people


@pytest.mark.parametrize("saved", [False, True])
def test_quasi_identifiers_that_only_the_previous_release_has(saved: bool, tmp_path: Path) -> None:
    """The one person in Z1 who is M is alone, though each release has twenty people in each class."""
    old, new, people = crossed(tmp_path)
    after, before = (tmp_path / "new.csv", tmp_path / "old.csv") if saved else (new, old)
    blind, exact = (together(after, before, ["age", "sex"], original=one, k=10) for one in (None, people))
    assert (exact.k, exact.exact, exact.holds, exact.alone) == ((1, 1), True, False, (2, 2))
    assert (blind.k.least, blind.holds, blind.columns) == (1, None, ("age",))
    assert (blind.columns_before, blind.columns_after) == (("age", "zip"), ("age", "sex"))
    assert "only in the previous release 'zip'" in blind.compared


def spoil_manifest(place: Path) -> None:
    said = json.loads(place.with_name(f"{place.name}.manifest.json").read_text())
    said["columns"]["quasi"] = "age"
    place.with_name(f"{place.name}.manifest.json").write_text(json.dumps(said))


@pytest.mark.parametrize("why", ["no manifest", "another table", "spoilt", "drawn rows"])
def test_nothing_is_proved_where_old_quasi_identifiers_are_not_known(why: str, tmp_path: Path) -> None:
    _, new, people = crossed(tmp_path)
    place = tmp_path / "old.csv"
    if why == "no manifest":
        (tmp_path / "old.csv.manifest.json").unlink()
    elif why == "another table":
        place.write_text(place.read_text() + "*,Z1,y\n")
    elif why == "spoilt":
        spoil_manifest(place)
    else:
        manifest = tmp_path / "old.csv.manifest.json"
        manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "drawn_from": {}}))
    for original in (None, people):
        found = together(new, place, ["age", "sex"], original=original, k=10)
        assert (found.relation, found.k.least, found.exact) == ("unknown", 1, False)
        assert not found.holds
        assert found.below.most >= 40
        assert found.rows_left is None
        assert "are not known: nothing is proved" in found.says
        assert any("--previous-quasi" in text for text in found.remarks)
        named = together(new, place, ["age", "sex"], original=original, k=10, previous_quasi=["age", "zip"])
        assert named.relation != "unknown"
    assert named.k == (1, 1) if why != "another table" else named.k.least == 1


def test_a_release_with_its_own_quasi_identifier_in_clear_in_the_other_one() -> None:
    """Whoever knows a person's town finds it in the old release too, where it is no quasi-identifier."""
    old = table(["[20,30)"] * 4, town=list("aaab"))
    new = table(["[20,30)"] * 4, town=["{a|b}"] * 4)
    for original in (None, table([20, 21, 22, 23], town=list("aaab"))):
        found = together(new, old, ["age", "town"], previous_quasi=["age"], original=original, k=2)
        assert (found.columns, found.k) == (("age", "town"), (1, 1))
        found = together(old, new, ["age"], previous_quasi=["age", "town"], original=original, k=2)
        assert (found.columns, found.k) == (("age", "town"), (1, 1))


def test_who_was_left_out_is_not_taken_for_granted(tmp_path: Path) -> None:
    """Both releases have as many rows, and each left out somebody else."""
    schema = hr.Schema(quasi=["age"], hierarchies={"age": "flat"})
    sides = []
    for ages in ([20] * 5 + [30] * 5 + [40], [20] * 5 + [30] * 5 + [50]):
        sides.append(hr.anonymize(table(ages), schema, k=5, method="datafly", suppression_limit=0.1))
        assert sides[-1].facts["rows_lost"] == 1
    found = together(sides[1], sides[0], k=5)
    assert (found.k.least, found.holds, found.exact) == (1, None, False)
    assert any("left out" in text for text in found.remarks)


def test_columns_in_clear_that_changed_prove_nothing() -> None:
    """By them nobody is in both releases; then rows are not compared by them."""
    same = table(["[20,30)"] * 3 + ["[30,40)"] * 3, ["1.5", "2", "2", "3", "3", "4"])
    other = table(["[20,30)"] * 3 + ["[30,40)"] * 3, ["1,5", "2", "2,0", "3", "3,0", "4"])
    found = together(other, same, k=3)
    assert found.linking == ()
    assert (found.k, found.holds, found.same_people) == ((1, 3), None, False)
    assert any("--changed" in text for text in found.remarks)
    assert together(other, same, k=3, changed=["ill"]).k == (3, 3)


def test_somebody_who_took_the_place_of_another_is_isolated_by_the_difference() -> None:
    """Equally many rows, and yet one person left and another joined, whose illness nobody else has."""
    old = table(["[20,30)"] * 4, ["flu", "flu", "cold", "cold"])
    new = table(["[20,30)"] * 4, ["flu", "flu", "cold", "gout"])
    found = together(new, old, k=3)
    assert (found.k.least, found.holds, found.same_people) == (1, None, False)
    assert "reveal no more" not in found.says
    assert any("difference isolates both" in text for text in found.remarks)


def test_a_quasi_identifier_may_have_changed() -> None:
    """Everybody is older than before, so that nothing follows from the ages of the old release."""
    old = table(["[20,23)"] * 3 + ["[23,26)"] * 3)
    new = table(["[24,28)"] * 6)
    assert together(new, old, k=3).k.least == 1
    found = together(new, old, changed=["age"], k=3)
    assert (found.k, found.relation) == ((3, 3), "coarser")
    exact = together(new, old, changed=["age"], original=table([24, 25, 26, 27, 24, 25]), k=3)
    assert (exact.k.least, exact.exact) == (1, False)


def test_an_original_that_lacks_people_proves_nothing() -> None:
    """Each class fits as many people as it has rows; but classes that overlap have more rows than they fit people."""
    lacking = list("aabbcc")
    new = table(["{a|b}"] * 4 + ["{b|c}"] * 4)
    found = together(new, table(["*"] * 6), original=table(lacking), k=2)
    assert (found.k.least, found.exact, found.holds) == (1, False, None)
    assert any("more rows than rows of the original" in text for text in found.remarks)
    # Others, who fit elsewhere, make up for the number of rows.
    more = table(["{a|b}"] * 4 + ["{b|c}"] * 4 + ["z"] * 2)
    found = together(more, table(["*"] * 10), original=table([*lacking, *"zzzz"]), k=2)
    assert (found.k.least, found.exact, found.holds) == (1, False, None)


def test_people_are_known_by_the_manifest_of_the_previous_release(tmp_path: Path) -> None:
    people = table([20] * 12, person=[at // 2 for at in range(12)])
    schema = hr.Schema(quasi=["age"], entity="person")
    old = hr.anonymize(people, schema, k=5)
    found = together(table(["20"] * 12), old, k=6)
    assert (found.k.least, found.holds) == (1, None)
    exact = together(table(["20"] * 12), old, original=people, k=7)
    assert (exact.counted, exact.k, exact.holds) == ("people", (6, 6), False)


def test_methods_that_publish_values_are_those_that_publish_no_means() -> None:
    assert {one["name"] for one in methods()} - BY_VALUES == {"kactus", "hybrid-kactus"}
    assert {one["name"] for one in methods()} >= BY_VALUES


_LARGE = """
import resource
import sys
resource.setrlimit(resource.RLIMIT_AS, (4_000_000 << 10,) * 2)
import numpy as np
import pyarrow as pa
import hedgerow as hr
people = hr.datasets.make_census(30_000, random_state=3).select(["age", "sex", "zip", "education", "income"])
rows = people.num_rows
quasi = people.column_names[:-1]
def labelled(order):
    group = np.empty(rows, dtype=int)
    group[order] = np.arange(rows) // 10
    areas = pa.array([f"area {one}" for one in group])
    hidden = pa.array(["*"] * rows)
    return pa.table({"age": hidden, "sex": hidden, "zip": areas, "education": hidden, "income": people["income"]})
old, new = labelled(np.arange(rows)), labelled(np.random.default_rng(0).permutation(rows))
found = hr.audit(new, quasi=quasi, sensitive=["income"], previous=old, previous_quasi=quasi, original=people, k=5)
print(found.together.k, *found.together.remarks)
"""


def test_memory_is_bounded_where_everybody_fits_every_class() -> None:
    """30,000 people and 3,000 classes of labels in each release that nobody explains: 253 billion groups."""
    done = subprocess.run([sys.executable, "-c", _LARGE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("Extent(least=1, most=10)")
    assert "not all groups were examined" in done.stdout
