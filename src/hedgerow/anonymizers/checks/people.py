"""Checks of tables in which a person has several rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pyarrow as pa

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.checks.examples import (
    QUASI,
    SCHEMA,
    AsFrame,
    K,
    Row,
    as_it_is,
    example_table,
    released,
    rows_of,
    same_rows,
)
from hedgerow.anonymizers.checks.expectations import expect
from hedgerow.errors import Infeasible
from hedgerow.frames import open_frame

__all__ = ["CHECKS"]

_ROWS = 96
_PEOPLE = 40
_OF_PEOPLE = replace(SCHEMA, entity="person")


def _visits() -> pa.Table:
    """Forty people with two or three rows each, one of whom has two that are alike but for the note."""
    table = example_table(_ROWS)
    alike = table.slice(0, 1)
    table = pa.concat_tables([table, alike.set_column(0, "note", pa.array(["the same once more"]))])
    who = [f"p{row * 7 % _PEOPLE}" for row in range(_ROWS)]
    return table.append_column("person", pa.array([*who, who[0]]))


def _fewest_people(rows: Sequence[Row], person_of: dict[str, str]) -> int:
    people: dict[tuple[object, ...], set[str]] = {}
    for row in rows:
        people.setdefault(tuple(row[name] for name in QUASI), set()).add(person_of[row["note"]])
    return min(map(len, people.values()))


def check_people_are_counted(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Every class has k different people, however many rows they have; the column that tells them apart is gone."""
    table = _visits()
    person_of = {row["note"]: row["person"] for row in rows_of(table)}
    release, rows = released(estimator, table, as_frame, _OF_PEOPLE, k=K)
    fewest = _fewest_people(rows, person_of)
    expect(fewest >= K, f"a class has {fewest} people where k = {K}.")
    expect(release.audit.k == fewest, f"the audit says {release.audit.k} people, the rows say {fewest}.")
    expect("person" not in open_frame(release.table).frame.columns, "the column of the person must be dropped.")


def check_people_are_diverse(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Further requirements hold beside k of people."""
    _, rows = released(estimator, _visits(), as_frame, _OF_PEOPLE, k=K, require=["l=3@disease"])
    values: dict[tuple[object, ...], set[str]] = {}
    for row in rows:
        values.setdefault(tuple(row[name] for name in QUASI), set()).add(row["disease"])
    expect(min(map(len, values.values())) >= 3, "a class has fewer than three diseases.")


def check_people_and_the_seed(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Where people are at home follows from the seed, not from the order of the rows."""
    table = _visits()
    backwards = table.take(list(range(len(table) - 1, -1, -1)))
    one, other = (
        released(estimator, each, as_frame, _OF_PEOPLE, k=K, random_state=5)[1] for each in (table, backwards)
    )
    expect(same_rows(one, other), "the order of the input must not matter where people are counted.")


def check_linked_rows(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Where rows stay linked by a pseudonym, k people share all their classes, or nothing is published."""
    schema = replace(_OF_PEOPLE, pseudonymize=["person"])
    try:
        _, rows = released(estimator, _visits(), as_frame, schema, k=K)
    except Infeasible:
        return
    classes: dict[str, set[tuple[object, ...]]] = {}
    for row in rows:
        classes.setdefault(row["person"], set()).add(tuple(row[name] for name in QUASI))
    sharing = [sum(other == one for other in classes.values()) for one in classes.values()]
    expect(min(sharing) >= K, f"only {min(sharing)} people share all their classes where k = {K}.")


CHECKS: tuple[Callable[..., None], ...] = (
    check_people_are_counted,
    check_people_are_diverse,
    check_people_and_the_seed,
    check_linked_rows,
)
