"""Who is singled out, found by trying all tables that could have been, and compared with what the audit says.

The attacker here knows the published table, the proportions, the values that may occur in each column, that every value
which a pool names has as many people as the support says, and how bins, ends and the marginal are to be read. For each
class all ways to fill its columns that agree with this are listed, and joined with those of the other classes by the
marginal. How many people may have a tuple follows from the counts of its values: anything between the bounds of
Fréchet.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pyarrow as pa
import pytest
from attacker_view import QUASI, UNIVERSE, Sums, View, World, added
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr

AGES, SEXES, TOWNS = [20, 21, 22], ["F", "M"], ["Bern", "Ulm"]
METHODS: list[tuple[str, dict[str, Any]]] = [
    ("mondrian", {"publish": "set"}),
    ("mondrian", {"publish": "interval"}),
    ("kactus", {"numbers": "mean"}),
    ("kactus", {"numbers": "median"}),
    ("apt", {"min_objects": 1}),
    ("datafly", {}),
    ("mu-argus", {}),
    ("k-member", {}),
]


def _added(view: View, one: int, world: World) -> Sums:
    return view.contribution(one, world) + view.named(world)


def possible(view: View) -> list[list[World]]:
    """The worlds of each class that agree with all that is published."""
    worlds = [view.worlds(one, with_bins=True) for one in range(len(view.truth))]
    adding = [{_added(view, one, world) for world in some} for one, some in enumerate(worlds)]
    width = len(next(iter(adding[0])))
    before = [{(0,) * width}]
    for sums in adding[:-1]:
        before.append(added(before[-1], sums))
    after = [{(0,) * width}]
    for sums in adding[:0:-1]:
        after.append(added(after[-1], sums))
    after.reverse()
    agreeing = []
    for one, some in enumerate(worlds):
        others = added(before[one], after[one])
        fits = {
            sums
            for sums in adding[one]
            if any(view.agrees(tuple(map(sum, zip(sums, rest, strict=True)))) for rest in others)
        }
        agreeing.append([world for world in some if _added(view, one, world) in fits])
    return agreeing


def fixed(worlds: list[World], size: int) -> dict[tuple[int, ...], int]:
    """The tuples whose number is the same in all worlds, and more than none."""
    found = {}
    for codes in product(*(range(len(counts)) for counts in worlds[0])):
        low, high = size, 0
        for world in worlds:
            numbers = [counts[code] for counts, code in zip(world, codes, strict=True)]
            low = min(low, max(0, sum(numbers) - (len(numbers) - 1) * size))
            high = max(high, min(numbers))
        if low == high > 0:
            found[codes] = low
    return found


def singled_out_by_trying(view: View, k: int) -> int:
    people = 0
    for one, worlds in enumerate(possible(view)):
        assert view.truth[one] in worlds, "the truth is possible"
        size = int(view.told.sizes[one])
        alone = fixed(view.worlds(one, with_bins=False), size)
        people += sum(n for codes, n in fixed(worlds, size).items() if n < k and codes not in alone)
    return people


tables = st.lists(
    st.tuples(st.sampled_from(AGES), st.sampled_from(SEXES), st.sampled_from(TOWNS)), min_size=5, max_size=8
)


def released(cells: list[Any], method: str, k: int, support: int | None, parameters: dict[str, Any]) -> Any:
    columns = dict(zip(QUASI, map(list, zip(*cells, strict=True)), strict=True))
    table = pa.table(
        {**columns, "row": list(range(len(cells))), "ill": ["n", "y"] * (len(cells) // 2) + ["n"] * (len(cells) % 2)}
    )
    schema = hr.Schema(quasi=QUASI, target="ill", insensitive=["row"], accept=["row"])
    release = hr.anonymize(
        table, schema, method=method, k=k, random_state=0, publish_proportions=True, min_support=support, **parameters
    )
    return table, release


@examples(25)
@pytest.mark.parametrize(("method", "parameters"), METHODS)
@given(cells=tables, k=st.integers(2, 3))
def test_nobody_is_singled_out(method: str, parameters: dict[str, Any], cells: list[Any], k: int) -> None:
    table, release = released(cells, method, k, None, parameters)
    assert release.audit.singled_out == 0
    assert singled_out_by_trying(View(table, release, UNIVERSE), k) == 0


@examples(25)
@pytest.mark.parametrize(("method", "parameters"), METHODS)
@given(cells=tables, k=st.integers(2, 3), support=st.integers(1, 3))
def test_the_audit_counts_whom_weak_proportions_single_out(
    method: str, parameters: dict[str, Any], cells: list[Any], k: int, support: int
) -> None:
    table, release = released(cells, method, k, support, parameters)
    found = singled_out_by_trying(View(table, release, UNIVERSE), k)
    told = release.audit.singled_out
    assert told is not None
    intervals = any(cell.kind == "interval" for column in View(table, release, UNIVERSE).cells for cell in column)
    # The audit does not know that both ends of an interval occur, nor what a mean tells by itself.
    assert told >= found if intervals or parameters.get("numbers") == "mean" else told == found


def test_a_published_value_is_known_though_its_bin_is_a_pool() -> None:
    """One age is too rare to be told, so 20 has no bin of its own; but the class publishes it."""
    cells = [(20, "F", "Bern")] * 2 + [(20, "F", "Ulm")] * 2 + [(20, "M", "Bern")] * 2 + [(21, "F", "Ulm")]
    table, release = released(cells, "mondrian", 3, 2, {})
    assert release.audit.singled_out == singled_out_by_trying(View(table, release, UNIVERSE), 3) == 4
    # A file does not say whether a value is a mean, so it is taken for a value.
    read = hr.Proportions.from_dict(release.proportions.to_dict())
    assert hr.risk.singled_out(read, 3).people == 4
