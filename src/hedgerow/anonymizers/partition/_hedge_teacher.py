"""What teachers know of each distinct tuple of a table: the space in which Hedge forms groups.

Every tuple is a point ``[a l, f_1 … f_d]``. ``l`` is what a boosted teacher, who has not seen the tuple (unless it is
one of many records), says of its label: its log-odds, for several labels their centred log-probabilities, for numbers
the predicted one. ``f_j`` is what the value of column ``j`` adds according to a second booster that knows no
interactions, out of fold too, times the weight of the column. ``a`` makes both parts vary alike. Folds are drawn by
hashes of the tuples, so that a point is a function of its tuple: neither the order of the rows nor another row decides
in which fold it is.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow._internal.threads import on_a_core_each
from hedgerow.anonymizers.trees.training import known_target
from hedgerow.core.counts import FrequencyTable, holds_classes
from hedgerow.errors import BadInput
from hedgerow.io.domains import Domain

__all__ = ["Lesson", "Table", "boosting", "check_teacher", "order_of", "readable", "table_of", "taught"]

# scikit-learn's boosting knows no more categories; one is left for all others.
_MOST_CATEGORIES: Final = 254
# Boosting grows a tree for each label, and points have a coordinate for each: of more labels, the rarest are one.
_MOST_LABELS: Final = 30
# So many rows a leaf of boosting needs, whatever they weigh: a cell is laid out as often, if it has the records.
_ROWS_OF_LEAF: Final = 20
# A tuple of so many records is learnt from in its own fold too: where tuples are few, others say nothing of it, and
# the label of one record tells little among so many.
_SPEAKS_FOR_ITSELF: Final = 50
# The squares of numbers outside are no floats.
_SMALLEST, _LARGEST = 1e-100, 1e100
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Table:
    """A frequency table as learners read it: one row for each cell.

    Attributes
    ----------
    values : tuple of float arrays
        Per column, what a learner reads for each code: positions of numbers, else codes; nan is missing.
    categorical : bool array (columns,)
    rows : float array (cells, columns)
    target : array (cells,)
        Codes of labels from 0 without gaps, or numbers.
    weights : int array (cells,)
    labels : int
        How many there are; 0 if the target is a number. The last one stands for all others where there are many.
    label_of_code : int array
        The number of each code of the target's domain, -1 for what does not occur.
    """

    values: tuple[Floats, ...]
    categorical: Bools
    rows: Floats
    target: Longs | Floats
    weights: Longs
    labels: int
    label_of_code: Longs


@dataclass(frozen=True, eq=False)
class Lesson:
    """What was learnt.

    Attributes
    ----------
    points : float array (tuples, dimensions)
        The space: first what the teacher says, then what the columns add; centred, their variances adding up to 1.
    said : int
        How many of the dimensions are the teacher's.
    guess : float array (tuples, labels)
        The probability of each label, out of fold; of a number one column, the prediction.
    added : tuple of float arrays (codes, directions)
        What each value of a column adds, on average over the folds and in the scale of the points.
    share : float
        What the teacher's part is multiplied by.
    centre : float array (dimensions,)
        Where the points would lie on average if the teacher knew no more than what columns add.
    """

    points: Floats
    said: int
    guess: Floats
    added: tuple[Floats, ...]
    share: float
    centre: Floats


def table_of(counts: FrequencyTable, owner: str) -> Table:
    """Lay a frequency table out for learners."""
    target = known_target(counts, owner)
    domain = counts.domains[target]
    numeric = domain.kind == "number" and not holds_classes(domain)
    codes = counts.values_of(target)
    values, categorical = zip(*(_read(counts, name) for name in counts.quasi), strict=True)
    rows = np.stack(
        [value[counts.tuples[counts.cell_tuple, at]] for at, value in enumerate(values)], axis=1, dtype=np.float64
    )
    number_of = _labels(counts.histogram(target))
    wanted = _numbers(domain)[codes] if numeric else number_of[codes]
    labels = 0 if numeric else int(number_of.max()) + 1
    return Table(values, np.array(categorical), rows, wanted, counts.cell_sizes, labels, number_of)


def _labels(records: Longs) -> Longs:
    """The number of each code's label, -1 for those that do not occur; of many the rarest have one number."""
    present = np.flatnonzero(records)
    number_of = np.full(len(records), -1, dtype=np.int64)
    if len(present) > _MOST_LABELS:
        number_of[present] = _MOST_LABELS - 1
        present = np.sort(present[np.argsort(-records[present], kind="stable")[: _MOST_LABELS - 1]])
    number_of[present] = np.arange(len(present))
    return number_of


def _numbers(domain: Domain) -> Floats:
    """The numbers of a target, on another scale if they are out of all bounds."""
    largest = np.abs(domain.values).max()
    return domain.values if largest == 0 or _SMALLEST < largest < _LARGEST else domain.positions


def _read(counts: FrequencyTable, name: str) -> tuple[Floats, bool]:
    """What a learner reads for each code of a column, and whether these are categories."""
    domain = counts.domains[name]
    read = np.full(domain.size, np.nan)
    known = len(domain.labels)
    if domain.numbers is not None:
        read[:known] = domain.positions
        return read, False
    read[:known] = np.arange(known)
    if domain.ordered:
        return read, False
    if known > _MOST_CATEGORIES:
        by_number = np.argsort(-counts.histogram(name)[:known], kind="stable")
        read[by_number] = np.minimum(np.arange(known), _MOST_CATEGORIES - 1)
    return read, True


def boosting(table: Table, target: Longs | Floats, seed: int, *, additive: bool = False) -> Any:
    """The booster that teaches if nobody else does; ``target`` is what it will learn."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingClassifier if table.labels else HistGradientBoostingRegressor
    # To stop early it holds back some of each label, so that none may be of a single row.
    single = bool(table.labels) and bool((np.unique(target, return_counts=True)[1] < 2).any())
    return kind(
        categorical_features=np.flatnonzero(table.categorical),
        interaction_cst="no_interactions" if additive else None,
        # A tree of one column needs few leaves.
        max_leaf_nodes=15 if additive else 31,
        early_stopping=False if single else "auto",
        random_state=_of_sklearn(seed),
    )


def readable(rows: Floats) -> Floats:
    """Rows that boosting can learn from: a column without any value, which it cannot read, is a constant."""
    return np.where(np.isnan(rows).all(axis=0), 0.0, rows)


def _of_sklearn(seed: int) -> int:
    """A seed as scikit-learn takes it."""
    return seed % 2**32


def taught(counts: FrequencyTable, table: Table, teacher: Any, folds: int, seed: int) -> Lesson:
    """Teach in folds; ``teacher`` is a scikit-learn estimator, or ``"boosting"``."""
    fold = _folds(counts, folds, seed)
    fold_of_cell = fold[counts.cell_tuple]
    always = counts.tuple_sizes[counts.cell_tuple] >= _SPEAKS_FOR_ITSELF
    of_tuple = np.searchsorted(counts.cell_tuple, np.arange(len(counts.tuples)))
    rows = table.rows[of_tuple]

    def learn(one: int) -> tuple[Floats, tuple[Floats, ...]]:
        seen = (fold_of_cell != one) | always
        some = rows[fold == one]
        whole = _scores(table, teacher, seed, seen, some)
        added = _added(table, seen, some[:1], seed)
        return whole, added

    parts = [one for one in range(folds) if (fold == one).any()]
    learnt = on_a_core_each(learn, parts, counts.rows)
    return _lesson(counts, table, fold, parts, learnt)


def _folds(counts: FrequencyTable, folds: int, seed: int) -> Longs:
    """The fold of each tuple, by a hash of its values."""
    mixed = np.full(len(counts.tuples), seed % 2**64, dtype=np.uint64) * _MIX + np.uint64(1)
    for at, name in enumerate(counts.quasi):
        domain = counts.domains[name]
        hashes = np.array([zlib.crc32(label.encode()) for label in domain.labels.tolist()] + [1] * domain.has_missing)
        mixed = (mixed ^ hashes.astype(np.uint64)[counts.tuples[:, at]]) * _MIX
        mixed ^= mixed >> np.uint64(29)
    fold = (mixed % np.uint64(folds)).astype(np.int64)
    if len(np.unique(fold)) < 2:  # of a few tuples all may fall into one
        fold = np.arange(len(fold)) % folds
    return fold


def check_teacher(table: Table, teacher: Any, owner: str) -> None:
    """Refuse a teacher that cannot say what is asked: probabilities of labels, or numbers."""
    if isinstance(teacher, str):
        return
    from sklearn.base import BaseEstimator, is_regressor

    must = "a classifier that tells probabilities (predict_proba)"
    if not table.labels:
        must = "a regressor where the target holds numbers"
    able = isinstance(teacher, BaseEstimator)
    if not able or not (hasattr(teacher, "predict_proba") if table.labels else is_regressor(teacher)):
        raise BadInput.parameter("teacher", owner, f"'boosting' or {must}", type(teacher).__name__)


def _teacher(table: Table, teacher: Any, seed: int) -> Any:
    """A teacher that reads our rows, with categories apart and nothing missing."""
    from sklearn.base import clone
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(SimpleImputer(add_indicator=True, keep_empty_features=True), StandardScaler())
    apart = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=50, sparse_output=False)
    reading = make_column_transformer(
        (apart, np.flatnonzero(table.categorical)), (numbers, np.flatnonzero(~table.categorical))
    )
    own = clone(teacher)
    # What it leaves to chance is decided by our seed.
    chance = [name for name, value in own.get_params().items() if name.endswith("random_state") and value is None]
    return make_pipeline(reading, own.set_params(**dict.fromkeys(chance, _of_sklearn(seed))))


def _fit(model: Any, table: Table, seen: Bools) -> Any:
    """Fit on the cells that may be seen; a teacher who cannot weigh rows sees each as often as there are records."""
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    records = table.weights[seen]
    last = model.steps[-1] if isinstance(model, Pipeline) else None
    weighs = has_fit_parameter(model if last is None else last[1], "sample_weight")
    copies = np.minimum(records, _ROWS_OF_LEAF) if weighs else records
    rows, target = np.repeat(readable(table.rows[seen]), copies, axis=0), np.repeat(table.target[seen], copies)
    if not weighs:
        return model.fit(rows, target)
    named = "sample_weight" if last is None else f"{last[0]}__sample_weight"
    return model.fit(rows, target, **{named: np.repeat(records / copies, copies)})


def _scores(table: Table, teacher: Any, seed: int, seen: Bools, rows: Floats) -> Floats:
    """What a teacher who saw some cells says of other rows: log-odds, centred log-probabilities or numbers."""
    if not _teaches(table, seen):
        return np.zeros((len(rows), _directions(table)))
    said = _said(table, teacher, seed, seen, rows)
    if not table.labels:
        return np.asarray(said, dtype=np.float64).reshape(len(rows), 1)
    chances = np.zeros((len(rows), table.labels))
    chances[:, np.unique(table.target[seen])] = said
    logs = np.log(np.clip(chances, 1e-6, None))
    logs -= logs.mean(axis=1, keepdims=True)
    return logs if table.labels > 2 else logs[:, 1:] - logs[:, :1]


def _said(table: Table, teacher: Any, seed: int, seen: Bools, rows: Floats) -> Any:
    """What a teacher says itself: probabilities of the labels it saw, or numbers."""

    def learnt(model: Any) -> Any:
        fitted = _fit(model, table, seen)
        return fitted.predict_proba(rows) if table.labels else fitted.predict(rows)

    if isinstance(teacher, str):
        return learnt(boosting(table, table.target[seen], seed))
    try:
        return learnt(_teacher(table, teacher, seed))
    except (ValueError, TypeError):
        pass  # its words may quote values
    raise BadInput(
        f"The teacher {type(teacher).__name__} cannot learn from a part of this table. Take another one, or none."
    )


def _teaches(table: Table, seen: Bools) -> bool:
    """Whether there is anything to learn from some cells."""
    return len(np.unique(table.target[seen])) > (1 if table.labels else 0)


def _directions(table: Table) -> int:
    """How many numbers say what is known of a label."""
    return table.labels if table.labels > 2 else 1


def _added(table: Table, seen: Bools, reference: Floats, seed: int) -> tuple[Floats, ...]:
    """What each value of each column adds to the score of a booster without interactions."""
    directions = _directions(table)
    if not _teaches(table, seen):
        return tuple(np.zeros((len(value), directions)) for value in table.values)
    model = _fit(boosting(table, table.target[seen], seed, additive=True), table, seen)

    def scored(rows: Floats) -> Floats:
        said = np.asarray(model.decision_function(rows) if table.labels else model.predict(rows), dtype=np.float64)
        said = said.reshape(len(rows), -1)
        if said.shape[1] == directions:
            return said
        wide = np.zeros((len(rows), directions))  # a label that was not seen has no score
        wide[:, model.classes_] = said if said.shape[1] > 1 else np.column_stack([-said / 2, said / 2])
        return wide

    base = scored(reference)
    found = []
    for at, value in enumerate(table.values):
        rows = np.repeat(reference, len(value), axis=0)
        rows[:, at] = value
        found.append(scored(rows) - base)
    return tuple(found)


def _lesson(
    counts: FrequencyTable,
    table: Table,
    fold: Longs,
    numbers: list[int],
    learnt: list[tuple[Floats, tuple[Floats, ...]]],
) -> Lesson:
    """Put the folds together, and both parts on one scale."""
    directions = _directions(table)
    weights = counts.tuple_sizes.astype(np.float64)
    said = np.zeros((len(counts.tuples), directions))
    columns = np.zeros((len(counts.tuples), len(counts.quasi), directions))
    # What a value adds is told beside an average record, the same in all folds.
    usual = [counts.histogram(name) for name in counts.quasi]
    added_in = [
        [of_code - np.average(of_code, axis=0, weights=usual[at]) for at, of_code in enumerate(of_fold)]
        for _, of_fold in learnt
    ]
    for one, (whole, _), of_fold in zip(numbers, learnt, added_in, strict=True):
        here = fold == one
        said[here] = whole
        for at, of_code in enumerate(of_fold):
            columns[here, at] = of_code[counts.tuples[here, at]]
    columns *= counts.column_weights[None, :, None]
    said_spread, column_spread = _spread(said, weights), _spread(columns.reshape(len(said), -1), weights)
    share = float(np.sqrt(column_spread / said_spread)) if said_spread > 0 and column_spread > 0 else 1.0
    points = np.column_stack([share * said, columns.reshape(len(said), -1)])
    points -= np.average(points, axis=0, weights=weights)
    size = float(np.sqrt(_spread(points, weights)))
    scale = 1 / size if size > 0 else 1.0
    added = tuple(
        np.mean([one[at] for one in added_in], axis=0) * counts.column_weights[at] * scale
        for at in range(len(counts.quasi))
    )
    parts = [of_code[counts.tuples[:, at]] for at, of_code in enumerate(added)]
    centre = np.average(np.column_stack([share * np.sum(parts, axis=0), *parts]), axis=0, weights=weights)
    return Lesson(points * scale, directions, _guess(table, said), added, share, centre)


def _spread(points: Floats, weights: Floats) -> float:
    """The variances of all dimensions, added up."""
    mean = np.average(points, axis=0, weights=weights)
    return float((weights @ (points - mean) ** 2).sum() / weights.sum())


def _guess(table: Table, said: Floats) -> Floats:
    """From scores to probabilities; numbers stay as they are."""
    if not table.labels:
        return said
    logs = said if table.labels > 2 else np.column_stack([np.zeros(len(said)), said])[:, : table.labels]
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def order_of(counts: FrequencyTable, at: int, lesson: Lesson) -> Ints:
    """The rank of each code of a column without an order: by what its values add, along their main direction."""
    domain: Domain = counts.domains[counts.quasi[at]]
    known = lesson.added[at][: len(domain.labels)]
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
