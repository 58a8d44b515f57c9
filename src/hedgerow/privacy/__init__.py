"""Requirements: what every equivalence class of a release has to satisfy, and what searches may rely on.

Importing this does not import numba: the formulas, in ``formulas``, are compiled when they are first needed.
"""

from __future__ import annotations

from hedgerow.privacy.alpha_k import AlphaK
from hedgerow.privacy.base import Requirement
from hedgerow.privacy.binding import (
    BoundRequirement,
    Context,
    Histograms,
    PackedRequirements,
    SensitiveColumn,
    bind,
    context_of,
    pack,
    sensitive_codes,
    shield_of,
)
from hedgerow.privacy.k_anonymity import KAnonymity
from hedgerow.privacy.l_diversity import LDiversity
from hedgerow.privacy.notation import parse_requirement
from hedgerow.privacy.p_sensitive import PSensitive
from hedgerow.privacy.people import AtHome, of_people
from hedgerow.privacy.resolving import check, reached_at_most, resolve, unreachable, with_orders, with_trees
from hedgerow.privacy.stored import restored, stored, withheld
from hedgerow.privacy.t_closeness import TCloseness

__all__ = [
    "AlphaK",
    "AtHome",
    "BoundRequirement",
    "Context",
    "Histograms",
    "KAnonymity",
    "LDiversity",
    "PSensitive",
    "PackedRequirements",
    "Requirement",
    "SensitiveColumn",
    "TCloseness",
    "bind",
    "check",
    "context_of",
    "of_people",
    "pack",
    "parse_requirement",
    "reached_at_most",
    "resolve",
    "restored",
    "sensitive_codes",
    "shield_of",
    "stored",
    "unreachable",
    "with_orders",
    "with_trees",
    "withheld",
]
