"""Attacks: what somebody could find out from a release, each beside the same for people who are not in it."""

from hedgerow.attacks.downcoding import Downcoding, downcoding
from hedgerow.attacks.intersection import intersection
from hedgerow.attacks.label_disclosure import Guessed, LabelDisclosure, Success, label_disclosure
from hedgerow.attacks.membership import membership
from hedgerow.attacks.minimality import minimality
from hedgerow.attacks.outcome import Claims, Outcome
from hedgerow.attacks.registry import ATTACKS
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
    "intersection",
    "label_disclosure",
    "membership",
    "minimality",
]
