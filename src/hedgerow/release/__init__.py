"""The release: what was published, what it is held to, and how it is written to disk."""

from hedgerow.release.guarantee import Guarantee
from hedgerow.release.partitioning import check_partition
from hedgerow.release.redrawn import Redrawn, check_holdout
from hedgerow.release.release import Release
from hedgerow.release.saving import check_destination

__all__ = ["Guarantee", "Redrawn", "Release", "check_destination", "check_holdout", "check_partition"]
