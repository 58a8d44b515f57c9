"""How :func:`hedgerow.learning.redraw` finds an original value for every published cell."""

from hedgerow.learning.redrawing.dealing import deal_values, rows_by_class
from hedgerow.learning.redrawing.drawing import draw
from hedgerow.learning.redrawing.labels import labels_below
from hedgerow.learning.redrawing.possible import possible_values

__all__ = ["deal_values", "draw", "labels_below", "possible_values", "rows_by_class"]
