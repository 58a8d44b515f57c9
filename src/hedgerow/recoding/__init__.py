"""Recoding: the fitted result of a method, as groups and what each of them publishes."""

from hedgerow.published import PublishedColumn, PublishedKind
from hedgerow.recoding.axis_router import AxisRouter
from hedgerow.recoding.building import (
    Publish,
    Shown,
    held_by_groups,
    label_column,
    publish_groups,
    publish_held,
    shown_as,
)
from hedgerow.recoding.by_label import ByLabel
from hedgerow.recoding.columnwise import recode_by_nodes
from hedgerow.recoding.losing import without_groups
from hedgerow.recoding.node_router import NodeRouter
from hedgerow.recoding.pieces import Held, Pieces, StoredPieces
from hedgerow.recoding.recoding import Recoding
from hedgerow.recoding.regions import publish_regions
from hedgerow.recoding.routing import CutTree
from hedgerow.recoding.shown import GroupTally, publish_shown, publish_tallied

__all__ = [
    "AxisRouter",
    "ByLabel",
    "CutTree",
    "GroupTally",
    "Held",
    "NodeRouter",
    "Pieces",
    "PublishedColumn",
    "PublishedKind",
    "Publish",
    "Recoding",
    "Shown",
    "StoredPieces",
    "held_by_groups",
    "label_column",
    "publish_groups",
    "publish_held",
    "publish_regions",
    "publish_shown",
    "publish_tallied",
    "recode_by_nodes",
    "shown_as",
    "without_groups",
]
