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
