"""The rows of two tables: which are one record, in which class of the earlier release, and in which stratum."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.risk._traced import TracedRelease
from hedgerow.risk.earlier import Beside, beside, strata_of
from hedgerow.verifier import count_classes


def table(*rows: tuple[Any, ...], names: str = "who age ill") -> pa.Table:
    columns = zip(*rows, strict=True)
    return pa.table(dict(zip(names.split(), map(list, columns), strict=True)))


def earlier(published: pa.Table, original: pa.Table, **others: Any) -> TracedRelease:
    clear = tuple(name for name in published.column_names if name != "age")
    given: dict[str, Any] = {"coded": {}, "hierarchies": {}, "listed": {}, "missing": ("",), **others}
    return TracedRelease(count_classes(published, ["age"], sensitive=clear), original, clear, **given)


def released(*rows: tuple[str, str]) -> pa.Table:
    return table(*rows, names="age ill")


def classes(release: TracedRelease) -> list[str | None]:
    """What the class of each original row shows."""
    labels, counts = release.counts.labels[0], release.counts
    of_cell = np.append(counts.class_of_cell, -1)
    numbers = [int(of_cell[cell]) for cell in release.cells]
    return [None if number < 0 else labels[counts.codes[number, 0]] for number in numbers]


def test_each_row_is_in_the_class_that_covers_it() -> None:
    original = table(("a", 20, "x"), ("b", 31, "x"), ("c", 22, "y"))
    published = released(("[30,40)", "x"), ("[20,30)", "y"), ("[20,30)", "x"))
    assert classes(earlier(published, original)) == ["[20,30)", "[30,40)", "[20,30)"]


def test_where_classes_overlap_every_published_row_has_a_row() -> None:
    """22 fits both classes; but the row of 20 needs a place in the first, so 22 must be in the second."""
    original = table(("a", 22, "x"), ("b", 20, "x"), ("c", 25, "x"))
    published = released(("[20,23)", "x"), ("[22,26)", "x"), ("[22,26)", "x"))
    assert classes(earlier(published, original)) == ["[22,26)", "[20,23)", "[22,26)"]


def test_values_in_clear_decide_between_classes() -> None:
    original = table(("a", 22, "x"), ("b", 22, "y"))
    published = released(("[20,23)", "y"), ("[22,26)", "x"))
    assert classes(earlier(published, original)) == ["[22,26)", "[20,23)"]


def test_rows_that_were_left_out_are_in_no_class() -> None:
    original = table(("a", 20, "x"), ("b", 90, "x"), ("c", 22, "y"))
    published = released(("[20,30)", "y"), ("[20,30)", "x"))
    assert classes(earlier(published, original)) == ["[20,30)", None, "[20,30)"]


def test_a_recoding_that_knows_the_class_is_believed() -> None:
    original = table(("a", 22, "x"), ("b", 22, "x"))
    published = released(("[20,23)", "x"), ("[22,26)", "x"))
    counts = earlier(published, original).counts
    second = counts.labels[0].tolist().index("[22,26)")
    number = int(np.flatnonzero(counts.codes[:, 0] == second)[0])
    for known, expected in ((0, ["[22,26)", "[20,23)"]), (1, ["[20,23)", "[22,26)"])):
        at = np.full(2, -1)
        at[known] = number
        assert classes(earlier(published, original, known=at)) == expected


def test_values_that_were_coded_are_found_by_what_they_became() -> None:
    original = table(("a", 20, "x"), ("b", 31, "rare"), ("c", 22, "y"))
    published = released(("[30,40)", "others"), ("[20,30)", "y"), ("[20,30)", "x"))
    assert classes(earlier(published, original, coded={"ill": {"rare": "others"}})) == ["[20,30)", "[30,40)", "[20,30)"]
    with pytest.raises(hr.BadInput, match="was not made from the table"):
        classes(earlier(published, original))


def test_it_is_certain_who_was_left_out_only_if_the_recoding_says_so() -> None:
    """Two people fit the only class, and one of them was left out."""
    original = table(("a", 20, "x"), ("b", 22, "x"))
    published = released(("[20,30)", "x"))
    assert not earlier(published, original).certain
    assert not earlier(published, original, known=np.array([0, 0])).certain
    assert earlier(published, original, known=np.array([0, -2])).certain


@pytest.mark.parametrize(
    "published", [released(("[20,30)", "x"), ("[20,30)", "x")), released(("[50,60)", "x")), released(("20", "z"))]
)
def test_another_table_is_refused(published: pa.Table) -> None:
    with pytest.raises(hr.BadInput, match="was not made from the table"):
        classes(earlier(published, table(("a", 20, "x"))))


def test_labels_that_nothing_explains_are_refused() -> None:
    original = table(("a", "Ulm", "x"), ("b", "Bern", "x"))
    published = released(("south", "x"), ("south", "x"))
    with pytest.raises(hr.BadInput, match="Labels of 'age' are not explained"):
        classes(earlier(published, original))
    explained = earlier(published, original, listed={"age": {"south": ("Ulm", "Bern")}})
    assert classes(explained) == ["south", "south"]


@pytest.mark.parametrize("seed", range(30))
def test_against_all_ways_to_deal_the_rows(seed: int) -> None:
    """Random cells that overlap: rows are dealt whenever some order of them fits."""
    random = np.random.default_rng(seed)
    ages = random.integers(20, 24, 5).tolist()
    ills = random.choice(["x", "y"], 5).tolist()
    cells = [f"[{low},{low + random.integers(1, 4)})" for low in random.integers(20, 24, 4)]
    rows = list(zip(cells, random.choice(["x", "y"], 4).tolist(), strict=True))

    def fits(row: int, place: int) -> bool:
        low, high = cells[place][1:-1].split(",")
        return bool(float(low) <= ages[row] < float(high) and ills[row] == rows[place][1])

    possible = any(all(fits(row, place) for place, row in enumerate(order)) for order in permutations(range(5), 4))
    release = earlier(released(*rows), table(*((str(at), ages[at], ills[at]) for at in range(5))))
    if not possible:
        with pytest.raises(hr.BadInput):
            classes(release)
        return
    found = classes(release)
    assert sorted(filter(None, found)) == sorted(cells)
    for row, cell in enumerate(found):
        if cell is not None:
            low, high = cell[1:-1].split(",")
            assert float(low) <= ages[row] < float(high)


# --------------------------------------------------------------------------------------------------
# Which rows are one record.

OLD = (("a", 20, "x"), ("b", 21, "y"), ("c", 31, "x"), ("d", 32, "y"))
PUBLISHED = released(("[20,30)", "x"), ("[20,30)", "y"), ("[30,40)", "x"), ("[30,40)", "y"))


def found(*new: tuple[Any, ...], entity: str | None = None, old: Any = OLD, published: pa.Table = PUBLISHED) -> Beside:
    return beside(
        earlier(published, table(*old)), table(*new), quasi=["age"], clear=["ill"], missing=[""], entity=entity
    )


def test_rows_that_agree_are_one_record() -> None:
    assert found(OLD[2], ("e", 20, "y"), OLD[0], OLD[0]).partner.tolist() == [2, -1, 0, -1]


def test_without_an_entity_a_row_that_changed_is_another() -> None:
    assert found(("a", 21, "x"), ("b", 21, "x")).partner.tolist() == [-1, -1]


def test_a_person_with_one_row_in_each_table_is_one_record_whatever_has_changed() -> None:
    assert found(("b", 39, "z"), ("a", 20, "x"), ("e", 20, "x"), entity="who").partner.tolist() == [1, 0, -1]


def test_of_people_with_several_rows_those_with_the_same_quasi_identifiers_are_one_record() -> None:
    """The second row of a is at another age, so it is another visit."""
    new = (("a", 20, "z"), ("a", 25, "x"), ("b", 39, "y"))
    assert found(*new, entity="who").partner.tolist() == [0, -1, -1]


def test_rows_that_name_nobody_are_one_record_only_if_they_agree() -> None:
    old = (*OLD[:3], (None, 32, "y"))
    new = ((None, 32, "z"), (None, 32, "y"), ("a", 25, "x"))
    assert found(new[0], new[2], old=old, entity="who").partner.tolist() == [-1, 0]
    assert found(*new, old=old, entity="who").partner.tolist() == [-1, 3, 0]


def test_equal_numbers_are_equal_however_they_are_written() -> None:
    new = table(("a", "20", "x"), ("b", "21.0", "y"))
    both = beside(
        earlier(PUBLISHED, table(*OLD)), new, quasi=["age"], clear=["ill"], missing=[""], entity=None
    ).partner.tolist()
    assert both == [0, 1]


def test_a_record_that_the_earlier_release_left_out_is_new() -> None:
    published = PUBLISHED.slice(1)
    assert found(*OLD, published=published).partner.tolist() == [-1, 1, 2, 3]


# --------------------------------------------------------------------------------------------------
# Strata.

TWICE = [hr.KAnonymity(2)]


def test_strata_are_classes_and_those_who_are_new() -> None:
    strata = strata_of(found(*OLD, ("e", 22, "y"), ("f", 22, "x")), TWICE, coded=False)
    numbers = strata.of_row.tolist()
    assert numbers[4:] == [0, 0]
    assert numbers[0] == numbers[1] != numbers[2] == numbers[3]
    assert not strata.out.any()
    assert not strata.lonely.any()


def test_who_left_alone_has_a_stand_in_with_the_same_value() -> None:
    here = found(OLD[0], *OLD[2:], ("e", 39, "y"), ("f", 23, "y"), ("g", 21, "x"))
    strata = strata_of(here, TWICE, coded=False)
    # The nearest of those who joined with y takes the place of b.
    assert strata.partner.tolist() == [0, 2, 3, -1, 1, -1]
    assert strata.of_row[4] == strata.of_row[0]
    assert strata.undivided[strata.of_row[0]]
    assert not strata.lonely.any()


def test_without_a_stand_in_for_all_who_left_there_is_none() -> None:
    old = (*OLD, ("e", 22, "x"), ("f", 22, "y"), ("g", 22, "w"))
    published = pa.concat_tables([PUBLISHED, released(*(("[20,30)", ill) for ill in "xyw"))])
    here = found(*old[2:5], old[5], ("n", 23, "y"), old=old, published=published)
    strata = strata_of(here, [hr.KAnonymity(4)], coded=False)
    assert strata.partner.tolist()[-1] == -1
    assert strata.lonely[here.class_of_row[0] + 1]


def test_a_class_that_everybody_left_is_no_stratum() -> None:
    strata = strata_of(found(*OLD[2:]), TWICE, coded=False)
    assert not strata.lonely.any()
    assert not strata.out.any()


def test_two_who_left_with_one_value_are_not_diverse() -> None:
    old = (("a", 20, "x"), ("b", 21, "x"), ("c", 22, "y"), ("d", 23, "y"))
    published = released(*(("[20,30)", ill) for ill in "xxyy"))
    here = found(*old[2:], old=old, published=published)
    assert strata_of(here, TWICE, coded=False).lonely.tolist() == [False, False]
    assert strata_of(here, [*TWICE, hr.LDiversity(2, "ill")], coded=False).lonely.tolist() == [False, True]


def test_a_class_in_which_values_changed_is_not_divided() -> None:
    same = strata_of(found(*OLD, entity="who"), TWICE, coded=False)
    assert not same.undivided.any()
    changed = strata_of(found(("a", 20, "z"), *OLD[1:], entity="who"), TWICE, coded=False)
    assert changed.undivided.sum() == 1
    assert strata_of(found(*OLD), TWICE, coded=True).undivided.sum() == 2
