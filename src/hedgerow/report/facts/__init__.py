"""The facts of a report: plain values, gathered before anything is drawn.

No fact breaks the leak rule: numbers are rounded, bars have at least k records, and labels are published or held by at
least k records. So no template or chart can leak. Only :mod:`hedgerow.report` imports this package; start reading at
:func:`gather`.
"""

from __future__ import annotations

from hedgerow.report.facts._report import gather, with_files

__all__ = ["gather", "with_files"]
