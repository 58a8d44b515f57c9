"""What all learners share: how their parameters are checked, and what scikit-learn is told of them.

The parameters of a learner are the fields of a dataclass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from hedgerow.errors import BadInput, is_whole

__all__ = ["TableEstimator", "generator_of", "refuse_unknown_columns"]


class TableEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type hints
    """A learner that takes tables with categories and missing values as they are."""

    missing: Sequence[str]

    def _check(self, name: str, right: bool, must: str) -> None:
        """Refuse a parameter that is not right."""
        if not right:
            raise BadInput.parameter(name, type(self).__name__, must, getattr(self, name))

    def _check_choice(self, name: str, choices: Sequence[str]) -> None:
        given = getattr(self, name)
        self._check(name, isinstance(given, str) and given in choices, " or ".join(map(repr, choices)))

    def _check_flag(self, name: str) -> None:
        self._check(name, isinstance(getattr(self, name), bool | np.bool_), "True or False")

    def _check_hierarchies(self, given: object, must: str) -> None:
        if given is not None and not isinstance(given, Mapping):
            raise BadInput.parameter("hierarchies", type(self).__name__, must, type(given).__name__)

    def _check_missing(self) -> None:
        texts = not isinstance(self.missing, str) and all(isinstance(text, str) for text in self.missing)
        self._check("missing", texts, "a list of texts")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def generator_of(random_state: Any, owner: str) -> np.random.Generator:
    """The random numbers that a parameter ``random_state`` means."""
    if random_state is None or isinstance(random_state, np.random.Generator) or is_whole(random_state, 0):
        return np.random.default_rng(random_state)
    raise BadInput.parameter("random_state", owner, "None, a numpy Generator or an int >= 0", random_state)


def refuse_unknown_columns(named: Iterable[str], columns: Sequence[str], why: str = "") -> None:
    """Refuse names that no column has; ``why`` says where they were given."""
    for name in named:
        if name not in columns:
            raise BadInput.unknown("column", str(name), columns, why)
