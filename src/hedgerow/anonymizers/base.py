"""The base of all methods: a template method around ``_fit``, and the face of a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator

from hedgerow import privacy
from hedgerow.anonymizers import line
from hedgerow.anonymizers.registry import METHODS, Method
from hedgerow.counts import FrequencyTable
from hedgerow.errors import BadInput, listing
from hedgerow.frames import open_frame
from hedgerow.privacy import Requirement
from hedgerow.proportions import shares_of_parts
from hedgerow.recoding import Recoding
from hedgerow.release import Release
from hedgerow.schema import Schema

__all__ = ["Anonymizer"]

_COMMON_PARAMETERS = ("k", "require", "schema", "random_state", "publish_proportions", "min_support")


class Anonymizer(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type hints
    """A method that makes a table anonymous.

    A subclass has a ``name``, takes keyword-only parameters that ``__init__`` only assigns (``k``, ``require``,
    ``schema``, ``random_state``, ``publish_proportions`` and ``min_support`` if it likes, and its own), and is
    registered or writes ``_fit``. Reading, counting, hierarchies, requirements, verification and writing come from
    here; :func:`hedgerow.anonymizers.checks.check_anonymizer` says whether the subclass keeps to the contract.
    """

    name: ClassVar[str]

    k: int | None
    require: Sequence[Requirement | str]
    schema: Schema | None
    random_state: int | None
    publish_proportions: bool = False
    min_support: int | None = None

    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        """Find groups that satisfy all requirements. Only counts are seen, never rows.

        A registered method calls its function; a method of the user's own is written here.
        """
        method = self.method()
        if method is None:
            raise BadInput(f"{type(self).__name__} is not a registered method and has no '_fit'. Write one.")
        return method.fit(counts, requirements, seed, **self._own_parameters())

    @classmethod
    def method(cls) -> Method | None:
        """The registry's entry, if the method has one; a method of the user's own need not."""
        return METHODS.get(cls.name)

    def _own_parameters(self) -> dict[str, Any]:
        """The parameters that only this method has, refused if the registry knows better."""
        own = {name: value for name, value in self.get_params(deep=False).items() if name not in _COMMON_PARAMETERS}
        method = self.method()
        if method is not None:
            method.check(own)
        return own

    def _requirements(self, k: int | None = None, require: Any = ()) -> tuple[Requirement, ...]:
        if k is not None and self.k is not None:
            raise BadInput(f"k is given twice, to {type(self).__name__} and to anonymize. Give it once.")
        both = (*_as_list(self.require, type(self).__name__), *_as_list(require, "anonymize"))
        return privacy.resolve(self.k if k is None else k, both)

    def anonymize(
        self,
        data: Any,
        schema: Schema | None = None,
        *,
        k: int | None = None,
        require: Any = (),
        random_state: int | None = None,
        publish_proportions: bool | None = None,
        min_support: int | None = None,
        progress: line.Progress | None = None,
        destination: Path | None = None,
    ) -> Release:
        """Anonymize a table and return the verified release.

        Parameters
        ----------
        data : dataframe, DuckDB relation, path or File
        schema : Schema, optional
            The estimator's own if not given.
        k : int, optional
            If the estimator has none; giving it twice is an error.
        require : requirement or sequence of requirements
            In addition to the estimator's own.
        random_state : int, optional
            Instead of the estimator's own.
        publish_proportions : bool, optional
            Instead of the estimator's own.
        min_support : int, optional
            Instead of the estimator's own.
        progress : callable, optional
            Called with the name of each stage.
        destination : path, optional
            Where the release will be saved, if it is known: a file is then written only once.
        """
        self._own_parameters()
        schema = self.schema if schema is None else schema
        seed = self.random_state if random_state is None else random_state
        prepared = line.prepare(
            data,
            schema if schema is not None else Schema(),
            self._requirements(k, require),
            random_state=seed,
            progress=progress,
            destination=destination,
            publish_proportions=self.publish_proportions if publish_proportions is None else publish_proportions,
            min_support=self.min_support if min_support is None else min_support,
        )
        return self._release(prepared)

    def _release(self, prepared: line.Prepared) -> Release:
        """Fit on what was prepared, and finish."""
        prepared.progress(f"Fitting {type(self).__name__}")
        recoding = self._fit(prepared.counts, prepared.requirements, prepared.random_state)
        return line.finish(prepared, recoding, self._own_parameters())

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Anonymize training data as a step of an imbalanced-learn pipeline.

        Parameters
        ----------
        X : dataframe
            All columns are quasi-identifiers unless the estimator has a schema.
        y : array or series
            The class; it is the schema's target.

        Returns
        -------
        X, y
            The published rows, shuffled, and their classes. With ``publish_proportions`` X has further columns such as
            ``age=[20,30)``: the share of each part of a quasi-identifier among the people of the row's class, which
            :class:`hedgerow.learning.ProportionalEncoder` knows.
        """
        door = open_frame(X)
        schema = Schema() if self.schema is None else self.schema
        if not isinstance(schema, Schema):
            raise BadInput.parameter("schema", type(self).__name__, "a hedgerow.Schema", type(schema).__name__)
        target = schema.target or _free_name(door.frame.columns)
        labels = np.asarray(y)
        if labels.shape != (len(door.frame),):
            raise BadInput(f"y must hold one class for each of the {len(door.frame)} rows of X.")
        joined = door.frame.with_columns(door.series(target, labels))
        release = self.anonymize(nw.to_native(joined), replace(schema, target=target))
        self.release_ = release
        published = nw.from_native(release.table, eager_only=True)
        new_y = published[target].to_numpy()
        features = published.drop(target)
        if release.proportions is not None:
            names, shares = shares_of_parts(release.proportions, release.hierarchies)
            of_row = shares[release.proportions.classes_of(features)]
            _refuse_names(names, features.columns)
            features = features.with_columns(*(door.series(name, of_row[:, at]) for at, name in enumerate(names)))
        return door.back(features), new_y.astype(labels.dtype, copy=False)


def _free_name(columns: Sequence[str]) -> str:
    name = "target"
    while name in columns:
        name += "_"
    return name


def _refuse_names(names: Sequence[str], columns: Sequence[str]) -> None:
    taken = [name for name in names if name in columns]
    if taken:
        raise BadInput(f"Proportions would be called {listing(taken)}, as columns of X are. Rename these.")


def _as_list(require: Any, owner: str) -> tuple[Any, ...]:
    if isinstance(require, Requirement | str):
        return (require,)
    if not isinstance(require, Iterable):
        raise BadInput.parameter("require", owner, "a list of requirements", type(require).__name__)
    return tuple(require)
