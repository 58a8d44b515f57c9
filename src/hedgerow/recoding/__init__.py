"""Recoding: the fitted result of a method, as groups and what each of them publishes."""

from hedgerow.recoding.building import publish_groups
from hedgerow.recoding.published import Pieces, PublishedColumn
from hedgerow.recoding.recoding import Recoding
from hedgerow.recoding.routing import CutTree, Router
from hedgerow.recoding.saving import appearing, check_place
from hedgerow.recoding.shown import publish_shown

__all__ = [
    "CutTree",
    "Pieces",
    "PublishedColumn",
    "Recoding",
    "Router",
    "appearing",
    "check_place",
    "publish_groups",
    "publish_shown",
]
