"""Checks of the face of a scikit-learn estimator."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import Any

from sklearn.base import clone

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.checks.examples import (
    PIPELINE_SCHEMA,
    SCHEMA,
    K,
    as_it_is,
    example_table,
    features_and_classes,
    prepared,
    rows_of,
    same_rows,
)
from hedgerow.anonymizers.checks.expectations import expect

__all__ = ["CHECKS"]


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


CHECKS: tuple[Callable[[Anonymizer], None], ...] = (
    check_keyword_only_parameters,
    check_init_only_assigns,
    check_parameters_round_trip,
    check_clone,
    check_pickle,
    check_repr,
)
