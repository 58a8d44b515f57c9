"""The release: the published rows with audit and manifest, what they must meet, and how they are written to disk.

The methods and every room above import it; it imports risk, engines, requirements and the verifier.
Start with `_release.py`, then `pipeline`, which makes a release.
"""

from hedgerow.release._explaining import CountedReason, counted_reasons
from hedgerow.release._guarantee import Guarantee, SmallCounts
from hedgerow.release._margins import NotOfPeople
from hedgerow.release._redrawn import Redrawn, check_holdout
from hedgerow.release._release import Release
from hedgerow.release.saving import check_destination, check_partition

__all__ = [
    "CountedReason",
    "Guarantee",
    "Redrawn",
    "Release",
    "NotOfPeople",
    "SmallCounts",
    "check_destination",
    "check_holdout",
    "check_partition",
    "counted_reasons",
]
