"""What Hedge was to reach, each with what came out and a verdict that is computed."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Final

from hedgerow.errors import plural
from reproductions.estimates import HALVES, Estimate, signed
from reproductions.hedge.experiments import ADULT_KS, HEDGE, SEEDS, SET_KS, SET_METHODS, SETS
from reproductions.hedge.found import CALLED, HOPED, REACH, Found
from reproductions.hedge.measuring import EXACT, LEARNERS, STRICT
from reproductions.judging import Draft, Finding, above, below, checked, missing
from reproductions.kactus.comparing import FOLDS, effect, tally
from reproductions.kactus.sets import ADULT_NAME

__all__ = ["ATTACKERS", "ERROR", "LARGEST_EXCESS", "claims_of"]

ERROR: Final = 0.28
"""The standard error of one accuracy on Adult's test file, in points: that of 86 % of 15,060 people."""
LARGEST_EXCESS: Final = 1.5
ATTACKERS: Final = ("alone", "stacked")

_PEOPLE: Final = 15_060
_WIDTH: Final = 1.96  # half an interval of so many people, in standard errors
_STRICTLY_FROM: Final = 100  # the least k at which the excess was to be small
_SECONDS: Final = 15.0


def claims_of(found: Found) -> list[Draft]:
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


def _reach(found: Found, method: str, k: int, wanted: float, how: str) -> Draft:
    """The seeds share the people of the test file, who are the units."""
    scores = found.scores(method, k, LEARNERS[0])
    what = "strict" if method == STRICT else "exact (`min_support=1`)"
    says = f"Adult, {what}, k = {k}: {how} {wanted:.1f} %"
    if not scores:
        return Draft(says, "", (missing(),))
    mean = statistics.fmean(scores.values())
    whole = len(scores) == len(SEEDS)
    lead = Estimate(round(mean - wanted, 6), ERROR, _PEOPLE)
    return Draft(
        says,
        f"{mean:.2f} % ({min(scores.values()):.2f} to {max(scores.values()):.2f}, {_seeds(scores)}). Points above",
        (above(lead, f"{_PEOPLE:,} people") if whole else missing(),),
    )


def _seeds(some: Mapping[int, object]) -> str:
    return plural(len(some), "seeds")


def _singled_out(found: Found) -> Draft:
    every = [one["singled_out"] for k in ADULT_KS for one in found.learnt.get((STRICT, k), {}).values()]
    whole = len(every) == len(ADULT_KS) * len(SEEDS)
    exact = [one["singled_out"] for k in ADULT_KS for one in found.learnt.get((EXACT, k), {}).values()]
    return Draft(
        "Adult, strict: nobody is singled out",
        f"at most {max(every):,} people in {len(every)} releases" if every else "",
        (checked([not one for one in every]) if whole else missing(),),
        f"Exact: up to {max(exact):,} of the 30,162 people." if exact else "",
    )


def _excess(found: Found, k: int) -> Draft:
    """The seeds share the people who are asked about, so that their mean has the interval of one of them."""
    every = found.disclosed.get((STRICT, k), {})
    whole = len(every) == len(SEEDS)
    highest = "; ".join(
        f"{attacker}: upper ends up to {max(one[attacker]['high'] for one in every.values()):.2f}"
        for attacker in ATTACKERS
        if every
    )
    return Draft(
        f"Adult, strict, k = {k}: labels of members are told by an excess below {LARGEST_EXCESS} points",
        highest,
        tuple(
            _excess_of([one[attacker] for one in every.values()], attacker) if whole else missing()
            for attacker in ATTACKERS
        ),
        "Both attackers must stay below." if highest else "",
    )


def _excess_of(told: Sequence[Mapping[str, float]], attacker: str) -> Finding:
    half = statistics.fmean((one["high"] - one["low"]) / 2 for one in told)
    mean = Estimate(statistics.fmean(one["excess"] for one in told), half / _WIDTH, _PEOPLE)
    return below(mean, f"{_PEOPLE:,} people", LARGEST_EXCESS).named(attacker)


def _fast(found: Found) -> Draft:
    """By the fastest seed of each k, since other work on the machine only adds to the time."""
    every = {k: [one["seconds"] for one in found.learnt.get((STRICT, k), {}).values()] for k in ADULT_KS}
    least = {k: min(seconds) for k, seconds in every.items() if seconds}
    whole = all(len(seconds) == len(SEEDS) for seconds in every.values())
    return Draft(
        f"Adult is anonymized in under {_SECONDS:.0f} s, with the default teacher",
        "; ".join(f"k = {k}: {seconds:.1f} s" for k, seconds in least.items()),
        (checked([seconds < _SECONDS for seconds in least.values()]) if whole else missing(),),
        "The fastest seed, beside other work; `benchmarks/RESULTS.md` has a run by parts." if least else "",
    )


def _better(found: Found, method: str, datasets: Sequence[str]) -> Draft:
    """Whether Hedge is better: by sets, or by halves where there is one set; once all repetitions are done."""
    own, others = (found.accuracies(one, datasets, SET_KS) for one in (HEDGE, method))
    gaps = {
        case: statistics.fmean(own[case][fold] - others[case][fold] for fold in shared)
        for case in own
        if (shared := own[case].keys() & others.get(case, {}).keys())
    }
    done = [case for case in own if len(own[case]) == len(others.get(case, {})) == len(FOLDS)]
    whole = len(done) == len(datasets) * len(SET_KS)
    alone = tuple(datasets) == (ADULT_NAME,)
    where = "Adult" if alone else f"{len(datasets)} sets"
    says = f"Better than {CALLED[method]} on {where} at k = {', '.join(map(str, SET_KS))}, by 5×2 cv"
    mean = effect(own, others)
    if not gaps or mean is None:
        return Draft(says, "", (missing(),))
    counts = tally(own, others)
    tests = (
        f"; significantly better in {counts.better}, worse in {counts.worse} of the {counts.cases} with five "
        "repetitions"
        if counts.cases
        else ""
    )
    higher, lower = sum(gap > 0 for gap in gaps.values()), sum(gap < 0 for gap in gaps.values())
    if not whole:
        finding = missing()
    elif alone:
        finding = above(Estimate.of(mean.by_fold, HALVES), "10 halves of Adult")
    else:
        of_sets = [statistics.fmean(gap for case, gap in gaps.items() if case.dataset == name) for name in datasets]
        finding = above(Estimate.of(of_sets), f"{len(of_sets)} sets")
    return Draft(
        says,
        f"Better in {higher} of {len(gaps)} cases, worse in {lower}{tests}; on average {signed(mean.mean, 2)} points",
        (finding,),
    )
