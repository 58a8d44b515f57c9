"""What a person reads of a release or an audit: one self-contained page, made of parts.

``release.report("out.html")`` writes one. :mod:`hedgerow.report._parts` lists the parts and renders any of them alone;
:mod:`hedgerow.report.facts` holds what they tell.
"""

from __future__ import annotations

from hedgerow.report.facts.context import Context, Governance

__all__ = ["Context", "Governance"]
