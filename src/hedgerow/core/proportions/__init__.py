"""Proportions: how the people of every class of a release are divided among the values of each column, pooled.

All packages above ``core`` may import it; :func:`hedgerow.core.proportions.label_margins.proportions_to_publish` is
imported separately.
Start with :class:`Proportions`, then ``_pooling.py``, which explains why they single nobody out.
"""

from hedgerow.core.proportions._exact import ExactColumn, ExactLabels, ExactProportions, count_labels, count_proportions
from hedgerow.core.proportions._ipf import Tilt, tilted
from hedgerow.core.proportions._margins import ColumnLifts, Lifts, published_texts
from hedgerow.core.proportions._pools import Pools
from hedgerow.core.proportions._proportions import ColumnProportions, Proportions, parts_of, shares_of_parts
from hedgerow.core.proportions._spreading import Spread
from hedgerow.core.proportions.draw_rows import Drawn, deal_columns, with_drawn

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
"""Raised when the same release gets other proportions or other rows: results of evaluations are then stale."""
