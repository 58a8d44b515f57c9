"""What was suppressed, by label of the target."""

from __future__ import annotations

from hedgerow.report.charts.scales import AFTER, paired_bars
from hedgerow.report.drawing import Drawing, draw
from hedgerow.report.facts import Suppression
from hedgerow.report.wording import share

__all__ = ["label_chart"]


def label_chart(suppression: Suppression) -> Drawing | None:
    """The share of suppressed cells among the records of each label; nothing if there are no such cells."""
    if not any(one.cells for one in suppression.labels):
        return None
    rows = [{"label": one.label, "when": AFTER, "share": one.cells} for one in suppression.labels]
    return draw(
        paired_bars(rows, [one.label for one in suppression.labels], "cells suppressed (*)"),
        name="labels",
        heading="Cells suppressed, by label",
        says=suppression.labels_note,
        columns=("label", "of all records", "cells suppressed", "records left out"),
        rows=[(one.label, share(one.share), share(one.cells), share(one.rows)) for one in suppression.labels],
    )
