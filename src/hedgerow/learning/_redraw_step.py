"""Redrawing as a step of an imbalanced-learn pipeline, after which learners see only what a release reveals.

The training rows are anonymized with proportions, then redrawn as original values (:mod:`hedgerow.learning.redraw`).
Any learner may follow, and rows to predict stay unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import narwhals as nw
import numpy as np
import pyarrow.compute as pc
from sklearn.base import BaseEstimator, clone

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.errors import BadInput, is_int, translated
from hedgerow.io.frames import OpenFrame, as_arrow
from hedgerow.io.ndarray import Labelled, open_labelled
from hedgerow.io.sanitize import assemble
from hedgerow.learning._inputs import generator_of, note_columns
from hedgerow.learning.redraw import Seed, Shares, check_shares, redraw
from hedgerow.release import Release

__all__ = ["Redraw"]


@dataclass(kw_only=True, eq=False, repr=False)
class Redraw(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type hints
    """Anonymize training rows and redraw them as original values, as a step of an imbalanced-learn pipeline.

    Parameters
    ----------
    anonymizer : Anonymizer
        The method, such as ``hr.Mondrian(k=10)``. Its proportions are always used, even if it does not publish them.
        All columns are quasi-identifiers unless it has a schema.
    repeats : int
        How many times to draw each record.
    shares : {"auto", "proportions", "uniform", "frequency"}
        The probabilities of the values that a cell may stand for, as in :func:`hedgerow.learning.redraw`. The last two
        need no proportions.
    random_state : int, numpy Generator or None
        The same number gives the same rows, in the same order. It is also the seed of the anonymizer, unless that has
        its own.

    Attributes
    ----------
    release_ : Release
        The release that the rows were drawn from.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> towns = pa.table({"town": ["Ulm"] * 6 + ["Bern"] * 6})
    >>> step = hr.learning.Redraw(anonymizer=hr.Mondrian(k=3), random_state=0)
    >>> X, y = step.fit_resample(towns, ["beer"] * 6 + ["wine"] * 6)
    >>> sorted(set(zip(X["town"].to_pylist(), y.tolist())))
    [('Bern', 'wine'), ('Ulm', 'beer')]
    """

    anonymizer: Any = None
    repeats: int = 1
    shares: Shares = "auto"
    random_state: Seed = None

    def fit(self, X: Any, y: Any) -> Self:
        """Anonymize training rows without drawing any. ``release_`` is the release."""
        self._released(X, y)
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Anonymize training rows and redraw them.

        Parameters
        ----------
        X : dataframe or array
            The columns of an array are called ``x0``, ``x1``, ….
        y : array or series
            The classes, which are the target of the anonymizer's schema.

        Returns
        -------
        X, y
            The published rows as original values, ``repeats`` times, shuffled, and their classes. Columns and classes
            have their original types.
        """
        labelled, generator = self._released(X, y)
        drawn = self._drawn(self.release_, generator)
        features, classes = labelled.parted(drawn)
        order = generator.permutation(len(classes))
        return _in_their_types(labelled, features[order]), labelled.as_given(classes[order])

    def _released(self, X: Any, y: Any) -> tuple[Labelled, np.random.Generator]:
        """Make the release of training rows."""
        owner = type(self).__name__
        if not isinstance(self.anonymizer, Anonymizer):
            must = "a method such as hr.Mondrian(k=10)"
            raise BadInput.parameter("anonymizer", owner, must, type(self.anonymizer).__name__)
        if not is_int(self.repeats, 1):
            raise BadInput.parameter("repeats", owner, "an int >= 1", self.repeats)
        check_shares(self.shares, owner)
        generator = generator_of(self.random_state, owner)
        step: Anonymizer = clone(self.anonymizer)
        labelled = open_labelled(X, y, step.schema, owner)
        seeded = step.random_state is None and self.random_state is not None
        self.release_ = step.anonymize(
            labelled.table,
            labelled.schema,
            random_state=int(generator.integers(2**31)) if seeded else None,
            publish_proportions=self.shares in ("auto", "proportions"),
        )
        note_columns(self, labelled.opened, named=not labelled.from_array)
        return labelled, generator

    def _drawn(self, release: Release, generator: np.random.Generator) -> Any:
        """The redrawn release.

        No seed decides the order of its rows, so they are sorted before a seeded draw.
        """
        if self.random_state is None:
            return redraw(release, self.repeats, generator, shares=self.shares)
        frame = nw.from_native(release.table, eager_only=True)
        mixed = BadInput("The rows cannot be sorted, because a column mixes types. Make it all text or all numbers.")
        with translated(TypeError, ValueError, into=mixed):
            ordered = frame.sort(frame.columns, nulls_last=True)
        return redraw(
            nw.to_native(ordered),
            self.repeats,
            generator,
            shares=self.shares,
            proportions=release.proportions,
            quasi=release.quasi,
            hierarchies=release.label_hierarchies,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _in_their_types(labelled: Labelled, features: nw.DataFrame[Any]) -> Any:
    """Features in their original types."""
    opened = labelled.opened
    columns = {name: _typed(opened, features[name], opened.frame[name]) for name in features.columns}
    return opened.back(assemble(opened, columns, same_categories=True))


def _typed(opened: OpenFrame, column: nw.Series[Any], original: nw.Series[Any]) -> nw.Series[Any]:
    """A drawn column in the type of the original: truth values, categories, numbers of the same width."""
    like_pandas = opened.frame.implementation.is_pandas_like()
    if column.dtype == original.dtype and not like_pandas:
        return column
    zone = original.dtype.time_zone if isinstance(original.dtype, nw.Datetime) else None
    if zone is not None and isinstance(column.dtype, nw.Datetime) and column.dtype.time_zone is None:
        # Times are drawn in local time; a local time that is ambiguous, or does not exist, becomes the earliest moment.
        drawn = as_arrow(column)
        moments = pc.assume_timezone(drawn, zone, ambiguous="earliest", nonexistent="earliest").cast(drawn.type)
        in_utc = opened.series(column.name, moments.combine_chunks()).dt.replace_time_zone("UTC")
        column = in_utc.dt.convert_time_zone(zone)
    if original.dtype == nw.Boolean:
        # Truth values are drawn as text.
        column = opened.series(column.name, pc.equal(as_arrow(column), "true").combine_chunks())
    if like_pandas:
        native = nw.to_native(column).astype(nw.to_native(original).dtype)
        return nw.from_native(native, series_only=True)
    return column.cast(original.dtype)
