"""Estimates: what crosstabs, means and regressions give on the original rows and on a release.

Start with :mod:`~hedgerow.evaluation.estimates.api` for ``hr.analyses``, then
:mod:`~hedgerow.evaluation.estimates.reading` for how a published cell is read.
"""
