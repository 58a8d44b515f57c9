"""What is run for ID3, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from hedgerow.evaluation.jobs import Job, Measurement
from reproductions.id3.measuring import (
    WAYS,
    Partition,
    describe_release,
    learn_from_original,
    learn_from_release,
    mondrian,
)
from reproductions.tables import digest_of_adult

__all__ = ["BY_K", "BY_QUASI", "CONDITIONS", "OWN_WAY", "RUNS", "full_jobs", "quick_jobs"]

Condition = tuple[int, int]

BY_K: Final[Sequence[Condition]] = tuple((k, 6) for k in (4, 8, 16, 32, 64))
"""k and how many quasi-identifiers, in section V-A."""

BY_QUASI: Final[Sequence[Condition]] = tuple((64, quasi) for quasi in range(6, 13))
"""And in section V-B."""

CONDITIONS: Final = tuple(dict.fromkeys((*BY_K, *BY_QUASI)))

OWN_WAY: Final = "shared, random"
"""The way that the paper proposes and tests."""

RUNS: Final = 10
_PAPER_RUNS: Final = 3
_FEW: Final[Sequence[Condition]] = ((4, 6), (64, 6), (64, 9), (64, 12))


def full_jobs() -> list[Job]:
    """Everything: ten runs where the paper has three."""
    jobs: list[Job] = [*_originals(), *_described("strict", CONDITIONS)]
    jobs += _learnt("strict", CONDITIONS, [OWN_WAY], RUNS)
    others = [way for way in WAYS if way != OWN_WAY]
    jobs += _learnt("strict", CONDITIONS, others, RUNS)
    for partition in _OTHERS:
        jobs += _described(partition, CONDITIONS)
        jobs += _learnt(partition, CONDITIONS, [OWN_WAY], RUNS)
        jobs += _learnt(partition, CONDITIONS, others, _PAPER_RUNS)
    return jobs


def quick_jobs() -> list[Job]:
    """The paper's three runs of its own way, and one run of the others where they differ most."""
    jobs: list[Job] = [*_originals(), *_described("strict", CONDITIONS)]
    jobs += _learnt("strict", CONDITIONS, [OWN_WAY], _PAPER_RUNS)
    jobs += _learnt("strict", _FEW, [way for way in WAYS if way != OWN_WAY], 1)
    for partition in _OTHERS:
        jobs += _learnt(partition, _FEW[:2], [OWN_WAY], _PAPER_RUNS)
    return jobs


_OTHERS: Final[Sequence[Partition]] = ("relaxed", "loss")


def _originals() -> Iterator[Measurement]:
    for numbers in ("ignore", "thresholds", "categories"):
        yield Measurement("id3: original", learn_from_original, {"numbers": numbers}, _data())


def _described(partition: Partition, conditions: Sequence[Condition]) -> Iterator[Measurement]:
    for k, quasi in conditions:
        given = {"k": k, "quasi": quasi, "partition": partition}
        yield Measurement("id3: releases", describe_release, given, _data(), method=mondrian(partition))


def _learnt(
    partition: Partition, conditions: Sequence[Condition], ways: Sequence[str], runs: int
) -> Iterator[Measurement]:
    """Ways that leave nothing to chance are run once."""
    for run in range(runs):
        for k, quasi in conditions:
            for way in ways:
                if run == 0 or WAYS[way].drawn:
                    given: dict[str, Any] = {"k": k, "quasi": quasi, "partition": partition, "way": way, "run": run}
                    yield Measurement(
                        "id3: learnt",
                        learn_from_release,
                        given,
                        _data(),
                        method=mondrian(partition),
                        proportions=WAYS[way].told,
                        repetition=run,
                    )


def _data() -> str:
    return digest_of_adult("train", "test")
