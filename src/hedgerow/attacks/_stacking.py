"""Stacking: an attacker who learns from rows redrawn from the release, and from people whose labels are known.

The attacker trains a learner on the release and predicts everybody. A logistic regression on other people with known
labels then weights the learner against the posterior. The weights for members come from members and those for
non-members from non-members, in other folds each. So both attacks are as good as they can be, and their difference is
the effect of being in the table.

A learner that sees people but no release measures how easy people are to guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow._internal.arrays import Bools, Floats, Ints, Longs
from hedgerow.attacks._people import Attacked, kind_of
from hedgerow.core.counts import encode_column
from hedgerow.errors import BadInput
from hedgerow.hierarchies import EncodedHierarchy
from hedgerow.io.frames import as_arrow, open_frame
from hedgerow.release import Release
from hedgerow.risk import Posterior

__all__ = ["easy_to_guess", "folds_of", "learnt", "redrawn", "weighed"]

_MOST_CATEGORIES: Final = 255
"""The most categories that scikit-learn's boosting accepts; rarer categories become missing."""

_FOLDS: Final = 5
_SURE: Final = 1e-4
"""The least distance of a probability from 0 and 1."""


def learnt(attacked: Attacked, learner: Any, repeats: int, generator: np.random.Generator) -> Floats:
    """The label probabilities of each person by a learner that is trained on redrawn rows, (people, labels)."""
    from threadpoolctl import threadpool_limits  # which scikit-learn brings

    release = attacked.release
    drawn = redrawn(release, repeats, generator, (*release.quasi, str(release.target)))
    missing, number = attacked.release.guarantee.missing, attacked.target.domain.size
    features = _Features.of(attacked)
    distinct, index = attacked.distinct
    training, asked = [], []
    for at, domain in enumerate(attacked.domains):
        column = encode_column(domain.name, as_arrow(drawn[domain.name]), missing=missing, kind=_asked(attacked, at))
        training.append(features.of_domain(at, column.domain)[column.codes])
        asked.append(features.of_domain(at, domain)[distinct[:, at]])
    labels = attacked.target.codes(drawn[attacked.target.domain.name], missing)
    # An entirely suppressed column teaches nothing.
    shown = np.array([not np.isnan(column).all() for column in training])
    model = _model(learner, features.categorical[shown], int(generator.integers(2**31)))
    if not shown.any() or len(np.unique(labels)) == 1:
        return np.tile(np.bincount(labels, minlength=number) / len(labels), (len(index), 1))
    with threadpool_limits(limits=1):
        model.fit(np.column_stack(training)[:, shown], labels)
        return _probabilities(model, np.column_stack(asked)[:, shown], number)[index]


def easy_to_guess(attacked: Attacked, learner: Any, folds: Longs, generator: np.random.Generator) -> Floats:
    """The probability of each person's own label by a learner that is trained on people in other folds, (people,)."""
    from threadpoolctl import threadpool_limits

    features = _Features.of(attacked)
    distinct, index = attacked.distinct
    columns = [features.of_domain(at, domain)[distinct[:, at]] for at, domain in enumerate(attacked.domains)]
    shown = np.array([not np.isnan(column).all() for column in columns])
    rows, labels = np.column_stack(columns)[index], attacked.labels
    seed = int(generator.integers(2**31))
    easy = np.zeros(len(labels))
    for fold in np.unique(folds):
        inside, others = folds == fold, folds != fold
        if not shown.any() or len(np.unique(labels[others])) < 2:
            continue  # nothing can be learnt: everybody is equally easy
        model = _model(learner, features.categorical[shown], seed)
        with threadpool_limits(limits=1):
            model.fit(rows[others][:, shown], labels[others])
            predicted = _probabilities(model, rows[inside][:, shown], attacked.target.domain.size)
        easy[inside] = predicted[np.arange(len(predicted)), labels[inside]]
    return easy


def redrawn(release: Release, repeats: int, generator: np.random.Generator, names: Sequence[str]) -> nw.DataFrame[Any]:
    """The redrawn release. Its rows are sorted first, since no seed decides their order."""
    from hedgerow.learning.redraw import redraw

    frame = open_frame(release.table).frame
    columns = {name: as_arrow(frame[name]) for name in names}
    plain = {
        name: column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for name, column in columns.items()
    }
    table = pa.table(plain)
    order = pc.sort_indices(table, [(name, "ascending") for name in table.column_names])
    sources = {
        name: hierarchy.source if isinstance(hierarchy, EncodedHierarchy) else hierarchy
        for name, hierarchy in release.given_hierarchies.items()
    }
    drawn = redraw(
        table.take(order),
        repeats,
        generator,
        proportions=release.proportions,
        quasi=release.quasi,
        hierarchies={name: source for name, source in sources.items() if source is not None},
    )
    return open_frame(drawn).frame


def weighed(posterior: Posterior, expected: Floats, labels: Longs, folds: Longs) -> Floats:
    """Weight the posterior against the learner's prediction, by people of other folds, (people, labels)."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    published = posterior.probabilities
    features = np.column_stack([_odds(published), _odds(expected), posterior.matching > 0])
    result = np.empty_like(published)
    for fold in np.unique(folds):
        inside, others = folds == fold, folds != fold
        if len(np.unique(labels[others])) < 2:
            # Nobody to learn weights from: the attacker takes the mean of both.
            result[inside] = (published[inside] + expected[inside]) / 2
            continue
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        model.fit(features[others], labels[others])
        result[inside] = _probabilities(model, features[inside], published.shape[1])
    return result


def folds_of(index: Ints, generator: np.random.Generator) -> Longs:
    """A fold for each person, the same for people with the same values."""
    return np.asarray(generator.integers(_FOLDS, size=int(index.max()) + 1)[index])


@dataclass(frozen=True, eq=False)
class _Features:
    """The quasi-identifiers as features for a learner: numbers unchanged, categories as codes, nan for missing."""

    places: tuple[dict[str, int] | None, ...]

    @classmethod
    def of(cls, attacked: Attacked) -> _Features:
        places: list[dict[str, int] | None] = []
        for at, domain in enumerate(attacked.domains):
            if domain.numbers is not None:
                places.append(None)
                continue
            people = np.bincount(attacked.tuples[:, at], minlength=domain.size)[: len(domain.labels)]
            most = np.sort(np.argsort(-people, kind="stable")[:_MOST_CATEGORIES])
            places.append({str(domain.labels[code]): place for place, code in enumerate(most.tolist())})
        return cls(tuple(places))

    @property
    def categorical(self) -> Bools:
        """Whether each column is categorical."""
        return np.array([place is not None for place in self.places])

    def of_domain(self, at: int, domain: Any) -> Floats:
        """The feature of each value of a column."""
        place = self.places[at]
        if place is not None:
            codes = [place.get(label, np.nan) for label in domain.labels.tolist()]
            return np.array([*codes, np.nan][: domain.size], dtype=np.float64)
        numbers = np.full(len(domain.labels), np.nan) if domain.numbers is None else domain.numbers
        return np.append(numbers, [np.nan] * domain.has_missing)


def _asked(attacked: Attacked, at: int) -> Any:
    kind = kind_of(attacked.release, at)
    # A number that cannot be drawn remains the published text.
    return "derived" if kind in ("number", "date") else kind


def _model(learner: Any, categorical: Bools, seed: int) -> Any:
    """The classifier to fit. The caller's learner gets standardized numbers and a feature for each category."""
    from sklearn.base import clone, is_classifier
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    if learner is None:
        return HistGradientBoostingClassifier(categorical_features=categorical, early_stopping=False, random_state=seed)
    if not is_classifier(learner):
        must = "None or a classifier with the methods of scikit-learn"
        raise BadInput.parameter("learner", "label_disclosure", must, type(learner).__name__)
    own = clone(learner)
    seeds = [name for name in own.get_params() if f"__{name}".endswith("__random_state")]
    own.set_params(**dict.fromkeys(seeds, seed))
    numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    categories = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    features = make_column_transformer(
        (numbers, np.flatnonzero(~categorical)), (categories, np.flatnonzero(categorical))
    )
    return make_pipeline(features, own)


def _probabilities(model: Any, features: Floats, labels: int) -> Floats:
    """The label probabilities of a fitted classifier; without probabilities, the predicted label has 1."""
    if not hasattr(model, "predict_proba"):
        return _sure(np.asarray(model.predict(features), dtype=np.int64), labels)
    result = np.zeros((len(features), labels))
    result[:, model.classes_] = model.predict_proba(features)
    return result


def _sure(labels: Longs, number: int) -> Floats:
    return np.eye(number)[labels]


def _odds(probabilities: Floats) -> Floats:
    kept = np.clip(probabilities, _SURE, 1 - _SURE)
    return np.log(kept / (1 - kept))
