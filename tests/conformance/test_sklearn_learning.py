"""scikit-learn's own checks of estimators, run on every learner and every representation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import estimator_checks_generator

from hedgerow import Mondrian, learning
from hedgerow.learning._c45 import C45Classifier
from hedgerow.learning._kadet import KADETClassifier
from hedgerow.learning._redraw_step import Redraw
from hedgerow.learning.encoders import FillChildEncoder, FillParentEncoder, OneClassEncoder, ProportionalEncoder
from hedgerow.learning.id3 import GeneralizedID3Classifier

WAYS_TO_ENCODE: Final[list[dict[str, Any]]] = [{}, {"numbers": "mean"}, {"sparse_output": True}]

ESTIMATORS: Final[list[BaseEstimator]] = [
    *(one(**way) for one in (OneClassEncoder, FillParentEncoder, FillChildEncoder) for way in WAYS_TO_ENCODE),
    # A plain array brings no proportions.
    *(ProportionalEncoder(shares="uniform", **way) for way in WAYS_TO_ENCODE),
    C45Classifier(),
    C45Classifier(fractional=True),
    KADETClassifier(),
    # The smallest table of the checks has five records.
    KADETClassifier(k=2),
    GeneralizedID3Classifier(),
    GeneralizedID3Classifier(fractional=True),
    GeneralizedID3Classifier(entropy="own"),
    # The smallest table of the checks has one record.
    Redraw(anonymizer=Mondrian(k=1)),
]

# Check -> why it is not run.
LEFT_OUT: Final = {
    "check_array_api_input": "it asks for an environment variable that changes SciPy for the whole process; learners "
    "here take dataframes and numpy arrays, not arrays of other libraries"
}

CHECKED: Final = {type(estimator).__name__ for estimator in ESTIMATORS}


def cases() -> Iterator[Any]:
    """Every estimator with each of scikit-learn's checks, none of which is expected to fail."""
    for estimator in ESTIMATORS:
        for made, check in estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            if name not in LEFT_OUT:
                yield pytest.param(made, check, id=f"{estimator}-{name}")


def exported() -> list[str]:
    named = {name: getattr(learning, name) for name in learning.__all__}
    return [name for name, one in named.items() if isinstance(one, type) and issubclass(one, BaseEstimator)]


@pytest.mark.parametrize(("estimator", "check"), list(cases()))
def test_scikit_learn_accepts_it(estimator: BaseEstimator, check: Callable[[BaseEstimator], None]) -> None:
    check(estimator)


@pytest.mark.parametrize("name", exported())
def test_every_exported_estimator_is_checked(name: str) -> None:
    assert name in CHECKED
