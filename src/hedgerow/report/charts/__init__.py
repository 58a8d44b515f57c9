"""The charts of a report. What they draw comes from the facts alone, so they cannot tell more than these."""

from __future__ import annotations

from hedgerow.report.charts.association import association_chart
from hedgerow.report.charts.attempts import attempt_chart
from hedgerow.report.charts.columns import column_chart, identifying_chart, kept_chart
from hedgerow.report.charts.labels import label_chart
from hedgerow.report.charts.learners import learner_chart
from hedgerow.report.charts.risks import risk_chart
from hedgerow.report.charts.sizes import size_chart

__all__ = [
    "association_chart",
    "attempt_chart",
    "column_chart",
    "identifying_chart",
    "kept_chart",
    "label_chart",
    "learner_chart",
    "risk_chart",
    "size_chart",
]
