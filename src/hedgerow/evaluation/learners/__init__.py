"""Learners by name: the models that ``hr.evaluate`` trains on published rows and tests on others.

Importing this imports neither scikit-learn, Weka nor numba; each learner imports its library when it learns.
Start with :class:`~hedgerow.evaluation.learners.base.Learner`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, Final

from hedgerow.errors import BadInput
from hedgerow.evaluation.learners._bayes import NaiveBayes
from hedgerow.evaluation.learners._neighbors import KNN
from hedgerow.evaluation.learners._ours import C45, ID3, KADET
from hedgerow.evaluation.learners._scikit import MLP, Boosting, Linear, Logistic, Scikit
from hedgerow.evaluation.learners.base import Fitted, Learner, Majority, Prediction, Task
from hedgerow.evaluation.learners.weka import J48, PART, WekaLogistic, WekaNaiveBayes

__all__ = ["LEARNERS", "Fitted", "Learner", "Prediction", "Scikit", "Task", "learner"]

LEARNERS: Final[Mapping[str, type[Learner]]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            C45,
            ID3,
            KADET,
            NaiveBayes,
            Logistic,
            Linear,
            KNN,
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
"""The learners by name: Hedgerow's, scikit-learn's, Weka's."""


def learner(given: Any, **parameters: Any) -> Learner:
    """Make a learner.

    Parameters
    ----------
    given : str, Learner or estimator
        A name, a learner, or a classifier or regressor of scikit-learn.
    **parameters
        The parameters of a named learner.

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
        raise BadInput("Parameters are only allowed with the name of a learner. Pass them when you make the learner.")
    if isinstance(given, Learner):
        return given
    if not isinstance(given, type) and all(hasattr(given, verb) for verb in ("fit", "predict", "get_params")):
        return Scikit(given)
    got = f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__
    raise BadInput(
        "A learner must be a name, a learner of Hedgerow, or an instance of a scikit-learn classifier or regressor. "
        f"Got {got} instead."
    )


def _named(name: str, parameters: Mapping[str, Any]) -> Learner:
    if name not in LEARNERS:
        raise BadInput.unknown("learner", name, LEARNERS)
    kind: Any = LEARNERS[name]
    known = [field.name for field in fields(kind)]
    for parameter in parameters:
        if parameter not in known:
            raise BadInput.unknown(f"parameter of the learner {name!r} called", parameter, known)
    made: Learner = kind(**parameters)
    return made
