"""What is measured of the proportional representation: small networks, tested on tables of growing k.

A network learns from raw rows, or from 100-anonymous rows in one of four representations, and is tested on rows of
every k in every representation. Rows are parted before or after they are anonymized (:data:`BEFORE`, :data:`AFTER`).
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa

from hedgerow._internal.arrays import Longs
from hedgerow.anonymizers.merge.greedy import Greedy
from hedgerow.datasets.voters import make_voters, voters_hierarchies
from hedgerow.engines import FrameRows
from hedgerow.evaluation.learners import Prediction
from hedgerow.evaluation.scores import scores_of
from hedgerow.release import Release
from hedgerow.schema import Schema
from reproductions.tables import ADULT, adult, adult_hierarchies, digest_of_data

__all__ = [
    *(
        "AFTER",
        "BEFORE",
        "KS",
        "METHOD",
        "POOLED",
        "RAW",
        "REPRESENTATIONS",
        "ROWS",
        "SCORES",
        "TRAINED_K",
        "TRAININGS",
    ),
    "digest_of_table",
    "tested",
]

ROWS: Final = 30_162
KS: Final = (3, 4, 5, 10, 20, 50, 100, 250, 500, 1000, 2000, 5000, 10_000, 15_000)
TRAINED_K: Final = 100
REPRESENTATIONS: Final = ("proportional", "fillParent", "oneClass", "fillChild")
RAW: Final = "raw"
TRAININGS: Final = (RAW, *REPRESENTATIONS)
"""What networks learn from: raw rows, or 100-anonymous ones in a representation."""
POOLED: Final = "proportional, pooled"
"""The proportions that Hedgerow publishes if nothing else is said: nobody is singled out by them."""
BEFORE: Final = "anonymized before the split"
"""The paper's order."""
AFTER: Final = "anonymized after the split"
"""Training and test rows are anonymized apart, so that neither knows of the other."""
SCORES: Final[Mapping[str, str]] = {"adult": "auc", "voters": "accuracy"}

METHOD: Final = Greedy(preset="paper")
"""The paper's."""

_QUASI: Final = ("age", "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation")
_ROW: Final = "row"  # a column that brings the rows of a release back into their order
_SAME: Final = 1e-6  # probabilities that differ by less are those of a network that has learnt nothing


def tested(table: str, order: str, training: str, rows: int, ks: Sequence[int], seed: int) -> dict[str, Any]:
    """Train a network, and test it on every k in every representation.

    Parameters
    ----------
    table : {"adult", "voters"}
    order : str
        :data:`BEFORE` or :data:`AFTER`.
    training : str
        One of :data:`TRAININGS`.
    rows : int
        So many rows of the table.
    ks : sequence of int
        Those that the test part has rows for are tested.
    seed : int
        Of the network and of the split.

    Returns
    -------
    dict
        ``scores`` by representation and k (1 is raw rows); whether the network is ``alive``, which tells rows apart;
        ``classes`` of the test releases; the share of the largest class (``majority``); ``nodes`` by column.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # with which sums do not depend on the machine's cores
        return _tested(table, order, training, rows, ks, seed)


def _tested(table: str, order: str, training: str, rows: int, ks: Sequence[int], seed: int) -> dict[str, Any]:
    trial = _Trial(_source(table, rows), order, seed)
    encoders = trial.encoders()
    learnt = trial.train_rows(training)
    matrix = encoders["fillParent" if training == RAW else training].transform(learnt)
    network = _trained(matrix, _labels(learnt, trial.source.target), seed)
    spread = float(np.ptp(network.predict_proba(matrix), axis=0).max())
    scores: dict[str, dict[str, float]] = {}
    classes: dict[str, int] = {}
    for k in (1, *(k for k in ks if k <= trial.released_rows)):
        for name in trial.tested_with:
            known = trial.test_rows(k, pooled=name == POOLED)
            if isinstance(known, Release):
                classes[str(k)] = known.audit.classes.number
            features = encoders["proportional" if name == POOLED else name].transform(known)
            prediction = Prediction.of_classes(tuple(map(str, network.classes_)), network.predict_proba(features))
            score = scores_of(prediction, _column(known, trial.source.target), "classes")[SCORES[table]]
            scores.setdefault(name, {})[str(k)] = round(float(score or 0.0), 5)
    truth = Counter(_labels(trial.test_rows(1), trial.source.target))
    names = encoders["oneClass"].get_feature_names_out()
    return {
        "scores": scores,
        "alive": spread > _SAME,
        "epochs": int(network.n_iter_),
        "classes": classes,
        "majority": round(truth.most_common(1)[0][1] / truth.total(), 5),
        "nodes": dict(Counter(str(name).split("=")[0] for name in names)),
    }


@dataclass(frozen=True, eq=False)
class _Source:
    """A table, the column to learn, and the hierarchies of the others."""

    name: str
    table: pa.Table
    target: str
    hierarchies: Mapping[str, Any]

    @property
    def quasi(self) -> list[str]:
        return list(self.hierarchies)


@cache
def _source(table: str, rows: int) -> _Source:
    if table == "voters":
        made = make_voters(rows, random_state=0)
        return _Source(table, _numbered(made), "party", voters_hierarchies())
    whole = adult("train")
    # All rows in their order, or some that are drawn.
    drawn = np.sort(np.random.default_rng(0).permutation(whole.num_rows)[:rows])
    known = adult_hierarchies()
    chosen = whole.select([*_QUASI, ADULT]).take(pa.array(drawn))
    return _Source(table, _numbered(chosen), ADULT, {name: known[name] for name in _QUASI})


def digest_of_table(table: str, rows: int) -> str:
    """The digest of the rows of a table, and of the hierarchies of its columns."""
    source = _source(table, rows)
    return digest_of_data(source.table, source.hierarchies)


def _numbered(table: pa.Table) -> pa.Table:
    return table.append_column(_ROW, pa.array(np.arange(table.num_rows)))


@cache
def _whole_release(source: _Source, k: int) -> Release:
    """The release of all rows, which serves every seed."""
    return _anonymized(source, source.table, k, pooled=False)


@lru_cache(maxsize=32)
def _part_release(source: _Source, seed: int, part: int, k: int, pooled: bool) -> Release:
    """The release of one part; the networks of a seed share it."""
    return _anonymized(source, source.table.take(pa.array(_parts(source, seed)[part])), k, pooled=pooled)


def _anonymized(source: _Source, rows: pa.Table, k: int, *, pooled: bool) -> Release:
    """A release by the paper's method, its rows in their order; exact proportions are those with a support of one."""
    schema = Schema(
        quasi=source.quasi,
        target=source.target,
        insensitive=[_ROW],
        accept=[_ROW, source.target],
        hierarchies=dict(source.hierarchies),
    )
    support = None if pooled else 1
    made = METHOD.anonymize(rows, schema, k=k, random_state=0, publish_proportions=True, min_support=support)
    return replace(made, rows=FrameRows(made.table.sort_by(_ROW)))


def _parts(source: _Source, seed: int) -> tuple[Longs, Longs]:
    """Two thirds to train, and the rest to test."""
    rows = source.table.num_rows
    order = np.random.default_rng(seed).permutation(rows)
    return np.sort(order[: rows * 2 // 3]), np.sort(order[rows * 2 // 3 :])


@dataclass(frozen=True, eq=False)
class _Trial:
    """A table, the order in which it is parted and anonymized, and a seed."""

    source: _Source
    order: str
    seed: int

    @property
    def tested_with(self) -> tuple[str, ...]:
        """Pooled proportions belong to the order in which nothing leaks."""
        return REPRESENTATIONS if self.order == BEFORE else (*REPRESENTATIONS, POOLED)

    @property
    def released_rows(self) -> int:
        """How many rows are anonymized together before a test."""
        return len(self.source.table) if self.order == BEFORE else len(_parts(self.source, self.seed)[1])

    def encoders(self) -> dict[str, Any]:
        """The representations, with a feature for each node: hierarchies are public, whatever the order."""
        from hedgerow.learning import FillChildEncoder, FillParentEncoder, OneClassEncoder, ProportionalEncoder

        kinds = dict(
            zip(
                REPRESENTATIONS,
                (ProportionalEncoder, FillParentEncoder, OneClassEncoder, FillChildEncoder),
                strict=True,
            )
        )
        raw = self.source.table.select(self.source.quasi)
        settings: dict[str, Any] = {
            "preset": "paper",
            "hierarchies": dict(self.source.hierarchies),
            "dtype": np.float32,
        }
        return {name: kind(**settings).fit(raw) for name, kind in kinds.items()}

    def train_rows(self, training: str) -> Release | pa.Table:
        """Raw rows, or those of a 100-anonymous release."""
        return self._raw(0) if training == RAW else self._published(0, TRAINED_K)

    def test_rows(self, k: int, *, pooled: bool = False) -> Release | pa.Table:
        """Raw rows for k = 1, else those of a release."""
        return self._raw(1) if k == 1 else self._published(1, k, pooled=pooled)

    def _raw(self, part: int) -> pa.Table:
        return self.source.table.take(pa.array(_parts(self.source, self.seed)[part]))

    def _published(self, part: int, k: int, *, pooled: bool = False) -> Release:
        if self.order == AFTER:
            return _part_release(self.source, self.seed, part, k, pooled)
        whole = _whole_release(self.source, k)
        return replace(whole, rows=FrameRows(whole.table.take(pa.array(_parts(self.source, self.seed)[part]))))


def _trained(matrix: Any, labels: np.ndarray[Any, Any], seed: int) -> Any:
    """The paper's network (section IV-C); what it does not tell is as scikit-learn has it."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    network = MLPClassifier(
        hidden_layer_sizes=(5, 2),
        activation="relu",
        solver="adam",
        learning_rate_init=0.001,
        batch_size=min(200, len(labels)),
        n_iter_no_change=10,
        max_iter=500,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it is taken as it is after 500 epochs
        return network.fit(matrix, labels)


def _column(known: Release | pa.Table, name: str) -> pa.ChunkedArray:
    table = known.table if isinstance(known, Release) else known
    return table.column(name).cast(pa.string())


def _labels(known: Release | pa.Table, name: str) -> np.ndarray[Any, Any]:
    return np.asarray(_column(known, name).to_pylist())
