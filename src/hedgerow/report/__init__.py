"""Reports: what a person reads about a release or an audit, as one page that needs nothing from outside.

Only commands and comparisons import this package; ``release.report("out.html")`` loads it on first use. Start reading
at :mod:`hedgerow.report.document`, which lists the parts of a report; :mod:`hedgerow.report.facts` gathers the facts.
"""

from __future__ import annotations

from hedgerow.report.facts.context import Context, Governance

__all__ = ["Context", "Governance"]
