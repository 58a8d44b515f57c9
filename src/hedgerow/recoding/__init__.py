"""Recoding: the fitted result of a method, as groups and what each of them publishes."""

from hedgerow.published import PublishedColumn, PublishedKind
from hedgerow.recoding.axis_router import AxisRouter
from hedgerow.recoding.building import Publish, Shown, label_column, publish_groups, shown_as
from hedgerow.recoding.by_label import ByLabel
from hedgerow.recoding.columnwise import recode_by_nodes
from hedgerow.recoding.losing import without_groups
from hedgerow.recoding.node_router import NodeRouter
from hedgerow.recoding.pieces import Pieces
from hedgerow.recoding.recoding import Recoding
from hedgerow.recoding.routing import CutTree
from hedgerow.recoding.shown import publish_shown

__all__ = [
    "AxisRouter",
    "ByLabel",
    "CutTree",
    "NodeRouter",
    "Pieces",
    "PublishedColumn",
    "PublishedKind",
    "Publish",
    "Recoding",
    "Shown",
    "label_column",
    "publish_groups",
    "publish_shown",
    "recode_by_nodes",
    "shown_as",
    "without_groups",
]
