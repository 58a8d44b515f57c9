"""The checks, in the order of what they look at: rows, requirements, and the use as an estimator."""

from __future__ import annotations

import inspect
import pickle
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pyarrow as pa
from sklearn.base import clone

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.checks._examples import (
    OTHERS,
    PIPELINE_SCHEMA,
    QUASI,
    ROWS,
    SCHEMA,
    AsFrame,
    K,
    Row,
    as_it_is,
    example_table,
    expect,
    features_and_classes,
    prepared,
    refused,
    released,
    rows_of,
    same_rows,
    tuples_of,
    with_cells,
)
from hedgerow.core.cells import SUPPRESSED, Interval, ValueSet, parse
from hedgerow.core.proportions import ColumnProportions
from hedgerow.core.recoding import NodeRouter
from hedgerow.errors import BadInput, Infeasible, required
from hedgerow.io.frames import open_frame
from hedgerow.io.values import number_text
from hedgerow.release import Release
from hedgerow.requirements import KAnonymity, LDiversity
from hedgerow.schema import Schema

__all__ = ["BUDGET_CHECKS", "ESTIMATOR_CHECKS", "PEOPLE_CHECKS", "TABLE_CHECKS", "WEIGHT_CHECKS"]


# --------------------------------------------------------------------------------------------------
# Checks of the published rows.


def check_k(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Every published row shares its quasi-identifiers with k - 1 others, and the audit reports the k of the rows."""
    release, rows = released(estimator, example_table(), as_frame, k=K)
    smallest = min(tuples_of(rows, QUASI).values())
    expect(smallest >= K, f"a class has {smallest} rows, and k = {K} is required.")
    expect(release.audit.k == smallest, f"the audit reports k = {release.audit.k}, and the rows have {smallest}.")


def check_no_row_invented_or_lost(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Every row is published once, except the rows that the recoding reports as suppressed."""
    table = example_table()
    release, rows = released(estimator, table, as_frame, k=K)
    lost = release.recoding.lost
    published = f"{len(rows)} of {ROWS} rows were published, and the recoding reports {lost} suppressed."
    expect(len(rows) == ROWS - lost, published)
    expect(int(release.recoding.sizes.sum()) == len(rows), "the sizes in the recoding must add up to the rows.")
    notes = Counter(row["note"] for row in rows)
    expect(max(notes.values()) == 1, "a row was published twice.")
    expect(set(notes) <= set(table["note"].to_pylist()), "a published row is not in the table.")


def check_other_columns_untouched(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Columns other than the quasi-identifiers keep their type and, row by row, their values."""
    table = example_table().append_column("score", pa.array([row / 4 for row in range(ROWS)]))
    schema = replace(SCHEMA, insensitive=["note", "score"], accept=["note", "score"])
    release, rows = released(estimator, table, as_frame, schema, k=K)
    names = (*OTHERS, "score")
    invented = tuples_of(rows, names) - tuples_of(rows_of(table), names)
    expect(not invented, "the values of the other columns must stay as they are, together in their rows.")
    before, after = open_frame(as_frame(table)).frame.schema, open_frame(release.table).frame.schema
    for name in names:
        expect(before[name] == after[name], f"the column {name!r} changed its type.")


def check_published_values_cover(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Every published cell covers the original value: it is the value, a set or an interval that has it, or ``*``."""
    table = example_table(missing=["age", "zip"])
    originals = {row["note"]: row for row in rows_of(table)}
    release, rows = released(estimator, table, as_frame, k=K)
    numeric = {name for name, column in zip(QUASI, release.recoding.columns, strict=True) if column.numeric}
    for row in rows:
        for name in QUASI:
            hidden = name in numeric and row[name] is None
            covers = hidden or _covers(row[name], originals[row["note"]][name])
            expect(covers, f"a published value of {name!r} does not cover the original value.")


def _covers(published: Any, original: Any) -> bool:
    """Whether a cell covers a value; numbers pass, since a column published as numbers shows statistics."""
    cell = parse(published)
    text = number_text(original) if isinstance(original, int | float) else original
    if isinstance(cell, ValueSet):
        return text in cell
    if isinstance(cell, Interval):
        return original in cell
    return cell is SUPPRESSED or isinstance(cell, float) or cell == text


def check_columns_in_order(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """The published columns keep their names and their order; identifying columns are dropped."""
    table = example_table().append_column("name", pa.array([f"person {row}" for row in range(ROWS)]))
    schema = replace(SCHEMA, identifying=["name"])
    release, _ = released(estimator, table, as_frame, schema, k=K)
    published = open_frame(release.table).frame.columns
    expect(published == [name for name in table.column_names if name != "name"], "columns must keep their order.")


def check_same_frame_type(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """The release is the same type of dataframe as the input, without the input's index."""
    frame = as_frame(example_table())
    release = prepared(estimator, k=K).anonymize(frame, SCHEMA)
    given, published = type(frame), type(release.table)
    expect(published is given, f"a {given.__name__} was released as a {published.__name__}.")
    index = getattr(release.table, "index", None)
    expect(index is None or list(index) == list(range(len(release.table))), "the index must be dropped.")


def check_rows_shuffled(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """The order of the rows reveals nothing: rows are shuffled, and the seed does not decide how."""
    table = example_table()
    orders = []
    for _ in range(2):
        _, rows = released(estimator, table, as_frame, k=K, random_state=11)
        orders.append([row["note"] for row in rows])
    kept = [note for note in table["note"].to_pylist() if note in orders[0]]
    expect(orders[0] != kept, "rows must be shuffled.")
    expect(orders[0] != orders[1], "the seed must not decide the order of the rows.")


def check_seed(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """One seed gives the same rows, whatever the order of the input."""
    table = example_table()
    backwards = table.take(list(range(ROWS - 1, -1, -1)))
    first, second, third = (
        released(estimator, each, as_frame, k=K, random_state=11)[1] for each in (table, table, backwards)
    )
    expect(same_rows(first, second), "the same seed must give the same rows.")
    expect(same_rows(first, third), "the order of the input must not matter.")


def check_input_not_modified(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """The input is not modified."""
    table = example_table(missing=["zip"])
    frame = as_frame(table)
    prepared(estimator, k=K).anonymize(frame, SCHEMA)
    expect(rows_of(frame) == rows_of(table), "the input must not be modified.")


PUBLISHED_ROW_CHECKS: tuple[Callable[..., None], ...] = (
    check_k,
    check_no_row_invented_or_lost,
    check_other_columns_untouched,
    check_published_values_cover,
    check_columns_in_order,
    check_same_frame_type,
    check_rows_shuffled,
    check_seed,
    check_input_not_modified,
)


# --------------------------------------------------------------------------------------------------
# Checks of tables that methods often get wrong.


def check_missing_values(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """With missing values, k holds if "missing" is a value of its own, and if it may be any value."""
    _, rows = released(estimator, example_table(missing=["age", "zip"]), as_frame, k=K)
    classes = tuples_of(rows, QUASI)
    expect(min(classes.values()) >= K, "k must hold if 'missing' is a value of its own.")
    for first in classes:
        matching = sum(size for second, size in classes.items() if _may_be_equal(first, second))
        expect(matching >= K, "k must hold if a missing value may be any value.")


def _may_be_equal(first: Sequence[Hashable], second: Sequence[Hashable]) -> bool:
    wild = (None, "*")
    return all(a == b or a in wild or b in wild for a, b in zip(first, second, strict=True))


def check_missing_marker(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A text that the schema declares as missing counts as null and is not published as a value."""
    table = example_table()
    zips = ["?" if row % 6 == 1 else zip_code for row, zip_code in enumerate(table["zip"].to_pylist())]
    marked = with_cells(table, "zip", zips)
    schema = replace(SCHEMA, missing=["?"])
    release, rows = released(estimator, marked, as_frame, schema, k=K)
    expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold with a text that means 'missing'.")
    for row in rows:
        cell = parse(row["zip"])
        hidden = "?" not in cell if isinstance(cell, ValueSet) else cell != "?"
        expect(hidden, "the text that means 'missing' was published as a value.")
    expect(tuple(release.recoding.missing) == ("?",), "the recoding must keep the texts that mean 'missing'.")


def check_one_row(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A single row can be published with k = 1."""
    release, rows = released(estimator, example_table(1), as_frame, k=1)
    expect(len(rows) == 1 - release.recoding.lost, "the row must be published, or reported as suppressed.")


def check_all_rows_equal(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Rows with equal quasi-identifiers form one class."""
    table = example_table(1).take([0] * 9)
    release, rows = released(estimator, table, as_frame, k=3)
    expect(release.recoding.lost == 0, "rows that are already anonymous must not be suppressed.")
    expect(list(tuples_of(rows, QUASI).values()) == [9], "rows with equal quasi-identifiers must form one class.")


def check_k_equals_rows(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """If k is the number of rows, all rows form one class."""
    _, rows = released(estimator, example_table(), as_frame, k=ROWS)
    expect(list(tuples_of(rows, QUASI).values()) == [ROWS], "if k is the number of rows, all rows must form one class.")


def check_constant_column(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """k holds if a quasi-identifier has only one value."""
    table = example_table()
    same = with_cells(table, "sex", ["F"] * ROWS)
    _, rows = released(estimator, same, as_frame, k=K)
    expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold with a constant column.")


def check_unique_column(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """k holds if a quasi-identifier has a different value in every row."""
    table = example_table()
    unique = with_cells(table, "zip", [f"c{row:02}" for row in range(ROWS)])
    _, rows = released(estimator, unique, as_frame, k=K)
    expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold with a column of unique values.")


UNUSUAL_TABLE_CHECKS: tuple[Callable[..., None], ...] = (
    check_missing_values,
    check_missing_marker,
    check_one_row,
    check_all_rows_equal,
    check_k_equals_rows,
    check_constant_column,
    check_unique_column,
)


# --------------------------------------------------------------------------------------------------
# Checks of requirements, suppression limits, tables with several rows per person, and column weights.


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
    _expect_diseases(rows)


def _expect_diseases(rows: Sequence[Row]) -> None:
    """Fail if a class has fewer than 3 distinct diseases."""
    diseases: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for row in rows:
        diseases[_class_of(row, QUASI)].add(row["disease"])
    fewest = min(map(len, diseases.values()))
    expect(fewest >= 3, f"a class has {fewest} distinct sensitive values, and l = 3 is required.")


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


def check_levels(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """A column with limited levels shows only labels of these levels that are above the row's own value."""
    table = example_table(missing=["zip"])
    originals = {row["note"]: row for row in rows_of(table)}
    schema = replace(
        SCHEMA, hierarchies={"zip": "masking:1,2", "age": "intervals:10,20"}, levels={"zip": (1, 2), "age": (1, 2)}
    )
    for limit in (0.5, 1.0):
        try:
            release, rows = released(estimator, table, as_frame, schema, k=K, suppression_limit=limit)
        except Infeasible:
            continue
        for row in rows:
            code, age = (originals[row["note"]][name] for name in ("zip", "age"))
            masked = {None} if code is None else {f"{code[:1]}**", f"{code[:2]}*"}
            expect(row["zip"] in masked, "a ZIP code was published outside its levels.")
            # The last interval of a level is closed.
            around = {f"[{age - age % width},{age - age % width + width}" for width in (10, 20)}
            expect(row["age"][:-1] in around, "an age was published outside its levels.")
        expect(set(release.manifest["allowed_levels"]) == {"zip", "age"}, "the manifest must record the levels.")
        return
    expect(False, "the limits on levels must be kept if every record but one may be lost.")


REQUIREMENT_CHECKS: tuple[Callable[..., None], ...] = (
    check_shields,
    check_l_diversity,
    check_levels,
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
    _expect_diseases(rows)


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
    _expect_diseases(rows)


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


# --------------------------------------------------------------------------------------------------
# Checks of the scikit-learn interface, of unseen rows, and of published proportions.


def check_keyword_only_parameters(estimator: Anonymizer) -> None:
    """Every parameter is keyword-only and has a default, and the parameters that all methods share exist."""
    parameters = dict(inspect.signature(type(estimator).__init__).parameters)
    del parameters["self"]
    for name, parameter in parameters.items():
        expect(parameter.kind is parameter.KEYWORD_ONLY, f"the parameter {name!r} must be keyword-only.")
        expect(parameter.default is not parameter.empty, f"the parameter {name!r} must have a default.")
    for name in ("k", "require", "schema", "random_state"):
        expect(name in parameters, f"the parameter {name!r} is missing; every anonymizer has it.")


def check_init_only_assigns(estimator: Anonymizer) -> None:
    """``__init__`` assigns each argument unchanged to the attribute of the same name, and does nothing else."""
    given: dict[str, Any] = {name: object() for name in estimator.get_params(deep=False)}
    assigned = vars(type(estimator)(**given))
    expect(set(assigned) == set(given), "__init__ must set exactly one attribute for each parameter.")
    for name, value in given.items():
        expect(assigned[name] is value, f"__init__ must assign {name!r} unchanged.")


def check_parameters_round_trip(estimator: Anonymizer) -> None:
    """``set_params`` changes what ``get_params`` returns, and returns the estimator."""
    changed = clone(estimator)
    returned = changed.set_params(k=7, random_state=3)
    expect(returned is changed, "set_params must return the estimator.")
    expected = {**estimator.get_params(), "k": 7, "random_state": 3}
    expect(changed.get_params() == expected, "set_params must change the given parameters and keep the others.")


def check_clone(estimator: Anonymizer) -> None:
    """A clone of a fitted estimator has its parameters and no fitted attributes."""
    fitted = prepared(estimator, k=K, schema=PIPELINE_SCHEMA)
    fitted.fit_resample(*features_and_classes(as_it_is))
    copy = clone(fitted)
    expect(type(copy) is type(fitted), "a clone must have the same class.")
    expect(copy.get_params() == fitted.get_params(), "a clone must have the same parameters.")
    expect(hasattr(fitted, "release_"), "fit_resample must keep the release as release_.")
    expect(not [name for name in vars(copy) if name.endswith("_")], "a clone must not be fitted.")


def check_pickle(estimator: Anonymizer) -> None:
    """An estimator makes the same release after pickling."""
    original = prepared(estimator, k=K, random_state=5)
    copy = pickle.loads(pickle.dumps(original))
    expect(copy.get_params() == original.get_params(), "pickling must keep the parameters.")
    releases = [rows_of(each.anonymize(example_table(), SCHEMA).table) for each in (original, copy)]
    expect(same_rows(*releases), "an unpickled estimator must make the same release.")


def check_repr(estimator: Anonymizer) -> None:
    """``repr`` shows the class and the parameters that differ from their defaults."""
    shown = repr(prepared(estimator, k=17))
    expect(type(estimator).__name__ in shown, "repr must name the class.")
    expect("k=17" in shown, "repr must show parameters that differ from their defaults.")


ESTIMATOR_CHECKS: tuple[Callable[[Anonymizer], None], ...] = (
    check_keyword_only_parameters,
    check_init_only_assigns,
    check_parameters_round_trip,
    check_clone,
    check_pickle,
    check_repr,
)


# --------------------------------------------------------------------------------------------------
# Checks of the use with learners: recoding unseen rows, serving as a pipeline step, and publishing proportions.


def check_unseen_rows(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """If the method can recode unseen rows, it recodes them to published classes."""
    release, rows = released(estimator, example_table(), as_frame, k=K)
    if release.recoding.router is None:
        return
    new = pa.table({"age": [19, 33, None, 90], "note": [1, 2, 3, 4], "sex": ["F", "M", "X", None], "zip": ["01"] * 4})
    recoded = rows_of(release.recoding.transform(as_frame(new.append_column("unknown", pa.array(range(4))))))
    expect([row["note"] for row in recoded] == [1, 2, 3, 4], "unseen rows must keep their order and other columns.")
    expect(list(recoded[0]) == new.column_names, "unseen rows must keep the published columns and drop all others.")
    if isinstance(release.recoding.router, NodeRouter):
        # This router recodes cell by cell: each cell must have been published, but combinations may be new.
        new_cells = any({row[name] for row in recoded} - {row[name] for row in rows} - {None, "*"} for name in QUASI)
    else:
        new_classes = set(tuples_of(recoded, QUASI)) - set(tuples_of(rows, QUASI))
        new_cells = any(cell not in (None, "*") for row in new_classes for cell in row)
    expect(not new_cells, "unseen rows must be recoded to published values, or to '*' or null.")


def check_fit_resample(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """``fit_resample`` returns published rows and the label of each."""
    features, classes = features_and_classes(as_frame)
    fitted = prepared(estimator, k=K, schema=PIPELINE_SCHEMA)
    published, labels = fitted.fit_resample(features, classes)
    rows = rows_of(published)
    expect(type(published) is type(features), "fit_resample must return the same type of dataframe.")
    expect(len(rows) == len(labels), "fit_resample must return X and y of equal length.")
    # A method may publish further columns behind these.
    expect(list(rows[0])[: len(QUASI) + 1] == ["note", *QUASI], "fit_resample must keep the columns of X.")
    expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold after fit_resample.")
    class_of = dict(zip((row["note"] for row in rows_of(features)), classes, strict=True))
    kept = all(class_of[row["note"]] == label for row, label in zip(rows, labels, strict=True))
    expect(kept, "fit_resample must return each row with its own label.")


def check_fit_resample_without_schema(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Without a schema, all columns of X are quasi-identifiers."""
    table = example_table()
    published, labels = prepared(estimator, k=K).fit_resample(
        as_frame(table.select(list(QUASI))), table["income"].to_pylist()
    )
    rows = rows_of(published)
    expect(len(rows) == len(labels), "fit_resample must return X and y of equal length.")
    expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold for all columns of X.")


def check_proportions(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Every published proportion is correct and describes at least k people, and singles nobody out."""
    plain = prepared(estimator, k=K).anonymize(as_frame(example_table()), SCHEMA)
    if plain.recoding.weak is not None:
        return
    release = prepared(estimator, k=K).anonymize(as_frame(example_table()), SCHEMA, publish_proportions=True)
    expect(release.proportions is not None, "publish_proportions=True must add proportions to the release.")
    proportions = required(release.proportions, "the proportions that were just checked")
    expect(proportions.min_support == K, "min_support must be k unless it is given.")
    expect(release.audit.singled_out == 0, "the proportions must not single anybody out.")
    frame = open_frame(release.table).frame
    rows, class_of_row = rows_of(release.table), proportions.classes_of(frame).tolist()
    expect(min(class_of_row) >= 0, "every published row must have a class in the proportions.")
    sizes = Counter(dict(enumerate(proportions.sizes.tolist())))
    expect(Counter(class_of_row) == sizes, "the proportions must state the sizes of the published classes.")
    original = {row["note"]: row for row in rows_of(example_table())}
    for column in proportions.columns:
        values = [original[row["note"]][column.name] for row in rows]
        pools = [column.pools.of(None if value is None else str(value), column.kind) for value in values]
        people = Counter(_bin_of(column, *places) for places in zip(class_of_row, pools, strict=True))
        correct = people == Counter(dict(enumerate(column.records.tolist())))
        expect(correct, "the bins must state how many people of their class they hold.")
        expect(int(column.records.min()) >= K, "every bin must have at least k people.")
        expect(min(pools) >= 0, "every value must be in a pool.")
        for pool, holders in Counter(pools).items():
            rare = bool(column.pools.alone[pool]) and holders < K
            expect(not rare, "the proportions must not name a value that fewer than k people have.")


def _bin_of(column: ColumnProportions, class_number: int, pool: int) -> int:
    """Return the narrowest bin of a class that contains a pool."""
    bins = range(int(column.starts[class_number]), int(column.starts[class_number + 1]))
    containing = [at for at in bins if column.first[at] <= pool <= column.last[at]]
    expect(bool(containing), "every person must be in a bin of their class.")
    return min(containing, key=lambda at: int(column.last[at] - column.first[at]))


LEARNING_CHECKS: tuple[Callable[..., None], ...] = (
    check_unseen_rows,
    check_fit_resample,
    check_fit_resample_without_schema,
    check_proportions,
)

# The checks that also accept the kind of dataframe to run on.
TABLE_CHECKS = (
    *PUBLISHED_ROW_CHECKS,
    *UNUSUAL_TABLE_CHECKS,
    *REQUIREMENT_CHECKS,
    *PEOPLE_CHECKS,
    *BUDGET_CHECKS,
    *WEIGHT_CHECKS,
    *LEARNING_CHECKS,
)
