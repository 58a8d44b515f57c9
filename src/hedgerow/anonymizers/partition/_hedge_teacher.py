"""The teacher of Hedge: it estimates labels out of fold, and so places every distinct tuple in a space.

Every tuple is a point ``[a l, f_1 … f_d]``. ``l`` is the estimate of a boosted teacher that has not seen the tuple,
unless the tuple has many records: log-odds, for several labels centred log-probabilities, for numbers the prediction.
``f_j`` is what the value of column ``j`` contributes to a second booster without interactions, also out of fold, times
the weight of the column. ``a`` gives both parts the same variance. Folds come from hashes of the tuples, so a point
depends only on its tuple: neither the order of the rows nor any other row decides in which fold it is.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow._internal.threads import on_a_core_each
from hedgerow.anonymizers.trees.training import known_target
from hedgerow.core.counts import FrequencyTable, holds_classes
from hedgerow.errors import BadInput
from hedgerow.io.domains import Domain

__all__ = [
    "TeacherSpace",
    "TrainingTable",
    "boosting",
    "check_teacher",
    "order_by_teacher",
    "readable_rows",
    "training_table",
    "teach",
]

# scikit-learn's boosting handles no more categories. The last one stands for all others.
_MOST_CATEGORIES: Final = 254
# Boosting grows a tree for each label, and points have a coordinate for each. The rarest of more labels are merged.
_MOST_LABELS: Final = 30
# A leaf of boosting needs this many rows, whatever they weigh. A cell with that many records is repeated as often.
_ROWS_OF_LEAF: Final = 20
# A tuple with this many records trains the teacher of its own fold too. Where tuples are few, other tuples say nothing
# about it, and the label of one record among so many reveals little.
_MANY_RECORDS: Final = 50
# Squares of numbers outside these bounds overflow or vanish.
_SMALLEST, _LARGEST = 1e-100, 1e100
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """A frequency table as learners read it: one row for each cell.

    Attributes
    ----------
    values : tuple of float arrays
        Per column, the number for each code: positions of numbers, otherwise codes; nan for a missing value.
    categorical : bool array (columns,)
    rows : float array (cells, columns)
    target : array (cells,)
        Codes of labels from 0 without gaps, or numbers.
    weights : int array (cells,)
    labels : int
        How many there are; 0 if the target is a number. Where there are many, the last stands for all others.
    label_of_code : int array
        The label of each code of the target's domain, -1 if it does not occur.
    """

    values: tuple[Floats, ...]
    categorical: Bools
    rows: Floats
    target: Longs | Floats
    weights: Longs
    labels: int
    label_of_code: Longs


@dataclass(frozen=True, eq=False)
class TeacherSpace:
    """The points of all tuples, and the estimates of the teacher.

    Attributes
    ----------
    points : float array (tuples, dimensions)
        First the teacher's estimate, then what the columns add; centred, with variances that add up to 1.
    teacher_dimensions : int
        How many of the dimensions are the teacher's.
    estimates : float array (tuples, labels)
        The probability of each label, out of fold; for numbers one column, the prediction.
    added : tuple of float arrays (codes, directions)
        What each value of a column adds, averaged over the folds, in the scale of the points.
    share : float
        The factor of the teacher's part.
    centre : float array (dimensions,)
        The mean of the points if the teacher's estimate were the sum of what columns add.
    """

    points: Floats
    teacher_dimensions: int
    estimates: Floats
    added: tuple[Floats, ...]
    share: float
    centre: Floats


def training_table(counts: FrequencyTable, owner: str) -> TrainingTable:
    """A frequency table as learners read it."""
    target = known_target(counts, owner)
    domain = counts.domains[target]
    numeric = domain.kind == "number" and not holds_classes(domain)
    codes = counts.values_of(target)
    values, categorical = zip(*(_numbers_of_codes(counts, name) for name in counts.quasi), strict=True)
    rows = np.stack(
        [value[counts.tuples[counts.cell_tuple, at]] for at, value in enumerate(values)], axis=1, dtype=np.float64
    )
    number_of = _labels(counts.histogram(target))
    targets = _numbers(domain)[codes] if numeric else number_of[codes]
    labels = 0 if numeric else int(number_of.max()) + 1
    return TrainingTable(values, np.array(categorical), rows, targets, counts.cell_sizes, labels, number_of)


def _labels(records: Longs) -> Longs:
    """The label of each code, -1 if it does not occur; among many labels, the rarest share a number."""
    present = np.flatnonzero(records)
    number_of = np.full(len(records), -1, dtype=np.int64)
    if len(present) > _MOST_LABELS:
        number_of[present] = _MOST_LABELS - 1
        present = np.sort(present[np.argsort(-records[present], kind="stable")[: _MOST_LABELS - 1]])
    number_of[present] = np.arange(len(present))
    return number_of


def _numbers(domain: Domain) -> Floats:
    """The numbers of a target, rescaled if they are too large or too small to be squared."""
    largest = np.abs(domain.values).max()
    return domain.values if largest == 0 or _SMALLEST < largest < _LARGEST else domain.positions


def _numbers_of_codes(counts: FrequencyTable, name: str) -> tuple[Floats, bool]:
    """The number for each code of a column, and whether these numbers are categories."""
    domain = counts.domains[name]
    numbers = np.full(domain.size, np.nan)
    known = len(domain.labels)
    if domain.numbers is not None:
        numbers[:known] = domain.positions
        return numbers, False
    numbers[:known] = np.arange(known)
    if domain.ordered:
        return numbers, False
    if known > _MOST_CATEGORIES:
        by_frequency = np.argsort(-counts.histogram(name)[:known], kind="stable")
        numbers[by_frequency] = np.minimum(np.arange(known), _MOST_CATEGORIES - 1)
    return numbers, True


def boosting(table: TrainingTable, target: Longs | Floats, seed: int, *, additive: bool = False) -> Any:
    """The default teacher, to be trained on ``target``."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingClassifier if table.labels else HistGradientBoostingRegressor
    # Early stopping holds back rows of each label, which fails for a label with a single row.
    single = bool(table.labels) and bool((np.unique(target, return_counts=True)[1] < 2).any())
    return kind(
        categorical_features=np.flatnonzero(table.categorical),
        interaction_cst="no_interactions" if additive else None,
        # A tree of one column needs few leaves.
        max_leaf_nodes=15 if additive else 31,
        early_stopping=False if single else "auto",
        random_state=_sklearn_seed(seed),
    )


def readable_rows(rows: Floats) -> Floats:
    """Rows that boosting can read: a column without any value becomes a constant."""
    return np.where(np.isnan(rows).all(axis=0), 0.0, rows)


def _sklearn_seed(seed: int) -> int:
    """The seed in the range that scikit-learn accepts."""
    return seed % 2**32


def teach(counts: FrequencyTable, table: TrainingTable, teacher: Any, folds: int, seed: int) -> TeacherSpace:
    """Train a teacher for each fold; ``teacher`` is a scikit-learn estimator, or ``"boosting"``."""
    fold = _folds(counts, folds, seed)
    fold_of_cell = fold[counts.cell_tuple]
    always = counts.tuple_sizes[counts.cell_tuple] >= _MANY_RECORDS
    of_tuple = np.searchsorted(counts.cell_tuple, np.arange(len(counts.tuples)))
    rows = table.rows[of_tuple]

    def learn(number: int) -> _Fold:
        seen = (fold_of_cell != number) | always
        members = fold == number
        scores = _scores(table, teacher, seed, seen, rows[members])
        return _Fold(members, scores, _added(table, seen, rows[members][:1], seed))

    learnt = on_a_core_each(learn, [number for number in range(folds) if (fold == number).any()], counts.rows)
    return _space(counts, table, learnt)


class _Fold(NamedTuple):
    """What was learnt without a fold: the tuples in it, their scores, and what each value of each column adds."""

    members: Bools
    scores: Floats
    added: tuple[Floats, ...]


def _folds(counts: FrequencyTable, folds: int, seed: int) -> Longs:
    """The fold of each tuple, by a hash of its values."""
    mixed = np.full(len(counts.tuples), seed % 2**64, dtype=np.uint64) * _MIX + np.uint64(1)
    for at, name in enumerate(counts.quasi):
        domain = counts.domains[name]
        hashes = np.array([zlib.crc32(label.encode()) for label in domain.labels.tolist()] + [1] * domain.has_missing)
        mixed = (mixed ^ hashes.astype(np.uint64)[counts.tuples[:, at]]) * _MIX
        mixed ^= mixed >> np.uint64(29)
    fold = (mixed % np.uint64(folds)).astype(np.int64)
    if len(np.unique(fold)) < 2:  # a few tuples may all fall into one
        fold = np.arange(len(fold)) % folds
    return fold


def check_teacher(table: TrainingTable, teacher: Any, owner: str) -> None:
    """Refuse a teacher that cannot predict what is needed: probabilities of labels, or numbers."""
    if isinstance(teacher, str):
        return
    from sklearn.base import BaseEstimator, is_regressor

    must = "a classifier that predicts probabilities (predict_proba)"
    if not table.labels:
        must = "a regressor where the target holds numbers"
    able = isinstance(teacher, BaseEstimator)
    if not able or not (hasattr(teacher, "predict_proba") if table.labels else is_regressor(teacher)):
        raise BadInput.parameter("teacher", owner, f"'boosting' or {must}", type(teacher).__name__)


def _teacher(table: TrainingTable, teacher: Any, seed: int) -> Any:
    """A teacher that reads our rows, with categories encoded and missing values filled."""
    from sklearn.base import clone
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(SimpleImputer(add_indicator=True, keep_empty_features=True), StandardScaler())
    categories = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=50, sparse_output=False)
    encoder = make_column_transformer(
        (categories, np.flatnonzero(table.categorical)), (numbers, np.flatnonzero(~table.categorical))
    )
    own = clone(teacher)
    # Our seed decides what the teacher leaves to chance.
    chance = [name for name, value in own.get_params().items() if name.endswith("random_state") and value is None]
    return make_pipeline(encoder, own.set_params(**dict.fromkeys(chance, _sklearn_seed(seed))))


def _fit(model: Any, table: TrainingTable, seen: Bools) -> Any:
    """Fit on the cells that may be seen; a teacher without sample weights sees each record as a row."""
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    records = table.weights[seen]
    last = model.steps[-1] if isinstance(model, Pipeline) else None
    weighted = has_fit_parameter(model if last is None else last[1], "sample_weight")
    copies = np.minimum(records, _ROWS_OF_LEAF) if weighted else records
    rows, target = np.repeat(readable_rows(table.rows[seen]), copies, axis=0), np.repeat(table.target[seen], copies)
    if not weighted:
        return model.fit(rows, target)
    named = "sample_weight" if last is None else f"{last[0]}__sample_weight"
    return model.fit(rows, target, **{named: np.repeat(records / copies, copies)})


def _scores(table: TrainingTable, teacher: Any, seed: int, seen: Bools, rows: Floats) -> Floats:
    """The estimates for rows by a teacher that saw some cells: log-odds, centred log-probabilities or numbers."""
    if not _can_learn(table, seen):
        return np.zeros((len(rows), _directions(table)))
    predicted = _predicted(table, teacher, seed, seen, rows)
    if not table.labels:
        return np.asarray(predicted, dtype=np.float64).reshape(len(rows), 1)
    chances = np.zeros((len(rows), table.labels))
    chances[:, np.unique(table.target[seen])] = predicted
    logs = np.log(np.clip(chances, 1e-6, None))
    logs -= logs.mean(axis=1, keepdims=True)
    return logs if table.labels > 2 else logs[:, 1:] - logs[:, :1]


def _predicted(table: TrainingTable, teacher: Any, seed: int, seen: Bools, rows: Floats) -> Any:
    """The predictions of a teacher: probabilities of the labels it saw, or numbers."""

    def learnt(model: Any) -> Any:
        fitted = _fit(model, table, seen)
        return fitted.predict_proba(rows) if table.labels else fitted.predict(rows)

    if isinstance(teacher, str):
        return learnt(boosting(table, table.target[seen], seed))
    try:
        return learnt(_teacher(table, teacher, seed))
    except (ValueError, TypeError):
        pass  # the teacher's message may quote values
    raise BadInput(
        f"The teacher {type(teacher).__name__} cannot learn from a part of this table. Use another teacher, or leave "
        "teacher out."
    )


def _can_learn(table: TrainingTable, seen: Bools) -> bool:
    """Whether there is anything to learn from these cells."""
    return len(np.unique(table.target[seen])) > (1 if table.labels else 0)


def _directions(table: TrainingTable) -> int:
    """How many numbers an estimate has."""
    return table.labels if table.labels > 2 else 1


def _added(table: TrainingTable, seen: Bools, reference: Floats, seed: int) -> tuple[Floats, ...]:
    """What each value of each column adds to the score of a booster without interactions."""
    directions = _directions(table)
    if not _can_learn(table, seen):
        return tuple(np.zeros((len(value), directions)) for value in table.values)
    model = _fit(boosting(table, table.target[seen], seed, additive=True), table, seen)

    def scored(rows: Floats) -> Floats:
        scores = np.asarray(model.decision_function(rows) if table.labels else model.predict(rows), dtype=np.float64)
        scores = scores.reshape(len(rows), -1)
        if scores.shape[1] == directions:
            return scores
        wide = np.zeros((len(rows), directions))  # a label that was not seen has no score
        wide[:, model.classes_] = scores if scores.shape[1] > 1 else np.column_stack([-scores / 2, scores / 2])
        return wide

    base = scored(reference)
    added = []
    for at, value in enumerate(table.values):
        rows = np.repeat(reference, len(value), axis=0)
        rows[:, at] = value
        added.append(scored(rows) - base)
    return tuple(added)


def _space(counts: FrequencyTable, table: TrainingTable, folds: Sequence[_Fold]) -> TeacherSpace:
    """Put the folds together, and both parts on one scale."""
    weights = counts.tuple_sizes.astype(np.float64)
    # What a value adds is measured against an average record, which is the same in all folds.
    added_in = [_centred(counts, fold.added) for fold in folds]
    scores = np.zeros((len(counts.tuples), _directions(table)))
    columns = np.zeros((len(counts.tuples), len(counts.quasi), scores.shape[1]))
    for fold, contributions in zip(folds, added_in, strict=True):
        members = fold.members
        scores[members] = fold.scores
        for at, of_code in enumerate(contributions):
            columns[members, at] = of_code[counts.tuples[members, at]]
    columns *= counts.column_weights[None, :, None]
    flat = columns.reshape(len(scores), -1)
    variances = _total_variance(scores, weights), _total_variance(flat, weights)
    share = float(np.sqrt(variances[1] / variances[0])) if min(variances) > 0 else 1.0
    points = np.column_stack([share * scores, flat])
    points -= np.average(points, axis=0, weights=weights)
    size = float(np.sqrt(_total_variance(points, weights)))
    scale = 1 / size if size > 0 else 1.0
    averages = [np.mean(of_folds, axis=0) for of_folds in zip(*added_in, strict=True)]
    added = tuple(average * weight * scale for average, weight in zip(averages, counts.column_weights, strict=True))
    parts = [of_code[counts.tuples[:, at]] for at, of_code in enumerate(added)]
    centre = np.average(np.column_stack([share * np.sum(parts, axis=0), *parts]), axis=0, weights=weights)
    return TeacherSpace(points * scale, scores.shape[1], _probabilities(table, scores), added, share, centre)


def _centred(counts: FrequencyTable, added: Sequence[Floats]) -> list[Floats]:
    """What each value adds beyond the average record."""
    return [
        of_code - np.average(of_code, axis=0, weights=counts.histogram(name))
        for name, of_code in zip(counts.quasi, added, strict=True)
    ]


def _total_variance(points: Floats, weights: Floats) -> float:
    """The sum of the variances of all dimensions."""
    mean = np.average(points, axis=0, weights=weights)
    return float((weights @ (points - mean) ** 2).sum() / weights.sum())


def _probabilities(table: TrainingTable, scores: Floats) -> Floats:
    """From scores to probabilities; numbers stay unchanged."""
    if not table.labels:
        return scores
    logs = scores if table.labels > 2 else np.column_stack([np.zeros(len(scores)), scores])[:, : table.labels]
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def order_by_teacher(counts: FrequencyTable, at: int, teacher_space: TeacherSpace) -> Ints:
    """The rank of each code of a column without an order, by what its values add along their main direction."""
    domain: Domain = counts.domains[counts.quasi[at]]
    known = teacher_space.added[at][: len(domain.labels)]
    weights = counts.histogram(domain.name)[: len(domain.labels)].astype(np.float64)
    centred = known - np.average(known, axis=0, weights=np.maximum(weights, 1e-9))
    along = centred[:, 0]
    if centred.shape[1] > 1:
        _, axes = np.linalg.eigh((centred * weights[:, None]).T @ centred)
        along = centred @ axes[:, -1]
        along = along if along[np.abs(along).argmax()] >= 0 else -along
    ranks = np.empty(domain.size, dtype=np.int32)
    ranks[np.argsort(np.round(along, 9), kind="stable")] = np.arange(len(domain.labels))
    if domain.has_missing:
        ranks[domain.missing_code] = len(domain.labels)
    return ranks
