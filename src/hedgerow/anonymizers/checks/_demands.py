"""Checks of what is demanded, and of how what cannot be met is refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import pyarrow as pa

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.checks._examples import (
    QUASI,
    ROWS,
    SCHEMA,
    AsFrame,
    K,
    Row,
    as_it_is,
    example_table,
    expect,
    refused,
    released,
    rows_of,
    same_rows,
    tuples_of,
    with_cells,
)
from hedgerow.errors import BadInput, Infeasible
from hedgerow.io.frames import open_frame
from hedgerow.release import Release
from hedgerow.requirements import KAnonymity, LDiversity
from hedgerow.schema import Schema

__all__ = ["BUDGET_CHECKS", "PEOPLE_CHECKS", "REQUIREMENT_CHECKS", "WEIGHT_CHECKS"]


def check_shields(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Several requirements hold together, each on its own shield."""
    require = (KAnonymity(4, shield=["age", "sex"]), KAnonymity(9, shield=["sex", "zip"]))
    _, rows = released(estimator, example_table(), as_frame, require=require)
    for one in require:
        smallest = min(tuples_of(rows, one.shield or ()).values())
        expect(smallest >= one.k, f"a class of {', '.join(one.shield or ())} has {smallest} rows where k = {one.k}.")


def check_l_diversity(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Every class has as many different sensitive values as l-diversity asks for."""
    _, rows = released(estimator, example_table(), as_frame, k=3, require=[LDiversity(3, "disease")])
    held = tuples_of(list({tuple(row[name] for name in (*QUASI, "disease")): row for row in rows}.values()), QUASI)
    expect(min(held.values()) >= 3, f"a class has {min(held.values())} sensitive values where l = 3.")


def check_infeasible(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """What no release can meet raises ``Infeasible``, and nothing is returned."""
    table = example_table()
    with refused(Infeasible, table, "a requirement that even one class of all rows fails"):
        released(estimator, table, as_frame, k=K, require=[LDiversity(5, "disease")])


def check_k_above_rows(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A k that is larger than the table is bad input."""
    table = example_table()
    with refused(BadInput, table, "k above the number of rows"):
        released(estimator, table, as_frame, k=ROWS + 1)


def check_errors_hide_cells(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Errors name columns and counts, never a cell."""
    table = example_table()
    ages = ["secret age" if row == 5 else str(age) for row, age in enumerate(table["age"].to_pylist())]
    mixed = with_cells(table, "age", ages)
    with refused(BadInput, mixed, "text among numbers"):
        released(estimator, mixed, as_frame, replace(SCHEMA, kinds={"age": "number"}), k=K)
    zips = ["secret zip" if row == 5 else zip_code for row, zip_code in enumerate(table["zip"].to_pylist())]
    uncovered = with_cells(table, "zip", zips)
    known = sorted(set(table["zip"].to_pylist()))
    schema = replace(SCHEMA, hierarchies={"zip": {"*": known}})
    with refused(BadInput, uncovered, "a value that its hierarchy does not cover"):
        released(estimator, uncovered, as_frame, schema, k=K)


REQUIREMENT_CHECKS: tuple[Callable[..., None], ...] = (
    check_shields,
    check_l_diversity,
    check_infeasible,
    check_k_above_rows,
    check_errors_hide_cells,
)


# --------------------------------------------------------------------------------------------------
# Checks of the suppression budget: how many records may be lost, and what has to hold for the others.


# So many records lie far from all others.
OUTLIERS = 3


def _with_outliers() -> pa.Table:
    """The example with a few people whose values nobody shares."""
    table = example_table()
    ages, zips = table["age"].to_pylist(), table["zip"].to_pylist()
    return with_cells(
        with_cells(table, "age", [90 + row if row < OUTLIERS else age for row, age in enumerate(ages)]),
        "zip",
        [f"{7 + row}9" if row < OUTLIERS else code for row, code in enumerate(zips)],
    )


def check_nothing_lost_without_budget(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """With a limit of 0 no record is lost; a method that would lose some refuses."""
    release = _released(estimator, as_frame, 0)
    lost = 0 if release is None else release.recoding.lost
    expect(lost == 0, f"{lost} records were lost with a suppression_limit of 0.")


def check_budget_is_a_limit(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Never more records are lost than allowed, as a number or as a share; k holds for what remains."""
    for limit, allowed in ((OUTLIERS, OUTLIERS), (0.125, ROWS // 8), (1.0, ROWS - 1)):
        release = _released(estimator, as_frame, limit)
        if release is None:
            expect(limit < 1.0 or isinstance(limit, int), "nothing must be refused where all records may be lost.")
            continue
        lost, rows = release.recoding.lost, rows_of(release.table)
        expect(lost <= allowed, f"{lost} records were lost where {allowed} may be.")
        expect(len(rows) == ROWS - lost, f"{len(rows)} rows came out of {ROWS}, and {lost} are said to be lost.")
        expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold for the records that are not lost.")


def check_requirements_with_budget(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Other requirements hold for what remains, too."""
    _, rows = released(
        estimator, _with_outliers(), as_frame, k=3, require=["l=3@disease"], suppression_limit=1.0, random_state=3
    )
    held = tuples_of(list({tuple(row[name] for name in (*QUASI, "disease")): row for row in rows}.values()), QUASI)
    expect(min(held.values()) >= 3, f"a class has {min(held.values())} sensitive values where l = 3.")


def check_budget_lowers_the_loss(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Lost records count fully, and still the loss is not above that without a budget.

    A method that chooses by itself what is lost may make something else best.
    """
    without, within = (_released(estimator, as_frame, limit) for limit in (0, OUTLIERS))
    if estimator.suppression_by == "itself" or without is None or within is None:
        return
    before, after = (one.losses["ncp_published"] for one in (without, within))
    expect(after <= before + 1e-9, f"the loss rose from {before:.4f} to {after:.4f} with a budget.")


def check_wrong_limits(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """What is no share and no number of records is bad input."""
    table = example_table()
    for limit in (-1, -0.1, 1.5, True, "many", float("nan")):
        with refused(BadInput, table, "a suppression_limit that is none"):
            released(estimator, table, as_frame, k=K, suppression_limit=limit)


def _released(estimator: Anonymizer, as_frame: AsFrame, limit: float) -> Release | None:
    """A release of the table with outliers; nothing where the method would have to lose more than it may."""
    with suppress(Infeasible):
        return released(estimator, _with_outliers(), as_frame, k=K, suppression_limit=limit, random_state=3)[0]
    return None


BUDGET_CHECKS: tuple[Callable[..., None], ...] = (
    check_nothing_lost_without_budget,
    check_budget_is_a_limit,
    check_requirements_with_budget,
    check_budget_lowers_the_loss,
    check_wrong_limits,
)


# --------------------------------------------------------------------------------------------------
# Checks of tables in which a person has several rows.


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


PEOPLE_CHECKS: tuple[Callable[..., None], ...] = (
    check_people_are_counted,
    check_people_are_diverse,
    check_people_and_the_seed,
    check_linked_rows,
)


# --------------------------------------------------------------------------------------------------
# Checks of the weights of columns.


_SIDE = 4
_EQUAL_COLUMNS = ("first", "second")


def check_weights_are_kept_to(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Whatever columns weigh, k holds for all of them, and the manifest tells the weights."""
    for weights in ({"zip": 2.5}, {"age": 0.0, "sex": 3.0}):
        release, rows = released(estimator, example_table(), as_frame, replace(SCHEMA, weights=weights), k=K)
        expect(min(tuples_of(rows, QUASI).values()) >= K, f"k must hold with weights of {', '.join(weights)}.")
        expect(release.manifest["weights"] == weights, "the manifest must tell the weights.")


def check_multiples_of_weights(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Only ratios of weights matter: equal ones are as none, and multiples make the same rows."""
    table = example_table()
    none, equal, some, multiple = (
        released(estimator, table, as_frame, replace(SCHEMA, weights=weights), k=K, random_state=11)
        for weights in (
            {},
            dict.fromkeys(QUASI, 2.5),
            {"age": 3.0, "sex": 1.0, "zip": 0.5},
            {"age": 12.0, "sex": 4.0, "zip": 2.0},
        )
    )
    expect(same_rows(none[1], equal[1]), "equal weights must make the same rows as none.")
    expect(none[0].losses == equal[0].losses, "equal weights must leave the losses as they are.")
    expect(same_rows(some[1], multiple[1]), "multiples of weights must make the same rows.")


def check_weights_decide(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Of two columns that are alike the heavier keeps more, if the method says that it weighs; else nothing changes.

    Every value of one column stands with every value of the other, once: to hide a record among as many as a column
    has values, it is enough to give one of the columns up.
    """
    if estimator.uses_weights():
        heavy, light = (_lost_of_first(estimator, as_frame, weight) for weight in (1000.0, 0.001))
        expect(heavy < light, f"a heavy column must keep more than a light one; it lost {heavy:.2f} and {light:.2f}.")
        return
    table = example_table()
    schemas = SCHEMA, replace(SCHEMA, weights={"age": 5.0, "zip": 0.5})
    one, other = (released(estimator, table, as_frame, schema, k=K, random_state=11) for schema in schemas)
    expect(same_rows(one[1], other[1]), "a method that does not weigh columns must not read their weights.")
    expect(len(other[0].audit.warnings) > len(one[0].audit.warnings), "weights without effect must be remarked on.")


def _lost_of_first(estimator: Anonymizer, as_frame: AsFrame, weight: float) -> float:
    """What the first column of a table of two that are alike has lost: how many of its values a class holds, 0 to 1."""
    every = [(first, second) for first in range(_SIDE) for second in range(_SIDE)]
    table = pa.table(
        {
            "first": [f"a{first}" for first, _ in every],
            "second": [f"b{second}" for _, second in every],
            "income": ["high" if (first + second) % 2 else "low" for first, second in every],
            "note": [f"note {row}" for row in range(len(every))],
        }
    )
    schema = Schema(
        quasi=_EQUAL_COLUMNS, target="income", insensitive=["note"], accept=["note"], weights={"first": weight}
    )
    _, rows = released(estimator, table, as_frame, schema, k=_SIDE, random_state=11)
    own = {row["note"]: row["first"] for row in rows_of(table)}
    held: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for row in rows:
        held[_class_of(row)].append(own[row["note"]])
    lost = sum(len(values) * (len(set(values)) - 1) / (_SIDE - 1) for values in held.values())
    return (lost + len(every) - len(rows)) / len(every)


def _class_of(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in _EQUAL_COLUMNS)


WEIGHT_CHECKS: tuple[Callable[..., None], ...] = (
    check_weights_are_kept_to,
    check_multiples_of_weights,
    check_weights_decide,
)
