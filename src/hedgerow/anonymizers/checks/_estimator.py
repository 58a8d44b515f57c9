"""Checks of the face of a scikit-learn estimator."""

from __future__ import annotations

import inspect
import pickle
from collections import Counter
from collections.abc import Callable
from typing import Any

import pyarrow as pa
from sklearn.base import clone

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.checks._examples import (
    PIPELINE_SCHEMA,
    QUASI,
    SCHEMA,
    AsFrame,
    K,
    as_it_is,
    example_table,
    expect,
    features_and_classes,
    prepared,
    released,
    rows_of,
    same_rows,
    tuples_of,
)
from hedgerow.core.proportions import ColumnProportions
from hedgerow.core.recoding import NodeRouter
from hedgerow.errors import required
from hedgerow.io.frames import open_frame

__all__ = ["ESTIMATOR_CHECKS", "LEARNING_CHECKS"]


def check_keyword_only_parameters(estimator: Anonymizer) -> None:
    """Every parameter is keyword-only and has a default; those of the base are there."""
    signature = inspect.signature(type(estimator).__init__)
    parameters = [one for one in signature.parameters.values() if one.name != "self"]
    for one in parameters:
        expect(one.kind is one.KEYWORD_ONLY, f"the parameter {one.name!r} must be keyword-only.")
        expect(one.default is not one.empty, f"the parameter {one.name!r} must have a default.")
    for name in ("k", "require", "schema", "random_state"):
        expect(name in signature.parameters, f"the parameter {name!r} of every anonymizer is missing.")


def check_init_only_assigns(estimator: Anonymizer) -> None:
    """``__init__`` keeps each argument as the very object it was given, and nothing else."""
    given: dict[str, Any] = {name: object() for name in estimator.get_params(deep=False)}
    made = vars(type(estimator)(**given))
    expect(set(made) == set(given), "__init__ must set exactly one attribute for each parameter.")
    for name, value in given.items():
        expect(made[name] is value, f"__init__ must assign {name!r} as it is.")


def check_parameters_round_trip(estimator: Anonymizer) -> None:
    """``set_params`` changes what ``get_params`` returns, and returns the estimator."""
    changed = clone(estimator)
    returned = changed.set_params(k=7, random_state=3)
    expect(returned is changed, "set_params must return the estimator.")
    expected = {**estimator.get_params(), "k": 7, "random_state": 3}
    expect(changed.get_params() == expected, "get_params must return what set_params set and keep the rest.")


def check_clone(estimator: Anonymizer) -> None:
    """A clone of a fitted estimator has its parameters and nothing that was fitted."""
    fitted = prepared(estimator, k=K, schema=PIPELINE_SCHEMA)
    fitted.fit_resample(*features_and_classes(as_it_is))
    copy = clone(fitted)
    expect(type(copy) is type(fitted), "a clone must have the same class.")
    expect(copy.get_params() == fitted.get_params(), "a clone must have the same parameters.")
    expect(hasattr(fitted, "release_"), "fit_resample must keep the release as release_.")
    expect(not [name for name in vars(copy) if name.endswith("_")], "a clone must not be fitted.")


def check_pickle(estimator: Anonymizer) -> None:
    """An estimator that went through pickle makes the same release."""
    original = prepared(estimator, k=K, random_state=5)
    copy = pickle.loads(pickle.dumps(original))
    expect(copy.get_params() == original.get_params(), "pickling must keep the parameters.")
    releases = [rows_of(one.anonymize(example_table(), SCHEMA).table) for one in (original, copy)]
    expect(same_rows(*releases), "an unpickled estimator must make the same release.")


def check_repr(estimator: Anonymizer) -> None:
    """``repr`` names the class and what differs from the defaults."""
    shown = repr(prepared(estimator, k=17))
    expect(type(estimator).__name__ in shown, "repr must name the class.")
    expect("k=17" in shown, "repr must show parameters that are not the defaults.")


ESTIMATOR_CHECKS: tuple[Callable[[Anonymizer], None], ...] = (
    check_keyword_only_parameters,
    check_init_only_assigns,
    check_parameters_round_trip,
    check_clone,
    check_pickle,
    check_repr,
)


# --------------------------------------------------------------------------------------------------
# Checks of the use beside learners: unseen rows, and a step of a pipeline.


def check_unseen_rows(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Rows that were not there are recoded to classes that were published, where the method can do that."""
    release, rows = released(estimator, example_table(), as_frame, k=K)
    if release.recoding.router is None:
        return
    new = pa.table({"age": [19, 33, None, 90], "note": [1, 2, 3, 4], "sex": ["F", "M", "X", None], "zip": ["01"] * 4})
    recoded = rows_of(release.recoding.transform(as_frame(new.append_column("unknown", pa.array(range(4))))))
    expect([row["note"] for row in recoded] == [1, 2, 3, 4], "unseen rows must keep their order and other columns.")
    expect(list(recoded[0]) == new.column_names, "unseen rows must keep the published columns, and no others.")
    if isinstance(release.recoding.router, NodeRouter):
        # Recoded cell by cell: the cells are published ones, their combination may be new.
        shows = any({row[name] for row in recoded} - {row[name] for row in rows} - {None, "*"} for name in QUASI)
    else:
        strangers = set(tuples_of(recoded, QUASI)) - set(tuples_of(rows, QUASI))
        shows = any(cell not in (None, "*") for row in strangers for cell in row)
    expect(not shows, "unseen rows must come to what was published, or show nothing.")


def check_fit_resample(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """``fit_resample`` returns published rows and, beside each, its label."""
    features, classes = features_and_classes(as_frame)
    fitted = prepared(estimator, k=K, schema=PIPELINE_SCHEMA)
    published, labels = fitted.fit_resample(features, classes)
    rows = rows_of(published)
    expect(type(published) is type(features), "fit_resample must return the type that came in.")
    expect(len(rows) == len(labels), "fit_resample must return X and y of equal length.")
    # What is published beside a class may follow.
    expect(list(rows[0])[: len(QUASI) + 1] == ["note", *QUASI], "fit_resample must keep the columns of X.")
    expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold after fit_resample.")
    class_of = dict(zip((row["note"] for row in rows_of(features)), classes, strict=True))
    kept = all(class_of[row["note"]] == label for row, label in zip(rows, labels, strict=True))
    expect(kept, "fit_resample must keep each row's class beside it.")


def check_fit_resample_without_schema(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Without a schema all columns of X are quasi-identifiers."""
    table = example_table()
    published, labels = prepared(estimator, k=K).fit_resample(
        as_frame(table.select(list(QUASI))), table["income"].to_pylist()
    )
    rows = rows_of(published)
    expect(len(rows) == len(labels), "fit_resample must return X and y of equal length.")
    expect(min(tuples_of(rows, QUASI).values()) >= K, "k must hold for all columns of X.")


def check_proportions(estimator: Anonymizer, as_frame: AsFrame = as_it_is) -> None:
    """Every proportion is of at least k people, those who are in the class; and nobody is singled out."""
    plain = prepared(estimator, k=K).anonymize(as_frame(example_table()), SCHEMA)
    if plain.recoding.weak is not None:
        return
    release = prepared(estimator, k=K).anonymize(as_frame(example_table()), SCHEMA, publish_proportions=True)
    expect(release.proportions is not None, "publish_proportions must give the release proportions.")
    told = required(release.proportions, "what was just looked at")
    expect(told.min_support == K, "without min_support it must be the k that is required.")
    expect(release.audit.singled_out == 0, "nobody may be singled out by the proportions.")
    frame = open_frame(release.table).frame
    rows, of_row = rows_of(release.table), told.classes_of(frame).tolist()
    expect(min(of_row) >= 0, "every published row must have a class in the proportions.")
    expect(Counter(of_row) == Counter(dict(enumerate(told.sizes.tolist()))), "the sizes of classes must be counted.")
    original = {row["note"]: row for row in rows_of(example_table())}
    for column in told.columns:
        values = [original[row["note"]][column.name] for row in rows]
        pools = [column.pools.of(None if value is None else str(value), column.kind) for value in values]
        held = Counter(_bin_of(column, at, pool) for at, pool in zip(of_row, pools, strict=True))
        expect(held == Counter(dict(enumerate(column.records.tolist()))), "bins must hold the people of their class.")
        expect(int(column.records.min()) >= K, "every bin must have at least k people.")
        expect(min(pools) >= 0, "every value must be in a pool.")
        for pool, people in Counter(pools).items():
            rare = bool(column.pools.alone[pool]) and people < K
            expect(not rare, "no value may be named that fewer than k people have.")


def _bin_of(column: ColumnProportions, of_class: int, pool: int) -> int:
    """The bin of its class that a pool is in: its own, or else the one that reaches over it."""
    bins = range(int(column.starts[of_class]), int(column.starts[of_class + 1]))
    found = [at for at in bins if column.first[at] <= pool <= column.last[at]]
    expect(bool(found), "every person must be in a bin of the class.")
    return min(found, key=lambda at: int(column.last[at] - column.first[at]))


LEARNING_CHECKS: tuple[Callable[..., None], ...] = (
    check_unseen_rows,
    check_fit_resample,
    check_fit_resample_without_schema,
    check_proportions,
)
