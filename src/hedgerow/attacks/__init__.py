"""Attacks: procedures that infer something about people from a release, compared with people who are not in it.

The command, comparisons and your own code may import it. It imports releases, risk and methods, never reports.
Start with :mod:`~hedgerow.attacks.registry` for ``hr.attack`` and :mod:`~hedgerow.attacks.outcome` for its results.
"""

from hedgerow.attacks._downcoding import Downcoding, downcoding
from hedgerow.attacks._inference import inference
from hedgerow.attacks._intersection import intersection
from hedgerow.attacks._linkability import linkability
from hedgerow.attacks._membership import membership
from hedgerow.attacks._minimality import minimality
from hedgerow.attacks._pools import pool_names, pool_order
from hedgerow.attacks._singling_out import singling_out
from hedgerow.attacks.label_disclosure import Guessed, LabelDisclosure, Success, label_disclosure
from hedgerow.attacks.outcome import Claims, Outcome
from hedgerow.attacks.registry import ATTACKS, Attacks, Skipped

__all__ = [
    "ATTACKS",
    "Attacks",
    "Claims",
    "Downcoding",
    "Guessed",
    "LabelDisclosure",
    "Outcome",
    "Skipped",
    "Success",
    "downcoding",
    "inference",
    "intersection",
    "label_disclosure",
    "linkability",
    "membership",
    "minimality",
    "pool_names",
    "pool_order",
    "singling_out",
]
