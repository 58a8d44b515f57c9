"""Advice: what to do with a table that nobody has described yet, with reasons, as a job file to be changed."""

from __future__ import annotations

from hedgerow.advice.advice import Advice, ColumnAdvice
from hedgerow.advice.api import advise
from hedgerow.advice.separation import Combination
from hedgerow.advice.trial import Trial

__all__ = ["Advice", "ColumnAdvice", "Combination", "Trial", "advise"]
