"""What is run: every method on every set, by the order in which results tell most.

Small sets come first, then Adult with the two quick learners, then with the slow ones for three k. What is left comes
after the fifth repetition of all that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final

from hedgerow.anonymizers.base import Anonymizer
from hedgerow.anonymizers.partition.mondrian import Mondrian
from hedgerow.anonymizers.specialize.tdr import TDR
from hedgerow.anonymizers.specialize.tds import TDS
from hedgerow.anonymizers.suppression.kactus import KActus
from hedgerow.anonymizers.suppression.kadet import KADET
from hedgerow.evaluation.cells import Cell, Design, Treatment, Trial
from hedgerow.evaluation.jobs import Job, Measurement, Results, TrialOf
from hedgerow.evaluation.learners import Learner, learner
from hedgerow.evaluation.results import MAJORITY
from hedgerow.evaluation.splits import Split, splits_of
from hedgerow.evaluation.store import Store
from hedgerow.evaluation.tables import EvaluatedTable
from hedgerow.evaluation.ways import RAW, Way
from hedgerow.learning import ProportionalEncoder
from reproductions.kactus.costs import CRITERIA, KINDS, LEAST, count_lost, time_numbers
from reproductions.kactus.measuring import (
    AS_PRINTED,
    MIN_OBJECTS,
    MIN_SPLIT,
    PRINTED_METHOD,
    SEED,
    learn_with_numbers_kept,
    time_scaled,
)
from reproductions.kactus.sets import (
    ADULT_K,
    ADULT_NAME,
    ALL_INPUTS,
    QUASI,
    SETS,
    SLOW_K,
    Hierarchies,
    adult_table,
    quasi_of,
    table_of,
)
from reproductions.tables import digest_of_adult, has

__all__ = [
    "LEARNERS",
    "LOGISTIC_FROM",
    "QUICK_LEARNERS",
    "SLOW_LEARNERS",
    "TODAY",
    "TODAY_K",
    "TODAY_METHODS",
    "TODAY_WAYS",
    "TREE",
    "Postponed",
    "full_jobs",
    "quick_jobs",
]

QUICK_LEARNERS: Final = ("j48", "weka-naive-bayes")
SLOW_LEARNERS: Final = ("weka-logistic", "part")
LEARNERS: Final = (*QUICK_LEARNERS, *SLOW_LEARNERS)
TREE: Final = "kadet"
"""kADET's own tree, which predicts rows as they are; it needs no other learner, and is set beside J48."""

TODAY: Final = ("boosting", "logistic", "c45")
"""Learners that the paper does not have: what a release is worth to whoever learns from it now."""
TODAY_K: Final = (10, 100, 1000)
TODAY_METHODS: Final = ("kactus", "mondrian-loss")

_REPETITIONS: Final = 5
_FACTORS: Final = (1, 5, 10, 20, 30)
_TIMED: Final = 3
LOGISTIC_FROM: Final = 100
"""The least k at which logistic regression is tried on Mondrian's sets: below it there are thousands of categories."""

_AS_IT_IS: Final = Way("published", "raw")
_RECODED: Final = Way("published", "recoded")
_REDRAWN: Final = Way("redrawn", "raw")
_ALL_WAYS: Final = (_AS_IT_IS, _RECODED, _REDRAWN)
_WAYS_OF_OTHERS: Final = (_RECODED, _REDRAWN)
_SHARES: Final = ProportionalEncoder()
TODAY_WAYS: Final = (_REDRAWN, Way(_SHARES, "raw"), _RECODED, Way(_SHARES, _SHARES))
"""The first two need only the release; the others need the private recoding, too."""
_SUPPRESSING: Final[tuple[Hierarchies, ...]] = ("flat", "flat categories")
_QUICK_SETS: Final = ("haberman", "crx")
_BY_MIN_OBJECTS: Final = (MIN_OBJECTS, MIN_SPLIT)

_METHODS: Final[Mapping[str, Anonymizer]] = {
    AS_PRINTED: PRINTED_METHOD,
    "kactus": KActus(),
    MIN_OBJECTS: KActus(preset="paper", min_objects=2, min_split=1),
    MIN_SPLIT: KActus(min_objects=1, min_split="k"),
    # The authors compared with the programs of Fung, Wang and Yu.
    "tds": TDS(preset="paper"),
    "tdr": TDR(preset="paper"),
    # Its authors' ranges; the preset publishes Shao and Beckford's sets.
    "mondrian": Mondrian(cut="widest"),
    "mondrian-loss": Mondrian(),
    "kadet-release": KADET(preset="paper"),
}
"""By what results call them; ``"mondrian"`` is that of its authors, ``"mondrian-loss"`` our default."""


@dataclass(frozen=True, eq=False)
class Postponed:
    """A job that waits until all repetitions of the others are done."""

    job: Job

    @property
    def order(self) -> tuple[int, int]:
        """As if its repetition came after the last one."""
        repetition, fold = self.job.order
        return repetition + _REPETITIONS, fold

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its cells."""
        return self.job.keys

    def left(self, store: Store) -> Job | None:
        """What is left of it waits, too."""
        rest = self.job.left(store)
        return None if rest is None else Postponed(rest)

    def staged(self, folder: Path) -> Callable[[], Results]:
        """The same work."""
        return self.job.staged(folder)


def full_jobs() -> list[Job]:
    """All that is to be run."""
    small = [job for one in SETS if has(one.name) for job in _of_set(one.name, one.ks, LEARNERS)]
    if not has(ADULT_NAME):
        return [*small, *_lost()]
    rest = (Postponed(job) for job in _adult_at_last())
    timed = (*_scaled(_FACTORS, _TIMED), *_numbers_timed())
    return [*small, *_lost(), *timed, *_adult_today(), *_adult_quickly(), *_adult_slowly(), *rest]


def quick_jobs() -> list[Job]:
    """The first repetition of a small part; its cells are cells of the whole, too."""
    k, trees = 100, ("j48",)
    sets = [one for one in SETS if one.name in _QUICK_SETS and has(one.name)]
    found = [job for one in sets for job in _of_set(one.name, one.ks[2:5:2], QUICK_LEARNERS)]
    if not has(ADULT_NAME):
        return [job for job in found if job.order[0] == 0]
    found += [*_baseline(adult_table(ALL_INPUTS), _about(ALL_INPUTS), QUICK_LEARNERS)]
    for label in (AS_PRINTED, "kactus"):
        found += _on_adult(label, ALL_INPUTS, k, _ALL_WAYS, trees)
    for label in ("tds", "tdr", "mondrian"):
        found += _on_adult(label, ALL_INPUTS, k, _WAYS_OF_OTHERS, trees)
    found += _kadet_tree(ALL_INPUTS, k, "taxonomies")
    found += _kept(ADULT_NAME, ALL_INPUTS, k, trees)
    return [*(job for job in found if job.order[0] == 0), *_scaled(_FACTORS[:2], 1)]


def _of_set(name: str, ks: Iterable[int], learners: Sequence[str]) -> Iterator[Job]:
    """Table 2 but for Adult: kACTUS with all inputs as quasi-identifiers."""
    table, about = table_of(name), {"dataset": name, "quasi": "all", "hierarchies": "none"}
    yield from _baseline(table, about, learners)
    for k in ks:
        for label in (AS_PRINTED, "kactus"):
            yield from _trials(table, _treatment(label, k, _ALL_WAYS), _ALL_WAYS, learners, about)
        for label in _BY_MIN_OBJECTS:
            yield from _trials(table, _treatment(label, k, (_RECODED,)), (_RECODED,), learners, about)
        yield from _kept(name, "all", k, learners)


def _adult_today() -> Iterator[Job]:
    """Beyond the paper: other learners, and rows written for them in four ways."""
    yield from _baseline(adult_table(ALL_INPUTS), _about(ALL_INPUTS), TODAY)
    for k in TODAY_K:
        for label in TODAY_METHODS:
            yield from _on_adult(label, ALL_INPUTS, k, TODAY_WAYS, TODAY, "none")


def _adult_quickly() -> Iterator[Job]:
    """Tables 2 to 5 on Adult with the learners that take a second or two: every k, set and method."""
    yield from _baseline(adult_table(ALL_INPUTS), _about(ALL_INPUTS), QUICK_LEARNERS)
    for size in (ALL_INPUTS, *QUASI):
        for k in ADULT_K:
            for label in (AS_PRINTED, "kactus"):
                yield from _on_adult(label, size, k, _ALL_WAYS, QUICK_LEARNERS)
            for label in _BY_MIN_OBJECTS if size == ALL_INPUTS else ():
                yield from _on_adult(label, size, k, (_RECODED,), QUICK_LEARNERS)
            yield from _kept(ADULT_NAME, size, k, QUICK_LEARNERS)
            for label in ("tds", "tdr", "mondrian"):
                yield from _on_adult(label, size, k, _WAYS_OF_OTHERS, QUICK_LEARNERS)
            yield from _on_adult("mondrian-loss", size, k, (_RECODED,), QUICK_LEARNERS)
            yield from _on_adult("kadet-release", size, k, _WAYS_OF_OTHERS, ("j48",))
            yield from _kadet_tree(size, k, "taxonomies")
            for given in _SUPPRESSING:
                for label in ("tds", "tdr"):
                    yield from _on_adult(label, size, k, (_RECODED,), QUICK_LEARNERS, given)
                yield from _kadet_tree(size, k, given)


def _adult_slowly() -> Iterator[Job]:
    """The same with the slow learners, for three k and all inputs as quasi-identifiers."""
    for one in SLOW_LEARNERS:
        yield from _baseline(adult_table(ALL_INPUTS), _about(ALL_INPUTS), (one,))
    for k in SLOW_K:
        yield from _compared_slowly(ALL_INPUTS, k)


def _adult_at_last() -> Iterator[Job]:
    """The other k and sets with the slow learners, and what takes longest of all: redrawn rows."""
    for size in (ALL_INPUTS, *QUASI):
        for k in ADULT_K:
            if size != ALL_INPUTS or k not in SLOW_K:
                yield from _compared_slowly(size, k)
    for k in SLOW_K:
        for label in (AS_PRINTED, "kactus", "tds", "tdr"):
            yield from _on_adult(label, ALL_INPUTS, k, (_REDRAWN,), SLOW_LEARNERS)


def _compared_slowly(size: str, k: int) -> Iterator[Job]:
    for label in (AS_PRINTED, "kactus"):
        yield from _on_adult(label, size, k, (_AS_IT_IS, _RECODED), SLOW_LEARNERS)
    for label in _BY_MIN_OBJECTS if size == ALL_INPUTS else ():
        yield from _on_adult(label, size, k, (_RECODED,), SLOW_LEARNERS)
    yield from _kept(ADULT_NAME, size, k, SLOW_LEARNERS)
    for given in ("taxonomies", *_SUPPRESSING):
        for label in ("tds", "tdr"):
            yield from _on_adult(label, size, k, (_RECODED,), SLOW_LEARNERS, given)
    yield from _on_adult("mondrian", size, k, (_RECODED,), SLOW_LEARNERS if k >= LOGISTIC_FROM else ("part",))


def _on_adult(
    label: str, size: str, k: int, ways: Sequence[Way], learners: Sequence[str], given: Hierarchies = "taxonomies"
) -> Iterator[Job]:
    given = "none" if label in (AS_PRINTED, "kactus", *_BY_MIN_OBJECTS) else given
    yield from _trials(adult_table(size, given), _treatment(label, k, ways), ways, learners, _about(size, given))


def _kadet_tree(size: str, k: int, given: Hierarchies) -> Iterator[Job]:
    """kADET as its authors have it: the tree is published, and takes rows as they are."""
    table = adult_table(size, given)
    tree = learner("kadet", k=k, public=list(quasi_of(size)), hierarchies=dict(table.schema.hierarchies))
    yield from _trials(adult_table(size), Treatment(TREE, None, k), (RAW,), (tree,), _about(size, given))


def _baseline(table: EvaluatedTable, about: Mapping[str, Any], learners: Sequence[str]) -> Iterator[Job]:
    knowing_nothing = (MAJORITY,) if learners[0] in QUICK_LEARNERS else ()
    yield from _trials(table, Treatment(), (RAW,), (*knowing_nothing, *learners), about)


def _kept(dataset: str, quasi: str, k: int, learners: Iterable[str]) -> Iterator[Job]:
    table = table_of(dataset) if dataset != ADULT_NAME else adult_table(quasi)
    for split in _splits(table):
        for one in learners:
            told = {"dataset": dataset, "quasi": quasi, "k": k, "learner": one}
            told |= {"repetition": split.repetition, "fold": split.fold}
            yield Measurement(
                "kactus: numbers kept",
                learn_with_numbers_kept,
                told,
                table.digest,
                method=PRINTED_METHOD,
                weka=True,
                repetition=split.repetition,
            )


def _scaled(factors: Iterable[int], times: int) -> Iterator[Job]:
    """Table 6: the seconds that kACTUS takes as Adult grows."""
    for factor in factors:
        for classes in ("drawn", "kept"):
            for repetition in range(times):
                told = {"factor": factor, "classes": classes, "repetition": repetition}
                yield Measurement(
                    "kactus: seconds",
                    time_scaled,
                    told,
                    digest_of_adult("both"),
                    method=PRINTED_METHOD,
                    repetition=repetition,
                )


def _lost() -> Iterator[Job]:
    """The records of every set that are lost, by gain ratio and by gain."""
    for name, ks in (*((one.name, one.ks) for one in SETS), (ADULT_NAME, ADULT_K)):
        if not has(name):
            continue
        data = adult_table(ALL_INPUTS).digest if name == ADULT_NAME else table_of(name).digest
        for k, criterion, least in product(ks, CRITERIA, LEAST):
            told = {"dataset": name, "k": k, "criterion": criterion, "least": least}
            yield Measurement("kactus: lost", count_lost, told, data, method=PRINTED_METHOD)


def _numbers_timed() -> Iterator[Job]:
    """The seconds with numbers as they are, and as categories."""
    for repetition, kind in product(range(_REPETITIONS), KINDS):
        told = {"kind": kind, "repetition": repetition}
        data = digest_of_adult("both")
        yield Measurement(
            "kactus: numbers timed", time_numbers, told, data, method=PRINTED_METHOD, repetition=repetition
        )


def _treatment(label: str, k: int, ways: Sequence[Way]) -> Treatment:
    # Rows are redrawn by published proportions; what else is published does not depend on them.
    parameters = {"publish_proportions": True} if _REDRAWN in ways else {}
    return Treatment(label, _METHODS[label], k, (), parameters)


def _trials(
    table: EvaluatedTable,
    treatment: Treatment,
    ways: Sequence[Way],
    learners: Sequence[str | Learner],
    about: Mapping[str, Any],
) -> Iterator[Job]:
    for split in _splits(table):
        cells = tuple(
            Cell.of(Design(table, "5x2cv", SEED, about), treatment, split, way, learner(one))
            for way in ways
            for one in learners
        )
        yield TrialOf(table, SEED, Trial(treatment, split, cells))


@cache
def _splits(table: EvaluatedTable) -> tuple[Split, ...]:
    return tuple(splits_of(table, "5x2cv", SEED))


def _about(size: str, given: Hierarchies = "none") -> dict[str, Any]:
    return {"dataset": ADULT_NAME, "quasi": size, "hierarchies": given}
