"""What learners still know of the target, where somebody has evaluated it."""

from __future__ import annotations

from typing import Any, Final

import narwhals as nw

from hedgerow.errors import BadInput
from hedgerow.report.facts.sections.keeping import Score, Utility
from hedgerow.report.facts.subjects import Subject

__all__ = ["utility"]

_MEANING: Final = (
    "How well learners predict the target on rows they have not seen: trained on the rows as they are, on what the "
    "method publishes, and by always saying the commonest label. What a release costs lies between."
)
# Of a mean over test parts one row changes less than that of any count, but never more digits than these are told.
_FEWEST_DIGITS: Final = 2
_COLUMNS: Final = ("learner", "train", "test", "method", "majority", "unanonymized")


def utility(subject: Subject, evaluation: Any) -> Utility | None:
    """The scores of an evaluation; ``None`` without one, and for recipients, since they come from original rows."""
    from hedgerow.evaluation.results import Evaluation
    from hedgerow.evaluation.scores import BETTER_WHEN_LOWER, named_score

    if evaluation is None:
        return None
    if not isinstance(evaluation, Evaluation):
        raise BadInput.parameter("evaluation", "report", "what hr.evaluate returned", type(evaluation).__name__)
    if subject.edition == "public":
        return None
    score = named_score(None, evaluation.task)
    rows = nw.from_native(evaluation.table(score), eager_only=True).rows(named=True)
    digits = max(_FEWEST_DIGITS, subject.digits)
    found = []
    for row in rows:
        for column in (name for name in row if name not in _COLUMNS):
            k = int(column.removeprefix("k=")) if column.startswith("k=") else None
            raw, published, majority = (_told(row[name], digits) for name in ("unanonymized", column, "majority"))
            kept = _kept(raw, published, majority)
            found.append(Score(row["learner"], row["method"], k, raw, published, majority, kept))
    return Utility(score, score not in BETTER_WHEN_LOWER, evaluation.protocol, tuple(found), _MEANING)


def _told(value: float | None, digits: int) -> float | None:
    return None if value is None else round(float(value), digits)


def _kept(raw: float | None, published: float | None, majority: float | None) -> float | None:
    """What of the way from the majority to the raw rows is left.

    >>> _kept(0.9, 0.8, 0.7), _kept(0.7, 0.7, 0.7)
    (0.5, None)
    """
    if raw is None or published is None or majority is None or raw == majority:
        return None
    return round((published - majority) / (raw - majority), 2)
