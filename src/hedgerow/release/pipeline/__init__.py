"""The pipeline around every method: read and count, fit, apply, verify, and only then return a release.

Methods import it when they anonymize, so that wrong parameters are found before any heavy import.
Start with `_prepare.py`; after the method, `_finish.py` follows.
"""

from __future__ import annotations

from hedgerow.release.pipeline._finish import finish
from hedgerow.release.pipeline._prepare import Options, Prepared, Progress, prepare

__all__ = ["Options", "Prepared", "Progress", "finish", "prepare"]
