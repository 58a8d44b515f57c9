"""Requirements: the conditions on every equivalence class of a release, as declared and as searches check them.

Packages from ``risk`` on may import them. Importing them does not import numba: formulas are compiled on first use.
Start with :class:`Requirement` in ``binding.py``, then ``_k_anonymity.py``.
"""

from __future__ import annotations

from hedgerow.requirements._alpha_k import AlphaK
from hedgerow.requirements._k_anonymity import KAnonymity
from hedgerow.requirements._l_diversity import LDiversity
from hedgerow.requirements._notation import parse_requirement
from hedgerow.requirements._p_sensitive import PSensitive
from hedgerow.requirements._people import HoldersOfValues, Representatives, of_people
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
    "HoldersOfValues",
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
