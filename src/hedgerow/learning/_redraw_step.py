"""Redrawing as a step of an imbalanced-learn pipeline: learners train on what can be known of a release, and no more.

The training rows are anonymized with proportions and drawn back to original values
(:mod:`hedgerow.learning.redraw`), so that any learner follows, and rows to be predicted stay as they are.
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
    """Anonymize training rows and draw them back to original values, as a step of an imbalanced-learn pipeline.

    Parameters
    ----------
    anonymizer : Anonymizer
        The method, such as ``hr.Mondrian(k=10)``. Its proportions are used, whether it would publish them or not. All
        columns are quasi-identifiers unless it has a schema.
    repeats : int
        How many times to draw each record.
    shares : {"auto", "proportions", "uniform", "frequency"}
        How probable the values are that a cell may stand for, as for :func:`hedgerow.learning.redraw`. The last two
        need no proportions.
    random_state : int, numpy Generator or None
        The same number gives the same rows, in the same order. It also decides what the anonymizer leaves to chance,
        unless that has a seed of its own.

    Attributes
    ----------
    release_ : Release
        What the rows were drawn from.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import hedgerow as hr
    >>> towns = pa.table({"town": ["Ulm"] * 6 + ["Bern"] * 6})
    >>> X, y = Redraw(anonymizer=hr.Mondrian(k=3), random_state=0).fit_resample(towns, ["beer"] * 6 + ["wine"] * 6)
    >>> sorted(set(zip(X["town"].to_pylist(), y.tolist())))
    [('Bern', 'wine'), ('Ulm', 'beer')]
    """

    anonymizer: Any = None
    repeats: int = 1
    shares: Shares = "auto"
    random_state: Seed = None

    def fit(self, X: Any, y: Any) -> Self:
        """Anonymize training rows, without drawing any: ``release_`` is what they would be drawn from."""
        self._released(X, y)
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Anonymize training rows and draw them anew.

        Parameters
        ----------
        X : dataframe or array
            The columns of an array are called ``x0``, ``x1``, ….
        y : array or series
            The class; it is the target of the anonymizer's schema.

        Returns
        -------
        X, y
            ``repeats`` times the published rows in the original domain, shuffled, and their classes. Columns have the
            types that they came in, and so have the classes of a series.
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
        """The release in the original domain.

        Its rows are in no order that a seed decides, so they are sorted before a seeded draw.
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
    """Features in the types that their columns came in."""
    opened = labelled.opened
    columns = {name: _typed(opened, features[name], opened.frame[name]) for name in features.columns}
    return opened.back(assemble(opened, columns, same_categories=True))


def _typed(opened: OpenFrame, column: nw.Series[Any], original: nw.Series[Any]) -> nw.Series[Any]:
    """A drawn column as its original was: truth values, categories, numbers of the same width."""
    like_pandas = opened.frame.implementation.is_pandas_like()
    if column.dtype == original.dtype and not like_pandas:
        return column
    zone = original.dtype.time_zone if isinstance(original.dtype, nw.Datetime) else None
    if zone is not None and isinstance(column.dtype, nw.Datetime) and column.dtype.time_zone is None:
        # Moments are drawn as the clocks show them; those that clocks show twice, or never, are the earlier ones.
        drawn = as_arrow(column)
        told = pc.assume_timezone(drawn, zone, ambiguous="earliest", nonexistent="earliest").cast(drawn.type)
        in_utc = opened.series(column.name, told.combine_chunks()).dt.replace_time_zone("UTC")
        column = in_utc.dt.convert_time_zone(zone)
    if original.dtype == nw.Boolean:
        # Truth values are drawn as text.
        column = opened.series(column.name, pc.equal(as_arrow(column), "true").combine_chunks())
    if like_pandas:
        native = nw.to_native(column).astype(nw.to_native(original).dtype)
        return nw.from_native(native, series_only=True)
    return column.cast(original.dtype)
