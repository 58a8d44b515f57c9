"""Hierarchies that need no thought: flat, and the one chosen when none is given."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from hedgerow.domains import Domain
from hedgerow.hierarchies.calendars import dates
from hedgerow.hierarchies.encoded import EncodedHierarchy
from hedgerow.hierarchies.numeric import intervals
from hedgerow.hierarchies.trees import encode_tree, tree_of_levels

__all__ = ["Automatic", "Flat", "automatic", "flat"]

# Sixteen parts, halved thrice: for ages, about the 5, 10, 20 and 40 years one would choose by hand.
_AUTOMATIC_QUANTILES = 16


@dataclass(frozen=True)
class Flat:
    """Every value generalizes to ``*`` at once; see :func:`flat`."""

    def encode(self, domain: Domain) -> EncodedHierarchy:
        """Put all values directly below the root."""
        built = tree_of_levels(domain.labels.tolist(), [])
        return encode_tree(built.tree, built.nodes[0], domain, "flat")


@dataclass(frozen=True)
class Automatic:
    """The hierarchy of a column for which none was given; see :func:`automatic`."""

    def encode(self, domain: Domain) -> EncodedHierarchy:
        """Choose by the kind of the column, and mark the result as chosen."""
        if domain.kind == "number":
            chosen = intervals(quantiles=_AUTOMATIC_QUANTILES).encode(domain)
        elif domain.kind == "date":
            chosen = dates().encode(domain)
        else:
            chosen = flat().encode(domain)
        return dataclasses.replace(chosen, description=f"automatic: {chosen.description}", automatic=True)


def flat() -> Flat:
    """Build the hierarchy with nothing between a value and ``*``.

    Examples
    --------
    >>> import numpy as np
    >>> flat().encode(Domain("sex", "text", np.array(["F", "M"]), has_missing=True)).labels
    ('*', 'F', 'M', None)
    """
    return Flat()


def automatic() -> Automatic:
    """Build the hierarchy that suits the column.

    Numbers get nested quantile intervals, dates the calendar, and text is flat.

    Examples
    --------
    >>> import numpy as np
    >>> automatic().encode(Domain("sex", "text", np.array(["F", "M"]))).description
    'automatic: flat'
    """
    return Automatic()
