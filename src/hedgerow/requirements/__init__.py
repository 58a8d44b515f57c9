"""Requirements: what every equivalence class of a release has to satisfy, and what searches may rely on.

Importing this does not import numba: the formulas, in ``formulas``, are compiled when they are first needed.
"""

from __future__ import annotations

from hedgerow.requirements._alpha_k import AlphaK
from hedgerow.requirements._k_anonymity import KAnonymity
from hedgerow.requirements._l_diversity import LDiversity
from hedgerow.requirements._notation import parse_requirement
from hedgerow.requirements._p_sensitive import PSensitive
from hedgerow.requirements._people import Representatives, of_people
from hedgerow.requirements._resolution import (
    check,
    reached_at_most,
    resolve,
    restored,
    stored,
    unreachable,
    with_orders,
    with_trees,
    withheld,
)
from hedgerow.requirements._t_closeness import TCloseness
from hedgerow.requirements.binding import (
    BoundRequirement,
    Context,
    Histograms,
    PackedRequirements,
    Requirement,
    SensitiveColumn,
    bind,
    context_of,
    pack,
    sensitive_codes,
    shield_of,
)

__all__ = [
    "AlphaK",
    "Representatives",
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
