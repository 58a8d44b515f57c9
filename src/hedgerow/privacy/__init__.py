"""Releases with a proof: what they reveal of anybody is bounded by a theorem, not by rules against known attacks.

Start with :func:`private_release`. The proof is in four modules, to be read in this order: :mod:`.accounting` (what a
cost means), :mod:`.noise` (exact draws), :mod:`.curator` (the only object that sees rows) and :mod:`.mechanism` (the
steps). All others are post-processing, or public.
"""

from hedgerow.privacy.accounting import Budget
from hedgerow.privacy.domain import Categories, Domain, Numbers
from hedgerow.privacy.ledger import Ledger
from hedgerow.privacy.release import PrivateRelease, private_release

__all__ = ["Budget", "Categories", "Domain", "Ledger", "Numbers", "PrivateRelease", "private_release"]
