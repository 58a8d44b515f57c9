"""Advice for a table that nobody has described yet: roles, hierarchies, k and a method, with reasons, as a job file.

The command line and users import it; methods and the verifier do not.
Start reading at ``advise`` in ``_api.py``.
"""

from __future__ import annotations

from hedgerow.advice._advice import Advice, ColumnAdvice
from hedgerow.advice._api import advise
from hedgerow.advice._profiles import Combination
from hedgerow.advice._trial import Trial

__all__ = ["Advice", "ColumnAdvice", "Combination", "Trial", "advise"]
