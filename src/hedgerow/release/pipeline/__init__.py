"""The pipeline around every method: read and count, fit, apply, verify, and only then return a release.

Methods import it when they anonymize, so that wrong parameters are found before any heavy import.
Start with `prepare` in `_preparing.py`; `finish` in `_finishing.py` follows the method.
"""

from __future__ import annotations

from hedgerow.release.pipeline._finishing import finish
from hedgerow.release.pipeline._preparing import Options, Prepared, Progress, prepare

__all__ = ["Options", "Prepared", "Progress", "finish", "prepare"]
