"""The pipeline every method runs in: read and count, fit, apply, count again, and only then hand out a release.

It is apart from the estimators so that a wrong table, schema or requirement is found before scikit-learn or numba
is imported.
"""

from __future__ import annotations

from hedgerow.release.pipeline._finishing import finish
from hedgerow.release.pipeline._preparing import Options, Prepared, Progress, prepare

__all__ = ["Options", "Prepared", "Progress", "finish", "prepare"]
