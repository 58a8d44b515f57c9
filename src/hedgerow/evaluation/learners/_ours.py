"""Hedgerow's own classifiers as learners: C4.5, ID3 for published tables, and kADET.

C4.5 and ID3 read published cells themselves, so they get the unchanged table. For kADET, which does not support sets,
and for C4.5 on rows without generalized cells, columns are read as for other learners
(:mod:`hedgerow.evaluation.learners.columns`); C4.5 then equals J48.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Ints
from hedgerow.core.cells import Interval, Leaves, ValueSet, kind_of_texts, number_in, parse, read, spelled, stands_for
from hedgerow.core.counts import dictionary_of, is_text
from hedgerow.evaluation.learners.base import Fitted, Learner, Prediction, Training, as_json
from hedgerow.evaluation.learners.columns import Columns, cell_texts, plain_table
from hedgerow.io.domains import Kind

if TYPE_CHECKING:
    from hedgerow.anonymizers.trees.inducers.id3 import Assign, Entropy
    from hedgerow.anonymizers.trees.inducers.kadet import Criterion
    from hedgerow.core.proportions import Proportions
    from hedgerow.learning.id3 import Numbers

__all__ = ["C45", "ID3", "KADET"]

Reader = Callable[[pa.Table], pa.Table]
"""A function that turns rows into the table for a classifier."""


@dataclass(frozen=True, eq=False)
class FittedTree(Fitted):
    """A fitted classifier of Hedgerow's, and the function that reads rows for it."""

    model: Any
    reader: Reader
    labels: tuple[str, ...]

    def _predict(self, table: pa.Table) -> Prediction:
        return Prediction.of_classes(self.labels, self.model.predict_proba(self.reader(table)))


class TreeLearner(Learner):
    """A learner with a tree of Hedgerow's. In keys, files of hierarchies and proportions are known by their content."""

    tasks = frozenset({"classes"})

    def spelled(self) -> dict[str, Any]:
        spelled = super().spelled()
        if "hierarchies" in spelled:
            given: Mapping[str, Any] = vars(self)["hierarchies"] or {}
            spelled["hierarchies"] = {column: as_json(_file_or(spec)) for column, spec in given.items()}
        if "proportions" in spelled:
            spelled["proportions"] = as_json(_file_or(vars(self)["proportions"]))
        return spelled


@dataclass(frozen=True, kw_only=True)
class C45(TreeLearner):
    """C4.5 (:class:`hedgerow.learning.C45Classifier`), which is J48 on raw rows.

    Parameters
    ----------
    confidence, min_objects, pruned
        See there.
    fractional : bool, optional
        Whether a set or an interval sends its record down every branch with a share. By default it does if the training
        rows contain any; otherwise ``*`` is missing, as in J48.
    proportions : Proportions or path, optional
        The shares of a release, if they are used.
    """

    name = "c45"

    confidence: float = 0.25
    min_objects: int = 2
    pruned: bool = True
    fractional: bool | None = None
    proportions: Proportions | str | Path | None = None

    def _fit(self, training: Training) -> Fitted:
        from hedgerow.learning import C45Classifier

        fractional = _generalized(training) if self.fractional is None else self.fractional
        model = C45Classifier(**{**vars(self), "fractional": fractional}, missing=training.missing)
        return _grown_from_cells(model, training) if fractional else _grown_from_columns(model, training)


@dataclass(frozen=True, kw_only=True)
class ID3(TreeLearner):
    """ID3 for published tables; for the parameters see :class:`hedgerow.learning.GeneralizedID3Classifier`."""

    name = "id3"

    entropy: Entropy = "shared"
    assign: Assign = "random"
    fractional: bool = False
    numbers: Numbers = "thresholds"
    min_objects: int = 1
    max_depth: int | None = None
    hierarchies: Mapping[str, Any] | None = None
    proportions: Proportions | str | Path | None = None

    def _fit(self, training: Training) -> Fitted:
        from hedgerow.learning import GeneralizedID3Classifier

        model = GeneralizedID3Classifier(**vars(self), random_state=training.random_state, missing=training.missing)
        return _grown_from_cells(model, training)


@dataclass(frozen=True, kw_only=True)
class KADET(TreeLearner):
    """kADET, whose tree may itself be published; for the parameters see :class:`hedgerow.learning.KADETClassifier`.

    Categories of a column with a hierarchy are kept, so that new categories are found in the hierarchy.
    """

    name = "kadet"

    k: int = 10
    public: Sequence[str] | None = None
    hierarchies: Mapping[str, Any] | None = None
    criterion: Criterion = "gain_ratio"
    pruned: bool = True

    def _fit(self, training: Training) -> Fitted:
        from hedgerow.learning import KADETClassifier

        return _grown_from_columns(KADETClassifier(**vars(self), missing=()), training, tuple(self.hierarchies or ()))


def _file_or(given: Any) -> Any:
    return Path(given) if isinstance(given, str) and Path(given).is_file() else given


def _grown_from_columns(model: Any, training: Training, with_hierarchy: Sequence[str] = ()) -> Fitted:
    """Fit a classifier on numbers and categories."""
    columns = Columns.of(training.table, training.missing)
    kept = [column.name for column in columns.decided if column.name in with_hierarchy and column.kind != "number"]

    def reader(table: pa.Table) -> pa.Table:
        plain = plain_table(columns.read(table))
        for name in kept:
            plain = plain.set_column(plain.column_names.index(name), name, _known(name, table[name], columns.missing))
        return plain

    model.fit(reader(training.table), training.names)
    return FittedTree(model, reader, training.labels)


def _grown_from_cells(model: Any, training: Training) -> Fitted:
    """Fit a classifier on published cells."""
    model.fit(_without_nan(training.table), training.names)
    attributes = model.tree_.set_attributes
    numeric = {attribute.name: (attribute.kind, attribute.leaves) for attribute in attributes if attribute.numeric}

    def reader(table: pa.Table) -> pa.Table:
        table = _without_nan(table)
        for at, name in enumerate(table.column_names):
            if name in numeric:
                table = table.set_column(at, name, _readable(name, table[name], *numeric[name], training.missing))
        return table

    return FittedTree(model, reader, training.labels)


def _generalized(training: Training) -> bool:
    """Whether the training rows have sets, or intervals in a column of numbers."""
    missing = frozenset(training.missing)
    return any(_has_generalized(name, training.table[name], missing) for name in training.table.column_names)


def _has_generalized(name: str, values: pa.ChunkedArray, missing: frozenset[str]) -> bool:
    if not _holds_text(values.type):
        return False
    _, texts = cell_texts(name, values, missing)
    meanings = {text: parse(text) for text in texts if text is not None}
    if any(isinstance(meaning, ValueSet) and len(meaning.members) > 1 for meaning in meanings.values()):
        return True
    plain = [text for text, meaning in meanings.items() if not isinstance(meaning, Interval)]
    return len(plain) < len(meanings) and (not plain or kind_of_texts(plain) == "number")


def _holds_text(kind: pa.DataType) -> bool:
    return is_text(kind.value_type if pa.types.is_dictionary(kind) else kind)


def _without_nan(table: pa.Table) -> pa.Table:
    """A table with null for NaN and infinite numbers, which Hedgerow's classifiers refuse."""
    for at, name in enumerate(table.column_names):
        if pa.types.is_floating(table[name].type):
            finite = pc.if_else(pc.is_finite(table[name]), table[name], pa.scalar(None, table[name].type))
            table = table.set_column(at, name, finite)
    return table


def _known(name: str, values: pa.ChunkedArray, missing: frozenset[str]) -> pa.ChunkedArray:
    """A column with null for missing and suppressed cells."""
    if not _holds_text(values.type):
        return values
    codes, texts = cell_texts(name, values, missing)
    return _taken(texts, codes)


def _readable(
    name: str, values: pa.ChunkedArray, kind: Kind, leaves: Leaves, missing: Sequence[str]
) -> pa.ChunkedArray:
    """A column that was numeric in training, with null for other cells, for which a tree has no branch."""
    if not (_holds_text(values.type) or pa.types.is_boolean(values.type)):
        return values

    def number(text: str) -> bool:
        possible = stands_for(read(text, leaves=leaves))
        members = possible if isinstance(possible, frozenset) else ()
        return all(member is None or number_in(member, kind) is not None for member in members)

    codes, distinct = dictionary_of(name, values)
    texts = map(spelled, distinct.to_pylist())
    return _taken(
        [text if text is not None and text not in missing and number(text) else None for text in texts], codes
    )


def _taken(texts: Sequence[str | None], codes: Ints) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(texts, pa.large_string()).take(pa.array(codes, mask=codes < 0))])
