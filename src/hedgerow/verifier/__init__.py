"""The verifier: counts a published table again and decides whether its guarantee holds.

It shares no code with the methods, so that one bug cannot pass both. Every room from ``risk`` upwards may import it.
Start reading at ``_counting.count_classes``, which counts a table, then ``_verdict.verify``, which judges the counts.
"""

from __future__ import annotations

from hedgerow.verifier._both import OneRelease, verify_both
from hedgerow.verifier._counting import RowOwners, count_classes, k_of_all, open_table, repeats
from hedgerow.verifier._grouping import within
from hedgerow.verifier._linkage import Link, links_of
from hedgerow.verifier._noisy import check_noisy
from hedgerow.verifier._people import PEOPLE_PER_VALUE, PeoplePerValue, RareValues, people_per_value
from hedgerow.verifier._verdict import Finding, Levels, Verdict, enforce, outside_levels, verify
from hedgerow.verifier.classes import ClassCounts, Histogram, wildcard_k

__all__ = [
    "ClassCounts",
    "Finding",
    "Histogram",
    "Levels",
    "OneRelease",
    "Link",
    "PEOPLE_PER_VALUE",
    "PeoplePerValue",
    "RareValues",
    "RowOwners",
    "Verdict",
    "check_noisy",
    "count_classes",
    "enforce",
    "k_of_all",
    "links_of",
    "open_table",
    "outside_levels",
    "people_per_value",
    "repeats",
    "verify",
    "verify_both",
    "wildcard_k",
    "within",
]
