"""How :func:`hedgerow.learning.redraw` finds an original value for every published cell."""

from hedgerow.learning.redrawing.dealing import deal, rows_by_class
from hedgerow.learning.redrawing.drawing import draw
from hedgerow.learning.redrawing.original import original_values
from hedgerow.learning.redrawing.possible import possible_values

__all__ = ["deal", "draw", "original_values", "possible_values", "rows_by_class"]
