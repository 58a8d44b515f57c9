"""For given classes nothing in the proportions but what is published by label depends on anybody's label."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr

QUASI = ["town", "age"]
TOWNS = [f"town {letter}" for letter in "abcdefghijkl"]
GIVEN = {"town": {"*": {"north": TOWNS[:5], "south": {"east": TOWNS[5:8], "west": TOWNS[8:]}}}}

# These form their classes without looking at the target.
BLIND = ["datafly", "mondrian", "k-member", "optimal"]

rows = st.lists(
    st.tuples(st.sampled_from(TOWNS), st.integers(20, 60), st.sampled_from(["no", "yes"])), min_size=6, max_size=40
)


def published(method: str, people: list[tuple[Any, ...]], hierarchies: dict[str, Any], k: int) -> str:
    town, age, ill = map(list, zip(*people, strict=True))
    schema = hr.Schema(quasi=QUASI, target="ill", hierarchies=hierarchies)
    table = pa.table({"town": town, "age": age, "ill": ill})
    release = hr.anonymize(table, schema, method=method, k=k, random_state=0, publish_proportions=True)
    assert release.proportions is not None
    return json.dumps(release.proportions.to_dict())


@examples(40)
@pytest.mark.parametrize("method", BLIND)
@given(people=rows, k=st.integers(2, 6), given_one=st.booleans(), random=st.randoms(use_true_random=False))
def test_permuting_the_labels_changes_no_byte(
    method: str, people: list[tuple[Any, ...]], k: int, given_one: bool, random: Any
) -> None:
    hierarchies = GIVEN if given_one else {}
    labels = [label for *_, label in people]
    random.shuffle(labels)
    others = [(*one[:-1], label) for one, label in zip(people, labels, strict=True)]
    assert published(method, people, hierarchies, k) == published(method, others, hierarchies, k)


@pytest.mark.parametrize("method", [*BLIND, "kactus", "hedge"])
def test_a_value_that_one_person_holds_stands_nowhere_but_in_the_table(method: str) -> None:
    """Labels that have nothing to do with anything were told by the order in which such values stood."""
    people = pa.table(
        {
            "town": [f"T{(37 * at) % 101:03d}" for at in range(101)],
            "age": [20 + at % 50 for at in range(101)],
            "ill": ["no" if at * at % 7 < 3 else "yes" for at in range(101)],
        }
    )
    schema = hr.Schema(quasi=QUASI, target="ill")
    release = hr.anonymize(people, schema, method=method, k=10, random_state=0, publish_proportions=True)
    assert release.proportions is not None
    stored = release.proportions.to_dict()
    town = next(column for column in stored["columns"] if column["name"] == "town")
    assert town["pools"] == {"texts": ["*"], "alone": [False], "listed": {}}
    for column in stored["columns"]:
        column["texts"] = []  # the published cells
    assert not any(name in json.dumps(stored) for name in people["town"].to_pylist())


@pytest.mark.parametrize("hierarchy", ["intervals", "quantiles:4", "intervals:3", "intervals:3,9"])
@pytest.mark.parametrize("kind", ["number", "text"])
def test_a_hierarchy_made_from_the_values_names_none_of_few(hierarchy: str, kind: str) -> None:
    """Its ends are the smallest and the largest value, or what holds only these, and the table publishes ``*``."""
    gain = pa.array([287, *range(3000, 3040), 5941])
    people = pa.table({"gain": gain if kind == "number" else gain.cast(pa.string())})
    schema = hr.Schema(quasi=["gain"], hierarchies={"gain": hierarchy}, kinds={"gain": kind})
    release = hr.anonymize(people, schema, method="datafly", k=42, publish_proportions=True, min_support=5)
    assert set(release.table["gain"].to_pylist()) == {"*"}
    assert release.proportions is not None
    said = json.dumps(release.proportions.to_dict()["columns"][0]["pools"])
    assert not any(end in said for end in ("28", "594", "59"))
