"""Proportions: how the people of every class of a release are divided among the values of each column, pooled.

:func:`hedgerow.proportions.pooling.pool` makes them of exact ones; it is imported apart, since it needs numba.
"""

from hedgerow.proportions.counting import count_proportions
from hedgerow.proportions.dealing import Drawn, deal_columns, with_drawn
from hedgerow.proportions.exact import ExactColumn, ExactProportions
from hedgerow.proportions.matching import published_texts
from hedgerow.proportions.parts import parts_of, shares_of_parts
from hedgerow.proportions.pools import Pools
from hedgerow.proportions.proportions import ColumnProportions, Proportions
from hedgerow.proportions.spreading import Spread

__all__ = [
    "ColumnProportions",
    "Drawn",
    "ExactColumn",
    "ExactProportions",
    "Pools",
    "Proportions",
    "Spread",
    "count_proportions",
    "deal_columns",
    "parts_of",
    "published_texts",
    "shares_of_parts",
    "with_drawn",
]
