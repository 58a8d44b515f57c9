"""Methods that generalize along hierarchies: whole columns by levels or cuts, or single cells (MinGen).

No other family imports from here. Start with ``datafly``, the shortest method, then ``_judge.Judge`` and
``_levels.Lattice``; cuts are in ``_cuts``.
"""
