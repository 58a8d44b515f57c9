"""Advice: what to do with a table that nobody has described yet, with reasons, as a job file to be changed."""

from __future__ import annotations

from hedgerow.advice._advice import Advice, ColumnAdvice
from hedgerow.advice._api import advise
from hedgerow.advice._separation import Combination
from hedgerow.advice._trial import Trial

__all__ = ["Advice", "ColumnAdvice", "Combination", "Trial", "advise"]
