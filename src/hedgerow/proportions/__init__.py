"""Proportions: how the people of every class of a release are divided among the values of each column, pooled.

:func:`hedgerow.proportions.lifting.proportions_to_publish` makes them; it is imported apart, since it needs numba.
"""

from hedgerow.proportions.counting import count_labels, count_proportions
from hedgerow.proportions.dealing import Drawn, deal_columns, with_drawn
from hedgerow.proportions.exact import ExactColumn, ExactLabels, ExactProportions
from hedgerow.proportions.lifts import ColumnLifts, Lifts
from hedgerow.proportions.matching import published_texts
from hedgerow.proportions.parts import parts_of, shares_of_parts
from hedgerow.proportions.pools import Pools
from hedgerow.proportions.proportions import ColumnProportions, Proportions
from hedgerow.proportions.raking import Tilt, tilted
from hedgerow.proportions.spreading import Spread

__all__ = [
    "RESULTS_VERSION",
    "ColumnLifts",
    "ColumnProportions",
    "Drawn",
    "ExactColumn",
    "ExactLabels",
    "ExactProportions",
    "Lifts",
    "Pools",
    "Proportions",
    "Spread",
    "Tilt",
    "count_labels",
    "count_proportions",
    "deal_columns",
    "parts_of",
    "published_texts",
    "shares_of_parts",
    "tilted",
    "with_drawn",
]

RESULTS_VERSION = 3
"""Raised when other proportions, or other rows, are made of the same release: results of evaluations are then stale."""
