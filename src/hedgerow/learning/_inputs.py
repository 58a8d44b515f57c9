"""The inputs of learners: dataframes and releases by the names of their columns, arrays as in scikit-learn.

The columns of a dataframe or DuckDB relation are found by name: unseen rows may have them in another order, with others
between them. A release means its table without the target; a path means the release that is saved there. An array or a
list of lists becomes a frame (:mod:`hedgerow.io.ndarray`).

**Deviation** from scikit-learn: the columns of a frame may be in another order.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from hedgerow.anonymizers.parameters import Presets
from hedgerow.errors import BadInput, is_int, listing
from hedgerow.io.frames import OpenFrame, open_frame, without_column
from hedgerow.io.ndarray import is_matrix, open_matrix, positions
from hedgerow.release import Release

__all__ = [
    "TableEstimator",
    "generator_of",
    "labels_of_release",
    "loaded",
    "note_columns",
    "open_training",
    "open_unseen",
    "refuse_unknown_columns",
]


# --------------------------------------------------------------------------------------------------
# The base class of learners, which checks parameters and sets scikit-learn's tags.
#
# The parameters of a learner are the fields of a dataclass.


@dataclass(init=False, kw_only=True, eq=False, repr=False)
class TakesPreset:
    """A learner whose constructor also takes ``preset``; :func:`takes_presets` decorates every such dataclass."""

    presets: ClassVar[Presets] = {"paper": {}}
    preset: InitVar[str | None] = None


class TableEstimator(TakesPreset, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type hints
    """A learner that accepts tables with categories and missing values."""

    missing: Sequence[str]

    def _check(self, name: str, right: bool, must: str) -> None:
        """Refuse an invalid parameter."""
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
    """The random generator of a parameter ``random_state``."""
    if random_state is None or isinstance(random_state, np.random.Generator) or is_int(random_state, 0):
        return np.random.default_rng(random_state)
    raise BadInput.parameter("random_state", owner, "None, a numpy Generator or an int >= 0", random_state)


def refuse_unknown_columns(named: Iterable[str], columns: Sequence[str], why: str = "") -> None:
    """Refuse names that no column has; ``why`` states where the user gave them."""
    for name in named:
        if name not in columns:
            raise BadInput.unknown("column", str(name), columns, why)


def open_training(estimator: BaseEstimator, X: Any) -> OpenFrame:
    """Open the table that an estimator is fitted on, and note its columns.

    Sets ``n_features_in_``, and ``feature_names_in_`` if the columns have names.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier()
    >>> open_training(model, [[1.5, 7], [2.5, 8]]).frame.columns, model.n_features_in_
    (['x0', 'x1'], 2)
    >>> unseen = open_unseen(model, np.array([[3.5, 9]])).frame
    >>> unseen["x0"].to_list(), unseen["x1"].to_list()
    ([3.5], [9.0])
    """
    opened, named = _open(estimator, X)
    columns = opened.frame.columns
    if not columns or not len(opened.frame):
        raise BadInput(
            f"The table has no rows or no columns. {type(estimator).__name__} needs at least one of each to be fitted."
        )
    note_columns(estimator, opened, named=named)
    return opened


def note_columns(estimator: BaseEstimator, opened: OpenFrame, *, named: bool) -> None:
    """Set the attributes by which scikit-learn knows the columns of an estimator."""
    columns = opened.frame.columns
    estimator.n_features_in_ = len(columns)
    if named:
        estimator.feature_names_in_ = np.array(columns, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def open_unseen(estimator: BaseEstimator, X: Any, *, optional: Sequence[str] = ()) -> OpenFrame:
    """Open a table for a fitted estimator, with the names of the training columns.

    A frame may have further columns, in any order, which are kept. If only one of the two tables has names, columns are
    matched by position, with scikit-learn's warning.

    Parameters
    ----------
    estimator : estimator
        Fitted on a table opened by :func:`open_training`.
    X : dataframe, DuckDB relation, Release or array
    optional : sequence of str
        Columns of the training table that may be absent.
    """
    opened, named = _open(estimator, X)
    owner = type(estimator).__name__
    trained = getattr(estimator, "feature_names_in_", None)
    if named and trained is not None:
        absent = [name for name in trained if name not in opened.frame.columns and name not in optional]
        if absent:
            raise BadInput(f"The table lacks columns that {owner} was trained with: {listing(absent)}. Add them.")
        return opened
    names = positions(estimator.n_features_in_) if trained is None else trained.tolist()
    needed = [name for name in names if name not in optional]
    width = len(opened.frame.columns)
    if width not in (len(names), len(needed)):
        raise BadInput(f"X has {width} features, but {owner} is expecting {len(needed)} features as input.")
    _warn_of_names(owner, named=named, trained=trained is not None)
    return _renamed(opened, names if width == len(names) else needed)


def _warn_of_names(owner: str, *, named: bool, trained: bool) -> None:
    """Warn like scikit-learn if only one of two tables has names."""
    if named:
        warnings.warn(f"X has feature names, but {owner} was fitted without feature names", UserWarning, stacklevel=4)
    elif trained:
        warnings.warn(
            f"X does not have valid feature names, but {owner} was fitted with feature names", UserWarning, stacklevel=4
        )


def loaded(X: Any) -> Any:
    """The input of a learner; a path is replaced by the release that is saved there."""
    return Release.load(X) if isinstance(X, str | Path) else X


def labels_of_release(release: Release) -> NDArray[Any]:
    """The published labels of a release, in the order of its rows.

    Raises
    ------
    BadInput
        If the release has no target.
    """
    if release.target is None:
        raise BadInput("The release has no target. Give y, or name the target in the schema.")
    return np.asarray(open_frame(release.table).frame[release.target].to_numpy())


def _open(estimator: BaseEstimator, X: Any) -> tuple[OpenFrame, bool]:
    """Open an input, and return whether its columns have names."""
    if is_matrix(X):
        allow_nan = get_tags(estimator).input_tags.allow_nan
        return open_matrix(X, type(estimator).__name__, allow_nan=allow_nan), False
    if nw.dependencies.is_pandas_dataframe(X) and len(X.columns) and not any(isinstance(c, str) for c in X.columns):
        # pandas numbers unnamed columns.
        return open_frame(X.set_axis(positions(X.shape[1]), axis=1)), False
    if not isinstance(X, Release):
        return open_frame(X), True  # refuses anything but a table
    opened = open_frame(X.table)
    return (opened if X.target is None else replace(opened, frame=without_column(opened.frame, X.target))), True


def _renamed(opened: OpenFrame, names: Sequence[str]) -> OpenFrame:
    return replace(opened, frame=opened.frame.rename(dict(zip(opened.frame.columns, names, strict=True))))
