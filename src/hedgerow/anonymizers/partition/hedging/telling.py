"""What is told by label, and how strongly: so that whoever reads it knows what the teacher does.

Columns are drawn one by one inside a class, so two columns that say the same of the label would say it twice. The
strengths of the columns are those with which a reader's guess, from the labels of a class and what is told of each
column, comes closest to the teacher's probabilities: in cross entropy, over steps of a quarter, a column at a time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from hedgerow.anonymizers.partition.hedging.rehearsing import Rehearsal
from hedgerow.arrays import Floats, Longs
from hedgerow.proportions import tilted
from hedgerow.recoding import ByLabel, Recoding

__all__ = ["told_by_label"]

_STEPS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_ROUNDS: Final = 3
# Strengths are known well enough by so many cells.
_MOST_CELLS: Final = 10_000
_ADDED: Final = 0.5  # people added to each label of a class, so that none is impossible


def told_by_label(rehearsal: Rehearsal, recoding: Recoding, regions: Longs) -> Recoding:
    """The recoding told of in regions, with the strength that fits each column where it is told by label.

    Parameters
    ----------
    rehearsal : Rehearsal
    recoding : Recoding
    regions : int array (levels, groups)
    """
    columns = len(recoding.quasi)
    full = replace(recoding, by_label=ByLabel(regions, np.ones(columns)))
    return replace(recoding, by_label=ByLabel(regions, _fitted(rehearsal, full)))


def _fitted(rehearsal: Rehearsal, full: Recoding) -> Floats:
    """The strength of each column."""
    counts, proportions = rehearsal.counts, rehearsal.told(full)
    cells, classes = rehearsal.placed(full, proportions, _MOST_CELLS)
    tuples = counts.cell_tuple[cells]
    weights = counts.cell_sizes[cells].astype(np.float64)
    weights /= weights.sum()
    guess = rehearsal.lesson.guess[tuples]
    chances = np.log(rehearsal.label_counts(full, proportions) + _ADDED)[classes]
    steps: dict[int, list[Floats]] = {}
    for at, name in enumerate(full.quasi):
        spread = rehearsal.spread(proportions, name)
        tilt = tilted(proportions, name, spread)
        if tilt is None or proportions.lifts is None:
            continue
        codes = spread.codes_of(counts.domains[name])[counts.tuples[tuples, at]]
        pools = np.where(codes < 0, -1, spread.pool[codes])
        known = rehearsal.codes_of_labels(proportions.lifts).tolist()
        tilts = [tilt.at(strength) for strength in _STEPS]
        steps[at] = [np.stack([one.log_ratios(classes, pools, label) for label in known], axis=1) for one in tilts]
    strengths = np.zeros(len(full.quasi))
    chosen = dict.fromkeys(steps, 0)
    logits = chances
    best = _cross_entropy(logits, guess, weights)
    for _ in range(_ROUNDS):
        before = best
        for at, tried in steps.items():
            others = logits - tried[chosen[at]]
            found = [_cross_entropy(others + one, guess, weights) for one in tried]
            chosen[at] = int(np.argmin(found))
            best, logits = found[chosen[at]], others + tried[chosen[at]]
        if best > before - 1e-6:
            break
    for at, step in chosen.items():
        strengths[at] = _STEPS[step]
    return strengths


def _cross_entropy(logits: Floats, guess: Floats, weights: Floats) -> float:
    """Between the reader's probabilities and the teacher's."""
    highest = logits.max(axis=1, keepdims=True)
    together = np.log(np.exp(logits - highest).sum(axis=1)) + highest[:, 0]
    return float(weights @ (together - (guess * logits).sum(axis=1)))
