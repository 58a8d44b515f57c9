"""The verifier: counts a published table again and decides whether its guarantee holds.

It shares no code with the methods that made the table: it reads a requirement's parameters and has its own
counting and its own formulas, so that one bug cannot pass both. Only errors and schema are imported from
Hedgerow.
"""

from __future__ import annotations

from hedgerow.verifier._counting import count_classes, k_of_all, open_table, repeats
from hedgerow.verifier._grouping import within
from hedgerow.verifier._linkage import Link, links_of
from hedgerow.verifier._verdict import Finding, Verdict, enforce, verify
from hedgerow.verifier.classes import ClassCounts, Histogram, wildcard_k

__all__ = [
    "ClassCounts",
    "Finding",
    "Histogram",
    "Link",
    "Verdict",
    "count_classes",
    "enforce",
    "k_of_all",
    "links_of",
    "open_table",
    "repeats",
    "verify",
    "wildcard_k",
    "within",
]
