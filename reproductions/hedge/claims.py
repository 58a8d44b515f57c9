"""What Hedge was to reach, each with what came out and a verdict that is computed."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Final

from hedgerow.errors import plural
from reproductions.base import Claim, Verdict
from reproductions.estimates import signed
from reproductions.hedge.experiments import ADULT_KS, HEDGE, SEEDS, SET_KS, SET_METHODS, SETS
from reproductions.hedge.found import CALLED, HOPED, REACH, Found
from reproductions.hedge.measuring import EXACT, LEARNERS, STRICT
from reproductions.judging import in_cases
from reproductions.kactus.comparing import FOLDS, effect, tally
from reproductions.kactus.sets import ADULT_NAME

__all__ = ["ATTACKERS", "ERROR", "LARGEST_EXCESS", "claims_of", "reached"]

ERROR: Final = 0.28
"""The standard error of one accuracy on Adult's test file, in points: that of 86 % of 15,060 people."""
LARGEST_EXCESS: Final = 1.5
ATTACKERS: Final = ("alone", "stacked")

_STRICTLY_FROM: Final = 100  # the least k at which the excess was to be small
_SECONDS: Final = 15.0


def claims_of(found: Found) -> list[Claim]:
    """All of them."""
    return [
        *(_reach(found, STRICT, k, REACH[STRICT][k], "at least") for k in ADULT_KS),
        *(_reach(found, STRICT, k, HOPED[k], "hoped for") for k in ADULT_KS),
        *(_reach(found, EXACT, k, REACH[EXACT][k], "at least") for k in ADULT_KS),
        _singled_out(found),
        *(_excess(found, k) for k in ADULT_KS if k >= _STRICTLY_FROM),
        _fast(found),
        *(_better(found, method, SETS) for method in SET_METHODS if method != HEDGE),
        *(_better(found, method, (ADULT_NAME,)) for method in SET_METHODS if method != HEDGE),
    ]


def reached(scores: Mapping[int, float], wanted: float) -> Verdict:
    """Whether the mean over all seeds is what was wanted, or less by no more than a standard error.

    >>> reached({0: 86.5, 1: 86.4, 2: 86.3}, 86.4), reached({0: 86.2, 1: 86.2, 2: 86.2}, 86.4)
    ('holds', 'holds within one standard error')
    >>> reached({0: 86.0, 1: 86.0, 2: 86.0}, 86.4), reached({0: 86.5}, 86.4)
    ('does not hold', 'undecided')
    """
    if len(scores) < len(SEEDS):
        return "undecided"
    lacking = round(wanted - statistics.fmean(scores.values()), 6)
    return "holds" if lacking <= 0 else "holds within one standard error" if lacking <= ERROR else "does not hold"


def _reach(found: Found, method: str, k: int, wanted: float, how: str) -> Claim:
    scores = found.scores(method, k, LEARNERS[0])
    what = "strict" if method == STRICT else "exact (`min_support=1`)"
    if not scores:
        return Claim(f"Adult, {what}, k = {k}: {how} {wanted:.1f} %", "nothing yet", "undecided")
    mean = statistics.fmean(scores.values())
    return Claim(
        f"Adult, {what}, k = {k}: {how} {wanted:.1f} %",
        f"{mean:.2f} % ({min(scores.values()):.2f} to {max(scores.values()):.2f}, {_seeds(scores)})",
        reached(scores, wanted),
        f"{signed(mean - wanted, 2)} points",
    )


def _seeds(some: Mapping[int, object]) -> str:
    return plural(len(some), "seeds")


def _singled_out(found: Found) -> Claim:
    every = [one["singled_out"] for k in ADULT_KS for one in found.learnt.get((STRICT, k), {}).values()]
    whole = len(every) == len(ADULT_KS) * len(SEEDS)
    exact = [one["singled_out"] for k in ADULT_KS for one in found.learnt.get((EXACT, k), {}).values()]
    return Claim(
        "Adult, strict: nobody is singled out",
        f"at most {max(every):,} people in {len(every)} releases" if every else "nothing yet",
        ("holds" if not any(every) else "does not hold") if whole else "undecided",
        f"Exact: up to {max(exact):,} of the 30,162 people." if exact else "",
    )


def _excess(found: Found, k: int) -> Claim:
    every = found.disclosed.get((STRICT, k), {})
    ends = [one[attacker]["high"] for one in every.values() for attacker in ATTACKERS]
    told = "; ".join(
        f"{attacker} {_mean([one[attacker]['excess'] for one in every.values()])}, "
        f"upper ends up to {max(one[attacker]['high'] for one in every.values()):.2f}"
        for attacker in ATTACKERS
        if every
    )
    return Claim(
        f"Adult, strict, k = {k}: labels of members are told by an excess whose 95 % interval ends below "
        f"{LARGEST_EXCESS} points",
        f"{told} ({_seeds(every)})" if told else "nothing yet",
        in_cases([end < LARGEST_EXCESS for end in ends]) if len(every) == len(SEEDS) else "undecided",
        "Both attackers in every seed must stay below." if told else "",
    )


def _mean(values: Sequence[float]) -> str:
    return signed(statistics.fmean(values), 2)


def _fast(found: Found) -> Claim:
    """By the fastest seed of each k, since other work on the machine only adds to the time."""
    every = {k: [one["seconds"] for one in found.learnt.get((STRICT, k), {}).values()] for k in ADULT_KS}
    least = {k: min(seconds) for k, seconds in every.items() if seconds}
    whole = all(len(seconds) == len(SEEDS) for seconds in every.values())
    return Claim(
        f"Adult is anonymized in under {_SECONDS:.0f} s, with the default teacher",
        "; ".join(f"k = {k}: {seconds:.1f} s" for k, seconds in least.items()) or "nothing yet",
        in_cases([seconds < _SECONDS for seconds in least.values()]) if whole else "undecided",
        "The fastest seed, beside other work; `benchmarks/RESULTS.md` has a run by parts." if least else "",
    )


def _better(found: Found, method: str, datasets: Sequence[str]) -> Claim:
    """Whether Hedge is better in every case; only if all repetitions of all cases are done this is decided."""
    own, others = (found.accuracies(one, datasets, SET_KS) for one in (HEDGE, method))
    gaps = [
        statistics.fmean(own[case][fold] - others[case][fold] for fold in shared)
        for case in own
        if (shared := own[case].keys() & others.get(case, {}).keys())
    ]
    whole = [case for case in own if len(own[case]) == len(others.get(case, {})) == len(FOLDS)]
    where = "Adult" if tuple(datasets) == (ADULT_NAME,) else f"every one of {len(datasets)} sets"
    says = f"Better than {CALLED[method]} on {where} at k = {', '.join(map(str, SET_KS))}, by 5×2 cv"
    mean = effect(own, others)
    if not gaps or mean is None:
        return Claim(says, "nothing yet", "undecided")
    counts = tally(own, others)
    tests = (
        f"; significantly better in {counts.better}, worse in {counts.worse} of the {counts.cases} with five "
        "repetitions"
        if counts.cases
        else ""
    )
    better, worse = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    return Claim(
        says,
        f"better in {better} of {len(gaps)} cases, worse in {worse}{tests}",
        _verdict(better, worse, len(gaps)) if len(whole) == len(datasets) * len(SET_KS) else "undecided",
        f"{mean} points",
    )


def _verdict(better: int, worse: int, cases: int) -> Verdict:
    return "holds" if better == cases else "holds in part" if better > worse else "does not hold"
