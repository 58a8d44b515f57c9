"""Checks of requirements, suppression limits, tables with several rows per person, and column weights."""

from __future__ import annotations

from collections import Counter, defaultdict
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
    """Several requirements hold at once, each on its own shield."""
    require = (KAnonymity(4, shield=["age", "sex"]), KAnonymity(9, shield=["sex", "zip"]))
    _, rows = released(estimator, example_table(), as_frame, require=require)
    for requirement in require:
        shield, k = requirement.shield or (), requirement.k
        smallest = min(tuples_of(rows, shield).values())
        expect(smallest >= k, f"a class of {', '.join(shield)} has {smallest} rows, and k = {k} is required.")


def check_l_diversity(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Every class has at least l distinct sensitive values."""
    _, rows = released(estimator, example_table(), as_frame, k=3, require=[LDiversity(3, "disease")])
    _expect_diseases(rows, 3)


def _expect_diseases(rows: Sequence[Row], least: int) -> None:
    """Fail if a class has fewer distinct diseases than required."""
    diseases: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for row in rows:
        diseases[_class_of(row, QUASI)].add(row["disease"])
    fewest = min(map(len, diseases.values()))
    expect(fewest >= least, f"a class has {fewest} distinct sensitive values, and l = {least} is required.")


def _class_of(row: Row, columns: Sequence[str]) -> tuple[object, ...]:
    return tuple(row[name] for name in columns)


def check_infeasible(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A requirement that no release can meet raises ``Infeasible``."""
    table = example_table()
    with refused(Infeasible, table, "a requirement that even one class of all rows fails"):
        released(estimator, table, as_frame, k=K, require=[LDiversity(5, "disease")])


def check_k_above_rows(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A k above the number of rows raises ``BadInput``."""
    table = example_table()
    with refused(BadInput, table, "a k above the number of rows"):
        released(estimator, table, as_frame, k=ROWS + 1)


def check_errors_hide_cells(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Errors may name columns and counts, but never quote a cell."""
    table = example_table()
    ages = ["secret age" if row == 5 else str(age) for row, age in enumerate(table["age"].to_pylist())]
    mixed = with_cells(table, "age", ages)
    with refused(BadInput, mixed, "text in a column of numbers"):
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
# Checks of the suppression limit: how many records a method may suppress, and what must hold for the others.


# The number of records that lie far from all others.
OUTLIERS = 3


def _with_outliers() -> pa.Table:
    """Make the example table with a few records whose values no other record has."""
    table = example_table()
    ages, zips = table["age"].to_pylist(), table["zip"].to_pylist()
    return with_cells(
        with_cells(table, "age", [90 + row if row < OUTLIERS else age for row, age in enumerate(ages)]),
        "zip",
        [f"{7 + row}9" if row < OUTLIERS else code for row, code in enumerate(zips)],
    )


def check_nothing_lost_without_budget(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """With a suppression limit of 0, no record is suppressed; a method that needs to suppress some refuses."""
    release = _released(estimator, as_frame, 0)
    lost = 0 if release is None else release.recoding.lost
    expect(lost == 0, f"{lost} records were suppressed, and suppression_limit is 0.")


def check_budget_is_a_limit(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """No more records are suppressed than allowed, as a number or as a share, and k holds for the others."""
    for limit, allowed in ((OUTLIERS, OUTLIERS), (0.125, ROWS // 8), (1.0, ROWS - 1)):
        release = _released(estimator, as_frame, limit)
        if release is None:
            expect(limit < 1.0 or isinstance(limit, int), "the method must not refuse if it may suppress any record.")
            continue
        lost, rows = release.recoding.lost, rows_of(release.table)
        expect(lost <= allowed, f"{lost} records were suppressed, and at most {allowed} may be.")
        published = f"{len(rows)} of {ROWS} rows were published, and the recoding reports {lost} suppressed."
        expect(len(rows) == ROWS - lost, published)
        expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold for the records that are not suppressed.")


def check_requirements_with_budget(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """With a suppression limit, the other requirements hold for the published records, too."""
    _, rows = released(
        estimator, _with_outliers(), as_frame, k=3, require=["l=3@disease"], suppression_limit=1.0, random_state=3
    )
    _expect_diseases(rows, 3)


def check_budget_lowers_the_loss(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A suppression limit above 0 does not raise the loss, although suppressed records count as fully lost.

    A method that itself chooses the records to suppress is exempt: it may optimize something else.
    """
    without, within = (_released(estimator, as_frame, limit) for limit in (0, OUTLIERS))
    if estimator.suppression_by == "itself" or without is None or within is None:
        return
    before, after = (release.losses["ncp_published"] for release in (without, within))
    expect(after <= before + 1e-9, f"the loss rose from {before:.4f} to {after:.4f} with a suppression limit.")


def check_wrong_limits(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A suppression limit that is neither a share nor a number of records raises ``BadInput``."""
    table = example_table()
    for limit in (-1, -0.1, 1.5, True, "many", float("nan")):
        with refused(BadInput, table, "an invalid suppression_limit"):
            released(estimator, table, as_frame, k=K, suppression_limit=limit)


def _released(estimator: Anonymizer, as_frame: AsFrame, limit: float) -> Release | None:
    """Release the table with outliers; return None if the method would have to suppress more records than allowed."""
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
# Checks of tables with several rows per person.


_ROWS = 96
_PEOPLE = 40
_OF_PEOPLE = replace(SCHEMA, entity="person")


def _visits() -> pa.Table:
    """Make a table of forty people with two or three rows each; two rows of one person differ only in the note."""
    table = example_table(_ROWS)
    repeated = table.slice(0, 1).set_column(0, "note", pa.array(["the same once more"]))
    people = [f"p{row * 7 % _PEOPLE}" for row in range(_ROWS)]
    return pa.concat_tables([table, repeated]).append_column("person", pa.array([*people, people[0]]))


def check_people_are_counted(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Every class has k distinct people, however many rows they have; the column that identifies them is dropped."""
    table = _visits()
    person_of = {row["note"]: row["person"] for row in rows_of(table)}
    release, rows = released(estimator, table, as_frame, _OF_PEOPLE, k=K)
    people: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for row in rows:
        people[_class_of(row, QUASI)].add(person_of[row["note"]])
    fewest = min(map(len, people.values()))
    expect(fewest >= K, f"a class has {fewest} people, and k = {K} is required.")
    audited = release.audit.k
    expect(audited == fewest, f"the audit reports {audited} people in the smallest class, and the rows have {fewest}.")
    expect("person" not in open_frame(release.table).frame.columns, "the entity column must be dropped.")


def check_people_are_diverse(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """With several rows per person, further requirements hold beside k."""
    _, rows = released(estimator, _visits(), as_frame, _OF_PEOPLE, k=K, require=["l=3@disease"])
    _expect_diseases(rows, 3)


def check_people_and_the_seed(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """The seed decides the representative record of a person; the order of the rows does not."""
    table = _visits()
    backwards = table.take(list(range(len(table) - 1, -1, -1)))
    first, second = (
        released(estimator, each, as_frame, _OF_PEOPLE, k=K, random_state=5)[1] for each in (table, backwards)
    )
    expect(same_rows(first, second), "with several rows per person, the order of the input must not matter.")


def check_linked_rows(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """If a pseudonym links rows, each person shares all their classes with k - 1 others, or nothing is published."""
    schema = replace(_OF_PEOPLE, pseudonymize=["person"])
    try:
        _, rows = released(estimator, _visits(), as_frame, schema, k=K)
    except Infeasible:
        return
    classes: dict[str, set[tuple[object, ...]]] = defaultdict(set)
    for row in rows:
        classes[row["person"]].add(_class_of(row, QUASI))
    fewest = min(Counter(map(frozenset, classes.values())).values())
    expect(fewest >= K, f"only {fewest} people share all their classes, and k = {K} is required.")


PEOPLE_CHECKS: tuple[Callable[..., None], ...] = (
    check_people_are_counted,
    check_people_are_diverse,
    check_people_and_the_seed,
    check_linked_rows,
)


# --------------------------------------------------------------------------------------------------
# Checks of column weights.


# How many values each of the two equal columns has.
_SIDE = 4
_EQUAL_COLUMNS = ("first", "second")


def check_weights_are_kept_to(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Whatever the weights, k holds for all quasi-identifiers, and the manifest states the weights."""
    for weights in ({"zip": 2.5}, {"age": 0.0, "sex": 3.0}):
        release, rows = released(estimator, example_table(), as_frame, replace(SCHEMA, weights=weights), k=K)
        expect(min(tuples_of(rows, QUASI).values()) >= K, f"k must hold with weights of {', '.join(weights)}.")
        expect(release.manifest["weights"] == weights, "the manifest must state the weights.")


def check_multiples_of_weights(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Only the ratios of weights matter: equal weights change nothing, and multiples give the same rows."""
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
    expect(same_rows(none[1], equal[1]), "equal weights must give the same rows as no weights.")
    expect(none[0].losses == equal[0].losses, "equal weights must not change the losses.")
    expect(same_rows(some[1], multiple[1]), "multiples of the weights must give the same rows.")


def check_weights_decide(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """If the method uses weights, the heavier of two equal columns keeps more detail; if not, weights change nothing.

    The table has every pair of values of its two columns once. Giving up one column is therefore enough to hide a
    record among as many records as a column has values.
    """
    if estimator.uses_weights():
        heavy, light = (_loss_of_first_column(estimator, as_frame, weight) for weight in (1000.0, 0.001))
        lost = f"its loss was {heavy:.2f} as the heavy column and {light:.2f} as the light one."
        expect(heavy < light, f"a column must keep more detail when it is heavy; {lost}")
        return
    table = example_table()
    schemas = SCHEMA, replace(SCHEMA, weights={"age": 5.0, "zip": 0.5})
    plain, weighted = (released(estimator, table, as_frame, schema, k=K, random_state=11) for schema in schemas)
    expect(same_rows(plain[1], weighted[1]), "weights must not matter to a method that says it does not use them.")
    added = len(weighted[0].audit.warnings) > len(plain[0].audit.warnings)
    expect(added, "the audit must warn about weights that have no effect.")


def _loss_of_first_column(estimator: Anonymizer, as_frame: AsFrame, weight: float) -> float:
    """Return the loss of the first of two equal columns: from 0 to 1 by how many of its values a class mixes."""
    pairs = [divmod(row, _SIDE) for row in range(_SIDE**2)]
    table = pa.table(
        {
            "first": [f"a{first}" for first, _ in pairs],
            "second": [f"b{second}" for _, second in pairs],
            "income": ["high" if (first + second) % 2 else "low" for first, second in pairs],
            "note": [f"note {row}" for row in range(len(pairs))],
        }
    )
    schema = Schema(
        quasi=_EQUAL_COLUMNS, target="income", insensitive=["note"], accept=["note"], weights={"first": weight}
    )
    _, rows = released(estimator, table, as_frame, schema, k=_SIDE, random_state=11)
    own = {row["note"]: row["first"] for row in rows_of(table)}
    mixed: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for row in rows:
        mixed[_class_of(row, _EQUAL_COLUMNS)].append(own[row["note"]])
    lost = sum(len(values) * (len(set(values)) - 1) / (_SIDE - 1) for values in mixed.values())
    return (lost + len(pairs) - len(rows)) / len(pairs)


WEIGHT_CHECKS: tuple[Callable[..., None], ...] = (
    check_weights_are_kept_to,
    check_multiples_of_weights,
    check_weights_decide,
)
