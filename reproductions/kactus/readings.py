"""What the paper may have meant by a test set that is used as it is, and what methods differ by in each reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from hedgerow.evaluation.statistics import Friedman
from reproductions.kactus.comparing import Accuracies, Case, Effect, Found, beside, effect, only, ranked
from reproductions.kactus.experiments import TREE
from reproductions.kactus.measuring import AS_PRINTED, KEPT
from reproductions.kactus.sets import ADULT_NAME, ALL_INPUTS

__all__ = [
    "AS_IT_IS",
    "CALLED",
    "MAIN",
    "PRINTED",
    "READINGS",
    "Printed",
    "Reading",
    "gap",
    "gaps_by_reading",
    "nearest",
    "of_adult",
    "other",
    "over_inducers",
    "over_methods",
    "own",
    "raw_beside",
]


@dataclass(frozen=True)
class Reading:
    """How the rows of kACTUS and those of other methods reach the inducers."""

    name: str
    own: tuple[str, str]
    others: tuple[str, str]
    says: str


AS_IT_IS: Final = Reading(
    "as it is",
    ("published", "raw"),
    ("published", "recoded"),
    "The inducer learns from what kACTUS published, and is tested on raw rows. Rows are recoded only for the others, "
    "as section 5.2 has it.",
)
MAIN: Final = Reading(
    "recoded",
    ("published", "recoded"),
    ("published", "recoded"),
    "Test rows are written as the release would show them, for every method alike. Whoever does so needs the private "
    "recoding.",
)
READINGS: Final = (
    AS_IT_IS,
    MAIN,
    Reading(
        "redrawn",
        ("redrawn", "raw"),
        ("redrawn", "raw"),
        "Training rows are drawn anew from the release and its published proportions, for every method alike. Test "
        "rows are raw.",
    ),
    Reading(
        KEPT,
        (KEPT, "raw"),
        ("published", "recoded"),
        "Suppressed cells are missing, and all others have their original values, numbers too: so section 5.2 "
        "describes the training rows. They are not k-anonymous. Test rows are raw.",
    ),
)

CALLED: Final[Mapping[str, str]] = {
    AS_PRINTED: "kACTUS",
    "kactus": "kACTUS, medians",
    "tds": "TDS",
    "tdr": "TDR",
    TREE: "kADET",
    "mondrian": "Mondrian",
    "mondrian-loss": "Mondrian, our cuts",
    "kadet-release": "kADET's leaves, J48",
}
"""What tables call the methods."""


@dataclass(frozen=True)
class Printed:
    """What the paper's text says of a method beside kACTUS.

    Attributes
    ----------
    gap : float
        The mean accuracy of the method less that of kACTUS, in points.
    better, worse : int, optional
        In how many of ``cases`` kACTUS is significantly better or worse.
    section, gap_in : str
        Where the text says so of the cases, and of the gap.
    """

    method: str
    hierarchies: str
    gap: float
    better: int | None
    worse: int
    cases: int
    section: str
    gap_in: str = "abstract"


PRINTED: Final = (
    Printed("tds", "taxonomies", -3.5, 51, 1, 72, "5.5"),
    Printed("tdr", "taxonomies", -3.3, 52, 2, 72, "5.5"),
    Printed(TREE, "taxonomies", -1.9, 13, 0, 18, "5.5"),
    Printed("mondrian", "taxonomies", -7.84, 58, 0, 72, "5.6", "5.6"),
    Printed("tds", "flat", -5.3, 62, 0, 72, "5.7"),
    Printed("tdr", "flat", -4.3, 59, 1, 72, "5.7"),
    Printed(TREE, "flat", -3.1, None, 0, 18, "5.7"),
)


def own(found: Found, reading: Reading = MAIN, method: str = AS_PRINTED) -> Accuracies:
    """The accuracies of kACTUS."""
    return found.of_method(method, reading.own)


def of_adult(found: Found, reading: Reading = MAIN, method: str = AS_PRINTED) -> Accuracies:
    """The accuracies of kACTUS on Adult."""
    return only(own(found, reading, method), lambda case: case.dataset == ADULT_NAME)


def other(found: Found, method: str, reading: Reading = MAIN, hierarchies: str = "taxonomies") -> Accuracies:
    """The accuracies of another method; a tree that is a release itself takes rows as they are in every reading."""
    return found.of_method(method, ("raw", "raw") if method == TREE else reading.others, hierarchies)


def gap(
    found: Found, method: str, reading: Reading = MAIN, hierarchies: str = "taxonomies", numbers: str = AS_PRINTED
) -> Effect | None:
    """The accuracy of another method less that of kACTUS."""
    return effect(other(found, method, reading, hierarchies), of_adult(found, reading, numbers))


def gaps_by_reading(found: Found, numbers: str) -> dict[str, dict[str, Effect | None]]:
    """Every reading's gaps by method, in the cases that all readings have that were begun."""
    begun = [set(cases) for one in READINGS if (cases := of_adult(found, one, numbers))]
    common = set.intersection(*begun) if begun else set()
    methods = [one.method for one in PRINTED if one.hierarchies == "taxonomies"]
    return {
        one.name: {
            method: effect(other(found, method, one), only(of_adult(found, one, numbers), lambda case: case in common))
            for method in methods
        }
        for one in READINGS
    }


def nearest(found: Found) -> list[tuple[str, float]]:
    """The readings by how far their gaps are from the printed ones on average, the nearest first.

    Only methods are taken that every reading has, and only readings that have any.
    """
    gaps = {name: of for name, of in gaps_by_reading(found, AS_PRINTED).items() if any(of.values())}
    printed = {one.method: one.gap for one in PRINTED if one.hierarchies == "taxonomies"}
    methods = [method for method in printed if all(of[method] is not None for of in gaps.values())]
    if not methods:
        return []
    distances = []
    for name, of in gaps.items():
        apart = [abs(one.mean - printed[method]) for method in methods if (one := of[method]) is not None]
        distances.append((name, sum(apart) / len(apart)))
    return sorted(distances, key=lambda pair: pair[1])


def raw_beside(found: Found, accuracies: Accuracies) -> Accuracies:
    """What was learnt from raw rows, for each case."""

    def same(case: Case) -> Case:
        return replace(case, k=None, quasi=ALL_INPUTS if case.dataset == ADULT_NAME else case.quasi)

    return beside(accuracies, found.raw, same)


def over_inducers(found: Found) -> Friedman | None:
    """The ranks of all methods but kADET, which has its own inducer, with every inducer."""
    methods = ("tds", "tdr", "mondrian")
    return ranked({CALLED[AS_PRINTED]: of_adult(found)} | {CALLED[one]: other(found, one) for one in methods})


def over_methods(found: Found) -> Friedman | None:
    """The ranks of all methods with C4.5."""
    methods = ("tds", "tdr", TREE, "mondrian")
    trees = only(of_adult(found), lambda case: case.learner == "j48")
    return ranked({CALLED[AS_PRINTED]: trees} | {CALLED[one]: other(found, one) for one in methods})
