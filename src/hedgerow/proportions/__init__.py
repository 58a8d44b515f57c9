"""Proportions: how often each original value occurs in every class of a release, as counts over its people."""

from hedgerow.proportions.counting import count_proportions
from hedgerow.proportions.matching import published_texts
from hedgerow.proportions.parts import MISSING_PART, Parts, part_name, parts_of, shares_of_parts
from hedgerow.proportions.proportions import ColumnProportions, Proportions

__all__ = [
    "ColumnProportions",
    "MISSING_PART",
    "Parts",
    "Proportions",
    "count_proportions",
    "part_name",
    "parts_of",
    "published_texts",
    "shares_of_parts",
]
