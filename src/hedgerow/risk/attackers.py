"""Three attackers and the chance that each finds a person again.

K. El Emam, F. K. Dankar, "Protecting privacy using k-anonymity", JAMIA 15(5), 2008:

- The *prosecutor* knows that the person is in the table: the chance is 1 / (records of the class).
- The *journalist* does not know it and matches against a population: 1 / (people of the population who fit).
- The *marketer* wants as many people as possible: the share of all records that he matches rightly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hedgerow.verifier import ClassCounts
from hedgerow.verifier.classes import Integers

__all__ = ["AttackerRisk", "Risks", "attacker_risks"]

# Rounding of 1 / size must not put a class of exactly 1 / threshold records at risk.
_SLACK = 1e-9


@dataclass(frozen=True)
class AttackerRisk:
    """The chance of finding a person again.

    Parameters
    ----------
    highest, average : float
        Over all records.
    records_at_risk : int
        The records whose own chance is above the threshold.
    share_at_risk : float
        Their share of all records.
    threshold : float
        Above it a record is at risk.
    note : str
        What the figures rest on.
    """

    highest: float
    average: float
    records_at_risk: int
    share_at_risk: float
    threshold: float
    note: str


@dataclass(frozen=True)
class Risks:
    """The three attackers."""

    prosecutor: AttackerRisk
    journalist: AttackerRisk
    marketer: AttackerRisk


def attacker_risks(counts: ClassCounts, threshold: float, population: Integers | None = None) -> Risks:
    """Compute the risks of a table.

    Parameters
    ----------
    counts : ClassCounts
        The classes of the table.
    threshold : float
        Above it a record is at risk.
    population : array of int, optional
        The people of the population who fit each class. A class is taken to have at least as many as it has
        records, because the people of the table belong to the population.
    """
    prosecutor = _risk(counts, counts.sizes, threshold, "the person is known to be in the table")
    if population is None:
        journalist = replace(prosecutor, note="no population was given, so this is the prosecutor's risk")
    else:
        fitting = np.maximum(population, counts.sizes)
        journalist = _risk(counts, fitting, threshold, "matched against the given population")
    everybody = counts.records if journalist.average > threshold + _SLACK else 0
    marketer = replace(
        journalist,
        highest=journalist.average,
        records_at_risk=everybody,
        share_at_risk=everybody / counts.records,
        note="the expected share of records matched rightly; all are at risk if it is above the threshold",
    )
    return Risks(prosecutor, journalist, marketer)


def _risk(counts: ClassCounts, fitting: Integers, threshold: float, note: str) -> AttackerRisk:
    chance = 1.0 / fitting
    at_risk = int(counts.sizes[chance > threshold + _SLACK].sum())
    return AttackerRisk(
        highest=float(chance.max()),
        average=float((counts.sizes * chance).sum() / counts.records),
        records_at_risk=at_risk,
        share_at_risk=at_risk / counts.records,
        threshold=threshold,
        note=note,
    )
