"""The release: what was published, what it is held to, and how it is written to disk."""

from hedgerow.release._guarantee import Guarantee
from hedgerow.release._redrawn import Redrawn, check_holdout
from hedgerow.release._release import Release
from hedgerow.release.saving import check_destination, check_partition

__all__ = ["Guarantee", "Redrawn", "Release", "check_destination", "check_holdout", "check_partition"]
