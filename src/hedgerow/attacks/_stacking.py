"""An attacker who learns: from rows redrawn from the release, and from people whose labels he knows already.

He trains a learner on the release and asks it about everybody. Then he weighs the learner against the posterior by a
logistic regression on other people whose labels he knows. Members are weighed by members and non-members by
non-members, each by folds that they are not in: so both attacks are as good as they can be, and their difference is
what being in the table tells.

How easy people are to guess is asked of a learner that sees people and no release.
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
"""Of a column that scikit-learn's boosting takes; of more the rarest are missing."""

_FOLDS: Final = 5
_SURE: Final = 1e-4
"""Nobody is taken for surer than this far from 0 and 1."""


def learnt(attacked: Attacked, learner: Any, repeats: int, generator: np.random.Generator) -> Floats:
    """What a learner that was trained on redrawn rows expects of each person, (people, labels)."""
    from threadpoolctl import threadpool_limits  # which scikit-learn brings

    release = attacked.release
    drawn = redrawn(release, repeats, generator, (*release.quasi, str(release.target)))
    missing, number = attacked.release.guarantee.missing, attacked.target.domain.size
    features = _Features.of(attacked)
    distinct, index = attacked.distinct
    training, asked = [], []
    for at, domain in enumerate(attacked.domains):
        one = encode_column(domain.name, as_arrow(drawn[domain.name]), missing=missing, kind=_asked(attacked, at))
        training.append(features.of_domain(at, one.domain)[one.codes])
        asked.append(features.of_domain(at, domain)[distinct[:, at]])
    labels = attacked.target.codes(drawn[attacked.target.domain.name], missing)
    # Of a column that is hidden from everybody nothing can be learnt.
    told = np.array([not np.isnan(column).all() for column in training])
    model = _model(learner, features.categorical[told], int(generator.integers(2**31)))
    if not told.any() or len(np.unique(labels)) == 1:
        return np.tile(np.bincount(labels, minlength=number) / len(labels), (len(index), 1))
    with threadpool_limits(limits=1):
        model.fit(np.column_stack(training)[:, told], labels)
        return _probabilities(model, np.column_stack(asked)[:, told], number)[index]


def easy_to_guess(attacked: Attacked, learner: Any, folds: Longs, generator: np.random.Generator) -> Floats:
    """How probable a learner of people in other folds, members or not, finds each person's own label, (people,)."""
    from threadpoolctl import threadpool_limits

    features = _Features.of(attacked)
    distinct, index = attacked.distinct
    columns = [features.of_domain(at, domain)[distinct[:, at]] for at, domain in enumerate(attacked.domains)]
    told = np.array([not np.isnan(column).all() for column in columns])
    rows, labels = np.column_stack(columns)[index], attacked.labels
    seed = int(generator.integers(2**31))
    easy = np.zeros(len(labels))
    for fold in np.unique(folds):
        inside, others = folds == fold, folds != fold
        if not told.any() or len(np.unique(labels[others])) < 2:
            continue  # nothing can be learnt, so that all are as easy
        model = _model(learner, features.categorical[told], seed)
        with threadpool_limits(limits=1):
            model.fit(rows[others][:, told], labels[others])
            said = _probabilities(model, rows[inside][:, told], attacked.target.domain.size)
        easy[inside] = said[np.arange(len(said)), labels[inside]]
    return easy


def redrawn(release: Release, repeats: int, generator: np.random.Generator, names: Sequence[str]) -> nw.DataFrame[Any]:
    """The release in original values; its rows are in no order that a seed decides, so they are sorted first."""
    from hedgerow.learning.redraw import redraw

    frame = open_frame(release.table).frame
    columns = {name: as_arrow(frame[name]) for name in names}
    plain = {
        name: one.cast(one.type.value_type) if pa.types.is_dictionary(one.type) else one
        for name, one in columns.items()
    }
    table = pa.table(plain)
    order = pc.sort_indices(table, [(name, "ascending") for name in table.column_names])
    given = {
        name: one.source if isinstance(one, EncodedHierarchy) else one
        for name, one in release.given_hierarchies.items()
    }
    drawn = redraw(
        table.take(order),
        repeats,
        generator,
        proportions=release.proportions,
        quasi=release.quasi,
        hierarchies={name: one for name, one in given.items() if one is not None},
    )
    return open_frame(drawn).frame


def weighed(posterior: Posterior, expected: Floats, labels: Longs, folds: Longs) -> Floats:
    """Weigh what is told against what is expected, by people of other folds, (people, labels)."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    told = posterior.probabilities
    features = np.column_stack([_odds(told), _odds(expected), posterior.matching > 0])
    result = np.empty_like(told)
    for fold in np.unique(folds):
        inside, others = folds == fold, folds != fold
        if len(np.unique(labels[others])) < 2:
            # There is nobody to weigh by: he takes the mean of both.
            result[inside] = (told[inside] + expected[inside]) / 2
            continue
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        model.fit(features[others], labels[others])
        result[inside] = _probabilities(model, features[inside], told.shape[1])
    return result


def folds_of(index: Ints, generator: np.random.Generator) -> Longs:
    """A fold for each person, the same for people with the same values."""
    return np.asarray(generator.integers(_FOLDS, size=int(index.max()) + 1)[index])


@dataclass(frozen=True, eq=False)
class _Features:
    """How a learner is given the quasi-identifiers: numbers as they are, categories by codes, nan where missing."""

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
        """Which columns are categories."""
        return np.array([place is not None for place in self.places])

    def of_domain(self, at: int, domain: Any) -> Floats:
        """What each value of a column is to a learner."""
        place = self.places[at]
        if place is not None:
            found = [place.get(label, np.nan) for label in domain.labels.tolist()]
            return np.array([*found, np.nan][: domain.size], dtype=np.float64)
        numbers = np.full(len(domain.labels), np.nan) if domain.numbers is None else domain.numbers
        return np.append(numbers, [np.nan] * domain.has_missing)


def _asked(attacked: Attacked, at: int) -> Any:
    kind = kind_of(attacked.release, at)
    # A number that cannot be drawn stays the text that was published.
    return "derived" if kind in ("number", "date") else kind


def _model(learner: Any, categorical: Bools, seed: int) -> Any:
    """The classifier to fit; one that is given gets standardized numbers and a feature for each category."""
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
    """What a fitted classifier says, in the order of our labels; one that tells no probabilities is sure."""
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
