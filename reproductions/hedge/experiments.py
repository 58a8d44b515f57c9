"""What is run: Adult's train and test file by three seeds, then every method on the shared sets by 5×2 cv.

Repetition by repetition, Adult by 5×2 cv last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.merge.greedy import Greedy
from hedgerow.anonymizers.partition.hedge import Hedge
from hedgerow.anonymizers.partition.mondrian import Mondrian
from hedgerow.anonymizers.specialize.tdr import TDR
from hedgerow.anonymizers.specialize.tds import TDS
from hedgerow.anonymizers.suppression.kactus import KActus
from hedgerow.anonymizers.suppression.kadet import KADET
from hedgerow.evaluation.api import trials_of
from hedgerow.evaluation.cells import Treatment
from hedgerow.evaluation.jobs import Job, Measurement, TrialOf
from hedgerow.evaluation.learners import learner
from hedgerow.evaluation.ways import Way
from reproductions.hedge.measuring import EXACT, METHODS, STRICT, disclosed, learnt, learnt_from_raw
from reproductions.kactus.experiments import Postponed
from reproductions.kactus.sets import ADULT_NAME, ALL_INPUTS, adult_table, table_of
from reproductions.tables import digest_of_adult, has

__all__ = [
    "ADULT_KS",
    "ATTACKED",
    "HEDGE",
    "SEEDS",
    "SETS",
    "SET_KS",
    "SET_LEARNERS",
    "SET_METHODS",
    "full_jobs",
    "quick_jobs",
]

SEEDS: Final = (0, 1, 2)
ADULT_KS: Final = (10, 100, 1000)
ATTACKED: Final = (STRICT, "kactus", "mondrian")

HEDGE: Final = "hedge"
SET_METHODS: Final[Mapping[str, Anonymizer]] = {
    HEDGE: Hedge(),
    "kactus": KActus(),
    "tds": TDS(),
    "tdr": TDR(),
    "kadet": KADET(),
    "mondrian": Mondrian(),
    "greedy": Greedy(),
}
"""With their defaults and no hierarchies, so that none has been told more than the others."""
SETS: Final = ("german", "crx", "tic-tac-toe", "haberman", "heart-statlog", "glass", "sonar", "waveform")
"""All but Adult."""
SET_KS: Final = (5, 10, 50)
SET_LEARNERS: Final = ("boosting", "c45", "naive-bayes")

_REDRAWN: Final = Way("redrawn", "raw")
_RECODED: Final = Way("published", "recoded")
_SEED: Final = 0

_QUICK_SETS: Final = ("haberman", "crx")
_QUICK_METHODS: Final = (STRICT, "kactus")
_QUICK_K: Final = {ADULT_NAME: 100, "sets": 10}


def full_jobs() -> list[Job]:
    """All that is to be run."""
    small = [job for name in SETS if has(name) for job in _of_set(name, SET_KS)]
    if not has(ADULT_NAME):
        return small
    adult = [
        *_adult(ADULT_KS, METHODS, learnt),
        *_adult(ADULT_KS, ATTACKED, disclosed),
    ]
    return [*_raw(SEEDS), *adult, *small, *(Postponed(job) for job in _of_set(ADULT_NAME, SET_KS))]


def quick_jobs() -> list[Job]:
    """The first seed and the first repetition of a small part; its cells are cells of the whole, too."""
    ks = (_QUICK_K[ADULT_NAME],)
    small = [job for name in _QUICK_SETS if has(name) for job in _of_set(name, (_QUICK_K["sets"],))]
    adult: list[Job] = []
    if has(ADULT_NAME):
        adult = [*_raw(SEEDS), *_adult(ks, _QUICK_METHODS, learnt), *_adult(ks, _QUICK_METHODS[:1], disclosed)]
    return [job for job in (*adult, *small) if job.order[0] == 0]


def _raw(seeds: Iterable[int]) -> Iterator[Job]:
    for seed in seeds:
        yield Measurement("hedge: raw", learnt_from_raw, {"seed": seed}, _data(), repetition=seed)


def _adult(ks: Iterable[int], methods: Iterable[str], measure: Callable[..., Mapping[str, Any]]) -> Iterator[Job]:
    """The train and the test file, by every seed; exact proportions last."""
    for seed, method, k in product(SEEDS, sorted(methods, key=lambda one: one == EXACT), ks):
        yield Measurement(
            "hedge: disclosed" if measure is disclosed else "hedge: learnt",
            measure,
            {"method": method, "k": k, "seed": seed},
            _data(),
            method=METHODS[method],
            proportions=True,
            repetition=seed,
        )


def _data() -> str:
    return digest_of_adult("train", "test")


def _of_set(name: str, ks: Sequence[int]) -> Iterator[Job]:
    """Five times two halves of a set; rows of Hedge are redrawn, those of the others also learnt from as published."""
    table = adult_table(ALL_INPUTS) if name == ADULT_NAME else table_of(name)
    learners = [learner(one) for one in SET_LEARNERS]
    for hedges, ways in ((True, [_REDRAWN]), (False, [_REDRAWN, _RECODED])):
        treatments = [
            Treatment(label, method, k, (), {"publish_proportions": True})
            for k, (label, method) in product(ks, SET_METHODS.items())
            if (label == HEDGE) == hedges
        ]
        for trial in trials_of(table, "5x2cv", _SEED, treatments, ways, learners, {"dataset": name}):
            if hedges or trial.treatment.method is not None:  # raw rows once
                yield TrialOf(table, _SEED, trial)
