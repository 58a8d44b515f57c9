"""The base of all methods: a template method around ``_fit``, and the face of a scikit-learn estimator."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator

from hedgerow import privacy
from hedgerow.anonymizers import line
from hedgerow.anonymizers.registry import Method, find_method
from hedgerow.counts import FrequencyTable
from hedgerow.errors import BadInput
from hedgerow.privacy import Requirement
from hedgerow.recoding import Recoding
from hedgerow.release import Release
from hedgerow.schema import Schema

__all__ = ["Anonymizer"]


class Anonymizer(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type hints
    """A method that makes a table anonymous.

    A subclass names itself in the registry, takes keyword-only parameters that ``__init__`` only assigns, and
    writes ``_fit``. Reading, counting, hierarchies, requirements, verification and writing come from here.
    """

    name: ClassVar[str]

    k: int | None
    require: Sequence[Requirement | str]
    schema: Schema | None
    random_state: int | None

    @abstractmethod
    def _fit(self, counts: FrequencyTable, requirements: Sequence[Requirement], seed: int | None) -> Recoding:
        """Find groups that satisfy all requirements. Only counts are seen, never rows."""

    @classmethod
    def method(cls) -> Method:
        """The registry's entry."""
        return find_method(cls.name)

    def _own_parameters(self) -> dict[str, Any]:
        own = {parameter.name for parameter in self.method().parameters}
        return {name: value for name, value in self.get_params(deep=False).items() if name in own}

    def _requirements(self, k: int | None = None, require: Any = ()) -> tuple[Requirement, ...]:
        if k is not None and self.k is not None:
            raise BadInput(f"k is given twice, to {type(self).__name__} and to anonymize. Give it once.")
        both = (*_as_list(self.require), *_as_list(require))
        return privacy.resolve(self.k if k is None else k, both)

    def anonymize(
        self,
        data: Any,
        schema: Schema | None = None,
        *,
        k: int | None = None,
        require: Any = (),
        random_state: int | None = None,
        progress: line.Progress | None = None,
        destination: Path | None = None,
    ) -> Release:
        """Anonymize a table and return the verified release.

        Parameters
        ----------
        data : dataframe, DuckDB relation, path or File
        schema : Schema, optional
            The estimator's own if not given.
        k, require, random_state
            In addition to the estimator's own; giving one twice is an error.
        progress : callable, optional
            Called with the name of each stage.
        destination : path, optional
            Where the release will be saved, if it is known: a file is then written only once.
        """
        method = self.method()
        method.check(self._own_parameters())
        schema = self.schema if schema is None else schema
        seed = self.random_state if random_state is None else random_state
        prepared = line.prepare(
            data,
            schema if schema is not None else Schema(),
            self._requirements(k, require),
            random_state=seed,
            progress=progress,
            destination=destination,
        )
        return self._release(prepared)

    def _release(self, prepared: line.Prepared) -> Release:
        """Fit on what was prepared, and finish."""
        prepared.progress(f"Fitting {self.method().class_name}")
        recoding = self._fit(prepared.counts, prepared.requirements, prepared.random_state)
        return line.finish(prepared, recoding, {"parameters": self._own_parameters()})

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
            The published rows, shuffled, and their classes.
        """
        frame = nw.from_native(X, eager_only=True)
        target = (self.schema.target if self.schema is not None else None) or _free_name(frame.columns)
        schema = self.schema if self.schema is not None else Schema(target=target)
        labels = np.asarray(y)
        joined = frame.with_columns(nw.new_series(target, labels, backend=frame.implementation).alias(target))
        release = self.anonymize(nw.to_native(joined), schema)
        self.release_ = release
        published = nw.from_native(release.table, eager_only=True)
        new_y = published[target].to_numpy()
        return nw.to_native(published.drop(target)), new_y.astype(labels.dtype, copy=False)


def _free_name(columns: Sequence[str]) -> str:
    name = "target"
    while name in columns:
        name += "_"
    return name


def _as_list(require: Any) -> tuple[Any, ...]:
    return (require,) if isinstance(require, Requirement | str) else tuple(require)
