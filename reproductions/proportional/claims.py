"""The claims of the paper on the proportional representation, and what the cells say of them.

The figures are lost, so that what the text says of them is compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product
from typing import Final

from reproductions.estimates import THIRDS, Estimate, signed
from reproductions.judging import Draft, Tally, above, checked, within
from reproductions.proportional.found import NOT_ANONYMOUS, Found
from reproductions.proportional.measuring import RAW, REPRESENTATIONS, TRAINED_K

__all__ = ["MARGIN", "claims_of"]

MARGIN: Final = 0.01
"""Scores that differ by no more are on the same level."""

_LARGE: Final = 5000  # above which the paper sees no utility left
_CHANCE: Final = 0.5  # the AUC of knowing nothing

_PROPORTIONAL, _PARENT, _ONE, _CHILD = REPRESENTATIONS
_GOOD, _POOR = (_PROPORTIONAL, _PARENT), (_ONE, _CHILD)

Place = tuple[str, str, int]
Pairs = Iterable[tuple[Place, Place]]


def claims_of(found: Found, score: str) -> list[Draft]:
    """All claims about a table in one order.

    Parameters
    ----------
    found : Found
    score : {"auc", "accuracy"}
    """
    ks = found.ks
    few, own = _few_classes(found), _own_best(found)
    return [
        _alike_raw(found),
        _above(found, "Fig. 3: performance falls as k grows, with every representation", _falling(ks), few),
        *(_at_chance(found) if score == "auc" else []),
        _above(
            found,
            "Fig. 3, trained on raw rows: testing with proportional beats the other three at every k",
            [((RAW, _PROPORTIONAL, k), (RAW, other, k)) for other in (_PARENT, *_POOR) for k in ks],
            few,
        ),
        _above(
            found,
            "Figs. 4 and 5, trained on 100-anonymous rows: testing with proportional is best, however it was trained",
            [
                ((train, _PROPORTIONAL, k), (train, other, k))
                for train, other, k in product(REPRESENTATIONS, (_PARENT, *_POOR), ks)
            ],
            own,
        ),
        _above(
            found,
            "Figs. 4 and 5: testing with fillParent is second best, before oneClass and fillChild",
            [((train, _PARENT, k), (train, other, k)) for train, other, k in product(REPRESENTATIONS, _POOR, ks)],
            own,
        ),
        _above(
            found,
            "Tested with proportional, training with fillParent or proportional beats oneClass and fillChild",
            [((own, _PROPORTIONAL, k), (other, _PROPORTIONAL, k)) for own, other, k in product(_GOOD, _POOR, ks)],
        ),
        _above(
            found,
            "Tested with fillParent, training with fillParent is best",
            [((_PARENT, _PARENT, k), (other, _PARENT, k)) for other, k in product((_PROPORTIONAL, *_POOR), ks)],
        ),
        _near(
            found,
            "Tested with proportional, training with fillParent and with proportional give the same",
            [((_PARENT, _PROPORTIONAL, k), (_PROPORTIONAL, _PROPORTIONAL, k)) for k in ks],
        ),
        _near(
            found,
            f"Training on raw and on {TRAINED_K}-anonymous rows performs at the same level",
            [((own, _PROPORTIONAL, k), (RAW, _PROPORTIONAL, k)) for own, k in product(_GOOD, ks)],
        ),
        _above(
            found,
            "Overall, fillParent and proportional beat oneClass and fillChild (trained and tested alike)",
            [((own, own, k), (other, other, k)) for own, other, k in product(_GOOD, _POOR, ks)],
        ),
        _above(
            found,
            "oneClass and fillChild do not mix with others: training otherwise is worse than training as tested",
            [
                ((test, test, k), (train, test, k))
                for train, test, k in product(REPRESENTATIONS, REPRESENTATIONS, ks)
                if train != test and {train, test} & set(_POOR)
            ],
        ),
    ]


def _few_classes(found: Found) -> str:
    few = found.few_classes
    return f"At {few} of {len(found.ks)} k no more than two classes are left to tell apart." if few else ""


def _own_best(found: Found) -> str:
    best, cases = found.best(_POOR, REPRESENTATIONS)
    return (
        f"Networks trained with oneClass or fillChild do best with the same in {best} of {cases} cases."
        if cases
        else ""
    )


def _falling(ks: Sequence[int]) -> Pairs:
    """The smallest k, those that are a hundred and a thousand, and the largest, each beside the next."""
    chosen = sorted({k for k in ks if k in (ks[0], 100, 1000, ks[-1])})
    return [((RAW, one, low), (RAW, one, high)) for one in REPRESENTATIONS for low, high in pairwise(chosen)]


def _above(found: Found, says: str, pairs: Pairs, why: str = "") -> Draft:
    every = list(pairs)
    gaps = [found.gap(own, other) for own, other in every]
    mean = Estimate.of(found.gaps_by_seed(every), THIRDS)
    tally = Tally.above(gaps)
    told = f"Comparisons by their own intervals, uncorrected: {tally}.{_mean(gaps)}"
    return Draft(says, told, (above(mean, _units(mean), digits=3),), _why(found, tally, why))


def _near(found: Found, says: str, pairs: Pairs) -> Draft:
    every = list(pairs)
    gaps = [found.gap(own, other) for own, other in every]
    mean = Estimate.of(found.gaps_by_seed(every), THIRDS)
    tally = Tally.within(MARGIN, gaps)
    told = f"Comparisons within {MARGIN} by their own intervals, uncorrected: {tally}.{_mean(gaps)}"
    return Draft(says, told, (within(mean, -MARGIN, MARGIN, _units(mean), 3),), _why(found, tally, ""))


def _units(mean: Estimate | None) -> str:
    return "seeds" if mean is None else f"mean of {mean.number} seeds, each a split and its networks"


def _mean(gaps: Iterable[Estimate | None]) -> str:
    known = [gap.mean for gap in gaps if gap is not None]
    if not known:
        return ""
    low, high = signed(min(known), 3), signed(max(known), 3)
    return f" They are {low} to {high}."


def _why(found: Found, tally: Tally, reason: str) -> str:
    """Where comparisons do not all speak for a claim: a reason, and by how much scores differ by chance."""
    if tally.missing == tally.cases or tally.for_it == tally.cases or found.deviation is None:
        return ""
    return f"{reason} From seed to seed scores deviate by {found.deviation:.3f}.".lstrip()


def _alike_raw(found: Found) -> Draft:
    """Not a matter of repetitions: the features are the same."""
    pairs = [
        (found.score(train, _PROPORTIONAL, NOT_ANONYMOUS), found.score(train, _PARENT, NOT_ANONYMOUS))
        for train in (RAW, *REPRESENTATIONS)
    ]
    alike = [own == other for own, other in pairs if own]
    told = f"{sum(alike)} of {len(alike)} trainings" if alike else ""
    return Draft("On raw rows, proportional and fillParent are the same", told, (checked(alike),))


def _at_chance(found: Found) -> Iterator[Draft]:
    """Two readings of one sentence: what is meant, no utility, and what is written, above 0.5."""
    leads = {k: found.leads_over(_CHANCE, k) for k in found.ks if k > _LARGE}
    estimates = {k: Estimate.of(values, THIRDS) for k, values in leads.items()}
    highest = max((_CHANCE + one.mean for one in estimates.values() if one is not None), default=None)
    best = max((found.mean_score(one, k) or 0.0, one, k) for one in REPRESENTATIONS for k in leads) if leads else None
    says = f"Fig. 3: above k = {_LARGE:,} no representation keeps any utility"
    why = "The sentence calls a score above 0.5 the inability to keep utility, which would be one of 0.5."
    if highest is not None and best is not None:
        why += f" The highest mean of our seeds is {best[0]:.3f}, {best[1]} at k = {best[2]:,}."
    yield Draft(
        f"{says}: AUC is within {MARGIN} of {_CHANCE} (what is meant)",
        "",
        tuple(within(one, -MARGIN, MARGIN, _units(one), 3).named(f"k = {k:,}") for k, one in estimates.items()),
        why,
    )
    yield Draft(
        f"Fig. 3: above k = {_LARGE:,}, AUC stays above {_CHANCE} with every representation (what is written)",
        "",
        tuple(above(one, _units(one), digits=3).named(f"k = {k:,}") for k, one in estimates.items()),
        _few_classes(found),
    )
