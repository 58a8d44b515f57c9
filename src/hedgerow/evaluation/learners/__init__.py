"""Learners by name: what ``hr.evaluate`` trains on published rows and asks about others.

Importing this imports neither scikit-learn, Weka nor numba; a learner imports what it needs when it learns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, Final

from hedgerow.errors import BadInput
from hedgerow.evaluation.learners._bayes import NaiveBayes
from hedgerow.evaluation.learners._ours import C45, ID3, KADET
from hedgerow.evaluation.learners._scikit import MLP, Boosting, Linear, Logistic, Scikit
from hedgerow.evaluation.learners.base import Fitted, Learner, Majority, Prediction, Task
from hedgerow.evaluation.learners.weka import J48, PART, WekaLogistic, WekaNaiveBayes

__all__ = ["LEARNERS", "Fitted", "Learner", "Prediction", "Scikit", "Task", "learner"]

LEARNERS: Final[Mapping[str, type[Learner]]] = MappingProxyType(
    {
        one.name: one
        for one in (
            C45,
            ID3,
            KADET,
            NaiveBayes,
            Logistic,
            Linear,
            MLP,
            Boosting,
            J48,
            PART,
            WekaNaiveBayes,
            WekaLogistic,
            Majority,
        )
    }
)
"""The learners by name: ours, those of scikit-learn, those of Weka."""


def learner(given: Any, **parameters: Any) -> Learner:
    """The learner that is meant.

    Parameters
    ----------
    given : str, Learner or estimator
        A name, a learner as it is, or a classifier or regressor of scikit-learn.
    **parameters
        Of the learner that is named.

    Examples
    --------
    >>> learner("c45", min_objects=5).spelled()["min_objects"]
    5
    >>> learner("j84")
    Traceback (most recent call last):
    hedgerow.errors.BadInput: There is no learner 'j84'. Did you mean 'j48'?
    """
    if isinstance(given, str):
        return _named(given, parameters)
    if parameters:
        raise BadInput("Parameters can be given for a learner that is named. Give them where the learner is made.")
    if isinstance(given, Learner):
        return given
    if not isinstance(given, type) and all(hasattr(given, verb) for verb in ("fit", "predict", "get_params")):
        return Scikit(given)
    got = f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__
    raise BadInput(
        "A learner must be a name, a learner of Hedgerow, or a classifier or regressor of scikit-learn that is made "
        f"already. Got {got} instead."
    )


def _named(name: str, parameters: Mapping[str, Any]) -> Learner:
    if name not in LEARNERS:
        raise BadInput.unknown("learner", name, LEARNERS)
    kind: Any = LEARNERS[name]
    known = [one.name for one in fields(kind)]
    for parameter in parameters:
        if parameter not in known:
            raise BadInput.unknown(f"parameter of the learner {name!r} called", parameter, known)
    made: Learner = kind(**parameters)
    return made
