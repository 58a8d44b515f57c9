"""Recoding: the fitted result of a method, as groups and what each of them publishes.

``metrics``, ``proportions`` and all packages above ``core`` may import it.
Start with :class:`Recoding`, then :func:`publish_groups`.
"""

from hedgerow.core.cells import PublishedColumn, PublishedKind
from hedgerow.core.recoding._recoding import ByLabel, Held, Pieces, Recoding, StoredPieces, without_groups
from hedgerow.core.recoding._routing import AxisRouter, ColumnMap, CutTree, NodeRouter, PartRouter, RoutedPart
from hedgerow.core.recoding.building import (
    GroupTally,
    Publish,
    Shown,
    held_by_groups,
    label_column,
    nearest_published,
    publish_groups,
    publish_held,
    publish_regions,
    publish_shown,
    publish_tallied,
    recode_by_nodes,
    shown_as,
)

__all__ = [
    "AxisRouter",
    "ByLabel",
    "ColumnMap",
    "CutTree",
    "GroupTally",
    "Held",
    "NodeRouter",
    "PartRouter",
    "Pieces",
    "PublishedColumn",
    "PublishedKind",
    "Publish",
    "Recoding",
    "RoutedPart",
    "Shown",
    "StoredPieces",
    "held_by_groups",
    "label_column",
    "nearest_published",
    "publish_groups",
    "publish_held",
    "publish_regions",
    "publish_shown",
    "publish_tallied",
    "recode_by_nodes",
    "shown_as",
    "without_groups",
]
