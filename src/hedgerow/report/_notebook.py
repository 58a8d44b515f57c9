"""Releases and audits in a notebook: the text that a terminal shows, and two charts of the report below it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from hedgerow.report._charts import risk_chart, size_chart
from hedgerow.report.facts.attacking import attackers, class_sizes
from hedgerow.report.page import environment
from hedgerow.risk import Audit

if TYPE_CHECKING:
    from hedgerow.release import Release

__all__ = ["show"]


def show(subject: Release | Audit) -> str:
    """HTML for a notebook: counts and names of columns, never a cell."""
    from markupsafe import escape

    audit = subject if isinstance(subject, Audit) else subject.audit
    # A notebook may show many of them, and ids must not meet.
    own = f"hedgerow-{secrets.token_hex(4)}"
    drawings = (
        size_chart(class_sizes(audit), name=f"{own}-class-sizes"),
        risk_chart(attackers(audit), name=f"{own}-risks"),
    )
    text = escape(audit.render() if subject is audit else repr(subject))
    template = environment().get_template("notebook.html")
    return template.render(text=text, drawings=drawings, own=own, scope=f"#{own}")
