"""Attacks: what somebody could find out from a release, each beside the same for people who are not in it."""

from hedgerow.attacks.downcoding import Downcoding, downcoding
from hedgerow.attacks.label_disclosure import Guessed, LabelDisclosure, Success, label_disclosure

__all__ = ["Downcoding", "Guessed", "LabelDisclosure", "Success", "downcoding", "label_disclosure"]
