"""Checks of the scikit-learn interface, of unseen rows, and of published proportions."""

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
