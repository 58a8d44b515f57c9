"""Methods that cut the space of quasi-identifiers: Mondrian and Hedge.

``merge`` may import ``cuts``, for blocks of large tables; no other family imports from here. Start with
``mondrian.Mondrian._fit`` and ``cuts.cut_groups``; for Hedge, with ``_hedge_candidates.best_candidate``.
"""
