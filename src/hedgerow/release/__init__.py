"""The release: what was published, what it is held to, and how it is written to disk."""

from hedgerow.release.guarantee import Guarantee
from hedgerow.release.release import Release, check_destination
from hedgerow.release.rows import FrameRows, Rows, StagedRows

__all__ = ["FrameRows", "Guarantee", "Release", "Rows", "StagedRows", "check_destination"]
