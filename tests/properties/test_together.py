"""Two releases together: bounds against every original that is possible, and exact figures against plain counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

import pyarrow as pa
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.risk import Together

some = examples(150)
K = 3
Cell = tuple[str, frozenset[str]]

# Each cell with the values of two ages and a missing one that it may stand for.
AGES: list[Cell] = [
    ("20", frozenset({"20"})),
    ("{20|25}", frozenset({"20", "25"})),
    ("[20,25)", frozenset({"20", "21"})),
    ("[21,30]", frozenset({"21", "25", "30"})),
    ("*", frozenset({"20", "21", "25", "30", ""})),
    ("{25|\\N}", frozenset({"25", ""})),
]
SEXES: list[Cell] = [("F", frozenset("F")), ("M", frozenset("M")), ("{F|M}", frozenset("FM"))]
Row = tuple[Cell, Cell, str]
rows = st.tuples(st.sampled_from(AGES), st.sampled_from(SEXES), st.sampled_from("xy"))
release = st.lists(rows, min_size=1, max_size=5)


def table_of(rows: Sequence[Row]) -> pa.Table:
    return pa.table(
        {"age": [age[0] for age, _, _ in rows], "sex": [sex[0] for _, sex, _ in rows], "ill": [one[2] for one in rows]}
    )


def together(old: Sequence[Row], new: Sequence[Row], **given: Any) -> Together:
    # Both sexes are values of both releases, which no label is; so nothing has to be taken for one.
    found = hr.audit(
        table_of(new),
        quasi=["age", "sex"],
        sensitive=["ill"],
        previous=table_of(old),
        previous_quasi=["age", "sex"],
        k=K,
        **given,
    ).together
    assert found is not None
    return found


def may_be_one(old: Row, new: Row) -> bool:
    return bool(old[0][1] & new[0][1]) and bool(old[1][1] & new[1][1]) and old[2] == new[2]


def matchings(old: Sequence[Row], new: Sequence[Row]) -> Iterator[list[tuple[int, int]]]:
    """Every way in which all of the smaller release are in the larger one."""
    few, many = (old, new) if len(old) <= len(new) else (new, old)
    for chosen in permutations(range(len(many)), len(few)):
        pairs = [(at, other) if few is old else (other, at) for at, other in enumerate(chosen)]
        if all(may_be_one(old[at], new[other]) for at, other in pairs):
            yield pairs


def groups(old: Sequence[Row], new: Sequence[Row], pairs: list[tuple[int, int]]) -> Counter[Any]:
    """The people who share both their classes; who is in one release alone has no class of the other."""
    found: Counter[Any] = Counter((old[at][:2], new[other][:2]) for at, other in pairs)
    found.update((old[at][:2], None) for at in set(range(len(old))) - {at for at, _ in pairs})
    found.update((None, new[other][:2]) for other in set(range(len(new))) - {other for _, other in pairs})
    return found


@some
@given(release, release)
def test_the_bounds_hold_for_every_original(old: list[Row], new: list[Row]) -> None:
    shown = [{sex[0] for _, sex, _ in side} - {"{F|M}"} for side in (old, new)]
    sets = any(sex[0] == "{F|M}" for side in (old, new) for _, sex, _ in side)
    assume(sets or shown[0] == shown[1])  # else a sex may be a label of the other
    possible = [groups(old, new, pairs) for pairs in matchings(old, new)]
    assume(possible)
    found = together(old, new)
    if not {one[2] for one in old} & {one[2] for one in new}:
        return  # then illnesses are not compared
    for sizes in possible:
        k = min(sizes.values())
        below = sum(size for size in sizes.values() if size < K)
        alone = sum(size for size in sizes.values() if size == 1)
        assert found.k.least <= k <= found.k.most
        assert found.below.least <= below <= found.below.most
        assert found.alone.least <= alone <= found.alone.most
        if found.relation == "finer" and len(old) == len(new):
            assert k == min(Counter(one[:2] for one in new).values())
        assert sum(size < K and old_class is None for (old_class, _), size in sizes.items()) >= found.newcomers
        assert sum(size < K and new_class is None for (_, new_class), size in sizes.items()) >= found.leavers


people = st.lists(
    st.tuples(st.sampled_from(["20", "21", "25", "30"]), st.sampled_from("FM"), st.sampled_from("xyz")),
    min_size=1,
    max_size=12,
)
cuts = st.sampled_from(
    [
        ({"20": "[20,25)", "21": "[20,25)", "25": "[25,30]", "30": "[25,30]"}, {"F": "F", "M": "M"}),
        ({"20": "20", "21": "{21|25}", "25": "{21|25}", "30": "30"}, {"F": "*", "M": "*"}),
        ({"20": "{20|30}", "21": "21", "25": "25", "30": "{20|30}"}, {"F": "{F|M}", "M": "{F|M}"}),
        (dict.fromkeys(["20", "21", "25", "30"], "*"), {"F": "F", "M": "M"}),
    ]
)
Person = tuple[str, str, str]


def recoded(rows: Sequence[Person], cut: Any) -> pa.Table:
    ages, sexes = cut
    return pa.table(
        {"age": [ages[one[0]] for one in rows], "sex": [sexes[one[1]] for one in rows], "ill": [one[2] for one in rows]}
    )


@some
@given(people, cuts, cuts)
def test_the_original_makes_figures_exact(rows: list[Person], before: Any, after: Any) -> None:
    original = pa.table({"age": [one[0] for one in rows], "sex": [one[1] for one in rows]})
    old, new = recoded(rows, before), recoded(rows, after)
    given: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": ["ill"], "previous": old, "k": K}
    given["previous_quasi"] = given["quasi"]
    exact, bound = (hr.audit(new, **given, original=one).together for one in (original, None))
    assert exact is not None
    assert bound is not None
    of_person = [tuple(cut[at][one[at]] for cut in (before, after) for at in (0, 1)) for one in rows]
    sizes = Counter(of_person)
    assert exact.exact
    assert exact.by_original
    assert exact.k == (min(sizes.values()),) * 2
    assert exact.below == (sum(size for size in sizes.values() if size < K),) * 2
    assert exact.alone == (sum(size for size in sizes.values() if size == 1),) * 2
    assert bound.k.least <= exact.k.least <= bound.k.most
    assert bound.below.least <= exact.below.least <= bound.below.most

    # The rows of the new class that agree with one of the old class, and what they say.
    left = []
    for own in of_person:
        known = {one[2] for one, other in zip(rows, of_person, strict=True) if other[:2] == own[:2]}
        left.append(
            [one[2] for one, other in zip(rows, of_person, strict=True) if other[2:] == own[2:] and one[2] in known]
        )
    assert exact.rows_left == min(map(len, left))
    assert exact.learnt["ill"].together == sum(len(set(one)) == 1 for one in left) / len(rows)
    assert bound.learnt["ill"].together <= exact.learnt["ill"].together + 1e-9


BOXES: dict[str, frozenset[str]] = dict(AGES[1:5])
Chosen = tuple[str, str | None, str | None]
placed = st.sampled_from(["20", "21", "25", "30"]).flatmap(
    lambda age: st.tuples(
        st.just(age), *[st.none() | st.sampled_from([text for text, held in BOXES.items() if age in held])] * 2
    )
)


@some
@given(st.lists(placed, min_size=1, max_size=9))
def test_the_bounds_by_the_original_hold_where_classes_overlap_and_people_are_left_out(rows: list[Chosen]) -> None:
    """Each person is in some class of a release that covers them, or in none."""
    old, new = ([one[at] for one in rows if one[at] is not None] for at in (1, 2))
    assume(old and new)
    given: dict[str, Any] = {"quasi": ["age"], "previous": pa.table({"age": old}), "previous_quasi": ["age"], "k": K}
    found = hr.audit(pa.table({"age": new}), original=pa.table({"age": [one[0] for one in rows]}), **given).together
    assert found is not None
    sizes = Counter(one[1:] for one in rows if one[1:] != (None, None))
    assert found.k.least <= min(sizes.values()) <= found.k.most
    below = sum(size for size in sizes.values() if size < K)
    assert found.below.least <= below <= found.below.most
    assert found.alone.least <= sum(size == 1 for size in sizes.values()) <= found.alone.most
    if found.exact:
        assert found.k.least == min(sizes.values())


COLUMNS = ("age", "sex", "town")
IN_TOWNS = [{"P": "P", "Q": "Q"}, {"P": "{P|Q}", "Q": "{P|Q}"}]
# Several people are alike, so that groups of more than one person are no exception.
with_town = st.lists(
    st.tuples(
        st.tuples(st.sampled_from(["20", "25"]), st.sampled_from("FM"), st.sampled_from("PQ")), st.integers(1, 4)
    ),
    min_size=1,
    max_size=5,
).map(lambda alike: [one for one, number in alike for _ in range(number)])
published = st.tuples(
    st.sets(st.sampled_from(COLUMNS), min_size=1), st.sets(st.sampled_from(COLUMNS)), cuts, st.sampled_from(IN_TOWNS)
)


def cells_of(rows: Sequence[Person], side: Any) -> dict[str, list[str]]:
    """What a release publishes: its quasi-identifiers recoded, and some other columns as they are."""
    quasi, in_clear, (ages, sexes), towns = side
    recode: dict[str, Any] = dict(zip(COLUMNS, (ages, sexes, towns), strict=True))
    return {
        name: [recode[name][one[at]] if name in quasi else one[at] for one in rows]
        for at, name in enumerate(COLUMNS)
        if name in quasi | in_clear
    }


def fewest(cells: Sequence[dict[str, list[str]]], quasi: Sequence[set[str]]) -> int:
    """The fewest people who share the quasi-identifiers of both releases, as far as each publishes them."""
    shown = [one[name] for one, known in zip(cells, quasi, strict=True) for name in COLUMNS if name in known & set(one)]
    return min(Counter(zip(*shown, strict=True)).values())


@some
@given(with_town, published, published, st.booleans(), st.booleans())
def test_no_k_is_claimed_that_people_with_other_quasi_identifiers_do_not_have(
    rows: list[Person], before: Any, after: Any, by_original: bool, declared: bool
) -> None:
    """Whatever columns a release calls quasi-identifiers, no k above the true one is claimed."""
    sides = [cells_of(rows, one) for one in (before, after)]
    own = [before[0], after[0]]
    assume(declared or set(sides[0]) & own[1])
    original = pa.table({name: [one[at] for one in rows] for at, name in enumerate(COLUMNS)})
    found = hr.audit(
        pa.table(sides[1]),
        quasi=[name for name in COLUMNS if name in own[1]],
        previous=pa.table(sides[0]),
        previous_quasi=sorted(own[0]) if declared else (),
        original=original if by_original else None,
        k=K,
    ).together
    assert found is not None
    everything = own[0] | own[1]
    true = fewest(sides, [everything, everything])
    assert found.k.least <= true
    # Nor above that of somebody who knows of each release its own quasi-identifiers only.
    assert found.k.least <= fewest(sides, own)
    assert found.holds is not True or true >= K
    if declared:
        assert true <= found.k.most
        assert not found.exact or found.k.least == true
    else:
        assert (found.k.least, found.relation, found.exact) == (1, "unknown", False)


@some
@given(with_town, published, published, st.data())
def test_who_was_left_out_is_never_forgotten(rows: list[Person], before: Any, after: Any, data: Any) -> None:
    """Some people are in one release only, and some are missing in the table that is called the original."""
    kept = [[data.draw(st.booleans()) for _ in rows] for _ in range(3)]
    assume(all(any(one) for one in kept))
    sides = [
        cells_of([row for row, is_in in zip(rows, one, strict=True) if is_in], side)
        for one, side in zip(kept, (before, after), strict=False)
    ]
    originals = [row for row, is_in in zip(rows, kept[2], strict=True) if is_in]
    everything = before[0] | after[0]
    quasi = [name for name in COLUMNS if name in after[0]]
    given: dict[str, Any] = {"previous": pa.table(sides[0]), "previous_quasi": sorted(before[0]), "k": K}
    complete = all(kept[2][at] or not (kept[0][at] or kept[1][at]) for at in range(len(rows)))
    try:
        found = hr.audit(
            pa.table(sides[1]),
            quasi=quasi,
            original=pa.table({name: [one[at] for one in originals] for at, name in enumerate(COLUMNS)}),
            **given,
        ).together
    except hr.errors.BadInput:
        assert not complete
        return
    assert found is not None
    groups: Counter[Any] = Counter()
    for at, row in enumerate(rows):
        cells = [cells_of([row], side) if kept[which][at] else None for which, side in enumerate((before, after))]
        if cells != [None, None]:
            groups[
                tuple(
                    None if one is None else tuple(one[name][0] for name in COLUMNS if name in everything & set(one))
                    for one in cells
                )
            ] += 1
    if complete:
        assert found.k.least <= min(groups.values()) <= found.k.most
        assert found.alone.least <= sum(size == 1 for size in groups.values()) <= found.alone.most
        assert not found.exact or found.k.least == min(groups.values())
    elif len(originals) < max(sum(kept[0]), sum(kept[1])):
        # A table that is too small cannot be the original, whoever is in it.
        assert (found.k.least, found.exact) == (1, False)
