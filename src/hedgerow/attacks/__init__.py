"""Attacks: what somebody could find out from a release, each beside the same for people who are not in it."""

from hedgerow.attacks.downcoding import Downcoding, downcoding
from hedgerow.attacks.inference import inference
from hedgerow.attacks.intersection import intersection
from hedgerow.attacks.label_disclosure import Guessed, LabelDisclosure, Success, label_disclosure
from hedgerow.attacks.linkability import linkability
from hedgerow.attacks.membership import membership
from hedgerow.attacks.minimality import minimality
from hedgerow.attacks.outcome import Claims, Outcome
from hedgerow.attacks.pools import pool_names, pool_order
from hedgerow.attacks.registry import ATTACKS
from hedgerow.attacks.singling_out import singling_out
from hedgerow.attacks.trying import Attacks, Skipped

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
