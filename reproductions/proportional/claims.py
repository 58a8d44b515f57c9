"""The claims of the paper on the proportional representation, each judged by counting.

The figures are lost, so that what the text says of them is compared.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from itertools import pairwise, product
from typing import Final

from reproductions.base import Claim, Verdict
from reproductions.estimates import Estimate, signed
from reproductions.judging import Tally
from reproductions.proportional.found import NOT_ANONYMOUS, Found
from reproductions.proportional.measuring import RAW, REPRESENTATIONS, TRAINED_K

__all__ = ["MARGIN", "claims_of"]

MARGIN: Final = 0.01
"""Scores that differ by no more are on the same level."""

_LARGE: Final = 5000  # from which the paper sees no utility left
_CHANCE: Final = 0.5  # the AUC of knowing nothing

_PROPORTIONAL, _PARENT, _ONE, _CHILD = REPRESENTATIONS
_GOOD, _POOR = (_PROPORTIONAL, _PARENT), (_ONE, _CHILD)

Place = tuple[str, str, int]
Pairs = Iterable[tuple[Place, Place]]


def claims_of(found: Found, score: str) -> list[Claim]:
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
        *([_over_chance(found)] if score == "auc" else []),
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


def _above(found: Found, says: str, pairs: Pairs, why: str = "") -> Claim:
    gaps = [found.gap(own, other) for own, other in pairs]
    tally = Tally.above(gaps)
    return Claim(says, f"{tally}.{_mean(gaps)}", tally.verdict, _why(found, tally, why))


def _near(found: Found, says: str, pairs: Pairs) -> Claim:
    gaps = [found.gap(own, other) for own, other in pairs]
    tally = Tally.within(MARGIN, gaps)
    return Claim(says, f"Within {MARGIN}: {tally}.{_mean(gaps)}", tally.verdict, _why(found, tally, ""))


def _mean(gaps: Iterable[Estimate | None]) -> str:
    known = [gap.mean for gap in gaps if gap is not None]
    if not known:
        return ""
    low, high = signed(min(known), 3), signed(max(known), 3)
    return f" On average {signed(statistics.fmean(known), 3)} ({low} to {high})."


def _why(found: Found, tally: Tally, reason: str) -> str:
    """Where a claim does not hold throughout: a reason, and by how much scores differ by chance."""
    if tally.verdict == "holds" or tally.missing == tally.cases or found.deviation is None:
        return ""
    return f"{reason} From seed to seed scores deviate by {found.deviation:.3f}.".lstrip()


def _alike_raw(found: Found) -> Claim:
    """Not a matter of repetitions: the features are the same."""
    pairs = [
        (found.score(train, _PROPORTIONAL, NOT_ANONYMOUS), found.score(train, _PARENT, NOT_ANONYMOUS))
        for train in (RAW, *REPRESENTATIONS)
    ]
    known = [(own, other) for own, other in pairs if own]
    alike = sum(own == other for own, other in known)
    verdict: Verdict = "undecided" if not known else "holds" if alike == len(known) else "does not hold"
    return Claim("On raw rows, proportional and fillParent are the same", f"{alike} of {len(known)} trainings", verdict)


def _over_chance(found: Found) -> Claim:
    large = [found.score(RAW, one, k) for one in REPRESENTATIONS for k in found.ks if k >= _LARGE]
    gaps = [Estimate.of([score - _CHANCE for score in own.values()]) for own in large]
    tally = Tally.above(gaps)
    return Claim(
        f"Fig. 3: from k = {_LARGE:,} on, AUC stays above {_CHANCE} with every representation",
        f"{tally}.{_mean(gaps)}",
        tally.verdict,
        _why(found, tally, _few_classes(found)),
    )
