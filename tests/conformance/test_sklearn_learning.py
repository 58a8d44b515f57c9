"""scikit-learn's own checks of estimators, run on every learner and every representation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from hedgerow import learning
from hedgerow.learning.c45 import C45Classifier
from hedgerow.learning.encoders import FillChildEncoder, FillParentEncoder, OneClassEncoder, ProportionalEncoder
from hedgerow.learning.id3 import GeneralizedID3Classifier
from hedgerow.learning.kadet import KADETClassifier

WAYS_TO_ENCODE: Final[list[dict[str, Any]]] = [{}, {"numbers": "mean"}, {"sparse_output": True}]

ESTIMATORS: Final[list[BaseEstimator]] = [
    *(one(**way) for one in (OneClassEncoder, FillParentEncoder, FillChildEncoder) for way in WAYS_TO_ENCODE),
    # A plain array brings no proportions.
    *(ProportionalEncoder(shares="uniform", **way) for way in WAYS_TO_ENCODE),
    C45Classifier(),
    C45Classifier(fractional=True),
    # The smallest table of the checks has five records.
    KADETClassifier(k=2),
    GeneralizedID3Classifier(),
    GeneralizedID3Classifier(fractional=True),
    GeneralizedID3Classifier(entropy="own"),
]

# Estimator -> check -> why it cannot pass.
EXPECTED: Final[dict[str, dict[str, str]]] = {}

CHECKED: Final = {type(estimator).__name__ for estimator in ESTIMATORS}


def expected_failures(estimator: BaseEstimator) -> dict[str, str]:
    return EXPECTED.get(type(estimator).__name__, {})


def exported() -> list[str]:
    named = {name: getattr(learning, name) for name in learning.__all__}
    return [name for name, one in named.items() if isinstance(one, type) and issubclass(one, BaseEstimator)]


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)  # type: ignore[untyped-decorator]
def test_scikit_learn_accepts_it(estimator: BaseEstimator, check: Callable[[BaseEstimator], None]) -> None:
    check(estimator)


@pytest.mark.parametrize("name", exported())
def test_every_exported_estimator_is_checked(name: str) -> None:
    assert name in CHECKED


def test_every_exception_is_of_a_checked_estimator_and_has_a_reason() -> None:
    assert set(EXPECTED) <= CHECKED
    assert all(reason for checks in EXPECTED.values() for reason in checks.values())
